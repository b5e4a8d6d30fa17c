"""Metrics that say what is wrong with a text, against people who say so."""

import csv
import io
import lzma
import math
from array import array
from collections import Counter

import numpy as np
import orjson
import pytest
from scipy import stats

from factable import Example, Record, Table, UsageError
from factable.core.metric import Metric, metric, param
from factable.core.registry import parse
from factable.core.results import Analysis
from factable.io.formats import open_format
from factable.report.formats import render
from factable.report.verdict_study import verdicts_output
from factable.study.panel import score_panel
from factable.study.verdicts import LABELS, TWO_LABELS, study_verdicts
from helpers.paths import DATA
from helpers.peers import Peer

metrics = Peer("sklearn.metrics")
contingency_tables = Peer("statsmodels.stats.contingency_tables")
multitest = Peer("statsmodels.stats.multitest")

E2E = DATA / "e2e" / "primary_slot_error.tsv.xz"
LABELS_OF = {"added": 2, "missing": 1, "valerr": 3}


@metric
class Judge(Metric):
    """Says of a text what its words say: "less" is an omission, "more" a hallucination, "?" no verdict."""

    name = "judge"
    parts = ("omission", "hallucination", "confidence")
    needs = frozenset()

    strict: bool = param(True, "whether little is too little")

    def analyse(self, examples, state=None):
        values, parts = array("d"), {part: array("d") for part in self.parts}
        for example in examples:
            words = example.text.split()
            labels = {
                "omission": float("less" in words and (self.strict or "much" in words)),
                "hallucination": float("more" in words),
                "confidence": float(words[-1]) if words[-1] != "?" else math.nan,
            }
            for part, value in labels.items():
                parts[part].append(value if words[-1] != "?" else math.nan)
            values.append(
                math.nan
                if words[-1] == "?"
                else float(not labels["omission"] and not labels["hallucination"])
            )
        reasons = {index: "no verdict" for index, value in enumerate(values) if math.isnan(value)}
        return Analysis(values, parts, reasons)


def make(items=40, systems=3, seed=0):
    """Texts whose words say mostly what the labels and ratings say."""
    generator = np.random.default_rng(seed)
    examples = []
    for item in range(items):
        table = Table(tuple(Record("", f"a{n}", "x") for n in range(1 + item % 3)))
        for system in range(systems):
            label = int(generator.choice(4, p=[0.4, 0.3, 0.2, 0.1]))
            seen = label if generator.random() < 0.7 else int(generator.integers(4))
            confidence = (seen == 0) / 2 + generator.random() / 2
            much = "much " if generator.random() < 0.5 else ""
            text = f"a {much}{'less ' * (seen & 1)}{'more ' * (seen >> 1)}{confidence}"
            human = {
                "omission": label & 1,
                "hallucination": 2.0 * (label >> 1),
                "semantics": 3.0 - (label > 0) - generator.random(),
            }
            examples.append(Example(f"i{item}", f"s{system}", text, table, ("a less more b",), human))
    return examples


def labels_of(examples):
    gold = [e.human["omission"] + 2 * (e.human["hallucination"] > 0) for e in examples]
    said = [("less" in e.text) + 2 * ("more" in e.text) for e in examples]
    return np.array(gold, dtype=int), np.array(said)


@pytest.fixture(scope="module")
def examples():
    return make()


@pytest.fixture(scope="module")
def panel(examples):
    return score_panel([examples], [Judge(), Judge(strict=False), parse("chrf"), parse("bleu")])


@pytest.fixture(scope="module")
def labelled(panel):
    return study_verdicts(panel, draws=50)


def measured(numbers):
    return [number.value for number in numbers]


