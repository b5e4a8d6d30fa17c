"""Paired tests of BLEU on WebNLG 2017 systems, against those of sacrebleu."""

from functools import cache

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from factable.core.registry import parse
from factable.study.comparison import compare_systems
from factable.study.panel import score_panel
from helpers.webnlg_systems import examples_of, streams

pytestmark = pytest.mark.data("webnlg2017")
DRAWS = 2000
# Systems, and the items from and to; some differ, some hardly, some are far apart.
CASES = [
    ("melbourne", "tilburg-smt", 300, 600),
    ("melbourne", "tilburg-smt", 600, 900),
    ("melbourne", "tilburg-smt", 900, 1200),
    ("tilburg-nmt", "tilburg-template", 300, 600),
    ("tilburg-nmt", "tilburg-template", 1500, 1862),
    ("melbourne", "pkuwriter", 0, 200),
]
UNDECIDED = [("melbourne", "tilburg-smt", 0, 1862), ("tilburg-template", "uit", 0, 60)]


@cache
def by_us(first, second, start, end):
    examples = [*examples_of(first)[start:end], *examples_of(second)[start:end]]
    panel = score_panel([examples], [parse("bleu(lowercase=True)")], need_ratings=False)
    return compare_systems(panel, draws=DRAWS, baseline=first).rankings[0]


def by_sacrebleu(test, first, second, start, end):
    """Results of sacrebleu for both systems; the second has the p."""
    systems = [examples_of(name)[start:end] for name in (first, second)]
    metric = BLEU(lowercase=True, force=True, references=streams(systems[0]))
    named = [(texts[0].system, [one.text for one in texts]) for texts in systems]
    return PairedTest(named, {"BLEU": metric}, None, test_type=test, n_samples=DRAWS)()[1]["BLEU"]


@pytest.mark.parametrize("case", CASES + UNDECIDED, ids=str)
def test_approximate_randomisation(case):
    ranking = by_us(*case)
    baseline, other = by_sacrebleu("ar", *case)
    values = {one.system: one.value for one in ranking.standings}
    assert values == pytest.approx({case[0]: baseline.score, case[1]: other.score}, abs=1e-9)
    assert ranking.differences[0].p_randomization == pytest.approx(other.p_value, abs=0.05)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_intervals(case):
    results = by_sacrebleu("bs", *case)
    standings = {one.system: one for one in by_us(*case).standings}
    for name, result in zip(case[:2], results, strict=True):
        half = (standings[name].high - standings[name].low) / 2
        assert half == pytest.approx(result.ci, rel=0.1)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_paired_bootstrap(case):
    """Where few draws change the sign, sacrebleu's p (of draws that far above their mean) is one-sided."""
    p_bootstrap = by_us(*case).differences[0].p_bootstrap
    other = by_sacrebleu("bs", *case)[1]
    assert p_bootstrap / 2 == pytest.approx(other.p_value, abs=0.02)
