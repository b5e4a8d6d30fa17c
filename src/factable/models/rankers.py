"""Rankers by name: what scores documents by how well they fit a text."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.models.bm25 import Bm25Index, read_query
from factable.models.embedder import embed, embedder_identity
from factable.models.spread import Spread, in_pieces
from factable.models.waiting import count_steps

BM25 = "bm25"
Floats = NDArray[np.floating[Any]]


class Index(Protocol):
    """Documents, ready to be scored; queries are in the form that the ranker reads them to."""

    def scores(self, queries: Any) -> Floats:
        """Of every document, a row for each query."""
        ...

    def look_ahead(self, documents: Iterable[str]) -> None:
        """Make ready what `scores_outside` will soon be asked for: together it is done sooner."""
        ...

    def scores_outside(self, query: Any, documents: Sequence[str]) -> Floats:
        """Of documents that are not in the index, for one query."""
        ...


class Ranker(Protocol):
    """Reads queries and makes indexes."""

    def read(self, texts: Sequence[str]) -> Any:
        """Queries, one for each text."""
        ...

    def index(self, documents: Sequence[str], spread: Spread = map) -> Index:
        """Documents made ready; `spread` does the long work in many places."""
        ...


def make_ranker(name: str) -> Ranker:
    """The ranker of that name: "bm25", or an encoder."""
    return Bm25Ranker() if name == BM25 else EmbeddingRanker(name)


def ranker_identity(name: str) -> str:
    """A checksum of the model behind a ranker; empty where there is none."""
    return "" if name == BM25 else embedder_identity(name)


class Bm25Ranker:
    """Words in common, rare ones weighing more."""

    def read(self, texts: Sequence[str]) -> Any:
        """Words of each text."""
        return list(map(read_query, texts))

    def index(self, documents: Sequence[str], _spread: Spread = map) -> Index:
        """Postings."""
        return Bm25Index(documents)


class EmbeddingRanker:
    """Cosines of embeddings."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read(self, texts: Sequence[str]) -> Any:
        """A row for each text."""
        return embed(self._name, texts)

    def index(self, documents: Sequence[str], spread: Spread = map) -> Index:
        """A row for each document."""
        # Texts of like length are quick together.
        order = sorted(range(len(documents)), key=lambda place: len(documents[place]))
        pieces = in_pieces([documents[place] for place in order])
        advance = count_steps("texts embedded", len(documents))
        made = []
        for rows in spread(partial(embed, self._name), pieces):
            made.append(rows)
            advance(len(rows))
        found = np.concatenate(made) if made else np.zeros((0, 0), dtype=np.float32)
        found[order] = found.copy()
        return Rows(self._name, found)


class Rows:
    """Embeddings of documents; their products with queries are exact, see protocols.SCALE."""

    def __init__(self, name: str, rows: NDArray[np.float32]) -> None:
        self._name, self._rows = name, rows
        self._ahead: dict[str, NDArray[np.float32]] = {}

    def scores(self, queries: Any) -> Floats:
        """One matrix product."""
        if not len(self._rows):
            return np.zeros((len(queries), 0), dtype=np.float32)
        found: Floats = queries @ self._rows.T
        return found

    def look_ahead(self, documents: Iterable[str]) -> None:
        """Embed them."""
        distinct = list(dict.fromkeys(documents))
        rows = embed(self._name, distinct, remember=True) if distinct else ()
        self._ahead = dict(zip(distinct, rows, strict=True))

    def scores_outside(self, query: Any, documents: Sequence[str]) -> Floats:
        """The same for documents that are embedded now, unless that was done ahead."""
        if not self._ahead.keys() >= set(documents):
            self.look_ahead(documents)
        found: Floats = np.stack([self._ahead[document] for document in documents]) @ query
        return found
