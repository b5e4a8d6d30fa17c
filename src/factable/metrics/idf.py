"""What CIDEr and CIDEr-D share: which references are one document, frequencies, and scores."""

import math
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

from factable.errors import UsageError
from factable.kernels import count_documents, restore_documents, score_cider
from factable.kernels.cider import MOST_ORDERS, Frequencies, Options, Stored, part_names
from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import Reading, words_of
from factable.metric import Field, ShardBy, make_scores
from factable.metrics.parameters import require, require_choice, require_flags, require_whole
from factable.models.idf import Idf, idf_checksum, load_idf, save_idf
from factable.models.spread import Spread
from factable.text.stem import porter
from factable.types import Example, Finding, Scores

# References that count as one document, by its name; a dict, because it keeps their order.
Documents = dict[Hashable, dict[str, None]]
NO_REFERENCES = "no references"
ONE_ITEM = "references of a single item, in which no word is rare; score more items or name a prepared idf"
M = TypeVar("M", bound="IdfMetric")


class IdfMetric:
    """What CIDEr and CIDEr-D do alike: n-grams weigh by how few items have them in their references."""

    __slots__ = ()
    name: ClassVar[str]
    version: ClassVar[int]
    bounds: ClassVar[tuple[float, float]]
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"references"})

    orders: int
    stem: bool
    tokens: str
    idf: str

    def check_parameters(self) -> None:
        """Check what both metrics have."""
        require_whole(self, "orders", 1, MOST_ORDERS)
        require_choice(self, "tokens", TOKENIZERS)
        require_flags(self, "stem")
        require(self, "idf", isinstance(self.idf, str), "a file name")

    @property
    def parts(self) -> tuple[str, ...]:
        """One part for each order."""
        return part_names(self.orders)

    @property
    def shard_by(self) -> ShardBy:
        """Rarity in the references scored needs all examples; a prepared one does not."""
        return "example" if self.idf else "corpus"

    def ingredients(self) -> Mapping[str, str]:
        """The checksum of the prepared idf."""
        return {"idf": idf_checksum(self.idf)} if self.idf else {}

    def prepare(self: M, examples: Sequence[Example], out: str) -> M:
        """The same metric with the rarity of these examples' references, which is written to a file."""
        write_idf(self.survey(examples).values(), self, out)
        return replace(self, idf=out)  # type: ignore[type-var]

    def survey(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        return documents_of(examples)

    def add(self, survey: Documents, more: Documents) -> Documents:
        """All documents, each with its references of both."""
        for name, references in more.items():
            survey.setdefault(name, {}).update(references)
        return survey

    def learn(self, survey: Documents, _spread: Spread = map) -> "Rarity":
        """In how many documents each n-gram stands."""
        frequencies = count_documents(survey.values(), _reading(self), self.orders)
        return Rarity(frequencies, self.tokens, self.stem)

    def score(self, examples: Sequence[Example], known: "Rarity | None" = None) -> Scores:
        """The mean over orders, with each as a part; examples without references are unscored."""
        if known is None and not self.idf:
            known = self.learn(self.survey(examples))
        frequencies = known.frequencies if known else _prepared(self)
        if known and frequencies.documents < 2 and not self.options.strict:
            return _unscored(self, examples)
        columns, codes = score_cider(examples, frequencies, self.options)
        values = columns.pop("value")
        reasons = {index: NO_REFERENCES for index, code in enumerate(codes) if code} if any(codes) else {}
        return make_scores(self, examples, values, columns, reasons)

    @property
    def options(self) -> Options:
        """How the kernel counts and weighs."""
        return Options()

    def explain(self, examples: Sequence[Example], _known: Any = None) -> tuple[tuple[Finding, ...], ...]:
        """Nothing: a cosine has no single culprits."""
        return tuple(() for _ in examples)


def documents_of(examples: Iterable[Example]) -> Documents:
    """The different references of each item that has any, whichever and how many systems it has texts of."""
    documents: Documents = {}
    for example in examples:
        if any(map(str.strip, example.references)):
            documents.setdefault(example.item, {}).update(dict.fromkeys(example.references))
    return documents


class Rarity:
    """Frequencies that were counted in the examples scored; they travel as plain arrays."""

    def __init__(self, frequencies: Frequencies, tokens: str, stem: bool) -> None:
        self.frequencies, self._tokens, self._stem = frequencies, tokens, stem

    def __reduce__(self) -> tuple[Callable[..., "Rarity"], tuple[object, ...]]:
        """Plain arrays and what it takes to read them."""
        return _rarity_of, (self.frequencies.store(), self.frequencies.orders, self._tokens, self._stem)


def _rarity_of(stored: Stored, orders: int, tokens: str, stem: bool) -> Rarity:
    return Rarity(restore_documents(stored, _make_reading(tokens, stem), orders), tokens, stem)


def write_idf(documents: Iterable[Iterable[str]], metric: IdfMetric, out: str) -> int:
    """Write the file that `idf` names; how many documents were counted."""
    frequencies = count_documents(documents, _reading(metric), metric.orders)
    if frequencies.documents < 2:
        raise UsageError(f"{metric.name}: an idf needs the references of two items or more")
    save_idf(Idf(frequencies.store(), metric.orders, metric.tokens, metric.stem), out)
    return frequencies.documents


def _unscored(metric: IdfMetric, examples: Sequence[Example]) -> Scores:
    reading = _reading(metric)
    reasons = {
        index: ONE_ITEM if any(words_of(text, reading) for text in example.references) else NO_REFERENCES
        for index, example in enumerate(examples)
    }
    missing = array("d", [math.nan]) * len(examples)
    parts = {name: array("d", missing) for name in part_names(metric.orders)}
    return make_scores(metric, examples, missing, parts, reasons)


def _prepared(metric: IdfMetric) -> Frequencies:
    idf = load_idf(metric.idf)
    for parameter, made in (("tokens", idf.tokens), ("stem", idf.stem), ("orders", idf.orders)):
        asked = getattr(metric, parameter)
        if asked != made and not (parameter == "orders" and asked < made):
            raise UsageError(
                f"{metric.name}: {parameter} is {asked!r}, but {metric.idf} was made with {made!r}; "
                f"ask for {parameter}={made!r} or make another file"
            )
    return _restored(metric.idf, idf_checksum(metric.idf), metric.orders)


@lru_cache(maxsize=2)
def _restored(path: str, _checksum: str, orders: int) -> Frequencies:
    idf = load_idf(path)
    return restore_documents(idf.stored, _make_reading(idf.tokens, idf.stem), orders)


def _reading(metric: IdfMetric) -> Reading:
    return _make_reading(metric.tokens, metric.stem)


def _make_reading(tokens: str, stem: bool) -> Reading:
    return Reading(tokens, tokens == "words", porter() if stem else None)
