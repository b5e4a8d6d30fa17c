"""Errors that metrics mark, against those that people mark."""

import math
from array import array

import numpy as np
import pytest
from scipy import stats

from factable import DataError, UsageError
from factable.core.metric import Metric, metric
from factable.core.results import Analysis
from factable.io.marked_texts import read_marked_texts
from factable.report import show
from factable.study import study_spans
from factable.study.spans import STATISTICS
from factable.types import Finding


@metric
class Shouting(Metric):
    """Words in capitals are wrong; "?" cannot be scored."""

    name = "shouting"
    parts = ("probability",)
    needs = frozenset()

    def analyse(self, examples, state=None):
        found = [list(shouted(example.text)) for example in examples]
        unknown = {index: "?" for index, example in enumerate(examples) if example.text == "?"}
        chances = array("d", [math.nan if n in unknown else 1 / (1 + len(f)) for n, f in enumerate(found)])
        findings = [
            (*(Finding("unsupported", span=span) for span in spans), Finding("supported", span=(0, 1)))
            for spans in found
        ]
        return Analysis(chances, {"probability": chances}, unknown, find=lambda: findings)


def shouted(text):
    start = 0
    for word in text.split(" "):
        if word.isupper():
            yield start, start + len(word)
        start += len(word) + 1


def row(item, text, spans, system="a", **more):
    return {"id": item, "system": system, "data": {"x": "y"}, "text": text, "spans": spans, **more}


# Characters marked: 4 + 3, 3, 0, 3; by people: 4, 0, 5, 3 + 4; by both: 4, 0, 0, 3.
ROWS = [
    row("1", "GOOD and BAD", [[0, 4, "name"]], meta={"domain": "music"}, judges={"j": [[0, 12]]}),
    row("1", "all ONE way", [], "b", meta={"domain": "music"}, judges={"j": []}),
    row("2", "this is wrong", [[8, 13, "word"]], meta={"domain": "film"}, judges={"j": [[7, 13, "x"]]}),
    row("2", "TWO and then more", [[0, 3, "name"], [13, 17]], "b", meta={"domain": "film"}),
]


def numbers(rates):
    return {name: number.value for name, number in rates.statistics.items()}


