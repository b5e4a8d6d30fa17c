"""Yes and no: keys such as `outdoor_seating: false`, and whether a text says yes or no to them.

A key is spoken of where the text has its words, or words that mean the same; the clause that they stand in
says yes, no, or that it is not known. Nothing here needs a model.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factable.metrics.ledger.rules.keys import (
    OTHER_MEANINGS,
    Phrase,
    YesNoKey,
    forms_of,
    pieces_of,
    value_of,
    words_in,
    yes_no_keys,
)
from factable.metrics.ledger.verdict import ClaimState
from factable.structure import Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.polarity import Clause, Polarity, clauses, polarity_at, reported_from
from factable.text.stems import singular
from factable.types import Span


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


_BEING = words_in("is are was were be as feel feels seems being been remains considered both either it's")
_DONE = words_in("has have had hasn't haven't already yet just")
_BETWEEN = words_in("and or , very quite a an the rather both more most somewhat also slightly not")
_HAVING = words_in(
    "a an the no any with without has have offer offers include includes contain contains and or , accept"
)
_AFTER_THINGS = words_in(", and or is are but with in on at for of to plus as which that from while not")
# "A is stuck; the other two are not blocked" speaks of others than A.
_OTHERS = lazy_pattern(r"\b(?:the|all|both|no)\s(?:others?|rest|remaining)\b")
_JOINED = lazy_pattern(r"\b(?:and|or|with|than|to|others?|rest|remaining|by|between)\b", re.IGNORECASE)
_REQUIRED = lazy_pattern(
    r"\b(?:requir|necessar|need|recommend|must|should|advis|suggest|essential|encourag)", re.I
)
_EXTRA = lazy_pattern(r"\b(?:extra|charged|surcharge|additional|separately|not part)\b", re.IGNORECASE)
_QUOTED = lazy_pattern(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”")
_ANSWER = lazy_pattern(
    r"[*_ \t]*(?::|–|—|-|=)[*_ \t]*(?:(?P<yes>yes|true|free|available|allowed|included|✅|✓|✔)|"
    r"(?P<unknown>not (?:specified|mentioned|known|listed|stated|provided|disclosed)|unknown|n/?a|null|"
    r"unspecified|unclear)|(?P<no>no|none|false|not \w+|unavailable|❌|✗|✘))(?![\w-])",
    re.IGNORECASE,
)
_MAX_GAP = 3


def yes_no_statements(structure: Structure, text: str, sentence_spans: Sequence[Span]) -> list[YesNo]:
    """Where the text says yes or no to keys of the data, in order."""
    keys = yes_no_keys(structure)
    if not keys:
        return []
    return _Reader(structure, text, keys).statements(sentence_spans)


class _Match(NamedTuple):
    core: Span
    is_opposite: bool


class _Reader:
    """Reads one text for the keys of one structure."""

    def __init__(self, structure: Structure, text: str, keys: Sequence[YesNoKey]) -> None:
        self.structure = structure
        self.text = text
        self.by_anchor: dict[str, list[YesNoKey]] = defaultdict(list)
        for key in keys:
            for anchor in key.anchors:
                self.by_anchor[anchor].append(key)
        names = {frame.name for frame in structure.frames} | {structure.title}
        self.masked = [*_occurrences(text, names), *(match.span() for match in _QUOTED.finditer(text))]
        self.by_name: dict[str, list[int]] = defaultdict(list)
        for frame in structure.frames:
            if frame.name:
                self.by_name[frame.name.lower()].append(frame.index)
        self.name_lengths = {len(name) for name in self.by_name}
        self.only_object = _only_object(structure)
        # What the sentence before was about.
        self.subject: int | None = None
        self.supporting: dict[str, list[_Scanned]] = {}

    def statements(self, sentence_spans: Sequence[Span]) -> list[YesNo]:
        by_core: dict[Span, list[YesNo]] = defaultdict(list)
        for sentence in sentence_spans:
            for statement in self._sentence(sentence):
                by_core[statement.core].append(statement)
            self.subject = self._subject_of(sentence)
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

    def _candidates(self, scanned: "_Scanned") -> list[YesNoKey]:
        keys = {id(key): key for piece in scanned.pieces for key in self.by_anchor.get(piece.stem, ())}
        return list(keys.values())

    def _statement(self, key: YesNoKey, match: _Match, clause: Clause, sentence: Span) -> YesNo | None:
        says = _says(self.text, clause, match, key)
        leaves = self._leaves(key, sentence, clause, match.core)
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

    def _leaves(self, key: YesNoKey, sentence: Span, clause: Clause, core: Span) -> tuple[Leaf, ...]:
        """The leaves that the words of a key are about; of several objects, those of the one named before."""
        frames = {leaf.frame for leaf in key.leaves}
        first = self.structure.frames[key.leaves[0].frame]
        if len(frames) == 1 and (first.parent is None or first.index == self.only_object):
            return key.leaves
        in_clause = self._named(frames, self.text[clause.start : core[0]].lower())
        if len(in_clause) == 1 and not _JOINED.search(self.text, clause.start, core[0]):
            # "A is overdue, while B is not."
            return tuple(leaf for leaf in key.leaves if leaf.frame in in_clause)
        said = self.text[slice(*sentence)].lower()
        before = said[: core[0] - sentence[0]]
        named = self._named(frames, said)
        if len(frames) == 1 and _names(first.label, before):
            return key.leaves
        if not named:
            # "Lake Path is easy. Dogs are allowed."
            return tuple(leaf for leaf in key.leaves if leaf.frame == self.subject)
        if len(named) == 1 and _OTHERS.search(before):
            return ()
        if len(named) == 1 and _names(self.structure.frames[named[0]].name, before):
            return tuple(leaf for leaf in key.leaves if leaf.frame in named)
        return ()

    def _named(self, frames: Iterable[int], said: str) -> list[int]:
        return [index for index in frames if _names(self.structure.frames[index].name, said)]

    def _subject_of(self, sentence: Span) -> int | None:
        """The object that a sentence is about: the only one that it names at its beginning."""
        said = self.text[slice(*sentence)].lower().removeprefix("the ")
        found = [frame for length in self.name_lengths for frame in self.by_name.get(said[:length], ())]
        return found[0] if len(found) == 1 else None

    def _is_told(self, key: YesNoKey, says: Polarity) -> bool:
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
        self.words = frozenset(self.stems) | {singular(word) for word in clause.head}

    def matches(self, key: YesNoKey) -> Iterator[_Match]:
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

    def _match_at(self, index: int, key: YesNoKey) -> tuple[int, int, bool] | None:
        for phrase in sorted(key.parts[-1], key=lambda each: -len(each.stems)):
            last = self._phrase_end(index, phrase.stems)
            if last is None:
                continue
            others = self._others(index, last, key)
            if others is None:
                return None
            places = [place for place, _ in others]
            is_bare = key.is_adjective and len(phrase.stems) == 1
            if self._means_other(index, last) or (is_bare and not self._is_said_of(index, last, key)):
                return None
            is_opposite = phrase.is_opposite != self._is_negated_word(index, last, phrase)
            is_opposite ^= sum(other.is_opposite for _, other in others) % 2 == 1
            return min((*places, index)), max((*(place + 1 for place in places), last)), is_opposite
        return None

    def _means_other(self, index: int, last: int) -> bool:
        pairs = (tuple(self.stems[index - 1 : index + 1]), tuple(self.stems[last - 1 : last + 1]))
        return not OTHER_MEANINGS.isdisjoint(pairs)

    def _is_negated_word(self, index: int, last: int, phrase: Phrase) -> bool:
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
        if self.stems[index] not in forms_of(stems[0]):
            return None
        place = index + 1
        for each in stems[1:]:
            if self.stems[place : place + 1] in (["and"], ["or"]):
                place += 2
            if self.stems[place : place + 1] != [each]:
                return None
            place += 1
        return place

    def _others(self, index: int, last: int, key: YesNoKey) -> list[tuple[int, Phrase]] | None:
        """Where the other parts of a key stand near its head, and in which words; None if one is missing."""
        places = []
        for part in key.parts[:-1]:
            near = range(max(0, index - _MAX_GAP - 1), min(len(self.pieces), last + _MAX_GAP))
            place = next(
                (
                    (at, phrase)
                    for at in near
                    for phrase in part
                    if self._phrase_end(at, phrase.stems) is not None
                ),
                None,
            )
            if place is None:
                return None
            places.append(place)
        return places

    def _is_said_of(self, index: int, last: int, key: YesNoKey) -> bool:
        """Whether an adjective is said of its field, or of the subject."""
        if key.field & self.words or key.weak_field.intersection(self.stems[last : last + 2]):
            return True
        if key.is_noun and self._is_had(index, last):
            return True
        if key.field and not key.weak_field:
            return False
        for back in range(index - 1, max(-1, index - 2 * _MAX_GAP - 2), -1):
            if self.stems[back] in _BEING:
                return True
            if self.stems[index].endswith("ed") and self.stems[back] in _DONE:
                return True
            if self.stems[back] not in _BETWEEN and not self._is_in_list(back):
                return False
        # "Not rechargeable" is said of the whole.
        return self.stems[:index] == ["not"]

    def _is_had(self, index: int, last: int) -> bool:
        """Whether a word stands where a thing does that one has: "with a balcony and …", "nut-free"."""
        before = self.stems[index - 1] if index else ""
        after, next_after = [*self.stems[last : last + 2], ",", ","][:2]
        # "Without breaking changes": the thing may have a name of its own.
        is_thing = after in _AFTER_THINGS or (
            self.stems[index].endswith("ing") and next_after in _AFTER_THINGS
        )
        return after == "free" or (before in _HAVING and is_thing)

    def _is_in_list(self, index: int) -> bool:
        """Whether a word is a member of a list: a comma or "and" follows."""
        following = self.stems[index + 1] if index + 1 < len(self.stems) else ""
        return self.stems[index].endswith("ly") or following in (",", "and", "or")


def _only_object(structure: Structure) -> int | None:
    """The frame that holds all of the data: {"hotel": {…}}."""
    inner = [frame for frame in structure.frames if frame.parent == 0]
    is_only = len(inner) == 1 and "[" not in inner[0].path and not structure.frames[0].leaves
    return inner[0].index if is_only else None


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


def _says(text: str, clause: Clause, match: _Match, key: YesNoKey) -> Polarity | None:
    """What a clause says of a key; None if it is about something else, such as whether it is required."""
    answer = _ANSWER.match(text, match.core[1])
    if answer:
        says: Polarity = "yes" if answer["yes"] else "unknown" if answer["unknown"] else "no"
    else:
        if not key.is_of_need and _is_about_need(text, clause, match.core):
            return None
        says = polarity_at(clause, match.core)
    if "included" in key.label.split() and _EXTRA.search(text, match.core[1], clause.end):
        return "no"
    if match.is_opposite and says != "unknown":
        return "no" if says == "yes" else "yes"
    return says


def _is_about_need(text: str, clause: Clause, core: Span) -> bool:
    """Whether the words next to a key tell that it is required, or advised."""
    before = re.split(r"[,;]|\band\b", text[clause.start : core[0]])[-1]
    after = re.split(r"[,;]|\band\b", text[core[1] : clause.end])[0]
    return bool(_REQUIRED.search(before) or _REQUIRED.search(after))


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


_PAID = lazy_pattern(r"\bpaid\W+(?:\w+\W+)?\Z", re.IGNORECASE)
_FREE = lazy_pattern(r"\b(?:free|complimentary)\W+(?:\w+\W+)?\Z", re.IGNORECASE)


def _is_wrong_price(value: str, text: str, core: Span) -> bool:
    """Whether the text says free of what is paid, or paid of what is free."""
    before = text[max(0, core[0] - 25) : core[0]]
    wrong = {"free": _PAID, "paid": _FREE}.get(value.lower())
    return bool(wrong and wrong.search(before))


_VERBS = words_in(
    """offers offer offering provides provide providing has have having accepts accept takes take serves
    serve features feature featuring includes include including allows allow accepts accepting taking
    lacks lack boasts is are with no without order make use park enjoy caters cater supports support
    comes permits welcomes"""
)
_HELPING = words_in(
    "does do not doesn't don't did also can cannot can't will there is currently isn't aren't"
)
_BEFORE = words_in(
    "a an the any no free some its their both ample on-site onsite limited paid complimentary private to for"
)
_AFTER = words_in(
    """available availability option options service services facilities facility area areas space spaces
    access atmosphere ambience ambiance vibe setting environment dining experience"""
)
_PREDICATE = words_in(
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
