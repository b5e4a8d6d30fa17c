"""What the ledger is good for: cases written by hand, and faults put into WebNLG texts."""

import json
from collections import Counter
from pathlib import Path

import pytest

from factable.io.data import make_table
from factable.io.formats import open_format
from factable.metrics.ledger.metric import Ledger
from factable.train.perturbations import ORIGINAL, make_faults
from factable.types import Example
from helpers.paths import WEBNLG

LINES = (Path(__file__).parent / "ledger" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
CASES = list(map(json.loads, LINES))


@pytest.fixture(scope="module")
def verdicts():
    examples = [
        Example(str(index), "", case["text"], make_table(case["data"])) for index, case in enumerate(CASES)
    ]
    return Ledger().verdicts(examples)


def says(verdict, words):
    """Whether a claim that is not supported has the words, or is part of them."""
    spans = [verdict.text[slice(*claim.span)] for claim in verdict.claims if claim.state != "supported"]
    return any(words in span or span in words for span in spans)


def is_right(case, verdict):
    facts = {fact.record: fact.state for fact in verdict.facts}
    return (
        verdict.label == case["label"]
        and all(says(verdict, words) for words in case.get("wrong", []))
        and all(facts[index] != "supported" for index in case.get("omitted", []))
    )


def test_the_examples_of_the_papers(verdicts):
    for case, verdict in zip(CASES, verdicts, strict=True):
        if case["kind"] == "paper":
            assert is_right(case, verdict), verdict


def test_most_cases_of_every_kind(verdicts):
    total, right = Counter(), Counter()
    for case, verdict in zip(CASES, verdicts, strict=True):
        total[case["kind"]] += 1
        right[case["kind"]] += (case["label"] == "OK") == verdict.is_ok
    assert right.total() / total.total() > 0.90, right
    assert all(right[kind] / total[kind] >= 0.7 or total[kind] - right[kind] == 1 for kind in total), right


@pytest.mark.data("webnlg2017")
def test_faults_put_into_webnlg_texts(tmp_path):
    import tarfile

    with tarfile.open(WEBNLG / "challenge_data_train_dev.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    examples = list(open_format("webnlg")([str(tmp_path / "challenge_data_train_dev" / "dev")]))[::6]
    kinds = (ORIGINAL, "omit", "swap", "digit", "foreign")
    texts = [text for text in make_faults(examples, 1) if text.kind in kinds]
    checked = list(zip(texts, Ledger().verdicts([text.example for text in texts]), strict=True))
    shares = {
        kind: sum(verdict.is_ok for text, verdict in checked if text.kind == kind)
        / sum(text.kind == kind for text in texts)
        for kind in {text.kind for text in texts}
    }
    for kind in ("omit", "swap", "digit", "foreign"):
        assert (shares[ORIGINAL] + 1 - shares[kind]) / 2 > 0.85, shares
    swaps = [
        any(
            claim.state != "supported" and claim.start < text.span[1] and text.span[0] < claim.end
            for claim in verdict.claims
        )
        for text, verdict in checked
        if text.kind == "swap"
    ]
    assert sum(swaps) / len(swaps) > 0.8
