"""The value of a parameter that agrees best with people, and what it is worth on other items."""

import math

import numpy as np
import pytest
from scipy import stats

from factable import Example, Record, Table, UsageError
from factable.core.registry import parse
from factable.stats.bootstrap import Draws
from factable.study.panel import score_panel
from factable.study.tuning import make_grid, tune

TABLE = Table((Record("", "animal", "cat"), Record("", "place", "old red mat")))
WORDS = ["the", "cat", "sat", "on", "the", "old", "red", "mat", "by", "the", "door"]
DRAWS = 30


def make(items=9, systems=4, **changes):
    generator = np.random.default_rng(4)
    examples = []
    for item in range(items):
        reference = " ".join(generator.permutation(WORDS))
        for quality in range(systems):
            kept = [word for word in reference.split() if generator.random() < 0.4 + quality / 8]
            human = {"semantics": quality + 2 * generator.random(), **changes}
            examples.append(
                Example(f"i{item}", f"s{quality}", " ".join(kept) or "cat", TABLE, (reference,), human)
            )
    return examples


@pytest.mark.parametrize(
    ("text", "parameter", "default", "values"),
    [
        ("parent(mix=*)", "mix", "parent", [number / 20 for number in range(21)]),
        (' parent( orders = *, tokens="whitespace") ', "orders", 'parent(tokens="whitespace")', range(1, 11)),
        ("chrf(word_order=*)", "word_order", "chrf", range(11)),
        ("bleu_t(alpha=*)", "alpha", "bleu_t", [number / 20 for number in range(21)]),
    ],
)
def test_a_grid_by_default(text, parameter, default, values):
    grid = make_grid(text)
    assert grid.parameter == parameter
    assert grid.default == parse(default)
    assert [value for value in values if value in grid.settings] == list(grid.settings)
    assert all(getattr(metric, parameter) == value for value, metric in grid.settings.items())
    assert len(grid.settings) > 3
    assert grid.default in grid.metrics
    assert len(set(grid.metrics)) == len(grid.metrics)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0:1:0.25", [0, 0.25, 0.5, 0.75, 1]),
        ("0.1:0.5:0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("0.05, 0.7,0.05", [0.05, 0.7]),
        ("0:0.25:0.1", [0, 0.1, 0.2]),
    ],
)
def test_a_given_grid(text, values):
    assert list(make_grid("parent(mix=*)", text).settings) == values


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        (
            "parent",
            None,
            "cannot read 'parent'; write a metric with one * to tune, such as parent(mix=*)",
        ),
        ("parent(mix=*, orders=*)", None, "cannot read 'parent(mix=*, orders=*)'; write"),
        ("parent(mix=**)", None, "cannot read 'parent(mix=**)'; write"),
        ("parent(*)", None, "cannot read 'parent(*)'; write"),
        ("*", None, "cannot read '*'; write"),
        ("parent(mix=*", None, "cannot read 'parent(mix=*'; write"),
        ("parent(mix=\n*)", None, r"cannot read 'parent(mix=\n*)'; write"),
        ('parent(tokens="*")', None, "cannot read 'parent(tokens=\"*\")'; write"),
        ("parnt(mix=*)", None, "no metric 'parnt'; did you mean 'parent'?"),
        ("parent(mx=*)", None, "parent has no parameter 'mx'; did you mean 'mix'? parameters are"),
        ("parent(orders=99, mix=*)", None, "parent: orders is 99; it must be a whole number from 1 to 20"),
        (
            "parent(tokens=*)",
            None,
            "parent: tokens is no number and cannot be tuned; numbers are mix, orders, smoothing",
        ),
        ("cider_d(sigma=*)", None, "cider_d: sigma has no natural range; give `values`"),
        ("parent(mix=*)", "0:2:0.5", "parent: mix is 1.5; it must be auto or a number from 0 to 1"),
        ("parent(mix=*)", "0:1", "cannot read the grid '0:1'; write values such as 1,2,4 or a range"),
        ("parent(mix=*)", "", "cannot read the grid ''; write"),
        ("parent(mix=*)", "a,b", "cannot read the grid 'a,b'; write"),
        ("parent(mix=*)", "nan,1", "cannot read the grid 'nan,1'; write"),
        ("parent(mix=*)", "0:inf:1", "cannot read the grid '0:inf:1'; write"),
        ("parent(mix=*)", "1:0:0.1", "cannot read the grid '1:0:0.1'; write"),
        ("parent(mix=*)", "0:1:0", "cannot read the grid '0:1:0'; write"),
        ("parent(mix=*)", "1", "the grid '1' is too small or too large; give 2 to 1,000 values"),
        ("parent(mix=*)", "0:1:1e-9", "the grid '0:1:1e-9' is too small or too large; give"),
    ],
)
def test_misuse(text, values, message):
    with pytest.raises(UsageError) as caught:
        make_grid(text, values)
    assert str(caught.value).startswith(message)


