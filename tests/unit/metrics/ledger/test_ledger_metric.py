import math
from functools import partial

import pytest

import factable
from factable.errors import DataError
from factable.metrics.ledger.audit import audit
from factable.metrics.ledger.metric import Ledger
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.weights import load_ledger_weights
from factable.models.nli import entailment_of_groups
from factable.models.qa import answer_questions
from factable.models.templates import load_templates
from factable.train.ledger import CASES
from factable.train.perturbations import ORIGINAL, Perturbed
from factable.types import Example, Record, Table

TABLE = Table((Record("Dune", "author", "Frank Herbert"), Record("Dune", "pages", "412")))
TEXTS = (
    "Dune, by Frank Herbert, has 412 pages.",
    "Dune has 412 pages.",
    "Dune, by Frank Herbert, has 421 pages.",
)


@pytest.fixture(scope="module")
def scores():
    examples = [Example(str(index), "", text, TABLE) for index, text in enumerate(TEXTS)]
    return factable.score(examples, ["ledger"])["ledger"]


def test_parts_of_each_text(scores):
    assert list(scores.parts["ok"]) == [1, 0, 0]
    assert list(scores.parts["omission"]) == [0, 1, 0]
    assert list(scores.parts["contradiction"]) == [0, 0, 1]
    assert list(scores.parts["hallucination"]) == [0, 0, 0]
    assert list(scores.parts["omitted"]) == [0, 50, 0]
    assert list(scores.parts["contradicted"]) == pytest.approx([0, 0, 100 / 7])
    assert list(scores.parts["correct"])[2] < 0.5 < min(list(scores.parts["correct"])[:2])
    assert scores.values[0] > max(scores.values[1:])


def test_rates_of_the_corpus_are_rates_of_sums(scores):
    assert scores.corpus_parts["ok"] == pytest.approx(1 / 3)
    assert scores.corpus_parts["omitted"] == pytest.approx(100 * 1 / 6)
    assert scores.corpus_parts["contradicted"] == pytest.approx(100 * 1 / 18)
    assert scores.corpus == pytest.approx(math.fsum(scores.values) / 3)


def test_shipped_weights_know_every_feature():
    example = Example("", "", "Dune, by Frank Herbert, has 421 pages. Bob said so.", TABLE)
    reading = Reading.of(example, load_templates("default"))
    weights = load_ledger_weights("")
    ask, ask_questions = partial(entailment_of_groups, "nli"), partial(answer_questions, "qa")
    (audited,) = audit([reading], weights, ask, ask_questions)
    for part, cases_of in CASES.items():
        for case in cases_of(Perturbed(ORIGINAL, example), audited):
            assert weights.by_part[part].keys() == {"bias", *case.features}


@pytest.mark.parametrize("content", ["{}", "no", '{"weights": {"fact": {"bias": 1}}}', '{"weights": []}'])
def test_broken_weights_are_one_clear_line(tmp_path, content):
    path = tmp_path / "weights.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"no weights of the ledger .* make them with factable train ledger"):
        Ledger(weights=str(path)).verdicts([Example("", "", "x", TABLE)])
