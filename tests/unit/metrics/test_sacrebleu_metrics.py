"""Parameters, odd input, signatures and findings of BLEU, BLEU-T, NIST, chrF and TER."""

import math
from dataclasses import replace

import pytest
import sacrebleu

from factable.core.registry import parse
from factable.core.signature import sign, spec
from factable.errors import UsageError
from factable.metrics.bleu import Bleu
from factable.metrics.bleu_t import BleuT
from factable.metrics.chrf import Chrf
from factable.metrics.nist import Nist
from factable.metrics.ter import Ter
from factable.types import Example, Finding, Record, Table

TABLE = Table((Record("Ada", "born", "10 December 1815"), Record("Ada", "field", "mathematics")))
ADA = Example("1", "", "Ada liked poetry.", TABLE, ("Ada was born in 1815.", "Ada did mathematics."))
METRICS = [Bleu(), BleuT(), BleuT(form="mixture"), Nist(), Chrf(), Ter()]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('bleu(tokens="spm")', "bleu: tokens is 'spm'; it must be one of 13a, intl, char, zh, none"),
        ("bleu(orders=0)", "bleu: orders is 0; it must be a whole number from 1 to 20"),
        ("bleu(orders=True)", "bleu: orders is True; it must be a whole number from 1 to 20"),
        ("bleu(lowercase=1)", "bleu: lowercase is 1; it must be True or False"),
        ('bleu(smoothing="half")', "bleu: smoothing is 'half'; it must be one of exp, floor, add-k, none"),
        ('bleu(compat="perl")', "bleu: compat is 'perl'; it must be one of \"\", webnlg2020, e2e"),
        (
            'bleu(compat="e2e", smoothing="exp")',
            "bleu: smoothing is 'exp'; it must be none with compat='e2e'",
        ),
        ('bleu_t(form="table")', "bleu_t: form is 'table'; it must be one of references, mixture"),
        ("bleu_t(alpha=1.5)", "bleu_t: alpha is 1.5; it must be a number from 0 to 1"),
        ('nist(compat="perl")', "nist: compat is 'perl'; it must be one of \"\", e2e"),
        ("chrf(char_order=0)", "chrf: char_order is 0; it must be a whole number from 1 to 20"),
        ("chrf(word_order=-1)", "chrf: word_order is -1; it must be a whole number from 0 to 20"),
        ("chrf(beta=2.5)", "chrf: beta is 2.5; it must be a whole number from 0 to 100"),
        ("ter(no_punct=None)", "ter: no_punct is None; it must be True or False"),
    ],
)
def test_parameters_are_checked(text, complaint):
    with pytest.raises(UsageError) as error:
        parse(text)
    assert str(error.value).startswith(complaint)


def test_parameters_that_follow_from_compat():
    assert (Bleu().lowercase, Bleu().smoothing) == (False, "exp")
    assert (Bleu(compat="e2e").lowercase, Bleu(compat="e2e").smoothing) == (True, "none")
    assert (Bleu(compat="webnlg2020").lowercase, Bleu(compat="webnlg2020").smoothing) == (False, "none")
    assert spec(Bleu(compat="e2e", lowercase=True, smoothing="none")) == 'bleu(compat="e2e")'
    assert not Bleu().corpus
    assert not Bleu(compat="e2e").corpus
    assert Bleu(compat="webnlg2020").corpus
    assert Nist().corpus


def test_equal_weights_are_written_alike():
    assert sign(BleuT(form="mixture", alpha=1)) == sign(BleuT(form="mixture", alpha=1.0))


def test_parts_follow_from_parameters():
    assert Bleu(orders=2).parts == ("precision_1", "precision_2", "brevity_penalty", "length_ratio")
    assert Nist(orders=1).parts == ("information_1", "length_penalty")
    assert BleuT(form="mixture").parts == ("table_bleu", "reference_bleu")


