"""TER against sacrebleu called on the whole, and against edits counted by hand."""

import pytest
from sacrebleu.metrics import TER

from factable.metrics.ter import Ter
from factable.types import Example, Table
from helpers.webnlg_systems import SYSTEMS, examples_of, streams

needs_webnlg = pytest.mark.data("webnlg2017")


def compare(examples, **options):
    original = TER(**options)
    scores = Ter(**options).score(examples)
    corpus = original.corpus_score([one.text for one in examples], streams(examples))
    assert scores.corpus == pytest.approx(corpus.score, abs=1e-9)
    assert scores.corpus_parts == {
        "edits": corpus.num_edits,
        "reference_length": pytest.approx(corpus.ref_length),
    }
    expected = [original.sentence_score(one.text, one.references).score for one in examples]
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-9)


@needs_webnlg
@pytest.mark.parametrize("system", SYSTEMS)
def test_sacrebleu_on_webnlg_systems(system):
    compare(examples_of(system)[:60])


@needs_webnlg
@pytest.mark.parametrize(
    "options",
    [
        {"normalized": True},
        {"no_punct": True},
        {"case_sensitive": True},
        {"normalized": True, "no_punct": True, "asian_support": True},
    ],
    ids=str,
)
def test_sacrebleu_with_other_parameters(options):
    compare(examples_of("adapt")[:40], **options)


def test_edits_by_hand():
    references = ("a b c d e", "x y z")
    data = [
        Example("moved", "", "d e a b c", Table(()), references),
        Example("added", "", "a b c d e f g", Table(()), references),
        Example("none", "", "", Table(()), references),
    ]
    scores = Ter().score(data)
    # One move of "d e", two words too many, three words missing; the references have 4 words in the mean.
    assert scores.parts["edits"].tolist() == [1, 2, 3]
    assert scores.values.tolist() == [100 * 1 / 4, 100 * 2 / 4, 100 * 3 / 4]
    assert scores.corpus == 100 * 6 / 12
