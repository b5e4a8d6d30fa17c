"""A number that counts the rows of the data: "four trails with a combined length of 40 km"."""

from factable.metrics.ledger.matching import Matcher
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning
from factable.text.values import Mention, Number
from factable.text.values.dates import MONTHS
from factable.text.values.hints import hint_of

# What rows of a series may be counted in, and what may follow a count.
_ROW_UNITS = frozenset(("", "point", "star", "day", "week", "month", "quarter", "year", "season"))
_PERIODS = frozenset(("month", "quarter", "year"))
_MONTHS = frozenset(month[:3].lower() for month in MONTHS)
_AFTER = lazy_pattern(r"(?:\s[^\W\d_]+){0,3}")


def count_of_rows(matcher: Matcher, mention: Mention, number: Number, *, only_named: bool) -> str:
    """Of which list a whole number is the length, in words; empty if of none.

    `only_named` if the words after it must name the list.
    """
    if number.value.denominator != 1 or number.value < 2 or number.unit not in _ROW_UNITS:
        return ""
    after = _AFTER.match(matcher.parsed.text, mention.end)
    counted = {beginning(word.lower()) for word in after[0].split()} if after else set()
    for group, frames in matcher.structure.groups.items():
        if len(frames) == number.value and "[*]" in group:
            name = group.replace("[*]", "") or "the table"
            if not only_named or beginning(name.rpartition(".")[2].lower()) in counted:
                return f"{len(frames)} in {name}"
    return _count_of_periods(matcher, number)


def _count_of_periods(matcher: Matcher, number: Number) -> str:
    """The object whose keys are so many months, quarters or years, if these are counted."""
    objects: dict[str, int] = {}
    for leaf in matcher.structure.leaves if number.unit in _PERIODS else ():
        if hint_of(leaf.keys[-1], {}).period or leaf.keys[-1].lower() in _MONTHS:
            path = leaf.path.rpartition(".")[0]
            objects[path] = objects.get(path, 0) + 1
    return next((f"{count} in {path}" for path, count in objects.items() if count == number.value), "")
