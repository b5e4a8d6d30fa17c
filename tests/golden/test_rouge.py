"""ROUGE against rouge-score on real systems, and against arithmetic by hand."""

import math
import random
import sys
from dataclasses import replace

import pytest

from factable.errors import MissingExtraError, UsageError
from factable.kernels import words
from factable.metrics.rouge import KINDS, Rouge
from factable.types import Example, Table
from helpers.peers import Peer
from helpers.webnlg_systems import SYSTEMS, examples_of

needs_webnlg = pytest.mark.data("webnlg2017")
rouge_scorer = Peer("rouge_score.rouge_scorer")


def example(text: str, *references: str) -> Example:
    return Example("1", "", text, Table(()), references)


def in_lines(text: str, chance: random.Random) -> str:
    """The text with some line breaks, some of them doubled."""
    return "".join(chance.choice((" ", " ", " ", "\n", "\n\n")) + word for word in text.split(" "))


@pytest.fixture(scope="module")
def webnlg() -> list[Example]:
    examples = [one for system in SYSTEMS for one in examples_of(system)[::17]]
    assert len(examples) > 900
    assert len({len(one.references) for one in examples}) > 3
    return examples


def check(examples: list[Example], kind: str, stemmed: bool) -> None:
    name = f"rouge{kind}"
    scorer = rouge_scorer.RougeScorer([name], use_stemmer=stemmed)
    scores = Rouge(kind=kind, stem=stemmed, compat="rouge-score").score(examples)
    found = list(zip(scores.values, scores.parts["precision"], scores.parts["recall"], strict=True))
    expected = [scorer.score_multi(one.references, one.text)[name] for one in examples]
    assert found == [(score.fmeasure, score.precision, score.recall) for score in expected]
    assert len(set(scores.values)) > 20


@pytest.mark.packages
@needs_webnlg
@pytest.mark.parametrize("kind", KINDS)
def test_rouge_score_on_webnlg(webnlg, kind):
    check(webnlg[:: 1 if kind in ("2", "L") else 3], kind, stemmed=False)


@pytest.mark.packages
@needs_webnlg
@pytest.mark.parametrize("kind", ["1", "2", "L", "Lsum"])
def test_rouge_score_with_stems(webnlg, kind):
    check(webnlg[::5], kind, stemmed=True)
    plain = Rouge(kind=kind, compat="rouge-score").score(webnlg[::5])
    assert Rouge(kind=kind, stem=True, compat="rouge-score").score(webnlg[::5]).corpus > plain.corpus


@pytest.mark.packages
@needs_webnlg
@pytest.mark.parametrize("stemmed", [False, True])
def test_rouge_score_on_texts_of_several_lines(webnlg, stemmed):
    chance = random.Random(0)
    examples = [
        replace(
            one,
            text=in_lines(one.text, chance),
            references=tuple(in_lines(text, chance) for text in one.references),
        )
        for one in webnlg[::3]
    ]
    check(examples, "Lsum", stemmed)
    check(examples, "L", stemmed)
    values = [Rouge(kind=kind, compat="rouge-score").score(examples).values for kind in ("L", "Lsum")]
    assert sum(one != other for one, other in zip(*values, strict=True)) > 100


@pytest.mark.packages
def test_rouge_score_on_few_words():
    """Words that repeat: which common subsequence is taken, and how often a word counts, matters here."""
    chance = random.Random(1)
    for size in (3, 8, 15):
        texts = ["".join(chance.choice("abc \n") for _ in range(2 * size)) for _ in range(600)]
        texts = [" ".join(text) for text in texts]
        check(
            [example(*texts[index : index + 3]) for index in range(0, len(texts), 3)], "Lsum", stemmed=False
        )


def test_by_hand():
    # The longest common subsequence of "police killed the gunman" with each is 3 and 2 words (Lin 2004).
    texts = ("police kill the gunman", "the gunman kill police")
    reference = "police killed the gunman"
    scores = Rouge().score([example(text, reference) for text in texts])
    assert scores.values.tolist() == [0.75, 0.5]
    assert scores.corpus == 0.625
    assert Rouge(kind="2").score([example(text, reference) for text in texts]).values.tolist() == [1 / 3] * 2


def test_the_union_of_lines():
    """The example of section 3.2 of the paper: 4 of 5 words, though no line of the text has more than 3."""
    scores = Rouge(kind="Lsum").score([example("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5", "w1 w2 w3 w4 w5")])
    assert scores.parts["recall"][0] == 4 / 5
    assert scores.parts["precision"][0] == 4 / 10


def test_the_first_of_equally_good_references():
    scores = Rouge(kind="1").score([example("a b", "a c", "d b", "a b c d"), example("a b", "x", "a b")])
    assert scores.parts["precision"].tolist() == [1.0, 1.0]
    assert scores.values.tolist() == [2 / 3, 1.0]
    tied = Rouge(kind="1").score([example("a b c d", "a b", "a b c x y z w v"), example("a b", "c", "d")])
    assert tied.parts["recall"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "text", ["愛達生於倫敦", "Ада родилась в Лондоне", "Élodie naît à Évry", "مرحبا بالعالم"]
)
def test_other_scripts_are_not_lost(text):
    for kind in ("1", "2", "L", "Lsum"):
        assert Rouge(kind=kind).score([example(text, text)]).values[0] == 1.0
    worse = Rouge(kind="1").score([example(text, text[: len(text) // 2])]).values[0]
    assert 0 < worse < 1


def test_punctuation_does_not_count():
    scores = Rouge(kind="1").score([example("Ada , born …", "Ada: born!"), example("?!", "Ada")])
    assert scores.values.tolist() == [1.0, 0.0]
    kept = Rouge(kind="1", tokens="whitespace").score([example("Ada , born", "ada . born")])
    assert kept.values[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize("references", [(), ("",), ("", " ?! ")])
def test_without_references(references):
    scores = Rouge().score([example("Ada", *references)])
    assert math.isnan(scores.values[0])
    assert scores.findings[0][0].note == "no references"


def test_empty_references_as_in_the_program():
    scores = Rouge(compat="rouge-score").score([example("Ada", "愛", ""), example("Ada", "", "ada")])
    assert scores.values.tolist() == [0.0, 1.0]


def test_findings():
    one = example("Ada liked İstanbul, poetry and 7 cats.", "Somebody else", "Ada liked poetry and cats")
    (findings,) = Rouge().score([one], explain=True).findings
    assert [one.text[slice(*finding.span)] for finding in findings] == ["İstanbul", "7"]
    assert {finding.kind for finding in findings} == {"unsupported"}


@pytest.mark.packages
def test_stems_by_hand():
    killed = example("police kill the gunman", "police killed the gunman")
    assert Rouge(stem=True).score([killed]).values.tolist() == [1.0]
    stemmed = Rouge(stem=True).score([example("cats running", "cat runs")], explain=True)
    assert stemmed.findings == ((),)


@pytest.mark.parametrize(
    "parameters",
    [{"kind": 2}, {"kind": "0"}, {"kind": "l"}, {"stem": 1}, {"tokens": "13a"}, {"compat": "rouge"}],
)
def test_bad_parameters(parameters):
    with pytest.raises(UsageError, match=f"rouge: {next(iter(parameters))} is "):
        Rouge(**parameters)


def test_stems_need_an_extra(monkeypatch):
    words.porter.cache_clear()
    words.porter_of_long_words.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(MissingExtraError, match=r"factable\[rouge\]"):
        Rouge(stem=True).score([example("a", "a")])
    assert Rouge(compat="rouge-score").score([example("a", "a")]).values[0] == 1.0
