"""`factable rerank` as users run it."""

import json
from functools import partial

import pytest
from running import write

DATA = "name[Blue Spice], eatType[pub], area[riverside]"
TEXTS = ["It is a French bistro.", "Blue Spice is a pub by the riverside.", "Blue Spice is a pub."]


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "rerank")


@pytest.fixture
def candidates(tmp_path):
    """Three texts of one item without systems, and one of another between them."""
    lines = [{"id": "a", "data": DATA, "text": text, "mine": {"x": [text]}} for text in TEXTS]
    lines.insert(1, {"id": 7, "system": "s", "data": DATA, "text": TEXTS[1]})
    return write(tmp_path / "candidates.jsonl", lines)


def rows(result):
    assert (result.returncode, result.stderr) == (0, b"")
    return [json.loads(row) for row in result.stdout.splitlines()]


def test_rows_come_back_in_order_with_rank_score_and_label(run, candidates):
    given = [json.loads(row) for row in candidates.read_text().splitlines()]
    found = rows(run(candidates))
    assert [(row["id"], row["rank"]) for row in found] == [("a", 1), ("a", 2), ("a", 3), (7, 1)]
    assert [row["text"] for row in found] == [TEXTS[1], TEXTS[2], TEXTS[0], TEXTS[1]]
    assert [row["label"] for row in found][:2] == ["OK", "omission"]
    assert found[0]["score"] > found[1]["score"] > found[2]["score"]
    # All that was in the row is still there.
    added = {"rank", "score", "ok", "label"}
    assert [{k: v for k, v in row.items() if k not in added} for row in found] == [
        given[2],
        given[3],
        given[0],
        given[1],
    ]


def test_best_out_and_jobs(run, candidates, tmp_path):
    found = rows(run(candidates, "--best", "1"))
    assert [row["text"] for row in found] == [TEXTS[1], TEXTS[1]]
    out = tmp_path / "best.jsonl"
    assert run(candidates, "--best", "1", "--out", out, "--jobs", "2").stdout == b""
    assert [json.loads(row) for row in out.read_text().splitlines()] == found


def test_other_metrics_have_no_label(run, candidates, tmp_path):
    lines = [{**json.loads(row), "references": [TEXTS[2]]} for row in candidates.read_text().splitlines()]
    lines[0]["references"] = []
    found = rows(run(write(tmp_path / "with.jsonl", lines), "-m", "ter"))
    assert [row["text"] for row in found[:3]] == [TEXTS[2], TEXTS[1], TEXTS[0]]
    assert [row["score"] for row in found[:3]][::2] == [0.0, None]
    assert all("label" not in row for row in found)


def test_lists_and_tables(run, tmp_path):
    lines = [{"id": "a", "data": DATA, "text": text} for text in TEXTS]
    (tmp_path / "list.json").write_text(json.dumps(lines))
    expected = rows(run("-", stdin="\n".join(map(json.dumps, lines)).encode()))
    assert rows(run(tmp_path / "list.json")) == expected
    table = "id,text,name,eatType,area\n" + "".join(f"a,{text},Blue Spice,pub,riverside\n" for text in TEXTS)
    (tmp_path / "table.csv").write_text(table)
    found = rows(run(tmp_path / "table.csv"))
    assert [row["text"] for row in found] == [row["text"] for row in expected]


def test_items_of_one_text_are_worth_a_word(run, tmp_path):
    lines = [{"data": DATA, "text": text} for text in TEXTS]
    result = run(write(tmp_path / "texts.jsonl", lines))
    assert result.returncode == 0
    assert [json.loads(row)["rank"] for row in result.stdout.splitlines()] == [1, 1, 1]
    assert b"no item has two texts; give texts of the same data the same id" in result.stderr


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ('{"id": 1}\n', (), 'texts.jsonl:1: no "text" field'),
        ("", (), "texts.jsonl: holds no examples"),
        ('{"id": 1, "text": "x", "data": {"a": "b"}}', ("-m", "leger"), "did you mean 'ledger'?"),
        ('{"id": 1, "text": "x", "data": {"a": "b"}}', ("-m", "bleu"), "references"),
        ('{"id": 1, "text": "x", "data": {"a": "b"}}', ("--out", "texts.jsonl"), "is an input too"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, content, arguments, message):
    (tmp_path / "texts.jsonl").write_text(content)
    result = run("texts.jsonl", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, b"")
    assert message in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
