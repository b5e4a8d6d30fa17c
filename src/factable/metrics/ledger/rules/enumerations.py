"""Lists in a sentence beside lists of the data: "heated seats, parking sensors and a camera".

If two members of an enumeration are members of one list of the data, the others should be as well. One that
belongs to another list of the same object is wrong, and so is one of whose words the data has none.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factable.metrics.ledger.matching import Checked, Matcher
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.templates import clean_value
from factable.text.values.words import split_words
from factable.types import Span

MIN_MEMBERS = 2
MAX_LISTED = 200
_MAX_WORDS = 4
_BETWEEN = lazy_pattern(
    r"(?:,\s(?:and|or)\s|,\s|\s(?:and|or|as well as|plus)\s)(?:(?:a|an|the|some|its|also)\s)*"
)
_END = lazy_pattern(
    r"[,.;:!?()\n]|\s(?:and|or|as well as|plus|but|while|with|in|on|at|for|from|that|which|to)\s|\Z"
)
_OPEN = frozenset(
    ["more", "others", "other", "much", "many", "everything", "else", "things", "similar", "various", "etc"]
)


def listed_members(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every member of an enumeration that is not in the list which the others are in."""
    lists = _lists(matcher)
    if not lists:
        return []
    found: list[Checked] = []
    for sentence in sentence_spans:
        for members in _runs(matcher, sentence, lists):
            found += _check(matcher, sentence, members, lists)
    return found


class _Member(NamedTuple):
    span: Span
    columns: frozenset[str]
    leaf: Leaf


def _lists(matcher: Matcher) -> Mapping[str, Sequence[Leaf]]:
    """Lists of names, by the path of the list."""
    lists: dict[str, list[Leaf]] = defaultdict(list)
    for leaf in matcher.structure.leaves:
        if leaf.kind == "value" and leaf.path.endswith("]") and any(map(str.isalpha, leaf.value)):
            lists[leaf.path.rpartition("[")[0]].append(leaf)
    known = {path: leaves for path, leaves in lists.items() if len(leaves) >= MIN_MEMBERS}
    return known if sum(map(len, known.values())) <= MAX_LISTED else {}


def _runs(matcher: Matcher, sentence: Span, lists: Mapping[str, Sequence[Leaf]]) -> Iterator[list[_Member]]:
    """Members of lists that stand in a row, with nothing but commas and "and" between."""
    text = matcher.parsed.text
    lower = text[slice(*sentence)].lower()
    places: dict[Span, list[tuple[str, Leaf]]] = defaultdict(list)
    others = [
        leaf for leaf in matcher.structure.leaves if leaf.kind == "value" and not leaf.path.endswith("]")
    ]
    for path, leaves in (*lists.items(), ("", [leaf for leaf in others if leaf.value.isidentifier()])):
        for leaf in leaves:
            values = {clean_value(leaf.value).lower(), leaf.value.lower()} - {""}
            pattern = "|".join(map(re.escape, sorted(values)))
            for match in re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", lower) if values else ():
                places[sentence[0] + match.start(), sentence[0] + match.end()].append((path, leaf))
    run: list[_Member] = []
    for span in sorted(places):
        member = _Member(span, frozenset(path for path, _ in places[span]), places[span][0][1])
        if run and not _BETWEEN.fullmatch(text, run[-1].span[1], span[0]):
            yield run
            run = []
        run.append(member)
    if run:
        yield run


def _check(
    matcher: Matcher, sentence: Span, members: Sequence[_Member], lists: Mapping[str, Sequence[Leaf]]
) -> Iterator[Checked]:
    counts = {path: sum(path in member.columns for member in members) for path in lists}
    path = max(counts, key=counts.__getitem__)
    is_cued = bool(matcher.words_near(lists[path][0].index, (sentence[0], members[0].span[0])))
    if counts[path] < (1 if is_cued else MIN_MEMBERS):
        return
    for member in members:
        if path not in member.columns and len(members) - counts[path] == 1:
            yield Checked(
                member.span, "contradicted", (member.leaf.index,), f"{member.leaf.label}: {member.leaf.value}"
            )
    if counts[path] < MIN_MEMBERS:
        return
    stranger = _stranger_after(matcher, sentence, members[-1].span[1])
    if stranger is not None:
        yield Checked(stranger, "unsupported", (members[0].leaf.index,), f"not in {members[0].leaf.label}")


def _stranger_after(matcher: Matcher, sentence: Span, place: int) -> Span | None:
    """The next member of an enumeration, if the data has none of its words."""
    text = matcher.parsed.text
    between = _BETWEEN.match(text, place, sentence[1])
    if between is None:
        return None
    end = _END.search(text, between.end(), sentence[1])
    span = between.end(), end.start() if end else sentence[1]
    words = [word.folded for word in split_words(text[slice(*span)])]
    if not 1 <= len(words) <= _MAX_WORDS or _OPEN.intersection(words) or any(map(str.isdecimal, words)):
        return None
    if any(len(word) > 3 and beginning(word) in matcher.data_words for word in words):
        return None
    if all(text[span[0] + word.start].isupper() for word in split_words(text[slice(*span)])):
        return span
    following = text[span[1] : span[1] + 1]
    # "…, and breakfast is included": a new clause, not a member.
    return span if following in ("", ".", ",", ";", "!", ")", "\n") else None
