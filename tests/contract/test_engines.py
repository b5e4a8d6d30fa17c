"""Every metric gives the same to the last bit: in one process, in several, on Ray with one node and three."""

from dataclasses import fields, replace

import pytest
from contract_examples import OTHER, WHOLE, odd_examples

from factable.core.registry import names
from factable.engine.score import score_files
from factable.errors import MissingExtraError, MissingProgramError

LIGHT = ("empty as text", "rtl in the table", "lone surrogate as text", "no records", "no references")


def examples():
    """Enough for several units of work, with odd ones among them."""
    odd = [example for example in odd_examples() if example.item in LIGHT]
    alike = [replace((WHOLE, OTHER)[number % 2], item=str(number)) for number in range(60)]
    return [*alike[:30], *odd, *alike[30:]]


@pytest.fixture(scope="module")
def metrics(variants):
    """Every metric that can be run here, and each of its variants that names a file."""
    found = []
    for name in names():
        try:
            default, *others = variants(name)
            default.score([WHOLE])
        except (MissingExtraError, MissingProgramError):
            continue
        found += [default, *filter(names_a_file, others)]
    return found


def names_a_file(metric):
    return any("/" in str(getattr(metric, field.name)) for field in fields(metric))


@pytest.fixture(scope="module")
def here(metrics):
    return score(metrics)


def score(metrics, **how):
    """The scores of all metrics: those that take examples one by one, then those that want all at once."""
    apart = [metric for metric in metrics if metric.shard_by == "example"]
    together = [metric for metric in metrics if metric.shard_by != "example"]
    scored = [score_files([examples()], some, explain=True, **how).scores for some in (apart, together)]
    return {scores.metric: repr(scores) for some in scored for scores in some}


def test_every_metric_is_there(metrics, here):
    assert len(here) == len(metrics) > len(names())
    assert {metric.name for metric in metrics} <= set(names())


def test_several_processes(metrics, here):
    assert score(metrics, jobs=2) == here


def test_ray_with_one_node_and_with_three(metrics, here, ray_cluster, add_ray_node):
    assert score(metrics, engine="ray") == here
    nodes = [add_ray_node() for _ in range(2)]
    try:
        assert score(metrics, engine="ray") == here
    finally:
        for node in nodes:
            ray_cluster.remove_node(node)
