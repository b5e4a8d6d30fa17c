"""The fact classifier: how far the facts a text expresses are from those of its data.

Dušek and Jurčíček: Sequence-to-Sequence Generation for Spoken Dialogue via Deep Syntax Trees and Strings. ACL
2016 (the reranker of TGen).
"""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.errors import printable
from factable.metric import Field, make_scores
from factable.metrics.parameters import require
from factable.models.fact_classifier import NONE, FactClassifier, classifier_checksum, load_classifier
from factable.text.values import Relation, find_value
from factable.types import Example, Finding, Kind, Record, Scores

NO_FACTS = "no records with a value in its data"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a classifier says of one text: of each record, and of slots that the data does not fill.

    `said` has the probability of each record by its place; `instead` the value that is said for another.
    """

    said: Mapping[int, float]
    missing: Sequence[int]
    instead: Mapping[int, str]
    added: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactClassifierDistance:
    """How many facts a trained classifier finds missing, wrong or added (the reranker of TGen).

    classifier  "e2e", which is embedded, or a file made by `factable train facts`
    """

    name: ClassVar[str] = "fact_classifier"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    parts: ClassVar[tuple[str, ...]] = ("missing", "wrong", "added", "omission", "hallucination")
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    classifier: str = "e2e"

    def __post_init__(self) -> None:
        """Check the parameter."""
        named = isinstance(self.classifier, str) and self.classifier != ""
        require(self, "classifier", named, "a name or a file name")

    def ingredients(self) -> Mapping[str, str]:
        """The checksum of the classifier."""
        return {"classifier": classifier_checksum(self.classifier)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """Facts by which text and data differ; an example without facts is unscored."""
        classifier = load_classifier(self.classifier)
        rows, reasons = [], {}
        for place, example in enumerate(examples):
            if any(record.value.strip() for record in example.table.records):
                rows.append(_row(_judge(example, classifier)))
            else:
                rows.append((math.nan,) * (len(self.parts) + 1))
                reasons[place] = NO_FACTS
        columns = [array("d", [row[column] for row in rows]) for column in range(len(self.parts) + 1)]
        parts = dict(zip(self.parts, columns[1:], strict=True))
        return make_scores(self, examples, columns[0], parts, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Each record as supported, omitted or contradicted, and the slots that the text adds."""
        classifier = load_classifier(self.classifier)
        return tuple(tuple(_explain(_judge(example, classifier))) for example in examples)


def _judge(example: Example, classifier: FactClassifier) -> Judgement:
    """What the classifier says of a text; a fact that it does not know is looked for as a value."""
    records = example.table.records
    found = classifier.probabilities(example.text, records)
    said, missing, instead = {}, [], {}
    for place, record in enumerate(records):
        if not record.value.strip():
            continue
        shares = found.get(record.attribute, {NONE: 1.0})
        value = classifier.value_of(record)
        said[place] = shares[value] if value else _is_said(record, example.text)
        if said[place] < classifier.least:
            best = max(shares, key=shares.__getitem__)
            if best in (NONE, value):
                missing.append(place)
            else:
                instead[place] = best
    filled = {record.attribute for record in records if record.value.strip()}
    added = {}
    for slot, shares in found.items():
        best = max(shares, key=shares.__getitem__)
        if slot not in filled and best != NONE:
            added[slot] = best
    return Judgement(said, missing, instead, added)


def _is_said(record: Record, text: str) -> float:
    hits = find_value(record.value, text, record.attribute)
    return float(any(hit.relation is not Relation.DIFFERENT for hit in hits))


def _row(judgement: Judgement) -> tuple[float, ...]:
    """The distance and its parts."""
    missing, wrong, added = len(judgement.missing), len(judgement.instead), len(judgement.added)
    omission, hallucination = bool(missing or wrong), bool(added or wrong)
    return tuple(map(float, (missing + wrong + added, missing, wrong, added, omission, hallucination)))


def _explain(judgement: Judgement) -> Iterator[Finding]:
    for place, share in judgement.said.items():
        if place in judgement.instead:
            note = f"says {printable(judgement.instead[place])}"
            yield Finding("contradicted", record=place, score=share, note=note)
        else:
            kind: Kind = "omitted" if place in judgement.missing else "supported"
            yield Finding(kind, record=place, score=share)
    for slot, value in judgement.added.items():
        yield Finding("unsupported", note=f"says {printable(slot)}: {printable(value)}")
