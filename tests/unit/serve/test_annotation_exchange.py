"""Annotations out to studies and factgenie, and back in; figures of a running campaign."""

import io
import json
import zipfile

import pytest

import factable
from factable.core.registry import parse
from factable.errors import DataError
from factable.io.judgements import read_annotations
from factable.io.marked_texts import read_marked_texts
from factable.serve.annotation.categories import load_categories
from factable.serve.annotation.exchange import FORMATS, export, import_annotations
from factable.serve.annotation.figures import campaign_figures
from factable.serve.annotation.state import AnnotationState
from factable.serve.annotation.store import NewCampaign, NewText, Store
from factable.serve.annotation.suggestions import suggest, suggestions_of
from factable.study.agreement import study_agreement
from factable.study.verdicts import study_verdicts
from factable.types import Example, Finding, Record, Table

TEXT = "Ann 🎉 lives in Rome and has two dogs."
ROME, TWO = (TEXT.index("Rome"), TEXT.index("Rome") + 4), (TEXT.index("two"), TEXT.index("two") + 3)


def example(item, system="mine", text=TEXT):
    records = (Record("", "city", "Paris"), Record("", "dogs", "3"), Record("", "cats", "1"))
    return Example(item, system, text, Table(records))


def mark(span, category, **fields):
    return {"start": span[0], "end": span[1], "category": category, **fields}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "annotations.db") as opened:
        yield opened


@pytest.fixture
def campaign(store):
    """Two annotators on three texts: they agree on one, differ on another, and one is half done."""
    findings = [Finding("contradicted", 0, ROME, 0.1, "Paris"), Finding("omitted", 2, None, 0.2)]
    categories = load_categories("default")
    texts = [NewText(example(item), suggestions_of(findings, categories)) for item in ("1", "2", "3")]
    new = NewCampaign("Dogs & Cats", categories, ("ann", "bob"), 2, metric="parent", signature="parent|v:1")
    made, tokens = store.create(new, texts)
    said = {
        ("ann", "1"): {"marks": [mark(ROME, "wrong", comment="Paris")], "facts": {"0": "wrong", "2": "said"}},
        ("bob", "1"): {"marks": [mark(ROME, "wrong")], "facts": {"0": "wrong", "2": "not said"}},
        ("ann", "2"): {"marks": [mark(TWO, "made up")]},
        ("bob", "2"): {"marks": [], "comment": "fine"},
        ("ann", "3"): {"marks": [mark(ROME, "wrong")], "done": False},
    }
    for (name, item), fields in said.items():
        annotator = store.annotator_with(tokens[name])
        number = next(text.id for text in store.assigned(annotator) if text.item == item)
        store.save(annotator, number, 0, {"done": True, **fields})
    return made


def exported(store, campaign, name, tmp_path):
    path = tmp_path / f"{name}.jsonl"
    path.write_bytes(b"".join(export(store, campaign, name)))
    return path


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_agreement_is_studied_on_exported_annotations(store, campaign, tmp_path):
    rows = read_annotations([exported(store, campaign, "annotations", tmp_path)]).rows
    assert [(row.item, row.annotator, row.human["verdict"]) for row in rows] == [
        ("1", "ann", "contradiction"),
        ("1", "bob", "omission+contradiction"),
        ("2", "ann", "hallucination"),
        ("2", "bob", "OK"),
    ]
    assert [tuple(span) for span in rows[0].spans] == [(*ROME, "wrong")]
    assert study_agreement(rows, draws=0).dimensions[0].texts == 2


def test_agreement_is_studied_on_exported_facts(store, campaign, tmp_path):
    study = study_agreement([exported(store, campaign, "facts", tmp_path)], draws=0)
    assert study.dimensions[0].statistics["observed_agreement"].value == 0.5


def test_spans_are_studied_on_exported_texts(store, campaign, tmp_path):
    texts = read_marked_texts([exported(store, campaign, "marked", tmp_path)]).rows
    assert [text.example.text for text in texts] == [TEXT, TEXT]
    assert [len(text.others) for text in texts] == [1, 1]
    assert [tuple(span) for span in texts[1].spans] == [(*TWO, "made up")]
    assert [tuple(span) for span in texts[1].judges["suggested by parent"]] == [(*ROME, "wrong")]


def test_verdicts_are_studied_on_exported_texts(store, campaign, tmp_path):
    path = exported(store, campaign, "verdicts", tmp_path)
    assert [row["human"] for row in rows_of(path)] == [
        {"omission": 1, "contradiction": 1, "hallucination": 0},
        {"omission": 0, "contradiction": 0, "hallucination": 1},
    ]
    study = study_verdicts(str(path), ["slot_error"], draws=0)
    assert study.examples == 2


