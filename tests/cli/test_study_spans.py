"""`factable study spans` as users run it."""

import csv
import gzip
import io
import json
from functools import partial

import pytest
from running import document, write

DATA = {"name": "Blue Spice", "area": "riverside", "food": "Italian"}
RIGHT = "Blue Spice is an Italian place at the riverside."
WRONG = "Blue Spice is a Chinese place at the riverside."


def make_rows():
    rows = []
    for item in range(6):
        for system, text in (("first", RIGHT), ("second", WRONG if item % 2 else RIGHT)):
            spans = [[16, 23, "food"]] if text == WRONG else []
            rows.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": DATA,
                    "text": text,
                    "spans": spans,
                    "golds": [spans, spans],
                    "judges": {"spans": [[0, 10]], "label": text == WRONG},
                    "meta": {"domain": "even" if item % 2 == 0 else "odd"},
                }
            )
    return rows


# A metric that marks words which the data does not have, without a model.
METRIC = ("-m", "slot_error")


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    return write(tmp_path_factory.mktemp("marked") / "marked.jsonl", make_rows())


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study", "spans")


def test_json(run, marked):
    found = document(run(marked, *METRIC, "--bootstrap", "20", "--format", "json"))
    assert (found["gold"], found["examples"], found["bootstrap"], found["seed"]) == (None, 12, 20, 0)
    assert [(one["name"], one["kind"]) for one in found["markers"]] == [
        ("slot_error", "metric"),
        ("spans", "judge"),
        ("label", "judge"),
        ("person 2", "person"),
    ]
    _, spans, label, person = found["markers"]
    assert (spans["texts"], spans["faulty"], spans["marks"], spans["spans"]) == (12, 3, 12, 3)
    assert spans["statistics"]["character_precision"]["value"] == 0.0
    assert spans["statistics"]["false_alarms"]["value"] == 1.0
    assert label["statistics"]["auc"]["value"] == 1.0
    assert label["statistics"]["character_f1"]["reason"] == "label gives labels, no spans"
    assert person["statistics"]["character_f1"] == {
        "value": 1.0,
        "mean": 1.0,
        "deviation": 0.0,
        "low": 1.0,
        "high": 1.0,
    }
    assert {name: one["texts"] for name, one in person["by_domain"].items()} == {"even": 6, "odd": 6}
    assert {name: one["faulty"] for name, one in person["by_system"].items()} == {"first": 0, "second": 3}
    assert person["by_category"]["food"]["overlap_recall"]["value"] == 1.0


def test_compressed_several_files_and_stdin_give_the_same(run, marked, tmp_path):
    arguments = (*METRIC, "--bootstrap", "10", "--format", "json")
    whole = document(run(marked, *arguments))
    lines = marked.read_bytes().splitlines(keepends=True)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"".join(lines[:5])))
    (tmp_path / "b.json").write_text(json.dumps(make_rows()[5:]))
    assert document(run(tmp_path / "a.jsonl.gz", tmp_path / "b.json", *arguments)) == whole
    assert document(run("-", *arguments, stdin=marked.read_bytes())) == whole


def test_tables_and_csv(run, marked, tmp_path):
    table = run(marked, *METRIC).stdout.decode()
    assert "spans|gold:people|bootstrap:500|seed:0|examples:12|factable:" in table
    for title in ("by characters and by overlap", "by domain", "by system", "recall by category"):
        assert title in table
    assert "| person 2 |" in run(marked, *METRIC, "--format", "markdown").stdout.decode()
    assert r"\begin{tabular}" in run(marked, *METRIC, "--format", "latex").stdout.decode()
    run(marked, *METRIC, "--out", tmp_path / "found.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text())))
    assert {row["group"] for row in rows} == {"", "domain", "system", "category"}
    last = rows[-1]
    assert (last["marker"], last["name"], last["statistic"], last["value"]) == (
        *("person 2", "food", "overlap_recall"),
        "1.0",
    )


def test_the_label_of_a_judge_as_the_truth(run, marked):
    found = document(run(marked, *METRIC, "--gold", "label", "--bootstrap", "0", "--format", "json"))
    assert [one["name"] for one in found["markers"]] == ["slot_error", "spans"]
    assert found["markers"][0]["faulty"] == 3
    assert "by characters and by overlap" not in run(marked, *METRIC, "--gold", "label").stdout.decode()


def test_an_unknown_judge(run, marked):
    result = run(marked, *METRIC, "--gold", "lable")
    assert result.returncode == 2
    assert result.stderr.decode() == (
        "factable: no judge 'lable'; did you mean 'label'? judges in the data are spans, label\n"
    )


GOOD = {"id": "t", "data": DATA, "text": "Blue Spice", "spans": []}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "first"}, "repeats id 'first'; make each pair of id and system unique"),
        ({"text": None}, '"text" is null; add the text to be checked (an empty output is "")'),
        ({"spans": {}}, '"spans" is an object; give a list such as [[0, 5]]'),
        ({"spans": [[0]]}, '"spans" has \'[0]\'; give [start, end] or [start, end, "kind"], counted'),
        ({"spans": [[4, 11]]}, '"spans" has a span that ends at 11; the text has 10 characters; count them'),
        ({"golds": 1}, '"golds" is a number; give a list with the spans of each person'),
        ({"golds": [[[0, 1]]]}, '"golds" does not begin with "spans"; give the same person\'s spans in both'),
        ({"judges": []}, '"judges" is a list; give an object such as {"gpt-4": [[0, 5]]}'),
        ({"judges": {"j": "yes"}}, '"judges" has a string for "j"; give a list of spans, or true for a text'),
        (
            {"judges": {"j": [[3, 3]]}},
            "\"judges.j\" has '[3, 3]', which holds no character; give [start, end]",
        ),
        ({"meta": {"domain": 3}}, '"meta" has a number for "domain"; give a string'),
    ],
)
def test_bad_values(run, tmp_path, changes, message):
    path = write(tmp_path / "a.jsonl", [{**GOOD, "id": "first"}, {**GOOD, **changes}])
    result = run(path, *METRIC)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {path}:2: {message}")
    assert result.stderr.count(b"\n") == 1


def test_bad_files(run, tmp_path):
    path = write(tmp_path / "a.jsonl", [])
    assert run(path).stderr.decode() == f"factable: {path}: holds no texts; give at least one\n"
    path = tmp_path / "a.csv"
    message = f"factable: {path}: texts with spans are read from JSON only; write JSON lines\n"
    assert run(path).stderr.decode() == message


def test_bad_lines_can_be_skipped(run, tmp_path):
    path = write(tmp_path / "a.jsonl", [GOOD, {**GOOD, "id": "u", "spans": 3}, GOOD])
    result = run(path, *METRIC, "--skip-bad", "--format", "json")
    assert json.loads(result.stdout)["examples"] == 1
    assert result.stderr.decode().splitlines()[-1] == "factable: 2 bad lines skipped"


def test_names_cannot_steer_the_terminal(run, tmp_path):
    rows = [
        {**GOOD, "id": name, "judges": {"\x1b[31mred": True}, "meta": {"domain": f"\x1b{name}"}}
        for name in "ab"
    ]
    printed = run(write(tmp_path / "a.jsonl", rows), *METRIC).stdout
    assert b"\\x1b[31mred" in printed
    assert b"\x1b" not in printed
