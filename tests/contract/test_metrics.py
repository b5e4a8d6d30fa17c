"""What every metric promises, over the whole registry: a new metric is tested without an edit here.

By default each metric is tried on all odd examples, and each of its variants on a few; the tests marked slow
try every variant on all of them.
"""

import copy
import inspect
import math
import os
import pickle
import random
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from functools import reduce
from typing import get_args

import pytest
from contract_examples import OTHER, REFERENCES, TEXT, WHOLE, few_examples, odd_examples
from variants import NEED_PACKAGES, NEEDY

from factable.core.metric import merge_scores, missing_fields, reference_range
from factable.core.registry import load, names, parse
from factable.core.signature import sign, spec
from factable.types import Kind, Table
from helpers.paths import ROOT, SOURCE

RUN_FACTS = ("refs:", "unscored:")
ALL, FEW = tuple(odd_examples()), tuple(few_examples())


def marks_of(name):
    return [getattr(pytest.mark, NEEDY[name])] if name in NEEDY else []


@pytest.fixture(params=[pytest.param(name, marks=marks_of(name)) for name in names()])
def name(request):
    """A metric; those that need Java or a package are marked so."""
    if request.param == "perplexity":
        request.getfixturevalue("language_model")
    return request.param


@pytest.fixture
def metrics(name, variants, runnable):
    return runnable(variants.of(name))


@pytest.fixture(params=["few", pytest.param("all", marks=pytest.mark.slow)])
def tried(request, name, variants, runnable):
    """Metrics, each with the examples that it is tried on."""
    if request.param == "all":
        return [(metric, ALL) for metric in runnable(variants.of(name, packages=True))]
    default, *others = runnable(variants.of(name))
    return [(default, ALL), *((metric, FEW) for metric in others)]


@pytest.fixture(scope="session")
def explained():
    """A function: the scores of some examples with all findings, computed once."""
    known = {}

    def score(metric, examples):
        if (metric, len(examples)) not in known:
            known[metric, len(examples)] = metric.score(examples, explain=True)
        return known[metric, len(examples)]

    return score


def assert_same(one, other, *, findings=True):
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
    if findings:
        assert one.findings == other.findings


def test_there_are_metrics():
    assert "parent" in names()
    assert names() == sorted(set(names()))


def test_every_parameter_varies(name, variants):
    metrics = variants.of(name)
    for param in load(name).params:
        if param.name not in NEED_PACKAGES:
            assert len({getattr(metric, param.name) for metric in metrics}) > 1, param.name


def test_a_metric_is_a_small_frozen_value(name, metrics):
    for metric in metrics:
        assert metric.name == name
        assert hash(metric) == hash(copy.copy(metric))
        assert pickle.loads(pickle.dumps(metric)) == metric
        parameter = metric.params[0].name
        with pytest.raises(FrozenInstanceError):
            setattr(metric, parameter, getattr(metric, parameter))
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


def test_signatures_are_equal_in_a_fresh_process(variants):
    metrics = [metric for name in names() if name not in NEEDY for metric in variants.of(name)]
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


def test_odd_examples(tried, explained):
    """A value or a reason for each, findings that point somewhere, and one row for each everywhere."""
    for metric, examples in tried:
        scores = explained(metric, examples)
        assert scores.metric == spec(metric)
        assert tuple(scores.parts) == tuple(scores.corpus_parts) == metric.parts
        assert len(scores.stats) % len(examples) == 0
        assert {len(column) for column in (scores.values, *scores.parts.values())} == {len(examples)}
        assert len(scores.findings) == len(examples)
        assert f"unscored:{sum(map(math.isnan, scores.values))}" in scores.signature.split("|")
        for column in scores.parts.values():
            assert list(map(math.isnan, column)) == list(map(math.isnan, scores.values))
        for example, value, findings in zip(examples, scores.values, scores.findings, strict=True):
            check_value_and_reason(metric, value, findings)
            check_findings(example, findings)


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


def test_findings_are_made_when_asked_for(tried, explained):
    """Without them everything else is the same, examples stay as they were, and any sequence will do."""
    for metric, examples in tried:
        before = copy.deepcopy(examples)
        plain = metric.score(list(examples))
        assert_same(plain, explained(metric, examples), findings=metric.always_explains)
        if not metric.always_explains:
            assert {finding.kind for row in plain.findings for finding in row} <= {"unscored"}
        assert examples == before


def score_shards(metric, examples, size):
    """The scores of shards joined; a corpus metric learns from shards as well."""
    shards = [examples[start : start + size] for start in range(0, len(examples), size)]
    state = metric.fit(reduce(metric.merge, map(metric.collect, shards))) if metric.corpus else None
    pieces = [metric.score(shard, state, explain=True) for shard in shards]
    return pieces, merge_scores(metric, pieces, reference_range(metric, examples))


def test_shards_of_one_agree(tried, explained):
    for metric, examples in tried:
        pieces, merged = score_shards(metric, examples, 1)
        assert_same(merged, explained(metric, examples))
        for piece in pieces:
            assert math.isnan(piece.corpus) == math.isnan(piece.values[0])


def test_neither_order_nor_shards_matter(tried, explained):
    """Shuffled examples in shards of three: the same numbers and findings in another order."""
    for metric, examples in tried:
        order = list(range(len(examples)))
        random.Random(0).shuffle(order)
        straight = explained(metric, examples)
        _, mixed = score_shards(metric, [examples[index] for index in order], 3)
        assert repr((mixed.corpus, mixed.corpus_parts)) == repr((straight.corpus, straight.corpus_parts))
        assert mixed.signature == straight.signature
        assert list(map(repr, mixed.values)) == [repr(straight.values[index]) for index in order]
        for part, column in mixed.parts.items():
            assert list(map(repr, column)) == [repr(straight.parts[part][index]) for index in order]
        assert mixed.findings == tuple(straight.findings[index] for index in order)


def test_no_examples(metrics):
    for metric in metrics:
        scores = metric.score([], explain=True)
        assert len(scores.values) == 0
        assert all(len(column) == 0 for column in scores.parts.values())
        assert math.isnan(scores.corpus)
        assert scores.findings == ()


def test_parts_of_parent_are_shares(variants, explained):
    for metric in variants.of("parent"):
        for column in explained(metric, FEW).parts.values():
            assert all(0 <= value <= 1 for value in column if not math.isnan(value))


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


def test_a_better_text_scores_better(metrics):
    copied, empty = replace(WHOLE, text=REFERENCES[0]), replace(WHOLE, text="")
    best, _, worst, _ = metrics[0].score([copied, replace(WHOLE, text=TEXT), empty, OTHER]).values
    assert (best > worst) == metrics[0].higher_is_better


@pytest.mark.parametrize("each", names())
def test_documentation(each):
    metric = load(each)
    assert inspect.cleandoc(metric.__doc__).partition("\n")[0].endswith(".")
    page = ROOT / "docs" / "metrics" / f"{each}.md"
    assert page.is_file(), f"{each} has no page; write {page}"
    text = page.read_text()
    for param in metric.params:
        assert param.doc, f"{each} says nothing of {param.name}"
        assert param.name in text, f"{page} says nothing of {param.name}"
