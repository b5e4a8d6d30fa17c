"""Scoring files, lists of examples and data frames with any metrics."""

from collections.abc import Iterable, Sequence

from factable.io.files import source_name
from factable.io.read import Source
from factable.metric import Metric
from factable.run.collect import Listener, Result, collect
from factable.run.engines import run_units
from factable.run.sources import as_one_batch, iter_units
from factable.run.units import Plan, Render, Scored, metrics_of
from factable.signature import spec
from factable.types import Scores


def score_files(
    sources: Sequence[Source],
    specs: Iterable[str],
    *,
    explain: bool = False,
    jobs: int = 1,
    skip_bad: bool = False,
    render: Render | None = None,
    listener: Listener | None = None,
) -> Result:
    """Score all examples of the sources; texts are let go as soon as they are scored."""
    plan = Plan(tuple(specs), explain, render)
    units = iter_units(sources)
    if any(metric.shard_by != "example" for metric in metrics_of(plan.specs)):
        units = as_one_batch(units)
    scored = run_units(plan, units, jobs=jobs)
    return collect(plan, scored, _name(sources), skip_bad=skip_bad, listener=listener or _ignore)


def score(
    source: Source, metrics: Iterable[str | Metric], *, explain: bool = False, jobs: int = 1
) -> dict[str, Scores]:
    """Score examples (or anything `read` takes) with each metric; the result is keyed by spec text."""
    specs = [metric if isinstance(metric, str) else spec(metric) for metric in metrics]
    result = score_files([source], specs, explain=explain, jobs=jobs)
    return {scores.metric: scores for scores in result.scores}


def _name(sources: Sequence[Source]) -> str:
    return ", ".join(source_name(source) if isinstance(source, str) else "list" for source in sources)


def _ignore(unit: Scored) -> None:
    """Nobody listens."""