@pytest.mark.packages
def test_four_labels(examples, labelled):
    gold, said = labels_of(examples)
    whole = labelled.agreements[0].all_texts
    assert whole.examples == len(examples)
    assert whole.four_way.labels == LABELS
    assert whole.four_way.counts == tuple(map(tuple, metrics.confusion_matrix(gold, said).tolist()))
    assert whole.four_way.accuracy.value == pytest.approx(metrics.accuracy_score(gold, said))
    expected = np.transpose(metrics.precision_recall_fscore_support(gold, said)[:3])
    for rates, others in zip(whole.four_way.classes.values(), expected, strict=True):
        assert measured(rates) == pytest.approx(others.tolist())
        assert all(one.low <= one.mean <= one.high for one in rates)


@pytest.mark.packages
def test_two_labels(examples, labelled):
    gold, said = (numbers > 0 for numbers in labels_of(examples))
    two = labelled.agreements[0].all_texts.two_way
    assert two.labels == TWO_LABELS
    assert two.counts == tuple(map(tuple, metrics.confusion_matrix(gold, said).tolist()))
    assert two.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy_score(gold, said))
    expected = metrics.precision_recall_fscore_support(gold, said, average="binary")[:3]
    assert measured(two.classes["not OK"]) == pytest.approx(expected)
    assert labelled.agreements[0].cut is None
    assert labelled.agreements[2].all_texts.four_way is None


def test_by_number_of_facts(examples, labelled):
    gold, said = labels_of(examples)
    facts = np.array([len(example.table.records) for example in examples])
    by_facts = labelled.agreements[0].by_facts
    assert list(by_facts) == [1, 2, 3]
    for number, group in by_facts.items():
        mine = facts == number
        assert group.examples == mine.sum()
        assert group.four_way.accuracy.value == pytest.approx((gold == said)[mine].mean())
        assert group.two_way.accuracy.value == pytest.approx(((gold > 0) == (said > 0))[mine].mean())


@pytest.mark.packages
def test_ratings_from_a_threshold_on(examples, panel):
    found = study_verdicts(panel, humans=["semantics"], thresholds=[2.2, 1.5], draws=20)
    assert found.golds == ("semantics >= 2.2", "semantics >= 1.5")
    rating = np.array([example.human["semantics"] for example in examples])
    said = labels_of(examples)[1] > 0
    first = found.agreements[0]
    assert first.all_texts.four_way is None
    confusion = metrics.confusion_matrix(rating < 2.2, said)
    assert first.all_texts.two_way.counts == tuple(map(tuple, confusion.tolist()))
    confidence = [float(example.text.split()[-1]) for example in examples]
    assert first.correlations["spearman"].value == pytest.approx(
        stats.spearmanr(confidence, rating).statistic
    )
    assert first.correlations["pearson"].value == pytest.approx(stats.pearsonr(confidence, rating).statistic)
    bleu = np.array(panel.result.scores[3].values)
    found_of_bleu = found.agreements[3].correlations["spearman"].value
    assert found_of_bleu == pytest.approx(stats.spearmanr(bleu, rating).statistic)
    assert study_verdicts(panel, humans=["semantics"], draws=0).golds == (
        "semantics >= 2.5",
        "semantics >= 2",
    )


def test_labels_have_no_correlations(labelled):
    assert labelled.golds == ("omission and hallucination",)
    assert not labelled.agreements[0].correlations


@pytest.mark.packages
@pytest.mark.parametrize(("spec", "sign"), [("bleu", 1), ("ter", -1)])
def test_a_given_cut(examples, spec, sign):
    panel = score_panel([examples], [parse(spec)])
    values = np.array(panel.result.scores[0].values)
    # The best value there is: a text that is as good as the cut is OK.
    cut = float(sign * (sign * values).max())
    (verdict,) = study_verdicts(panel, cuts={parse(spec): cut}, draws=0).agreements
    wrong = ~(sign * values >= sign * cut)
    expected = metrics.confusion_matrix(labels_of(examples)[0] > 0, wrong)
    assert 0 < wrong.sum() < len(wrong)
    assert verdict.all_texts.two_way.counts == tuple(map(tuple, expected.tolist()))
    assert verdict.cut == (cut, ())


