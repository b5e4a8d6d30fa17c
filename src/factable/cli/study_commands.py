"""The studies as commands."""

import math
from collections.abc import Sequence
from typing import Any

import click
import orjson
from click.core import ParameterSource

from factable.cli.ledger import config_options
from factable.cli.options import (
    alpha_option,
    bootstrap_option,
    engine_option,
    human_option,
    jobs_option,
    metric_option,
    plot_option,
    seed_option,
    skip_bad_option,
    system_options,
)
from factable.cli.output import check_output, say
from factable.cli.progress import Progress
from factable.cli.study_run import OUTPUT_OPTIONS, SCORING_OPTIONS, UNJOINED_OPTIONS, StudyRun, study_command
from factable.core.metric import Metric
from factable.core.registry import parse
from factable.errors import UsageError
from factable.io.faults import Faults
from factable.io.files import open_output
from factable.io.judgements import read_annotations, read_preferences
from factable.io.marked_texts import read_marked_texts
from factable.io.read import iter_examples
from factable.report.judge_study import judges_output
from factable.report.plots.figures import (
    draw_correlations,
    draw_coverage,
    draw_curves,
    draw_distributions,
    draw_scatter,
)
from factable.report.span_study import spans_output
from factable.report.studies import (
    agreement_output,
    divergence_output,
    gold_output,
    preferences_output,
    ratings_output,
    tuning_output,
)
from factable.report.verdict_study import disagreement_rows, verdicts_output
from factable.study.agreement import study_agreement
from factable.study.divergence import COVERING, DIVERGENCE_LEVELS, LABEL, NO_LABEL, study_divergence
from factable.study.gold import study_gold
from factable.study.judges import judge_metrics, study_judges
from factable.study.levels import LEVELS
from factable.study.preferences import study_preferences
from factable.study.ratings import study_ratings
from factable.study.spans import require_gold, score_marked_texts, study_spans
from factable.study.tuning import Grid, make_grid, tune
from factable.study.verdicts import FOLDS, HALLUCINATION, OMISSION, THRESHOLDS, VerdictStudy, study_verdicts

LEVEL_HELP = "What to correlate: systems, single texts, or the systems of each item."


