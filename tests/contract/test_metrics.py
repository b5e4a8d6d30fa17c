"""What every metric promises, over the whole registry: a new metric is tested without an edit here."""

import copy
import inspect
import math
import os
import pickle
import random
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from typing import get_args

import pytest
from contract_examples import OTHER, REFERENCES, TEXT, WHOLE, documentation, odd_examples

from factable.core.metric import merge_scores, missing_fields, reference_range
from factable.core.registry import load, names, parse
from factable.core.signature import sign, spec
from factable.types import Kind, Table
from helpers.paths import ROOT, SOURCE

RUN_FACTS = ("refs:", "unscored:")


@pytest.fixture(params=names())
def name(request):
    return request.param


@pytest.fixture
def metrics(name, variants):
    return variants(name)


def assert_same(one, other):
    """Equal to the last bit, NaN included."""
    assert one.metric == other.metric
    assert one.signature == other.signature
    assert repr(one.corpus) == repr(other.corpus)
    assert one.values.tobytes() == other.values.tobytes()
    assert {part: column.tobytes() for part, column in one.parts.items()} == {
        part: column.tobytes() for part, column in other.parts.items()
    }
    assert repr(one.corpus_parts) == repr(other.corpus_parts)
    assert one.stats.tobytes() == other.stats.tobytes()
    assert one.findings == other.findings


def test_there_are_metrics():
    assert "parent" in names()
    assert names() == sorted(set(names()))


def test_every_parameter_can_vary(metrics):
    for field in fields(metrics[0]):
        assert len({getattr(metric, field.name) for metric in metrics}) > 1, field.name


def test_a_metric_is_a_small_frozen_value(name, metrics):
    for metric in metrics:
        assert metric.name == name
        assert is_dataclass(metric)
        assert hash(metric) == hash(copy.copy(metric))
        assert pickle.loads(pickle.dumps(metric)) == metric
        field = fields(metric)[0].name
        with pytest.raises(FrozenInstanceError):
            setattr(metric, field, getattr(metric, field))
        assert metric.shard_by in ("example", "item", "corpus")
        assert metric.bounds[0] < metric.bounds[1]
        assert metric.needs <= {"table", "references"}


def test_spec_text_comes_back(metrics):
    for metric in metrics:
        assert parse(spec(metric)) == metric
    assert spec(metrics[0]) == metrics[0].name
    assert len(set(map(spec, metrics))) == len(metrics)


def test_signature_moves_with_every_parameter(metrics):
    assert len(set(map(sign, metrics))) == len(metrics)


def test_signature_exists_before_scoring(metrics):
    for metric in metrics:
        pieces = metric.score([WHOLE, OTHER]).signature.split("|")
        assert [piece for piece in pieces if not piece.startswith(RUN_FACTS)] == sign(metric).split("|")
        assert "unscored:0" in pieces
        assert ("refs:2" in pieces) == ("references" in metric.needs)


def test_signature_is_equal_in_a_fresh_process(metrics):
    script = (
        "import sys\nfrom factable.core.registry import parse\nfrom factable.core.signature import sign\n"
        "for line in sys.stdin:\n    print(sign(parse(line)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        input="\n".join(map(spec, metrics)),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(SOURCE)},
    )
    assert result.stdout.splitlines() == list(map(sign, metrics))


def test_order_of_examples_does_not_matter(metrics):
    examples = odd_examples()
    order = list(range(len(examples)))
    random.Random(0).shuffle(order)
    shuffled = [examples[index] for index in order]
    for metric in metrics:
        straight, mixed = metric.score(examples), metric.score(shuffled)
        assert (mixed.corpus, mixed.corpus_parts) == (straight.corpus, straight.corpus_parts)
        assert mixed.signature == straight.signature
        assert list(map(repr, mixed.values)) == [repr(straight.values[index]) for index in order]
        for part, column in mixed.parts.items():
            assert list(map(repr, column)) == [repr(straight.parts[part][index]) for index in order]
        assert mixed.findings == tuple(straight.findings[index] for index in order)
        explained = metric.explain(examples)
        assert metric.explain(shuffled) == tuple(explained[index] for index in order)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_shards_agree(metrics, size):
    examples = odd_examples()
    for metric in metrics:
        if metric.shard_by != "example":
            continue
        shards = [examples[start : start + size] for start in range(0, len(examples), size)]
        merged = merge_scores(metric, list(map(metric.score, shards)), reference_range(metric, examples))
        assert_same(merged, metric.score(examples))
        explained = tuple(found for shard in shards for found in metric.explain(shard))
        assert explained == metric.explain(examples)


