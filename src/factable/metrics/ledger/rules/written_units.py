"""Units as the data writes them beside a value, "g/dL", against those that a text writes."""

from collections.abc import Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.text.patterns import lazy_pattern
from factable.text.values import Number
from factable.types import Span

_WRITTEN = lazy_pattern(r"[\d.,]+\s?(?P<unit>[^\W\d_]+/(?:\d+\s?)?[^\W\d_]+[²³]?)")


def written_units(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every value of the data that the text gives in another compound unit than the data."""
    units = {
        leaf.path.rpartition(".")[0]: leaf.value.strip()
        for leaf in matcher.structure.leaves
        if leaf.keys[-1].lower() in ("unit", "units") and "/" in leaf.value
    }
    found = []
    for mention, leaves in matcher.found if units else ():
        said = _WRITTEN.match(matcher.parsed.text, mention.start)
        inside = any(start <= mention.start < end for start, end in sentence_spans)
        if said is None or not inside or not isinstance(mention.value, Number) or len(leaves) != 1:
            continue
        leaf = matcher.structure.leaves[next(iter(leaves))]
        unit = units.get(leaf.path.rpartition(".")[0], "")
        if unit and _folded(unit) != _folded(said["unit"]):
            note = f"{leaf.label}: {leaf.value} {unit}"
            found.append(Checked((mention.start, said.end()), "contradicted", (leaf.index,), note))
    return found


def _folded(unit: str) -> str:
    """A unit without case and spaces, and with one letter for micro."""
    plain = unit.casefold().replace(" ", "").replace("µ", "μ")
    return plain.replace("mcg", "μg").replace("ug", "μg")
