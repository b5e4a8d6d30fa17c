"""Annotations in SQLite: what is saved, undone, assigned, backed up and refused."""

import sqlite3
import threading
from collections import Counter
from itertools import combinations

import pytest

import factable
from factable.errors import DataError, MissingFileError, UsageError
from factable.io.faults import Malformed
from factable.serve.annotation.assignment import assign
from factable.serve.annotation.categories import NAMES, Category, load_categories, parse_categories
from factable.serve.annotation.database import MIGRATIONS, Database, require_file
from factable.serve.annotation.state import AnnotationState, Mark, Suggestion, label_of
from factable.serve.annotation.store import NewCampaign, NewText, StaleError, Store, UnknownError
from helpers.paths import RESTAURANTS

CATEGORIES = load_categories("default")
MARK = {"start": 0, "end": 4, "category": "wrong"}


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "annotations.db") as opened:
        yield opened


@pytest.fixture
def make_campaign(store):
    def make(*annotators, name="test", suggestions=(), **fields):
        texts = [NewText(example, suggestions) for example in factable.read(RESTAURANTS)]
        new = NewCampaign(name, CATEGORIES, annotators or ("ann",), **fields)
        return store.create(new, texts)

    return make


@pytest.fixture
def ann(store, make_campaign):
    """An annotator of a campaign, who has all its texts."""
    return store.annotator_with(make_campaign()[1]["ann"])


def test_what_is_saved_is_there_when_the_file_is_opened_again(store, ann, tmp_path):
    first, second, *_ = store.assigned(ann)
    saved = store.save(ann, first.id, 0, {"marks": [MARK], "facts": {"0": "not said"}, "comment": "odd"})
    assert saved.revision
    with Store(tmp_path / "annotations.db") as again:
        text = again.text(ann, first.id)
        assert text.state == AnnotationState((Mark(0, 4, "wrong"),), {0: "not said"}, {}, "odd")
        assert label_of(text.state, CATEGORIES) == "omission+contradiction"
        assert again.text(ann, second.id).state == AnnotationState()


def test_undo_and_redo_go_through_all_revisions_and_survive_reopening(store, ann, tmp_path):
    number = store.assigned(ann)[0].id
    revision = 0
    for end in (3, 4, 5):
        revision = store.save(ann, number, revision, {"marks": [{**MARK, "end": end}]}).revision
    text = store.undo(ann, number, revision)
    assert [mark.end for mark in text.state.marks] == [4]
    with Store(tmp_path / "annotations.db") as again:
        text = again.undo(ann, number, again.undo(ann, number, text.revision).revision)
        assert text.state == AnnotationState()
        assert (text.can_undo, text.can_redo) == (False, True)
        with pytest.raises(StaleError, match="nothing to undo"):
            again.undo(ann, number, 0)
        text = again.redo(ann, number, 0)
        assert [mark.end for mark in text.state.marks] == [3]
        # Who says something new after undo cannot go forward to what was before.
        text = again.save(ann, number, text.revision, {"marks": []})
        assert not text.can_redo
        assert [mark.end for mark in again.undo(ann, number, text.revision).state.marks] == [3]


def test_a_change_of_something_else_than_was_seen_is_refused(store, ann):
    number = store.assigned(ann)[0].id
    revision = store.save(ann, number, 0, {"marks": [MARK]}).revision
    with pytest.raises(StaleError, match="changed elsewhere"):
        store.save(ann, number, 0, {"comment": "from another window"})
    # The answer to a request may be lost; asking again does no harm.
    assert store.save(ann, number, 0, {"marks": [MARK]}).revision == revision


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([], "a list instead of an object"),
        ({"marks": [{**MARK, "end": 10_000}]}, "from 0 to 10000"),
        ({"marks": [{**MARK, "start": True}]}, "no whole number"),
        ({"marks": [{**MARK, "start": 4}]}, "from 4 to 4"),
        ({"marks": [{**MARK, "category": "nice"}]}, "unknown category 'nice'"),
        ({"marks": [{"start": 0}]}, "its fields are others"),
        ({"marks": [{**MARK, "suggestion": 7}]}, "suggestion that does not exist"),
        ({"marks": "x"}, "no list"),
        ({"facts": {"99": "said"}}, '"facts" names something'),
        ({"facts": {"-1": "said"}}, '"facts" names something'),
        ({"facts": {"0": "maybe"}}, "a fact is 'maybe'"),
        ({"decisions": {"0": True}}, '"decisions" names something'),
        ({"comment": 3}, '"comment" is a number'),
        ({"comment": "x" * 6000}, "a comment of 6000"),
        ({"done": "yes"}, '"done" is a string'),
        ({"score": 3}, "unknown field 'score'"),
    ],
)
def test_what_does_not_fit_the_text_is_refused_and_changes_nothing(store, ann, fields, problem):
    number = store.assigned(ann)[0].id
    with pytest.raises(Malformed) as error:
        store.save(ann, number, 0, fields)
    assert problem in error.value.problem
    assert store.text(ann, number).revision == 0


