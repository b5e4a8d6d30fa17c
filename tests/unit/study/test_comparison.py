"""Systems side by side: pairing, values, tests and clusters."""

import math

import numpy as np
import pytest

import factable
from factable import Example, Record, Table, UsageError
from factable.core.registry import parse
from factable.stats.significance import holm
from factable.study.comparison import compare_systems, names_of_files
from factable.study.panel import score_panel

TABLE = Table((Record("", "animal", "cat"), Record("", "place", "mat")))
WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "an", "old", "red", "door"]


def make(qualities, items=60, seed=0):
    """Texts of systems that say so much of the reference, in words."""
    generator = np.random.default_rng(seed)
    examples = []
    for item in range(items):
        reference = list(generator.permutation(WORDS))
        for system, quality in qualities.items():
            kept = reference[: quality + int(generator.integers(0, 4))]
            text = " ".join(kept)
            examples.append(Example(f"i{item}", system, text, TABLE, (" ".join(reference),)))
    return examples


FOUR = {"weak": 3, "best": 8, "twin": 8, "fair": 5}


def panel_of(examples, *specs):
    return score_panel([examples], [parse(spec) for spec in specs], need_ratings=False)


@pytest.fixture(scope="module")
def four():
    return make(FOUR)


@pytest.fixture(scope="module")
def found(four):
    return compare_systems(panel_of(four, "bleu", "ter", "rouge"), draws=500)


def corpus(examples, spec, system):
    return factable.score([one for one in examples if one.system == system], [spec])[spec]


def test_values_and_parts_are_those_of_score(four, found):
    assert [ranking.metric for ranking in found.rankings] == ["bleu", "ter", "rouge"]
    for ranking in found.rankings:
        for standing in ranking.standings:
            expected = corpus(four, ranking.metric, standing.system)
            assert standing.value == expected.corpus
            assert standing.parts == expected.corpus_parts
            assert standing.low < standing.value < standing.high
    assert (found.items, found.missing) == (60, 0)


def test_best_comes_first_also_where_lower_is_better(found):
    bleu, ter, rouge = found.rankings
    for ranking in (bleu, ter, rouge):
        assert {one.system for one in ranking.standings[:2]} == {"best", "twin"}
        assert [one.system for one in ranking.standings[2:]] == ["fair", "weak"]
        assert [one.rank for one in ranking.standings] == [1, 1, 2, 3]
    assert all(one.difference >= 0 for one in bleu.differences)
    assert all(one.difference <= 0 for one in ter.differences)


def test_differences(found):
    for ranking in found.rankings:
        values = {one.system: one.value for one in ranking.standings}
        assert len(ranking.differences) == 6
        for one in ranking.differences:
            assert one.difference == values[one.system] - values[one.other]
            assert one.low <= one.difference <= one.high
        corrected = holm([one.p_randomization for one in ranking.differences])
        assert [one.p_holm for one in ranking.differences] == corrected
        for one in ranking.differences:
            told_apart = {one.system, one.other} != {"best", "twin"}
            assert (one.p_holm < 0.05) == told_apart
            assert (one.p_bootstrap < 0.05) == told_apart
            assert (one.low > 0 or one.high < 0) == told_apart


def test_a_baseline_is_all_that_others_are_compared_with(four, found):
    against = compare_systems(panel_of(four, "bleu"), draws=500, baseline="fair")
    (ranking,) = against.rankings
    assert [one.rank for one in ranking.standings] == [None] * 4
    assert {one.other for one in ranking.differences} == {"fair"}
    assert [one.system for one in ranking.differences if one.difference < 0] == ["weak"]
    p_values = {one.system: one.p_randomization for one in ranking.differences}
    both = {(one.system, one.other): one.p_randomization for one in found.rankings[0].differences}
    assert p_values["best"] == both["best", "fair"]
    assert p_values["weak"] == both["fair", "weak"]
    with pytest.raises(UsageError, match="no system 'fare'; did you mean 'fair'"):
        compare_systems(panel_of(four, "bleu"), baseline="fare")


def test_only_items_of_all_systems_count():
    examples = make({"a": 8, "b": 5})
    bare = Example("i3", "b", "the cat", TABLE)
    some = [one for one in examples if (one.item, one.system) not in (("i0", "a"), ("i1", "b"), ("i3", "b"))]
    found = compare_systems(panel_of([*some, bare], "bleu", "rouge"), draws=50)
    shared = [one for one in examples if one.item not in ("i0", "i1", "i3")]
    assert (found.items, found.missing) == (58, 2)
    for ranking in found.rankings:
        assert (ranking.items, ranking.unscored) == (57, 1)
        for standing in ranking.standings:
            assert standing.value == corpus(shared, ranking.metric, standing.system).corpus
    again = compare_systems(panel_of(shared, "bleu", "rouge"), draws=50)
    for one, other in zip(found.rankings, again.rankings, strict=True):
        assert one.standings == other.standings
        assert one.differences == other.differences


