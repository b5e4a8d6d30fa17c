"""A language model as judge in every command: check, gate, score, report, rerank and studies."""

import json

import pytest
from jsonschema import Draft202012Validator
from running import document, run_here, write

from factable.models.llm import client
from helpers.judge_server import JudgeServer, send
from helpers.paths import SOURCE

DATA = '{"born": 1815, "field": "mathematics"}'
GOOD = "Born in 1815, she did mathematics."
BAD = "Born in 1815, she liked poetry."
SCHEMA = Draft202012Validator(json.loads((SOURCE / "factable/data/schema/result.json").read_text()))


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)
    client.forget_servers()


@pytest.fixture
def server():
    with JudgeServer() as running:
        yield running


@pytest.fixture
def texts(tmp_path):
    rows = [
        {
            "id": str(number),
            "system": "mine",
            "data": json.loads(DATA),
            "text": f"{BAD if number % 2 else GOOD} {number}.",
            "human": {"omission": number % 2, "hallucination": number % 2},
        }
        for number in range(6)
    ]
    return write(tmp_path / "texts.jsonl", rows)


def check(server, text, *more):
    return run_here("check", "--data", DATA, "--text", text, "--judge", server.url, "--no-config", *more)


def test_check(server):
    good, bad = check(server, GOOD), check(server, BAD)
    assert (good.returncode, bad.returncode) == (0, 1)
    assert "✓ OK" in good.stdout.decode()
    shown = bad.stdout.decode()
    assert "✗ omission+hallucination" in shown
    assert "[+ liked poetry]" in shown
    assert good.stderr.decode().startswith("factable: judge: 1 answer, ")


def test_check_says_what_came_from_the_cache_and_what_it_cost(server):
    spec = f'judge(url="{server.url}", prices="1,2")'
    asked = run_here("check", "--data", DATA, "--text", GOOD, "--judge", spec)
    again = run_here("check", "--data", DATA, "--text", GOOD, "--judge", spec)
    assert len(server.requests) == 1
    assert b", cost 0.00" in asked.stderr
    assert again.stderr.startswith(b"factable: judge: 0 answers, 0 tokens; 1 from the cache, which cost 0.00")
    assert asked.stdout == again.stdout
    assert run_here("check", "--data", DATA, "--text", GOOD, "--judge", spec, "-q").stderr == b""


def test_check_as_json_is_of_the_schema(server):
    result = json.loads(check(server, BAD, "--format", "json").stdout)
    SCHEMA.validate(result)
    assert result["label"] == "omission+hallucination"
    assert [claim["text"] for claim in result["claims"] if claim["state"] == "unsupported"] == [
        "liked poetry"
    ]
    assert result["signature"].startswith("judge|url:http://127.0.0.1")


def test_facts_that_count(server):
    assert check(server, "Born in 1815.", "--optional", "field").returncode == 0
    assert check(server, "Born in 1815.").returncode == 1


def test_only_in_doubt(server, tmp_path):
    config = tmp_path / "factable.toml"
    config.write_text("doubt_from = 0.0\ndoubt_to = 1.0\nevidence = 'fast'\n")
    given = ("check", "--data", DATA, "--text", BAD, "--judge", server.url, "--in-doubt", "--config", config)
    result = json.loads(run_here(*given, "--format", "json").stdout)
    assert result["signature"].startswith("ledger|")
    assert "liked poetry" in [claim["text"] for claim in result["claims"]]
    config.write_text("doubt_from = 1.0\ndoubt_to = 1.0\nevidence = 'fast'\n")
    server.requests.clear()
    run_here(*given)
    assert not server.requests


def test_in_doubt_needs_a_judge():
    result = run_here("check", "--data", DATA, "--text", GOOD, "--in-doubt", "--no-config")
    assert (result.returncode, result.stderr) == (
        2,
        b"factable: --in-doubt needs a judge; give --judge URL\n",
    )


def test_the_configuration_holds_the_judge(server, tmp_path):
    (tmp_path / "factable.toml").write_text(f'[judge]\nurl = "{server.url}"\nmodel = "big"\n')
    assert run_here("check", "--data", DATA, "--text", GOOD, "--judge", "judge", cwd=tmp_path).returncode == 0
    assert server.requests[0].body["model"] == "big"


def test_no_verdict_is_an_error(server):
    server.answer = lambda _request: "I would rather not."
    result = check(server, GOOD)
    assert result.returncode == 2
    assert b"no verdict: judge: no JSON in the answer: I would rather not." in result.stderr


