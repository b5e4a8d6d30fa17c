"""`factable gate` as users run it."""

import json
import re
from functools import partial
from xml.etree import ElementTree as Xml

import pytest
from running import write

from helpers.paths import ROOT

RESTAURANTS = "examples/restaurants.jsonl"
DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD = "Blue Spice is a pub by the riverside."
OMITS = "Blue Spice is a pub."


def line(item, text, data=DATA, **more):
    return {"id": item, "data": data, "text": text, **more}


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "gate", GITHUB_ACTIONS="")


@pytest.fixture
def texts(tmp_path):
    """Three good texts and one that leaves a fact out."""
    return write(tmp_path / "texts.jsonl", [*(line(item, GOOD) for item in "abc"), line("d", OMITS)])


def test_failures_and_rates(run):
    result = run(RESTAURANTS, cwd=ROOT)
    shown = result.stdout.decode()
    assert (result.returncode, result.stderr) == (1, b"")
    assert re.findall(r"^(\S+ · \S+)  examples/restaurants.jsonl:(\d)$", shown, re.MULTILINE) == [
        ("blue-spice · lively", "2"),
        ("watson · lively", "4"),
        ("kettle · lively", "6"),
    ]
    assert "  − omitted       eatType | pub\n" in shown
    assert re.search(r"share of texts that are OK +0\.500 \[0\.500, 0\.500\]", shown)
    assert "\nledger|model:nli@" in shown
    assert "✗ failed  6 texts: 3 with contradiction, hallucination or omission\n" in shown
    assert re.search(r"contradiction in 0\.\d+ of the texts; at most 0 is allowed", shown)


def test_all_shows_good_texts_too(run, texts):
    shown = run(texts, "--all").stdout
    assert shown.count(b"texts.jsonl:") == 4
    assert shown.decode().count("✓ OK") == 3


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--max-rate", "0.25"), 0),
        (("--max-rate", "0.24"), 1),
        (("--fail-on", "hallucination"), 0),
        (("--max-rate", "omission=0.25", "--max-rate", "hallucination=0"), 0),
        (("--optional", "area"), 0),
        (("--config", "gate.toml"), 0),
        (("--config", "gate.toml", "--max-rate", "0"), 1),
    ],
)
def test_what_is_allowed(run, texts, arguments, code):
    (texts.parent / "gate.toml").write_text("[gate]\nmax_rate = { omission = 0.3 }\n")
    assert run(texts, *arguments, cwd=texts.parent).returncode == code


def test_a_baseline_fails_on_regressions_only(run, texts, tmp_path):
    old = tmp_path / "old.json"
    assert run(texts, "--out", old).returncode == 1
    same = run(texts, "--baseline", old)
    assert (same.returncode, same.stderr) == (0, b"")
    assert "since the baseline: 0 got worse, 0 got better, 0 new, 0 gone" in same.stdout.decode()
    assert "1 failed before in the same way" in same.stdout.decode()
    assert b"texts.jsonl:" not in same.stdout
    lines = [line("a", GOOD), line("b", OMITS), line("d", OMITS), line("e", GOOD)]
    worse = run(write(tmp_path / "new.jsonl", lines), "--baseline", old)
    assert worse.returncode == 1
    assert re.findall(r"(\w)  \S*new.jsonl:", worse.stdout.decode()) == ["b"]
    assert "since the baseline: 1 got worse, 0 got better, 1 new, 1 gone" in worse.stdout.decode()
    assert "at most 0 is allowed, and the baseline has 0.2500" in worse.stdout.decode()


def test_a_baseline_of_another_signature(run, texts, tmp_path):
    old = tmp_path / "old.json"
    run(texts, "--out", old, "--optional", "area")
    result = run(texts, "--baseline", old)
    message = "factable: the baseline was made with another signature: optional none (baseline: area)\n"
    assert result.stderr.decode() == message


def test_files_for_machines(run, texts, tmp_path):
    names = {option: tmp_path / f"out{ending}" for option, ending in FILES.items()}
    arguments = [argument for pair in names.items() for argument in pair]
    assert run(texts, *arguments).returncode == 1
    document = json.loads(names["--out"].read_bytes())
    assert [one["label"] for one in document["examples"]] == ["OK", "OK", "OK", "omission"]
    assert document["rates"]["omission"]["value"] == 0.25
    assert document["passed"] is False
    suite = Xml.parse(names["--junit"]).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("7", "2")
    failure = suite.find("testcase[@name='d']/failure")
    assert failure.get("message") == "omitted: area | riverside"
    page = names["--report"].read_text()
    assert page.startswith("<!doctype html>")
    assert "4 texts: 1 with contradiction, hallucination or omission" in page
    # The same in several processes.
    before = {option: path.read_bytes() for option, path in names.items()}
    run(texts, *arguments, "--jobs", "2")
    assert {option: path.read_bytes() for option, path in names.items()} == before


