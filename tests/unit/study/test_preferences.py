"""What a study of preferences counts and leaves out."""

import math

import pytest
from scipy import stats

import factable
from factable import Example, Record, Table, UsageError
from factable.core.registry import parse
from factable.io.judgements import Preference, Preferences
from factable.study.panel import score_panel
from factable.study.preferences import study_preferences

TABLE = Table((Record("", "animal", "cat"),))
REFERENCE = "the cat sat on the old red mat by the door"
# More words of the reference are better by every metric used here.
WORDS = {"short": 3, "middle": 6, "long": 9, "twin": 9}


def make(items=5, systems=tuple(WORDS)):
    return [
        Example(f"i{item}", system, " ".join(REFERENCE.split()[: WORDS[system]]), TABLE, (REFERENCE,))
        for item in range(items)
        for system in systems
    ]


def votes(*rows):
    made = [
        Preference(number, item, (first, second), winner, "")
        for number, (item, first, second, winner) in enumerate(rows, 1)
    ]
    return Preferences("pairs", "line", tuple(made))


def panel_of(examples, *specs):
    return score_panel([examples], [parse(spec) for spec in specs], need_ratings=False)


def metrics_of(found):
    return {one.metric: one for one in found.agreements}


def test_most_annotators_decide_a_pair_whatever_the_order():
    found = study_preferences(
        panel_of(make(), "chrf"),
        votes(
            ("i0", "short", "long", "long"),
            ("i0", "long", "short", "long"),
            ("i0", "long", "short", "short"),
            # One for each, and most see no difference: both undecided.
            ("i1", "short", "long", "short"),
            ("i1", "short", "long", "long"),
            ("i2", "short", "long", "long"),
            ("i2", "short", "long", None),
            ("i2", "short", "long", None),
            ("i3", "middle", "short", "short"),
        ),
        draws=20,
    )
    assert (found.preferences, found.pairs, found.undecided, found.items) == (9, 4, 2, 4)
    (metric,) = found.agreements
    assert (metric.pairs, metric.tied, metric.unscored) == (2, 0, 0)
    assert metric.accuracy.value == 0.5
    assert metric.accuracy.low <= metric.accuracy.mean <= metric.accuracy.high
    by_name = {one.system: one for one in found.systems}
    assert (by_name["long"].compared, by_name["long"].won, by_name["long"].tied) == (8, 4, 2)
    assert by_name["twin"].score.reason == "no preference is about it"


def test_equal_values_are_half_right_and_lower_may_be_better():
    rows = [("i0", "long", "twin", "twin"), ("i0", "long", "short", "long"), ("i1", "long", "short", "long")]
    found = study_preferences(panel_of(make(), "ter", "chrf"), votes(*rows), draws=0)
    for metric in found.agreements:
        assert metric.tied == 1
        assert metric.accuracy.value == pytest.approx(2.5 / 3)
        assert math.isnan(metric.accuracy.low)
    assert metrics_of(found)["ter"].accuracy == metrics_of(found)["chrf"].accuracy


def test_unscored_texts_are_left_out_and_counted():
    bare = Example("i0", "short", "the cat", TABLE)
    rows = [("i0", "short", "long", "long"), ("i1", "short", "long", "short")]
    found = study_preferences(panel_of([bare, *make()[1:]], "bleu"), votes(*rows), draws=5)
    assert (found.agreements[0].pairs, found.agreements[0].unscored) == (1, 1)
    assert found.agreements[0].accuracy.value == 0.0
    found = study_preferences(panel_of([bare, *make()[1:]], "bleu"), votes(rows[0]), draws=5)
    assert (
        found.agreements[0].accuracy.reason
        == "no pair of texts is decided by people and scored by the metric"
    )