def test_a_chosen_cut_is_in_the_metrics_own_scale(examples):
    lines = [
        Example(
            e.item, e.system, "a b c" if e.human["omission"] else "a b c d", e.table, ("a b c d",), e.human
        )
        for e in examples
    ]
    panel = score_panel([lines], [parse("ter"), parse("bleu")])
    found = study_verdicts(panel, omission=["omission"], hallucination=["omission"], draws=0)
    for verdict in found.agreements:
        assert verdict.all_texts.two_way.accuracy.value == 1.0
        assert len(verdict.cut.folds) == 1
    assert found.agreements[0].cut.value == pytest.approx(25 / 2)
    assert 50 < found.agreements[1].cut.value < 100


def test_no_cut_finds_what_is_not_there():
    # Labels are drawn apart from texts: an honest figure is near one half, however fine the cut.
    generator = np.random.default_rng(5)
    table = Table((Record("", "a", "x"),))
    lines = [
        Example(
            str(n),
            "",
            "".join(map(chr, generator.integers(97, 110, size=12))),
            table,
            ("abcdefghijkl",),
            {"semantics": float(generator.integers(2))},
        )
        for n in range(400)
    ]
    found = study_verdicts(
        score_panel([lines], [parse("chrf")]), humans=["semantics"], thresholds=[1], draws=0
    )
    assert found.agreements[0].all_texts.two_way.balanced_accuracy.value == pytest.approx(0.5, abs=0.06)


@pytest.mark.packages
def test_differences_are_tested(examples, labelled):
    gold, said = labels_of(examples)
    lax = np.array([("less" in e.text and "much" in e.text) + 2 * ("more" in e.text) for e in examples])
    (found,) = (one for one in labelled.differences if one.ways == "four-way")
    right, other = said == gold, lax == gold
    assert found.difference.value == pytest.approx(right.mean() - other.mean())
    assert (found.only_better, found.only_worse) == ((right & ~other).sum(), (other & ~right).sum())
    table = metrics.confusion_matrix(right, other)
    exact = table[0, 1] + table[1, 0] < 25
    assert found.p_mcnemar == pytest.approx(contingency_tables.mcnemar(table, exact=exact).pvalue)
    two_way = [one for one in labelled.differences if one.ways == "two-way"]
    assert len(two_way) == 6
    expected = multitest.multipletests([one.p_mcnemar for one in two_way], method="holm")[1]
    assert [one.p_holm for one in two_way] == pytest.approx(expected.tolist())
    assert all(one.difference.value >= 0 for one in two_way)


def test_what_has_no_label_is_left_out(examples):
    first = examples[0]
    lines = [
        Example(first.item, first.system, "a ?", first.table, first.references, first.human),
        Example("i0", "s1", "a 0.5", first.table, (), {"omission": 1}),
        *examples[2:],
    ]
    panel = score_panel([lines], [Judge(), parse("bleu")])
    found = study_verdicts(panel, draws=5)
    assert [one.left_out for one in found.agreements] == [2, 1]
    (difference,) = found.differences
    alone = study_verdicts(score_panel([examples[2:]], [Judge()]), draws=5).agreements[0]
    assert found.agreements[0].all_texts.two_way.counts == alone.all_texts.two_way.counts
    assert difference.only_better + difference.only_worse <= len(examples) - 2


