"""CIDEr-D against pycocoevalcap on real systems, and both metrics against arithmetic by hand."""

import math
from dataclasses import replace

import pytest
from click.testing import CliRunner

from factable.cli.main import cli
from factable.errors import UsageError
from factable.io.examples import write_examples
from factable.kernels.tokens import tokenize
from factable.metrics.cider import Cider, CiderD
from factable.types import Example, Table
from helpers.peers import Peer
from helpers.webnlg_systems import SYSTEMS, examples_of

needs_webnlg = pytest.mark.data("webnlg2017")
cider = Peer("pycocoevalcap.cider.cider")


def example(item: str, text: str, *references: str, system: str = "") -> Example:
    return Example(item, system, text, Table(()), references)


def tokenized(one: Example) -> Example:
    references = tuple(" ".join(tokenize(reference)) for reference in one.references)
    return replace(one, text=" ".join(tokenize(one.text)), references=references)


def peer_scores(examples: list[Example]) -> tuple[float, list[float]]:
    references = {index: list(one.references) for index, one in enumerate(examples)}
    corpus, values = cider.Cider().compute_score(
        references, {index: [one.text] for index, one in enumerate(examples)}
    )
    return corpus, list(values)


@pytest.fixture(scope="module")
def webnlg() -> list[Example]:
    examples = [tokenized(one) for system in SYSTEMS for one in examples_of(system)[::17]]
    assert len({len(one.references) for one in examples}) > 3
    return examples


@pytest.mark.packages
@needs_webnlg
def test_pycocoevalcap_on_webnlg(webnlg):
    corpus, values = peer_scores(webnlg)
    scores = CiderD(compat="coco").score(webnlg)
    assert scores.values.tolist() == pytest.approx(values, abs=1e-9)
    assert scores.corpus == pytest.approx(corpus, abs=1e-9)
    assert 0 < scores.corpus < max(values) <= 10


@pytest.mark.packages
@needs_webnlg
def test_one_system_has_the_same_documents_in_both(webnlg):
    """The default differs in which texts make an item, not in arithmetic."""
    one_system = [one for one in webnlg if one.system == "upf"]
    _, values = peer_scores(one_system)
    scores = CiderD(tokens="whitespace-cased").score(one_system)
    assert scores.values.tolist() == pytest.approx(values, abs=1e-9)


@needs_webnlg
def test_an_item_counts_once_whatever_the_number_of_systems(webnlg):
    alone = CiderD().score([one for one in webnlg if one.system == "upf"])
    among = CiderD().score(webnlg)
    kept = [value for value, one in zip(among.values, webnlg, strict=True) if one.system == "upf"]
    assert kept == alone.values.tolist()
    coco = CiderD(compat="coco", tokens="words")
    assert coco.score(webnlg).values[-1] != coco.score(webnlg[-len(kept) :]).values[-1]


ODD = [
    example("1", "a b", "a b"),
    example("2", "a b c d e", "a b x d e", "", "a a a"),
    example("3", "", "a b"),
    example("4", "a a a a b b", "b b a", "a"),
    example("5", "İ \u3000x", "İ x\u2003\x1cy"),
]


@pytest.mark.packages
def test_pycocoevalcap_on_odd_texts():
    corpus, values = peer_scores(ODD)
    scores = CiderD(compat="coco").score(ODD)
    assert scores.values.tolist() == pytest.approx(values, abs=1e-12)
    assert scores.corpus == pytest.approx(corpus, abs=1e-12)
    # Two words have no 3-grams and 4-grams, so even an exact match has half of the scale.
    assert values[0] == pytest.approx(5.0)


@pytest.mark.packages
def test_one_example_as_in_the_program():
    assert peer_scores(ODD[:1])[1] == [0.0]
    assert CiderD(compat="coco").score(ODD[:1]).values.tolist() == [0.0]


def test_cider_by_hand():
    examples = [example("1", "a b b", "a b", "c"), example("2", "a", "a")]
    scores = Cider(orders=2).score(examples)
    # "a" is in both items and weighs nothing; log 2 of "b", "c", "a b" and the unseen "b b" cancels out.
    assert scores.parts["cider_1"].tolist() == pytest.approx([(1 + 0) / 2, 0.0])
    assert scores.parts["cider_2"].tolist() == pytest.approx([(1 / math.sqrt(2) + 0) / 2, 0.0])
    assert scores.values[0] == pytest.approx((0.5 + 0.5 / math.sqrt(2)) / 2)


