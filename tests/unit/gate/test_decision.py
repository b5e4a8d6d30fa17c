"""Baselines: what is written, read back and compared."""

import io

import orjson
import pytest

from factable.errors import DataError
from factable.gate.baseline import read_baseline, signature_differences
from factable.gate.decision import write_result
from factable.gate.policy import Policy
from helpers.gate_results import make_baseline, make_outcome, make_result


def test_a_result_serves_as_baseline(tmp_path):
    result = make_result([make_outcome("a"), make_outcome("b", "omission", system="")])
    path = tmp_path / "result.json"
    with path.open("wb") as stream:
        write_result(result, stream)
    baseline = read_baseline(str(path))
    assert baseline.signature == result.signature
    assert baseline.rates == {"contradiction": 0.0, "hallucination": 0.0, "omission": 0.5}
    assert baseline.labels == {("a", "mine"): "OK", ("b", ""): "omission"}
    assert path.read_bytes().count(b"\n") == 4


def test_document():
    stream = io.BytesIO()
    write_result(make_result([make_outcome("a", "hallucination")], Policy(("hallucination",))), stream)
    document = orjson.loads(stream.getvalue())
    assert document["passed"] is False
    assert (document["fail_on"], document["max_rate"]) == (["hallucination"], {"hallucination": 0.0})
    assert document["examples"] == [
        {
            "id": "a",
            "system": "mine",
            "label": "hallucination",
            "probability": 0.9,
            "text": "The Eagle is by the river.",
        }
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}", 'no "rates" field'),
        (b"[]", "a list instead of an object"),
        (b'{"rates": {}, "examples": []', "broken JSON"),
        (b'{"rates": {"hallucination": {"value": 0.1}}, "examples": [], "signature": ""}', "null instead of"),
        (b'{"rates": 1, "examples": []}', '"rates" is a number'),
    ],
)
def test_other_files_are_no_baseline(tmp_path, content, message):
    path = tmp_path / "old.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match="give a file that factable gate --out wrote") as raised:
        read_baseline(str(path))
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)


def test_changes():
    baseline = make_baseline(
        {
            "same": "OK",
            "worse": "OK",
            "also": "omission",
            "known": "omission",
            "better": "omission",
            "gone": "OK",
        }
    )
    outcomes = [
        make_outcome("same"),
        make_outcome("worse", "hallucination"),
        make_outcome("also", "omission+hallucination"),
        make_outcome("known", "omission"),
        make_outcome("better"),
        make_outcome("new"),
        make_outcome("new and bad", "omission"),
    ]
    result = make_result(outcomes, baseline=baseline)
    assert result.changes.worse == (("worse", "mine"), ("also", "mine"))
    assert result.changes[1:] == (1, 2, 1)
    assert [outcome.item for outcome in result.news()] == ["worse", "also", "new and bad"]
    # Omissions do not count here.
    changes = make_result(outcomes, Policy(("hallucination",)), baseline).changes
    assert (len(changes.worse), changes.better) == (2, 0)


def test_only_regressions_fail():
    outcomes = [make_outcome("a", "omission"), make_outcome("b")]
    assert not make_result(outcomes).passed
    assert make_result(outcomes, baseline=make_baseline({"b": "omission"}, omission=0.5)).passed
    assert not make_result(outcomes, baseline=make_baseline({"b": "OK"}, omission=0.4)).passed


def test_signatures_differ_in_what_made_them():
    now = "ledger|omission:0.5|near:a:b|unscored:1|v:1"
    assert signature_differences(now, now.replace("unscored:1", "unscored:7")) == []
    assert signature_differences(now, "ledger|omission:0.6|near:a:b|v:1|old:1") == [
        "omission 0.5 (baseline: 0.6)",
        "old none (baseline: 1)",
    ]
    assert signature_differences("ledger", "nli") == ["metric ledger (baseline: nli)"]
