"""Yes and no: keys such as `outdoor_seating: false`, and whether a text says yes or no to them.

A key is spoken of where the text has its words, or words that mean the same; the clause that they stand in
says yes, no, or that it is not known. Nothing here needs a model.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from factable.metrics.ledger.verdict import ClaimState
from factable.structure import NO, YES, Leaf, Structure
from factable.text.clauses import Clause, Polarity, clauses, polarity_at, reported_from
from factable.text.templates import split_identifier
from factable.types import Span


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class YesNo(NamedTuple):
    """A place where the text says yes or no to a key.

    `core` is where the words of the key stand, `span` also has the words that say yes or no.
    """

    leaf: int
    span: Span
    core: Span
    says: Polarity
    state: ClaimState
    note: str


# Words of keys that a text need not repeat.
_NOISE = _words(
    """restaurant restaurants business businesses has have is are was allow allows allowed accept accepts
    accepted good for available availability offer offers offered support supports supported include
    includes included can enabled enable flag provides provided permitted the a an of to and with by
    option options service services feature friendly suitable eligible status does it"""
)
# Keys that hold yes/no keys together; a text need not name them with each.
_HOLDERS = _words(
    """amenity amenities feature features facility facilities option options service services policy policies
    attribute attributes detail details info property properties extra extras perk perks highlight
    highlights spec specs flag flags setting settings capability capabilities inclusion inclusions
    equipment rule rules house general other accessibility benefits benefit"""
)
_YES_VALUES = YES | _words("free paid available included allowed permitted complimentary enabled")
_NO_VALUES = NO | {
    *("none", "unavailable", "not available", "not included", "excluded", "not allowed", "disabled", "off"),
    *("not permitted", "not supported", "not offered", "not provided"),
}

# Phrases that mean the same in everyday English; those after the bar mean the opposite.
_SAME = """
wifi, wi fi, wireless internet, internet access
take out, takeout, takeaway, take away, carry out, carryout, to go order, order to go
delivery, deliver, delivers
reservation, reserve a table, book a table, booking, reserve, table booking, book in advance
outdoor seating, outside seating, patio seating, outdoor dining, al fresco, alfresco, patio, \
terrace seating, seating outdoors, seating outside, dine outdoors, outdoor table, outdoor area
parking, can park, car park
valet, valet parking, valet service
pet, dog, pet friendly, dog friendly, furry friend
pool, swimming pool
wheelchair accessible, wheelchair access, wheelchair, step free, barrier free, accessible entrance
kid, kid friendly, family friendly, child friendly, for child, for children, for family, children
group, large party
music, live music, live band, live entertainment, musical entertainment
dj, disc jockey
alcohol, alcoholic drink, alcoholic beverage, liquor, full bar | alcohol free
gym, fitness center, fitness centre, fitness room, workout room
elevator, lift
air conditioning, air conditioned, ac, air con, air conditioner
tv, television
laundry, washing machine, washer
furnished, comes furnished, fully furnished | unfurnished
smoking, smoker | smoke free, non smoking, nonsmoking
refundable, refund, money back | non refundable, nonrefundable, not refundable
in stock, available to order | out of stock, sold out, unavailable
waterproof
warranty
recurring, recurrent | one time, one off, nonrecurring
active | inactive, deactivated
verified | unverified
winner, won, victorious | lost, loser, was defeated, were defeated
catering, caterer
credit card, card payment
drive thru, drive through
breakfast
gluten free
subscription
free trial
required, needed, necessary, mandatory, compulsory | optional
ambience, ambiance, atmosphere, vibe, mood
street, on street, roadside, curbside
garage, car park
lot, parking lot
validated, validation, validate
hipster, hip
touristy, touristic
divey, dive bar, dive
"""
# Words that mean something else together.
_OTHER_MEANING = {
    *(("hot", "dog"), ("corn", "dog"), ("pool", "table"), ("street", "food"), ("street", "art")),
    *(
        ("breakfast", food)
        for food in ("burrito", "sandwich", "item", "dish", "bowl", "plate", "taco", "menu")
    ),
}
# Things that a record has or has not; of others ("nice ambience") the mere word says nothing.
_THINGS = _words("parking wifi music pet delivery seating insurance warranty shipping laundry breakfast pool")
# What everything of its kind has; only what it is like can be told.
_ABSTRACT = _words("ambience ambiance atmosphere quality style condition rating")
# "price: free" is no yes to a price.
_PRICES = _words("price cost fee charge admission entry ticket rate deposit")
# What an adjective of a field may describe, beside the words of the field itself.
_FIELD_NOUNS: Mapping[str, frozenset[str]] = {
    "ambience": _words(
        """setting environment decor feel dining experience spot place restaurant eatery space establishment
        venue interior bar cafe joint"""
    ),
    "music": _words("entertainment performance band venue"),
}
_FIELD_WORDS: Mapping[str, frozenset[str]] = {"parking": _words("park parked")}
_BEING = _words("is are was were be as feel feels seems being remains considered both either it's")
_BETWEEN = _words("and or , very quite a an the rather both more most somewhat also slightly not")
_REQUIRED = re.compile(
    r"\b(?:requir|necessar|need|recommend|must|should|advis|suggest|essential|encourag)", re.I
)
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”")
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|,|[^\W\d_]+")
_ANSWER = re.compile(
    r"[*_ \t]*(?::|–|—|-|=)[*_ \t]*(?:(?P<yes>yes|true|free|available|allowed|included|✅|✓|✔)|"
    r"(?P<unknown>not (?:specified|mentioned|known|listed|stated|provided|disclosed)|unknown|n/?a|null|"
    r"unspecified|unclear)|(?P<no>no|none|false|not \w+|unavailable|❌|✗|✘))(?![\w-])",
    re.IGNORECASE,
)
_MAX_GAP = 3


class Piece(NamedTuple):
    """A part of a word, stemmed: `OutdoorSeating` has two."""

    stem: str
    start: int
    end: int


def yes_no_statements(structure: Structure, text: str, sentence_spans: Sequence[Span]) -> list[YesNo]:
    """Where the text says yes or no to keys of the data, in order."""
    keys = _keys(structure)
    if not keys:
        return []
    return _Reader(structure, text, keys).statements(sentence_spans)


@dataclass(frozen=True, eq=False)
class _Phrase:
    """One way to say a key: stems in a row; `is_opposite` if it says no."""

    stems: tuple[str, ...]
    is_opposite: bool = False


@dataclass(frozen=True, eq=False)
class _Key:
    """What yes/no leaves of one column are called: parts that must all be said, the head last.

    `field` has words of the object that the key is in, one of which must be near, `weak_field` words that may
    follow instead; `is_adjective` tells that the key is said of something, `is_whole` that it is an object and
    its leaves are kinds of it.
    """

    leaves: tuple[Leaf, ...]
    parts: tuple[tuple[_Phrase, ...], ...]
    field: frozenset[str] = frozenset()
    weak_field: frozenset[str] = frozenset()
    is_adjective: bool = False
    is_whole: bool = False
    label: str = ""

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The words that the head of the key can begin with, negating prefixes included."""
        return frozenset(form for phrase in self.parts[-1] for form in _forms(phrase.stems[0]))

    @property
    def is_of_need(self) -> bool:
        """Whether the key itself tells what is required."""
        return any(phrase.stems == ("required",) for part in self.parts for phrase in part)