def test_the_correlation_of_systems_is_over_all_texts_of_compared_items():
    examples = [
        *make(2, ("short", "middle", "long")),
        Example("i0", "other", REFERENCE, TABLE, (REFERENCE,)),
        # No preference is about this item.
        Example("i9", "short", REFERENCE, TABLE, (REFERENCE,)),
    ]
    rows = [
        ("i0", "short", "middle", "middle"),
        ("i1", "short", "middle", "short"),
        ("i0", "short", "middle", "middle"),
        ("i0", "long", "middle", "long"),
        ("i0", "long", "middle", "middle"),
        ("i0", "other", "long", "other"),
        ("i0", "other", "long", None),
    ]
    found = study_preferences(panel_of(examples, "bleu", "parent"), votes(*rows), draws=10)
    scores = {one.system: one.score.value for one in found.systems}
    # A chain of pairs fits exactly: 2 of 3, 1 of 2, and a win and a tie with half a win on both sides.
    gaps = [
        scores["middle"] - scores["short"],
        scores["long"] - scores["middle"],
        scores["other"] - scores["long"],
    ]
    assert gaps == pytest.approx([stats.norm.ppf(2 / 3), 0, stats.norm.ppf(1.5 / 2)], abs=1e-9)
    for metric in found.agreements:
        values = [
            factable.score([e for e in examples if e.system == s and e.item != "i9"], [metric.metric])[
                metric.metric
            ].corpus
            for s in scores
        ]
        expected = stats.pearsonr(values, list(scores.values())).statistic
        assert metric.pearson.value == pytest.approx(expected, abs=1e-9)


def test_few_systems_have_no_correlation_and_groups_have_no_scores():
    two = study_preferences(panel_of(make(), "chrf"), votes(("i0", "short", "long", "long")), draws=3)
    assert two.agreements[0].pearson.reason == "fewer than 3 systems have a score and a value of the metric"
    groups = study_preferences(
        panel_of(make(), "chrf"),
        votes(("i0", "short", "long", "long"), ("i0", "middle", "twin", "twin")),
        draws=3,
    )
    assert {one.score.reason for one in groups.systems} == {
        "preferences leave groups of systems that are never compared with each other"
    }
    assert groups.agreements[0].pearson.reason == "systems have no scores"
    assert groups.agreements[0].accuracy.value == 1.0


def test_equal_scores_have_no_correlation():
    rows = [("i0", a, b, None) for a, b in (("short", "middle"), ("middle", "long"), ("long", "short"))]
    found = study_preferences(panel_of(make(), "chrf"), votes(*rows), draws=0)
    assert found.agreements[0].pearson.reason == "all systems have the same score"
    assert found.undecided == 3


def test_metrics_are_compared_on_pairs_that_both_decide():
    # Edits punish the words that chrF's recall forgives.
    noisy = "qq qq qq qq qq qq the cat sat on the old red"
    examples = [
        Example(f"i{item}", system, text, TABLE, (REFERENCE,))
        for item in range(13)
        for system, text in (("brief", "the cat sat"), ("noisy", noisy if item else "the cat sat"))
    ]
    rows = [(f"i{item}", "brief", "noisy", "noisy" if item < 10 else "brief") for item in range(13)]
    (contrast,) = study_preferences(panel_of(examples, "ter", "chrf"), votes(*rows), draws=0).differences
    assert (contrast.better, contrast.worse) == ("chrf", "ter")
    # Both see a tie on the first item.
    assert (contrast.pairs, contrast.only_better, contrast.only_worse) == (12, 9, 3)
    assert contrast.p_mcnemar == pytest.approx(stats.binomtest(3, 12).pvalue)
    assert contrast.p_holm == contrast.p_mcnemar
    (tied,) = study_preferences(panel_of(examples, "ter", "chrf"), votes(rows[0]), draws=0).differences
    assert math.isnan(tied.p_holm)
    assert tied.reason == "no pair is decided by both metrics"


def test_systems_can_be_left_out():
    rows = votes(("i0", "short", "long", "long"), ("i0", "middle", "long", "long"))
    found = study_preferences(panel_of(make(), "chrf"), rows, draws=0, excluded=["middle"])
    assert found.preferences == 1
    with pytest.raises(UsageError, match="no preference is between the systems that are left"):
        study_preferences(panel_of(make(), "chrf"), rows, draws=0, systems=["twin", "short"])
