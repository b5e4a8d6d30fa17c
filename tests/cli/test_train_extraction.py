"""`factable train patterns`, `facts` and `extractor` as users run them."""

import json

import pytest

SIZES = (("big", "huge"), ("small", "tiny"))


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "train.jsonl"
    rows = [
        {
            "id": f"{number} {size}",
            "data": {"name": f"Thing {number}", "size": size},
            "references": [f"Thing {number} is {said}.", f"{said.title()} Thing {number} is here."],
        }
        for number in range(20)
        for size, said in SIZES
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scores(run_factable, tmp_path, spec):
    rows = [
        {"id": "right", "data": {"name": "Thing 1", "size": "big"}, "text": "Thing 1 is huge."},
        {"id": "wrong", "data": {"name": "Thing 1", "size": "big"}, "text": "Thing 1 is tiny."},
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run_factable("score", path, "-m", spec, "--format", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["metrics"][0]["values"]


def test_patterns_are_drafted_and_used(run_factable, corpus, tmp_path):
    out = tmp_path / "mine.toml"
    done = run_factable("train", "patterns", corpus, out)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode() == f"patterns of 2 slots written to {out}; read and edit them\n"
    assert "big = ['big', 'huge'" in out.read_text()
    assert scores(run_factable, tmp_path, f'slot_error(patterns="{out}")') == [0.0, 0.5]


def test_facts_are_learnt_and_used(run_factable, corpus, tmp_path):
    out = tmp_path / "mine.json"
    done = run_factable("train", "facts", corpus, out)
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.decode().splitlines()[-1] == f"classifier written to {out}"
    assert scores(run_factable, tmp_path, f'fact_classifier(classifier="{out}")') == [0.0, 1.0]


def test_a_file_that_is_no_extractor(run_factable, corpus, tmp_path):
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"nothing")
    done = run_factable("score", corpus, "-m", f'rg(extractor="{other}")')
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert "no trained extractor" in line
