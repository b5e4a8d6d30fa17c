"""How many rows: there are three, three of the five, all, none, the only one, both."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factable.metrics.ledger.derived.asking import NOT
from factable.metrics.ledger.derived.clauses import MAX_UNKNOWN, Clause, Derived, Outcome, decide
from factable.metrics.ledger.derived.columns import Column
from factable.metrics.ledger.derived.conditions import Condition, find_conditions, readings
from factable.metrics.ledger.derived.links import Link, Token
from factable.metrics.ledger.derived.operations import agrees
from factable.text.patterns import lazy_pattern
from factable.text.values import Mention, Number
from factable.types import Span

_ROWS = frozenset(["row", "entry", "record", "item", "instance", "case"])
_ENDS_PHRASE = lazy_pattern(
    "of|in|from|with|that|who|which|to|for|by|on|at|where|whose|and|or|listed|represented|representing|participating|"
    "competing|across|among|between|as|located|having|when|released|held|directed|played|ranked|during|tied|won|lost"
)
_COUNTED = lazy_pattern(
    r"(?:\bthere\s(?:are|were|is|was)|\ba\stotal\sof|\bin\stotal,?|\bonly|\bexactly|\bjust|\blists?|\bincludes?|\bfeatures?|\bcontains?|\bfollowed\sby|\bhas|\bhave|\bhad|\bcomprises?|\bconsists?\sof|"
    r"\bthe|\A)\s*(?:a\stotal\sof\s|only\s|exactly\s|just\s|the\s)*\Z"
)
_MEAN = lazy_pattern(r"\b(?:average|mean|median)\b")
_DIFFERENT_NEXT = lazy_pattern(r"\s(?:different|distinct|unique)\s")
_OF_ALL = lazy_pattern(
    r"\s(?:(?P<between>(?:[a-z]+\s){0,2}?)out\s)?of\s(?:the\s)?(?P<all>\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|all|them|these|those|which|whom)\b"
)
_ALL = lazy_pattern(
    r"(?:\A|\b)(?P<word>all|every|each)\s(?:of\s)?(?:the\s|these\s|its\s)?"
    r"(?:(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s)?(?=\w)"
)
_NONE = lazy_pattern(
    r"(?:\A|,\s|\bthere\s(?:are|were|is|was)\s)(?P<word>no|none\sof\sthe|none)\s(?!two|other|more|one|single)(?=\w)"
)
_ONLY = lazy_pattern(r"\b(?:is|was|are|were|being|as)\s(?P<word>the\s(?:only|sole))\s")
_ONLY_FIRST = lazy_pattern(r"(?:\A|\A[^,]{3,40},\s)(?P<word>only|just)\s")
_THE_TWO = lazy_pattern(r"\b(?:are|were)\s(?P<word>the\s(?:only\s)?two)\s")
_BOTH = lazy_pattern(r"(?:\A|\b)(?P<word>both)\s")
_EXCEPT = lazy_pattern(
    r"\b(?:except|other than|apart from|besides|excluding|but one|not all|nearly|almost all|or)\b"
)
_VERB = lazy_pattern(
    r"\b(?:is|are|was|were|has|have|had|did|do|does|cost|costs|sold|won|left|joined|scored|received|reported|"
    r"started|ended|ran|run|that|who|which|with)\b"
)
_SMALL = {
    word: number
    for number, word in enumerate(["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"], 2)
}
_SMALL["twelve"] = 12
_PHRASE = 5
# At most "the" may stand between "both" and the first name.
_NEXT = 5
_OTHERS = lazy_pattern(r"\b(?:except|other than|apart from|besides|excluding)\b")
_TOP_WORD = lazy_pattern(r"\btop\b")
_DIFFERENT = lazy_pattern(r"\b(?:different|distinct|unique)\b")


class Noun(NamedTuple):
    """What is counted: rows, or the different values of a column."""

    span: Span
    column: Column | None
    is_sure: bool


def check_counts(clause: Clause) -> Iterator[Derived]:
    """Every count and quantifier of a clause."""
    if clause.rows.is_map:
        return
    yield from _numbers(clause)
    yield from _quantified(clause)
    yield from _only(clause)
    yield from _both(clause)


def find_noun(clause: Clause, start: int) -> Noun | None:
    """The noun of the phrase that begins at a place."""
    phrase: list[Token] = []
    for token in [token for token in clause.tokens if token.start >= start][:_PHRASE]:
        gap = clause.text[phrase[-1].end : token.start].strip() if phrase else ""
        if (
            gap not in ("", "-")
            or _ENDS_PHRASE.fullmatch(token.text.lower())
            or _VERB.fullmatch(token.text.lower())
        ):
            break
        phrase.append(token)
    if not phrase:
        return None
    nouns = clause.rows.nouns | clause.rows.common_words | _ROWS
    for head in reversed(phrase):
        columns = [
            column for column in clause.rows.columns if head.stem in column.words and not column.is_ordered
        ]
        if head.stem in nouns or columns:
            is_sure = head is phrase[-1]
            return Noun((head.start, head.end), columns[0] if columns and is_sure else None, is_sure)
    return Noun((phrase[-1].start, phrase[-1].end), None, is_sure=False)


def _numbers(clause: Clause) -> Iterator[Derived]:
    wholes = [clause.place(match, "all") for match in clause.search(_OF_ALL)]
    for mention in clause.numbers:
        number = mention.value
        assert isinstance(number, Number)
        if (mention.start, mention.end) in wholes:
            continue
        if number.unit or number.value.denominator != 1 or number.high is not None or number.value < 0:
            continue
        if number.value > 4 * len(clause.rows.rows) + 20:
            continue
        found = _number(clause, mention, number)
        if found:
            yield found


def _number(clause: Clause, mention: Mention, number: Number) -> Derived | None:
    before = clause.words[: mention.start - clause.span[0]]
    of_all = _OF_ALL.match(clause.words, mention.end - clause.span[0])
    counted = _COUNTED.search(before) or _DIFFERENT_NEXT.match(clause.words, mention.end - clause.span[0])
    if (not counted and not of_all) or NOT.search(clause.words) or _OTHERS.search(clause.words):
        return None
    is_noun_after = of_all is not None and not of_all["between"]
    noun = find_noun(clause, clause.span[0] + of_all.end() if of_all and is_noun_after else mention.end)
    if noun is None and not (of_all and of_all["all"] in ("them", "these", "those", "which", "whom")):
        return None
    place = mention.start, mention.end
    listed = _listed(clause, mention.end)
    skip = [place, *([clause.place(of_all)] if of_all else []), *listed, *_other_counts(clause, mention)]
    conditions = find_conditions(clause, skip, noun=noun.span if noun and noun.column is None else None)
    if not of_all and _MEAN.search(clause.words):
        # "The mean price across the three rooms is under 60": the bound is that of the mean.
        conditions = []
    end = noun.span[1] if noun else mention.end
    if (of_all and not conditions) or any(_is_one_row(clause, condition[0]) for condition in conditions):
        return None
    if _DIFFERENT.search(clause.words) and not (noun and noun.is_sure):
        return None
    if of_all and of_all["all"].isalnum() and not _whole_fits(clause, of_all["all"]):
        return None
    if clause.has_unknown_names or not (conditions or (noun and noun.is_sure)):
        return None
    has_whole = of_all is not None and of_all["all"] not in ("them", "these", "those", "which", "whom")
    part = _part_around(clause, mention) if has_whole else clause.span
    unknown = {token.stem for token in clause.unknown if part[0] <= token.start < part[1]}
    if len(unknown) > MAX_UNKNOWN:
        return None
    outcomes = _count_outcomes(clause, number, noun, conditions)
    span = mention.start, end
    is_open = bool(not conditions and clause.unknown) or _names_other_columns(clause, noun, conditions)
    columns = [id(condition[0].column) for condition in conditions if condition[0].column is not None]
    # "Two alerts, a critical one and …": what stands behind a comma tells of one of them.
    place_of_comma = clause.text.find(",", end, clause.span[1])
    is_open = is_open or (
        place_of_comma >= 0 and any(condition[0].span[0] > place_of_comma for condition in conditions)
    )
    # "Two works by A and one by B": which values go together is not clear.
    is_open = is_open or (len(set(columns)) > 1 and len(columns) > len(set(columns)))
    return decide(outcomes, span, "count", can_contradict=not is_open, number=place)


def _part_around(clause: Clause, mention: Mention) -> Span:
    """The part of a clause between the commas around a number."""
    start = clause.text.rfind(",", clause.span[0], mention.start)
    end = clause.text.find(",", mention.end, clause.span[1])
    return (start if start >= 0 else clause.span[0]), (end if end >= 0 else clause.span[1])


def _is_one_row(clause: Clause, condition: Condition) -> bool:
    """Whether a condition is the name of a row: "five players of Rovers" are no rows."""
    if len(condition.rows) != 1 or condition.column is None:
        return len(condition.rows) == 1
    (row,) = condition.rows
    cell = condition.column.cells.get(row)
    return cell is not None and cell.text.startswith(clause.name(row))


def _other_counts(clause: Clause, mention: Mention) -> list[Span]:
    """The parts of a clause that belong to other counts: "four private and two public colleges"."""
    wholes = [clause.place(match, "all") for match in clause.search(_OF_ALL)]
    others = [
        m
        for m in clause.numbers
        if isinstance(m.value, Number)
        and not (m.value.unit or m.value.bound)
        and (m.start, m.end) not in wholes
    ]
    later = [m.start for m in others if m.start > mention.end]
    earlier = [m.start for m in others if m.end < mention.start]
    parts = [(later[0], clause.span[1])] if later else []
    return [*parts, (earlier[0], mention.start)] if earlier else parts


def _names_other_columns(
    clause: Clause, noun: Noun | None, conditions: Sequence[Sequence[Condition]]
) -> bool:
    """Whether a column is named that no condition uses: "with a known budget"."""
    used = {id(condition.column) for readings_of_one in conditions for condition in readings_of_one}
    spans = [condition.span for readings_of_one in conditions for condition in readings_of_one]
    spans += [noun.span] if noun else []
    tokens = [token for token in clause.tokens if not any(a <= token.start < b for a, b in spans)]
    return any(
        id(column) not in used
        and column is not (noun.column if noun else None)
        and not column.words & clause.rows.nouns
        and any(token.stem in column.words for token in tokens)
        for column in clause.rows.columns
    ) or bool(_TOP_WORD.search(clause.words) and not any("up to" in c.text for r in conditions for c in r))


def _whole_fits(clause: Clause, word: str) -> bool:
    if word in ("all", "them", "these", "those", "which", "whom"):
        return True
    count = int(word) if word.isdecimal() else _SMALL.get(word, 0)
    return count == len(clause.rows.members)


def _listed(clause: Clause, start: int) -> list[Span]:
    """Rows that are listed after a count, in brackets or after a colon, "namely" or "including"."""
    opening = re.search(
        r"\(|:|,?\s(?:namely|including|such as)\b|\s[—–]|—", clause.words[start - clause.span[0] :]
    )
    if not opening:
        return []
    return [(start + opening.start(), clause.span[1])]


def _count_outcomes(
    clause: Clause, number: Number, noun: Noun | None, conditions: Sequence[Sequence[Condition]]
) -> list[Outcome]:
    everything = clause.rows.numbers
    outcomes = []
    for rows, text in readings(conditions, everything):
        for count, told in _ways_to_count(clause, rows, text, noun):
            truth = agrees(number, count)  # type: ignore[arg-type]
            if truth is None:
                truth = False
            outcomes.append(Outcome(truth, told, _leaves(clause, rows, conditions), str(count)))
    return outcomes


def _ways_to_count(
    clause: Clause, rows: frozenset[int], text: str, noun: Noun | None
) -> Iterator[tuple[int, str]]:
    total = len(clause.rows.members)
    told = f"{len(rows)} of {total} rows have {text}" if text else f"{total} rows"
    column = noun.column if noun else None
    if column is not None:
        cells = [column.cells[row] for row in rows if row in column.cells]
        distinct = len({cell.text for cell in cells})
        if not _DIFFERENT.search(clause.words) or distinct == len(rows):
            yield len(rows), told
        if distinct != len(rows):
            yield distinct, f"{distinct} different {column.label}" + (f" in rows with {text}" if text else "")
        if len(cells) not in (len(rows), distinct):
            yield len(cells), f"{len(cells)} rows have a {column.label}"
        return
    yield len(rows), told
    names = {clause.name(row) for row in rows}
    if len(names) != len(rows):
        yield len(names), f"{len(names)} different names" + (f" in rows with {text}" if text else "")


def _leaves(
    clause: Clause, rows: frozenset[int], conditions: Sequence[Sequence[Condition]]
) -> tuple[int, ...]:
    columns = [condition[0].column for condition in conditions if condition[0].column is not None]
    columns = columns or list(clause.rows.columns[:1])
    return tuple(
        dict.fromkeys(
            column.cells[row].leaf
            for column in columns
            if column
            for row in sorted(rows)
            if row in column.cells
        )
    )


def _subject_and_predicate(
    conditions: Sequence[list[Condition]], verb: int
) -> tuple[list[list[Condition]], list[list[Condition]]]:
    subject = [condition for condition in conditions if condition[0].span[0] < verb]
    return subject, [condition for condition in conditions if condition[0].span[0] >= verb]


def _quantified(clause: Clause) -> Iterator[Derived]:
    """All, every, each, no, none."""
    for pattern, is_all in ((_ALL, True), (_NONE, False)):
        for match in clause.search(pattern):
            found = _quantifier(clause, match, is_all)
            if found:
                yield found


def _quantifier(clause: Clause, match: "re.Match[str]", is_all: bool) -> Derived | None:
    rest = clause.words[match.end() :]
    if _EXCEPT.search(clause.words) or NOT.search(rest) or match.start() > 25:
        return None
    noun = find_noun(clause, clause.span[0] + match.end())
    if noun is None or not noun.is_sure or not clause.is_clear():
        return None
    verb = _VERB.search(clause.words, noun.span[1] - clause.span[0])
    start = clause.span[0] + verb.start() if verb else noun.span[1]
    conditions = find_conditions(clause, noun=noun.span)
    subject, predicate = _subject_and_predicate(conditions, start)
    if not predicate or any(condition[0].span[1] < noun.span[0] - 40 for condition in conditions):
        return None
    if any(
        link.row is not None and link.span == condition[0].span
        for link in clause.links
        for condition in predicate
    ):
        # A single row is named: "no result for vitamin D" is not about all rows.
        return None
    outcomes = []
    for chosen, _ in readings(subject, clause.rows.numbers):
        for rows, text in readings(predicate, clause.rows.numbers):
            hits = chosen & rows
            told = f"{len(hits)} of {len(chosen)} rows have {text}"
            other = next(iter(sorted(hits if not is_all else chosen - hits)), None)
            right = clause.name(other) if other is not None else ""
            truth = (hits == chosen) if is_all else not hits
            outcomes.append(Outcome(truth, told, _leaves(clause, chosen, predicate), right))
    span = clause.place(match, "word")
    return decide(outcomes, span, "all" if is_all else "none", can_contradict=clause.is_clear())


def _only(clause: Clause) -> Iterator[Derived]:
    """X is the only one that fulfils a condition; only X and Y do."""
    if _EXCEPT.search(clause.words) or NOT.search(clause.words):
        return
    for pattern in (_ONLY, _ONLY_FIRST, _THE_TWO):
        for match in clause.search(pattern):
            found = _only_one(clause, match, is_first=pattern is _ONLY_FIRST)
            if found:
                yield found
                return


def _only_one(clause: Clause, match: "re.Match[str]", *, is_first: bool) -> Derived | None:
    span = clause.place(match, "word")
    subjects = _listed_first(clause, span[1]) if is_first else _named_before(clause, span[0])
    noun = None if is_first else find_noun(clause, span[1])
    if not subjects or (noun is None and not is_first) or not clause.is_clear():
        return None
    start = subjects[-1].span[1] if is_first else span[1]
    place = noun.span if noun else None
    conditions = [
        condition
        for condition in find_conditions(clause, [link.span for link in subjects], noun=place)
        if condition[0].span[0] >= start
        and "," not in clause.text[noun.span[1] if noun else start : condition[0].span[0]]
    ]
    if not conditions or any(_is_one_row(clause, condition[0]) for condition in conditions):
        return None
    subject = {link.row for link in subjects}
    outcomes = []
    for rows, text in readings(conditions, clause.rows.numbers):
        names = ", ".join(clause.name(row) for row in sorted(rows)[:4])
        told = f"{len(rows)} of {len(clause.rows.members)} rows have {text}"
        told = f"{told}: {names}" if names else told
        outcomes.append(Outcome(rows == subject, told, _leaves(clause, rows, conditions), names))
    return decide(outcomes, span, "only", can_contradict=clause.is_clear())


def _listed_first(clause: Clause, start: int) -> list[Link]:
    """The rows that follow "only": X, or X and Y; none if other words stand before the first."""
    named: list[Link] = []
    for link in (link for link in clause.entities if link.span[0] >= start):
        gap = clause.words[
            (named[-1].span[1] if named else start) - clause.span[0] : link.span[0] - clause.span[0]
        ]
        if not re.fullmatch(r"\s?(?:the\s)?" if not named else r",?\s(?:and\s)?(?:the\s)?", gap):
            break
        named.append(link)
    return named


def _named_before(clause: Clause, end: int) -> list[Link]:
    """The rows named before a place, which must be one, or two joined by "and"."""
    named = [link for link in clause.entities if link.span[1] <= end]
    if len({link.row for link in named}) == 2 and "and" in _between(clause, named).split():
        return named
    return named if len({link.row for link in named}) == 1 else []


def _both(clause: Clause) -> Iterator[Derived]:
    """Both A and B fulfil a condition."""
    for match in clause.search(_BOTH):
        span = clause.place(match, "word")
        named = [link for link in clause.entities if link.span[0] >= span[1]][:2]
        if (
            len(named) < 2
            or named[0].span[0] - span[1] > _NEXT
            or NOT.search(clause.words)
            or _between(clause, named) not in ("and", ", and")
        ):
            continue
        conditions = [
            condition
            for condition in find_conditions(clause, [link.span for link in named])
            if condition[0].span[0] >= named[1].span[1]
        ]
        if not conditions:
            continue
        outcomes = []
        for rows, text in readings(conditions, clause.rows.numbers):
            column = conditions[0][0].column
            told = [
                f"{clause.name(link.row)}: {column.cells[link.row].text}"
                for link in named
                if column is not None and link.row is not None and link.row in column.cells
            ]
            truth = all(link.row in rows for link in named)
            leaves = _leaves(
                clause, frozenset(link.row for link in named if link.row is not None), conditions
            )
            outcomes.append(
                Outcome(truth, f"{text}: {', '.join(told)}" if not truth else f"both have {text}", leaves)
            )
        found = decide(outcomes, span, "both", can_contradict=clause.is_clear())
        if found:
            yield found


def _between(clause: Clause, named: Sequence[object]) -> str:
    first, second = named[0], named[1]
    return clause.text[first.span[1] : second.span[0]].strip().lower()  # type: ignore[attr-defined]
