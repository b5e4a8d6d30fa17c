"""The HTTP API, asked over a real connection."""

import json
import socket
import threading

import httpx
import jsonschema
import pytest

import factable
from factable.serve.api import answer_error
from factable.serve.body import MAX_DOCUMENT_BYTES
from factable.serve.scorer import BusyError
from helpers.paths import RESTAURANTS

DATA = {"name": "Blue Spice", "eatType": "pub", "area": "riverside"}
TEXT = "Blue Spice is a coffee shop in the riverside area."
NDJSON = {"Content-Type": "application/x-ndjson"}


def line(number=1, text=TEXT, **fields):
    return json.dumps({"id": str(number), "data": DATA, "text": text} | fields) + "\n"


def lines_of(response):
    return [json.loads(each) for each in response.text.splitlines()]


def schema_of(document, name):
    return {"$ref": f"#/components/schemas/{name}", "components": document["components"]}


def test_check_gives_the_verdict_of_the_library(client):
    answer = client.post("/v1/check", json={"data": DATA, "text": TEXT})
    assert answer.status_code == 200
    found = answer.json()
    expected = factable.check(DATA, TEXT).to_dict()
    signature = found.pop("signature")
    assert found == json.loads(json.dumps(expected))
    assert signature.startswith("ledger|")


def test_check_takes_the_open_parameters_of_the_ledger(client):
    request = {
        "data": DATA,
        "text": "Blue Spice is by the riverside.",
        "optional": "eatType",
        "omission": 0.3,
    }
    found = client.post("/v1/check", json=request).json()
    expected = factable.check(DATA, request["text"], optional="eatType", omission=0.3)
    assert found["label"] == expected.label
    assert [fact["required"] for fact in found["facts"]] == [True, False, True]
    assert "omission:0.3" in found["signature"]


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ("{", 400, "broken JSON"),
        ('{"data": {"a": "b"}, "text": "b", "data": {"a": "c"}}', 422, "twice"),
        ("[]", 422, "a list instead of an object"),
        ('{"text": "b"}', 422, 'no "data"'),
        ('{"data": {"a": "b"}}', 422, '"text" is null'),
        ('{"data": {"a": "b"}, "text": 3}', 422, '"text" is a number'),
        ('{"data": 3, "text": "b"}', 422, "a number"),
        ('{"data": {}, "text": "b"}', 422, "facts"),
        ('{"data": {"a": "b"}, "text": "b", "txet": "c"}', 422, "did you mean 'text'"),
        ('{"data": {"a": "b"}, "text": "b", "omission": 2}', 422, "omission"),
    ],
)
def test_check_says_what_is_wrong(client, body, status, words):
    answer = client.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status
    assert words in answer.json()["error"]


@pytest.mark.parametrize("depth", [90, 500, 1000, 5000])
def test_deep_data_is_answered(client, depth):
    body = '{"text": "b", "data": {"a": ' + "[" * depth + '"b"' + "]" * depth + "}}"
    answer = client.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400, 422)
    # And the next one, too.
    assert client.post("/v1/check", json={"data": DATA, "text": TEXT}).status_code == 200


def test_a_large_request_is_refused(client):
    answer = client.post("/v1/check", json={"data": DATA, "text": "x" * MAX_DOCUMENT_BYTES})
    assert answer.status_code == 413
    answer = client.post("/v1/score", content=line(text="x" * MAX_DOCUMENT_BYTES), headers=NDJSON)
    assert answer.status_code == 413


