"""`factable campaign`: what is made, listed, exported, imported, copied and deleted."""

import json
import zipfile

import pytest

from factable.serve.annotation.store import Store
from helpers.paths import RESTAURANTS


@pytest.fixture
def campaign(run_factable, tmp_path):
    """A function that runs a command of campaigns in a folder of its own."""

    def run(*arguments):
        return run_factable("campaign", *arguments, cwd=tmp_path)

    return run


def create(campaign, *more, annotators=("ann", "bob"), name="pilot"):
    names = [option for annotator in annotators for option in ("--annotator", annotator)]
    return campaign("create", "marks.db", RESTAURANTS, "--name", name, *names, *more)


def links_in(result):
    return dict(line.split("\t") for line in result.stdout.decode().splitlines())


def annotate(tmp_path, link, **state):
    """Say the same about every text of an annotator."""
    with Store(tmp_path / "marks.db") as store:
        annotator = store.annotator_with(link.partition("#")[2])
        for text in store.assigned(annotator):
            store.save(annotator, text.id, 0, {"done": True, **state})


def test_a_campaign_from_texts_to_exports(campaign, tmp_path):
    made = create(campaign, "--overlap", "2", "--suggest", "slot_error", "--url", "https://example.org/")
    assert made.returncode == 0
    assert made.stderr == b"factable: 6 texts, 2 of 2 annotators for each; links:\n"
    links = links_in(made)
    assert all(link.startswith("https://example.org/annotate#") for link in links.values())
    annotate(tmp_path, links["ann"], marks=[{"start": 0, "end": 4, "category": "wrong"}], facts={"0": "said"})
    listed = campaign("list", "marks.db").stdout.decode()
    assert "ann: 6 of 6 texts done" in listed
    assert "bob: 0 of 6 texts done" in listed
    for name in ("annotations", "facts", "marked", "verdicts"):
        rows = campaign("export", "marks.db", "--format", name).stdout.splitlines()
        assert len(rows) == 6
        assert json.loads(rows[0])["id"].startswith("blue-spice")
    assert campaign("export", "marks.db", "--format", "references").stdout == b""
    assert campaign("export", "marks.db", "--format", "factgenie", "--out", "pilot.zip").returncode == 0
    assert "campaigns/pilot/metadata.json" in zipfile.ZipFile(tmp_path / "pilot.zip").namelist()


def test_what_was_said_elsewhere_is_imported(campaign, tmp_path):
    links = links_in(create(campaign, "--overlap", "2"))
    annotate(tmp_path, links["ann"], comment="fine")
    campaign("export", "marks.db", "--out", "said.jsonl")
    create(campaign, name="second")
    imported = campaign("import", "marks.db", "said.jsonl", "--campaign", "second")
    assert imported.stderr == b"factable: 6 annotations imported into second\n"
    again = campaign("export", "marks.db", "--campaign", "second").stdout
    assert again == (tmp_path / "said.jsonl").read_bytes()


def test_links_are_renewed_and_annotators_added(campaign, tmp_path):
    links = links_in(create(campaign))
    renewed = campaign("link", "marks.db", "ann").stdout.decode().strip()
    added = campaign("link", "marks.db", "carl").stdout.decode().strip()
    with Store(tmp_path / "marks.db") as store:
        assert store.annotator_with(links["ann"].partition("#")[2]) is None
        assert store.annotator_with(renewed.partition("#")[2]).name == "ann"
        assert store.annotator_with(added.partition("#")[2]).name == "carl"
        assert [row.assigned for row in store.progress(1)] == [2, 2, 2]


def test_backup_and_delete(campaign):
    create(campaign)
    assert campaign("backup", "marks.db", "copy.db").returncode == 0
    assert campaign("delete", "marks.db", "pilot", "--yes").returncode == 0
    assert campaign("list", "marks.db").stdout == b""
    assert b"pilot" in campaign("list", "copy.db").stdout
    assert campaign("backup", "marks.db", "marks.db").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--overlap", "3"], "--overlap is 3, and there are 2 annotators"),
        (["--categories", "none.toml"], "none.toml: "),
        (["--suggest", "nothing"], "no metric 'nothing'"),
        (["--instructions", "none.txt"], "none.txt: "),
    ],
)
def test_misuse_is_one_line_and_makes_no_file(campaign, tmp_path, arguments, problem):
    result = create(campaign, *arguments)
    assert result.returncode == 2
    assert problem in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
    assert not (tmp_path / "marks.db").exists()


def test_files_that_are_missing_or_others(campaign, tmp_path):
    for command in (
        ["list", "x.db"],
        ["export", "x.db"],
        ["backup", "x.db", "y.db"],
        ["link", "x.db", "ann"],
    ):
        result = campaign(*command)
        assert result.returncode == 2
        assert b"x.db: no such file; create a campaign first" in result.stderr
    create(campaign)
    result = campaign("export", "marks.db", "--campaign", "other")
    assert result.returncode == 2
    assert b"no campaign 'other'" in result.stderr
    (tmp_path / "said.jsonl").write_text('{"id": "nobody", "annotator": "x", "spans": []}\n')
    result = campaign("import", "marks.db", "said.jsonl")
    assert result.stderr.decode().startswith(
        "factable: said.jsonl:1: the campaign has no text with id 'nobody'"
    )
    assert result.returncode == 2
