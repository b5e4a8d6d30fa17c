"""The fact classifier: how far the facts a text expresses are from those of its data.

Dušek and Jurčíček: Sequence-to-Sequence Generation for Spoken Dialogue via Deep Syntax Trees and Strings. ACL
2016 (the reranker of TGen).
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis, Findings
from factable.errors import DataError, Fault, printable
from factable.io.files import read_whole
from factable.metrics.slots.patterns import squeeze
from factable.metrics.tables import NO_FACTS, columns_of
from factable.models.runtime.manifest import read_shipped
from factable.text.templates import clean_value
from factable.text.values import Relation, find_value
from factable.types import Example, Finding, Kind, Record

SHIPPED = ("e2e",)
FORMAT = "factable fact classifier 1"
# The value of a slot that a text does not fill.
UNFILLED = ""
MAX_NGRAM = 3
# Weights are stored as multiples of this.
WEIGHT_UNIT = 0.01
REMEDY = "make the file with: factable train facts TRAIN.jsonl OUT.json"
_TOKEN = re.compile(r"⟨[^⟩]+⟩|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class FactClassifier:
    """Weights of n-grams for each value of each slot; a fact is expressed from the probability `least` on.

    The values of `names` are no list: a name is looked for as it stands.
    """

    slots: Mapping[str, Sequence[str]]
    names: Sequence[str]
    bias: Sequence[float]
    weights: Mapping[str, Mapping[int, float]]
    least: float

    def value_of(self, record: Record) -> str:
        """The value of a record as the classifier knows it; empty if it does not."""
        if record.attribute in self.names:
            return record.value
        values = self.slots.get(record.attribute, ())
        wanted = squeeze(record.value)
        return next((value for value in values if squeeze(value) == wanted), UNFILLED)

    def probabilities(self, text: str, records: Sequence[Record]) -> dict[str, dict[str, float]]:
        """For each slot, how probable each value is, `UNFILLED` included; a name is there or not."""
        names = [record for record in records if record.attribute in self.names]
        sums = list(self.bias)
        present = dict.fromkeys(features(text, names))
        for feature in present:
            for column, weight in self.weights.get(feature, {}).items():
                sums[column] += weight
        probabilities: dict[str, dict[str, float]] = {}
        start = 0
        for slot, values in self.slots.items():
            end = start + len(values)
            probabilities[slot] = _softmax((UNFILLED, *values), (0.0, *sums[start:end]))
            start = end
        # A slot may have several names.
        for slot in {record.attribute: None for record in names}:
            is_there = placeholder(slot) in present
            said = {record.value: float(is_there) for record in names if record.attribute == slot}
            probabilities[slot] = {UNFILLED: float(not is_there), **said}
        return probabilities


def _softmax(names: Sequence[str], sums: Sequence[float]) -> dict[str, float]:
    highest = max(sums)
    shares = [math.exp(number - highest) for number in sums]
    total = math.fsum(shares)
    return {name: share / total for name, share in zip(names, shares, strict=True)}


def features(text: str, names: Sequence[Record]) -> list[str]:
    """The n-grams of a text, each once, in which a name of the data stands as its slot."""
    for record in sorted(names, key=lambda record: -len(record.value)):
        value = clean_value(record.value)
        if value:
            name = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
            text = placeholder(record.attribute).join(name.split(text))
    tokens = [token.lower() for token in _TOKEN.findall(text)]
    spans = [
        " ".join(tokens[start : start + size])
        for size in range(1, MAX_NGRAM + 1)
        for start in range(len(tokens) - size + 1)
    ]
    return list(dict.fromkeys(spans))


def placeholder(slot: str) -> str:
    """What stands in a text for a name of the data."""
    return f"⟨{slot.lower()}⟩"


def load_classifier(name: str) -> FactClassifier:
    """A classifier by the name of a data set that ships, or of a file made by `factable train facts`."""
    return _parse(name, _content(name))


def classifier_checksum(name: str) -> str:
    """A checksum of the classifier of that name."""
    return hashlib.sha256(_content(name)).hexdigest()


def _content(name: str) -> bytes:
    if name in SHIPPED:
        return read_shipped(f"data/fact_classifier/{name}.json")
    return read_whole(name)


@lru_cache(maxsize=8)
def _parse(name: str, content: bytes) -> FactClassifier:
    try:
        stored = orjson.loads(content)
        if stored["format"] != FORMAT:
            raise ValueError(f"format {stored['format']!r}")
        return _classifier(stored)
    except KeyError as error:
        raise DataError([Fault(name, None, f"no fact classifier: it lacks {error}", REMEDY)]) from None
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise DataError([Fault(name, None, f"no fact classifier ({error})", REMEDY)]) from None


def _classifier(stored: dict[str, Any]) -> FactClassifier:
    slots = {str(slot): tuple(map(str, values)) for slot, values in stored["slots"].items()}
    columns = sum(map(len, slots.values()))
    bias = [WEIGHT_UNIT * int(weight) for weight in stored["bias"]]
    weights = {
        str(feature): {int(column): WEIGHT_UNIT * int(weight) for column, weight in row.items()}
        for feature, row in stored["weights"].items()
    }
    if len(bias) != columns or any(not 0 <= column < columns for row in weights.values() for column in row):
        raise ValueError(f"weights of other than {columns} facts")
    return FactClassifier(slots, tuple(map(str, stored["names"])), bias, weights, float(stored["least"]))


def write_classifier(classifier: FactClassifier) -> bytes:
    """The file that `load_classifier` reads; n-grams without a weight are left out."""
    rows = {}
    for feature, row in sorted(classifier.weights.items()):
        rounded = {str(column): round(weight / WEIGHT_UNIT) for column, weight in row.items()}
        kept = {column: weight for column, weight in rounded.items() if weight}
        if kept:
            rows[feature] = kept
    content = {
        "format": FORMAT,
        "slots": {slot: list(values) for slot, values in classifier.slots.items()},
        "names": list(classifier.names),
        "least": classifier.least,
        "bias": [round(weight / WEIGHT_UNIT) for weight in classifier.bias],
        "weights": rows,
    }
    return orjson.dumps(content) + b"\n"


@dataclass(frozen=True, slots=True)
class Classification:
    """What a classifier says of one text: of each record, and of slots that the data does not fill.

    `probabilities` has that of each record by its index; `instead` the value that is said in its place.
    """

    probabilities: Mapping[int, float]
    omitted: Sequence[int]
    instead: Mapping[int, str]
    extra: Mapping[str, str]

    @property
    def missing(self) -> int:
        """How many facts are left out."""
        return len(self.omitted)

    @property
    def wrong(self) -> int:
        """How many facts have another value."""
        return len(self.instead)

    @property
    def added(self) -> int:
        """How many slots are filled that the data does not fill."""
        return len(self.extra)

    @property
    def value(self) -> int:
        """The number of facts by which text and data differ."""
        return self.missing + self.wrong + self.added

    @property
    def omission(self) -> bool:
        """Whether a fact is not said."""
        return bool(self.omitted or self.instead)

    @property
    def hallucination(self) -> bool:
        """Whether the text says what the data does not."""
        return bool(self.extra or self.instead)


@metric
class FactClassifierDistance(Metric):
    """How many facts a trained classifier finds missing, wrong or added (the reranker of TGen)."""

    name = "fact_classifier"
    higher_is_better = False
    bounds = (0.0, math.inf)
    parts = ("missing", "wrong", "added", "omission", "hallucination")

    classifier: str = param(
        "e2e", '"e2e", which is embedded, or a file made by `factable train facts`', file=True
    )

    def check(self) -> None:
        """Refuse an empty name."""
        if not self.classifier:
            raise self.bad("classifier", "a name or a file name")

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the classifier."""
        return {"classifier": classifier_checksum(self.classifier)}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """Facts by which text and data differ: each record, and the slots that the text adds."""
        classifier = load_classifier(self.classifier)
        results = [classify(example, classifier) for example in examples]
        scored = [result if result.probabilities else None for result in results]
        values, parts, reasons = columns_of(scored, self.parts, NO_FACTS)
        return Analysis(values, parts, reasons, find=lambda: list(map(_findings, results)))


