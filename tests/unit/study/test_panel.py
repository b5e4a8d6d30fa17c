"""What studies take: files, examples, several of these, or a panel."""

import json

import pytest

from factable import Example, Record, Table, UsageError
from factable.core.registry import parse
from factable.io.judgements import Preference, Preferences
from factable.study.agreement import study_agreement
from factable.study.comparison import compare_systems
from factable.study.divergence import COVERING, study_divergence
from factable.study.gold import study_gold
from factable.study.panel import as_sources, score_panel
from factable.study.preferences import study_preferences
from factable.study.ratings import study_ratings
from factable.study.tuning import make_grid, tune
from factable.study.verdicts import study_verdicts

TABLE = Table((Record("", "animal", "cat"), Record("", "place", "old mat")))
REFERENCES = ("the cat sat on the old red mat by the door", "on the old mat sat a cat")
SPECS = ["parent", "bleu"]


@pytest.fixture(scope="module")
def examples():
    return [
        Example(
            f"i{item}",
            f"s{quality}",
            " ".join(REFERENCES[0].split()[item % 2 : 3 * quality]),
            TABLE,
            REFERENCES,
            {"semantics": float(quality + item % 3), "entailed": float(item % 2)},
        )
        for item in range(6)
        for quality in (1, 2, 3)
    ]


@pytest.fixture(scope="module")
def panel(examples):
    metrics = [*map(parse, SPECS), *make_grid("parent(mix=*)", "0,1").metrics]
    return score_panel([examples], list(dict.fromkeys(metrics)))


PREFERENCES = Preferences(
    "pairs", "line", tuple(Preference(n, f"i{n}", ("s1", "s3"), "s3", "") for n in range(6))
)
STUDIES = {
    "ratings": lambda data, metrics: study_ratings(data, metrics, humans=["semantics"], draws=5),
    "preferences": lambda data, metrics: study_preferences(data, PREFERENCES, metrics, draws=5),
    "verdicts": lambda data, metrics: study_verdicts(
        data, metrics, humans=["semantics"], cuts={"bleu": 50}, draws=5
    ),
    "divergence": lambda data, metrics: study_divergence(data, metrics, draws=5).divergence,
    "compare": lambda data, metrics: compare_systems(data, metrics, draws=5),
}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_examples_files_and_panels_give_the_same(study, examples, tmp_path):
    rows = [
        {
            "id": example.item,
            "system": example.system,
            "data": [list(record) for record in example.table.records],
            "text": example.text,
            "references": example.references,
            "human": example.human,
        }
        for example in examples
    ]
    path = tmp_path / "examples.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    # As text, because NaN differs from itself.
    expected = repr(study(score_panel([examples], list(map(parse, SPECS))), SPECS))
    assert repr(study(examples, SPECS)) == expected
    assert repr(study([examples[:9], examples[9:]], SPECS)) == expected
    assert repr(study(path, SPECS)) == expected
    assert repr(study([str(path)], map(parse, SPECS))) == expected


def test_tuning_takes_examples_and_a_spec(examples, panel):
    grid = make_grid("parent(mix=*)", "0,1")
    again = tune(examples, grid, humans=["semantics"], draws=5)
    assert [setting.metric for setting in again.tuned[0].settings] == ["parent(mix=0.0)", "parent(mix=1.0)"]
    assert again.tuned[0].best is not None
    assert tune(panel, grid, humans=["semantics"], draws=5).default == again.default == "parent"
    assert len(tune(examples, "parent(mix=*)", humans=["semantics"], draws=0).tuned[0].settings) == 21


def test_gold_and_agreement_take_files(examples, tmp_path):
    assert study_gold(examples, ["bleu"]) == study_gold([examples[:9], examples[9:]], [parse("bleu")])
    path = tmp_path / "annotations.jsonl"
    rows = [{"id": "1", "annotator": name, "human": {"x": 1}} for name in "ab"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert repr(study_agreement(path, draws=0)) == repr(study_agreement([str(path)], draws=0))
    assert study_agreement(path, draws=0).annotators == 2


def test_sources(examples):
    assert as_sources("a.jsonl") == ["a.jsonl"]
    assert as_sources(["a.jsonl", "b.jsonl"]) == ["a.jsonl", "b.jsonl"]
    assert as_sources(examples) == [examples]
    assert as_sources([{"id": "1"}]) == [[{"id": "1"}]]
    assert as_sources([examples, examples]) == [examples, examples]


def test_misuse(examples, panel):
    with pytest.raises(UsageError, match="`metrics` is empty; name at least one metric"):
        study_ratings(examples)
    with pytest.raises(UsageError, match="`level` is 'word'; it must be system, example, item"):
        study_ratings(panel, level="word")
    with pytest.raises(UsageError, match="`level` is 'item'; it must be system, example"):
        study_divergence(panel, ["bleu"], level="item")
    with pytest.raises(UsageError, match="the panel was not scored with chrf; score it with that metric too"):
        study_divergence(panel, ["chrf"])
    bare = score_panel([examples], [parse("bleu")])
    with pytest.raises(UsageError, match="the panel was not scored with parent"):
        study_divergence(bare, ["bleu"])
    assert COVERING in panel.result.metrics
