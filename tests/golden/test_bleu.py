"""BLEU against sacrebleu on real systems, and against arithmetic by hand."""

import math

import pytest
from sacrebleu.metrics import BLEU

from factable.metrics.bleu import Bleu
from factable.types import Example, Table
from helpers.webnlg_systems import SYSTEMS, examples_of, streams

needs_webnlg = pytest.mark.data("webnlg2017")
SENTENCES = 300


def example(text: str, *references: str, item: str = "1") -> Example:
    return Example(item, "", text, Table(()), references)


def sacrebleu_corpus(examples, fill=None, **options) -> BLEU:
    return BLEU(force=True, **options).corpus_score([one.text for one in examples], streams(examples, fill))


@needs_webnlg
@pytest.mark.parametrize("system", SYSTEMS)
def test_sacrebleu_on_webnlg_systems(system):
    examples = examples_of(system)
    assert len({len(one.references) for one in examples}) > 3
    scores = Bleu().score(examples)
    corpus = sacrebleu_corpus(examples)
    assert scores.corpus == pytest.approx(corpus.score, abs=1e-9)
    parts = (*corpus.precisions, corpus.bp, corpus.ratio)
    assert tuple(scores.corpus_parts.values()) == pytest.approx(parts, abs=1e-9)
    sentence = BLEU(effective_order=True)
    expected = [sentence.sentence_score(one.text, one.references).score for one in examples[:SENTENCES]]
    assert scores.values[:SENTENCES].tolist() == pytest.approx(expected, abs=1e-9)


@needs_webnlg
@pytest.mark.parametrize("tokens", ["13a", "intl", "char", "zh", "none"])
@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
def test_sacrebleu_with_other_parameters(tokens, smoothing):
    examples = [*examples_of("adapt")[:60], *examples_of("upf")[-60:], example("A", "b c"), example("", "b")]
    metric = Bleu(tokens=tokens, smoothing=smoothing, lowercase=smoothing != "exp", orders=3)
    options = {
        "tokenize": tokens,
        "smooth_method": smoothing,
        "lowercase": smoothing != "exp",
        "max_ngram_order": 3,
    }
    scores = metric.score(examples)
    assert scores.corpus == pytest.approx(sacrebleu_corpus(examples, **options).score, abs=1e-9)
    sentence = BLEU(effective_order=True, **options)
    expected = [sentence.sentence_score(one.text, one.references) for one in examples]
    assert scores.values.tolist() == pytest.approx([found.score for found in expected], abs=1e-9)
    for order in (1, 2, 3):
        precisions = [found.precisions[order - 1] for found in expected]
        assert scores.parts[f"precision_{order}"].tolist() == pytest.approx(precisions, abs=1e-9)
    assert scores.parts["brevity_penalty"].tolist() == pytest.approx([found.bp for found in expected])


@needs_webnlg
def test_webnlg_scorer_pads_with_empty_references():
    examples = examples_of("melbourne")[:SENTENCES]
    scores = Bleu(compat="webnlg2020").score(examples)
    padded = sacrebleu_corpus(examples, fill="", smooth_method="none")
    assert scores.corpus == pytest.approx(padded.score, abs=1e-9)


def test_padding_raises_the_score_of_missing_texts():
    data = [
        example("the cat sat on the mat", "the cat sat on the mat", item="1"),
        example("", "a dog barked at the cat all night", item="2"),
        example("a dog barked at it", "a dog barked at it", "it was barked at by a dog", item="3"),
    ]
    # 11 words of 11 are right, but the references have 19; an empty reference makes that 11 for the scorer.
    assert Bleu(smoothing="none").score(data).corpus == pytest.approx(100 * math.exp(1 - 19 / 11))
    assert Bleu(compat="webnlg2020").score(data).corpus == pytest.approx(100)
    # Written out, empty references are still none by default.
    written = [example(one.text, *one.references, "", item=one.item) for one in data]
    assert Bleu(smoothing="none").score(written).corpus == Bleu(smoothing="none").score(data).corpus
    assert Bleu(compat="webnlg2020").score(written).corpus == pytest.approx(100)
    # Without examples that have more references nothing is padded.
    assert Bleu(compat="webnlg2020").score(data[:2]).corpus == pytest.approx(100 * math.exp(1 - 14 / 6))


def test_pymteval_by_hand():
    data = [
        example("The cat is here", "the cat was here", "a cat", item="1"),
        example("Hello", "Hello you", item="2"),
    ]
    scores = Bleu(compat="e2e").score(data)
    # Lower-cased: "the", "cat" and "here" of 4 words, "the cat" of 3 pairs, nothing longer; "hello" of 1
    # word, and of 0 pairs, -1 triples and -2 quadruples. References closest in length have 4 and 2 words.
    # No match counts as 1e-15, and 1 - 2 quadruples as 1e-9.
    hits, lengths = (3 + 1, 1 + 0, 1e-15, 1e-15), (4 + 1, 3 + 0, 2 - 1, 1e-9)
    mean = math.prod(hit / length for hit, length in zip(hits, lengths, strict=True)) ** (1 / 4)
    assert scores.corpus == pytest.approx(100 * math.exp(1 - 6 / 5) * mean, rel=1e-9)
    # A sentence by itself has 1 added to matches and n-grams of every order, single words included.
    first = ((3 + 1) / (4 + 1) * (1 + 1) / (3 + 1) * (0 + 1) / (2 + 1) * (0 + 1) / (1 + 1)) ** (1 / 4)
    shares = (1 + 1) / (1 + 1), (0 + 1) / (0 + 1), (0 + 1) / 1e-9, (0 + 1) / 1e-9
    second = math.exp(1 - 2 / 1) * math.prod(shares) ** (1 / 4)
    assert scores.values.tolist() == pytest.approx([100 * first, 100 * second], rel=1e-9)


def test_pymteval_has_no_penalty_for_equal_lengths_and_counts_case_if_told():
    same = [example("a b c d e", "A b c d e")]
    assert Bleu(compat="e2e").score(same).corpus == pytest.approx(100)
    cased = Bleu(compat="e2e", lowercase=False).score(same).corpus
    assert cased == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))


def test_pymteval_takes_no_text_for_one_empty_word():
    data = [example("", "b c d", item="1"), example("b c d e f", "b c d e f", item="2")]
    # 1 and 5 words where the references have 3 and 5; 0, -1 and -2 longer n-grams, and 4, 3 and 2. The last
    # are 0 in all, which counts as 1e-9.
    hits, lengths = (5, 4, 3, 2), (1 + 5, 0 + 4, -1 + 3, 1e-9)
    mean = math.prod(hit / length for hit, length in zip(hits, lengths, strict=True)) ** (1 / 4)
    assert Bleu(compat="e2e").score(data).corpus == pytest.approx(100 * math.exp(1 - 8 / 6) * mean)