@study_command(
    "ratings",
    metric_option,
    click.option(
        "--tune",
        "tuned",
        metavar="METRIC",
        help="Tune the parameter marked with a star, as in 'parent(mix=*)', instead of studying -m.",
    ),
    click.option("--grid", "values", metavar="VALUES", help="Values for --tune to try: 0:1:0.05 or 1,2,4."),
    human_option,
    click.option("--level", type=click.Choice(LEVELS), default="system", show_default=True, help=LEVEL_HELP),
    bootstrap_option("Bootstrap samples of items, and permutations; 0 for no intervals and tests."),
    seed_option,
    alpha_option("metrics"),
    system_options,
    plot_option("the correlations as bars"),
    plot_option("metrics against ratings as points", "--scatter"),
    plot_option("how the correlations vary over bootstrap samples", "--distribution"),
    *SCORING_OPTIONS,
    plots=("--plot", "--scatter", "--distribution"),
)
def ratings(
    run: StudyRun, metrics: Sequence[Metric], tuned: str | None, values: str | None, **options: Any
) -> None:
    """Correlate metrics with the human ratings in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    grid = _read_grid(tuned, values, run)
    with run:
        panel = run.score(grid.metrics if grid else metrics)
        if grid:
            options.pop("alpha")
            run.write(tuning_output(tune(panel, grid, **options)))
        else:
            study = study_ratings(panel, **options)
            run.draw("--plot", lambda look: draw_correlations(study, look))
            run.draw("--scatter", lambda look: draw_scatter(panel, study, look))
            run.draw("--distribution", lambda look: draw_distributions(study, look))
            run.write(ratings_output(study))


def _read_grid(tuned: str | None, values: str | None, run: StudyRun) -> Grid | None:
    """The metric and the values of --tune, if it is given."""
    if tuned is None:
        if values is not None:
            raise UsageError("--grid is for --tune; give both or none")
        return None
    if click.get_current_context().get_parameter_source("metrics") is not ParameterSource.DEFAULT:
        raise UsageError("--tune studies one metric; drop -m")
    grid = make_grid(tuned, values)
    if any(run.plots.values()):
        raise UsageError("--plot, --scatter and --distribution draw the study of -m; drop them or --tune")
    return grid


@study_command(
    "preferences",
    click.option(
        "--pairs",
        required=True,
        metavar="FILE",
        help="File with the choices of people: id, system_a, system_b, winner (JSON lines or CSV).",
    ),
    metric_option,
    bootstrap_option(),
    seed_option,
    alpha_option("metrics"),
    system_options,
    *SCORING_OPTIONS,
)
def preferences(run: StudyRun, pairs: str, metrics: Sequence[Metric], **options: Any) -> None:
    """Compare metrics with people who chose between the texts in FILES (JSON lines, CSV or Parquet)."""
    check_output([pairs], run.out)
    if pairs == "-" and "-" in run.files:
        raise UsageError("--pairs and FILES are both stdin; name a file for one of them")
    # Before scoring, which may take long.
    choices = read_preferences(pairs, skip_bad=run.skip_bad)
    with run:
        panel = run.score(metrics, need_ratings=False)
        study = study_preferences(panel, choices, skip_bad=run.skip_bad, **options)
        run.skip(study.skipped)
        run.write(preferences_output(study))


# What people think of a text: a rating, or labels.
GOLD_OPTIONS = (
    click.option(
        "--human",
        "humans",
        metavar="RATING",
        multiple=True,
        help="Human rating; texts rated --threshold or higher are OK; repeatable.",
    ),
    click.option(
        "--threshold",
        "thresholds",
        metavar="X",
        type=float,
        multiple=True,
        help=f"Lowest --human rating of an OK text; repeatable. Default: {', '.join(map(str, THRESHOLDS))}.",
    ),
    click.option(
        "--omission",
        metavar="RATING",
        multiple=True,
        help=f"Rating that is above 0 if a text leaves facts out; repeatable. Default: {OMISSION}.",
    ),
    click.option(
        "--hallucination",
        metavar="RATING",
        multiple=True,
        help=f"Rating that is above 0 if a text makes facts up; repeatable. Default: {HALLUCINATION}.",
    ),
)


@study_command(
    "verdicts",
    metric_option,
    *GOLD_OPTIONS,
    click.option(
        "--cut",
        "cuts",
        multiple=True,
        metavar="METRIC=VALUE",
        help=f"Value where a metric begins to say OK; repeatable. Default: {FOLDS}-fold cross-validation.",
    ),
    click.option(
        "--disagreements",
        metavar="FILE",
        help="Also write the texts that people and a metric label differently, with their data (JSON lines).",
    ),
    bootstrap_option(),
    seed_option,
    system_options,
    *SCORING_OPTIONS,
)
def verdicts(
    run: StudyRun, metrics: Sequence[Metric], cuts: Sequence[str], disagreements: str | None, **options: Any
) -> None:
    """Compare which texts metrics and people call OK in FILES (JSON lines, CSV or Parquet; - is stdin)."""
    values: dict[str | Metric, float] = dict(map(_read_cut, cuts))
    if disagreements and "-" in run.files:
        raise UsageError("--disagreements reads FILES again, which stdin does not allow; name a file")
    check_output(run.files, disagreements or "-", "--disagreements")
    with run:
        panel = run.score(metrics)
        study = study_verdicts(panel, cuts=values, **options)
        run.write(verdicts_output(study))
        if disagreements:
            _write_disagreements(study, run, disagreements)


def _write_disagreements(study: VerdictStudy, run: StudyRun, path: str) -> None:
    examples = (
        example
        for file in run.files
        for example in iter_examples(file, faults=Faults(skip_bad=True) if run.skip_bad else None)
    )
    with open_output(path) as stream:
        for row in disagreement_rows(study, examples):
            stream.write(orjson.dumps(row) + b"\n")


@study_command(
    "judges",
    click.option(
        "--judge",
        required=True,
        metavar="URL",
        help="Language model to ask: its server (URL, URL#MODEL), or a spec of the metric judge.",
    ),
    metric_option,
    *GOLD_OPTIONS,
    bootstrap_option(),
    seed_option,
    system_options,
    *SCORING_OPTIONS,
)
def judges(run: StudyRun, judge: Metric, metrics: Sequence[Metric], **options: Any) -> None:
    """Compare the ledger, a language model as judge, and both on the texts in FILES, with people's labels.

    FILES are JSON lines, CSV or Parquet. -m names the ledger to compare with.
    """
    if len(metrics) != 1:
        raise UsageError("-m is given several times; name one ledger")
    if run.scoring.get("resume"):
        raise UsageError("--resume is not for this study; its answers are cached as they come")
    with run:
        compared = judge_metrics(judge, metrics[0])
        run.write(judges_output(study_judges(lambda metric: run.score([metric]), compared, **options)))


def _read_cut(text: str) -> tuple[Metric, float]:
    """A metric and its cut from text such as `parent(mix=0.5)=0.3`."""
    spec, _, number = text.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not spec or not math.isfinite(value):
        raise UsageError(f"cannot read --cut {text!r}; write a metric and a number, such as parent=0.4")
    return parse(spec), value


@study_command(
    "spans",
    metric_option,
    click.option(
        "--gold",
        metavar="NAME",
        help="Judge in the data whose spans or labels are the truth. Default: the spans of people.",
    ),
    bootstrap_option(),
    seed_option,
    *UNJOINED_OPTIONS,
)
def spans(run: StudyRun, metrics: Sequence[Metric], gold: str | None, **options: Any) -> None:
    """Compare the errors that metrics and people mark in the texts of FILES (JSON lines; - is stdin)."""
    texts = read_marked_texts(run.files, skip_bad=run.skip_bad)
    # Before scoring, which may take long.
    require_gold(texts.rows, gold)
    with run:
        run.skip(texts.skipped)
        with Progress(total=len(texts.rows)) as progress:
            marked = score_marked_texts(texts.rows, metrics, listener=progress.take, **run.scoring)
        run.write(spans_output(study_spans(marked, gold=gold, **options)))


@study_command(
    "divergence",
    metric_option,
    human_option,
    click.option(
        "--label",
        metavar="RATING",
        help=f"Rating that is 1 for items whose references the data entails, else 0. Default: {LABEL}.",
    ),
    click.option(
        "--level",
        type=click.Choice(DIVERGENCE_LEVELS),
        default="system",
        show_default=True,
        help="What to correlate: systems or single texts.",
    ),
    click.option(
        "--steps",
        metavar="N",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="Number of steps from 0 to 100 % entailed items.",
    ),
    click.option(
        "--draws",
        metavar="N",
        type=click.IntRange(min=1),
        default=500,
        show_default=True,
        help="Random samples of items at each step.",
    ),
    seed_option,
    system_options,
    plot_option("the curves"),
    plot_option("a histogram of how much of the data the references have", "--histogram"),
    *SCORING_OPTIONS,
    plots=("--plot", "--histogram"),
)
def divergence(run: StudyRun, metrics: Sequence[Metric], label: str | None, **options: Any) -> None:
    """Measure how much of the data the references in FILES have, and how divergent ones hurt metrics."""
    with run:
        panel = run.score([*dict.fromkeys([*metrics, COVERING])], need_ratings=False)
        if run.plots["--plot"] and label is None and LABEL not in panel.ratings:
            raise UsageError(f"{NO_LABEL}, which --plot needs; add that rating, 1 or 0, or give --label")
        study = study_divergence(panel, metrics, label=label, **options)
        curves = study.divergence
        if curves is not None:
            run.draw("--plot", lambda look: draw_curves(curves, look))
        run.draw("--histogram", lambda look: draw_coverage(study.coverage, look))
        run.write(divergence_output(study))
    if study.note:
        say(f"factable: {study.note}")


@study_command("gold", metric_option, config_options, *OUTPUT_OPTIONS, engine_option, jobs_option)
def gold(run: StudyRun, metrics: Sequence[Metric]) -> None:
    """Score the references in FILES as texts, beside themselves and beside each other (paraphrases)."""
    with run:
        run.write(gold_output(study_gold(run.files, metrics, **run.scoring)))


@study_command(
    "agreement",
    bootstrap_option("Bootstrap samples of texts; 0 for no intervals."),
    seed_option,
    *OUTPUT_OPTIONS,
    skip_bad_option,
)
def agreement(run: StudyRun, **options: Any) -> None:
    """Measure how far annotators agree, from FILES with a row per text and annotator (JSON lines or CSV)."""
    with run:
        annotations = read_annotations(run.files, skip_bad=run.skip_bad)
        run.skip(annotations.skipped)
        run.write(agreement_output(study_agreement(annotations.rows, **options)))