def test_texts_without_an_error_become_references(store, campaign, tmp_path):
    annotator = next(row for row in store.progress(campaign.id) if row.name == "bob")
    token = store.renew_token(campaign.id, annotator.id)
    bob = store.annotator_with(token)
    number = next(text.id for text in store.assigned(bob) if text.item == "3")
    store.save(bob, number, 0, {"done": True, "marks": [mark(TWO, "misleading")]})
    path = exported(store, campaign, "references", tmp_path)
    assert [row["references"] for row in rows_of(path)] == [[TEXT]]
    assert factable.read(path, need_text=False)[0].item == "3"


@pytest.mark.parametrize("name", ["annotations", "factgenie"])
def test_what_is_exported_can_be_imported_elsewhere(store, campaign, tmp_path, name):
    path = exported(store, campaign, name, tmp_path)
    with Store(tmp_path / "elsewhere.db") as other:
        texts = [NewText(example(item)) for item in ("1", "2", "3")]
        new = NewCampaign("copy", campaign.categories, ("zoe",))
        copy, _ = other.create(new, texts)
        assert import_annotations(other, copy, path) == 4
        before, after = (
            {t.example.item: t.states for t in s.annotated(c)} for s, c in ((store, 1), (other, 1))
        )
        for item, states in before.items():
            for annotator, state in states.items():
                got = after[item][annotator]
                assert [m[:4] for m in got.marks] == [m[:4] for m in state.marks]
                assert got.comment == state.comment
                # factgenie knows of no facts.
                assert name == "factgenie" or got.facts == state.facts
        assert not next(row for row in other.progress(copy.id) if row.name == "ann").has_link


def test_archive_has_what_factgenie_reads(store, campaign):
    archive = zipfile.ZipFile(io.BytesIO(b"".join(export(store, campaign, "factgenie"))))
    metadata = json.loads(archive.read("campaigns/dogs-cats/metadata.json"))
    assert (metadata["id"], metadata["mode"]) == ("dogs-cats", "external")
    names = [category["name"] for category in metadata["config"]["annotation_span_categories"]]
    assert names == [category.name for category in campaign.categories]
    lines = archive.read("campaigns/dogs-cats/files/annotations.jsonl").splitlines()
    record = json.loads(lines[0])
    assert (record["dataset"], record["setup_id"], record["example_idx"]) == ("dogs-cats", "mine", 0)
    assert record["annotations"] == [{"type": 1, "start": ROME[0], "text": "Rome", "reason": "Paris"}]
    outputs = [json.loads(line) for line in archive.read("data/outputs/dogs-cats/outputs.jsonl").splitlines()]
    assert [output["output"] for output in outputs] == [TEXT] * 3
    assert len(archive.read("data/inputs/dogs-cats/all.jsonl").splitlines()) == 3


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"id": "9", "system": "mine", "annotator": "x", "spans": []}, "no text with id '9'"),
        ({"id": "1", "system": "mine", "annotator": "x"}, '"spans"'),
        ({"id": "1", "system": "mine", "annotator": "x", "spans": [[0, 999, "wrong"]]}, "characters"),
        ({"id": "1", "system": "mine", "annotator": "x", "spans": [[0, 3, "nice"]]}, "unknown category"),
        ({"id": "1", "system": "mine", "annotator": "x", "spans": [], "comments": ["a"]}, "differ in number"),
    ],
)
def test_rows_that_fit_no_text_are_refused_with_their_line(store, campaign, tmp_path, row, problem):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    with pytest.raises(DataError) as error:
        import_annotations(store, campaign, path)
    assert problem in str(error.value)
    assert f"{path}:1:" in str(error.value)
    assert len([text for text in store.annotated(campaign.id) if text.states]) == 2


def factgenie_file(tmp_path, record, categories=("wrong",)):
    path = tmp_path / "campaign.zip"
    metadata = {"config": {"annotation_span_categories": [{"name": name} for name in categories]}}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("metadata.json", json.dumps(metadata))
        archive.writestr("files/one.jsonl", record if isinstance(record, str) else json.dumps(record))
    return path


RECORD = {"dataset": "dogs", "split": "test", "setup_id": "Mine", "example_idx": 1, "annotations": []}