def test_cider_d_by_hand():
    examples = [example("1", "b b b", "b"), example("2", "a", "a")]
    plain, clipped = Cider(orders=1), CiderD(orders=1, sigma=2.0)
    assert plain.score(examples).values.tolist() == pytest.approx([1.0, 1.0])
    # 1 of 3 times "b" is left by clipping, and the text is two words too long.
    assert clipped.score(examples).values.tolist() == pytest.approx([10 / 3 * math.exp(-4 / 8), 10.0])


def test_one_item_alone_is_unscored():
    examples = [example("1", "a", "a", system="x"), example("1", "b", "a", system="y"), example("2", "a")]
    for metric in (Cider(), CiderD()):
        scores = metric.score(examples)
        assert all(map(math.isnan, scores.values))
        notes = [findings[0].note for findings in scores.findings]
        assert ["single item" in note for note in notes] == [True, True, False]
        assert notes[2] == "no references"


@pytest.mark.packages
def test_stems():
    examples = [example("1", "running cats", "run cat"), example("2", "dog", "dog")]
    assert Cider(orders=2, stem=True).score(examples).values[0] == pytest.approx(1.0)
    assert Cider(orders=2).score(examples).values[0] == 0.0


@pytest.mark.packages
@pytest.mark.parametrize("metric", [Cider(), CiderD(), CiderD(compat="coco"), Cider(stem=True, orders=2)])
def test_prepared_on_the_same_examples(metric, tmp_path):
    prepared = metric.prepare(ODD, str(tmp_path / "odd.idf"))
    assert (metric.corpus, prepared.corpus) == (True, False)
    assert prepared.score(ODD).values == metric.score(ODD).values
    assert prepared.score(ODD).parts == metric.score(ODD).parts
    shards = [prepared.score([one]).values[0] for one in ODD]
    assert shards == metric.score(ODD).values.tolist()
    assert "idf:odd.idf@" in prepared.score(ODD).signature


def test_prepared_on_other_examples(tmp_path):
    prepared = Cider(orders=1).prepare(
        [example("1", "", "a b"), example("2", "", "a c")], str(tmp_path / "x")
    )
    (value,) = prepared.score([example("9", "a b new", "b other")]).values
    # log 2 for "b", "new" and "other", of which two are in no item; nothing for "a".
    assert value == pytest.approx(1 / 2)


@pytest.mark.packages
@pytest.mark.parametrize("parameters", [{"tokens": "ascii"}, {"stem": True}, {"orders": 3}])
def test_a_file_made_otherwise_is_refused(parameters, tmp_path):
    path = str(tmp_path / "x.idf")
    Cider(orders=2).prepare(ODD, path)
    with pytest.raises(UsageError, match=f"{next(iter(parameters))} is .* was made with"):
        Cider(**{"orders": 2, **parameters, "idf": path}).score(ODD)
    assert Cider(orders=1, idf=path).score(ODD).values == Cider(orders=1).score(ODD).values


def test_train_idf(tmp_path):
    write_examples(ODD[:3], tmp_path / "a.jsonl")
    # The same ids again, for other items.
    write_examples([replace(one, item=ODD[0].item) for one in ODD[3:4]], tmp_path / "b.jsonl")
    out = tmp_path / "out.idf"
    arguments = ["train", "idf", str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), str(out)]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "4 items" in result.stderr
    assert Cider(idf=str(out)).score(ODD[:4]).values == Cider().score(ODD[:4]).values


def test_train_idf_of_one_item(tmp_path):
    write_examples(ODD[:1], tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="two items or more"):
        Cider().prepare(ODD[:1], str(tmp_path / "x.idf"))
    assert not (tmp_path / "x.idf").exists()


@pytest.mark.parametrize(
    ("metric", "parameters"),
    [
        (Cider, {"orders": 0}),
        (Cider, {"orders": 2.0}),
        (Cider, {"tokens": ""}),
        (Cider, {"idf": 3}),
        (CiderD, {"sigma": 0}),
        (CiderD, {"sigma": True}),
        (CiderD, {"compat": "google"}),
        (CiderD, {"stem": "yes"}),
    ],
)
def test_bad_parameters(metric, parameters):
    with pytest.raises(UsageError, match=f"{metric.name}: {next(iter(parameters))} is "):
        metric(**parameters)
