"""Values of many rows of sums at once, against one row at a time in plain Python or by sacrebleu."""

import math

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from factable.core.registry import parse
from factable.metrics.bleu import e2e_corpus
from factable.metrics.meteor.metric import TUNINGS

ROWS = 200


def bleu_totals(orders, seed, *, negative=False):
    """Sums of the statistics of texts: short ones lack long n-grams, and many orders have no match."""
    generator = np.random.default_rng(seed)
    length = generator.integers(0, 12, size=(ROWS, 1))
    ngrams = length - np.arange(orders)
    ngrams = ngrams if negative else np.maximum(ngrams, 0)
    hits = generator.integers(0, np.maximum(ngrams, 0) + 1)
    hits[: ROWS // 2] *= generator.random((ROWS // 2, orders)) < 0.5
    closest = generator.integers(0, 12, size=(ROWS, 1))
    rows = np.hstack((hits, ngrams, length, closest)).astype(np.float64)
    return np.vstack((rows, rows[0] * 0, rows.sum(axis=0)))


def sacrebleu_value(row, orders, smoothing):
    whole = [int(number) for number in row]
    found = BLEU.compute_bleu(
        whole[:orders],
        whole[orders : 2 * orders],
        *whole[-2:],
        smooth_method=smoothing,
        max_ngram_order=orders,
    )
    return min(found.score, 100.0)


@pytest.mark.parametrize("smoothing", ["exp", "floor", "add-k", "none"])
@pytest.mark.parametrize("orders", [1, 2, 4, 9])
def test_bleu(smoothing, orders):
    rows = bleu_totals(orders, orders)
    expected = [sacrebleu_value(row, orders, smoothing) for row in rows]
    assert 0 < sum(value > 0 for value in expected) < len(rows)
    for spec in ("bleu", "bleu_t"):
        metric = parse(f'{spec}(smoothing="{smoothing}", orders={orders})')
        assert metric.finish_rows(rows) == pytest.approx(expected, rel=1e-13)
    if smoothing == "none":
        metric = parse(f'bleu(compat="webnlg2020", orders={orders})')
        assert metric.finish_rows(rows) == pytest.approx(expected, rel=1e-13)


def test_bleu_of_e2e():
    rows = bleu_totals(4, 1, negative=True)
    expected = [e2e_corpus(row, 4)["value"] for row in rows.tolist()]
    assert parse('bleu(compat="e2e")').finish_rows(rows).tolist() == expected


def test_bleu_t_as_a_mixture():
    tables, references = bleu_totals(4, 2), bleu_totals(4, 3)
    expected = [
        0.3 * sacrebleu_value(table, 4, "exp") + 0.7 * sacrebleu_value(reference, 4, "exp")
        for table, reference in zip(tables, references, strict=True)
    ]
    metric = parse('bleu_t(form="mixture", alpha=0.3)')
    assert metric.finish_rows(np.hstack((tables, references))) == pytest.approx(expected, rel=1e-13)


def nist_value(row, orders):
    """Information per n-gram summed over orders, times the penalty of mteval-v13a."""
    gains, ngrams, (length, mean_length) = row[:orders], row[orders : 2 * orders], row[-2:]
    shares = [gain / count if count else 0.0 for gain, count in zip(gains, ngrams, strict=True)]
    ratio = length / mean_length if mean_length else 0.0
    penalty = 0.0
    if ratio > 0:
        beta = -math.log(0.5) / math.log(1.5) ** 2
        penalty = math.exp(-beta * math.log(min(ratio, 1.0)) ** 2)
    return penalty * math.fsum(shares)


@pytest.mark.parametrize("compat", ["", "e2e"])
@pytest.mark.parametrize("orders", [1, 5, 9])
def test_nist(compat, orders):
    rows = bleu_totals(orders, 4, negative=compat == "e2e")
    rows[:, :orders] *= np.random.default_rng(5).random((len(rows), orders)) * 9
    rows[:, -1] /= 3
    expected = [nist_value(row, orders) for row in rows.tolist()]
    metric = parse(f'nist(compat="{compat}", orders={orders})')
    assert metric.finish_rows(rows) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert [metric.finish(row)["value"] for row in rows.tolist()] == metric.finish_rows(rows).tolist()


def meteor_value(row, tuning):
    """The formula of Denkowski and Lavie (2014), step by step."""
    shares = []
    for side in (0, 1):
        functions = row[2 + side]
        length = tuning.delta * (row[side] - functions) + (1 - tuning.delta) * functions
        matched = sum(
            weight
            * (tuning.delta * row[4 + 4 * module + side] + (1 - tuning.delta) * row[6 + 4 * module + side])
            for module, weight in enumerate(tuning.weights)
        )
        shares.append(min(1.0, matched / length) if length else 0.0)
    precision, recall = shares
    if not precision or not recall:
        return 0.0
    f_mean = 1 / ((1 - tuning.alpha) / precision + tuning.alpha / recall)
    matches = (row[21] + row[22]) / 2
    fragmentation = row[20] / matches if matches else 0.0
    return f_mean * (1 - tuning.gamma * fragmentation**tuning.beta)


def meteor_totals():
    generator = np.random.default_rng(6)
    modules = generator.integers(0, 5, size=(ROWS, 16)) * (generator.random((ROWS, 16)) < 0.6)
    modules[:10] = 0
    function_words = modules.reshape(ROWS, 4, 4)[:, :, 2:].sum(axis=1) + generator.integers(
        0, 3, size=(ROWS, 2)
    )
    matches = modules.reshape(ROWS, 4, 2, 2).sum(axis=(1, 2))
    lengths = matches + function_words + generator.integers(0, 9, size=(ROWS, 2))
    chunks = np.minimum(generator.integers(0, 9, size=ROWS), matches.min(axis=1))[:, None]
    rows = np.hstack((lengths, function_words, modules, chunks, matches)).astype(np.float64)
    return np.vstack((rows, rows[0] * 0, rows.sum(axis=0)))


@pytest.mark.parametrize("language", TUNINGS)
def test_meteor(language):
    rows = meteor_totals()
    expected = [meteor_value(row, TUNINGS[language]) for row in rows.tolist()]
    metric = parse(f'meteor(language="{language}", paraphrases="none")')
    assert metric.finish_rows(rows) == pytest.approx(expected, rel=1e-12)
    assert [metric.finish(row)["value"] for row in rows.tolist()] == metric.finish_rows(rows).tolist()


@pytest.mark.parametrize("word_order", [0, 2])
def test_chrf(word_order):
    generator = np.random.default_rng(7)
    orders = 6 + word_order
    said, wanted = generator.integers(0, 9, size=(2, ROWS, orders))
    matched = generator.integers(0, np.minimum(said, wanted) + 1)
    rows = np.stack((said, wanted, matched), axis=2).reshape(ROWS, -1).astype(np.float64)
    original = CHRF(word_order=word_order)
    expected = [original._compute_score_from_stats(row).score for row in rows.tolist()]
    assert parse(f"chrf(word_order={word_order})").finish_rows(rows) == pytest.approx(expected, rel=1e-12)


def test_ter():
    rows = np.random.default_rng(8).integers(1, 30, size=(ROWS, 2)) / np.array([1.0, 3.0])
    rows[0, 0] = 0
    expected = [TER()._compute_score_from_stats(row).score for row in rows.tolist()]
    assert parse("ter").finish_rows(rows) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("spec", ["bleu", "bleu_t", "nist", "chrf", "ter", "meteor"])
def test_no_rows(spec):
    metric = parse(spec)
    width = {"ter": 2, "meteor": 23, "chrf": 18, "nist": 12}.get(spec, 10)
    assert metric.finish_rows(np.zeros((0, width))).tolist() == []
