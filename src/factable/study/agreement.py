"""How far annotators agree with each other: on ratings and labels, and on spans of texts."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factable.io.judgements import AnnotatedSpan, Annotation
from factable.stats.agreement import (
    NEED_NUMBERS,
    STATISTICS,
    AnnotatorLabels,
    Extent,
    Overlaps,
    agreement_draws,
    count_characters,
    count_shared,
    f1_draws,
    is_even,
    merge_spans,
)
from factable.stats.bootstrap import Draws
from factable.study.panel import Measured, summarize

NO_PAIRS = "no text has two annotators"
Text = tuple[str, str]
# What an annotator marks on a text, and how two annotators' marks are compared: shared, and marked in all.
Marks = Mapping[str, Sequence[AnnotatedSpan]]
Compare = Callable[[list[Extent], list[Extent]], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class DimensionAgreement:
    """Agreement on one rating or label, over texts with two or more annotators; other texts are left out."""

    dimension: str
    texts: int
    left_out: int
    annotators: int
    values: int
    statistics: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """Agreement on spans of one kind, or of any if `kind` is None, over texts with two or more annotators."""

    kind: str | None
    texts: int
    left_out: int
    annotators: int
    statistics: Mapping[str, Measured]


@dataclass(frozen=True, slots=True)
class AnnotatorStudy:
    """All agreement, and what it was made from."""

    draws: int
    seed: int
    texts: int
    annotators: int
    dimensions: tuple[DimensionAgreement, ...]
    spans: tuple[SpanAgreement, ...]


def study(annotations: Sequence[Annotation], *, draws: int = 500, seed: int = 0) -> AnnotatorStudy:
    """Measure agreement on every dimension and, where there are any, on spans."""
    dimensions = dict.fromkeys(name for one in annotations for name in one.human)
    marks: dict[Text, dict[str, Sequence[AnnotatedSpan]]] = defaultdict(dict)
    for one in annotations:
        if one.spans is not None:
            marks[one.item, one.system][one.annotator] = one.spans
    kinds = sorted({span.kind for one in annotations for span in one.spans or () if span.kind})
    return AnnotatorStudy(
        draws=draws,
        seed=seed,
        texts=len({(one.item, one.system) for one in annotations}),
        annotators=len({one.annotator for one in annotations}),
        dimensions=tuple(_on_dimension(annotations, name, draws, seed) for name in dimensions),
        spans=tuple(_on_spans(marks, kind, draws, seed) for kind in (None, *kinds) if marks),
    )


def _on_dimension(
    annotations: Sequence[Annotation], dimension: str, draws: int, seed: int
) -> DimensionAgreement:
    by_text: dict[Text, list[float | str]] = defaultdict(list)
    for one in annotations:
        if dimension in one.human:
            by_text[one.item, one.system].append(one.human[dimension])
    several = [values for values in by_text.values() if len(values) > 1]
    labels = _make_labels(several)
    return DimensionAgreement(
        dimension=dimension,
        texts=len(several),
        left_out=len(by_text) - len(several),
        annotators=len({one.annotator for one in annotations if dimension in one.human}),
        values=len(np.unique(labels.value_of)),
        statistics=_measure(labels, len(several), draws, seed),
    )


def _make_labels(by_text: Sequence[Sequence[float | str]]) -> AnnotatorLabels:
    """AnnotatorLabels of texts in their order; one that is no number makes all of them names."""
    values = [value for own in by_text for value in own]
    text_of = np.repeat(np.arange(len(by_text)), [len(own) for own in by_text])
    if any(isinstance(value, str) for value in values):
        names = [value if isinstance(value, str) else f"{value:.17g}" for value in values]
        return AnnotatorLabels(text_of, np.unique(names, return_inverse=True)[1], None)
    numbers, value_of = np.unique(np.array(values, dtype=np.float64), return_inverse=True)
    return AnnotatorLabels(text_of, value_of, numbers)


def _measure(labels: AnnotatorLabels, texts: int, draws: int, seed: int) -> dict[str, Measured]:
    if not texts:
        return dict.fromkeys(STATISTICS, Measured(np.nan, reason=NO_PAIRS))
    chosen = Draws(texts, draws, seed, len(labels.text_of))
    found = chosen.apply(lambda weights: agreement_draws(labels, weights))
    return {name: summarize(column, _why_undefined(name, labels)) for name, column in found.items()}


def _why_undefined(statistic: str, labels: AnnotatorLabels) -> str:
    """Why a statistic is undefined, if it is."""
    if statistic in NEED_NUMBERS and labels.numbers is None:
        return "labels are no numbers"
    if statistic == "fleiss_kappa" and not is_even(labels):
        sizes = np.bincount(labels.text_of)
        return f"texts have {sizes.min()} to {sizes.max()} annotators, but this needs the same number"
    return "all annotators always give the same value"


def _on_spans(
    marks: Mapping[Text, Mapping[str, Sequence[AnnotatedSpan]]], kind: str | None, draws: int, seed: int
) -> SpanAgreement:
    several = [own for own in marks.values() if len(own) > 1]
    compared: dict[str, Compare] = {"character_f1": _compare_characters, "exact_f1": _compare_spans}
    return SpanAgreement(
        kind=kind,
        texts=len(several),
        left_out=len(marks) - len(several),
        annotators=len({annotator for own in marks.values() for annotator in own}),
        statistics={
            name: _measure_spans(_overlap(several, kind, compare), len(several), draws, seed)
            for name, compare in compared.items()
        },
    )


def _overlap(texts: Sequence[Marks], kind: str | None, compare: Compare) -> Overlaps:
    """What every two annotators of a text mark."""
    pairs: dict[tuple[str, str], int] = {}
    rows = []
    for text, own in enumerate(texts):
        extents = {
            annotator: [(span.start, span.end) for span in spans if kind is None or span.kind == kind]
            for annotator, spans in own.items()
        }
        for pair in combinations(sorted(extents), 2):
            shared, marked = compare(extents[pair[0]], extents[pair[1]])
            rows.append((pairs.setdefault(pair, len(pairs)), text, shared, marked))
    rows.sort()
    pair_of, text_of, both, either = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Overlaps(pair_of, text_of, both.astype(np.float64), either.astype(np.float64))


def _compare_characters(first: list[Extent], second: list[Extent]) -> tuple[int, int]:
    merged = merge_spans(first), merge_spans(second)
    return count_shared(*merged), sum(map(count_characters, merged))


def _compare_spans(first: list[Extent], second: list[Extent]) -> tuple[int, int]:
    return len({*first} & {*second}), len({*first}) + len({*second})


def _measure_spans(overlaps: Overlaps, texts: int, draws: int, seed: int) -> Measured:
    if not texts:
        return Measured(np.nan, reason=NO_PAIRS)
    chosen = Draws(texts, draws, seed, len(overlaps.text_of))
    found = chosen.apply(lambda weights: {"": f1_draws(overlaps, weights)})[""]
    return summarize(found, "no spans are marked")
