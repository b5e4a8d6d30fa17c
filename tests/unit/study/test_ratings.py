"""What a study does with odd metrics and data."""

import math

import numpy as np
import pytest

from factable import DataError, Example, Record, Table
from factable.core.registry import parse
from factable.study.panel import score_panel
from factable.study.ratings import study_ratings

TABLE = Table((Record("", "animal", "cat"),))
REFERENCE = "the cat sat on the old red mat by the door"


def make(items=6, **changes):
    generator = np.random.default_rng(2)
    examples = []
    for item in range(items):
        for quality in range(1, 5):
            words = REFERENCE.split()[: 2 * quality + int(generator.integers(0, 3))]
            given = {
                "references": (REFERENCE,),
                "human": {"semantics": quality + generator.random()},
                **changes,
            }
            examples.append(Example(f"i{item}", f"s{quality}", " ".join(words), TABLE, **given))
    return examples


@pytest.mark.parametrize("level", ["system", "example", "item"])
def test_a_metric_that_is_better_lower_agrees_too(level):
    rated = score_panel([make()], [parse("ter"), parse("bleu")])
    for agreement in study_ratings(rated, level=level, draws=20).agreements:
        assert agreement.statistics["pearson"].value > 0.4
        assert agreement.statistics["pairwise_accuracy"].value > 0.6


def test_metrics_are_compared_on_what_both_score():
    examples = make()
    bare = Example("i0", "s1", "cat", TABLE, (), {"semantics": 4.0})
    rated = score_panel([[bare, *examples[1:]]], [parse("bleu"), parse("chrf")])
    whole = study_ratings(score_panel([examples[1:]], rated.result.metrics), level="example", draws=0)
    found = study_ratings(rated, level="example", draws=0)
    assert [one.examples_left_out for one in found.agreements] == [1, 1]
    assert found.differences[0].difference == pytest.approx(whole.differences[0].difference)


def test_nothing_to_correlate_has_a_reason():
    examples = make()
    unrated = [Example(e.item, e.system, e.text, e.table, (), {"semantics": 1.0}) for e in examples]
    other = Example("x", "s1", "cat", TABLE, (REFERENCE,), {"fluency": 1.0})
    rated = score_panel([[*unrated, other]], [parse("bleu"), parse("chrf")])
    for level in ("system", "example", "item"):
        found = study_ratings(rated, humans=["semantics"], level=level, draws=5)
        assert math.isnan(found.agreements[0].statistics["pearson"].value)
        reason = "no example has both a value and this rating"
        assert found.agreements[0].statistics["pearson"].reason == reason
        assert found.differences[0].reason == "a correlation is undefined"


def test_examples_without_ratings_are_refused():
    with pytest.raises(DataError, match="list: no ratings; add"):
        score_panel([make(human={})], [parse("bleu")])


@pytest.mark.parametrize("spec", ["bleu", "chrf", "chrf(word_order=2)", "nist", "ter"])
def test_rows_of_sums_are_finished_alike(spec):
    metric = parse(spec)
    rows = np.frombuffer(metric.score(make()).stats).reshape(24, -1)
    totals = np.stack([rows[:8].sum(axis=0), rows.sum(axis=0)])
    expected = [metric.finish(row)["value"] for row in totals.tolist()]
    assert metric.finish_rows(totals).tolist() == pytest.approx(expected, rel=1e-12)
