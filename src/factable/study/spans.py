"""Errors that metrics mark in texts, against those that people mark; and judges beside them."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson

from factable.core.metric import Metric
from factable.core.results import Scores
from factable.engine.collect import Listener
from factable.engine.plan import Scored
from factable.engine.score import parse_all
from factable.errors import UsageError
from factable.io.judgements import AnnotatedSpan
from factable.io.marked_texts import Judgement, MarkedSource, MarkedText, read_marked_texts
from factable.stats import Column, Indices, Mask
from factable.stats.agreement import Extent, count_characters, count_overlapping, count_shared, merge_spans
from factable.stats.bootstrap import Draws
from factable.stats.classification import auc, share
from factable.stats.correlation import correlate_draws, why_no_correlation, why_no_pairs
from factable.study.levels import sign_of
from factable.study.panel import Estimate, Panel, estimate, require_known, score_panel, signatures_of
from factable.types import Example

MarkerKind = Literal["metric", "judge", "person"]
# Findings that say that words of the text are wrong.
WRONG = frozenset(("contradicted", "unsupported"))
# The probability that nothing is wrong with what a text says; what it leaves out cannot be marked in it.
CORRECT, PROBABILITY = "correct", "probability"
# What is counted in each text.
COUNTS = (
    *("marked_characters", "human_characters", "shared_characters"),
    *("marks", "right_marks", "spans", "found_spans"),
    *("clean", "clean_marked", "faulty", "faulty_unmarked"),
)
NO_MARK, NO_SPAN = "nothing is marked", "there is no error to find"
# Every statistic, and why it is undefined if it is.
UNDEFINED = {
    "character_precision": NO_MARK,
    "character_recall": NO_SPAN,
    "character_f1": NO_MARK,
    "overlap_precision": NO_MARK,
    "overlap_recall": NO_SPAN,
    "overlap_f1": NO_MARK,
    "auc": "all texts have an error, or none has",
    "spearman": "all texts have equally many marks or spans",
    "kendall_b": "all texts have equally many marks or spans",
    "false_alarms": "every text has an error",
    "missed": "no text has an error",
}
STATISTICS = tuple(UNDEFINED)
# Those that need spans on both sides, not labels of whole texts.
SPAN_STATISTICS = (*STATISTICS[:6], "spearman", "kendall_b")


@dataclass(frozen=True, slots=True)
class SpanRates:
    """How well marks fit the errors in some texts; `marks` and `spans` are numbers of marks and of errors.

    `faulty` is the number of texts with an error. Statistics are undefined, with a reason, where the truth or
    the marks are labels of whole texts.
    """

    texts: int
    faulty: int
    marks: int
    spans: int
    statistics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class CategoryRecall:
    """How much of the errors of one category is marked: the share of their characters, and of their spans."""

    spans: int
    character_recall: Estimate
    overlap_recall: Estimate


@dataclass(frozen=True, slots=True)
class MarkerResult:
    """A metric, judge or further person against the truth; `left_out` are texts that one of both lacks.

    `has_spans` is False where either gives only labels of whole texts.
    """

    name: str
    kind: MarkerKind
    has_spans: bool
    left_out: int
    all_texts: SpanRates
    by_domain: Mapping[str, SpanRates]
    by_system: Mapping[str, SpanRates]
    by_category: Mapping[str, CategoryRecall]


@dataclass(frozen=True, slots=True)
class SpanStudy:
    """Every marker, and the settings; `gold` names the judge that is the truth, None for people's spans."""

    gold: str | None
    draws: int
    seed: int
    signatures: Mapping[str, str]
    examples: int
    markers: tuple[MarkerResult, ...]


@dataclass(frozen=True, slots=True)
class MarkedPanel:
    """Texts with people's spans, scored; `marks` holds the spans that each metric marks on each text."""

    texts: tuple[MarkedText, ...]
    panel: Panel
    marks: tuple[tuple[list[Extent], ...], ...]


def study_spans(
    data: MarkedPanel | MarkedSource | Sequence[MarkedSource],
    metrics: Iterable[str | Metric] = ("ledger",),
    *,
    gold: str | None = None,
    draws: int = 500,
    seed: int = 0,
    jobs: int = 1,
) -> SpanStudy:
    """Compare what metrics mark as wrong with the spans that people marked, beside judges in the data.

    `data` are files, or lists of such rows, with the fields `spans`, `judges`, `golds` and `meta.domain`.
    `gold` names a judge whose spans or labels are the truth instead of people's spans.
    """
    if not isinstance(data, MarkedPanel):
        texts = read_marked_texts(_as_sources(data)).rows
        require_gold(texts, gold)
        data = score_marked_texts(texts, parse_all(metrics), jobs=jobs)
    truth = _find_truth(data.texts, gold)
    analysis = _SpanAnalysis(data, truth, draws, seed)
    return SpanStudy(
        gold=gold,
        draws=draws,
        seed=seed,
        signatures=signatures_of(data.panel),
        examples=len(data.texts),
        markers=tuple(map(analysis.measure, _find_markers(data, gold))),
    )


