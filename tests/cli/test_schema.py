"""Every document that programs read, against the JSON Schema that ships."""

import json

import pytest
from jsonschema import Draft202012Validator
from running import run_here

import factable
from factable.core.schema import SCHEMA
from helpers.paths import RESTAURANTS, ROOT

METRICS = ("ledger", "nli", "parent", "bleu", "slot_error", "ranking")


@pytest.fixture(scope="module")
def validate():
    whole = json.loads(run_here("schema").stdout)
    Draft202012Validator.check_schema(whole)

    def check(document, name):
        schema = json.loads(run_here("schema", name).stdout)
        for each in (schema, whole):
            errors = [
                f"{error.json_path}: {error.message}"
                for error in Draft202012Validator(each).iter_errors(document)
            ]
            assert not errors, errors[:3]

    return check


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Good and bad texts beside triples, slots, nested objects and rows, and one without data."""
    rows = [json.loads(line) for line in RESTAURANTS.read_text().splitlines()]
    nested = {"name": "Fon 5", "variants": [{"colour": "red", "price": 10}, {"colour": "blue", "price": 20}]}
    shops = [{"shop": "A1", "sales": 40}, {"shop": "B2", "sales": 70}]
    rows += [
        {"id": "nested", "data": nested, "text": "Fon 5 is red for 10 and green for 30."},
        {"id": "rows", "data": shops, "text": "A1 sold 45."},
        {"id": "none", "data": [], "text": "Nothing."},
        {"id": "empty", "data": "name[Blue Spice]", "text": ""},
    ]
    rows = [{"references": ["Blue Spice."], **row} for row in rows]
    path = tmp_path_factory.mktemp("schema") / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("explain", [(), ("--explain",)])
def test_score(validate, texts, explain):
    metrics = [part for metric in METRICS for part in ("-m", metric)]
    done = run_here("score", texts, *metrics, *explain, "--format", "json")
    document = json.loads(done.stdout)
    validate(document, "score")
    assert document["schema"] == SCHEMA
    lines = run_here("score", texts, *metrics, *explain, "--format", "jsonl").stdout.splitlines()
    assert list(map(json.loads, lines)) == document["examples"]
    validate(document["examples"][0], "score-line")


def test_check_and_python_give_the_same(validate):
    data, text = "name[Blue Spice], area[riverside]", "Blue Spice is in the city centre."
    document = json.loads(run_here("check", "--data", data, "--text", text, "--format", "json").stdout)
    validate(document, "check")
    del document["signature"]
    verdict = factable.check(data, text)
    assert document == json.loads(verdict.to_json()) == verdict.to_dict()
    assert document["ok"] is bool(verdict) is False


def test_gate_and_rerank(validate, texts, tmp_path):
    out = tmp_path / "out.json"
    run_here("gate", texts, "--out", out, cwd=ROOT)
    document = json.loads(out.read_text())
    validate(document, "gate")
    for row in document["examples"]:
        assert ("facts" in row) == (row["label"] not in ("OK", "unscored"))
    for line in run_here("rerank", texts).stdout.splitlines():
        validate(json.loads(line), "rerank-line")


def test_a_claim_names_the_facts_it_is_about(texts):
    done = run_here("score", texts, "--format", "jsonl")
    for line in map(json.loads, done.stdout.splitlines()):
        found = line["metrics"]["ledger"]
        for claim in found.get("claims", []):
            assert all(0 <= fact < len(found["facts"]) for fact in claim["facts"])
            start, end = claim["span"]
            assert len(claim["text"]) == end - start
        if line["id"] == "nested":
            assert {fact["path"] for fact in found["facts"]} >= {"variants[0].price", "variants[1].price"}


def test_an_unknown_document_is_refused():
    result = run_here("schema", "chek")
    assert (result.returncode, b"did you mean 'check'?" in result.stderr) == (2, True)
