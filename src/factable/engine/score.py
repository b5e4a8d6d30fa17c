"""Scoring files, lists of examples and data frames with any metrics."""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import replace
from functools import partial

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.core.results import Scores
from factable.core.signature import spec
from factable.engine.checkpoint import Engine, open_checkpoint, resume_scoring
from factable.engine.collect import Listener, Result, collect
from factable.engine.corpus import fit_metrics
from factable.engine.engines import check_engine, engine_session, map_units
from factable.engine.notebook_progress import notebook_progress
from factable.engine.plan import AnyUnit, Plan, Render, Scored, score_unit
from factable.engine.sources import Corpus, check_files
from factable.errors import UsageError, suggest_parameters
from factable.io.files import source_name
from factable.io.joins import Joins, read_joins
from factable.io.read import Source


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
    joins: Joins | None = None,
) -> Result:
    """Score all examples of the sources; texts are dropped as soon as they are scored.

    `systems` names, for each source, the system of examples that name none. The listener is called with
    every scored unit, with the rows that `render` and `listing` made of its examples. `resume` names a file
    that keeps scored units; those it holds are not scored again. `joins` holds references and ratings of the
    texts.
    """
    check_engine(engine, jobs)
    check_files(sources)
    plan = Plan(tuple(metrics), explain, render, listing)
    corpus = Corpus(sources, systems, plan.metrics, joins)
    run: Engine = partial(_score_units, plan, corpus, jobs=jobs, engine=engine, skip_bad=skip_bad)
    with ExitStack() as opened:
        if resume is not None:
            run = partial(resume_scoring, opened.enter_context(open_checkpoint(resume, corpus, plan)), run)
        scored = opened.enter_context(closing(run(corpus.units())))
        result = collect(plan, scored, _name(sources), skip_bad=skip_bad, listener=listener or _ignore)
        corpus.refuse_changes()
        return replace(result, warnings=tuple(corpus.warnings()))


def _score_units(
    plan: Plan, corpus: Corpus, units: Iterable[AnyUnit], *, jobs: int | None, engine: str, skip_bad: bool
) -> Generator[Scored]:
    """Score units, once the metrics have their states."""
    parallel_map = partial(map_units, jobs=jobs, engine=engine)
    with engine_session(engine, jobs):
        fitted = fit_metrics(plan, corpus, parallel_map, skip_bad=skip_bad)
        with closing(parallel_map(partial(score_unit, fitted), units)) as scored:
            yield from scored


class ScoresBySpec(dict[str, Scores]):
    """Scores of each metric under the spec that the caller wrote, or any other way to write it."""

    def __missing__(self, key: str) -> Scores:
        try:
            wanted = spec(parse(key))
        except UsageError:
            raise KeyError(key) from None
        for scores in self.values():
            if scores.metric == wanted:
                return scores
        raise KeyError(key)


@suggest_parameters
def score(
    source: Source,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    explain: bool = False,
    jobs: int | None = None,
    engine: str = "local",
    skip_bad: bool = False,
    resume: str | os.PathLike[str] | None = None,
    progress: Callable[[int], None] | bool = True,
    references: str | os.PathLike[str] | None = None,
    ratings: str | os.PathLike[str] | None = None,
) -> ScoresBySpec:
    """Score examples, or anything that `read` takes, with each metric; the result is keyed by spec text.

    explain   also make findings: which facts and which words are behind each value
    jobs      number of processes, or of CPUs of a Ray cluster; by default one process, or the whole cluster
    engine    where to compute: "local" (this machine) or "ray"
    skip_bad  leave out examples that cannot be read, instead of raising DataError
    resume    a file that keeps what is scored; the same call goes on from there
    progress  called now and then with the number of examples scored so far; by default a bar in notebooks,
              and nothing elsewhere; False for none
    references, ratings  files with what belongs to the texts of the same id
    """
    given = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    items: list[str] = []

    with notebook_progress([source]) if progress is True else nullcontext(_ignore) as show:

        def listen(unit: Scored) -> None:
            items.extend(unit.items)
            show(unit)
            if callable(progress):
                progress(len(items))

        result = score_files(
            [source],
            parse_all(given),
            explain=explain,
            jobs=jobs,
            engine=engine,
            skip_bad=skip_bad,
            resume=resume,
            listener=listen,
            joins=read_joins(references, ratings),
        )
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=2)
    systems = tuple(result.systems[index] for index in result.system_of)
    by_metric = {
        scores.metric: replace(scores, items=tuple(items), systems=systems) for scores in result.scores
    }
    return ScoresBySpec(
        {
            each if isinstance(each, str) else spec(each): by_metric[
                spec(parse(each)) if isinstance(each, str) else spec(each)
            ]
            for each in given
        }
    )


def parse_all(
    metrics: Iterable[str | Metric], *, defaults: Mapping[str, Mapping[str, object]] | None = None
) -> list[Metric]:
    """The metrics of these specs, in order, without repeats; `defaults` are as in `parse`."""
    made = (parse(each, defaults=defaults) if isinstance(each, str) else each for each in metrics)
    parsed = list(dict.fromkeys(made))
    _refuse_same_files(parsed)
    return parsed


def _refuse_same_files(metrics: Sequence[Metric]) -> None:
    """Refuse metrics that differ only in the spelling of a file or model name."""
    names = Counter(metric.name for metric in metrics)
    seen: dict[tuple[object, ...], Metric] = {}
    for metric in metrics:
        if names[metric.name] == 1:
            continue
        checksums = metric.checksums()
        values = [checksums.get(each.name, getattr(metric, each.name)) for each in metric.params]
        same = seen.setdefault((metric.name, *values), metric)
        if same is not metric:
            raise UsageError(f"{spec(same)} and {spec(metric)} are the same; give one of them")


def _name(sources: Sequence[Source]) -> str:
    names = [source_name(source) if isinstance(source, str | os.PathLike) else "list" for source in sources]
    return ", ".join(names)


def _ignore(unit: Scored) -> None:
    """The default listener does nothing."""
