"""How far annotators agree with each other: on ratings and labels, and on spans of texts."""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from factable.io.judgements import AnnotatedSpan, Annotation, read_annotations
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
from factable.study.panel import Estimate, estimate

NO_PAIRS = "no text has two annotators"
# Item and system.
TextKey = tuple[str, str]
# The spans that each annotator marks on a text.
Marks = Mapping[str, Sequence[AnnotatedSpan]]
# How much two annotators' spans share, and how much both mark in all.
CompareSpans = Callable[[list[Extent], list[Extent]], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class DimensionAgreement:
    """Agreement on one rating or label, over texts with two or more annotators; other texts are left out."""

    dimension: str
    texts: int
    left_out: int
    annotators: int
    values: int
    statistics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class SpanAgreement:
    """Agreement on spans of one kind, or of any if `kind` is None, over texts with two or more annotators."""

    kind: str | None
    texts: int
    left_out: int
    annotators: int
    statistics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class AgreementStudy:
    """Agreement on every rating, label and kind of span, and the settings it was computed with."""

    draws: int
    seed: int
    texts: int
    annotators: int
    dimensions: tuple[DimensionAgreement, ...]
    spans: tuple[SpanAgreement, ...]


def study_agreement(
    annotations: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Sequence[Annotation],
    *,
    draws: int = 500,
    seed: int = 0,
) -> AgreementStudy:
    """Measure agreement on every rating and label and, where there are any, on spans.

    `annotations` are files with a row per text and annotator, or such rows.
    """
    rows = _read(annotations)
    names = dict.fromkeys(name for row in rows for name in row.human)
    marks: dict[TextKey, dict[str, Sequence[AnnotatedSpan]]] = defaultdict(dict)
    for row in rows:
        if row.spans is not None:
            marks[row.item, row.system][row.annotator] = row.spans
    kinds = sorted({span.kind for row in rows for span in row.spans or () if span.kind})
    return AgreementStudy(
        draws=draws,
        seed=seed,
        texts=len({(row.item, row.system) for row in rows}),
        annotators=len({row.annotator for row in rows}),
        dimensions=tuple(_on_dimension(rows, name, draws, seed) for name in names),
        spans=tuple(_on_spans(marks, kind, draws, seed) for kind in (None, *kinds) if marks),
    )


def _read(
    annotations: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Sequence[Annotation],
) -> Sequence[Annotation]:
    if isinstance(annotations, str | os.PathLike):
        return read_annotations([annotations]).rows
    rows = [row for row in annotations if isinstance(row, Annotation)]
    paths = [row for row in annotations if not isinstance(row, Annotation)]
    return [*rows, *read_annotations(paths).rows] if paths else rows


def _on_dimension(
    annotations: Sequence[Annotation], dimension: str, draws: int, seed: int
) -> DimensionAgreement:
    by_text: dict[TextKey, list[float | str]] = defaultdict(list)
    for row in annotations:
        if dimension in row.human:
            by_text[row.item, row.system].append(row.human[dimension])
    several = [values for values in by_text.values() if len(values) > 1]
    labels = _make_labels(several)
    return DimensionAgreement(
        dimension=dimension,
        texts=len(several),
        left_out=len(by_text) - len(several),
        annotators=len({row.annotator for row in annotations if dimension in row.human}),
        values=len(np.unique(labels.value_of)),
        statistics=_measure(labels, len(several), draws, seed),
    )


def _make_labels(by_text: Sequence[Sequence[float | str]]) -> AnnotatorLabels:
    """Labels of texts in their order; one that is no number makes all of them names."""
    values = [value for text_values in by_text for value in text_values]
    text_of = np.repeat(np.arange(len(by_text)), list(map(len, by_text)))
    if any(isinstance(value, str) for value in values):
        names = [value if isinstance(value, str) else f"{value:.17g}" for value in values]
        return AnnotatorLabels(text_of, np.unique(names, return_inverse=True)[1], None)
    numbers, value_of = np.unique(np.array(values, dtype=np.float64), return_inverse=True)
    return AnnotatorLabels(text_of, value_of, numbers)


def _measure(labels: AnnotatorLabels, texts: int, draws: int, seed: int) -> dict[str, Estimate]:
    if not texts:
        return dict.fromkeys(STATISTICS, Estimate(np.nan, reason=NO_PAIRS))
    weights_of_texts = Draws(texts, draws, seed, len(labels.text_of))
    drawn = weights_of_texts.apply(lambda weights: agreement_draws(labels, weights))
    return {name: estimate(column, _why_undefined(name, labels)) for name, column in drawn.items()}


def _why_undefined(statistic: str, labels: AnnotatorLabels) -> str:
    """Why a statistic is undefined, if it is."""
    if statistic in NEED_NUMBERS and labels.numbers is None:
        return "labels are no numbers"
    if statistic == "fleiss_kappa" and not is_even(labels):
        sizes = np.bincount(labels.text_of)
        return f"texts have {sizes.min()} to {sizes.max()} annotators, but this needs the same number"
    return "all annotators always give the same value"


def _on_spans(marks: Mapping[TextKey, Marks], kind: str | None, draws: int, seed: int) -> SpanAgreement:
    several = [text_marks for text_marks in marks.values() if len(text_marks) > 1]
    statistics: dict[str, CompareSpans] = {"character_f1": _compare_characters, "exact_f1": _compare_exactly}
    return SpanAgreement(
        kind=kind,
        texts=len(several),
        left_out=len(marks) - len(several),
        annotators=len({annotator for text_marks in marks.values() for annotator in text_marks}),
        statistics={
            name: _measure_spans(_overlaps(several, kind, compare), len(several), draws, seed)
            for name, compare in statistics.items()
        },
    )


def _overlaps(texts: Sequence[Marks], kind: str | None, compare: CompareSpans) -> Overlaps:
    """How much every two annotators of a text share and mark."""
    pairs: dict[tuple[str, str], int] = {}
    rows = []
    for text, marks in enumerate(texts):
        extents = {
            annotator: [(span.start, span.end) for span in spans if kind is None or span.kind == kind]
            for annotator, spans in marks.items()
        }
        for pair in combinations(sorted(extents), 2):
            shared, marked = compare(extents[pair[0]], extents[pair[1]])
            rows.append((pairs.setdefault(pair, len(pairs)), text, shared, marked))
    rows.sort()
    pair_of, text_of, shares, marked_both = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return Overlaps(pair_of, text_of, shares.astype(np.float64), marked_both.astype(np.float64))


def _compare_characters(first: list[Extent], second: list[Extent]) -> tuple[int, int]:
    merged = merge_spans(first), merge_spans(second)
    return count_shared(*merged), sum(map(count_characters, merged))


def _compare_exactly(first: list[Extent], second: list[Extent]) -> tuple[int, int]:
    return len({*first} & {*second}), len({*first}) + len({*second})


def _measure_spans(overlaps: Overlaps, texts: int, draws: int, seed: int) -> Estimate:
    if not texts:
        return Estimate(np.nan, reason=NO_PAIRS)
    weights_of_texts = Draws(texts, draws, seed, len(overlaps.text_of))
    drawn = weights_of_texts.apply_one(lambda weights: f1_draws(overlaps, weights))
    return estimate(drawn, "no spans are marked")
