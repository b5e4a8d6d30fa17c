"""Files as one list: indexed, searched, sorted and filtered, with scores of results and of rescoring."""

import gzip
import json
import os

import pytest

import factable
from factable.core.registry import parse
from factable.errors import DataError, MissingFileError, UsageError
from factable.serve.corpus.corpus import Corpus, Query
from factable.serve.corpus.scores import FindingsFile
from helpers.paths import RESTAURANTS
from helpers.waiting import wait_until


def line(item, text="A French pub.", system="", **fields):
    data = {"food": "French", "type": "pub"}
    return {"id": item, **({"system": system} if system else {}), "data": data, "text": text, **fields}


def write_lines(path, rows, **how):
    content = "".join(json.dumps(row, **how) + "\n" for row in rows)
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def open_corpus():
    """A function that opens files and waits until they are read."""
    opened = []

    def open_files(*paths):
        corpus = Corpus([str(path) for path in paths])
        opened.append(corpus)
        corpus.wait()
        return corpus

    yield open_files
    for corpus in opened:
        corpus.close()


def items(corpus, **fields):
    return [row["item"] for row in corpus.page(Query(**fields), 0, 100)["rows"]]


def finish(corpus, job):
    wait_until(lambda: not corpus.rescoring.is_busy())
    return job


def test_a_file_is_listed_in_pages(open_corpus, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [line(f"i{n}") for n in range(250)])
    corpus = open_corpus(path)
    page = corpus.page(Query(), 120, 50)
    assert (page["total"], page["first"]) == (250, 120)
    assert [row["item"] for row in page["rows"]] == [f"i{n}" for n in range(120, 170)]
    assert len(corpus.page(Query(), 0, 10_000)["rows"]) == 200
    assert corpus.page(Query(), 300, 50)["rows"] == []
    assert corpus.page(Query(backwards=True), 0, 1)["rows"][0]["item"] == "i249"


@pytest.mark.parametrize("kind", ["jsonl.gz", "json", "csv"])
def test_files_that_cannot_be_read_in_pieces_are_copied(open_corpus, tmp_path, kind):
    rows = [line("1"), line("2", "Größe 🎉", "mine")]
    path = tmp_path / f"a.{kind}"
    if kind == "jsonl.gz":
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    elif kind == "json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("id,system,text,food\n1,,A French pub.,French\n2,mine,Größe 🎉,French\n")
    corpus = open_corpus(path)
    assert items(corpus) == ["1", "2"]
    assert corpus.example(1)["examples"][0]["text"] == "Größe 🎉"
    assert corpus.about()["files"] == [str(path)]
    assert corpus.about()["systems"] == ["", "mine"]


def test_a_folder_is_opened_with_all_files_in_it_that_can_be_read(open_corpus, tmp_path):
    (tmp_path / "runs" / "deep").mkdir(parents=True)
    write_lines(tmp_path / "runs" / "one.jsonl", [line("1"), line("2")])
    write_lines(tmp_path / "runs" / "deep" / "two.jsonl", [line("1"), line("3", system="own")])
    (tmp_path / "runs" / "notes.txt").write_text("nothing")
    (tmp_path / "runs" / ".hidden.jsonl").write_text("broken")
    corpus = open_corpus(tmp_path / "runs")
    # Texts that name no system belong to the one that their file is named after.
    assert set(corpus.about()["systems"]) == {"one", "two", "own"}
    assert sorted(items(corpus)) == ["1", "1", "2", "3"]
    assert items(corpus, system="own") == ["3"]
    assert corpus.about()["faults"] == []


def test_bad_lines_are_left_out_and_named(open_corpus, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [line("1"), {"id": "2"}, line("3")])
    with path.open("a") as stream:
        stream.write("{broken\n\n")
    corpus = open_corpus(path)
    about = corpus.about()
    assert items(corpus) == ["1", "3"]
    assert about["bad"] == 2
    assert about["faults"][0].startswith(f"{path}:2: no text or no data")
    assert about["faults"][1].startswith(f"{path}:4: broken JSON")


def test_missing_and_broken_files(tmp_path, open_corpus):
    with pytest.raises(MissingFileError, match="no such file"):
        Corpus([str(tmp_path / "missing.jsonl")])
    (tmp_path / "broken.csv.gz").write_bytes(b"\x1f\x8bnot really")
    write_lines(tmp_path / "good.jsonl", [line("1")])
    corpus = open_corpus(tmp_path / "broken.csv.gz", tmp_path / "good.jsonl")
    assert items(corpus) == ["1"]
    assert "broken.csv.gz" in corpus.about()["faults"][0]


