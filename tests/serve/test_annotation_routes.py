"""Campaigns over HTTP: annotators with their links, and those who run a campaign."""

import io
import json
import zipfile

import httpx
import pytest

from factable.serve.annotation.exchange import FORMATS
from helpers.paths import RESTAURANTS
from helpers.serving import serving
from helpers.waiting import wait_until

TOKEN = "a-long-secret-of-the-owner"
CAMPAIGN = {"name": "first", "annotators": ["ann", "bob"], "overlap": 2, "metric": "slot_error"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """A server with a token, a file and a database."""
    database = tmp_path_factory.mktemp("annotations") / "marks.db"
    with serving(files=(str(RESTAURANTS),), annotations=str(database), token=TOKEN) as server:
        yield server


@pytest.fixture(scope="module")
def owner(running):
    """A client with the token of the server."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=running.url, timeout=120, headers=headers) as client:
        wait_until(lambda: client.get("/api/corpus").json()["ready"])
        yield client


def create(owner, **fields):
    started = owner.post("/api/campaigns", json={**CAMPAIGN, **fields})
    assert started.status_code == 202, started.text

    def finished():
        now = owner.get(f"/api/campaigns/creations/{started.json()['id']}").json()
        return now if now["state"] != "running" else None

    return wait_until(finished)


@pytest.fixture(scope="module")
def made(owner):
    """A campaign with suggestions."""
    made = create(owner)
    assert made["state"] == "done", made
    return made


def token_of(made, name):
    return made["paths"][name].partition("#")[2]


@pytest.fixture
def ann(running, made):
    """A client with the token of an annotator."""
    headers = {"Authorization": f"Bearer {token_of(made, 'ann')}"}
    with httpx.Client(base_url=running.url, timeout=120, headers=headers) as client:
        yield client


def first_text(client):
    number = client.get("/api/annotate").json()["texts"][0]["id"]
    return client.get(f"/api/annotate/texts/{number}").json()


def save(client, text, **state):
    path = f"/api/annotate/texts/{text['id']}"
    return client.put(path, json={"revision": text["revision"], "state": state})


def test_annotators_save_undo_and_redo(ann):
    text = first_text(ann)
    assert text["suggestions"]
    mark = {"start": 0, "end": 3, "category": "wrong", "comment": "", "suggestion": None}
    saved = save(ann, text, marks=[mark], facts={"0": "said"}, done=True).json()
    assert saved["state"]["marks"] == [mark]
    assert (saved["canUndo"], saved["canRedo"]) == (True, False)
    path = f"/api/annotate/texts/{text['id']}"
    undone = ann.post(f"{path}/undo", json={"revision": saved["revision"]}).json()
    assert undone["state"]["marks"] == text["state"]["marks"]
    redone = ann.post(f"{path}/redo", json={"revision": undone["revision"]}).json()
    assert redone["state"] == saved["state"]
    assert ann.get("/api/annotate").json()["texts"][0]["done"]


def test_what_systems_wrote_a_text_is_not_told_to_annotators(ann):
    shown = ann.get("/api/annotate").text + json.dumps(first_text(ann))
    assert "careful" not in shown
    assert "lively" not in shown


def test_a_stale_or_senseless_change_is_refused(ann):
    text = first_text(ann)
    saved = save(ann, text, comment="one").json()
    assert save(ann, {**saved, "revision": saved["revision"] - 1}, comment="two").status_code == 409
    answer = save(ann, saved, marks=[{"start": 0, "end": 9999, "category": "wrong"}])
    assert answer.status_code == 400
    assert "count them from 0" in answer.json()["error"]
    path = f"/api/annotate/texts/{text['id']}"
    assert ann.put(path, json={"state": {}}).status_code == 422
    assert ann.post(f"{path}/again", json={"revision": 0}).status_code == 404
    assert ann.get("/api/annotate/texts/9999").status_code == 404


def test_an_annotator_gets_nothing_else_and_a_stranger_nothing_at_all(running, made, ann):
    for path in ("/api/campaigns", f"/api/campaigns/{made['campaign']}", "/api/corpus", "/v1/metrics"):
        assert ann.get(path).status_code == 401
    with httpx.Client(base_url=running.url, timeout=120) as stranger:
        assert stranger.get("/annotate").status_code == 200
        assert stranger.get("/api/annotate").status_code == 401
        for _ in range(12):
            answer = stranger.get("/api/annotate", headers={"Authorization": "Bearer guess"})
        assert answer.status_code == 429
        assert int(answer.headers["Retry-After"]) > 0


def test_who_has_the_token_of_the_server_is_no_annotator(owner):
    assert owner.get("/api/annotate").status_code in (401, 429)


def test_owner_sees_progress_and_figures(owner, made, ann):
    save(ann, first_text(ann), marks=[], done=True)
    campaign = owner.get(f"/api/campaigns/{made['campaign']}").json()
    assert [(row["name"], row["assigned"]) for row in campaign["annotators"]] == [("ann", 6), ("bob", 6)]
    assert campaign["annotators"][0]["done"] == 1
    assert campaign["figures"]["annotated"] == 1
    assert campaign["figures"]["metric"][0]["annotator"] == "ann"
    assert owner.get("/api/campaigns/99").status_code == 404


@pytest.mark.parametrize("name", FORMATS)
def test_owner_exports_in_every_format(owner, made, ann, name):
    save(ann, first_text(ann), marks=[], facts={"0": "said"}, done=True)
    answer = owner.get(f"/api/campaigns/{made['campaign']}/export/{name}")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    if name == "factgenie":
        assert zipfile.ZipFile(io.BytesIO(answer.content)).testzip() is None
    else:
        assert [json.loads(line) for line in answer.text.splitlines()]
    assert owner.get(f"/api/campaigns/{made['campaign']}/export/word").status_code == 404


def test_owner_adds_annotators_and_renews_links(owner, running):
    made = create(owner, name="links", metric="")
    path = f"/api/campaigns/{made['campaign']}/annotators"
    added = owner.post(path, json={"name": "carl"})
    assert added.status_code == 201
    with httpx.Client(base_url=running.url, timeout=120) as client:
        headers = {"Authorization": f"Bearer {token_of({'paths': {'carl': added.json()['path']}}, 'carl')}"}
        assert len(client.get("/api/annotate", headers=headers).json()["texts"]) == 4
        annotators = owner.get(f"/api/campaigns/{made['campaign']}").json()["annotators"]
        carl = next(row["id"] for row in annotators if row["name"] == "carl")
        renewed = owner.post(f"{path}/{carl}/link", json={}).json()["path"]
        assert client.get("/api/annotate", headers=headers).status_code in (401, 429)
        token = renewed.partition("#")[2]
        assert (
            client.get("/api/annotate", headers={"Authorization": f"Bearer {token}"}).json()["annotator"]
            == "carl"
        )
    assert owner.post(path, json={"name": "carl"}).status_code == 422


def test_a_campaign_of_what_was_filtered_with_categories_of_ones_own(owner):
    toml = '[[category]]\nname = "bad"\n'
    made = create(owner, name="filtered", query={"system": "lively"}, toml=toml, overlap=1, facts=False)
    assert made["state"] == "done"
    campaign = owner.get(f"/api/campaigns/{made['campaign']}").json()
    assert campaign["figures"]["texts"] == 3
    assert [category["name"] for category in campaign["categories"]] == ["bad"]
    assert not campaign["asks_facts"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": ""}, "cannot be the name"),
        ({"annotators": "ann"}, "no list of names"),
        ({"overlap": "two"}, "no whole number"),
        ({"overlap": 5}, "`overlap` is 5"),
        ({"categories": "/etc/passwd"}, "no categories"),
        ({"toml": "[[category]]"}, "has no name"),
        ({"metric": "nothing"}, "no metric 'nothing'"),
        ({"query": {"words": 3}}, "query is no object of strings"),
        ({"query": {"words": "nowhere to be found"}}, "has no texts"),
        ({"instructions": "x" * 30_000}, "too long"),
    ],
)
def test_campaigns_that_cannot_be_made_are_refused(owner, fields, problem):
    started = owner.post("/api/campaigns", json={**CAMPAIGN, "name": "odd", **fields})
    if started.status_code == 202:
        now = wait_until(
            lambda: (
                (n := owner.get(f"/api/campaigns/creations/{started.json()['id']}").json())["state"]
                != "running"
                and n
            )
        )
        assert problem in now["problem"]
    else:
        assert problem in started.json()["error"]
    assert "odd" not in owner.get("/api/campaigns").text


def test_without_a_database_the_page_says_how_to_have_one(client):
    assert client.get("/campaigns").status_code == 200
    assert client.get("/api/campaigns").json() == {"ready": False, "campaigns": []}
    answer = client.post("/api/campaigns", json=CAMPAIGN)
    assert "--annotations" in answer.json()["error"]