def test_undefined_has_a_reason(examples):
    fine = [
        Example(e.item, e.system, "a 0.5", e.table, human={"omission": 0, "hallucination": 0})
        for e in examples
    ]
    (verdict,) = study_verdicts(score_panel([fine], [Judge()]), draws=10).agreements
    two = verdict.all_texts.two_way
    assert two.accuracy.value == 1
    assert two.balanced_accuracy.reason == "people call no text not OK"
    assert two.classes["not OK"].precision.reason == "the metric calls no text not OK"
    assert two.classes["not OK"].recall.reason == "people call no text not OK"
    assert two.classes["not OK"].f1.reason == "neither people nor the metric call a text not OK"
    assert math.isnan(two.classes["not OK"].f1.value)
    none = [Example(e.item, e.system, "a ?", e.table, human=e.human) for e in examples]
    (verdict,) = study_verdicts(
        score_panel([none], [Judge()]), humans=["semantics"], thresholds=[2]
    ).agreements
    assert verdict.all_texts.two_way.accuracy.reason == "no text has both labels"
    assert verdict.correlations["pearson"].reason == "fewer than two points"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"humans": ["semantics"], "omission": ["omission"]}, "`humans` names ratings, `omission` and"),
        ({"thresholds": [2.0]}, "`thresholds` applies to ratings; name them with `humans`"),
        ({"humans": ["semantics"], "thresholds": [math.nan]}, "`thresholds` has nan; give a finite number"),
        ({"humans": ["semantic"]}, "no rating 'semantic'; did you mean 'semantics'?"),
        (
            {"omission": ["missing"]},
            "no rating 'missing' among omission, hallucination, semantics; name ratings with `humans`",
        ),
        ({"cuts": {parse("ter"): 3.0}}, "`cuts` names ter, which is not studied; add it with `metrics`"),
        ({"cuts": {Judge(): 0.5}}, "`cuts` names judge, which gives labels and takes no cut; drop it"),
    ],
)
def test_misuse(panel, options, message):
    with pytest.raises(UsageError) as caught:
        study_verdicts(panel, **options)
    assert str(caught.value).startswith(message)


def test_one_item_has_no_others_to_choose_a_cut_on(examples):
    panel = score_panel([examples[:3]], [parse("chrf")])
    with pytest.raises(
        UsageError, match="1 item, but the cut of chrf is chosen on others; add items or give"
    ):
        study_verdicts(panel)
    assert study_verdicts(panel, cuts={parse("chrf"): 50.0}).agreements[0].all_texts.examples == 3


@pytest.mark.data("e2e")
def test_slot_errors_of_the_e2e_challenge():
    lines = open_format("e2e-outputs")([str(E2E)])
    silent = [Example(e.item, e.system, "a 1", e.table, human=e.human) for e in lines]
    options = {"omission": ["missing", "valerr"], "hallucination": ["added", "valerr"]}
    (verdict,) = study_verdicts(score_panel([silent], [Judge()]), **options, draws=10).agreements
    with lzma.open(E2E, "rt", encoding="utf-8", newline="") as stream:
        expected = Counter(
            sum({bit for name, bits in LABELS_OF.items() if int(row[name]) for bit in (1, 2) if bits & bit})
            for row in csv.DictReader(stream, delimiter="\t")
        )
    assert [counts[0] for counts in verdict.all_texts.four_way.counts] == [expected[n] for n in range(4)]
    assert verdict.gold == "missing/valerr and added/valerr"


def test_four_labels_in_every_form(labelled):
    output = verdicts_output(labelled)
    (verdict,) = orjson.loads(render(output, "json"))["metrics"][0]["verdicts"].values()
    four = labelled.agreements[0].all_texts.four_way
    assert list(verdict["four_way"]["classes"]) == list(LABELS)
    assert verdict["four_way"]["confusion"]["omission"]["OK"] == four.counts[1][0]
    assert verdict["four_way"]["accuracy"]["value"] == four.accuracy.value
    assert verdict["cut"] is None
    rows = list(csv.DictReader(io.StringIO(render(output, "csv").decode())))
    mine = [row for row in rows if row["metric"] == "judge" and row["facts"] == ""]
    assert [row["ways"] for row in mine].count("four-way") == 2 + 4 * 3
    table = render(output, "table").decode()
    assert " omission and hallucination: four-way, rates of judge (0–1)\n" in table
    assert "omission+hallucination" in render(output, "markdown").decode()
    assert r"judge(strict=False)" in render(output, "latex").decode()
