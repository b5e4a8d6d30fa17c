"""What CIDEr and CIDEr-D share: which references are one document, frequencies, and scores."""

import math
import os
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from factable.core.metric import Field, ShardBy, make_scores
from factable.core.params import is_number, require, require_choice, require_flags, require_whole
from factable.errors import UsageError
from factable.io.files import sha256_of
from factable.kernels import count_documents, restore_documents, score_cider
from factable.kernels.cider import MAX_ORDERS, Frequencies, Options, Stored, part_names
from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import WordOptions, words_of
from factable.models.runtime.arrays import cached_by_mtime, load_arrays, save_arrays, unpack
from factable.models.runtime.progress import ParallelMap
from factable.text.stem import porter
from factable.types import Example, Finding, Scores

FORMAT = "factable-idf-1"
WHAT = "an idf file"
REMEDY = "make one with: factable train idf TRAIN.jsonl OUT.idf"


@dataclass(frozen=True, slots=True, eq=False)
class Idf:
    """Document frequencies of n-grams, and how texts were read for them."""

    stored: Stored
    orders: int
    tokens: str
    stem: bool


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
        numbers=np.array([idf.stored.documents, idf.orders, idf.stem], dtype=np.int64),
    )


def load_idf(path: str) -> Idf:
    """An idf file made by `factable train idf`."""
    return cached_by_mtime(_load, path, what=WHAT, remedy=REMEDY)


def idf_checksum(path: str) -> str:
    """The sha256 of an idf file."""
    return cached_by_mtime(sha256_of, path, what=WHAT, remedy=REMEDY)


def _load(path: str) -> Idf:
    stored = load_arrays(path, FORMAT)
    words = unpack(stored["words"])
    keys = stored["keys"].astype(np.uint64, casting="safe")
    counts = stored["counts"].astype(np.uint32, casting="safe")
    documents, orders, stem = stored["numbers"].astype(np.int64, casting="safe").tolist()
    listed = words.split("\n") if words else []
    _check(listed, keys, counts, documents)
    frequencies = Stored(listed, array("Q", keys.tobytes()), array("I", counts.tobytes()), documents)
    return Idf(frequencies, orders, unpack(stored["tokens"]), bool(stem))


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
        require_whole(self, "orders", 1, MAX_ORDERS)
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

    def checksums(self) -> Mapping[str, str]:
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

    def learn(self, survey: Documents, _spread: ParallelMap = map) -> "Rarity":
        """In how many documents each n-gram stands."""
        frequencies = count_documents(survey.values(), _metric_options(self), self.orders)
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
    return Rarity(restore_documents(stored, _word_options(tokens, stem), orders), tokens, stem)


def write_idf(documents: Iterable[Iterable[str]], metric: IdfMetric, out: str) -> int:
    """Write the file that `idf` names; how many documents were counted."""
    frequencies = count_documents(documents, _metric_options(metric), metric.orders)
    if frequencies.documents < 2:
        raise UsageError(f"{metric.name}: an idf needs the references of two items or more")
    save_idf(Idf(frequencies.store(), metric.orders, metric.tokens, metric.stem), out)
    return frequencies.documents


def _unscored(metric: IdfMetric, examples: Sequence[Example]) -> Scores:
    reading = _metric_options(metric)
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
    return restore_documents(idf.stored, _word_options(idf.tokens, idf.stem), orders)


def _metric_options(metric: IdfMetric) -> WordOptions:
    return _word_options(metric.tokens, metric.stem)


def _word_options(tokens: str, stem: bool) -> WordOptions:
    return WordOptions(tokens, tokens == "words", porter() if stem else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cider(IdfMetric):
    """Mean cosine of n-gram vectors with rare n-grams weighing more (Vedantam et al. 2015).

    orders  the longest n-grams counted
    stem    True: words become their stems, as in the paper (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"
    idf     a file made by `factable train idf`; without one, rarity is that in the references scored
    """

    name: ClassVar[str] = "cider"
    version: ClassVar[int] = 1
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)

    orders: int = 4
    stem: bool = False
    tokens: str = "words"
    idf: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        self.check_parameters()


# The tokeniser of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "coco": "whitespace-cased"}
SCALE = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CiderD(IdfMetric):
    """CIDEr with clipped counts and a penalty for other lengths, times 10 (Vedantam et al. 2015).

    orders  the longest n-grams counted
    sigma   the width of the penalty for lengths that differ, in words
    stem    True: words become their stems (Porter; English; needs the extra rouge)
    tokens  the tokeniser: "words" (without punctuation), "whitespace", "whitespace-cased" or "ascii"; follows
            from compat if not given
    idf     a file made by `factable train idf`; without one, rarity is that in the references scored
    compat  "coco" reproduces pycocoevalcap's "CIDEr" on text that is tokenised already
    """

    name: ClassVar[str] = "cider_d"
    version: ClassVar[int] = 1
    bounds: ClassVar[tuple[float, float]] = (0.0, SCALE)

    orders: int = 4
    sigma: float = 6.0
    stem: bool = False
    tokens: str = ""
    idf: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "compat", TOKENS_OF)
        if self.tokens == "":
            object.__setattr__(self, "tokens", TOKENS_OF[self.compat])
        self.check_parameters()
        require(self, "sigma", is_number(self.sigma, 1e-3, 1e6), "a number from 0.001 to a million")

    @property
    def options(self) -> Options:
        """Clipped counts and a Gaussian; `compat` keeps empty references."""
        return Options(SCALE, clipped=True, sigma=float(self.sigma), strict=self.compat != "")

    def survey(self, examples: Sequence[Example]) -> Documents:
        """The references that count as one document."""
        if self.compat == "coco":
            # The program knows no items: the references of two systems on one item are two documents.
            named = {(example.item, example.system): example.references for example in examples}
            return {name: dict.fromkeys(references) for name, references in named.items() if references}
        return documents_of(examples)
