"""`factable train templates` as users run it."""

import json

import pytest

ROWS = [
    (
        [["Ada Lovelace", "birthPlace", "London"]],
        ["Ada Lovelace was born in London.", "ada lovelace , london"],
    ),
    ([["Bo Li", "birthPlace", "Rome"]], ["Bo Li was born in Rome."]),
    ("name[Aromi], food[French]", ["Aromi serves French food."]),
    (
        [["Ada Lovelace", "birthPlace", "London"], ["Ada Lovelace", "field", "maths"]],
        ["Ada did maths in London."],
    ),
]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "train.jsonl"
    lines = [
        json.dumps({"id": str(number), "data": data, "references": references})
        for number, (data, references) in enumerate(ROWS)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_templates_are_extracted_and_used(run_factable, corpus, tmp_path):
    out = tmp_path / "mine.json"
    done = run_factable("train", "templates", corpus, out)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"templates of 2 attributes written to {out}\n"
    assert json.loads(out.read_text()) == {
        "birthPlace": ["<subject> was born in <object>.", "<subject> , <object>."],
        "food": ["<subject> serves <object> food."],
    }
    # Readable: a line for each template.
    assert '    "<subject> was born in <object>.",\n' in out.read_text()
    scored = tmp_path / "scored.jsonl"
    line = {"id": "1", "data": ROWS[0][0], "text": "Ada Lovelace was born in London."}
    scored.write_text(json.dumps(line) + "\n")
    result = run_factable("score", scored, "-m", f'nli(templates="{out}")', "--format", "json")
    assert result.returncode == 0, result.stderr
    (metric,) = json.loads(result.stdout)["metrics"]
    assert "|templates:mine.json@" in metric["signature"]
    assert 0 <= metric["values"][0] <= 1


def test_a_corpus_without_single_facts(run_factable, tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps({"id": "1", "data": {"a": "b", "c": "d"}, "references": ["b d"]}) + "\n")
    done = run_factable("train", "templates", path, tmp_path / "mine.json")
    assert done.returncode == 2
    assert done.stderr.decode() == f"factable: {path}: no text states exactly one fact; give a training set\n"
    assert not (tmp_path / "mine.json").exists()
