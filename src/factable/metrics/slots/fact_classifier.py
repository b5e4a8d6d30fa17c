"""The fact classifier: how far the facts a text expresses are from those of its data.

Dušek and Jurčíček: Sequence-to-Sequence Generation for Spoken Dialogue via Deep Syntax Trees and Strings. ACL
2016 (the reranker of TGen).
"""

import hashlib
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal

import orjson

from factable.core.metric import Field, make_scores
from factable.core.params import require
from factable.errors import DataError, Fault, printable
from factable.io.files import read_whole
from factable.metrics.slots.patterns import squeeze
from factable.models.runtime.manifest import read_shipped
from factable.text.templates import clean_value
from factable.text.values import Relation, find_value
from factable.types import Example, Finding, Kind, Record, Scores

SHIPPED = ("e2e",)
FORMAT = "factable fact classifier 1"
# The value of a slot that a text does not fill.
NONE = ""
LONGEST = 3
# Weights are stored as whole numbers of this size.
STEP = 0.01
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
        return next((value for value in values if squeeze(value) == wanted), NONE)

    def probabilities(self, text: str, records: Sequence[Record]) -> dict[str, dict[str, float]]:
        """For each slot, how probable each value is, `NONE` included; a name is there or not."""
        names = [record for record in records if record.attribute in self.names]
        sums = list(self.bias)
        said = dict.fromkeys(features(text, names))
        for feature in said:
            for column, weight in self.weights.get(feature, {}).items():
                sums[column] += weight
        found = {
            record.attribute: {NONE: float(not there), record.value: float(there)}
            for record in names
            for there in [placeholder(record.attribute) in said]
        }
        index = 0
        for slot, values in self.slots.items():
            found[slot] = _softmax((NONE, *values), (0.0, *sums[index : index + len(values)]))
            index += len(values)
        return found


def _softmax(names: Sequence[str], sums: Sequence[float]) -> dict[str, float]:
    highest = max(sums)
    shares = [math.exp(one - highest) for one in sums]
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
        for size in range(1, LONGEST + 1)
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


@cache
def _parse(name: str, content: bytes) -> FactClassifier:
    try:
        found = orjson.loads(content)
        if found["format"] != FORMAT:
            raise ValueError(f"format {found['format']!r}")
        return _classifier(found)
    except KeyError as error:
        raise DataError([Fault(name, None, f"no fact classifier: it lacks {error}", REMEDY)]) from None
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise DataError([Fault(name, None, f"no fact classifier ({error})", REMEDY)]) from None


def _classifier(found: dict[str, Any]) -> FactClassifier:
    slots = {str(slot): tuple(map(str, values)) for slot, values in found["slots"].items()}
    columns = sum(map(len, slots.values()))
    bias = [STEP * int(weight) for weight in found["bias"]]
    weights = {
        str(feature): {int(column): STEP * int(weight) for column, weight in row.items()}
        for feature, row in found["weights"].items()
    }
    if len(bias) != columns or any(not 0 <= column < columns for row in weights.values() for column in row):
        raise ValueError(f"weights of other than {columns} facts")
    return FactClassifier(slots, tuple(map(str, found["names"])), bias, weights, float(found["least"]))


def write_classifier(classifier: FactClassifier) -> bytes:
    """The file that `load_classifier` reads; n-grams without a weight are left out."""
    rows = {}
    for feature, row in sorted(classifier.weights.items()):
        whole = {str(column): round(weight / STEP) for column, weight in row.items()}
        kept = {column: weight for column, weight in whole.items() if weight}
        if kept:
            rows[feature] = kept
    told = {
        "format": FORMAT,
        "slots": {slot: list(values) for slot, values in classifier.slots.items()},
        "names": list(classifier.names),
        "least": classifier.least,
        "bias": [round(weight / STEP) for weight in classifier.bias],
        "weights": rows,
    }
    return orjson.dumps(told) + b"\n"


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

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the classifier."""
        return {"classifier": classifier_checksum(self.classifier)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """Facts by which text and data differ; an example without facts is unscored."""
        classifier = load_classifier(self.classifier)
        rows, reasons = [], {}
        for index, example in enumerate(examples):
            if any(record.value.strip() for record in example.table.records):
                rows.append(_row(_judge(example, classifier)))
            else:
                rows.append((math.nan,) * (len(self.parts) + 1))
                reasons[index] = NO_FACTS
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
    for index, record in enumerate(records):
        if not record.value.strip():
            continue
        shares = found.get(record.attribute, {NONE: 1.0})
        value = classifier.value_of(record)
        said[index] = shares[value] if value else _is_said(record, example.text)
        if said[index] < classifier.least:
            best = max(shares, key=shares.__getitem__)
            if best in (NONE, value):
                missing.append(index)
            else:
                instead[index] = best
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
    for index, share in judgement.said.items():
        if index in judgement.instead:
            note = f"says {printable(judgement.instead[index])}"
            yield Finding("contradicted", record=index, score=share, note=note)
        else:
            kind: Kind = "omitted" if index in judgement.missing else "supported"
            yield Finding(kind, record=index, score=share)
    for slot, value in judgement.added.items():
        yield Finding("unsupported", note=f"says {printable(slot)}: {printable(value)}")