def test_signatures_hold_those_of_sacrebleu():
    version = f"version:{sacrebleu.__version__}"
    assert f"|sacrebleu:nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|{version}|" in sign(Bleu())
    assert f"|sacrebleu:nrefs:var|case:mixed|eff:yes|nc:6|nw:2|space:no|{version}|" in sign(
        Chrf(word_order=2)
    )
    assert f"|sacrebleu:nrefs:var|case:lc|tok:tercom|norm:no|punct:yes|asian:no|{version}|" in sign(Ter())
    assert f"|sacrebleu:{version}|" in sign(Nist())


@pytest.mark.parametrize("metric", METRICS, ids=spec)
def test_empty_references_are_left_out(metric):
    padded = replace(ADA, references=("", *ADA.references, " \n"))
    plain, odd = metric.score([ADA]), metric.score([padded])
    assert odd.values == plain.values
    assert odd.stats == plain.stats
    assert odd.corpus == plain.corpus


@pytest.mark.parametrize("metric", METRICS, ids=spec)
def test_no_references(metric):
    scores = metric.score(
        [ADA, replace(ADA, item="2", references=()), replace(ADA, item="3", references=("",))]
    )
    assert list(map(math.isnan, scores.values)) == [False, True, True]
    assert scores.findings[1] == scores.findings[2] == (Finding("unscored", note="no references"),)
    assert scores.corpus == pytest.approx(metric.score([ADA]).corpus)


def test_no_values():
    scores = BleuT().score([replace(ADA, table=Table((Record("Ada", "born", " "),)))])
    assert math.isnan(scores.values[0])
    assert scores.findings[0][0].note == "no values in its data"


def test_empty_text():
    empty = replace(ADA, text=" ")
    for metric in METRICS[:-1]:
        assert metric.score([empty]).values[0] == 0
    # Three words are missing to the shorter reference; the mean length is 4.
    assert Ter().score([empty]).values[0] == 75


def test_one_word():
    one = replace(ADA, text="Ada", references=("Ada", "Ada did mathematics."))
    assert Bleu().score([one]).values[0] == 100
    # Four orders count for a corpus, of which three have no n-grams.
    assert Bleu().score([one]).corpus == 0
    assert Chrf().score([one]).values[0] == 100
    # Half of the orders of characters are longer than the word.
    assert Chrf(eps_smoothing=True).score([one]).values[0] == pytest.approx(50)
    assert Ter().score([one]).values[0] == 0


@pytest.mark.parametrize("metric", [Bleu(), Nist(), Chrf(), Ter()], ids=spec)
def test_words_of_no_reference_are_found(metric):
    (findings,) = metric.score([ADA], explain=True).findings
    assert findings == (Finding("unsupported", span=(4, 16), note="in no reference"),)
    assert ADA.text[4:16] == "liked poetry"
    (unscored,) = metric.score([replace(ADA, references=("",))], explain=True).findings
    assert [finding.kind for finding in unscored] == ["unscored"]


def test_words_of_the_table_are_no_finding_of_bleu_t():
    example = replace(ADA, text="ADA liked poetry in December.")
    (findings,) = BleuT().score([example], explain=True).findings
    assert findings == (Finding("unsupported", span=(4, 16), note="in neither values nor references"),)


def test_best_reference_of_chrf_is_the_first_of_equals():
    # With beta 0 precision alone counts: one of two characters against either of two references.
    metric = Chrf(char_order=1, beta=0)
    long_first = replace(ADA, text="ab", references=("xy", "acdd", "cb"))
    short_first = replace(ADA, text="ab", references=("xy", "cb", "acdd"))
    assert metric.score([long_first]).stats.tolist() == [2, 4, 1]
    assert metric.score([short_first]).stats.tolist() == [2, 2, 1]


def test_sums_of_rows_give_the_corpus():
    data = [ADA, replace(ADA, item="2", text="Ada was born in December 1815.")]
    for metric in METRICS:
        scores = metric.score(data)
        width = len(scores.stats) // len(data)
        totals = [sum(scores.stats[column::width]) for column in range(width)]
        assert metric.finish(totals)["value"] == pytest.approx(scores.corpus)
