"""Fitting the weights for objects and rows: logistic regression on texts in which people marked errors."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ledger.reading import overlaps
from factable.metrics.ledger.structured import Item, StructuredReading, items_of
from factable.metrics.ledger.structured_verdict import MAX_ODDS, text_features
from factable.metrics.ledger.weights import BIAS, STRUCTURED_PARTS, LedgerWeights
from factable.models.marks import MarkedSentence
from factable.types import Span

RIDGE = 2.0
DIGITS = 3
MAX_STEPS = 60
# An item is wrong if people marked at least this share of its characters.
MIN_SHARE = 0.5
ITEM_PARTS = STRUCTURED_PARTS[:-1]


class SetWeights(NamedTuple):
    """How much a set of texts counts, and how many times its clean texts: more means fewer alarms."""

    all_texts: float = 1.0
    clean_texts: float = 1.0


class MarkedReading(NamedTuple):
    """A text that was read, what the model marks in it, what people marked, and the set that it is from."""

    reading: StructuredReading
    marked: Sequence[MarkedSentence]
    spans: Sequence[Span]
    source: str


def is_wrong(span: Span, spans: Sequence[Span]) -> bool:
    """Whether people marked most of a span."""
    inside = sum(max(0, min(span[1], end) - max(span[0], start)) for start, end in spans)
    return inside >= MIN_SHARE * (span[1] - span[0])


def _is_beside(text: MarkedReading, item: Item) -> bool:
    """Whether people marked other words of the same sentence: what they mean by it may be this as well."""
    if is_wrong(item.span, text.spans):
        return False
    sentences = [segment.span for segment in text.reading.sentences if overlaps(segment.span, item.span)]
    return any(overlaps(span, sentence) for span in text.spans for sentence in sentences)


def fit_structured(texts: Sequence[MarkedReading], set_weights: Mapping[str, SetWeights]) -> LedgerWeights:
    """Weights of items, then of texts, from sets that count as said."""
    items = [items_of(text.reading, text.marked) for text in texts]
    counts = Counter(text.source for text, of_text in zip(texts, items, strict=True) for _ in of_text)
    mean = sum(counts.values()) / len(counts)
    shares = {
        source: (mean / count) ** 0.5 * set_weights[source].all_texts for source, count in counts.items()
    }
    weights: dict[str, Mapping[str, float]] = {}
    for part in ITEM_PARTS:
        cases = [
            (item.features, is_wrong(item.span, text.spans), shares[text.source])
            for text, of_text in zip(texts, items, strict=True)
            for item in of_text
            if item.kind == part and not _is_beside(text, item)
        ]
        weights[part] = fit_logistic(cases)
    partial = LedgerWeights(weights)
    wholes = [
        (_text_features(partial, of_text, text.reading), not text.spans, text.source)
        for text, of_text in zip(texts, items, strict=True)
    ]
    return LedgerWeights({**weights, "text": fit_logistic(list(_balanced(wholes, set_weights)))})


def _text_features(
    weights: LedgerWeights, items: Sequence[Item], reading: StructuredReading
) -> dict[str, float]:
    odds = [max(-MAX_ODDS, min(MAX_ODDS, weights.odds(item.kind, item.features))) for item in items]
    return text_features(items, odds, len(reading.sentences), reading.is_small)


def _balanced(
    wholes: Sequence[tuple[dict[str, float], bool, str]], set_weights: Mapping[str, SetWeights]
) -> Iterator[tuple[dict[str, float], bool, float]]:
    """Cases with weights: in each set clean and other texts count the same, but for its weights."""
    counts: dict[tuple[str, bool], int] = {}
    for _, clean, source in wholes:
        counts[source, clean] = counts.get((source, clean), 0) + 1
    size = len(wholes) / len({source for _, _, source in wholes}) / 2
    for features, clean, source in wholes:
        weights = set_weights[source]
        weight = weights.all_texts * (weights.clean_texts if clean else 1.0)
        yield features, clean, size / counts[source, clean] * weight


def fit_logistic(cases: Sequence[tuple[Mapping[str, float], bool, float]]) -> dict[str, float]:
    """The weights that make weighted labels most likely, with a ridge penalty."""
    if not cases:
        return {BIAS: 0.0}
    names = list(dict.fromkeys(name for features, _, _ in cases for name in features))
    table = np.array([[1.0, *(features.get(name, 0.0) for name in names)] for features, _, _ in cases])
    labels = np.array([float(label) for _, label, _ in cases])
    shares = np.array([weight for _, _, weight in cases])
    fitted = _newton(table, labels, shares)
    return {name: round(float(value), DIGITS) for name, value in zip([BIAS, *names], fitted, strict=True)}


def _newton(
    table: NDArray[np.float64], labels: NDArray[np.float64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = np.zeros(table.shape[1])
    ridge = np.full(table.shape[1], RIDGE)
    ridge[0] = 1e-6
    for _ in range(MAX_STEPS):
        chances = 1 / (1 + np.exp(-table @ weights))
        gradient = table.T @ (shares * (labels - chances)) - ridge * weights
        hessian = (table * (shares * chances * (1 - chances))[:, None]).T @ table + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        weights += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-8:
            break
    return weights
