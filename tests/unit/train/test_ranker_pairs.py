"""Training two encoders on labelled pairs, for real but tiny."""

import json

import pytest
from click.testing import CliRunner

import factable
from factable.cli.main import cli
from factable.metrics.ranking.metric import Ranking
from factable.text.documents import VALUES
from factable.train.ranker_batches import make_corpus, table_overlap
from factable.train.ranker_pairs import PairMaker

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.usefixtures("no_cache")
TOWNS = ("bonn", "cork", "dole", "graz", "linz")


def rows():
    return [
        {
            "id": f"{first} {second}",
            "data": [["x", "from", first], ["x", "to", second]],
            "references": [f"from {first} to {second}", f"to {second} it goes from {first}"],
        }
        for first in TOWNS
        for second in TOWNS
        if first != second
    ]


@pytest.fixture
def corpus():
    return make_corpus(factable.read(rows(), need_text=False))


def values_by_text(corpus):
    pairs = zip(corpus.texts, corpus.table_of, strict=True)
    return {text: corpus.units(table, (VALUES,)) for text, table in pairs}


def test_values_are_paired_with_texts_that_have_them_and_with_texts_that_lack_them(corpus):
    values = values_by_text(corpus)
    pairs = [pair for batch in PairMaker(corpus, "table", 0).epoch(1, 8) for pair in batch]
    assert {pair.label for pair in pairs} == {0.0, 1.0}
    assert all((pair.first in values[pair.second]) == pair.label for pair in pairs)
    positive = [pair for pair in pairs if pair.label]
    assert len(positive) == 2 * len(corpus.texts)


def test_texts_are_paired_by_the_overlap_of_their_values(corpus):
    values = values_by_text(corpus)
    pairs = [pair for batch in PairMaker(corpus, "references", 0).epoch(1, 8) for pair in batch]
    assert all(pair.label == table_overlap(values[pair.first], values[pair.second]) for pair in pairs)
    assert {pair.label for pair in pairs} >= {0.0, 1.0}


def test_the_same_seed_and_epoch_draw_the_same_pairs(corpus):
    maker = PairMaker(corpus, "references", 0)
    assert maker.epoch(1, 8) == PairMaker(corpus, "references", 0).epoch(1, 8) != maker.epoch(2, 8)
    assert all(len(batch) <= 8 for batch in maker.epoch(1, 8))


def test_the_command_gives_an_encoder_for_each_direction(tiny_encoder, tmp_path):
    path, out = tmp_path / "train.jsonl", tmp_path / "mine"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows()))
    options = ["--objective", "pairs", "--base", str(tiny_encoder), "--epochs", "1", "--batch", "32"]
    result = CliRunner().invoke(
        cli, ["train", "ranker", str(path), str(out), *options], catch_exceptions=False
    )
    assert result.exit_code == 0
    for direction in ("table", "references"):
        assert f"direction: {direction}" in result.output
        card = (out / direction / "CARD.md").read_text()
        assert f"by which a text finds its {direction}" in card
        assert "| best, as int8 |" in card
    texts = [{**row, "text": row["references"][0]} for row in rows()]
    scores = Ranking(ranker=str(out), compat="paper").score(factable.read(texts))
    assert 0 < scores.corpus <= 1