def _as_sources(data: MarkedSource | Sequence[MarkedSource]) -> Sequence[MarkedSource]:
    """A list of sources; a list of rows is one source."""
    several = isinstance(data, list | tuple) and data and not isinstance(data[0], Mapping)
    return data if several else [data]  # type: ignore[return-value, list-item]


def require_gold(texts: Sequence[MarkedText], gold: str | None) -> None:
    """Refuse a judge that no text has, and texts without the spans of a person if no judge is named."""
    names = list(dict.fromkeys(name for text in texts for name in text.judges))
    if gold is not None:
        if not names:
            raise UsageError('the data has no judges; add "judges": {"NAME": …} or drop `gold`')
        require_known("judge", [gold], names)
    elif all(text.spans is None for text in texts):
        named = " or name a judge with `gold`" if names else ""
        raise UsageError(f'no text has spans; add "spans": [[start, end, "category"]]{named}')


def score_marked_texts(
    texts: Sequence[MarkedText],
    metrics: Sequence[Metric],
    *,
    listener: Listener | None = None,
    **scoring: Any,
) -> MarkedPanel:
    """Score texts and keep what each metric marks as wrong; `scoring` is for `score_panel`."""
    if not metrics:
        raise UsageError("`metrics` is empty; name at least one metric")
    rows: list[list[list[Extent]]] = []

    def take(unit: Scored) -> None:
        rows.extend(map(orjson.loads, unit.listed))
        if listener:
            listener(unit)

    examples = [text.example for text in texts]
    panel = score_panel([examples], metrics, need_ratings=False, listing=_mark_rows, listener=take, **scoring)
    return MarkedPanel(tuple(texts), panel, tuple(zip(*rows, strict=True)))


def _mark_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """For each example what each metric marks, as the bytes that workers hand over."""
    return [
        orjson.dumps(
            [
                [finding.span for finding in piece.findings[index] if finding.kind in WRONG and finding.span]
                for piece in pieces
            ]
        )
        for index in range(len(examples))
    ]


@dataclass(frozen=True, slots=True)
class _Truth:
    """Which texts have an error, and its spans, None for labels; `known` are texts somebody looked at."""

    known: Mask
    faulty: Mask
    spans: Sequence[Sequence[AnnotatedSpan]] | None
    why_no_spans: str = ""


@dataclass(frozen=True, slots=True)
class _Marker:
    """What somebody marks on each text, and how sure they are that it has an error, on any scale.

    `marks` is None for labels of whole texts; `usable` are the texts somebody looked at.
    """

    name: str
    kind: MarkerKind
    usable: Mask
    faulty: Mask
    doubt: Column
    marks: Sequence[list[Extent]] | None


def _find_truth(texts: Sequence[MarkedText], gold: str | None) -> _Truth:
    said = [text.spans if gold is None else text.judges.get(gold) for text in texts]
    known = np.array([each is not None for each in said])
    if any(isinstance(each, bool) for each in said):
        return _Truth(known, np.array([bool(each) for each in said]), None, f"{gold} gives labels, no spans")
    spans = [
        _trim_kinds(text.example.text, each if isinstance(each, tuple) else ())
        for text, each in zip(texts, said, strict=True)
    ]
    return _Truth(known, np.array([bool(each) for each in spans]), spans)


def _trim_kinds(text: str, spans: Iterable[AnnotatedSpan]) -> list[AnnotatedSpan]:
    """The spans without white space at their ends, those of nothing else dropped."""
    trimmed = [(span, _trim(text, (span.start, span.end))) for span in spans]
    return [AnnotatedSpan(*extent, span.kind) for span, extent in trimmed if extent[0] < extent[1]]


def _trim(text: str, span: Extent) -> Extent:
    words = text[slice(*span)]
    start = span[0] + len(words) - len(words.lstrip())
    return start, start + len(words.strip())


def _merge(text: str, spans: Iterable[Extent]) -> list[Extent]:
    """The spans without white space at their ends, those that overlap or touch as one."""
    trimmed = (_trim(text, span) for span in spans)
    return merge_spans(span for span in trimmed if span[0] < span[1])