def test_characters_and_overlaps():
    (marker, judge) = study_spans(ROWS, [Shouting()], draws=20).markers
    found = marker.all_texts
    assert (found.texts, found.faulty, found.marks, found.spans) == (4, 3, 4, 4)
    values = numbers(found)
    assert tuple(values) == STATISTICS
    assert values["character_precision"] == pytest.approx(7 / 13)
    assert values["character_recall"] == pytest.approx(7 / 16)
    assert values["character_f1"] == pytest.approx(2 * 7 / (13 + 16))
    assert (values["overlap_precision"], values["overlap_recall"], values["overlap_f1"]) == (0.5, 0.5, 0.5)
    # Marks are 2, 1, 0 and 1; the second text is the clean one.
    assert values["auc"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert (values["false_alarms"], values["missed"]) == (1.0, pytest.approx(1 / 3))
    interval = found.statistics["character_f1"]
    assert interval.low <= interval.mean <= interval.high
    assert (judge.name, judge.kind, judge.left_out, judge.all_texts.texts) == ("j", "judge", 1, 3)
    # White space at the ends of a span does not count, inside it does.
    assert judge.all_texts.statistics["character_precision"].value == pytest.approx((4 + 5) / (12 + 5))


def test_groups_and_categories():
    (marker, judge) = study_spans(ROWS, [Shouting()], draws=0).markers
    assert {name: rates.texts for name, rates in marker.by_domain.items()} == {"music": 2, "film": 2}
    assert {name: rates.texts for name, rates in marker.by_system.items()} == {"a": 2, "b": 2}
    assert {name: rates.texts for name, rates in judge.by_system.items()} == {"a": 2, "b": 1}
    recalls = {name: (one.spans, one.character_recall.value) for name, one in marker.by_category.items()}
    assert recalls == {"": (1, 0.0), "name": (2, 1.0), "word": (1, 0.0)}
    assert marker.by_category["name"].overlap_recall.value == 1.0
    assert math.isnan(marker.all_texts.statistics["auc"].low)


def test_a_text_that_cannot_be_scored_is_left_out():
    rows = [*ROWS, row("3", "?", [[0, 1]])]
    marker = study_spans(rows, [Shouting()], draws=0).markers[0]
    assert (marker.left_out, marker.all_texts.texts) == (1, 4)


def random_rows(texts=60, seed=0):
    generator = np.random.default_rng(seed)
    rows = []
    for number in range(texts):
        words = [word.upper() if generator.random() < 0.3 else word for word in ["abc", "de", "fghi"] * 4]
        text = " ".join(words)
        spans = []
        for start in generator.integers(0, len(text) - 6, size=generator.integers(0, 4)).tolist():
            spans.append([start, start + int(generator.integers(1, 6)), str(generator.integers(2))])
        rows.append(row(number // 2, text, spans, system=str(number % 2)))
    return rows


def test_against_plain_counts_and_scipy():
    rows = random_rows()
    values = numbers(study_spans(rows, [Shouting()], draws=0).markers[0].all_texts)
    both = of_metric = of_people = 0
    counts = []
    for each in rows:
        text = each["text"]
        wrong, marked = np.zeros((2, len(text)), dtype=bool)
        for start, end, _ in each["spans"]:
            inside = [index for index in range(start, end) if text[index] != " "]
            if inside:
                wrong[inside[0] : inside[-1] + 1] = True
        for start, end in shouted(text):
            marked[start:end] = True
        both, of_metric, of_people = (
            both + (wrong & marked).sum(),
            of_metric + marked.sum(),
            of_people + wrong.sum(),
        )
        runs = np.diff(np.concatenate([[0], wrong.astype(int)])) == 1
        counts.append((len(list(shouted(text))), runs.sum()))
    assert values["character_precision"] == pytest.approx(both / of_metric)
    assert values["character_recall"] == pytest.approx(both / of_people)
    assert values["character_f1"] == pytest.approx(2 * both / (of_metric + of_people))
    said, true = np.transpose(counts)
    faulty = true > 0
    pairs = faulty.sum() * (~faulty).sum()
    assert values["auc"] == pytest.approx(stats.mannwhitneyu(said[faulty], said[~faulty]).statistic / pairs)
    assert values["spearman"] == pytest.approx(stats.spearmanr(said, true).statistic)
    assert values["kendall_b"] == pytest.approx(stats.kendalltau(said, true).statistic)


def test_the_same_seed_gives_the_same_intervals():
    rows = random_rows()
    first, same, other = (study_spans(rows, [Shouting()], draws=30, seed=seed) for seed in (0, 0, 1))
    assert show(first, "json") == show(same, "json")
    assert show(first, "json") != show(other, "json").replace('"seed":1', '"seed":0')


def test_items_are_drawn_with_all_their_texts():
    # One item: every draw is the data itself.
    rows = [
        row("1", text, spans, system=str(n))
        for n, (text, spans) in enumerate([("A b", [[2, 3]]), ("A b", [])])
    ]
    auc = study_spans(rows, [Shouting()], draws=20).markers[0].all_texts.statistics["auc"]
    assert (auc.value, auc.low, auc.high) == (0.5, 0.5, 0.5)


def test_labels_of_a_judge_as_the_truth():
    labels = [True, False, None, True]
    rows = [
        {**each, "spans": None, "judges": {"yes": label, "no": False, "where": [[0, 3]]}}
        for each, label in zip(ROWS, labels, strict=True)
    ]
    found = study_spans(rows, [Shouting()], gold="yes", draws=10)
    assert [marker.name for marker in found.markers] == ["shouting", "no", "where"]
    marker, no, _ = found.markers
    assert (marker.left_out, marker.has_spans, marker.all_texts.faulty) == (1, False, 2)
    values = numbers(marker.all_texts)
    assert values["auc"] == pytest.approx((1 + 0.5) / 2)
    assert math.isnan(values["character_f1"])
    assert marker.all_texts.statistics["overlap_f1"].reason == "yes gives labels, no spans"
    assert (numbers(no.all_texts)["false_alarms"], numbers(no.all_texts)["missed"]) == (0.0, 1.0)
    # The spans of a judge can be the truth as well, and labels can be measured against spans.
    by_spans = study_spans(rows, [Shouting()], gold="where", draws=0).markers
    assert by_spans[0].all_texts.spans == 4
    assert by_spans[1].all_texts.statistics["character_f1"].reason == "yes gives labels, no spans"


def test_further_people():
    rows = [
        {**ROWS[0], "golds": [ROWS[0]["spans"], [[0, 4]], []]},
        {**ROWS[1], "golds": [[], [[0, 3]]]},
        ROWS[2],
    ]
    found = {marker.name: marker for marker in study_spans(rows, [Shouting()], draws=0).markers}
    assert [(name, one.kind, one.left_out) for name, one in found.items()][2:] == [
        ("person 2", "person", 1),
        ("person 3", "person", 2),
    ]
    assert numbers(found["person 2"].all_texts)["character_precision"] == pytest.approx(4 / 7)


def test_clean_texts_only():
    values = study_spans([ROWS[1]], [Shouting()], draws=5).markers[0].all_texts.statistics
    assert values["auc"].reason == "all texts have an error, or none has"
    assert values["character_recall"].reason == "there is no error to find"
    assert (values["character_f1"].value, values["false_alarms"].value) == (0.0, 1.0)


def test_the_ledger_marks_what_the_data_does_not_say():
    data = [["Alan Bean", "birthPlace", "Wheeler"], ["Alan Bean", "occupation", "test pilot"]]
    texts = ["Alan Bean was a test pilot, born in Wheeler.", "Alan Bean was a test pilot, born in Paris."]
    rows = [
        {"id": number, "data": data, "text": text, "spans": [[36, 41, "name"]] if "Paris" in text else []}
        for number, text in enumerate(texts)
    ]
    values = numbers(study_spans(rows, draws=0).markers[0].all_texts)
    assert (values["auc"], values["overlap_recall"], values["false_alarms"]) == (1.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("changes", "gold", "message"),
    [
        ({"spans": None}, None, 'no text has spans; add "spans": [[start, end, "category"]]'),
        ({}, "gpt-4", 'the data has no judges; add "judges": {"NAME": …} or drop `gold`'),
        (
            {"judges": {"gpt4": True}},
            "gpt-4",
            "no judge 'gpt-4'; did you mean 'gpt4'? judges in the data are gpt4",
        ),
    ],
)
def test_no_truth(changes, gold, message):
    with pytest.raises(UsageError) as error:
        study_spans([row("1", "a text", []) | changes], [Shouting()], gold=gold)
    assert str(error.value) == message


def test_empty_data_and_no_metrics():
    with pytest.raises(DataError, match="holds no texts"):
        study_spans([], [Shouting()])
    with pytest.raises(UsageError, match="`metrics` is empty"):
        study_spans(ROWS, [])


def test_rows_are_read_like_any_example():
    (text,) = read_marked_texts([[{"data": "name[Loch Fyne]", "text": "Loch Fyne", "spans": []}]]).rows
    assert text.example.table.records[0].value == "Loch Fyne"
    assert (text.example.item, text.domain, text.judges, text.others) == ("1", "", {}, ())
