"""A served model is asked with patience, whatever the server does."""

import json
import socket
import threading
import time

import pytest

from factable.errors import FactableWarning, ServerError, UsageError
from factable.models.llm import client
from factable.models.llm.client import Answer, Failure, ask
from factable.models.llm.completions import BadReplyError, read_completion
from factable.models.llm.endpoint import Endpoint, Question, Sampling, url_problem
from factable.models.llm.limits import Limits, share_limits
from factable.models.llm.transport import OpenSockets, post
from factable.models.llm.usage import Prices, track_usage
from helpers.judge_server import JudgeServer, openai_events, openai_message, reply, send

SCHEMA = json.dumps({"type": "object", "properties": {}, "required": [], "additionalProperties": False})
SAMPLING = Sampling(0.0, 100, "auto")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No cache, and short waits."""
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    monkeypatch.setattr(client, "FIRST_WAIT", 0.001)
    monkeypatch.delenv("FACTABLE_JUDGE_KEY", raising=False)
    client.forget_servers()


def endpoint(url, api="auto"):
    return Endpoint.of(url, api=api, model="m", key_variable="FACTABLE_JUDGE_KEY")


def question(number=0, seed=0):
    return Question("Judge.", f"Question {number}", SCHEMA, seed)


def echo(request):
    return json.dumps({"asked": request.user})


def ask_one(server, *, sampling=SAMPLING, api="auto", prices=None):
    return ask(endpoint(server.url, api), sampling, prices or Prices(), [question()])[0]


def in_turn(*behaviours):
    """Behave differently from request to request, and well from then on."""
    left = list(behaviours)
    return lambda handler, request: left.pop(0)(handler, request) if left else False


def status(code, message="no", **headers):
    return lambda handler, _request: send(handler, code, {"error": {"message": message}}, **headers)


def body(content, kind="application/json"):
    return lambda handler, _request: send(handler, 200, content, kind)


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [True, False])
def test_both_formats_whole_and_as_a_stream(api, stream):
    with JudgeServer(behave=lambda h, r: reply(h, r, echo(r), stream=stream)) as server:
        answer = ask_one(server, api=api)
    assert json.loads(answer.completion.text) == {"asked": "Question 0"}
    assert answer.completion.finish == "stop"
    assert (answer.completion.tokens_in, answer.completion.tokens_out) == (
        2,
        len(echo(server.requests[0])) // 4,
    )
    assert server.requests[0].path == ("/v1/messages" if api == "anthropic" else "/v1/chat/completions")


def test_requests_ask_for_the_schema():
    with JudgeServer(echo) as server:
        ask_one(server)
        ask_one(server, api="anthropic")
    openai, anthropic = (request.body for request in server.requests)
    assert openai["response_format"]["json_schema"]["schema"] == json.loads(SCHEMA)
    assert openai["messages"][0] == {"role": "system", "content": "Judge."}
    assert anthropic["tools"][0]["input_schema"] == json.loads(SCHEMA)
    assert anthropic["tool_choice"] == {"type": "tool", "name": "report"}
    assert server.requests[1].headers["anthropic-version"]


@pytest.mark.parametrize(
    "fault",
    [
        status(500),
        status(429, Retry_After="0"),
        status(429, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        status(529, "overloaded"),
        body(b"<html>gateway</html>", "text/html"),
        body({"choices": []}),
        body({"choices": [{"message": 7}]}),
        body([1]),
        body(b'{"choices": [{"mess'),
        body(b'data: {"choices": [{"delta": {"content": "{"}}]}\n\n', "text/event-stream"),
        body(b'data: {"error": {"message": "out of memory"}}\n\n', "text/event-stream"),
        body(b"data: {broken\n\n", "text/event-stream"),
        lambda handler, _request: handler.connection.shutdown(socket.SHUT_RDWR) or True,
    ],
    ids=range(13),
)
def test_what_may_pass_is_tried_again(fault):
    with JudgeServer(echo, in_turn(fault, fault)) as server, track_usage() as usage:
        answer = ask_one(server)
    assert isinstance(answer, Answer)
    assert len(server.requests) == 3
    assert (usage.asked, usage.failures) == (1, 2)


def test_a_question_that_never_gets_an_answer_is_a_failure(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_RETRIES", "2")
    with JudgeServer(echo, status(500, "broken")) as server:
        assert ask_one(server) == Failure("no answer in 3 attempts, at last: 500 broken")
        assert len(server.requests) == 3


def test_a_server_that_fails_again_and_again_ends_the_run(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_RETRIES", "0")
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "1")
    with (
        JudgeServer(echo, status(500, "broken")) as server,
        pytest.raises(ServerError, match="the last 5 texts got no answer"),
    ):
        ask(endpoint(server.url), SAMPLING, Prices(), [question(number) for number in range(50)])
    assert len(server.requests) < 10


def test_too_many_requests_for_too_long_end_the_run(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_RETRIES", "1")
    with (
        JudgeServer(echo, status(429, "slow down", Retry_After="0")) as server,
        pytest.raises(ServerError, match="429 slow down, 2 times; run this again later"),
    ):
        ask_one(server)


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (401, "set the key in the environment variable FACTABLE_JUDGE_KEY"),
        (404, "name of the model"),
        (302, "leads"),
    ],
)
def test_refusals_end_the_run_at_once(code, remedy):
    with (
        JudgeServer(echo, status(code, "no such thing", Location="http://127.0.0.1:1/")) as server,
        pytest.raises(ServerError, match=remedy),
    ):
        ask_one(server)
    assert len(server.requests) == 1


def test_a_server_that_is_not_there():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(ServerError, match=r"/v1/chat/completions: cannot be reached .*; start it"):
            ask(endpoint(url), SAMPLING, Prices(), [question()])


def test_a_question_that_is_refused_is_a_failure_and_not_asked_again():
    with JudgeServer(echo, status(400, "maximum context length is 4096 tokens")) as server:
        assert "maximum context length" in ask_one(server).reason
        assert len(server.requests) == 1


@pytest.mark.parametrize("where", ["headers", "body"])
def test_a_server_that_drips_runs_into_the_deadline(monkeypatch, where):
    monkeypatch.setenv("FACTABLE_JUDGE_TIMEOUT", "0.3")
    monkeypatch.setenv("FACTABLE_JUDGE_RETRIES", "0")
    done = threading.Event()

    def drip(handler, _request):
        if where == "body":
            send(handler, 200, b"data: ", "text/event-stream")
        else:
            handler.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        # For as long as somebody listens, and longer than the test waits.
        for _ in range(600):
            handler.wfile.write(b"x")
            if done.wait(0.05):
                break
        return True

    try:
        with JudgeServer(echo, drip) as server:
            assert "no complete answer within 0.3 s" in ask_one(server).reason
    finally:
        done.set()


def test_a_huge_answer_is_not_read_to_its_end():
    def flood(handler, _request):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        for _ in range(200):
            handler.wfile.write(b" " * (1 << 20))
        return True

    with JudgeServer(echo, flood) as server:
        assert ask_one(server) == Failure("the server sent a reply of more than 8,388,608 bytes")


def test_fields_that_a_server_refuses_are_left_out():
    refusals = {
        "stream_options": "Unknown field stream_options",
        "temperature": "Unsupported value: 'temperature' does not support 0",
        "seed": "extra inputs are not permitted: seed",
        "max_tokens": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
    }

    def picky(handler, request):
        for field, message in refusals.items():
            if field in request.body:
                return send(handler, 400, {"error": {"message": message}})
        kind = request.body.get("response_format", {}).get("type")
        if kind:
            return send(handler, 422, {"detail": f"response_format {kind} is not supported"})
        return False

    with JudgeServer(echo, picky) as server:
        with pytest.warns(FactableWarning) as told:
            assert isinstance(ask_one(server), Answer)
        first = len(server.requests)
        ask(endpoint(server.url), SAMPLING, Prices(), [question(1)])
    assert {str(warning.message).split(" takes no ")[1].split(";")[0] for warning in told} == {
        "temperature",
        "seed",
    }
    # What was learned holds for all further questions.
    assert len(server.requests) == first + 1
    assert server.requests[-1].body["max_completion_tokens"] == 100
    assert "response_format" not in server.requests[-1].body


@pytest.mark.parametrize("structured", ["schema", "json", "none"])
def test_how_strictly_json_is_asked_for(structured):
    with JudgeServer(echo) as server:
        ask_one(server, sampling=SAMPLING._replace(structured=structured))
    asked = server.requests[0].body.get("response_format", {}).get("type")
    assert asked == {"schema": "json_schema", "json": "json_object", "none": None}[structured]


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_answers_are_in_order_for_any_concurrency(monkeypatch, concurrency):
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", str(concurrency))
    questions = [question(number % 20) for number in range(40)]
    with JudgeServer(echo) as server:
        answers = ask(endpoint(server.url), SAMPLING, Prices(), questions)
    assert [json.loads(answer.completion.text)["asked"] for answer in answers] == [
        each.user for each in questions
    ]
    # Equal questions are asked once.
    assert len(server.requests) == 20


def test_several_are_asked_at_a_time(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "4")
    together = threading.Barrier(4, timeout=20)

    def meet(_handler, request):
        if request.user != "Question 0":
            together.wait()
        return False

    with JudgeServer(echo, meet) as server:
        answers = ask(endpoint(server.url), SAMPLING, Prices(), [question(number) for number in range(5)])
    assert all(isinstance(answer, Answer) for answer in answers)


def test_no_answer_is_asked_for_twice_even_by_a_run_that_stopped(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "1")
    questions = [question(number) for number in range(6)]

    def stop(handler, request):
        return request.user == "Question 3" and send(handler, 403, {"error": "quota"})

    with JudgeServer(echo, stop) as server:
        with pytest.raises(ServerError, match="quota"):
            ask(endpoint(server.url), SAMPLING, Prices(), questions)
        server.behave = lambda *_: False
        server.requests.clear()
        with track_usage() as usage:
            ask(endpoint(server.url), SAMPLING, Prices(), questions)
        asked = {request.user for request in server.requests}
    assert asked.isdisjoint({"Question 0", "Question 1", "Question 2"})
    assert usage.cached >= 3
    assert usage.asked + usage.cached == 6


def test_answers_beside_one_that_ends_the_run_are_kept(monkeypatch, tmp_path):
    """Two are written at a time; the one that fails does so when the other is there but not yet collected."""
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "2")
    questions = [question(number) for number in range(3)]

    def behave(handler, request):
        return request.user == "Question 2" and send(handler, 403, {"error": "quota"})

    with JudgeServer(echo, behave) as server:
        with pytest.raises(ServerError, match="quota"):
            ask(endpoint(server.url), SAMPLING, Prices(), questions)
        with track_usage() as usage:
            ask(endpoint(server.url), SAMPLING, Prices(), questions[:1])
    assert (usage.asked, usage.cached) == (0, 1)


def test_the_rate_is_kept(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_RATE", "1200")
    with JudgeServer(echo) as server:
        started = time.monotonic()
        ask(endpoint(server.url), SAMPLING, Prices(), [question(number) for number in range(5)])
        # Five requests have four gaps; a busy machine makes them longer, never shorter.
        assert time.monotonic() - started >= 4 * 60 / 1200


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_budget_holds(monkeypatch, jobs):
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", str(jobs))
    prices = Prices(0.0, 1_000_000)
    with (
        JudgeServer(lambda _request: "x" * 40) as server,
        track_usage("250") as usage,
        pytest.raises(UsageError, match="`budget` of 250 does not last for the next answer"),
    ):
        ask(endpoint(server.url), SAMPLING, prices, [question(number) for number in range(100)])
    # An answer has ten tokens and may have a hundred.
    assert 100 < usage.cost <= 250
    assert usage.asked == usage.cost / 10


def test_a_budget_in_tokens():
    with (
        JudgeServer(lambda _request: "x" * 40) as server,
        track_usage("300 tokens") as usage,
        pytest.raises(UsageError, match="300 tokens"),
    ):
        ask(endpoint(server.url), SAMPLING, Prices(), [question(number) for number in range(100)])
    assert 150 < usage.tokens <= 300


def test_a_budget_in_money_needs_prices():
    with JudgeServer(echo) as server, track_usage("2.50"), pytest.raises(UsageError, match="no prices"):
        ask_one(server)
    assert not server.requests


def test_misspelt_budgets_and_limits_are_refused(monkeypatch):
    with pytest.raises(UsageError, match="`budget` is 'much'; give money"), track_usage("much"):
        pass
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "0")
    with pytest.raises(UsageError, match="FACTABLE_JUDGE_CONCURRENCY is '0'; give a number of at least 1"):
        Limits.of_environment()


def test_processes_share_the_limits(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_CONCURRENCY", "8")
    monkeypatch.setenv("FACTABLE_JUDGE_RATE", "60")
    share_limits(4)
    limits = Limits.of_environment()
    assert (limits.concurrency, limits.seconds_between) == (2, 4.0)


def test_the_key_is_sent_and_hidden_in_what_the_server_says(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_KEY", " sk-very-secret\n")
    with JudgeServer(lambda request: f"Your key is {request.headers.get('Authorization')}") as server:
        assert ask_one(server).completion.text == "Your key is Bearer [key]"
        ask_one(server, api="anthropic")
    assert server.requests[0].headers["Authorization"] == "Bearer sk-very-secret"
    assert server.requests[1].headers["x-api-key"] == "sk-very-secret"
    with (
        JudgeServer(behave=status(401, "bad key sk-very-secret")) as server,
        pytest.raises(ServerError) as refused,
    ):
        ask_one(server)
    assert "sk-very-secret" not in str(refused.value)
    assert "bad key [key]" in str(refused.value)


def test_a_key_that_cannot_be_sent_is_not_repeated(monkeypatch):
    monkeypatch.setenv("FACTABLE_JUDGE_KEY", "sk-very\nsecret")
    with pytest.raises(UsageError) as refused:
        _ = endpoint("http://127.0.0.1:1").key
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("given", "url", "api"),
    [
        ("http://localhost:8080", "http://localhost:8080/v1/chat/completions", "openai"),
        ("http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions", "openai"),
        ("https://host/api/v1/chat/completions", "https://host/api/v1/chat/completions", "openai"),
        ("https://api.anthropic.com", "https://api.anthropic.com/v1/messages", "anthropic"),
        ("http://localhost/v1/messages", "http://localhost/v1/messages", "anthropic"),
        ("https://notanthropic.com", "https://notanthropic.com/v1/chat/completions", "openai"),
    ],
)
def test_addresses(given, url, api):
    made = endpoint(given)
    assert (made.url, made.api) == (url, api)


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "ftp://host",
        "http://",
        "http://a:b@host",
        "http://host/?key=x",
        "http://h:x/",
        "http://a b",
    ],
)
def test_addresses_that_cannot_be_asked(url):
    assert url_problem(url)


def test_proxies_are_used_but_not_for_this_machine(monkeypatch):
    with JudgeServer(echo) as proxy, JudgeServer(echo) as server:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        ask_one(server)
        assert len(server.requests) == 1
        ask(endpoint("http://judge.invalid/v1"), SAMPLING, Prices(), [question()])
    assert [request.path for request in proxy.requests] == ["http://judge.invalid/v1/chat/completions"]


def test_requests_under_way_can_be_ended():
    sockets, reached = OpenSockets(), threading.Event()
    held = threading.Event()

    def hold(_handler, _request):
        reached.set()
        return held.wait(60)

    def end():
        reached.wait(30)
        sockets.end_all()

    with JudgeServer(echo, hold) as server:
        ending = threading.Thread(target=end)
        ending.start()
        body = json.dumps({"messages": []}).encode()
        with pytest.raises(Exception, match=r"."), post(server.url, {}, body, seconds=60, sockets=sockets):
            pass
        ending.join()
        held.set()


def test_tokens_are_estimated_where_a_server_does_not_count():
    message = {"choices": [{"message": {"content": "x" * 40}, "finish_reason": "stop"}]}
    read = read_completion("openai", "application/json", [json.dumps(message).encode()], 400)
    assert (read.tokens_in, read.tokens_out) == (100, 10)


@pytest.mark.parametrize(
    ("reason", "finish"), [("length", "length"), ("content_filter", "refusal"), ("eos", "stop")]
)
def test_why_an_answer_ended(reason, finish):
    class Asked:
        user = ""

    lines = openai_events(Asked, "{}", reason).splitlines(keepends=True)
    assert read_completion("openai", "text/event-stream", lines, 0).finish == finish
    message = json.dumps(openai_message(Asked, "{}", reason)).encode()
    assert read_completion("openai", "application/json", [message], 0).finish == finish


def test_a_refusal_in_its_own_field():
    message = {"choices": [{"message": {"content": None, "refusal": "I can not."}, "finish_reason": "stop"}]}
    read = read_completion("openai", "application/json", [json.dumps(message).encode()], 0)
    assert (read.text, read.finish) == ("I can not.", "refusal")


def test_an_answer_without_an_end_is_cut_off():
    event = b'data: {"type": "content_block_delta", "delta": {"text": "{"}}\n'
    with pytest.raises(BadReplyError, match="cut off"):
        read_completion("anthropic", "text/event-stream", [event], 0)