def test_campaign_that_factgenie_exported_is_read(store, campaign, tmp_path):
    note = {"type": 0, "start": ROME[0], "text": "Rome", "reason": "no"}
    record = {**RECORD, "metadata": {"annotator_id": "llm"}, "annotations": [note]}
    assert import_annotations(store, campaign, factgenie_file(tmp_path, record, ["Wrong"])) == 1
    state = next(t for t in store.annotated(campaign.id) if t.example.item == "1").states["llm"]
    assert [tuple(each[:4]) for each in state.marks] == [(*ROME, "wrong", "no")]


@pytest.mark.parametrize(
    ("record", "categories", "problem"),
    [
        ({**RECORD, "example_idx": 7}, ["wrong"], "no text with id '7' or 'dogs-7'"),
        (RECORD, ["nonsense"], "'nonsense' is none of the campaign"),
        (
            {**RECORD, "annotations": [{"type": 0, "start": 0, "text": "Rome"}]},
            ["wrong"],
            "not at character 0",
        ),
        ({**RECORD, "annotations": [{"type": 5, "start": 0, "text": "Ann"}]}, ["wrong"], "no annotation of"),
        ("[1]", ["wrong"], "no annotation of factgenie"),
        ("{", ["wrong"], "broken JSON"),
    ],
)
def test_faults_in_files_of_factgenie_are_named(store, campaign, tmp_path, record, categories, problem):
    with pytest.raises(DataError) as error:
        import_annotations(store, campaign, factgenie_file(tmp_path, record, categories))
    assert problem in str(error.value)


def test_figures_of_a_running_campaign(store, campaign):
    figures = campaign_figures(list(store.annotated(campaign.id)), campaign)
    assert (figures["texts"], figures["annotated"], figures["shared"]) == (3, 2, 2)
    assert figures["marks"] == {"wrong": 2, "made up": 1, "not checkable": 0, "misleading": 0}
    agreement = {row["on"]: row for row in figures["agreement"]}
    assert agreement["verdict"]["observed_agreement"]["value"] == 0
    assert agreement["fact"]["observed_agreement"]["value"] == 0.5
    # Rome twice by both, and "two" by one of them: 2·4 of 4 + 4 + 3 characters.
    assert agreement["words"]["character_f1"]["value"] == pytest.approx(8 / 11)
    against = {row["annotator"]: row for row in figures["metric"]}
    # The metric marks Rome in both texts; bob marks it in one and finds the other right.
    assert against["bob"]["character_precision"]["value"] == 0.5
    assert against["bob"]["character_recall"]["value"] == 1
    assert against["bob"]["false_alarms"]["value"] == 1
    assert figures["labels"]["OK"] == 1


def test_figures_before_anybody_has_done_anything(store):
    made, _ = store.create(
        NewCampaign("new", load_categories("quintd"), ("ann",), metric="ledger"), [NewText(example("1"))]
    )
    figures = campaign_figures(list(store.annotated(made.id)), made)
    assert (figures["annotated"], figures["agreement"], figures["metric"]) == (0, [], [])


def test_findings_become_suggestions_in_the_words_of_the_campaign():
    findings = [
        Finding("contradicted", 0, ROME, 0.1, "Paris"),
        Finding("unsupported", None, TWO, 0.3, "", claim=True),
        Finding("supported", 1, (0, 3), 0.9),
        Finding("omitted", 2),
        Finding("supported", 0, ROME, 0.9, claim=True),
    ]
    ours = suggestions_of(findings, load_categories("default"))
    assert [(each.label, each.span, each.record) for each in ours] == [
        ("wrong", ROME, None),
        ("made up", TWO, None),
        ("wrong", None, 0),
        ("said", None, 1),
        ("not said", None, 2),
    ]
    words = suggestions_of(findings, load_categories("rotowire"), asks_facts=False)
    assert [each.label for each in words] == ["number", "context"]


def test_a_metric_suggests_for_every_text():
    heard = []
    examples = [example("1"), example("2", text="Ann lives in Paris.")]
    texts, signature = suggest(
        examples, parse("slot_error"), load_categories("default"), listener=heard.append
    )
    assert [text.example for text in texts] == examples
    assert all(text.suggestions for text in texts)
    assert signature.startswith("slot_error|")
    assert sum(heard) == 2


def test_formats_leave_out_what_nobody_is_done_with(store, campaign):
    for name in FORMATS:
        content = b"".join(export(store, campaign, name))
        assert name == "factgenie" or b'"id":"3' not in content
    undone = [text for text in store.annotated(campaign.id, done_only=False) if text.example.item == "3"]
    assert undone[0].states["ann"] != AnnotationState()
