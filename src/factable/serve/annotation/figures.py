"""Figures of a campaign while it runs: how far annotators agree, and the metric with them."""

import math
from array import array
from collections.abc import Mapping, Sequence

import numpy as np

from factable.engine.collect import Result, Skipped
from factable.io.judgements import AnnotatedSpan, Annotation
from factable.io.marked_texts import MarkedText
from factable.serve.annotation.exchange import annotation_of, fact_annotations, suggested_spans
from factable.serve.annotation.state import label_of
from factable.serve.annotation.store import Annotated, Campaign
from factable.study.agreement import study_agreement
from factable.study.panel import Estimate, Panel
from factable.study.spans import MarkedPanel, study_spans
from factable.types import OK

Figures = dict[str, object]
SPAN_FIGURES = ("character_precision", "character_recall", "character_f1", "missed", "false_alarms")


def campaign_figures(texts: Sequence[Annotated], campaign: Campaign) -> Figures:
    """All figures as JSON has them; an undefined number is null, with a reason."""
    return {
        "texts": len(texts),
        "annotated": sum(bool(text.states) for text in texts),
        "shared": sum(len(text.states) > 1 for text in texts),
        "marks": _count_marks(texts, campaign),
        "agreement": _agreement(texts, campaign),
        "metric": _metric_figures(texts, campaign) if campaign.metric else [],
        "labels": _labels(texts, campaign),
    }


def _count_marks(texts: Sequence[Annotated], campaign: Campaign) -> dict[str, int]:
    counts = {category.name: 0 for category in campaign.categories if category.error != "omission"}
    for text in texts:
        for state in text.states.values():
            for mark in state.marks:
                counts[mark.category] += 1
    return counts


def _labels(texts: Sequence[Annotated], campaign: Campaign) -> dict[str, int]:
    """How many texts have each label, in the eyes of each annotator of them."""
    counts: dict[str, int] = {}
    for text in texts:
        for state in text.states.values():
            label = label_of(state, campaign.categories)
            counts[label] = counts.get(label, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (pair[0] != OK, -pair[1])))


def _agreement(texts: Sequence[Annotated], campaign: Campaign) -> list[Figures]:
    """Agreement on verdicts, facts and words, over what several annotators have done."""
    rows: list[Annotation] = []
    facts: list[Annotation] = []
    for text in texts:
        if len(text.states) > 1:
            rows += [annotation_of(text, name, campaign.categories) for name in text.states]
            facts += [row for name in text.states for row in fact_annotations(text, name)]
    if not rows:
        return []
    study = study_agreement(rows, draws=0)
    on_facts = study_agreement(facts, draws=0).dimensions if facts else ()
    return [
        *(
            {"on": each.dimension, "texts": each.texts, **_values(each.statistics, LABEL_FIGURES)}
            for each in (*study.dimensions, *on_facts)
            if each.texts
        ),
        *(
            {"on": each.kind or "words", "texts": each.texts, **_values(each.statistics)}
            for each in study.spans
        ),
    ]


LABEL_FIGURES = ("observed_agreement", "alpha_nominal")


def _values(statistics: Mapping[str, Estimate], names: Sequence[str] = ()) -> Figures:
    return {
        name: {"value": None if math.isnan(each.value) else each.value, "reason": each.reason}
        for name, each in statistics.items()
        if not names or name in names
    }


def _metric_figures(texts: Sequence[Annotated], campaign: Campaign) -> list[Figures]:
    """What the metric marks against what each annotator marks."""
    names = dict.fromkeys(name for text in texts for name in text.states)
    return [_against(name, [text for text in texts if name in text.states], campaign) for name in names]


def _against(name: str, texts: Sequence[Annotated], campaign: Campaign) -> Figures:
    marked = tuple(
        MarkedText(
            text.example,
            annotation_of(text, name, campaign.categories).spans,
            judges={campaign.metric: tuple(AnnotatedSpan(*span) for span in suggested_spans(text))},
        )
        for text in texts
    )
    (marker,) = study_spans(MarkedPanel(marked, _panel(len(marked)), ()), draws=0).markers
    rates = marker.all_texts
    return {
        "annotator": name,
        "texts": rates.texts,
        "marks": rates.marks,
        "spans": rates.spans,
        **_values(rates.statistics, SPAN_FIGURES),
    }


def _panel(texts: int) -> Panel:
    """A panel of no metrics: the metric's marks are kept, as those of a judge."""
    result = Result((), (), ("",), array("I", [0] * texts), Skipped(0, ()))
    nothing = np.zeros(texts, dtype=np.int64)
    # Nothing is drawn, so it does not matter which texts belong to one item.
    return Panel(result, tuple(map(str, range(texts))), np.arange(texts), nothing, nothing, {})
