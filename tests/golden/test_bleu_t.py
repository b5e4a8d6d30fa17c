"""BLEU-T against sacrebleu given the table as text."""

import math

import pytest
from sacrebleu.metrics import BLEU

from factable.errors import UsageError
from factable.metrics.bleu_t import BleuT
from factable.types import Example, Record, Table
from helpers.webnlg_systems import examples_of, streams

needs_webnlg = pytest.mark.data("webnlg2017")


def values_of(example: Example) -> str:
    return " ".join(record.value for record in example.table.records)


def bleu(examples: list[Example], references: list[list[str | None]]) -> float:
    return BLEU(force=True).corpus_score([one.text for one in examples], references).score


def sentence(text: str, references: list[str]) -> float:
    return BLEU(effective_order=True).sentence_score(text, references).score


def with_lengths_of(
    true: list[list[str | None]], more: list[list[str | None]], examples: list[Example]
) -> float:
    """Sacrebleu's counts with all references, and its lengths with the true ones."""
    scorer = BLEU(force=True)
    texts = [one.text for one in examples]
    counted, lengths = scorer.corpus_score(texts, [*true, *more]), scorer.corpus_score(texts, true)
    return scorer.compute_bleu(
        counted.counts, counted.totals, lengths.sys_len, lengths.ref_len, smooth_method="exp"
    ).score


@needs_webnlg
def test_each_value_is_a_further_reference_that_says_nothing_about_lengths():
    examples = examples_of("melbourne")[:300]
    scores = BleuT().score(examples)
    most = max(len(one.table.records) for one in examples)
    values: list[list[str | None]] = [
        [one.table.records[index].value if index < len(one.table.records) else None for one in examples]
        for index in range(most)
    ]
    true = streams(examples)
    assert scores.corpus == pytest.approx(with_lengths_of(true, values, examples), abs=1e-9)
    assert scores.corpus > bleu(examples, true)
    # Values are short: were they to say how long a text should be, the penalty would vanish.
    penalty = BLEU(force=True).corpus_score([one.text for one in examples], true).bp
    assert penalty < 1
    assert scores.corpus_parts["brevity_penalty"] == pytest.approx(penalty, abs=1e-9)
    assert scores.corpus != pytest.approx(bleu(examples, [*true, *values]), abs=0.1)


def test_a_text_as_short_as_a_value_is_penalised():
    table = Table((Record("Ada", "born", "10 December 1815 in London"),))
    example = Example(
        "1", "", "10 December 1815 in London", table, ("Ada was born in London on 10 December 1815 .",)
    )
    scores = BleuT().score([example])
    assert scores.parts["precision_4"][0] == 100
    assert scores.parts["brevity_penalty"][0] == pytest.approx(math.exp(1 - 10 / 5))


def test_paper_ignores_case():
    table = Table((Record("ada", "born", "london"),))
    examples = [Example("1", "", "Ada was born in London", table, ("ada was born in london",))]
    assert BleuT(compat="paper").score(examples).values[0] == pytest.approx(100)
    assert BleuT().score(examples).values[0] < 100
    with pytest.raises(UsageError, match="form is 'mixture'; it must be references"):
        BleuT(compat="paper", form="mixture")


@needs_webnlg
@pytest.mark.parametrize("alpha", [0, 0.25, 1])
def test_mixture(alpha):
    examples = examples_of("upf")[:300]
    scores = BleuT(form="mixture", alpha=alpha).score(examples)
    table, reference = bleu(examples, [list(map(values_of, examples))]), bleu(examples, streams(examples))
    assert scores.corpus_parts == pytest.approx({"table_bleu": table, "reference_bleu": reference}, abs=1e-9)
    assert scores.corpus == pytest.approx(alpha * table + (1 - alpha) * reference, abs=1e-9)
    expected = [
        alpha * sentence(one.text, [values_of(one)]) + (1 - alpha) * sentence(one.text, one.references)
        for one in examples
    ]
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-9)


def test_values_are_joined_in_order():
    table = Table((Record("Ada", "born", "10 December"), Record("Ada", "year", "1815")))
    scores = BleuT(form="mixture", alpha=1).score([Example("1", "", "10 December 1815", table, ("Ada",))])
    assert scores.values[0] == pytest.approx(100)
