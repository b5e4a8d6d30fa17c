"""What CIDEr and CIDEr-D share: which references are one document, frequencies, and scores."""

import math
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

from factable.errors import UsageError
from factable.kernels import count_documents, restore_documents, score_cider
from factable.kernels.cider import MOST_ORDERS, Frequencies, Options, Stored, part_names
from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import Reading, words_of
from factable.metric import Metric, make_scores
from factable.metrics.parameters import require, require_choice, require_flags, require_whole
from factable.models.idf import Idf, idf_checksum, load_idf, save_idf
from factable.text.stem import porter
from factable.types import Example, Scores

# References that count as one document, by its name; a dict, because it keeps their order.
Documents = dict[Hashable, dict[str, None]]
NO_REFERENCES = "no references"
ONE_ITEM = "references of a single item, in which no word is rare; score more items or name a prepared idf"


class IdfMetric(Metric, Protocol):
    """A metric whose n-grams are weighted by how few items have them in their references."""

    @property
    def orders(self) -> int: ...  # noqa: D102
    @property
    def tokens(self) -> str: ...  # noqa: D102
    @property
    def stem(self) -> bool: ...  # noqa: D102
    @property
    def idf(self) -> str: ...  # noqa: D102


def check_parameters(metric: IdfMetric) -> None:
    """Check what both metrics have."""
    require_whole(metric, "orders", 1, MOST_ORDERS)
    require_choice(metric, "tokens", TOKENIZERS)
    require_flags(metric, "stem")
    require(metric, "idf", isinstance(metric.idf, str), "a file name")


def idf_ingredients(metric: IdfMetric) -> Mapping[str, str]:
    """The checksum of the prepared file."""
    return {"idf": idf_checksum(metric.idf)} if metric.idf else {}


def documents_of(examples: Iterable[Example]) -> Documents:
    """The different references of each item that has any, whichever and how many systems it has texts of."""
    documents: Documents = {}
    for example in examples:
        if any(map(str.strip, example.references)):
            documents.setdefault(example.item, {}).update(dict.fromkeys(example.references))
    return documents


def add_documents(documents: Documents, more: Documents) -> Documents:
    """Those of two consecutive pieces of a corpus."""
    for name, references in more.items():
        documents.setdefault(name, {}).update(references)
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


def count_rarity(metric: IdfMetric, documents: Documents) -> Rarity:
    """In how many of the documents each n-gram stands."""
    frequencies = count_documents(documents.values(), _reading(metric), metric.orders)
    return Rarity(frequencies, metric.tokens, metric.stem)


def write_idf(documents: Iterable[Iterable[str]], metric: IdfMetric, out: str) -> int:
    """Write the file that `idf` names; how many documents were counted."""
    frequencies = count_documents(documents, _reading(metric), metric.orders)
    if frequencies.documents < 2:
        raise UsageError(f"{metric.name}: an idf needs the references of two items or more")
    save_idf(Idf(frequencies.store(), metric.orders, metric.tokens, metric.stem), out)
    return frequencies.documents


def score_examples(
    metric: IdfMetric, examples: Sequence[Example], options: Options, rarity: Rarity | None
) -> Scores:
    """Scores with the rarity given, or else with the prepared idf."""
    frequencies = rarity.frequencies if rarity else _prepared(metric)
    if rarity and frequencies.documents < 2 and not options.strict:
        return _unscored(metric, examples)
    columns, codes = score_cider(examples, frequencies, options)
    values = columns.pop("value")
    reasons = {index: NO_REFERENCES for index, code in enumerate(codes) if code} if any(codes) else {}
    return make_scores(metric, examples, values, columns, reasons)


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