def test_a_budget(server, texts):
    spec = f'judge(url="{server.url}", max_tokens=200)'
    result = run_here("score", texts, "-m", spec, "--budget", "1500 tokens", FACTABLE_JUDGE_CONCURRENCY="1")
    assert result.returncode == 2
    assert b"--budget of 1500 tokens does not last for the next answer" in result.stderr
    assert 0 < len(server.requests) < 6
    enough = run_here("score", texts, "-m", spec, "--budget", "1e9 tokens")
    assert b"--budget is '1e9 tokens'; give money, such as 2.50" in enough.stderr
    assert run_here("score", texts, "-m", spec, "--budget", "100000 tokens").returncode == 0
    assert len(server.requests) == 6


def test_gate_with_its_outputs(server, texts, tmp_path):
    out, page = tmp_path / "gate.json", tmp_path / "gate.html"
    given = ("gate", texts, "--judge", server.url, "--no-config", "--out", out, "--report", page)
    result = run_here(*given, "--junit", tmp_path / "j.xml")
    assert result.returncode == 1
    assert b"hallucination in 0.5000 of the texts" in result.stdout
    written = json.loads(out.read_text())
    SCHEMA.validate(written)
    assert written["metric"].startswith("judge(url=")
    assert [row["label"] for row in written["examples"]] == ["OK", "omission+hallucination"] * 3
    assert "liked poetry" in page.read_text()
    assert run_here(*given, "--max-rate", "0.5").returncode == 0


def test_texts_without_a_verdict_are_unscored(server, texts):
    server.answer = lambda _request: "no"
    (metric,) = json.loads(
        run_here("score", texts, "-m", f'judge(url="{server.url}")', "--format", "json").stdout
    )["metrics"]
    assert metric["unscored"] == 6


def test_score_in_several_processes_counts_all_answers(server, texts):
    result = run_here("score", texts, "-m", f'judge(url="{server.url}")', "--jobs", "2", "--format", "json")
    assert result.returncode == 0
    assert result.stderr.startswith(b"factable: judge: 6 answers, ")


def test_study_of_verdicts(server, texts):
    result = document(
        run_here("study", "verdicts", texts, "-m", f'judge(url="{server.url}")', "--format", "json", "-q")
    )
    verdicts = result["metrics"][0]["verdicts"]["omission and hallucination"]
    assert verdicts["four_way"]["accuracy"]["value"] == 1.0


def test_study_of_judges(server, texts):
    metric = 'ledger(evidence="fast", doubt_from=0, doubt_to=1)'
    judge = f'judge(url="{server.url}", prices="1,1")'
    given = ("study", "judges", texts, "--judge", judge, "-m", metric, "--bootstrap", "20")
    result = document(run_here(*given, "--format", "json", "-q"))
    ledger, judged, both = result["costs"]
    assert (ledger["asked"], judged["asked"], both["asked"]) == (0.0, 1.0, 1.0)
    assert (ledger["tokens"], judged["tokens"]) == (0, both["tokens"])
    assert judged["cost"] > 0
    assert len(server.requests) == 6
    assert [pair["texts"] for pair in result["agreements"]] == [6, 6, 6]
    assert result["agreements"][2]["observed"]["value"] == 1.0
    table = run_here(*given, "-q").stdout.decode()
    for head in ("what it takes", "agreement on OK or not", "rates of not OK"):
        assert head in table
    rows = run_here(*given, "-q", "--format", "csv").stdout.decode().splitlines()
    assert len({row.count(",") - row.count('", "') for row in rows if '"' not in row}) == 1


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("-m", "bleu"), "give a ledger without a judge"),
        (("-m", "ledger", "-m", "nli"), "name one ledger"),
        (("--resume", "x"), "--resume is not for this study"),
    ],
)
def test_study_of_judges_refuses(server, texts, more, problem):
    result = run_here("study", "judges", texts, "--judge", server.url, *more)
    assert result.returncode == 2
    assert problem in result.stderr.decode()


@pytest.mark.parametrize("judge", ["bleu", "localhost:8080", "http://a:b@host"])
def test_judges_that_are_none(judge):
    result = run_here("check", "--data", DATA, "--text", GOOD, "--judge", judge, "--no-config")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1


def test_a_refusal_is_one_line(server):
    server.behave = lambda handler, _request: send(handler, 401, {"error": {"message": "who are you?"}})
    result = check(server, GOOD)
    assert result.returncode == 2
    last = result.stderr.decode().splitlines()[-1]
    assert "refuses (401 who are you?); set the key in the environment variable FACTABLE_JUDGE_KEY" in last