def test_annotators_see_their_own_texts_only(store, make_campaign):
    _, tokens = make_campaign("ann", "bob", overlap=1)
    ann, bob = (store.annotator_with(tokens[name]) for name in ("ann", "bob"))
    anns, bobs = ({text.id for text in store.assigned(each)} for each in (ann, bob))
    assert len(anns) == len(bobs) == 3
    assert not anns & bobs
    with pytest.raises(UnknownError):
        store.text(ann, min(bobs))
    with pytest.raises(UnknownError):
        store.save(ann, min(bobs), 0, {"comment": "not mine"})


def test_a_token_is_worth_something_until_it_is_renewed_and_the_file_does_not_hold_it(
    store, make_campaign, tmp_path
):
    campaign, tokens = make_campaign()
    ann = store.annotator_with(tokens["ann"])
    assert ann.name == "ann"
    assert store.annotator_with("") is None
    assert store.annotator_with(tokens["ann"][:-1]) is None
    assert store.annotator_with("\udcff") is None
    renewed = store.renew_token(campaign.id, ann.id)
    assert store.annotator_with(tokens["ann"]) is None
    assert store.annotator_with(renewed) == ann
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert renewed.encode() not in content


def test_who_comes_later_takes_over_what_nobody_has_begun(store, make_campaign):
    campaign, tokens = make_campaign("ann", "bob", overlap=2)
    ann = store.annotator_with(tokens["ann"])
    begun = store.assigned(ann)[0].id
    store.save(ann, begun, 0, {"done": True})
    store.add_annotator(campaign.id, "carl")
    progress = {row.name: row for row in store.progress(campaign.id)}
    assert sum(row.assigned for row in progress.values()) == 12
    assert progress["carl"].assigned == 4
    assert (progress["ann"].started, progress["ann"].done) == (1, 1)
    assert begun in {text.id for text in store.assigned(ann)}
    with pytest.raises(UsageError, match="already"):
        store.add_annotator(campaign.id, "carl")


@pytest.mark.parametrize("overlap", [1, 2, 3])
def test_assignment_is_even_and_everybody_meets_everybody(overlap):
    texts = dict.fromkeys(range(120), ())
    pairs = list(assign(texts, [1, 2, 3, 4], overlap))
    assert len(set(pairs)) == len(pairs) == 120 * overlap
    load = Counter(annotator for annotator, _ in pairs)
    assert max(load.values()) - min(load.values()) <= 1
    by_text = {text: [a for a, t in pairs if t == text] for text in texts}
    met = Counter(pair for chosen in by_text.values() for pair in combinations(sorted(chosen), 2))
    if overlap > 1:
        assert len(met) == 6
        assert max(met.values()) - min(met.values()) <= 2


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"overlap": 3}, "`overlap` is 3"),
        ({"overlap": 0}, "`overlap` is 0"),
        ({"annotators": ("ann", "ann")}, "twice"),
        ({"annotators": ()}, "at least one"),
        ({"annotators": ("a\nb",)}, "cannot be the name of an annotator"),
        ({"name": " "}, "cannot be the name of a campaign"),
    ],
)
def test_campaigns_that_cannot_work_are_refused(store, fields, problem):
    texts = [NewText(example) for example in factable.read(RESTAURANTS)]
    new = NewCampaign(**{"name": "test", "categories": CATEGORIES, "annotators": ("ann", "bob"), **fields})
    with pytest.raises(UsageError, match=problem):
        store.create(new, texts)
    assert store.campaigns() == []


def test_campaigns_are_found_by_name_and_deleted_whole(store, make_campaign):
    _, tokens = make_campaign(name="one")
    ann = store.annotator_with(tokens["ann"])
    for number in (0, 1):
        text = store.assigned(ann)[number].id
        store.save(ann, text, store.save(ann, text, 0, {"comment": "a"}).revision, {"comment": "b"})
    assert store.find_campaign().name == "one"
    make_campaign(name="two")
    with pytest.raises(UnknownError, match="several campaigns"):
        store.find_campaign()
    with pytest.raises(UsageError, match="already"):
        make_campaign(name="two")
    store.delete_campaign(store.find_campaign("one").id)
    assert store.find_campaign().name == "two"
    assert store.database.query("SELECT count(*) AS n FROM revision")[0]["n"] == 0
    with pytest.raises(UnknownError):
        store.campaign(99)


def test_suggestions_come_back_as_they_were_made(store, make_campaign):
    made = (Suggestion("wrong", (0, 4), None, 0.25, "why"), Suggestion("said", None, 0))
    _, tokens = make_campaign(suggestions=made)
    ann = store.annotator_with(tokens["ann"])
    number = store.assigned(ann)[0].id
    assert store.text(ann, number).suggestions == made
    state = {"marks": [{**MARK, "suggestion": 0}], "decisions": {"0": True, "1": False}}
    assert store.save(ann, number, 0, state).state.decisions == {0: True, 1: False}