_ADJECTIVE_ENDINGS = ("able", "ible", "ive", "ed", "al", "ous", "ful", "proof")


def _forms(word: str) -> tuple[str, ...]:
    """A word, and if it is an adjective, its opposites: `unverified`, `inactive`."""
    return (word, f"un{word}", f"in{word}", f"non{word}") if word.endswith(_ADJECTIVE_ENDINGS) else (word,)


class _Match(NamedTuple):
    core: Span
    is_opposite: bool


def stem(word: str) -> str:
    """A word without its plural ending, in lower case."""
    lower = word.lower()
    if len(lower) > 4 and lower.endswith("ies"):
        return lower[:-3] + "y"
    if len(lower) > 3 and lower.endswith("s") and not lower.endswith(("ss", "us", "is")):
        return lower[:-1]
    return lower


def pieces_of(text: str, span: Span) -> list[Piece]:
    """The parts of words in a span, and commas."""
    return [Piece(stem(match[0]), match.start(), match.end()) for match in _PIECE.finditer(text, *span)]


def _parse_groups() -> dict[tuple[str, ...], tuple[_Phrase, ...]]:
    groups: dict[tuple[str, ...], tuple[_Phrase, ...]] = {}
    for line in _SAME.replace("\\\n", "").strip().splitlines():
        same, _, opposite = line.partition("|")
        phrases = tuple(
            _Phrase(tuple(stem(word) for word in phrase.split()), is_opposite)
            for part, is_opposite in ((same, False), (opposite, True))
            for phrase in part.split(",")
            if phrase.strip()
        )
        for phrase in phrases:
            if not phrase.is_opposite:
                groups.setdefault(phrase.stems, phrases)
    return groups


