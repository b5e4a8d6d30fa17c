"""Samples with known shares of entailed items, and the coverage of the data by references."""

import math

import numpy as np
import pytest
from scipy import stats

from factable import DataError, Example, Record, Table, UsageError
from factable.core.registry import parse
from factable.metrics.parent.metric import Parent
from factable.report.formats import render
from factable.report.studies import coverage_bins, divergence_output
from factable.study.divergence import study_divergence
from factable.study.panel import score_panel

TABLE = Table((Record("", "animal", "cat"), Record("", "place", "old mat")))
ENTAILED, DIVERGENT = "the cat is on the old mat", "it was rather late in the evening"
TEXTS = {"low": "late it was", "middle": "the cat was late", "high": "the cat is on the mat"}
RATINGS = {"low": 1.0, "middle": 1.5, "high": 3.0}
METRICS = (Parent(), parse("rouge"))


def make(items=((1, 3), (0, 5)), **changes):
    """Items of both kinds that are all alike, so that every sample of a share gives the same."""
    examples = []
    for label, number in items:
        for item in range(number):
            for system, text in TEXTS.items():
                human = {"semantics": RATINGS[system] + label / 2, "entailed": label} | changes
                reference = ENTAILED if label else DIVERGENT
                examples.append(Example(f"{label}-{item}", system, text, TABLE, (reference,), human))
    return examples


def curves_of(panel, metrics, **options):
    return study_divergence(panel, metrics, **options).divergence


def values_of(metric, reference):
    examples = [Example(system, "", text, TABLE, (reference,)) for system, text in TEXTS.items()]
    return np.array(metric.score(examples).values)


@pytest.mark.parametrize("level", ["system", "example"])
@pytest.mark.parametrize("metric", METRICS, ids=["parent", "rouge"])
def test_every_share_by_hand(level, metric):
    panel = score_panel([make()], METRICS)
    found = curves_of(panel, [metric], level=level, steps=3, draws=4)
    assert (found.entailed, found.divergent, found.sample) == (3, 5, 3)
    assert found.shares == pytest.approx([0, 1 / 3, 2 / 3, 1])
    good, bad = values_of(metric, ENTAILED), values_of(metric, DIVERGENT)
    rating = np.array(list(RATINGS.values()))
    for entailed, point in enumerate(found.curves[0].points):
        divergent = 3 - entailed
        if level == "system":
            x, y = entailed * good + divergent * bad, rating
        else:
            x = np.concatenate([np.tile(good, entailed), np.tile(bad, divergent)])
            y = np.concatenate([np.tile(rating + 0.5, entailed), np.tile(rating, divergent)])
        expected = stats.pearsonr(x, y).statistic
        assert (point.mean, point.low, point.high) == pytest.approx((expected,) * 3, abs=1e-12)


def test_the_seed_and_the_share_decide():
    generator = np.random.default_rng(5)
    examples = [
        Example(
            e.item, e.system, " ".join(generator.permutation(e.text.split())), e.table, e.references, e.human
        )
        for e in make(((1, 12), (0, 9)))
    ]
    panel = score_panel([examples], METRICS)
    first, again, other = (curves_of(panel, panel.result.metrics, draws=30, seed=seed) for seed in (0, 0, 1))
    assert first == again
    assert first.curves != other.curves
    (_, rouge) = first.curves
    # References that say something else take the worth out of a metric that sees nothing but them.
    assert rouge.points[0].mean < 0 < rouge.points[-1].mean
    assert all(point.low < point.mean < point.high for point in rouge.points[1:-1])


def test_one_label_is_enough_for_an_item_and_items_without_are_left_out():
    examples = make()
    kept = [
        Example(e.item, e.system, e.text, e.table, e.references, {"semantics": e.human["semantics"]})
        if e.system != "low" or e.item == "0-0"
        else e
        for e in examples
    ]
    panel = score_panel([kept], METRICS)
    found = curves_of(panel, METRICS, draws=2, level="example", excluded=["low"])
    assert (found.entailed, found.divergent) == (3, 4)
    assert found.systems == ("middle", "high")
    assert {curve.examples_left_out for curve in found.curves} == {2}


def test_undefined_has_a_reason():
    panel = score_panel([make(semantics=2.0)], METRICS)
    (curve, _) = curves_of(panel, METRICS, draws=3).curves
    assert {point.reason for point in curve.points} == {"all ratings are equal"}
    assert all(math.isnan(point.mean) for point in curve.points)
    output = divergence_output(study_divergence(panel, METRICS, draws=3))
    assert b'"mean":null,"low":null,"high":null,"reason":"all ratings are equal"' in render(output, "json")
    assert "–" in render(output, "table").decode()


@pytest.mark.parametrize(
    ("examples", "error", "message"),
    [
        (make(entailed=0.5), DataError, "entailed: is 0.5 in an example; write 1 or 0"),
        (make(entailed=1), DataError, "entailed: is 0 for no item; label items of both kinds"),
        (make(entailed=0), DataError, "entailed: is 1 for no item; label items of both kinds"),
        (
            [*make(), Example("1-0", "x", "cat", TABLE, (ENTAILED,), {"entailed": 0})],
            DataError,
            "entailed: is 1 and 0 in examples of item '1-0'; give an item one label",
        ),
        ([e for e in make() if e.system != "low"], UsageError, "2 systems, but level system needs 3 or more"),
        (
            [Example(e.item, e.system, e.text, e.table, e.references, {"entailed": 1}) for e in make()],
            UsageError,
            "the data has no rating but the label 'entailed'; add ratings of the texts",
        ),
    ],
)
def test_what_cannot_be_studied(examples, error, message):
    with pytest.raises(error, match=message):
        curves_of(score_panel([examples], METRICS), METRICS)


def test_the_label_is_no_rating():
    panel = score_panel([make()], METRICS)
    with pytest.raises(UsageError, match="'entailed' is the label and cannot be a rating too"):
        curves_of(panel, METRICS, humans=["entailed"])


def test_coverage_by_hand():
    # All of "cat" and half of "old mat"; all of both; nothing.
    references = {"a": "the cat on its mat", "b": "old mat and cat", "c": "a dog"}
    examples = [
        Example(item, system, "cat mat", TABLE, (reference,))
        for item, reference in references.items()
        for system in ("x", "y")
    ]
    examples.append(Example("d", "x", "cat", TABLE))
    panel = score_panel([examples], [Parent()], need_ratings=False)
    coverage = study_divergence(panel).coverage
    assert coverage.values.tolist() == pytest.approx([0.75, 1.0, 0.0])
    assert coverage.items_left_out == 1
    assert study_divergence(panel, excluded=["x"]).coverage.items_left_out == 0
    counts, edges = coverage_bins(coverage)
    assert (counts[0], counts[15], counts[19], sum(counts)) == (1, 1, 1, 3)
    assert edges[15] == pytest.approx(0.75)