def test_a_backup_is_one_file_with_everything_while_others_write(store, ann, tmp_path):
    number = store.assigned(ann)[0].id
    stop = threading.Event()
    saved = []

    def write():
        while not stop.is_set():
            revision = store.text(ann, number).revision
            saved.append(store.save(ann, number, revision, {"comment": str(revision)}).revision)

    writer = threading.Thread(target=write)
    writer.start()
    while not saved:
        pass
    before = saved[-1]
    store.database.backup(tmp_path / "copy.db")
    stop.set()
    writer.join()
    assert not (tmp_path / "copy.db-wal").exists()
    with Store(tmp_path / "copy.db") as copy:
        assert copy.text(ann, number).revision >= before
        assert copy.database.query("PRAGMA integrity_check")[0][0] == "ok"


def test_settings_of_the_file_let_nothing_acknowledged_get_lost(store):
    assert store.database.query("PRAGMA journal_mode")[0][0] == "wal"
    assert store.database.query("PRAGMA synchronous")[0][0] == 2


def test_two_connections_write_to_one_file_in_turn(store, ann, tmp_path):
    numbers = [text.id for text in store.assigned(ann)]

    def annotate(texts):
        with Store(tmp_path / "annotations.db") as other:
            for number in texts:
                for turn in range(20):
                    other.save(ann, number, other.text(ann, number).revision, {"comment": str(turn)})

    threads = [threading.Thread(target=annotate, args=(numbers[start::2],)) for start in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [store.text(ann, number).state.comment for number in numbers] == ["19"] * 6


def test_files_that_are_no_annotations_are_refused(tmp_path):
    (tmp_path / "text.db").write_text("no database at all, but long enough to look at" * 20)
    with pytest.raises(DataError, match="not readable as SQLite"):
        Store(tmp_path / "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE notes (x)")
    other.commit()
    other.close()
    with pytest.raises(DataError, match="not of annotations"):
        Store(tmp_path / "other.db")
    with pytest.raises(MissingFileError, match="cannot be opened"):
        Store(tmp_path / "no" / "such" / "folder.db")
    with pytest.raises(MissingFileError, match="no such file"):
        require_file(tmp_path / "missing.db")


def test_a_file_of_a_newer_version_is_refused_and_an_older_one_migrated(tmp_path, monkeypatch):
    path = tmp_path / "annotations.db"
    Database(path).close()
    added = "ALTER TABLE campaign ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'"
    with monkeypatch.context() as patch:
        patch.setattr("factable.serve.annotation.database.MIGRATIONS", (*MIGRATIONS, added))
        newer = Database(path)
        assert newer.query("PRAGMA user_version")[0][0] == len(MIGRATIONS) + 1
        assert newer.query("SELECT colour FROM campaign") == []
        newer.close()
    with pytest.raises(DataError, match="newer factable"):
        Database(path)


def test_a_migration_that_fails_changes_nothing(tmp_path, monkeypatch):
    path = tmp_path / "annotations.db"
    Database(path).close()
    broken = "CREATE TABLE half (x); CREATE TABLE half (x)"
    with monkeypatch.context() as patch:
        patch.setattr("factable.serve.annotation.database.MIGRATIONS", (*MIGRATIONS, broken))
        with pytest.raises(DataError, match="half"):
            Database(path)
    again = Database(path)
    assert not again.query("SELECT * FROM sqlite_master WHERE name = 'half'")
    again.close()


def test_categories_that_ship_are_read():
    assert [category.name for category in load_categories("default")] == [
        *("left out", "wrong", "made up", "not checkable", "misleading")
    ]
    assert {name: len(load_categories(name)) for name in NAMES} == {"default": 5, "quintd": 4, "rotowire": 6}


def test_categories_of_a_file_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[category]]\nname = "bad"\nerror = "hallucination"\n\n[[category]]\nname = "odd"\n')
    assert load_categories(path) == (Category("bad", "hallucination"), Category("odd"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "has no [[category]]"),
        ("category = 3", "has no [[category]]"),
        ("[[category]]\n", "has no name"),
        ("[[category]]\nname = 3", "no string"),
        ('[[category]]\nname = "x"\ncolour = "red"', "unknown field 'colour'"),
        ('[[category]]\nname = "x"\nerror = "omision"', "did you mean 'omission'?"),
        ('[[category]]\nname = "x"\n[[category]]\nname = "x"', "two categories 'x'"),
        ('[[category]]\nname = "x"\nerror = "omission"', "no category for words"),
        ('[[category]]\nname = "x"\n' * 10, "has 10 categories"),
        ("[[category]", "broken TOML"),
    ],
)
def test_faults_in_categories_are_named(content, problem):
    with pytest.raises(DataError) as error:
        parse_categories("mine.toml", content.encode())
    assert problem in str(error.value)
    assert str(error.value).startswith("mine.toml")