_GROUPS = _parse_groups()
_LONGEST = max(map(len, _GROUPS))


def _parts_of(stems: Sequence[str]) -> tuple[tuple[_Phrase, ...], ...]:
    """The words of a key as parts, each with all that means the same."""
    parts: list[tuple[_Phrase, ...]] = []
    index = 0
    while index < len(stems):
        for length in range(min(_LONGEST, len(stems) - index), 0, -1):
            group = _GROUPS.get(tuple(stems[index : index + length]))
            if group is not None:
                parts.append(group)
                index += length
                break
        else:
            parts.append((_Phrase((stems[index],)),))
            index += 1
    return tuple(parts)


def _stems_of(key: str) -> list[str]:
    stems = [piece.stem for piece in pieces_of(split_identifier(key), (0, len(key) * 2)) if piece.stem != ","]
    useful = [each for each in stems if each not in _NOISE]
    return useful or stems


def value_of(leaf: Leaf) -> Polarity | None:
    """Whether the value of a leaf is yes, no or not known; None for a value of another kind."""
    value = leaf.value.strip().lower().replace("_", " ")
    if leaf.kind == "unknown":
        return "unknown"
    if value in _YES_VALUES:
        return "yes"
    return "no" if value in _NO_VALUES else None


def _keys(structure: Structure) -> list[_Key]:
    """The yes/no keys of the data, those of one column together."""
    columns: dict[str, list[Leaf]] = defaultdict(list)
    objects: dict[tuple[int, tuple[str, ...]], list[Leaf]] = defaultdict(list)
    for leaf in structure.leaves:
        if leaf.kind in ("flag", "unknown", "value"):
            objects[leaf.frame, leaf.keys[:-1]].append(leaf)
    for members in objects.values():
        answers = [value_of(leaf) for leaf in members]
        has_flags = any(answer in ("yes", "no") for answer in answers)
        for leaf, answer in zip(members, answers, strict=True):
            if answer is not None and (answer != "unknown" or has_flags or _is_yes_no(leaf, structure)):
                columns[leaf.column].append(leaf)
    keys = [key for leaves in columns.values() if (key := _key_of(tuple(leaves))) is not None]
    return [*keys, *_wholes(objects)]


def _is_yes_no(leaf: Leaf, structure: Structure) -> bool:
    """Whether a key without a value is known to be one that is answered with yes or no."""
    stems = tuple(_stems_of(leaf.keys[-1]))
    if not any(stems[-length:] in _GROUPS for length in range(1, _LONGEST + 1)):
        return False
    return all(value_of(other) is not None for other in structure.columns[leaf.column])


def _key_of(leaves: tuple[Leaf, ...]) -> _Key | None:
    leaf = leaves[0]
    stems = _stems_of(leaf.keys[-1])
    if not stems or len(stems[-1]) < 2 or stems[-1] in _ABSTRACT or stems[-1] in _PRICES:
        return None
    parents = [key for key in leaf.keys[:-1] if not _is_holder(key)]
    parts = _parts_of(stems)
    label = leaf.label
    if not parents:
        prefix = split_identifier(leaf.keys[-1]).lower().split()[:1]
        is_adjective = len(stems) == 1 and (prefix == ["is"] or stems[0].endswith(_ADJECTIVE_ENDINGS))
        return _Key(leaves, parts, is_adjective=is_adjective, label=label)
    strong, weak = _field_of(parents[-1])
    return _Key(leaves, parts, field=strong, weak_field=weak, is_adjective=True, label=label)


def _is_holder(key: str) -> bool:
    return all(stem(word) in _HOLDERS or word in _HOLDERS for word in split_identifier(key).lower().split())