def _find_markers(data: MarkedPanel, gold: str | None) -> Iterator[_Marker]:
    """Metrics, then the judges that are not the truth, then further people."""
    result = data.panel.result
    for metric, scores, marks in zip(result.metrics, result.scores, data.marks, strict=True):
        values = np.frombuffer(scores.values)
        part = next((name for name in (CORRECT, PROBABILITY) if name in scores.parts), None)
        doubt = None if part is None else 1 - np.frombuffer(scores.parts[part])
        extents = [_merge(text.example.text, spans) for text, spans in zip(data.texts, marks, strict=True)]
        yield _Marker(
            scores.metric,
            "metric",
            ~np.isnan(values),
            np.array([bool(spans) for spans in extents]),
            -sign_of(metric) * values if doubt is None else doubt,
            extents,
        )
    for name in dict.fromkeys(name for text in data.texts for name in text.judges):
        if name != gold:
            yield _make_marker(name, "judge", data.texts, [text.judges.get(name) for text in data.texts])
    if gold is None:
        for number, said in enumerate(zip_longest(*(text.others for text in data.texts)), 2):
            # People are told apart by their order only.
            yield _make_marker(f"person {number}", "person", data.texts, said)


def _make_marker(
    name: str, kind: MarkerKind, texts: Sequence[MarkedText], said: Sequence[Judgement | None]
) -> _Marker:
    """Somebody who gave labels, or spans: the more of them, the surer."""
    usable = np.array([each is not None for each in said])
    if any(isinstance(each, bool) for each in said):
        labels = np.array([bool(each) for each in said])
        return _Marker(name, kind, usable, labels, labels.astype(np.float64), None)
    extents = [
        _merge(
            text.example.text, ((span.start, span.end) for span in each) if isinstance(each, tuple) else ()
        )
        for text, each in zip(texts, said, strict=True)
    ]
    numbers = np.array([len(spans) for spans in extents], dtype=np.float64)
    return _Marker(name, kind, usable, numbers > 0, numbers, extents)


class _Sample(NamedTuple):
    """Some texts, the item of each, and draws of these items."""

    members: Indices
    item_of: Indices
    draws: Draws

    def sum_by_item(self, counts: Column) -> Column:
        """Sums of rows of counts, which are of all texts."""
        sums = np.zeros((self.draws.items, counts.shape[1]))
        np.add.at(sums, self.item_of, counts[self.members])
        return sums

    def draw_sums(self, counts: Column) -> Column:
        """Those sums over all items, in every draw."""
        sums = self.sum_by_item(counts)
        return self.draws.apply_one(lambda weights: weights @ sums)


