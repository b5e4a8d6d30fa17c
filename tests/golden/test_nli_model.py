"""What the embedded NLI model is good for, measured on published judgements."""

import random

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from factable.io.formats import open_format
from factable.metrics.nli.metric import NliCheck
from factable.models.nli import LABELS, TextPair, entailment
from factable.train.nli_pairs import read_pairs
from helpers.paths import DATA, WEBNLG

pytestmark = pytest.mark.data("webnlg2017", "e2e", "nli")


def test_it_agrees_with_human_ratings_of_webnlg():
    examples = list(open_format("webnlg-human")([str(WEBNLG / "human-evaluation")]))
    assert len(examples) == 2230
    values = NliCheck().score(examples).values
    ratings = [example.human["semantics"] for example in examples]
    # Published on the same ratings: FactSpotter .775, Data-QuestEval .735, PARENT .640.
    assert pearsonr(values, ratings).statistic > 0.79
    assert spearmanr(values, ratings).statistic > 0.73


def test_it_agrees_with_slot_errors_of_e2e():
    outputs = list(open_format("e2e-outputs")([str(DATA / "e2e" / "primary_slot_error.tsv.xz")]))
    sample = random.Random(0).sample(outputs, 600)
    scores = NliCheck().score(sample)
    wrong = [any(scores.parts[part][index] for part in ("omission", "hallucination")) for index in range(600)]
    errors = [any(example.human[count] for count in ("added", "missing", "valerr")) for example in sample]
    assert 0.2 < np.mean(errors) < 0.6
    assert np.mean(np.array(wrong) == errors) > 0.93


def test_it_knows_general_inference():
    pairs = list(read_pairs(str(DATA / "nli" / "mnli_dev_matched.jsonl.xz"), "mnli"))
    answers = entailment("nli", [TextPair(pair.premise, pair.hypothesis) for pair in pairs])
    assert answers.shape == (9815, len(LABELS))
    assert np.mean(answers.argmax(axis=1) == [pair.label for pair in pairs]) > 0.74