def _field_of(parent: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the object that a key is in: its own, and those it may be said of."""
    strong = frozenset(phrase.stems[-1] for part in _parts_of(_stems_of(parent))[-1:] for phrase in part)
    strong = strong.union(*(_FIELD_WORDS.get(word, ()) for word in strong))
    weak = frozenset(noun for word in strong for noun in _FIELD_NOUNS.get(word, ()))
    return strong, weak


def _wholes(objects: Mapping[tuple[int, tuple[str, ...]], list[Leaf]]) -> Iterator[_Key]:
    """Objects of yes/no keys that are a thing themselves: parking with its kinds."""
    for (_, keys), members in objects.items():
        parents = [key for key in keys if not _is_holder(key)]
        answers = [value_of(leaf) for leaf in members]
        if not parents or None in answers or len(members) < 2:
            continue
        parts = _parts_of(_stems_of(parents[-1]))
        if parts and any(phrase.stems[-1] in _THINGS for phrase in parts[-1]):
            label = split_identifier(parents[-1])
            yield _Key(tuple(members), parts, is_whole=True, label=label)


class _Reader:
    """Reads one text for the keys of one structure."""

    def __init__(self, structure: Structure, text: str, keys: Sequence[_Key]) -> None:
        self.structure = structure
        self.text = text
        self.by_anchor: dict[str, list[_Key]] = defaultdict(list)
        for key in keys:
            for anchor in key.anchors:
                self.by_anchor[anchor].append(key)
        names = {frame.name for frame in structure.frames} | {structure.title}
        self.masked = [*_occurrences(text, names), *(match.span() for match in _QUOTED.finditer(text))]
        self.supporting: dict[str, list[_Scanned]] = {}

    def statements(self, sentence_spans: Sequence[Span]) -> list[YesNo]:
        by_core: dict[Span, list[YesNo]] = defaultdict(list)
        for sentence in sentence_spans:
            for statement in self._sentence(sentence):
                by_core[statement.core].append(statement)
        return [each for core in sorted(by_core) for each in self._nearest(by_core[core])]

    def _nearest(self, statements: Sequence[YesNo]) -> list[YesNo]:
        """Of keys with the same words, those of the innermost object; what is right for one is not wrong."""
        depths = [self._depth(each.leaf) for each in statements]
        inner = {each for each, depth in zip(statements, depths, strict=True) if depth == max(depths)}
        right = [each for each in inner if each.state == "supported"]
        return sorted(right or inner, key=lambda each: each.leaf)

    def _depth(self, leaf: int) -> int:
        return sum(1 for _ in self.structure.ancestors(self.structure.frame_of(self.structure.leaves[leaf])))

    def _sentence(self, sentence: Span) -> Iterator[YesNo]:
        # What reviewers are said to say is not said of the data.
        end = reported_from(self.text, sentence)
        found = [
            (key, match, clause)
            for clause in clauses(self.text, sentence)
            if clause.end <= end
            for scanned in [_Scanned(self.text, clause, self.masked)]
            for key in self._candidates(scanned)
            for match in scanned.matches(key)
        ]
        # "No parking, but a garage nearby" speaks of kinds of parking: the general word adds nothing.
        named = {leaf for key, _, _ in found if not key.is_whole for leaf in key.leaves}
        for key, match, clause in found:
            if not key.is_whole or named.isdisjoint(key.leaves):
                statement = self._statement(key, match, clause, sentence)
                if statement is not None:
                    yield statement

    def _candidates(self, scanned: "_Scanned") -> list[_Key]:
        keys = {id(key): key for piece in scanned.pieces for key in self.by_anchor.get(piece.stem, ())}
        return list(keys.values())

    def _statement(self, key: _Key, match: _Match, clause: Clause, sentence: Span) -> YesNo | None:
        says = _says(self.text, clause, match, key)
        leaves = self._leaves(key, sentence, match.core)
        if not leaves or says is None:
            return None
        truth = _truth(leaves, key.is_whole)
        span = _widen(clause, match.core)
        note = f"{key.label}: {'not known' if truth == 'unknown' else truth}"
        state = _state(says, truth)
        if state is None:
            return None
        value = leaves[0].value
        if state == "supported" and _is_wrong_price(value, self.text, match.core):
            return YesNo(leaves[0].index, span, match.core, says, "contradicted", f"{key.label}: {value}")
        if state != "supported" and says != "unknown" and self._is_told(key, says):
            state, note = "supported", f"{key.label}: told in other words of the data"
        return YesNo(leaves[0].index, span, match.core, says, state, note)

    def _leaves(self, key: _Key, sentence: Span, core: Span) -> tuple[Leaf, ...]:
        """The leaves that the words of a key are about; of several objects, those of the one named before."""
        frames = {leaf.frame for leaf in key.leaves}
        first = self.structure.frames[key.leaves[0].frame]
        if len(frames) == 1 and first.parent is None:
            return key.leaves
        said = self.text[slice(*sentence)].lower()
        named = [index for index in frames if _names(self.structure.frames[index].name, said)]
        before = said[: core[0] - sentence[0]]
        if len(named) == 1 and _names(self.structure.frames[named[0]].name, before):
            return tuple(leaf for leaf in key.leaves if leaf.frame in named)
        return key.leaves if len(frames) == 1 and _names(first.label, before) else ()

    def _is_told(self, key: _Key, says: Polarity) -> bool:
        """Whether other values of the data, prose above all, say the same of a key."""
        for leaf in self.structure.leaves:
            if leaf.kind == "prose" or (leaf.kind == "value" and value_of(leaf) is None):
                for scanned in self._scan(leaf.value):
                    for match in scanned.matches(key):
                        if says == _says(scanned.text, scanned.clause, match, key):
                            return True
        return False

    def _scan(self, value: str) -> list["_Scanned"]:
        if value not in self.supporting:
            self.supporting[value] = [
                _Scanned(value, clause, []) for clause in clauses(value, (0, len(value)))
            ]
        return self.supporting[value]


class _Scanned:
    """A clause with its word pieces; finds keys in them."""

    def __init__(self, text: str, clause: Clause, masked: Iterable[Span]) -> None:
        self.text = text
        self.clause = clause
        spans = [span for span in masked if span[0] < clause.end and clause.start < span[1]]
        self.pieces = [
            piece
            for token in clause.tokens
            for piece in pieces_of(text, (token.start, token.end))
            if not any(start <= piece.start < end for start, end in spans)
        ]
        self.stems = [piece.stem for piece in self.pieces]
        self.words = frozenset(self.stems) | {stem(word) for word in clause.head}

    def matches(self, key: _Key) -> Iterator[_Match]:
        """Where the clause has the words of a key."""
        taken = -1
        for index in range(len(self.pieces)):
            if index < taken or self.stems[index] not in key.anchors:
                continue
            match = self._match_at(index, key)
            if match is not None:
                first, last, is_opposite = match
                taken = last
                yield _Match((self.pieces[first].start, self.pieces[last - 1].end), is_opposite)

    def _match_at(self, index: int, key: _Key) -> tuple[int, int, bool] | None:
        for phrase in sorted(key.parts[-1], key=lambda each: -len(each.stems)):
            last = self._phrase_end(index, phrase.stems)
            if last is None:
                continue
            first = self._others(index, last, key)
            if first is None:
                return None
            is_bare = key.is_adjective and len(phrase.stems) == 1
            if self._means_other(index, last) or (is_bare and not self._is_said_of(index, last, key)):
                return None
            return min(first, index), last, phrase.is_opposite or self._is_negated_word(index, last, phrase)
        return None

    def _means_other(self, index: int, last: int) -> bool:
        pairs = (tuple(self.stems[index - 1 : index + 1]), tuple(self.stems[last - 1 : last + 1]))
        return not _OTHER_MEANING.isdisjoint(pairs)

    def _is_negated_word(self, index: int, last: int, phrase: _Phrase) -> bool:
        """Whether the word is `non-X`, `unX` or `X-free`."""
        if self.stems[index] != phrase.stems[0] and phrase.stems[0] in self.stems[index]:
            return True
        if index and self.stems[index - 1] == "non":
            return True
        if last < len(self.pieces) and self.stems[last] == "free" and "free" not in phrase.stems:
            return self.text[self.pieces[last - 1].end : self.pieces[last].start] in ("-", "‑")
        return False

    def _phrase_end(self, index: int, stems: Sequence[str]) -> int | None:
        """Where a phrase that begins at a piece ends; a word may be shared: `outdoor and indoor seating`."""
        if self.stems[index] not in _forms(stems[0]):
            return None
        place = index + 1
        for each in stems[1:]:
            if self.stems[place : place + 1] in (["and"], ["or"]):
                place += 2
            if self.stems[place : place + 1] != [each]:
                return None
            place += 1
        return place

    def _others(self, index: int, last: int, key: _Key) -> int | None:
        """The first piece of a key whose other parts stand near its head; None if one is missing."""
        first = index
        for part in key.parts[:-1]:
            near = range(max(0, index - _MAX_GAP - 1), min(len(self.pieces), last + _MAX_GAP))
            place = next(
                (at for at in near for phrase in part if self._phrase_end(at, phrase.stems) is not None), None
            )
            if place is None:
                return None
            first = min(first, place)
        return first

    def _is_said_of(self, index: int, last: int, key: _Key) -> bool:
        """Whether an adjective is said of its field, or of the subject."""
        if key.field & self.words or key.weak_field.intersection(self.stems[last : last + 2]):
            return True
        if key.field and not key.weak_field:
            return False
        for back in range(index - 1, max(-1, index - 2 * _MAX_GAP - 2), -1):
            if self.stems[back] in _BEING:
                return True
            if self.stems[back] not in _BETWEEN and not self._is_in_list(back):
                return False
        return False

    def _is_in_list(self, index: int) -> bool:
        """Whether a word is a member of a list: a comma or "and" follows."""
        following = self.stems[index + 1] if index + 1 < len(self.stems) else ""
        return self.stems[index].endswith("ly") or following in (",", "and", "or")


def _names(name: str, said: str) -> bool:
    return bool(name) and name.lower() in said


def _occurrences(text: str, names: Iterable[str]) -> list[Span]:
    lower = text.lower()
    spans = []
    for name in names:
        if len(name) < 2:
            continue
        at = lower.find(name.lower())
        while at >= 0:
            spans.append((at, at + len(name)))
            at = lower.find(name.lower(), at + len(name))
    return spans


def _says(text: str, clause: Clause, match: _Match, key: _Key) -> Polarity | None:
    """What a clause says of a key; None if it is about something else, such as whether it is required."""
    answer = _ANSWER.match(text, match.core[1])
    if answer:
        says: Polarity = "yes" if answer["yes"] else "unknown" if answer["unknown"] else "no"
    else:
        if _REQUIRED.search(text, *clause.span) and not key.is_of_need:
            return None
        says = polarity_at(clause, match.core)
    if match.is_opposite and says != "unknown":
        return "no" if says == "yes" else "yes"
    return says


def _truth(leaves: Sequence[Leaf], is_whole: bool) -> Polarity:
    answers = {value_of(leaf) for leaf in leaves} if is_whole else {value_of(leaves[0])}
    if "yes" in answers:
        return "yes"
    return "no" if answers == {"no"} else "unknown"


def _state(says: Polarity, truth: Polarity) -> ClaimState | None:
    if truth == "unknown":
        return "supported" if says == "unknown" else "unsupported"
    if says == "unknown":
        return None
    return "supported" if says == truth else "contradicted"


_PAID = re.compile(r"\bpaid\W+(?:\w+\W+)?\Z", re.IGNORECASE)
_FREE = re.compile(r"\b(?:free|complimentary)\W+(?:\w+\W+)?\Z", re.IGNORECASE)


def _is_wrong_price(value: str, text: str, core: Span) -> bool:
    """Whether the text says free of what is paid, or paid of what is free."""
    before = text[max(0, core[0] - 25) : core[0]]
    wrong = {"free": _PAID, "paid": _FREE}.get(value.lower())
    return bool(wrong and wrong.search(before))


_VERBS = _words(
    """offers offer offering provides provide providing has have having accepts accept takes take serves
    serve features feature featuring includes include including allows allow accepts accepting taking
    lacks lack boasts is are with no without order make use park enjoy caters cater supports support
    comes permits welcomes"""
)
_HELPING = _words("does do not doesn't don't did also can cannot can't will there is currently isn't aren't")
_BEFORE = _words(
    "a an the any no free some its their both ample on-site onsite limited paid complimentary private to for"
)
_AFTER = _words(
    """available availability option options service services facilities facility area areas space spaces
    access atmosphere ambience ambiance vibe setting environment dining experience"""
)
_PREDICATE = _words(
    """is are not isn't aren't was available offered provided accepted allowed permitted included absent
    unavailable possible an option currently also welcome prohibited"""
)


def _widen(clause: Clause, core: Span) -> Span:
    """The words that a reader would mark: the key with its verb before it, or its predicate after it."""
    tokens = clause.tokens
    inside = [index for index, token in enumerate(tokens) if token.start < core[1] and core[0] < token.end]
    if not inside:
        return core
    first, last = inside[0], inside[-1]
    while last + 1 < len(tokens) and tokens[last + 1].word in _AFTER:
        last += 1
    if last + 1 < len(tokens) and tokens[last + 1].word in ("is", "are", "isn't", "aren't", "was"):
        ahead = last + 1
        while ahead < len(tokens) and tokens[ahead].word in _PREDICATE:
            ahead += 1
        if ahead > last + 2 or tokens[last + 1].word in ("isn't", "aren't"):
            return min(core[0], tokens[first].start), tokens[ahead - 1].end
    while first and tokens[first - 1].word in _BEFORE:
        first -= 1
    if first and tokens[first - 1].word in _VERBS:
        first -= 1
        while first and tokens[first - 1].word in _HELPING:
            first -= 1
    return min(core[0], tokens[first].start), max(core[1], tokens[last].end)
