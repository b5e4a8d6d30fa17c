"""Rankers by name: what scores documents by how well they fit a text."""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.kernels import tokenize
from factable.kernels.tokens import is_word
from factable.models.encoder import embed, embedder_identity
from factable.models.runtime.progress import ParallelMap, chunks, count_steps

K1, B = 1.2, 0.75
# The words of a query in order, with how often each is there.
Query = tuple[tuple[str, int], ...]


def bm25_words(text: str) -> list[str]:
    """The words of a text, without punctuation."""
    return list(filter(is_word, tokenize(text, "words")))


def read_query(text: str) -> Query:
    """The words of a query; sorted, so that sums are always rounded alike."""
    return tuple(sorted(Counter(bm25_words(text)).items()))


class Bm25Index:
    """Documents to be found by the words they share with a query."""

    def __init__(self, documents: Sequence[str]) -> None:
        counts = [Counter(bm25_words(document)) for document in documents]
        self._size = len(counts)
        self._mean = sum(map(Counter.total, counts)) / (self._size or 1) or 1.0
        indices: dict[str, list[int]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        for index, words in enumerate(counts):
            for word, weight in self._weights(words).items():
                indices[word].append(index)
                weights[word].append(weight)
        self._postings = {
            word: (np.array(indices[word], dtype=np.int32), self._rarity(len(column)) * np.array(column))
            for word, column in weights.items()
        }

    def scores(self, queries: Sequence[Query]) -> NDArray[np.float64]:
        """The score of every document, a row for each query."""
        rows = np.zeros((len(queries), self._size))
        for row, query in zip(rows, queries, strict=True):
            for word, times in query:
                if word in self._postings:
                    indices, weights = self._postings[word]
                    row[indices] += times * weights
        return rows

    def prepare_outside(self, documents: Iterable[str]) -> None:
        """Nothing to prepare: words are counted fast enough when they are needed."""

    def scores_outside(self, query: Query, documents: Sequence[str]) -> NDArray[np.float64]:
        """The scores of documents that are not in the index, by its frequencies."""
        scores = np.zeros(len(documents))
        for index, document in enumerate(documents):
            weights = self._weights(Counter(bm25_words(document)))
            for word, times in query:
                if word in weights:
                    scores[index] += times * (self._rarity(self._frequency(word)) * weights[word])
        return scores

    def _frequency(self, word: str) -> int:
        return len(self._postings[word][0]) if word in self._postings else 0

    def _rarity(self, documents: int) -> float:
        return math.log1p((self._size - documents + 0.5) / (documents + 0.5))

    def _weights(self, words: Counter[str]) -> dict[str, float]:
        norm = K1 * (1 - B + B * words.total() / self._mean)
        return {word: times / (times + norm) for word, times in words.items()}


BM25 = "bm25"
# What is ranked by a text.
FIND_TABLE, FIND_REFERENCES = DIRECTIONS = ("table", "references")
Floats = NDArray[np.floating[Any]]


class Index(Protocol):
    """Documents, ready to be scored; queries are in the form that the ranker reads them to."""

    def scores(self, queries: Any) -> Floats:
        """The score of every document, a row for each query."""
        ...

    def prepare_outside(self, documents: Iterable[str]) -> None:
        """Prepare documents for `scores_outside`: faster together than one by one."""
        ...

    def scores_outside(self, query: Any, documents: Sequence[str]) -> Floats:
        """The scores of documents that are not in the index, for one query."""
        ...


class Ranker(Protocol):
    """Reads queries and makes indexes."""

    def read(self, texts: Sequence[str]) -> Any:
        """Queries, one for each text."""
        ...

    def index(self, documents: Sequence[str], parallel_map: ParallelMap = map) -> Index:
        """An index of the documents; `parallel_map` spreads the long work."""
        ...


def make_rankers(name: str) -> dict[str, Ranker]:
    """The ranker of each direction: "bm25", an encoder, or two encoders in the folders of a folder."""
    if name == BM25:
        return dict.fromkeys(DIRECTIONS, Bm25Ranker())
    encoders = {encoder: EmbeddingRanker(encoder) for encoder in encoders_in(name)}
    return dict(zip(DIRECTIONS, [*encoders.values()] * (3 - len(encoders)), strict=True))


def encoders_in(name: str) -> list[str]:
    """The name of an encoder, or two names: of folders for each direction, where a folder holds them."""
    folders = [Path(name, direction) for direction in DIRECTIONS]
    return list(map(str, folders)) if all(map(Path.is_dir, folders)) else [name]


def ranker_identity(name: str) -> str:
    """A checksum of the models behind a ranker; empty where there is none."""
    if name == BM25:
        return ""
    identities = list(map(embedder_identity, encoders_in(name)))
    if len(identities) == 1:
        return identities[0]
    return hashlib.sha256(" ".join(identities).encode()).hexdigest()


class Bm25Ranker:
    """Words in common, rare ones weighing more."""

    def read(self, texts: Sequence[str]) -> Any:
        """The words of each text."""
        return list(map(read_query, texts))

    def index(self, documents: Sequence[str], _parallel_map: ParallelMap = map) -> Index:
        """An inverted index."""
        return Bm25Index(documents)


class EmbeddingRanker:
    """Cosines of embeddings."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, texts: Sequence[str]) -> Any:
        """A row for each text."""
        return embed(self._name, texts)

    def index(self, documents: Sequence[str], parallel_map: ParallelMap = map) -> Index:
        """A row for each document."""
        # Texts of about the same length are embedded faster together.
        order = sorted(range(len(documents)), key=lambda index: len(documents[index]))
        pieces = chunks([documents[index] for index in order])
        advance = count_steps("texts embedded", len(documents))
        embedded = []
        for rows in parallel_map(partial(embed, self._name), pieces):
            embedded.append(rows)
            advance(len(rows))
        matrix = np.concatenate(embedded) if embedded else np.zeros((0, 0), dtype=np.float32)
        matrix[order] = matrix.copy()
        return EmbeddingIndex(self._name, matrix)


class EmbeddingIndex:
    """Embeddings of documents; their products with queries are exact, see encoder.SCALE."""

    def __init__(self, name: str, rows: NDArray[np.float32]) -> None:
        self._name, self._rows = name, rows
        self._outside: dict[str, NDArray[np.float32]] = {}

    def scores(self, queries: Any) -> Floats:
        """One matrix product."""
        if not len(self._rows):
            return np.zeros((len(queries), 0), dtype=np.float32)
        scores: Floats = queries @ self._rows.T
        return scores

    def prepare_outside(self, documents: Iterable[str]) -> None:
        """Embed them."""
        distinct = list(dict.fromkeys(documents))
        rows = embed(self._name, distinct, in_memory=True) if distinct else ()
        self._outside = dict(zip(distinct, rows, strict=True))

    def scores_outside(self, query: Any, documents: Sequence[str]) -> Floats:
        """One product with documents that are not in the index."""
        if not self._outside.keys() >= set(documents):
            self.prepare_outside(documents)
        scores: Floats = np.stack([self._outside[document] for document in documents]) @ query
        return scores
