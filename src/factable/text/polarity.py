"""Clauses of a sentence, and whether a clause says yes or no to a word in it, or that it is not known.

Rules on closed classes of English words, without a model: "does not offer WiFi or parking", "valet parking
is not available", "it is unclear whether pets are allowed".
"""

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

from factable.text.patterns import lazy_pattern
from factable.types import Span

Polarity = Literal["yes", "no", "unknown"]


class Token(NamedTuple):
    """A word in lower case, or a mark, and its span in the text."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """Part of a sentence with one verb: its span and its tokens.

    `head` are the words before the brackets that it stands in, `scopes` what its words deny or doubt.
    """

    start: int
    end: int
    tokens: tuple[Token, ...]
    head: tuple[str, ...] = ()
    scopes: list["_Scope"] = field(default_factory=list, repr=False)

    @property
    def span(self) -> Span:
        """Where the clause stands in the text."""
        return self.start, self.end


class _Scope(NamedTuple):
    """What a negating or doubting expression reaches: tokens from `first` to before `last`."""

    kind: Literal["no", "flip", "unknown"]
    first: int
    last: int


_TOKEN = lazy_pattern(r"\w+(?:['’]\w+)*(?:[-‑]\w+)*(?:['’]\w+)*|[,;:()\[\]–—•|*\n]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AUXILIARY = _words(
    """is are was were be isn't aren't wasn't weren't has hasn't had hadn't does doesn't do don't did
    didn't can can't cannot could couldn't will won't would wouldn't may might must should shouldn't
    there's it's they're haven't"""
)
# Verbs in the third person: they have a subject of their own, or share that of the clause before.
_FINITE = _AUXILIARY | _words(
    """offers provides accepts takes serves features includes allows comes lacks operates opens closes
    makes gives boasts contains supports requires excludes prohibits remains stays seems appears permits
    ships sells hosts caters welcomes runs costs uses needs keeps gets goes works holds covers received
    receives earned stands sits lies describes mentions says states notes caters follows accommodates
    enables became won lost describes specializes prides ranges varies delivers lets looks feels tends
    starts begins ends weighs measures"""
)
# Verbs in the plain form: after "does not … or" they share the negation; a plural subject makes them finite.
_PLAIN = _words(
    """offer provide accept take serve feature include allow come lack have operate open close make give
    support require exclude permit ship sell host cater welcome use need get praise mention note
    appreciate enjoy say describe complain find order expect bring park reserve book"""
)
_PARTICIPLES = _words(
    """offering providing accepting taking serving featuring allowing having making lacking operating
    ensuring giving excluding boasting requiring supporting catering adding creating being"""
)
_VERBS = _FINITE | _PLAIN | _PARTICIPLES
_PLURAL_SUBJECTS = _words("they we you who i these those people")
_JOINING = _words("and but or plus")
_CONTRAST = _words(
    "but while although though whereas however yet despite whilst even unless because since so"
)
_RELATIVE = _words("which who whose where")
_INTRODUCTORY = _words(
    "with without despite in for besides apart aside unlike beyond additionally however overall"
)
_MARKS = _words(", ; : ( ) [ ] – — • | *") | {"\n"}
_HARD_MARKS = _words("; ( ) [ ] — • |") | {"\n"}
# How far a subject may stretch before its verb.
_MAX_SUBJECT = 8
# A preposition so near to a negation belongs to the verb that is denied.
_MAX_PARTICLES = 2
# Words of a clause: a longer one is no sentence that anybody reads, and is read in several.
_MAX_CLAUSE = 100


def tokenize(text: str, span: Span) -> list[Token]:
    """The words of a part of the text in lower case, with the marks between them."""
    return [
        Token(match[0].lower().replace("’", "'").replace("‑", "-"), match.start(), match.end())
        for match in _TOKEN.finditer(text, *span)
    ]


# "No other amenities (parking, WiFi) are specified": with what stands in brackets, all of it is not known.
_NONE_TOLD = lazy_pattern(
    r"\bno\b[^.;\n]{1,150}?\b(?:(?:is|are|was|were) (?:\w+ )?"
    r"(?:specified|mentioned|indicated|listed|stated|noted|disclosed|confirmed)|"
    r"(?:information|details|data)\b[^.;\n]{0,40}?\b(?:provided|available|given|included|supplied|listed))\b",
    re.IGNORECASE,
)


def clauses(text: str, span: Span) -> list[Clause]:
    """The clauses of a sentence in order; together they cover all of its words.

    What stands in brackets is a clause of its own, denied or doubted as the word before it is.
    """
    outer, brackets = _take_out_brackets(tokenize(text, span))
    untold = [match.span() for match in _NONE_TOLD.finditer(text, *span)]
    result = [_clause(part, untold) for part in _parts(outer)]
    around = list(result)
    starts = [clause.start for clause in around]
    for head, inner in brackets:
        last = head[-1].start, head[-1].end
        at = bisect_right(starts, last[0]) - 1
        context = polarity_at(around[at], last) if at >= 0 and last[0] < around[at].end else "yes"
        for part in _parts(inner):
            clause = _clause(part, untold, tuple(token.word for token in head))
            if context != "yes":
                clause.scopes.append(_Scope(context, 0, len(clause.tokens)))
            result.append(clause)
    return sorted(result, key=lambda clause: clause.start)


# How many words before brackets tell what they are about.
_MAX_HEAD = 3


def _take_out_brackets(tokens: Sequence[Token]) -> tuple[list[Token], list[tuple[list[Token], list[Token]]]]:
    """The tokens outside brackets, and those of each pair of brackets with the words before it."""
    outer: list[Token] = []
    brackets: list[tuple[list[Token], list[Token]]] = []
    closing = deque(index for index, token in enumerate(tokens) if token.word in (")", "]"))
    index = 0
    while index < len(tokens):
        while closing and closing[0] <= index:
            closing.popleft()
        if tokens[index].word in ("(", "[") and closing and outer:
            brackets.append((outer[-_MAX_HEAD:], list(tokens[index + 1 : closing[0]])))
            index = closing[0]
        else:
            outer.append(tokens[index])
        index += 1
    return outer, brackets


def _parts(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    bounds = [0, *_boundaries(tokens), len(tokens)]
    parts = [tuple(tokens[first:last]) for first, last in pairwise(bounds)]
    return [part for part in parts if any(token.word not in _MARKS for token in part)]


def _clause(tokens: tuple[Token, ...], untold: Sequence[Span], head: tuple[str, ...] = ()) -> Clause:
    start, end = tokens[0].start, tokens[-1].end
    # The spans do not overlap: only the last one that begins before the end can reach the clause.
    at = bisect_left(untold, (end, 0)) - 1
    if at >= 0 and start < untold[at][1]:
        return Clause(start, end, tokens, head, [_Scope("unknown", 0, len(tokens))])
    return Clause(start, end, tokens, head, [*_negations(tokens), *_doubts(tokens)])


def polarity_at(clause: Clause, word_span: Span) -> Polarity:
    """What a clause says of a word in it: that it is so, that it is not so, or that it is not known."""
    inside = [index for index, token in enumerate(clause.tokens) if token.start < word_span[1]]
    index = inside[-1] if inside else 0
    reaching = [scope for scope in clause.scopes if scope.first <= index < scope.last]
    if any(scope.kind == "unknown" for scope in reaching):
        return "unknown"
    is_denied = any(scope.kind == "no" for scope in reaching)
    flips = sum(scope.kind == "flip" for scope in reaching)
    return "no" if is_denied ^ bool(flips % 2) else "yes"


def _boundaries(tokens: Sequence[Token]) -> list[int]:
    """The indexes of the tokens that begin a clause, after the first."""
    found: list[int] = []
    start = 0
    has_verb = False
    for index, token in enumerate(tokens):
        is_too_long = index - start >= _MAX_CLAUSE
        if index > start and (is_too_long or _begins_clause(tokens, index, start, has_verb)):
            found.append(index)
            start, has_verb = index, False
        has_verb = has_verb or token.word in _VERBS
    return found


def _begins_clause(tokens: Sequence[Token], index: int, start: int, has_verb: bool) -> bool:
    word = tokens[index].word
    previous = tokens[index - 1].word
    following = tokens[index + 1].word if index + 1 < len(tokens) else ""
    if word in _HARD_MARKS:
        return True
    if word == "but":
        return previous not in ("nothing", "anything", "all", "none", "everything")
    if word in _CONTRAST:
        # "since 2010" and "so popular" are no clauses.
        return word not in ("so", "even", "since", "yet", "because") or _subject_and_verb(tokens, index + 1)
    if word in _RELATIVE:
        return True
    if word == "as" and has_verb and following in ("it", "they", "there", "the"):
        return _subject_and_verb(tokens, index + 1)
    if previous == "," and word in ("with", "without", "plus") and has_verb:
        return True
    if word == "with" and has_verb and _is_negated(tokens[start:index]):
        # "Should not live with cats": the verb and its preposition go together.
        return not _is_negated(tokens[max(start, index - _MAX_PARTICLES) : index])
    if word in (",", "–", ":") and following in _PARTICIPLES:
        return True
    if word == "nor":
        return has_verb
    if word not in (",", "and", "–", "then"):
        return False
    after, last = index + 1, min(len(tokens), index + _MAX_CLAUSE)
    while after < last and (tokens[after].word in _JOINING or tokens[after].word in _ADVERBS):
        after += 1
    opening = {token.word for token in tokens[start : start + 2]}
    introduced = not opening.isdisjoint(_INTRODUCTORY) or (has_verb and not opening.isdisjoint(_CONTRAST))
    if word == "," and any(token.word in ("or", "but") for token in tokens[index + 1 : after]):
        # ", or offers …" shares the negation.
        return False
    if not has_verb and not (introduced and word == ","):
        return False
    if after < len(tokens) and _is_finite(tokens, after):
        return True
    if word == "," and after == index + 1 and not introduced:
        # A list goes on after a comma; only a subject of its own begins a clause.
        return _subject_and_verb(tokens, after, determined=True)
    return _subject_and_verb(tokens, after)


_ADVERBS = _words(
    "also even still currently typically generally usually additionally however furthermore then"
)
_DETERMINERS = _words(
    """the it they this that there their its we you he she these those customers guests patrons visitors
    diners users"""
)


def _is_negated(tokens: Sequence[Token]) -> bool:
    return any(_is_not(token.word) or token.word == "no" for token in tokens)


def _subject_and_verb(tokens: Sequence[Token], index: int, determined: bool = False) -> bool:
    """Whether a subject and its verb begin at a token, before the next comma."""
    if determined and (index >= len(tokens) or tokens[index].word not in _DETERMINERS):
        return _verb_soon(tokens, index)
    for place in range(index, min(index + _MAX_SUBJECT, len(tokens))):
        word = tokens[place].word
        if word in _MARKS or word in _RELATIVE or word in ("that", "but", "while"):
            return False
        if place > index and _is_finite(tokens, place) and tokens[place - 1].word not in _JOINING:
            return True
        if word in _AUXILIARY and place == index:
            return True
    return False


def _verb_soon(tokens: Sequence[Token], index: int) -> bool:
    """Whether a bare subject, such as "street parking", has an auxiliary right after it."""
    for place in range(index + 1, min(index + 4, len(tokens))):
        word = tokens[place].word
        if word in _MARKS or word in _JOINING or word in _RELATIVE or word == "that":
            return False
        if word in _AUXILIARY:
            return True
    return False


def _is_finite(tokens: Sequence[Token], index: int) -> bool:
    word = tokens[index].word
    if word in _FINITE:
        return word not in ("do", "be") or tokens[index - 1 if index else 0].word in _PLURAL_SUBJECTS
    if word in _PLAIN and index:
        previous = tokens[index - 1].word
        return previous in _PLURAL_SUBJECTS or (
            previous.endswith("s")
            and previous not in _FINITE
            and tokens[index - 2 if index > 1 else 0].word != "not"
        )
    return False


def _is_not(word: str) -> bool:
    return word in ("not", "never", "cannot") or (word.endswith("n't"))


# After "not", these say that the negation means something else.
_NOT_CANCELLED = _words("only just merely limited necessarily exclusively sure always")
_NO_CANCELLED = _words(
    "doubt matter problem wonder exception stranger question problems issues need secret surprise"
)
# Predicates that say of the subject before them whether it is there: "pets are not allowed".
_THERE = _words(
    """available offered provided accepted allowed permitted included present supported taken possible
    option options served welcome welcomed featured listed enabled given granted found part there covered
    sold in existent ideal suitable honored honoured on"""
)
_BEING = _words("is are was were be been being")
_NOT_THERE = _words(
    """unavailable absent missing lacking excluded prohibited forbidden banned nonexistent non-existent
    disallowed
    disabled off-limits unsupported discontinued failed"""
)
_FILLING = _words(
    """currently yet also explicitly always generally typically usually specifically actually really be
    been an a any
    even often readily presently officially being as unfortunately"""
)
_LACKS = _words("lacks lack lacking lacked without")
_REFUSES = _words(
    """prohibits prohibit prohibiting forbids forbid bans ban refuses refuse declines disallows excludes
    exclude
    excluding omits forgoes except excepting barring"""
)
_LEAVING_OUT = {("free", "of"), ("free", "from"), ("rather", "than"), ("instead", "of")}
_TELLING = _words(
    """mention mentioned specify specified state stated indicate indicated say said disclose disclosed
    list listed known clear reveal revealed clarify clarified confirm confirmed note noted detailed
    explicitly"""
)
_INFORMATION = _words("information details data mention indication word confirmation specifics info detail")
_TOLD = _words("specified noted mentioned listed stated indicated")
_UNTOLD = _words(
    """unclear unknown unspecified undisclosed uncertain unsure unconfirmed unmentioned undetermined
    whether"""
)
_PEOPLE = _words(
    """you customers guests visitors patrons users diners residents tenants they members we people pets dogs
    children kids"""
)


def _negations(tokens: Sequence[Token]) -> list[_Scope]:
    """What the negating expressions of a clause reach."""
    scopes: list[_Scope] = []
    end = len(tokens)
    words = [token.word for token in tokens]
    for index, word in enumerate(words):
        after = words[index + 1] if index + 1 < end else ""
        if _is_not(word):
            if after not in _NOT_CANCELLED and not _tells(words, index + 1):
                scopes.append(_Scope("no", _reach_back(words, index), end))
        elif word in ("no", "zero"):
            if after == "longer":
                scopes.append(_Scope("no", 0, end))
            elif after not in _NO_CANCELLED and after not in _INFORMATION:
                scopes.append(_Scope("no", index, _list_end(words, index)))
        elif _denies_the_rest(word, after):
            scopes.append(_Scope("no", index, end))
        elif word in _NOT_THERE:
            scopes.append(_Scope("flip", 0, end))
        elif word in _LACKS or (word, after) == ("absence", "of"):
            scopes.append(_Scope("flip", index, _list_end(words, index, and_joins=True)))
        elif (word, after) in _LEAVING_OUT:
            scopes.append(_Scope("flip", index, _list_end(words, index)))
        elif word in _REFUSES:
            scopes.append(_Scope("flip", index, end))
        elif word in ("stay", "remain") and _is_elsewhere(words[index + 1 : index + 3]):
            first = max((at + 1 for at in range(index) if words[at] in (",", "but", ";")), default=0)
            scopes.append(_Scope("flip", first, end))
    return scopes


def _is_elsewhere(words: Sequence[str]) -> bool:
    """Whether words tell where those are who may not come in: "pets have to stay at home"."""
    return words[:1] in (["outside"], ["outdoors"]) or list(words) == ["at", "home"]


def _denies_the_rest(word: str, after: str) -> bool:
    """Whether a word denies all that follows it in the clause."""
    if word in ("fails", "unable"):
        return after == "to"
    if word in ("nothing", "anything"):
        return (after == "but") == (word == "anything")
    return word in ("neither", "nor") or (word == "none" and after != "other")


def _reach_back(words: Sequence[str], index: int) -> int:
    """Where the scope of a "not" begins: with the subject, if the predicate is about its being there."""
    place = index + 1
    while place < len(words) and words[place] in _FILLING:
        place += 1
    if place >= len(words):
        # "Pets are not." repeats what was asked before.
        return 0 if _follows_being(words, index) else index
    if words[place] not in _THERE and words[place] not in _NOT_THERE:
        return index
    if _follows_being(words, index):
        return 0
    # "WiFi not provided" has no verb; what stands before it in a list is told by itself.
    if words[index] == "not" and not any(word in _AUXILIARY for word in words[:index]):
        return max((at for at in range(index) if words[at] == ","), default=0)
    return index


def _follows_being(words: Sequence[str], index: int) -> bool:
    if words[index] in ("isn't", "aren't", "wasn't", "weren't"):
        return True
    while index > 0 and words[index - 1] in _FILLING:
        index -= 1
    return index > 0 and words[index - 1] in _BEING


def _list_end(words: Sequence[str], index: int, and_joins: bool = False) -> int:
    """Where the scope of a "no" ends: after a whole list if "or" joins it, else after its first member."""
    end = len(words)
    first = end
    for place in range(index + 1, end):
        word = words[place]
        if word in ("or", "nor") or (and_joins and word == "and"):
            return end
        if word == "and" or (word == "with" and place - index > _MAX_PARTICLES):
            return min(first, place)
        if word in (",", "–", ":"):
            first = min(first, place)
    return first


def _tells(words: Sequence[str], index: int) -> bool:
    """Whether a verb of telling follows: "not mentioned", "not explicitly say"."""
    while index < len(words) and words[index] in _FILLING:
        index += 1
    if index >= len(words):
        return False
    if words[index] in _TELLING:
        return True
    if words[index] in ("provide", "include", "contain", "have", "offer", "give"):
        # "does not provide details on parking"
        return any(word in _INFORMATION for word in words[index + 1 : index + 4])
    if words[index] in ("provided", "available", "included", "given"):
        # "information about parking is not provided"
        return any(word in _INFORMATION for word in words[:index])
    return False


def _doubts(tokens: Sequence[Token]) -> list[_Scope]:
    """What the expressions of not knowing reach: the whole clause, or what follows them."""
    words = [token.word for token in tokens]
    end = len(words)
    for index, word in enumerate(words):
        if _is_untold(words, index):
            return [_Scope("unknown", 0, end)]
        is_possible = word in ("may", "might") and _PEOPLE.isdisjoint(words[:index])
        is_told_of = word in _TOLD and _is_negated(tokens[:index])
        if is_possible or is_told_of or word in ("possibly", "perhaps", "presumably"):
            return [_Scope("unknown", index, end)]
    return []


def _is_untold(words: Sequence[str], index: int) -> bool:
    """Whether a word says that what the clause is about is not known, or not told."""
    word = words[index]
    after = words[index + 1] if index + 1 < len(words) else ""
    if _is_not(word):
        return _tells(words, index + 1) or words[-1] in _TOLD
    if word in _INFORMATION:
        return after in ("about", "on", "regarding", "concerning", "as")
    return word in _UNTOLD or (word in ("no", "without", "lacks", "little") and after in _INFORMATION)


# Those who review, and the beginnings of the words for what they do.
_REVIEWERS = (
    r"(?:customer|reviewer|patron|guest|diner|visitor|user|critic|client|travell?er|commenter|tenant)s?"
)
_REPORT = (
    r"(?:prais|mention|not(?:e[ds]?|ing)\b|describ|complain|appreciat|enjoy(?:ed|ing)|found|find|said|say|report|"
    r"rav|highlight|lov|comment|express|felt|feel|criticiz|criticis|recommend|commend|compliment|like[ds]?\b|cit|"
    r"experienc|had\b|have had|shar|stat|writ|wrote|point|call|consider|warn|disappoint|remark|rate)"
)
_REVIEW = lazy_pattern(
    rf"\b{_REVIEWERS}\b(?:\W+\w+){{0,4}}?\W+{_REPORT}|"
    rf"\b(?:reviews?|reviewers?|feedback|testimonials?|comments?)\b(?:\W+\w+){{0,4}}?\W+{_REPORT}|"
    r"\b(?:according to|in) (?:\w+ ){0,3}(?:reviews?|reviewers?|customers|feedback)\b|"
    r"\b(?:prais|appreciat|describ|not|mention|lov|enjoy|prefer|complain)\w* (?:\w+ ){0,2}by (?:\w+ ){0,2}"
    rf"{_REVIEWERS}|\b(?:some|others?|another|many|one|several|they)\b (?:have |has |also |even |had ){{0,2}}"
    rf"{_REPORT}(?:ed|d|s)?\b|"
    r"\b(?:one|another|a|each|third|second|first) (?:\w+ )?(?:review|reviewer)\b",
    re.IGNORECASE,
)
_BASED_ON_REVIEWS = lazy_pattern(r"based on (?:\w+ ){0,3}(?:reviews?|feedback|comments)\b", re.IGNORECASE)


def reported_from(text: str, sentence: Span) -> int:
    """Where a sentence begins to tell what reviewers say; its end if it does not."""
    match = _BASED_ON_REVIEWS.match(text, *sentence) or _REVIEW.search(text, *sentence)
    return match.start() if match else sentence[1]
