"""BLEU-T against sacrebleu given the table as text."""

import pytest
from sacrebleu.metrics import BLEU

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


@needs_webnlg
def test_values_as_one_more_reference():
    examples = examples_of("upf")[:300]
    scores = BleuT().score(examples)
    tables = list(map(values_of, examples))
    assert scores.corpus == pytest.approx(bleu(examples, [*streams(examples), tables]), abs=1e-9)
    expected = [sentence(one.text, [*one.references, values_of(one)]) for one in examples]
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-9)
    assert scores.corpus > bleu(examples, streams(examples))


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