def classify(example: Example, classifier: FactClassifier) -> Classification:
    """What the classifier says of a text; a fact that it does not know is looked for as a value."""
    facts = {index: record for index, record in enumerate(example.table.records) if record.value.strip()}
    by_slot = classifier.probabilities(example.text, example.table.records)
    probabilities, omitted, instead = {}, [], {}
    for index, record in facts.items():
        of_values = by_slot.get(record.attribute, {UNFILLED: 1.0})
        value = classifier.value_of(record)
        probabilities[index] = of_values[value] if value else _is_said(record, example.text)
        if probabilities[index] < classifier.least:
            best = _best(of_values)
            if best in (UNFILLED, value):
                omitted.append(index)
            else:
                instead[index] = best
    filled = {record.attribute for record in facts.values()}
    extra = {slot: _best(of_values) for slot, of_values in by_slot.items() if slot not in filled}
    return Classification(
        probabilities, omitted, instead, {slot: value for slot, value in extra.items() if value != UNFILLED}
    )


def _best(probabilities: Mapping[str, float]) -> str:
    return max(probabilities, key=probabilities.__getitem__)


def _is_said(record: Record, text: str) -> float:
    hits = find_value(record.value, text, record.attribute)
    return float(any(hit.relation is not Relation.DIFFERENT for hit in hits))


def _findings(result: Classification) -> Findings:
    findings = []
    for index, probability in result.probabilities.items():
        kind: Kind = "omitted" if index in result.omitted else "supported"
        note = ""
        if index in result.instead:
            kind, note = "contradicted", f"says {printable(result.instead[index])}"
        findings.append(Finding(kind, record=index, score=probability, note=note))
    for slot, value in result.extra.items():
        findings.append(Finding("unsupported", note=f"says {printable(slot)}: {printable(value)}"))
    return tuple(findings)
