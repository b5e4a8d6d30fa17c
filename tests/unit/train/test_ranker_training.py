"""Training a ranker, for real but tiny: batches are labelled right, it learns, it gives a model folder."""

import json
import random
from dataclasses import replace
from functools import partial

import pytest
from click.testing import CliRunner

import factable
from factable.cli.main import cli
from factable.errors import DataError, UsageError
from factable.metrics.ranking.metric import Ranking
from factable.text.documents import RECORDS
from factable.train.ranker import training
from factable.train.ranker.batches import BatchMaker, Retelling, cut_at_names, relevance
from factable.train.ranker.corpus import corpus_of, measure, split, units_told
from factable.train.ranker.training import Settings, Tokens, embed_with, train, train_ranker
from helpers.encoder import make_tiny_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]
LETTERS = "abcdefghijklmnop"


def examples(texts=("{name} is of {town}", "the {town} is of {name}")):
    """Every letter comes from the next one; each pair of neighbours shares a fact."""
    rows = []
    for index, name in enumerate(LETTERS):
        towns = [LETTERS[index - 1], LETTERS[index - 2]]
        for count in (1, 2):
            data = [[name, "of", town] for town in towns[:count]]
            told = [text.format(name=name, town=" ".join(towns[:count])) for text in texts]
            rows.append({"id": f"{name}{count}", "data": data, "references": told})
    return factable.read(rows, need_text=False)


def gold(corpus):
    """The first reference of each example as its text."""
    return [replace(one, text=one.references[0]) for one in corpus]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_tiny_encoder(tmp_path_factory.mktemp("base"))


def test_equal_tables_are_one_and_tables_are_split_apart():
    corpus = corpus_of([*examples(), *examples()])
    assert len(corpus.facts) == 2 * len(LETTERS)
    assert len(corpus.texts) == 8 * len(LETTERS)
    learned, held_out = split(corpus, 0.75, 0)
    assert len(learned.facts) == 24
    assert len(held_out.facts) == 8
    tables = [{some.units(table) for table in range(len(some.facts))} for some in (learned, held_out)]
    assert not tables[0] & tables[1]
    assert split(corpus, 0.75, 0) == (learned, held_out)


def test_batches_are_labelled_by_their_tables():
    corpus = corpus_of(examples())
    batches = list(BatchMaker(corpus, 8, 0).epoch(1))
    assert {one.text for batch in batches for one in batch.texts} >= set(corpus.texts)
    shared = 0
    for batch in batches:
        told, alike = relevance(batch)
        for row, one in enumerate(batch.texts):
            mine = units_told(one.facts)
            assert told[row].tolist() == [unit in mine for unit in batch.units]
            assert alike[row, row] == 1
        assert told.any(axis=1).any()
        assert not told.all()
        shared += ((alike > 0) & (alike < 1)).sum()
    assert (alike == alike.T).all()
    assert shared


def test_batches_depend_on_the_corpus_the_seed_and_the_epoch_alone():
    maker = BatchMaker(corpus_of(examples()), 8, 0)
    first = list(maker.epoch(1))
    assert list(maker.epoch(2)) != first
    assert list(maker.epoch(1)) == first
    assert list(BatchMaker(corpus_of(examples()), 8, 0).epoch(1)) == first
    assert list(BatchMaker(corpus_of(examples()), 8, 1).epoch(1)) != first


def test_facts_that_nearly_fit_have_the_right_names():
    rows = [
        {"id": "1", "data": [["Ann", "born in", "Oslo"]], "references": ["Ann was born in Oslo."]},
        {"id": "2", "data": [["Bob", "died in", "Rome"]], "references": ["Bob died in Rome."]},
    ]
    maker = BatchMaker(corpus_of(factable.read(rows, need_text=False)), 4, 0)
    batches = [batch for epoch in range(40) for batch in maker.epoch(epoch)]
    units = {unit for batch in batches for unit in batch.units}
    assert {"Ann born in Oslo", "Ann died in Oslo", "Oslo born in Ann", "Oslo"} <= units
    texts = {one.text: one.facts for batch in batches for one in batch.texts}
    assert [tuple(fact) for fact in texts["Ann died in Oslo."]] == [("Ann", "died in", "Oslo")]


def test_a_text_is_retold_with_all_names_of_another_table():
    rows = [
        {"id": "1", "data": [["Ann", "child", "Bob"], ["Bob", "born in", "Oslo"]]},
        {"id": "2", "data": [["X", "player", "Y"], ["Y", "club", "Z"]]},
    ]
    rows[0]["references"] = ["ann has a child, Bob, who was born in Oslo"]
    rows[1]["references"] = ["nothing of it is named here"]
    corpus = corpus_of(factable.read(rows, need_text=False))
    told = Retelling(corpus).retell(corpus.facts[1], random.Random(0))
    assert told.text == "X has a child, Y, who was born in Z"
    assert [fact.attribute for fact in told.facts] == ["child", "born in"]
    assert Retelling(corpus).retell(corpus.facts[1][:1], random.Random(0)) is None