FILES = {"--out": ".json", "--junit": ".xml", "--report": ".html"}


@pytest.mark.parametrize(
    ("arguments", "environment", "there"),
    [((), {}, False), (("--github",), {}, True), ((), {"GITHUB_ACTIONS": "true"}, True)],
)
def test_annotations(run, texts, arguments, environment, there):
    shown = run(texts.name, *arguments, cwd=texts.parent, **environment).stdout.decode()
    assert ("::error file=texts.jsonl,line=4,title=d%3A omission::" in shown) == there
    assert shown.startswith("::stop-commands::") == there


def test_lines_of_other_files(run, tmp_path):
    table = tmp_path / "texts.csv"
    table.write_text(f"id,text,name,area\na,{GOOD},Blue Spice,riverside\nb,{OMITS},Blue Spice,riverside\n")
    assert b"texts.csv:3\n" in run(table).stdout
    elements = tmp_path / "texts.json"
    elements.write_text(json.dumps([line("a", GOOD), line("b", OMITS)]))
    shown = run(elements).stdout
    assert b"texts.json\n" in shown
    assert b"::error" not in shown
    piped = run("-", "--github", stdin=json.dumps(line("b", OMITS)).encode())
    assert b"::error title=b%3A omission::" in piped.stdout


def test_examples_without_data_are_counted_apart(run, tmp_path):
    lines = [line("a", GOOD), line("none", GOOD, data=[])]
    result = run(write(tmp_path / "some.jsonl", lines), "--junit", tmp_path / "out.xml", "--all")
    assert result.returncode == 0
    shown = result.stdout.decode()
    assert "✓ passed  2 texts: 0 with contradiction, hallucination or omission, 1 unscored" in shown
    assert "? unscored" in result.stdout.decode()
    assert Xml.parse(tmp_path / "out.xml").getroot().get("skipped") == "1"
    result = run(write(tmp_path / "none.jsonl", [line("none", GOOD, data="name[]")]))
    assert result.returncode == 2
    assert b"every example has no records with a value in its data" in result.stderr


def test_bad_lines(run, texts):
    texts.write_text('{"id": 1}\n' + texts.read_text())
    result = run(texts)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b'texts.jsonl:1: no "text" field' in result.stderr
    result = run(texts, "--skip-bad")
    assert result.returncode == 1
    assert result.stderr.endswith(b"factable: 1 bad line skipped\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--fail-on", "lies"), "--fail-on has 'lies'"),
        (("--max-rate", "2"), "--max-rate is '2'"),
        (("--baseline", "texts.jsonl"), "texts.jsonl:2: broken JSON"),
        (("--baseline", "missing.json"), "missing.json: No such file"),
        (("--out", "texts.jsonl"), "--out texts.jsonl is an input too"),
        (("--out", "-"), "--out is -, but stdout has the verdict"),
        (("--out", "same.json", "--junit", "same.json"), "--out and --junit must be different files"),
        (("--config", "bad.toml"), "bad.toml: [gate] unknown key 'failon'; did you mean 'fail_on'?"),
    ],
)
def test_misuse_is_one_line_and_writes_nothing(run, texts, arguments, message):
    (texts.parent / "bad.toml").write_text("[gate]\nfailon = []")
    before = sorted(texts.parent.iterdir()), texts.read_bytes()
    result = run("texts.jsonl", *arguments, cwd=texts.parent)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith("factable: ")
    assert message in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
    assert (sorted(texts.parent.iterdir()), texts.read_bytes()) == before


def test_the_documentation_shows_what_is_printed(run):
    page = (ROOT / "docs/commands/gate.md").read_text()
    shown = re.search(r"```text\n\n?(blue-spice · lively.*?)```", page, re.DOTALL)[1]
    printed = run(RESTAURANTS, "--max-rate", "0.1", cwd=ROOT).stdout.decode()
    assert simplify(shown) == simplify(printed)


def simplify(text):
    """Without checksums, and without digits that depend on the machine."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return re.sub(r"@\w+|weights:\w+|0\.\d+", "#", "\n".join(lines))


def test_the_sample_configuration_is_valid(run):
    assert run(RESTAURANTS, "--config", "examples/factable.toml", cwd=ROOT).returncode == 1
