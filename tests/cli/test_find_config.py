"""The configuration file, found by itself or named, in every command that scores."""

import json
from functools import partial

import pytest
from running import run_here

ROW = {"id": "a", "data": "name[Blue Spice], near[The Eagle]", "text": "There is a pub called Blue Spice."}
OPTIONAL = 'optional = ["near"]\n'


@pytest.fixture
def folder(tmp_path):
    """A project with a configuration, and texts in a folder inside it."""
    (tmp_path / "factable.toml").write_text(OPTIONAL)
    inner = tmp_path / "outputs" / "today"
    inner.mkdir(parents=True)
    rows = [{**ROW, "system": system} for system in ("a", "b")]
    (inner / "one.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return inner


SIGNED = [
    ("score", "one.jsonl", "--format", "json"),
    ("compare", "one.jsonl", "-m", "ledger", "--format", "json"),
    ("gate", "one.jsonl", "--out", "out.json", "--fail-on", "hallucination", "--max-rate", "1"),
]


@pytest.mark.parametrize("command", SIGNED)
def test_the_nearest_file_is_found_unless_told_not_to(folder, command):
    run = partial(run_here, *command, cwd=folder)

    def signature(*more):
        result = run(*more)
        assert result.returncode == 0, result.stderr
        output = (folder / "out.json").read_bytes() if "--out" in command else result.stdout
        return output.decode()

    assert "|optional:near|" in signature()
    assert "|optional:near|" not in signature("--no-config")
    (folder / "factable.toml").write_text('optional = ["name"]\n')
    assert "|optional:name|" in signature()
    assert "|optional:near|" in signature("--config", folder.parent.parent / "factable.toml")


def test_parameters_in_a_spec_come_first(folder):
    result = run_here("score", "one.jsonl", "-m", "ledger(optional='name')", "--format", "json", cwd=folder)
    assert b"|optional:name|" in result.stdout


def test_check_finds_it_and_options_come_first(folder):
    def required(*more):
        command = ("check", "--data", ROW["data"], "--text", ROW["text"], "--format", "json")
        result = run_here(*command, *more, cwd=folder)
        return [fact["required"] for fact in json.loads(result.stdout)["facts"]]

    assert required() == [True, False]
    assert required("--no-config") == [True, True]
    assert required("--optional", "name") == [False, True]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ("gate", "one.jsonl", "--ignore", "neara"),
            "--ignore has 'neara', but no fact of the data is called that; did you mean 'near'? ",
        ),
        (("score", "one.jsonl", "-m", "nli(optional='nam')"), "did you mean 'name'? "),
        (("score", "one.jsonl", "--config", "x", "--no-config"), "exclude each other"),
    ],
)
def test_what_is_refused(folder, command, message):
    result = run_here(*command, cwd=folder)
    assert result.returncode == 2
    assert message in result.stderr.decode()


HINTS = """
technical = ["batch"]
[labels]
prc = "price"
[units]
prc = "EUR"
"""


def test_schema_hints_are_used_by_every_command(folder):
    row = {
        "id": "a",
        "data": {"product": "Halo", "prc": 59, "batch": "B-7712"},
        "text": "The Halo costs $59.",
    }
    rows = [{**row, "system": system} for system in ("a", "b")]
    (folder / "one.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "factable.toml").write_text(HINTS)
    given = ("--data", json.dumps(row["data"]), "--text", row["text"], "--format", "json")
    assert json.loads(run_here("check", *given, cwd=folder).stdout)["label"] == "contradiction"
    assert (
        "contradiction"
        not in json.loads(run_here("check", *given, "--no-config", cwd=folder).stdout)["label"]
    )
    for command in SIGNED:
        assert run_here(*command, cwd=folder).returncode == 0
    scored = json.loads(run_here("score", "one.jsonl", "--format", "json", cwd=folder).stdout)
    assert "|technical:batch|labels:prc=price|units:prc=EUR|" in scored["metrics"][0]["signature"]
    assert scored["metrics"][0]["parts"]["contradiction"] == [1, 1]
    (folder / "factable.toml").write_text("[labels]\nproduc = 'name'\n")
    misspelt = run_here("score", "one.jsonl", cwd=folder)
    assert misspelt.returncode == 2
    assert "did you mean 'product'?" in misspelt.stderr.decode()


def test_a_name_that_no_fact_has_is_pointed_out(folder):
    result = run_here("gate", "one.jsonl", "--ignore", "food", cwd=folder)
    expected = "factable: --ignore has 'food', but no fact of the data is called that; facts are name, near\n"
    assert result.stderr.decode() == expected