def by_hand(examples, spec, level, often):
    """Pearson's r where each item comes as often as it says, by the plain way."""
    metric = parse(spec)
    kept = [example for example in examples for _ in range(int(often[int(example.item[1:])]))]
    if not kept:
        return math.nan
    sign = 1 if metric.higher_is_better else -1

    def r(values, ratings):
        if len(set(values)) < 2 or len(set(ratings)) < 2:
            return math.nan
        return stats.pearsonr(np.array(values) * sign, ratings).statistic

    if level == "system":
        groups = [[e for e in kept if e.system == system] for system in sorted({e.system for e in kept})]
        ratings = [np.mean([e.human["semantics"] for e in group]) for group in groups]
        return r([metric.score(group).corpus for group in groups], ratings)
    if level == "example":
        return r(list(metric.score(kept).values), [e.human["semantics"] for e in kept])
    found = []
    for item in sorted({e.item for e in kept}):
        mine = [e for e in examples if e.item == item]
        value = r(list(metric.score(mine).values), [e.human["semantics"] for e in mine])
        found += [value] * sum(e.item == item for e in kept)
    return np.nanmean(found) if not np.isnan(found).all() else math.nan


@pytest.mark.parametrize("level", ["system", "example", "item"])
@pytest.mark.parametrize("text", ["parent(mix=*)", "bleu(orders=*)"])
def test_chosen_on_drawn_items_and_judged_on_others(text, level):
    examples = make()
    grid = make_grid(text, "0,0.5,1" if text.startswith("parent") else "1,2,4")
    found = tune(score_panel([examples], grid.metrics), grid, level=level, draws=DRAWS, seed=7)
    (tuned,) = found.tuned
    specs = [setting.metric for setting in tuned.settings]
    (weights,) = Draws(9, DRAWS, 7).chunks()
    inside = np.array([[by_hand(examples, spec, level, row) for spec in specs] for row in weights])
    assert [one.correlation.value for one in tuned.settings] == pytest.approx(inside[0].tolist())
    assert tuned.best.metric == specs[int(np.nanargmax(inside[0]))]
    assert tuned.default.value == pytest.approx(by_hand(examples, found.default, level, weights[0]))
    best = np.nanargmax(inside[1:], axis=1)
    assert [one.chosen for one in tuned.settings] == pytest.approx(np.bincount(best, minlength=3) / DRAWS)
    left = [row == 0 for row in weights[1:]]
    chosen = [by_hand(examples, specs[index], level, row) for index, row in zip(best, left, strict=True)]
    default = [by_hand(examples, found.default, level, row) for row in left]
    gain = np.array(chosen) - default
    assert tuned.out_of_bag.tuned.mean == pytest.approx(np.mean(chosen))
    assert tuned.out_of_bag.default.mean == pytest.approx(np.mean(default))
    assert tuned.out_of_bag.gain == pytest.approx((gain.mean(), *np.quantile(gain, (0.025, 0.975))))
    assert 0 < tuned.out_of_bag.p <= 1


def test_noise_gives_no_gain():
    generator = np.random.default_rng(0)
    examples = [
        Example(e.item, e.system, e.text, e.table, e.references, {"semantics": float(generator.random())})
        for e in make(items=40)
    ]
    grid = make_grid("parent(mix=*)")
    (tuned,) = tune(score_panel([examples], grid.metrics), grid, level="example", draws=200).tuned
    assert tuned.best.correlation.value >= tuned.default.value
    assert tuned.out_of_bag.gain.low < 0 < tuned.out_of_bag.gain.high
    assert tuned.out_of_bag.tuned.mean < tuned.best.correlation.value


def test_undefined_has_a_reason():
    examples = make(semantics=2.0)
    grid = make_grid("parent(mix=*)", "0,1")
    panel = score_panel([examples], grid.metrics)
    (tuned,) = tune(panel, grid, draws=5).tuned
    assert tuned.best is None
    assert tuned.settings[0].correlation.reason == "all ratings are equal"
    assert math.isnan(tuned.settings[0].chosen)
    assert tuned.out_of_bag.reason == "no draw leaves out items with a correlation"
    (tuned,) = tune(panel, grid, draws=0).tuned
    assert tuned.out_of_bag.reason == "nothing was drawn"
    assert math.isnan(tuned.out_of_bag.p)


def test_one_item_leaves_none_out():
    grid = make_grid("parent(mix=*)", "0,1")
    (tuned,) = tune(score_panel([make(items=1)], grid.metrics), grid, draws=5).tuned
    assert tuned.best is not None
    assert tuned.out_of_bag.reason == "no draw leaves out items with a correlation"


def test_each_rating_and_what_is_left_out():
    examples = make()
    bare = Example("i0", "s0", "cat", TABLE, (), {"semantics": 1.0, "fluency": 2.0})
    rated = [
        Example(
            e.item, e.system, e.text, e.table, e.references, {**e.human, "fluency": -e.human["semantics"]}
        )
        for e in examples[1:]
    ]
    grid = make_grid("parent(mix=*)", "0,0.5")
    panel = score_panel([[bare, *rated]], grid.metrics)
    found = tune(panel, grid, draws=5)
    assert [one.human for one in found.tuned] == ["semantics", "fluency"]
    assert [one.examples_left_out for one in found.tuned] == [1, 1]
    assert tune(panel, grid, humans=["fluency"], draws=5).tuned == found.tuned[1:]