class _SpanAnalysis:
    """Measures markers against the truth, on all texts and on groups of them."""

    def __init__(self, data: MarkedPanel, truth: _Truth, draws: int, seed: int) -> None:
        self._truth, self._item_of = truth, data.panel.item_of
        self._draws, self._seed = draws, seed
        self._domains = [text.domain for text in data.texts]
        self._systems = [text.example.system for text in data.texts]
        kinds = {span.kind for spans in truth.spans or () for span in spans}
        self._categories = sorted(kinds) if any(kinds) else []

    def measure(self, marker: _Marker) -> MarkerResult:
        """One marker on the texts that both it and the truth have."""
        usable = marker.usable & self._truth.known
        counts = self._count(marker, usable)
        return MarkerResult(
            name=marker.name,
            kind=marker.kind,
            has_spans=not self._why_no_spans(marker),
            left_out=int((~usable).sum()),
            all_texts=self._rates(marker, counts, usable),
            by_domain=self._by_group(marker, counts, usable, self._domains),
            by_system=self._by_group(marker, counts, usable, self._systems),
            by_category=self._by_category(marker, usable),
        )

    def _by_group(
        self, marker: _Marker, counts: Column, usable: Mask, names: Sequence[str]
    ) -> dict[str, SpanRates]:
        """Texts by domain or system, in the order of the data; those without a name are in no group."""
        labels = np.array(names)
        groups = {name: (labels == name) & usable for name in dict.fromkeys(names) if name}
        return {name: self._rates(marker, counts, group) for name, group in groups.items() if group.any()}

    def _count(self, marker: _Marker, usable: Mask) -> Column:
        """The numbers of COUNTS for every text; 0 for those that are not usable."""
        counts = np.zeros((len(usable), len(COUNTS)))
        for index in np.flatnonzero(usable).tolist():
            faulty, marked = bool(self._truth.faulty[index]), bool(marker.faulty[index])
            labels = (not faulty, not faulty and marked, faulty, faulty and not marked)
            counts[index] = (*self._compare(marker, index), *labels)
        return counts

    def _compare(self, marker: _Marker, index: int) -> tuple[int, ...]:
        """Characters and spans of one text: marked by the marker, in truth, and by both."""
        marks = [] if marker.marks is None else marker.marks[index]
        spans = self._true_spans(index)
        return (
            *(count_characters(marks), count_characters(spans), count_shared(marks, spans)),
            *(len(marks), count_overlapping(marks, spans), len(spans), count_overlapping(spans, marks)),
        )

    def _true_spans(self, index: int, category: str | None = None) -> list[Extent]:
        spans = self._truth.spans[index] if self._truth.spans else ()
        return merge_spans((span.start, span.end) for span in spans if category in (None, span.kind))

    def _sample(self, members: Mask) -> _Sample:
        items, item_of = np.unique(self._item_of[members], return_inverse=True)
        # Nothing can be drawn from nothing.
        draws = Draws(len(items), self._draws if len(items) else 0, self._seed, len(item_of))
        return _Sample(np.flatnonzero(members), item_of, draws)

    def _rates(self, marker: _Marker, counts: Column, members: Mask) -> SpanRates:
        sample = self._sample(members)
        sums = sample.sum_by_item(counts)
        doubt, faulty = marker.doubt[members], self._truth.faulty[members]
        drawn = sample.draws.apply(
            lambda weights: {
                **_shares(dict(zip(COUNTS, (weights @ sums).T, strict=True))),
                "auc": auc(doubt, faulty, sample.item_of, weights),
            }
        )
        statistics = {name: estimate(column, UNDEFINED[name]) for name, column in drawn.items()}
        by_name = dict(zip(COUNTS, counts[members].T, strict=True))
        statistics |= _correlate_numbers(by_name["marks"], by_name["spans"])
        why = self._why_no_spans(marker)
        if why:
            statistics |= dict.fromkeys(SPAN_STATISTICS, Estimate(math.nan, reason=why))
        return SpanRates(
            texts=len(sample.members),
            faulty=int(faulty.sum()),
            marks=int(by_name["marks"].sum()),
            spans=int(by_name["spans"].sum()),
            statistics={name: statistics[name] for name in STATISTICS},
        )

    def _why_no_spans(self, marker: _Marker) -> str:
        labels = f"{marker.name} gives labels, no spans" if marker.marks is None else ""
        return self._truth.why_no_spans or labels

    def _by_category(self, marker: _Marker, usable: Mask) -> dict[str, CategoryRecall]:
        """Spans of each category, which overlap marks of any kind or do not."""
        if marker.marks is None:
            return {}
        sample = self._sample(usable)
        recalls = {}
        for category in self._categories:
            counts = np.zeros((len(usable), 4))
            for index in sample.members.tolist():
                spans, marks = self._true_spans(index, category), marker.marks[index]
                counts[index] = (
                    *(count_shared(spans, marks), count_characters(spans)),
                    *(count_overlapping(spans, marks), len(spans)),
                )
            shared, characters, found, number = sample.draw_sums(counts).T
            recalls[category] = CategoryRecall(
                spans=int(number[0]),
                character_recall=estimate(share(shared, characters), NO_SPAN),
                overlap_recall=estimate(share(found, number), NO_SPAN),
            )
        return recalls


def _shares(sums: Mapping[str, Column]) -> dict[str, Column]:
    """The statistics that are shares of sums of COUNTS."""
    characters = _precision_recall_f1(
        share(sums["shared_characters"], sums["marked_characters"]),
        share(sums["shared_characters"], sums["human_characters"]),
    )
    overlap = _precision_recall_f1(
        share(sums["right_marks"], sums["marks"]), share(sums["found_spans"], sums["spans"])
    )
    return {
        **{f"character_{name}": column for name, column in characters.items()},
        **{f"overlap_{name}": column for name, column in overlap.items()},
        "false_alarms": share(sums["clean_marked"], sums["clean"]),
        "missed": share(sums["faulty_unmarked"], sums["faulty"]),
    }


def _precision_recall_f1(precision: Column, recall: Column) -> dict[str, Column]:
    """With their harmonic mean: 0 where one of them is 0 or undefined, NaN where both are undefined."""
    known = np.nan_to_num(precision), np.nan_to_num(recall)
    mean = np.nan_to_num(share(2 * known[0] * known[1], known[0] + known[1]))
    nothing = np.isnan(precision) & np.isnan(recall)
    return {"precision": precision, "recall": recall, "f1": np.where(nothing, np.nan, mean)}


def _correlate_numbers(marks: Column, spans: Column) -> dict[str, Estimate]:
    """Rank correlation of the numbers of marks and of spans over texts, without intervals: pairs are many."""
    names = ("spearman", "kendall_b")
    if why_no_correlation(marks, spans):
        return {name: Estimate(math.nan, reason=UNDEFINED[name]) for name in names}
    found = correlate_draws(marks, spans, np.arange(len(marks)), np.ones((1, len(marks))))
    return {name: Estimate(float(found[name][0]), reason=why_no_pairs(name, len(marks))) for name in names}
