"""chrF and chrF++ against sacrebleu on real systems."""

import pytest
from sacrebleu.metrics import CHRF

from factable.metrics.chrf import Chrf
from factable.types import Example, Table
from helpers.webnlg_systems import SYSTEMS, examples_of, streams

needs_webnlg = pytest.mark.data("webnlg2017")
SENTENCES = 300
ODD = ["", "a", "(hi) 'there'.", "! ?", "x\u2003y\tz", "Ωmega İstanbul 愛", "..."]


def compare(examples, **options):
    original = CHRF(**options)
    scores = Chrf(**options).score(examples)
    corpus = original.corpus_score([one.text for one in examples], streams(examples)).score
    assert scores.corpus == pytest.approx(corpus, abs=1e-9)
    expected = [original.sentence_score(one.text, one.references).score for one in examples]
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-9)


@needs_webnlg
@pytest.mark.parametrize("word_order", [0, 2])
@pytest.mark.parametrize("system", SYSTEMS)
def test_sacrebleu_on_webnlg_systems(system, word_order):
    compare(examples_of(system)[:SENTENCES], word_order=word_order)


@needs_webnlg
@pytest.mark.parametrize(
    "options",
    [
        {"eps_smoothing": True},
        {"eps_smoothing": True, "word_order": 2},
        {"whitespace": True},
        {"lowercase": True, "beta": 3},
        {"char_order": 2, "word_order": 1, "beta": 0},
    ],
    ids=str,
)
def test_sacrebleu_with_other_parameters(options):
    compare(examples_of("upf")[::30], **options)


@pytest.mark.parametrize(
    "options", [{}, {"word_order": 2}, {"eps_smoothing": True, "word_order": 2}], ids=str
)
def test_sacrebleu_on_odd_texts(options):
    examples = [
        Example(f"{text} {number}", "", text, Table(()), references)
        for text in ODD
        for number, references in enumerate([("a b",), ("Hi there!", "'there' (hi)"), ("x y z", "...", "é")])
    ]
    compare(examples, **options)