def test_names_are_whole_words_and_the_longest_comes_first():
    assert cut_at_names("New York is in York", ["York", "New York"]) == ("", 1, " is in ", 0, "")
    assert cut_at_names("Yorkshire", ["York"]) == ()


def train_quietly(corpora, base, settings, work, log=lambda _: None):
    return train(*corpora, base, settings, work, threads=1, log=log)


def test_it_learns_and_keeps_the_best_epoch(base, tmp_path):
    corpora = split(corpus_of(examples()), 0.75, 0)
    trained = train_quietly(corpora, base, Settings(epochs=6, batch=16, rate=5e-3), tmp_path)
    assert len(trained.figures) == 7
    assert max(map(sum, trained.figures[1:])) > sum(trained.figures[0])
    embed = partial(embed_with, trained.model, Tokens(base))
    assert measure(embed, corpora[1]) == max(trained.figures, key=sum)


class StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.mark.parametrize("moment", ["step 8:", "epoch 1:", "step 12:"])
def test_stopped_it_goes_on_to_the_same_weights(base, tmp_path, monkeypatch, moment):
    monkeypatch.setattr(training, "STEPS_PER_LINE", 4)
    monkeypatch.setattr(training, "STEPS_PER_CHECKPOINT", 3)
    corpora = split(corpus_of(examples()), 0.75, 0)
    settings = Settings(epochs=2, batch=8, rate=5e-3)
    whole = train_quietly(corpora, base, settings, tmp_path / "whole")

    def stop(line):
        if line.startswith(moment):
            raise StoppedError

    with pytest.raises(StoppedError):
        train_quietly(corpora, base, settings, tmp_path / "stopped", stop)
    lines = []
    again = train_quietly(corpora, base, settings, tmp_path / "stopped", lines.append)
    assert "from step 0" not in lines[0]
    assert again.figures == whole.figures
    weights = whole.model.state_dict()
    assert all(torch.equal(value, weights[name]) for name, value in again.model.state_dict().items())


def test_checkpoints_of_another_training_are_refused(base, tmp_path):
    corpora = split(corpus_of(examples()), 0.75, 0)
    train_quietly(corpora, base, Settings(epochs=1, batch=16), tmp_path)
    with pytest.raises(UsageError, match=r"another training \(seed 0, now 1\)|another training \(steps"):
        train_quietly(corpora, base, Settings(epochs=1, batch=16, seed=1), tmp_path)


def test_a_folder_that_the_metric_can_name(base, tmp_path, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    lines = []
    out = tmp_path / "mine"
    train_ranker(
        examples(), base, out, Settings(epochs=1, batch=16), about="letters", threads=1, log=lines.append
    )
    assert {path.name for path in out.iterdir()} == {
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
        "CARD.md",
    }
    assert json.loads((out / "manifest.json").read_text())["about"] == "letters"
    assert "| the best, as int8 |" in (out / "CARD.md").read_text()
    assert any(line.startswith("epoch 1:") for line in lines)
    assert 0 < Ranking(ranker=str(out)).score(gold(examples())).corpus <= 1


def test_other_languages_need_another_base_only(base, tmp_path, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    french = examples(("{name} vient de {town}", "né à {town}: {name}"))
    out = tmp_path / "francais"
    settings = Settings(epochs=1, batch=16)
    train_ranker(french, base, out, settings, about="lettres", threads=1, log=lambda _: None)
    assert 0 < Ranking(ranker=str(out)).score(gold(french)).corpus <= 1


def test_the_command(base, tmp_path):
    rows = [
        {"id": one.item, "data": list(map(list, one.table.records)), "references": one.references}
        for one in examples()
    ]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [str(tmp_path / "train.jsonl"), str(tmp_path / "mine")]
    how = ["--base", str(base), "--epochs", "1", "--batch", "16", "--about", "by hand"]
    found = CliRunner().invoke(cli, ["train", "ranker", *files, *how], catch_exceptions=False)
    assert found.exit_code == 0
    assert "held-out mAP" in found.output
    assert json.loads((tmp_path / "mine" / "manifest.json").read_text())["kind"] == "embedder"


def test_too_few_tables(base, tmp_path):
    with pytest.raises(DataError, match="too few texts"):
        train_ranker(examples()[:1], base, tmp_path / "x", Settings(), about="", threads=1, log=print)


def test_units_of_both_readings_are_learned():
    units = {unit for batch in BatchMaker(corpus_of(examples()), 16, 0).epoch(1) for unit in batch.units}
    assert any(len(unit.split()) == 1 for unit in units)
    assert any(unit in corpus_of(examples()).units(0, (RECORDS,)) for unit in units)
