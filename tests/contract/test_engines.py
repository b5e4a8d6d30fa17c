"""Every metric gives the same to the last bit: in one process, in several, on Ray with one node and three."""

from dataclasses import fields, replace

import pytest
from contract_examples import OTHER, WHOLE, odd_examples
from variants import NEEDY

from factable.core.registry import load, names
from factable.engine.score import score_files
from factable.errors import MissingExtraError, MissingProgramError

LIGHT = ("empty as text", "rtl in the table", "lone surrogate as text", "no records", "no references")


def examples():
    """Enough for several units of work, with odd ones among them."""
    odd = [example for example in odd_examples() if example.item in LIGHT]
    alike = [replace((WHOLE, OTHER)[number % 2], item=str(number)) for number in range(60)]
    return [*alike[:30], *odd, *alike[30:]]


@pytest.fixture(scope="module")
def some_metrics():
    """Those that need no extra; of those with models, one."""
    defaults = [load(name)() for name in names() if name not in NEEDY]
    return [metric for metric in defaults if not metric.slow or metric.name == "nli"]


@pytest.fixture(scope="module")
def all_metrics(variants, language_model):  # noqa: ARG001
    """Every metric that can be run here, and each of its variants that names a file."""
    metrics = []
    for name in names():
        default, *others = variants.of(name)
        try:
            default.score([WHOLE, OTHER])
        except (MissingExtraError, MissingProgramError):
            continue
        metrics += [default, *filter(names_a_file, others)]
    assert len(metrics) > len(names())
    return metrics


def names_a_file(metric):
    return any("/" in str(getattr(metric, param.name)) for param in metric.params)


def score(metrics, **options):
    """All fields of the scores of all metrics, findings included, to the last digit; NaN equals NaN."""
    result = score_files([examples()], metrics, explain=True, **options)
    assert len(result.scores) == len(metrics)
    return {
        scores.metric: {field.name: repr(getattr(scores, field.name)) for field in fields(scores)}
        for scores in result.scores
    }


def test_two_processes(some_metrics):
    assert score(some_metrics, jobs=2) == score(some_metrics)


@pytest.mark.slow
def test_two_processes_with_every_file(all_metrics):
    assert score(all_metrics, jobs=2) == score(all_metrics)


@pytest.mark.ray
def test_ray_with_one_node_and_with_three(all_metrics, ray_cluster, add_ray_node):
    here = score(all_metrics)
    assert score(all_metrics, engine="ray") == here
    nodes = [add_ray_node() for _ in range(2)]
    try:
        assert score(all_metrics, engine="ray") == here
    finally:
        for node in nodes:
            ray_cluster.remove_node(node)