def test_words_are_searched_in_values_only_and_however_they_are_written(open_corpus, tmp_path):
    rows = [
        line("one", 'The "Café" by the river.', "Nord"),
        line("two", "Straße and CAFÉ."),
        line("three", "A plain pub.", title="Über uns"),
    ]
    plain = write_lines(tmp_path / "plain.jsonl", rows, ensure_ascii=False)
    escaped = write_lines(tmp_path / "escaped.jsonl", rows)
    for path in (plain, escaped):
        corpus = open_corpus(path)
        assert items(corpus, words="café") == ["one", "two"]
        assert items(corpus, words="CAFÉ river") == ["one"]
        assert items(corpus, words="strasse") == ["two"]
        assert items(corpus, words='"café"') == ["one"]
        assert items(corpus, words="über") == ["three"]
        assert items(corpus, words="nord") == ["one"]
        assert items(corpus, words="three") == ["three"]
        assert items(corpus, words="french") == ["one", "two", "three"]
        # Names of fields are in every line.
        assert items(corpus, words="references") == []
        assert items(corpus, words="system") == []


def test_lists_are_sorted_by_ratings_and_limited_to_a_range(open_corpus, tmp_path):
    ratings = [3, None, 1, 2, 1]
    rows = [line(str(n), human={"ok": rating}) for n, rating in enumerate(ratings)]
    rows.append(line("5"))
    corpus = open_corpus(write_lines(tmp_path / "a.jsonl", rows))
    assert items(corpus, sort="human.ok") == ["2", "4", "3", "0", "1", "5"]
    assert items(corpus, sort="human.ok", backwards=True) == ["0", "3", "2", "4", "1", "5"]
    assert items(corpus, sort="human.ok", low=1.5, high=2.5) == ["3"]
    with pytest.raises(UsageError, match="no rating 'nice'"):
        items(corpus, sort="human.nice")
    with pytest.raises(UsageError, match="no scores of 'bleu'"):
        items(corpus, sort="bleu")
    with pytest.raises(UsageError, match="no scores of ''"):
        items(corpus, kind="omitted")


@pytest.fixture
def scored(open_corpus):
    corpus = open_corpus(RESTAURANTS)
    for name in ("parent", "ter", "slot_error"):
        assert finish(corpus, corpus.rescore(parse(name))).state == "done"
    return corpus


def test_rescoring_gives_what_score_gives(scored):
    expected = factable.score(RESTAURANTS, ["parent", "ter"], explain=True)
    about = {metric["spec"]: metric for metric in scored.about()["metrics"]}
    assert about["parent"]["signature"] == expected["parent"].signature
    assert about["ter"]["better"] == "lower"
    for row in range(6):
        found = {metric["spec"]: metric for metric in scored.example(row)["examples"][0]["metrics"]}
        assert found["parent"]["numbers"][0] == expected["parent"].values[row]
        assert found["parent"]["numbers"][1] == expected["parent"].parts["precision"][row]
        assert len(found["parent"]["findings"]) == len(expected["parent"].findings[row])


def test_worst_come_first_whichever_way_a_metric_counts(scored):
    for name in ("parent", "ter"):
        values = [row["value"] for row in scored.page(Query(sort=name), 0, 10)["rows"]]
        assert values == sorted(values, reverse=name == "ter")
        turned = [row["value"] for row in scored.page(Query(sort=name, backwards=True), 0, 10)["rows"]]
        assert turned == values[::-1]
    parts = [row["value"] for row in scored.page(Query(sort="parent.recall"), 0, 10)["rows"]]
    assert parts == sorted(parts)
    with pytest.raises(UsageError, match="parent has no part 'colour'"):
        scored.page(Query(sort="parent.colour"), 0, 10)


def test_lists_are_filtered_by_findings_and_labels(scored):
    omitted = items(scored, judge="parent", kind="omitted")
    assert 0 < len(omitted) < 6
    by_label = {
        label: items(scored, judge="slot_error", kind=f"label:{label}") for label in ("OK", "omission")
    }
    rows = scored.page(Query(judge="slot_error"), 0, 10)["rows"]
    for label, found in by_label.items():
        assert sorted(found) == sorted(row["item"] for row in rows if label in row["label"].split("+"))
    with pytest.raises(UsageError, match="no kind 'odd'"):
        items(scored, judge="parent", kind="odd")


def test_an_example_comes_with_the_texts_of_other_systems(scored):
    found = scored.example(1)
    assert found["item"] == "blue-spice"
    assert [example["system"] for example in found["examples"]] == ["lively", "careful"]
    assert found["examples"][0]["records"][0] == ("", "name", "Blue Spice")
    with pytest.raises(UsageError, match="no example 99"):
        scored.example(99)


