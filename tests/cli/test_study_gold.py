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
ROWS[0]["references"].append("Ann was born in the town of Bonn.")
SAME = {**ROWS[0], "id": "the same again"}
ALONE = {"id": "one reference", "data": [["a", "b", "c"]], "references": ["a"]}


@pytest.fixture(scope="module")
def gold(tmp_path_factory):
    return write(tmp_path_factory.mktemp("gold") / "gold.jsonl", [*ROWS, SAME, ALONE])


def test_gold_texts_lose_less_by_ranking_than_by_words(run_factable, gold):
    metrics = ("-m", "parent", "-m", 'ranking(ranker="bm25")')
    found = document(run_factable("study", "gold", gold, *metrics, "--format", "json"))
    assert [found[name] for name in ("tables", "left_out", "texts", "pairs")] == [3, 1, 7, 10]
    parent, ranking = found["reached"]
    assert parent["gold"] > 0.9
    assert parent["kept"] < 0.8
    assert ranking["kept"] > 0.95
    assert ranking["parts"]["table"] == [1, 1]


def test_forms_and_old_names(run_factable, gold):
    table = run_factable("study", "gold", gold, "-m", "bleu").stdout
    assert b"gold|tables:3|left_out:1|texts:7|pairs:10" in table
    for name in ("fix", "--fix"):
        assert run_factable("study", name, gold, "-m", "bleu").stdout == table
    rows = run_factable("study", "gold", gold, "-m", "bleu", "--format", "csv").stdout.splitlines()
    assert rows[0] == b"metric,gold,paraphrase,kept,reason"


def test_metrics_with_the_same_parts_share_a_table(run_factable, gold):
    """As in the paper: rankers in rows, both directions and their mean in columns."""
    metrics = ("bleu", 'ranking(ranker="bm25", compat="paper")', 'ranking(ranker="embed", compat="paper")')
    flags = [flag for metric in metrics for flag in ("-m", metric)]
    output = run_factable("study", "gold", gold, *flags, "--format", "markdown").stdout.decode()
    _, rankers = (part for part in output.split("references against themselves")[1:])
    header, _, *rows = (line for line in rankers.splitlines() if line.startswith("|"))
    assert [cell.strip() for cell in header.split("|")[1:6]] == [
        "metric",
        "reference",
        "value",
        "table",
        "references",
    ]
    assert [row.split("|")[2].strip() for row in rows] == ["itself", "a paraphrase"] * 2


def test_no_table_with_two_references(run_factable, tmp_path):
    path = write(tmp_path / "alone.jsonl", [ALONE])
    found = run_factable("study", "gold", path, "-m", "bleu")
    assert found.returncode == 2
    assert found.stderr == b"factable: data: no table has two references; give a data set with more\n"
