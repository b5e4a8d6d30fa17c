"""Training a ranker, for real but tiny: batches are labelled right, it learns, it gives a model folder."""

import json
import random
from dataclasses import replace

import pytest
from click.testing import CliRunner

import factable
from factable.cli.main import cli
from factable.errors import DataError
from factable.metrics.ranking.metric import Ranking
from factable.models.runtime.manifest import EMBEDDER
from factable.text.documents import RECORDS
from factable.train.export import TEXT_INPUTS, export_model
from factable.train.options import RankerOptions
from factable.train.ranker import RankerModel, RankerTraining, RankingFigures, measure_ranking, train_ranker
from factable.train.ranker_batches import (
    BatchMaker,
    Retelling,
    cut_at_names,
    make_corpus,
    relevance,
    split_tables,
    units_of_facts,
)

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("no_cache")
LETTERS = "abcdefghijklmnop"
ENGLISH = ("{name} is of {town}", "the {town} is of {name}")
FRENCH = ("{name} vient de {town}", "né à {town}: {name}")


def examples(texts=ENGLISH):
    """Every letter comes from the next one; each pair of neighbours shares a fact."""
    rows = []
    for index, name in enumerate(LETTERS):
        towns = [LETTERS[index - 1], LETTERS[index - 2]]
        for count in (1, 2):
            data = [[name, "of", town] for town in towns[:count]]
            references = [text.format(name=name, town=" ".join(towns[:count])) for text in texts]
            rows.append({"id": f"{name}{count}", "data": data, "references": references})
    return factable.read(rows, need_text=False)


def ranking_score(folder, corpus):
    """The score of the first reference of each example."""
    texts = [replace(example, text=example.references[0]) for example in corpus]
    return Ranking(ranker=str(folder)).score(texts).corpus


def test_equal_tables_are_one_and_tables_are_split_apart():
    corpus = make_corpus([*examples(), *examples()])
    assert len(corpus.facts) == 2 * len(LETTERS)
    assert len(corpus.texts) == 8 * len(LETTERS)
    learned, held_out = split_tables(corpus, 0.75, 0)
    assert len(learned.facts) == 24
    assert len(held_out.facts) == 8
    tables = [{part.units(table) for table in range(len(part.facts))} for part in (learned, held_out)]
    assert not tables[0] & tables[1]
    assert split_tables(corpus, 0.75, 0) == (learned, held_out)


def test_batches_are_labelled_by_their_tables():
    corpus = make_corpus(examples())
    batches = BatchMaker(corpus, 8, 0).epoch(1)
    assert {text.text for batch in batches for text in batch.texts} >= set(corpus.texts)
    shared = 0
    for batch in batches:
        stated, similar = relevance(batch)
        for row, text in enumerate(batch.texts):
            units = units_of_facts(text.facts)
            assert stated[row].tolist() == [unit in units for unit in batch.units]
            assert similar[row, row] == 1
        assert stated.any(axis=1).any()
        assert not stated.all()
        shared += ((similar > 0) & (similar < 1)).sum()
    assert (similar == similar.T).all()
    assert shared


def test_batches_depend_on_the_corpus_the_seed_and_the_epoch_alone():
    maker = BatchMaker(make_corpus(examples()), 8, 0)
    first = maker.epoch(1)
    assert maker.epoch(2) != first
    assert maker.epoch(1) == first
    assert BatchMaker(make_corpus(examples()), 8, 0).epoch(1) == first
    assert BatchMaker(make_corpus(examples()), 8, 1).epoch(1) != first


def test_facts_that_nearly_fit_have_the_right_names():
    rows = [
        {"id": "1", "data": [["Ann", "born in", "Oslo"]], "references": ["Ann was born in Oslo."]},
        {"id": "2", "data": [["Bob", "died in", "Rome"]], "references": ["Bob died in Rome."]},
    ]
    maker = BatchMaker(make_corpus(factable.read(rows, need_text=False)), 4, 0)
    batches = [batch for epoch in range(40) for batch in maker.epoch(epoch)]
    units = {unit for batch in batches for unit in batch.units}
    assert {"Ann born in Oslo", "Ann died in Oslo", "Oslo born in Ann", "Oslo"} <= units
    texts = {text.text: text.facts for batch in batches for text in batch.texts}
    assert [tuple(fact) for fact in texts["Ann died in Oslo."]] == [("Ann", "died in", "Oslo")]


