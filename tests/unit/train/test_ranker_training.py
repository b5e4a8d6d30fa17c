"""Training a ranker, for real but tiny: batches are labelled right, it learns, it gives a model folder."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tiny_encoder import make_tiny_encoder

import factable
from factable.cli.main import cli
from factable.errors import DataError
from factable.metrics.ranking import Ranking
from factable.text.units import RECORDS
from factable.train.ranker.corpus import BatchMaker, corpus_of, relevance, split
from factable.train.ranker.run import train_ranker
from factable.train.ranker.training import Settings, train

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")
LETTERS = "abcdefghijklmnop"


def examples(texts=("{name} is of {town}", "the {town} is of {name}")):
    """Every letter comes from the next one; each pair of neighbours shares a fact."""
    rows = []
    for place, name in enumerate(LETTERS):
        towns = [LETTERS[place - 1], LETTERS[place - 2]]
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
    maker = BatchMaker(corpus, 8, 0)
    batches = list(maker.epoch())
    assert {place for batch in batches for place in batch.texts} == set(range(len(corpus.texts)))
    shared = 0
    for batch in batches:
        told, alike = relevance(corpus, batch)
        for row, place in enumerate(batch.texts):
            mine = corpus.units(corpus.table_of[place])
            assert told[row].tolist() == [unit in mine for unit in batch.units]
            assert alike[row, row] == 1
        assert told.any(axis=1).any()
        assert not told.all()
        shared += ((alike > 0) & (alike < 1)).sum()
    assert (alike == alike.T).all()
    assert shared


def test_it_learns_and_keeps_the_best_epoch(base):
    learned, held_out = split(corpus_of(examples()), 0.75, 0)
    model, figures = train(
        learned, held_out, base, Settings(epochs=6, batch=16, rate=5e-3), threads=1, log=lambda _: None
    )
    assert len(figures) == 7
    assert max(map(sum, figures[1:])) > sum(figures[0])
    assert model is not None


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
    units = {unit for batch in BatchMaker(corpus_of(examples()), 16, 0).epoch() for unit in batch.units}
    assert any(len(unit.split()) == 1 for unit in units)
    assert any(unit in corpus_of(examples()).units(0, (RECORDS,)) for unit in units)
