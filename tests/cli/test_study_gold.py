"""`factable study gold`: gold texts and paraphrases, in every form."""

import pytest
from running import document, write

ROWS = [
    {
        "id": name,
        "data": [[name, "birthPlace", town]],
        "references": [f"{name} was born in {town}.", f"{town} is the birth place of {name}."],
    }
    for name, town in (("Ann", "Bonn"), ("Bob", "Cork"), ("Cy", "Dole"))
]
SAME = {**ROWS[0], "id": "the same again"}
ALONE = {"id": "one reference", "data": [["a", "b", "c"]], "references": ["a"]}


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    return write(tmp_path_factory.mktemp("gold") / "gold.jsonl", [*ROWS, SAME, ALONE])


def test_gold_texts_lose_less_by_ranking_than_by_words(run_factable, gold):
    metrics = ("-m", "parent", "-m", 'ranking(ranker="bm25")')
    found = document(run_factable("study", "gold", gold, *metrics, "--format", "json"))
    assert (found["tables"], found["left_out"]) == (3, 1)
    parent, ranking = found["reached"]
    assert parent["gold"] > 0.9
    assert parent["kept"] < 0.8
    assert ranking["kept"] > 0.95
    assert ranking["parts"]["table"] == [1, 1]


def test_forms_and_old_names(run_factable, gold):
    table = run_factable("study", "gold", gold, "-m", "bleu").stdout
    assert b"gold|tables:3|left_out:1" in table
    for name in ("fix", "--fix"):
        assert run_factable("study", name, gold, "-m", "bleu").stdout == table
    rows = run_factable("study", "gold", gold, "-m", "bleu", "--format", "csv").stdout.splitlines()
    assert rows[0] == b"metric,gold,paraphrase,kept,reason"


def test_no_table_with_two_references(run_factable, tmp_path):
    path = write(tmp_path / "alone.jsonl", [ALONE])
    found = run_factable("study", "gold", path, "-m", "bleu")
    assert found.returncode == 2
    assert found.stderr == b"factable: data: no table has two references; give a data set with more\n"