def test_a_text_is_retold_with_all_names_of_another_table():
    rows = [
        {"id": "1", "data": [["Ann", "child", "Bob"], ["Bob", "born in", "Oslo"]]},
        {"id": "2", "data": [["X", "player", "Y"], ["Y", "club", "Z"]]},
    ]
    rows[0]["references"] = ["ann has a child, Bob, who was born in Oslo"]
    rows[1]["references"] = ["nothing of it is named here"]
    corpus = make_corpus(factable.read(rows, need_text=False))
    retold = Retelling(corpus).retell(corpus.facts[1], random.Random(0))
    assert retold.text == "X has a child, Y, who was born in Z"
    assert [fact.attribute for fact in retold.facts] == ["child", "born in"]
    assert Retelling(corpus).retell(corpus.facts[1][:1], random.Random(0)) is None


def test_names_are_whole_words_and_the_longest_comes_first():
    assert cut_at_names("New York is in York", ["York", "New York"]) == ("", 1, " is in ", 0, "")
    assert cut_at_names("Yorkshire", ["York"]) == ()


@pytest.mark.train
def test_it_learns_and_keeps_the_best_epoch(tiny_encoder, tmp_path):
    corpus, held_out = split_tables(make_corpus(examples()), 0.75, 0)
    ranker = RankerModel(tiny_encoder, 128)
    folders = [tmp_path / name for name in ("untrained", "trained")]
    how = {"kind": EMBEDDER, "about": "letters", "inputs": TEXT_INPUTS}
    export_model(ranker.model, tiny_encoder, folders[0], **how)
    options = RankerOptions(epochs=6, batch_size=16, learning_rate=5e-3)
    result = ranker.train(corpus, held_out, options, tmp_path / "work", threads=1, log=print)
    export_model(ranker.model, tiny_encoder, folders[1], **how)
    assert len(result.history) == 7
    assert result.best_epoch > 0
    best = RankingFigures(*result.history[result.best_epoch].figures)
    assert sum(best) == max(validation.score for validation in result.history)
    assert measure_ranking(ranker.embed, held_out) == best
    # What was learnt survives the export, and the metric sees it.
    untrained, trained = (ranking_score(folder, examples()) for folder in folders)
    assert trained > untrained + 0.01


def test_an_epoch_of_the_command_gives_a_folder_for_the_metric(tiny_encoder, tmp_path):
    # Other languages need another base only.
    corpus = examples(FRENCH)
    rows = [
        {"id": row.item, "data": list(map(list, row.table.records)), "references": row.references}
        for row in corpus
    ]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "mine"
    options = ["--base", str(tiny_encoder), "--epochs", "1", "--batch", "32", "--about", "lettres"]
    command = ["train", "ranker", str(tmp_path / "train.jsonl"), str(out), *options]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0
    for line in (
        "52 texts to train on, 12 held out",
        "untrained: held-out mAP",
        "epoch 1: held-out mAP",
        "as int8",
    ):
        assert line in result.output
    assert {path.name for path in out.iterdir()} == {
        "manifest.json",
        "model.onnx",
        "tokenizer.json",
        "CARD.md",
    }
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["kind"], manifest["about"]) == ("embedder", "lettres")
    card = (out / "CARD.md").read_text()
    (row,) = (line for line in card.splitlines() if line.startswith("| best, as int8 |"))
    table, decoys, references = row.strip("| ").split(" | ")[1:]
    assert (
        f"as int8: held-out mAP of the table {table}, with decoys {decoys}, of references {references}"
        in (result.output)
    )
    # A text finds its own facts better than those of another one.
    shuffled = [replace(row, references=corpus[index - 7].references) for index, row in enumerate(corpus)]
    assert ranking_score(out, corpus) > ranking_score(out, shuffled)


def test_too_few_tables(tiny_encoder, tmp_path):
    with pytest.raises(DataError, match="too few texts"):
        train_ranker(
            examples()[:1], RankerTraining(tiny_encoder, tmp_path / "x", RankerOptions(), "", 1, print)
        )


def test_units_of_both_readings_are_learned():
    corpus = make_corpus(examples())
    units = {unit for batch in BatchMaker(corpus, 16, 0).epoch(1) for unit in batch.units}
    assert any(len(unit.split()) == 1 for unit in units)
    assert any(unit in corpus.units(0, (RECORDS,)) for unit in units)