def test_a_metric_that_cannot_score_says_why_and_leaves_nothing(open_corpus, tmp_path):
    corpus = open_corpus(write_lines(tmp_path / "a.jsonl", [line("1")]))
    job = finish(corpus, corpus.rescore(parse("bleu")))
    assert job.state == "failed"
    assert "no references, but metric bleu needs them" in job.problem
    assert corpus.about()["metrics"] == []


def test_rescoring_can_be_cancelled_and_keeps_what_it_has(open_corpus, tmp_path, monkeypatch):
    # Long lines: several units of work.
    path = write_lines(tmp_path / "a.jsonl", [line(str(n), note="x" * 400_000) for n in range(9)])
    corpus = open_corpus(path)
    write = FindingsFile.write

    def write_and_cancel(findings, row, content):
        write(findings, row, content)
        wait_until(lambda: len(corpus.rescoring.jobs) == 2)
        corpus.rescoring.cancel_all()

    monkeypatch.setattr(FindingsFile, "write", write_and_cancel)
    first, second = (corpus.rescore(parse(name)) for name in ("slot_error", "rg"))
    finish(corpus, first)
    assert (first.state, second.state) == ("cancelled", "cancelled")
    assert 0 < first.scored < 9
    shown = corpus.page(Query(sort="slot_error"), 0, 100)["rows"]
    assert sum(row["value"] is not None for row in shown) == first.scored
    assert [metric["spec"] for metric in corpus.about()["metrics"]] == ["slot_error"]
    assert corpus.rescoring.cancel(99) is None


def test_bad_and_repeated_lines_do_not_shift_scores(open_corpus, tmp_path):
    rows = [line("1", "A French pub."), line("1", "Again."), {"id": "x"}, line("2", "A Thai place.")]
    corpus = open_corpus(write_lines(tmp_path / "a.jsonl", rows))
    finish(corpus, corpus.rescore(parse("slot_error")))
    values = {row["excerpt"]: row["value"] for row in corpus.page(Query(sort="slot_error"), 0, 9)["rows"]}
    assert values["Again."] is None
    expected = factable.score([rows[0], rows[3]], ["slot_error"])["slot_error"].values
    assert [values["A French pub."], values["A Thai place."]] == list(expected)


def test_results_are_shown_beside_their_texts(open_corpus, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from factable.cli.main import cli

    results = tmp_path / "scores.jsonl"
    arguments = ["score", str(RESTAURANTS), "-m", "parent", "-m", "slot_error", "--explain", "--out"]
    assert CliRunner().invoke(cli, [*arguments, str(results)], catch_exceptions=False).exit_code == 0
    stranger = {"id": "nobody", "system": "x", "metrics": {"parent": {"value": 0.5}}}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('ran', 'w')")
    evil = {"id": "watson", "system": "lively", "metrics": {"./evil.py:Evil": {"value": 1}}}
    with results.open("a") as stream:
        stream.write(json.dumps(stranger) + "\n" + json.dumps(evil) + "\n")
    corpus = open_corpus(results, RESTAURANTS)
    about = corpus.about()
    assert about["examples"] == 6
    assert [metric["spec"] for metric in about["metrics"]] == ["parent", "slot_error"]
    expected = factable.score(RESTAURANTS, ["parent"], explain=True)["parent"]
    for row in range(6):
        shown = corpus.example(row)["examples"][0]["metrics"][0]
        assert shown["numbers"][0] == expected.values[row]
        kinds = {finding[0] for finding in shown["findings"]}
        assert len(kinds) == len({finding.kind for finding in expected.findings[row]})
    assert any("1 scores are of texts that no file has" in fault for fault in about["faults"])
    assert any("evil.py" in fault for fault in about["faults"])
    assert not (tmp_path / "ran").exists()


def test_a_file_that_changes_is_read_again(open_corpus, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [line("1")])
    corpus = open_corpus(path)
    finish(corpus, corpus.rescore(parse("slot_error")))
    before = corpus.about()["generation"]
    write_lines(path, [line("2"), line("3")])
    os.utime(path, ns=(1, 1))
    corpus.wait()
    assert corpus.about()["generation"] == before + 1
    assert items(corpus) == ["2", "3"]
    assert corpus.about()["metrics"] == []


def test_a_line_that_is_no_example_is_an_error_of_that_line(open_corpus, tmp_path):
    path = write_lines(tmp_path / "a.jsonl", [line("1"), {**line("2"), "references": "no list"}])
    corpus = open_corpus(path)
    with pytest.raises(DataError, match=f"{path.name}:2: "):
        corpus.example(1)