def test_score_equals_factable_score(client):
    specs = ["parent", "bleu", "nli"]
    answer = client.post(
        "/v1/score",
        params={"metric": specs, "explain": "true"},
        content=RESTAURANTS.read_bytes(),
        headers=NDJSON,
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/x-ndjson"
    rows = lines_of(answer)
    expected = factable.score(RESTAURANTS, specs, explain=True)
    for spec in specs:
        assert [row["metrics"][spec]["value"] for row in rows] == pytest.approx(list(expected[spec].values))
    assert [row["id"] for row in rows] == list(expected["nli"].items)
    assert rows[1]["metrics"]["nli"]["facts"]


def test_a_bad_line_gets_an_error_in_its_place(client):
    content = line(1) + "{\n\n" + line(4) + '{"id": 5}'
    rows = lines_of(client.post("/v1/score?metric=parent", content=content, headers=NDJSON))
    assert [row.get("id") or row["line"] for row in rows] == ["1", 2, "4", 5]
    assert "broken JSON" in rows[1]["error"]
    assert 'no "text" field' in rows[3]["error"]
    # It has no references, which is told as everywhere.
    assert rows[0]["metrics"]["parent"] == {**rows[0]["metrics"]["parent"], "value": None}
    assert "references" in rows[0]["metrics"]["parent"]["reason"]


def test_nothing_in_nothing_out(client):
    answer = client.post("/v1/score", content=b"", headers=NDJSON)
    assert (answer.status_code, answer.content) == (200, b"")


def test_score_answers_while_lines_are_still_coming(server):
    """A line is sent only after the scores of the one before have come."""
    address = httpx.URL(server.url)
    head = (
        f"POST /v1/score?metric=chrf HTTP/1.1\r\nHost: {address.host}\r\nConnection: close\r\n"
        "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection((address.host, address.port), timeout=60) as connection:
        connection.sendall(head.encode())
        answers = connection.makefile("rb")
        for number in range(3):
            sent = line(number).encode()
            connection.sendall(b"%x\r\n%s\r\n" % (len(sent), sent))
            row = next(each for each in answers if each.startswith(b"{"))
            assert json.loads(row)["id"] == str(number)
        connection.sendall(b"0\r\n\r\n")
        assert b"0\r\n\r\n" in answers.read()
        answers.close()


@pytest.mark.slow
def test_a_client_may_send_everything_before_it_reads(client):
    """More than the buffers of a connection hold, in both directions."""
    data = {f"attribute {number}": f"value {number}" for number in range(200)}
    rows = "".join(line(number, data=data, references=["a reference"]) for number in range(300))
    answer = client.post("/v1/score?metric=parent&explain=true", content=rows, headers=NDJSON)
    assert [row["id"] for row in lines_of(answer)] == list(map(str, range(300)))


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("nothing", "no metric 'nothing'"),
        ("parent(mix=7)", "mix"),
        ("parnet", "did you mean 'parent'"),
        ("cider", "all texts"),
        ("x" * 5000, "characters"),
    ],
)
def test_score_refuses_metrics_it_cannot_use(client, metric, words):
    answer = client.post("/v1/score", params={"metric": metric}, content=line(), headers=NDJSON)
    assert answer.status_code == 422
    assert words in answer.json()["error"]


def test_the_content_type_and_the_method_count(client):
    assert client.post("/v1/check", content="{}", headers=NDJSON).status_code == 415
    wrong = client.get("/v1/check")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    assert client.get("/v1/nothing").json() == {"error": "Not Found"}


def test_results_follow_the_schema_in_the_openapi_document(client):
    document = client.get("/v1/openapi.json").json()
    assert document["openapi"] == "3.1.0"
    verdict = client.post("/v1/check", json={"data": DATA, "text": TEXT}).json()
    jsonschema.validate(verdict, schema_of(document, "check"))
    rows = lines_of(client.post("/v1/score?metric=ledger", content=line() + "{", headers=NDJSON))
    jsonschema.validate(rows[0], schema_of(document, "score-line"))
    jsonschema.validate(rows[1], schema_of(document, "error-line"))
    request = document["components"]["schemas"]["check-request"]["properties"]
    assert request["omission"]["maximum"] == 1.0
    assert "model" not in request


def test_metrics_are_described(client):
    by_name = {each["name"]: each for each in client.get("/v1/metrics").json()["metrics"]}
    assert by_name["parent"]["needs"] == ["references", "table"]
    parameters = {each["name"]: each["open"] for each in by_name["ledger"]["parameters"]}
    assert parameters["optional"]
    assert not parameters["model"]


def test_counters_are_those_of_prometheus(client):
    client.post("/v1/score?metric=chrf", content=line(references=["x"]), headers=NDJSON)
    text = client.get("/metrics").text
    values = dict(each.rsplit(" ", 1) for each in text.splitlines() if not each.startswith("#"))
    assert float(values["factable_texts_total"]) >= 1
    assert values['factable_requests_total{route="/v1/score",method="POST",status="200"}'] != "0"
    assert float(values["factable_workers_ready"]) == 1
    sizes = [int(value) for name, value in values.items() if name.startswith("factable_batch_texts_bucket")]
    assert sizes == sorted(sizes)
    assert str(sizes[-1]) == values["factable_batch_texts_count"]


def test_clients_are_scored_together(server, client):
    """Texts that arrive while the worker is busy become one batch, and everybody gets their own answer."""
    texts = [f"Blue Spice is a pub number {number}." for number in range(8)]
    answers = {}

    def ask(text):
        answers[text] = httpx.post(
            f"{server.url}/v1/check", json={"data": DATA, "text": text}, timeout=120
        ).json()

    before = client.get("/metrics").text
    threads = [threading.Thread(target=ask, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {text: answer["text"] for text, answer in answers.items()} == {text: text for text in texts}

    def counted(text, name):
        return float(next((each.split()[1] for each in text.splitlines() if each.startswith(name)), 0))

    after = client.get("/metrics").text
    batches = counted(after, "factable_batch_texts_count") - counted(before, "factable_batch_texts_count")
    assert batches < len(texts)


def test_a_full_queue_is_told_with_a_time_to_come_back():
    answer = answer_error(None, BusyError(3))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "3")
    assert "waiting" in json.loads(answer.body)["error"]
