"""Scoring files, lists of examples and data frames with any metrics."""

import os
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import fields
from functools import partial

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.core.signature import spec
from factable.engine.checkpoint import Engine, open_checkpoint, resume_scoring
from factable.engine.collect import Listener, Result, collect
from factable.engine.corpus import fit_corpus_metrics
from factable.engine.engines import check_engine, engine_session, map_units
from factable.engine.sources import Corpus, check_files
from factable.engine.units import AnyUnit, Plan, Render, Scored, score_unit
from factable.errors import UsageError
from factable.io.files import source_name
from factable.io.read import Source
from factable.types import Scores


def score_files(
    sources: Sequence[Source],
    metrics: Sequence[Metric],
    *,
    explain: bool = False,
    jobs: int | None = None,
    engine: str = "local",
    skip_bad: bool = False,
    render: Render | None = None,
    listing: Render | None = None,
    listener: Listener | None = None,
    systems: Sequence[str] = (),
    resume: str | os.PathLike[str] | None = None,
) -> Result:
    """Score all examples of the sources; texts are let go as soon as they are scored.

    `systems` names, for each source, the system of examples that name none. The listener hears of every
    scored unit, with the rows that `render` and `listing` made of its examples. `resume` names a file that
    keeps scored units; those it holds are not scored again.
    """
    check_engine(engine, jobs)
    check_files(sources)
    plan = Plan(tuple(metrics), explain, render, listing)
    corpus = Corpus(sources, systems, plan.metrics)
    run: Engine = partial(_score_units, plan, corpus, jobs=jobs, engine=engine, skip_bad=skip_bad)
    with ExitStack() as opened:
        if resume is not None:
            run = partial(resume_scoring, opened.enter_context(open_checkpoint(resume, corpus, plan)), run)
        scored = opened.enter_context(closing(run(corpus.units())))
        result = collect(plan, scored, _name(sources), skip_bad=skip_bad, listener=listener or _ignore)
        corpus.refuse_changes()
        return result


def _score_units(
    plan: Plan, corpus: Corpus, units: Iterable[AnyUnit], *, jobs: int | None, engine: str, skip_bad: bool
) -> Generator[Scored]:
    """Score units, once the metrics know what they have to know of all."""
    parallel_map = partial(map_units, jobs=jobs, engine=engine)
    with engine_session(engine, jobs):
        informed = fit_corpus_metrics(plan, corpus, parallel_map, skip_bad=skip_bad)
        with closing(parallel_map(partial(score_unit, informed), units)) as scored:
            yield from scored


def score(
    source: Source,
    metrics: Iterable[str | Metric],
    *,
    explain: bool = False,
    jobs: int | None = None,
    engine: str = "local",
    resume: str | os.PathLike[str] | None = None,
) -> dict[str, Scores]:
    """Score examples (or anything `read` takes) with each metric; the result is keyed by spec text.

    `engine` says where: in `jobs` processes of this machine ("local"; without `jobs`, in this one), or on as
    many CPUs of a Ray cluster ("ray"; without `jobs`, on all). `resume` names a file that keeps what is
    scored; the same call goes on from there.
    """
    result = score_files(
        [source], parse_all(metrics), explain=explain, jobs=jobs, engine=engine, resume=resume
    )
    return {scores.metric: scores for scores in result.scores}


def parse_all(metrics: Iterable[str | Metric]) -> list[Metric]:
    """The metrics that specs stand for, each once, in order."""
    found = list(dict.fromkeys(parse(metric) if isinstance(metric, str) else metric for metric in metrics))
    _refuse_same_files(found)
    return found


def _refuse_same_files(metrics: Sequence[Metric]) -> None:
    """Refuse metrics that differ only in how they write the name of one file or model."""
    names = Counter(metric.name for metric in metrics)
    seen: dict[tuple[object, ...], Metric] = {}
    for metric in metrics:
        if names[metric.name] == 1:
            continue
        checksums: Mapping[str, str] = getattr(metric, "checksums", dict)()
        parameters = [field.name for field in fields(metric)]  # type: ignore[arg-type]
        meant = [checksums.get(parameter, getattr(metric, parameter)) for parameter in parameters]
        same = seen.setdefault((metric.name, *meant), metric)
        if same is not metric:
            raise UsageError(f"{spec(same)} and {spec(metric)} are the same; give one of them")


def _name(sources: Sequence[Source]) -> str:
    names = [source_name(source) if isinstance(source, str | os.PathLike) else "list" for source in sources]
    return ", ".join(names)


def _ignore(unit: Scored) -> None:
    """Nobody listens."""
