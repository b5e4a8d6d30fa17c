"""The corpus over HTTP."""

import httpx
import pytest

from helpers.paths import RESTAURANTS
from helpers.serving import serving
from helpers.waiting import wait_until


@pytest.fixture(scope="module")
def corpus():
    """A client of a server that has a file open."""
    with (
        serving(files=(str(RESTAURANTS),)) as running,
        httpx.Client(base_url=running.url, timeout=120) as client,
    ):
        wait_until(lambda: client.get("/api/corpus").json()["ready"])
        yield client


def test_texts_are_listed_searched_and_opened(corpus):
    about = corpus.get("/api/corpus").json()
    assert (about["examples"], about["systems"]) == (6, ["careful", "lively"])
    page = corpus.get("/api/corpus/rows", params={"words": "peritonitis", "system": "lively"}).json()
    assert [row["item"] for row in page["rows"]] == ["watson"]
    found = corpus.get(f"/api/corpus/examples/{page['rows'][0]['row']}").json()
    assert [example["system"] for example in found["examples"]] == ["lively", "careful"]


def test_everything_is_scored_in_the_background(corpus):
    started = corpus.post("/api/corpus/jobs", json={"metric": "parent(mix=0.5)"})
    assert started.status_code == 202
    number = started.json()["id"]

    def state():
        jobs = {job["id"]: job for job in corpus.get("/api/corpus").json()["jobs"]}
        return jobs[number] if jobs[number]["state"] not in ("waiting", "running") else None

    assert wait_until(state)["state"] == "done"
    rows = corpus.get("/api/corpus/rows", params={"sort": "parent(mix=0.5)"}).json()["rows"]
    values = [row["value"] for row in rows]
    assert values == sorted(values)
    assert corpus.post(f"/api/corpus/jobs/{number}/cancel", json={}).json()["state"] == "done"


@pytest.mark.parametrize(
    ("path", "status", "problem"),
    [
        ("/api/corpus/rows?first=-1", 422, "first must be a whole number"),
        ("/api/corpus/rows?count=many", 422, "count must be a whole number"),
        ("/api/corpus/rows?low=x", 422, "low must be a number"),
        ("/api/corpus/rows?sort=nothing", 422, "no scores of 'nothing'"),
        ("/api/corpus/examples/600", 422, "no example 600"),
        ("/api/corpus/examples/..%2Fsecret.jsonl", 404, ""),
        ("/api/corpus/examples/-1", 404, ""),
    ],
)
def test_requests_that_make_no_sense_are_refused(corpus, path, status, problem):
    answer = corpus.get(path)
    assert answer.status_code == status
    assert problem in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "no metric"),
        ({"metric": 3}, "no metric"),
        ({"metric": "./mine.py:Mine"}, "no metric './mine.py:Mine'"),
        ({"metric": 'ledger(weights="/etc/passwd")'}, "may name a file"),
        ({"metric": "parent(mix=7)"}, "mix is 7"),
        ([], "no JSON object"),
    ],
)
def test_metrics_that_may_not_be_asked_for_are_refused(corpus, body, problem):
    answer = corpus.post("/api/corpus/jobs", json=body)
    assert answer.status_code == 422
    assert problem in answer.json()["error"]


def test_without_files_the_page_says_how_to_open_some(client):
    assert client.get("/corpus").status_code == 200
    assert client.get("/api/corpus").json() == {"ready": False, "files": []}
    answer = client.get("/api/corpus/rows")
    assert "start the server with factable serve FILE" in answer.json()["error"]
