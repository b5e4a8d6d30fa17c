"""NIST against arithmetic by hand, and against a second program that keeps to Doddington's definition."""

import math
from collections import Counter

import pytest

from factable.metrics.nist import Nist
from factable.types import Example, Table
from helpers.webnlg_systems import examples_of

needs_webnlg = pytest.mark.data("webnlg2017")


def example(text: str, *references: str, item: str = "1") -> Example:
    return Example(item, "", text, Table(()), references)


def test_by_hand():
    data = [
        example("The cat sat", "the cat sat down", "the cat slept", item="1"),
        example("a dog", "the dog", item="2"),
    ]
    scores = Nist(orders=2).score(data)
    # The references have 9 words: the 3, cat 2, sat 1, down 1, slept 1, dog 1; pairs: the cat 2, cat sat 1.
    the, cat, sat, dog = math.log2(9 / 3), math.log2(9 / 2), math.log2(9 / 1), math.log2(9 / 1)
    the_cat, cat_sat = math.log2(3 / 2), math.log2(2 / 1)
    words, pairs = the + cat + sat, the_cat + cat_sat
    # Lengths 3 and 2; mean lengths of the references 3.5 and 2; two thirds of the length would be half the
    # score.
    beta = -math.log(0.5) / math.log(1.5) ** 2
    penalty = math.exp(-beta * math.log(5 / 5.5) ** 2)
    assert scores.corpus == pytest.approx(penalty * ((words + dog) / 5 + pairs / 3))
    assert scores.corpus_parts["length_penalty"] == pytest.approx(penalty)
    first = math.exp(-beta * math.log(3 / 3.5) ** 2) * (words / 3 + pairs / 2)
    assert scores.values.tolist() == pytest.approx([first, dog / 2])
    assert math.exp(-beta * math.log(2 / 3) ** 2) == pytest.approx(0.5)


def test_pymteval_counts_n_grams_that_short_texts_lack():
    data = [example("a b c d", "a b c d", item="1"), example("a", "a", item="2")]
    # Words: a 2 of 5, the others 1 of 5; pairs: "a b" after a 1 of 2, the others always; triples always.
    words, pairs, triples = 2 * math.log2(5 / 2) + 3 * math.log2(5 / 1), math.log2(2 / 1), 0.0
    assert Nist(orders=3).score(data).corpus == pytest.approx(words / 5 + pairs / (3 + 0) + triples / 2)
    # "b" lacks a pair and two triples; here the pairs in all are 3 + 0 + 0, and the triples 2 - 1 - 1 = 0.
    data = [*data, example("b", "a b b", item="3")]
    words = 2 * math.log2(8 / 3) + 2 * math.log2(8 / 3) + 2 * math.log2(8 / 1)
    pairs = math.log2(3 / 2) + math.log2(3 / 1) + math.log2(1 / 1)
    triples = math.log2(2 / 1) + math.log2(1 / 1)
    penalty = math.exp(math.log(0.5) * math.log(6 / 8) ** 2 / math.log(1.5) ** 2)
    default, original = Nist(orders=3).score(data), Nist(orders=3, compat="e2e").score(data)
    assert default.corpus == pytest.approx(penalty * (words / 6 + pairs / 3 + triples / 2))
    assert original.corpus == pytest.approx(penalty * (words / 6 + pairs / 3 + 0))


def test_pymteval_takes_no_text_for_one_empty_word():
    data = [example("", "a b", item="1"), example("a b", "a b", item="2")]
    words = math.log2(4 / 2) + math.log2(4 / 2)
    beta = -math.log(0.5) / math.log(1.5) ** 2
    assert Nist(orders=1).score(data).corpus == pytest.approx(
        math.exp(-beta * math.log(2 / 4) ** 2) * words / 2
    )
    original = Nist(orders=1, compat="e2e").score(data).corpus
    assert original == pytest.approx(math.exp(-beta * math.log(3 / 4) ** 2) * words / 3)


def nist_with_dictionaries(texts, references, orders):
    """The definition, n-grams as strings, for texts of at least `orders` words."""
    seen, total = Counter(), 0
    for group in references:
        for words in group:
            total += len(words)
            seen.update(
                " ".join(words[i : i + n]) for n in range(1, orders + 1) for i in range(len(words) - n + 1)
            )

    def information(ngram):
        start = ngram.rpartition(" ")[0]
        return math.log((seen[start] if start else total) / seen[ngram]) / math.log(2)

    score = 0.0
    for n in range(1, orders + 1):
        gain = possible = 0
        for text, group in zip(texts, references, strict=True):
            said = Counter(" ".join(text[i : i + n]) for i in range(len(text) - n + 1))
            possible += said.total()
            for ngram, count in said.items():
                most = max(
                    sum(" ".join(words[i : i + n]) == ngram for i in range(len(words) - n + 1))
                    for words in group
                )
                gain += information(ngram) * min(count, most) if most else 0
        score += gain / possible
    ratio = sum(map(len, texts)) / sum(sum(map(len, group)) / len(group) for group in references)
    beta = -math.log(0.5) / math.log(1.5) ** 2
    return score * math.exp(-beta * min(0, math.log(ratio)) ** 2)


@needs_webnlg
def test_a_second_program_on_webnlg():
    examples = [one for one in examples_of("pkuwriter")[:150] if len(one.text.split()) > 4]
    assert len(examples) > 100
    found = Nist(tokens="none").score(examples).corpus
    texts = [one.text.lower().split() for one in examples]
    references = [[reference.lower().split() for reference in one.references] for one in examples]
    assert found == pytest.approx(nist_with_dictionaries(texts, references, 5), rel=1e-12)
    assert Nist(tokens="none", compat="e2e").score(examples).corpus == pytest.approx(found, rel=1e-12)


@pytest.mark.packages
def test_nltk_with_one_reference():
    from nltk.translate.nist_score import corpus_nist

    data = [
        example("the cat sat on the mat by the door", "the cat sat down on the mat at home", item="1"),
        example("a dog ran off to the cat", "the dog ran to the cat and the mat", item="2"),
    ]
    references = [[reference.split() for reference in one.references] for one in data]
    theirs = corpus_nist(references, [one.text.split() for one in data])
    assert Nist(tokens="none", lowercase=False).score(data).corpus == pytest.approx(theirs, rel=1e-12)
