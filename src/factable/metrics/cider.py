"""CIDEr and CIDEr-D: cosines of n-gram vectors, in which n-grams weigh by how few items have them.

Vedantam, Zitnick and Parikh: CIDEr: Consensus-based Image Description Evaluation. CVPR 2015.
"""

import math
import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import REFERENCES, Metric, metric, param
from factable.core.results import VALUE, Analysis
from factable.errors import UsageError
from factable.io.files import sha256_of
from factable.kernels import count_documents, restore_frequencies, score_cider
from factable.kernels.cider import MAX_ORDERS, CiderOptions, part_names
from factable.kernels.frequencies import Frequencies, Stored
from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import WordOptions, porter, words_of
from factable.metrics.references import NO_REFERENCES
from factable.models.runtime.arrays import FileKind, array_to_text, cached_by_mtime, load_arrays, save_arrays
from factable.models.runtime.progress import ParallelMap
from factable.types import Example

# References that count as one document, by its name; a dict, because it keeps their order.
Documents = dict[Hashable, dict[str, None]]
ONE_ITEM = "references of a single item, in which no word is rare; score more items or name a prepared idf"
# The tokenizer of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "coco": "whitespace-cased"}
SCALE = 10.0
ORDERS_DOC = "the longest n-grams counted"
STEM_DOC = "reduce words to their stems, as in the paper (Porter; English; needs the extra rouge)"
IDF_DOC = "a file made by `factable train idf`; without one, rarity is that in the references scored"
M = TypeVar("M", bound="IdfMetric")


