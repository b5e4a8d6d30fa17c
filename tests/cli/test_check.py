"""`factable check` as users run it."""

import json
import re
from functools import partial

import pytest

from helpers.paths import ROOT

DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD = "Blue Spice is a pub by the riverside."
BAD = "Blue Spice is by the riverside."


@pytest.fixture(scope="module")
def check(run_factable):
    return partial(run_factable, "check")


def test_exit_codes_and_words(check):
    good, bad = check("--data", DATA, "--text", GOOD), check("--data", DATA, "--text", BAD)
    assert (good.returncode, bad.returncode) == (0, 1)
    assert good.stderr == bad.stderr == b""
    assert good.stdout.decode().startswith("✓ OK")
    assert bad.stdout.decode().startswith("✗ omission")
    assert "− omitted       eatType | pub\n" in bad.stdout.decode()
    assert b"\x1b" not in good.stdout + bad.stdout


def test_json(check):
    result = check("--data", DATA, "--text", BAD, "--optional", "eatType", "--format", "json")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert (found["label"], found["text"]) == ("OK", BAD)
    assert 0 <= found["probability"] <= 1
    assert [(fact["path"], fact["value"]) for fact in found["facts"]] == [
        ("name", "Blue Spice"),
        ("eatType", "pub"),
        ("area", "riverside"),
    ]
    assert [(fact["state"], fact["required"]) for fact in found["facts"]] == [
        ("supported", True),
        ("omitted", False),
        ("supported", True),
    ]
    for claim in found["claims"]:
        assert claim["text"] == BAD[slice(*claim["span"])]
    assert "|optional:eatType|" in found["signature"]


def test_files_and_stdin(check, tmp_path):
    data = '{"name": "Blue Spice", "eatType": "pub", "area": "riverside"}'
    (tmp_path / "data.json").write_text(data)
    given = check("--data", "data.json", "--text", "-", stdin=GOOD.encode(), cwd=tmp_path)
    assert given.stdout == check("--data", data, "--text", GOOD).stdout


def test_triples_and_subject(check):
    triples = "Watson | deathCause | peritonitis\nWatson | almaMater | University of Michigan"
    text = "Watson, who studied at the University of Michigan, died of peritonitis."
    shape = ("--text", text, "--format", "json")
    pairs = '{"deathCause": "peritonitis", "almaMater": "University of Michigan"}'
    facts = []
    for data in (("--data", triples), ("--data", pairs, "--subject", "Watson")):
        result = check(*data, *shape)
        assert result.returncode == 0
        keys = ("subject", "attribute", "value", "state")
        facts.append([[fact[key] for key in keys] for fact in json.loads(result.stdout)["facts"]])
    assert facts[0] == facts[1]
    assert facts[0][0] == ["Watson", "deathCause", "peritonitis", "supported"]


def test_configuration_and_what_overrides_it(check, tmp_path):
    (tmp_path / "factable.toml").write_text('optional = ["eatType"]\n')
    given = ("--data", DATA, "--text", BAD, "--config", "factable.toml")
    assert check(*given, cwd=tmp_path).returncode == 0
    assert check(*given, "--optional", "name", cwd=tmp_path).returncode == 1
    assert check(*given, "--optional", "", "--required", "name,area", cwd=tmp_path).returncode == 0


def test_an_empty_text_says_nothing(check):
    result = check("--data", DATA, "--text", "")
    assert result.returncode == 1
    assert result.stdout.decode().count("− omitted") == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--data", '{"name": ', "--text", "x"), "--data: broken JSON at line 1, column"),
        (("--data", '[["a", "b"]]', "--text", "x"), "2 parts in triple 1"),
        (("--data", "no data", "--text", "x"), "which cannot be read from"),
        (("--data", "[]", "--text", "x"), "--data: no records with a value"),
        (("--data", "missing.json", "--text", "x"), "missing.json: No such file"),
        (("--data", "a[b]", "--text", "@missing.txt"), "missing.txt: No such file"),
        (("--data", "a[b]", "--text", "@latin.txt"), "--text: byte 4 of @latin.txt is not UTF-8"),
        (("--data", "-", "--text", "-"), "--data and --text are both -"),
        (("--data", "a[b]", "--text", "x", "--config", "bad.toml"), "bad.toml: unknown key 'near'"),
        (("--data", "a[b]"), "Missing option '--text'"),
    ],
)
def test_misuse_is_one_line(check, tmp_path, arguments, message):
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    (tmp_path / "bad.toml").write_text("near = []")
    result = check(*arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith("factable: ")
    assert message in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1


def test_the_documentation_shows_what_is_printed(check):
    page = (ROOT / "docs/commands/check.md").read_text()
    call, shown = re.search(
        r"```sh\nfactable check (--data .*?)\n```\n\n```text\n(.*?)```", page, re.DOTALL
    ).groups()
    arguments = re.findall(r"'([^']*)'|(\S+)", call)
    result = check(*(quoted or plain for quoted, plain in arguments if plain != "\\"))
    # The last digits of a model's probabilities depend on the machine.
    assert re.sub(r"0\.\d+", "#", result.stdout.decode()) == re.sub(r"0\.\d+", "#", shown)
