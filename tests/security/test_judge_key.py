"""The key of a judge is sent to its server and nowhere else, whatever the server does with it."""

import json
import os
import subprocess
import sys

import pytest

from factable.core.signature import sign, spec
from factable.metrics.judge.metric import Judge
from helpers.judge_server import JudgeServer, judge_by_rules, send
from helpers.paths import SOURCE

SECRET = "sk-swordfish-0123456789"
LINE = {"id": "1", "data": {"born": 1815, "field": "maths"}, "text": "Born in 1815, she liked poetry."}


def leaky(request):
    """A model that repeats the key wherever it can."""
    answer = json.loads(judge_by_rules(request))
    answer["sentences"]["1"][0]["reason"] = f"Your key is {SECRET}."
    answer["facts"]["1"]["quote"] += f" {SECRET}"
    return json.dumps(answer)


def run(folder, *arguments, **environment):
    start = [sys.executable, "-X", "dev", "-m", "factable", *map(str, arguments), "--verbose"]
    places = {"FACTABLE_CACHE": str(folder / "cache"), "TMPDIR": str(folder), "HOME": str(folder)}
    known = {**os.environ, "PYTHONPATH": str(SOURCE), "FACTABLE_JUDGE_KEY": SECRET, **places, **environment}
    return subprocess.run(start, capture_output=True, check=False, env=known, cwd=folder)


def assert_nothing_leaked(folder, *results):
    for result in results:
        assert SECRET.encode() not in result.stdout + result.stderr
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert any("judge-" in path.name for path in written)
    for path in written:
        assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.process
def test_no_output_cache_report_or_checkpoint_has_the_key(tmp_path):
    (tmp_path / "in.jsonl").write_text(json.dumps(LINE) + "\n")
    with JudgeServer(leaky) as server:
        judge = f'judge(url="{server.url}")'
        score = run(
            tmp_path,
            *("score", "in.jsonl", "-m", judge, "--out", "scores.jsonl", "--explain"),
            *("--report", "page.html", "--resume", "checkpoint"),
        )
        gate = run(
            tmp_path,
            *("gate", "in.jsonl", "--judge", server.url, "--out", "gate.json", "--report", "gate.html"),
            *("--junit", "gate.xml", "--sarif", "gate.sarif"),
        )
        text = run(
            tmp_path, "check", "--data", json.dumps(LINE["data"]), "--text", LINE["text"], "--judge", judge
        )
        assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {SECRET}"}
    assert (score.returncode, gate.returncode, text.returncode) == (0, 1, 1)
    assert b"[key]" in text.stdout + (tmp_path / "scores.jsonl").read_bytes()
    assert_nothing_leaked(tmp_path, score, gate, text)


@pytest.mark.process
@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_error_has_the_key(tmp_path, status):
    def refuse(handler, request):
        header = request.headers["Authorization"]
        return send(handler, status, {"error": {"message": f"bad: {header}"}}, Location=f"/{SECRET}")

    (tmp_path / "in.jsonl").write_text(json.dumps(LINE) + "\n")
    with JudgeServer(behave=refuse) as server:
        result = run(
            tmp_path,
            "check",
            "--data",
            '{"a": 1}',
            "--text",
            "1",
            "--judge",
            server.url,
            FACTABLE_JUDGE_RETRIES="0",
        )
    assert result.returncode == 2
    assert b"[key]" in result.stderr
    assert SECRET.encode() not in result.stdout + result.stderr


def test_neither_spec_nor_signature_nor_repr_has_the_key(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_KEY", SECRET)
    metric = Judge(url="http://localhost:1/v1", model="big")
    for shown in (spec(metric), sign(metric), repr(metric), repr(metric.endpoint), str(metric.endpoint)):
        assert SECRET not in shown


def test_a_redirect_does_not_take_the_key_elsewhere(monkeypatch):
    from factable.errors import ServerError
    from factable.types import Example, Record, Table

    monkeypatch.setenv("FACTABLE_JUDGE_KEY", SECRET)
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    with (
        JudgeServer() as other,
        JudgeServer(
            behave=lambda h, _r: send(h, 307, {}, Location=f"{other.url}/chat/completions")
        ) as server,
    ):
        with pytest.raises(ServerError, match="307"):
            Judge(url=server.url).verdicts([Example("", "", "Ada.", Table((Record("", "name", "Ada"),)))])
        assert not other.requests