def test_scoring_again_gives_the_same(metrics):
    for metric in metrics:
        assert_same(metric.score(odd_examples()), metric.score(odd_examples()))


def test_no_examples(metrics):
    for metric in metrics:
        scores = metric.score([])
        assert len(scores.values) == 0
        assert all(len(column) == 0 for column in scores.parts.values())
        assert math.isnan(scores.corpus)
        assert scores.findings == metric.explain([]) == ()


@pytest.mark.parametrize("example", odd_examples(), ids=lambda example: example.item)
def test_one_odd_example(metrics, example):
    for metric in metrics:
        scores = metric.score([example])
        assert len(scores.values) == len(scores.findings) == 1
        assert math.isnan(scores.corpus) == math.isnan(scores.values[0])
        check_value_and_reason(metric, scores.values[0], scores.findings[0])
        check_findings(example, scores.findings[0])
        (explained,) = metric.explain([example])
        check_findings(example, explained)


def check_value_and_reason(metric, value, findings):
    """NaN with a reason, or a value inside the bounds without one."""
    reasons = [finding for finding in findings if finding.kind == "unscored"]
    if math.isnan(value):
        assert len(reasons) == 1
        assert reasons[0].note
    else:
        assert not reasons
        assert metric.bounds[0] <= value <= metric.bounds[1]


def check_findings(example, findings):
    """Findings point at records that exist and at words inside the text."""
    for finding in findings:
        assert finding.kind in get_args(Kind)
        assert finding.record is None or 0 <= finding.record < len(example.table.records)
        if finding.span is not None:
            start, end = finding.span
            assert 0 <= start < end <= len(example.text)
        assert finding.score is None or math.isfinite(finding.score)


def test_shape_of_scores(metrics):
    examples = odd_examples()
    for metric in metrics:
        scores = metric.score(examples)
        assert scores.metric == spec(metric)
        assert tuple(scores.parts) == tuple(scores.corpus_parts) == metric.parts
        assert len(scores.stats) % len(examples) == 0
        assert {len(column) for column in (scores.values, *scores.parts.values())} == {len(examples)}
        assert len(scores.findings) == len(metric.explain(examples)) == len(examples)
        unscored = sum(map(math.isnan, scores.values))
        assert f"unscored:{unscored}" in scores.signature.split("|")
        for column in scores.parts.values():
            assert list(map(math.isnan, column)) == list(map(math.isnan, scores.values))
        # Bulk scoring stays fast: other findings are made by `explain` alone, unless a metric says otherwise.
        if getattr(metric, "always_explains", False):
            continue
        assert {finding.kind for found in scores.findings for finding in found} <= {"unscored"}


def test_parts_of_parent_are_shares(variants):
    for metric in variants("parent"):
        for column in metric.score(odd_examples()).parts.values():
            assert all(0 <= value <= 1 for value in column if not math.isnan(value))


def test_arguments_stay_as_they_were(metrics):
    examples = odd_examples()
    kept = copy.deepcopy(examples)
    for metric in metrics:
        metric.score(examples)
        metric.explain(examples)
        assert examples == kept
    assert_same(metrics[0].score(tuple(examples)), metrics[0].score(examples))


def test_needs_are_honest(metrics):
    lacking = {"table": replace(WHOLE, table=Table(())), "references": replace(WHOLE, references=())}
    for metric in metrics:
        assert not missing_fields(metric, WHOLE)
        assert not math.isnan(metric.score([WHOLE, OTHER]).values[0])
        for need, example in lacking.items():
            if need in metric.needs:
                assert missing_fields(metric, example)
                assert math.isnan(metric.score([example, OTHER, WHOLE]).values[0])
        enough = replace(
            WHOLE,
            table=WHOLE.table if "table" in metric.needs else Table(()),
            references=WHOLE.references if "references" in metric.needs else (),
        )
        assert not math.isnan(metric.score([enough, OTHER]).values[0])


def test_a_better_text_scores_better(name):
    metric = parse(name)
    copied, empty = replace(WHOLE, text=REFERENCES[0]), replace(WHOLE, text="")
    best, _, worst, _ = metric.score([copied, replace(WHOLE, text=TEXT), empty, OTHER]).values
    assert (best > worst) == metric.higher_is_better


def test_documentation(name):
    metric = load(name)
    assert inspect.cleandoc(metric.__doc__).partition("\n")[0].endswith(".")
    for field in fields(metric):
        assert documentation(metric, field.name), f"the docstring of {name} says nothing of {field.name}"
    page = ROOT / "docs" / "metrics" / f"{name}.md"
    assert page.is_file(), f"{name} has no page; write {page}"
    for field in fields(metric):
        assert field.name in page.read_text(), f"{page} says nothing of {field.name}"