class IdfMetric(Metric):
    """What CIDEr and CIDEr-D share: n-grams weigh by how few items have them in their references."""

    __slots__ = ()

    needs = REFERENCES

    # Parameters of both, declared by each: their order is part of signatures.
    orders: int
    stem: bool
    tokens: str
    idf: str

    @property
    def parts(self) -> tuple[str, ...]:
        """One part for each order."""
        return part_names(self.orders)

    @property
    def corpus(self) -> bool:
        """Rarity in the references scored needs all examples; a prepared one does not."""
        return not self.idf

    @property
    def options(self) -> CiderOptions:
        """How the kernel counts and weighs."""
        return CiderOptions()

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the prepared idf."""
        return {"idf": idf_checksum(self.idf)} if self.idf else {}

    def prepare(self: M, examples: Sequence[Example], out: str) -> M:
        """The same metric with the rarity of these examples' references, which is written to a file."""
        write_idf(self.collect(examples).values(), self, out)
        return replace(self, idf=out)  # type: ignore[type-var]

    def collect(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        return reference_documents(examples)

    def merge(self, collected: Documents, more: Documents) -> Documents:
        """All documents, each with its references of both."""
        for name, references in more.items():
            collected.setdefault(name, {}).update(references)
        return collected

    def fit(self, collected: Documents, parallel_map: ParallelMap = map) -> "CountedIdf":
        """In how many documents each n-gram stands."""
        return CountedIdf(_count(collected.values(), self), self.tokens, self.stem)

    def analyse(self, examples: Sequence[Example], state: Any = None) -> Analysis:
        """The mean over orders, with each as a part; no findings: a cosine has no single culprits."""
        frequencies: Frequencies = _prepared(self) if self.idf else state.frequencies
        if not self.idf and frequencies.total < 2 and not self.options.strict:
            return _unscored(self, examples)
        columns, codes = score_cider(examples, frequencies, self.options)
        reasons = {index: NO_REFERENCES for index, code in enumerate(codes) if code}
        return Analysis(columns.pop(VALUE), columns, reasons)


@metric
class Cider(IdfMetric):
    """Mean cosine of n-gram vectors with rare n-grams weighing more (Vedantam et al. 2015)."""

    name = "cider"

    orders: int = param(4, ORDERS_DOC, range=(1, MAX_ORDERS))
    stem: bool = param(False, STEM_DOC)
    tokens: str = param("words", 'the tokenizer: "words" leaves out punctuation', choices=TOKENIZERS)
    idf: str = param("", IDF_DOC, file=True)


@metric
class CiderD(IdfMetric):
    """CIDEr with clipped counts and a penalty for other lengths, times 10 (Vedantam et al. 2015)."""

    name = "cider_d"
    bounds = (0.0, SCALE)

    orders: int = param(4, ORDERS_DOC, range=(1, MAX_ORDERS))
    sigma: float = param(6.0, "the width of the penalty for lengths that differ, in words", range=(1e-3, 1e6))
    stem: bool = param(False, STEM_DOC)
    tokens: str = param(
        "",
        'the tokenizer: "words" leaves out punctuation; follows from compat if not given',
        choices=TOKENIZERS,
        follows=("compat", TOKENS_OF),
    )
    idf: str = param("", IDF_DOC, file=True)
    compat: str = param(
        "", '"coco" reproduces pycocoevalcap\'s "CIDEr" on text that is already tokenized', choices=TOKENS_OF
    )

    @property
    def options(self) -> CiderOptions:
        """Clipped counts and a Gaussian; `compat` keeps empty references."""
        return CiderOptions(SCALE, clipped=True, sigma=self.sigma, strict=self.compat != "")

    def collect(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        if self.compat == "coco":
            # The program knows no items: the references of two systems on one item are two documents.
            named = {(example.item, example.system): example.references for example in examples}
            return {name: dict.fromkeys(references) for name, references in named.items() if references}
        return reference_documents(examples)


def reference_documents(examples: Iterable[Example]) -> Documents:
    """The different references of each item that has any, whichever and how many systems it has texts of."""
    documents: Documents = {}
    for example in examples:
        if any(map(str.strip, example.references)):
            documents.setdefault(example.item, {}).update(dict.fromkeys(example.references))
    return documents


class CountedIdf:
    """Frequencies that were counted in the examples scored; they travel as plain arrays."""

    def __init__(self, frequencies: Frequencies, tokens: str, stem: bool) -> None:
        self.frequencies, self._tokens, self._stem = frequencies, tokens, stem

    def __reduce__(self) -> tuple[Callable[..., "CountedIdf"], tuple[object, ...]]:
        """Plain arrays and what it takes to read them."""
        return _restore, (self.frequencies.store(), self.frequencies.orders, self._tokens, self._stem)


def _restore(stored: Stored, orders: int, tokens: str, stem: bool) -> CountedIdf:
    return CountedIdf(restore_frequencies(stored, _reading(tokens, stem), orders), tokens, stem)


def _count(documents: Iterable[Iterable[str]], metric: IdfMetric) -> Frequencies:
    return count_documents(documents, _reading(metric.tokens, metric.stem), metric.orders)


def _reading(tokens: str, stem: bool) -> WordOptions:
    return WordOptions(tokens, tokens == "words", porter() if stem else None)


def _unscored(metric: IdfMetric, examples: Sequence[Example]) -> Analysis:
    reading = _reading(metric.tokens, metric.stem)
    reasons = {
        index: ONE_ITEM if any(words_of(text, reading) for text in example.references) else NO_REFERENCES
        for index, example in enumerate(examples)
    }
    missing = array("d", [math.nan]) * len(examples)
    return Analysis(missing, {name: array("d", missing) for name in metric.parts}, reasons)


def _prepared(metric: IdfMetric) -> Frequencies:
    idf = load_idf(metric.idf)
    for parameter, stored in (("tokens", idf.tokens), ("stem", idf.stem), ("orders", idf.orders)):
        value = getattr(metric, parameter)
        if value != stored and not (parameter == "orders" and value < stored):
            raise UsageError(
                f"{metric.name}: {parameter} is {value!r}, but {metric.idf} was made with {stored!r}; "
                f"ask for {parameter}={stored!r} or make another file"
            )
    return _prepared_frequencies(metric.idf, idf_checksum(metric.idf), metric.orders)


@lru_cache(maxsize=2)
def _prepared_frequencies(path: str, _checksum: str, orders: int) -> Frequencies:
    idf = load_idf(path)
    return restore_frequencies(idf.stored, _reading(idf.tokens, idf.stem), orders)


FORMAT = "factable-idf-1"
IDF_FILE = FileKind("an idf file", "make one with: factable train idf TRAIN.jsonl OUT.idf")


@dataclass(frozen=True, slots=True, eq=False)
class Idf:
    """Document frequencies of n-grams, and how texts were read for them."""

    stored: Stored
    orders: int
    tokens: str
    stem: bool


def write_idf(documents: Iterable[Iterable[str]], metric: IdfMetric, out: str) -> int:
    """Write the file that `idf` names; how many documents were counted."""
    frequencies = _count(documents, metric)
    if frequencies.total < 2:
        raise UsageError(f"{metric.name}: an idf needs the references of two items or more")
    save_idf(Idf(frequencies.store(), metric.orders, metric.tokens, metric.stem), out)
    return frequencies.total


def save_idf(idf: Idf, path: str | os.PathLike[str]) -> None:
    """Write an idf file; equal frequencies give equal bytes."""
    save_arrays(
        path,
        FORMAT,
        tokens=idf.tokens,
        # No word holds white space, so line feeds can separate them.
        words="\n".join(idf.stored.words),
        keys=np.frombuffer(idf.stored.keys, dtype=np.uint64),
        counts=np.frombuffer(idf.stored.counts, dtype=np.uint32),
        numbers=np.array([idf.stored.total, idf.orders, idf.stem], dtype=np.int64),
    )


def load_idf(path: str) -> Idf:
    """An idf file made by `factable train idf`."""
    return cached_by_mtime(_load, path, IDF_FILE)


def idf_checksum(path: str) -> str:
    """The sha256 of an idf file."""
    return cached_by_mtime(sha256_of, path, IDF_FILE)


def _load(path: str) -> Idf:
    stored = load_arrays(path, FORMAT)
    words = array_to_text(stored["words"])
    keys = stored["keys"].astype(np.uint64, casting="safe")
    counts = stored["counts"].astype(np.uint32, casting="safe")
    documents, orders, stem = stored["numbers"].astype(np.int64, casting="safe").tolist()
    listed = words.split("\n") if words else []
    _check(listed, keys, counts, documents)
    frequencies = Stored(listed, array("Q", keys.tobytes()), array("I", counts.tobytes()), documents)
    return Idf(frequencies, orders, array_to_text(stored["tokens"]), bool(stem))


def _check(words: list[str], keys: NDArray[np.uint64], counts: NDArray[np.uint32], documents: int) -> None:
    """Refuse arrays that do not fit together: the compiled kernel trusts them."""
    if keys.ndim != 1 or counts.shape != (len(words) + len(keys),):
        raise ValueError("arrays of unequal lengths")
    if len(set(words)) != len(words) or "" in words or len(np.unique(keys)) != len(keys):
        raise ValueError("a repeated or empty n-gram")
    beginnings, last = keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)
    indices = np.arange(len(words), len(counts), dtype=np.uint64)
    if np.any(last >= len(words)) or np.any(beginnings >= indices):
        raise ValueError("an n-gram of unknown words")
    if not 0 < documents < 1 << 31 or np.any(counts < 1) or np.any(counts > documents):
        raise ValueError("counts out of range")