def test_order_of_examples_changes_nothing(four, found):
    shuffled = [four[index] for index in np.random.default_rng(5).permutation(len(four))]
    for ranking in compare_systems(panel_of(shuffled, "bleu"), draws=500).rankings:
        standings = {one.system: one for one in ranking.standings}
        for one in found.rankings[0].standings:
            assert standings[one.system].value == one.value
            assert standings[one.system].rank == one.rank


def test_equal_systems():
    examples = make({"a": 6})
    copies = [Example(e.item, "b", e.text, e.table, e.references) for e in examples]
    for ranking in compare_systems(
        panel_of([*examples, *copies], "bleu", "rouge", "nist"), draws=100
    ).rankings:
        (difference,) = ranking.differences
        assert (difference.system, difference.other, difference.difference) == ("a", "b", 0.0)
        assert (difference.low, difference.high) == (0.0, 0.0)
        assert difference.p_bootstrap == difference.p_randomization == difference.p_holm == 1.0
        assert [one.rank for one in ranking.standings] == [1, 1]


def test_a_cluster_ends_only_where_all_above_are_better_than_all_below():
    right = {"a": 40, "b": 35, "c": 30, "d": 18}
    examples = [
        Example(f"i{item}", system, "the cat" if item < many else "no", TABLE, ("the cat",))
        for system, many in right.items()
        for item in range(40)
    ]
    (ranking,) = compare_systems(panel_of(examples, "rouge"), draws=20_000).rankings
    found = {(one.system, one.other): one for one in ranking.differences}
    for (system, other), one in found.items():
        # Items that differ all speak for one system; a swap of all or none of them is as far apart.
        assert one.p_randomization == pytest.approx(2 ** (1 - right[system] + right[other]), abs=0.01)
    assert found["a", "c"].p_holm < 0.05
    assert found["a", "b"].p_holm > 0.05
    assert found["b", "c"].p_holm > 0.05
    assert [(one.system, one.rank) for one in ranking.standings] == [("a", 1), ("b", 1), ("c", 1), ("d", 2)]


def test_no_draws(four):
    (ranking,) = compare_systems(panel_of(four, "bleu"), draws=0).rankings
    assert [one.rank for one in ranking.standings] == [None] * 4
    assert all(math.isnan(one.low) and not math.isnan(one.value) for one in ranking.standings)
    assert all(math.isnan(one.p_holm) and one.difference >= 0 for one in ranking.differences)


def test_too_few_draws_for_so_many_pairs(four, found):
    assert found.note == ""
    few = compare_systems(panel_of(four, "bleu"), draws=100)
    assert few.note.startswith("100 randomisations cannot tell 6 pairs apart at 0.05; draw 120 or more")
    assert [one.rank for one in few.rankings[0].standings] == [1] * 4
    assert compare_systems(panel_of(four, "bleu"), draws=120).note == ""
    assert compare_systems(panel_of(four, "bleu"), draws=100, baseline="fair").note == ""


def test_nothing_that_all_systems_have_is_scored():
    examples = [
        Example("i1", "a", "the cat", TABLE, ("the cat",)),
        Example("i1", "b", "the cat", TABLE),
        Example("i2", "a", "the cat", TABLE),
        Example("i2", "b", "the cat", TABLE, ("the cat",)),
    ]
    for spec in ("bleu", "rouge"):
        (ranking,) = compare_systems(panel_of(examples, spec), draws=10).rankings
        assert (ranking.items, ranking.unscored) == (0, 2)
        assert ranking.reason == "no item is scored for every system"
        assert all(math.isnan(one.value) and one.rank is None for one in ranking.standings)
        assert ranking.differences == ()


def test_what_cannot_be_compared_is_refused(four):
    with pytest.raises(UsageError, match=r"1 system \(best\), but a comparison needs 2 or more; add systems"):
        compare_systems(panel_of(four, "bleu"), systems=["best"])
    apart = [Example(e.item + e.system, e.system, e.text, e.table, e.references) for e in four]
    with pytest.raises(UsageError, match="no item has texts of all 4 systems; use the same ids"):
        compare_systems(panel_of(apart, "bleu"))


def test_names_of_files():
    assert names_of_files(["runs/a.jsonl", "b.csv.gz", "-"]) == ["a", "b", "stdin"]
    assert names_of_files(["gpt-4.1.jsonl", "gpt-4.5.jsonl.zst"]) == ["gpt-4.1", "gpt-4.5"]
    assert names_of_files(["x/a.jsonl", "y/a.jsonl", "b.jsonl"]) == ["x/a.jsonl", "y/a.jsonl", "b"]
