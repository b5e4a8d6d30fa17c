"""Pairs extracted from texts against those of their tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from factable.extract.load import load_extractor
from factable.extract.protocol import Extracted
from factable.metrics.extraction import Overlap, distinct, pair_up, places_with_value, show
from factable.types import Example, Finding, Record

NO_RECORDS = "no records with a value in its data"


@dataclass(frozen=True, slots=True)
class AgainstTable:
    """What a text says, and what its table has by place; `pairs` lead from the one to the other."""

    said: Sequence[Extracted]
    known: dict[int, Record]
    pairs: dict[int, int]

    @property
    def overlap(self) -> Overlap:
        """How many pairs there are."""
        return Overlap(len(self.pairs), len(self.said), len(self.known))


def against_table(examples: Sequence[Example], extractor: str, matching: str) -> list[AgainstTable]:
    """The pairs of each text and of its table, compared; a repeated record counts once."""
    extracted = load_extractor(extractor).extract([(example.text, example.table) for example in examples])
    found = []
    for example, some in zip(examples, extracted, strict=True):
        first = {example.table.records[place]: place for place in reversed(places_with_value(example.table))}
        places = sorted(first.values())
        known = {place: example.table.records[place] for place in places}
        said = distinct(some)
        pairs = pair_up(list(known.values()), said, matching)
        found.append(AgainstTable(said, known, {one: places[other] for one, other in pairs.items()}))
    return found


def explain_table(found: AgainstTable, *, omissions: bool) -> tuple[Finding, ...]:
    """The pairs that text and table share, those of the text alone, and if asked those of the table alone."""
    if not found.known:
        return ()
    findings = []
    for place, (record, span) in enumerate(found.said):
        if place in found.pairs:
            findings.append(Finding("supported", record=found.pairs[place], span=span, note=show(record)))
        else:
            findings.append(Finding("unsupported", span=span, note=show(record)))
    shared = set(found.pairs.values())
    left = [place for place in found.known if place not in shared] if omissions else []
    return (*findings, *(Finding("omitted", record=place, note=show(found.known[place])) for place in left))
