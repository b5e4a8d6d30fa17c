"""`factable gate`: fails when too many texts leave facts out, get them wrong or make them up."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import IO, Any, Literal

import click

from factable.cli.ledger import chosen_metric, ledger_options, load_config
from factable.cli.options import run_options
from factable.cli.output import (
    ReportPage,
    check_output,
    open_report,
    report_option,
    report_skipped,
    report_warnings,
    say,
    shows_colour,
)
from factable.cli.progress import Progress, check_resume, resumable
from factable.engine.collect import Result
from factable.engine.plan import Scored
from factable.engine.score import score_files
from factable.errors import UsageError
from factable.gate.baseline import read_baseline
from factable.gate.decision import GateResult, decide, write_result
from factable.gate.outcomes import Outcome, outcome_rows, outcomes_of
from factable.gate.policy import make_policy
from factable.io.files import open_output
from factable.metrics.ledger.verdict_metric import VerdictMetric
from factable.report.gate import gate_text, summary_lines, summary_markdown
from factable.report.html import Report, write_report
from factable.report.junit import annotated, write_junit
from factable.report.sarif import write_sarif


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option(
    "--fail-on",
    default="",
    metavar="KINDS",
    help="Errors that count. Default: contradiction,hallucination,omission.",
)
@click.option(
    "--max-rate",
    "max_rates",
    multiple=True,
    metavar="RATE",
    help="Highest share of texts with an error: 0.02, or omission=0.05; repeatable. Default: 0.",
)
@click.option(
    "--baseline",
    default="",
    metavar="FILE",
    help="The --out file of an earlier run; fail only if this run is worse.",
)
@ledger_options
@click.option(
    "-o",
    "--out",
    default="",
    metavar="FILE",
    help="Write the result as JSON; a later run can use it as --baseline.",
)
@click.option("--junit", default="", metavar="FILE", help="Write JUnit XML.")
@click.option("--sarif", default="", metavar="FILE", help="Write SARIF, for code scanning.")
@report_option
@click.option("--github", is_flag=True, help="Print GitHub annotations (always on in GitHub Actions).")
@click.option("--all", "everything", is_flag=True, help="Show all texts, not only those that fail.")
@run_options
def gate(
    files: Sequence[str],
    fail_on: str,
    max_rates: Sequence[str],
    baseline: str,
    config: str,
    no_config: bool,
    out: str,
    junit: str,
    sarif: str,
    report: str | None,
    github: bool,
    everything: bool,
    engine: str,
    jobs: int | None,
    resume: str | None,
    skip_bad: bool,
    judge: str,
    in_doubt: bool,
    **facts: str,
) -> None:
    """Fail when too many texts in FILES leave facts out, get them wrong or make them up.

    FILES are JSON lines, CSV or Parquet; - is stdin.

    Exit code: 0 if the texts pass, 1 if they fail, 2 if they cannot be checked.
    """
    outputs = {"--out": out, "--junit": junit, "--sarif": sarif}
    _check_outputs(files, baseline, {**outputs, "--report": report or ""})
    check_resume(resume, files, {**outputs, "--report": report})
    scoring = {"engine": engine, "jobs": jobs, "resume": resume, "skip_bad": skip_bad}
    with resumable(resume), ExitStack() as stack:
        known = load_config(config, no_config, facts)
        policy = make_policy(known.policy, fail_on, max_rates)
        before = read_baseline(baseline) if baseline else None
        metric = chosen_metric(known, judge, in_doubt)
        streams = {name: stack.enter_context(open_output(path)) for name, path in outputs.items() if path}
        page = stack.enter_context(open_report(report, files, out=out))
        scored, outcomes = _score(files, metric, page, scoring)
        result = decide(metric, scored.scores[0], outcomes, policy, before)
        _write(result, streams)
        _write_page(page, result, scored)
    shown = gate_text(result, everything=everything, colour=shows_colour())
    github = github or os.environ.get("GITHUB_ACTIONS") == "true"
    if github:
        _write_summary(result, os.environ.get("GITHUB_STEP_SUMMARY", ""))
    click.echo((annotated(result, shown) if github else shown).encode("utf-8", "replace"), nl=False)
    report_skipped(scored.skipped)
    report_warnings(scored)
    _warn(result)
    click.get_current_context().exit(0 if result.passed else 1)


def _write_summary(result: GateResult, path: str) -> None:
    """Add to the summary of a GitHub job, if there is one."""
    if path:
        with open(path, "ab") as stream:
            stream.write(summary_markdown(result).encode("utf-8", "replace"))


def _warn(result: GateResult) -> None:
    for warning in result.warnings():
        say(f"factable: {warning}")


def _check_outputs(files: Sequence[str], baseline: str, outputs: dict[str, str]) -> None:
    """Refuse an output that would replace an input, or another output."""
    given = {option: path for option, path in outputs.items() if path}
    for option, path in given.items():
        check_output([*files, *filter(None, [baseline])], path, option)
        if path == "-":
            raise UsageError(f"{option} is -, but stdout has the verdict; name a file")
    if len(set(given.values())) < len(given):
        raise UsageError(f"{' and '.join(given)} must be different files")


def _score(
    files: Sequence[str], metric: VerdictMetric, page: ReportPage, scoring: Mapping[str, Any]
) -> tuple[Result, list[Outcome]]:
    """The scores of all files, and the outcome of each text."""
    outcomes: list[Outcome] = []
    with Progress(files) as progress:

        def take(unit: Scored) -> None:
            outcomes.extend(outcomes_of(unit))
            page.take(unit)
            progress.take(unit)

        result = score_files(
            files,
            [metric],
            render=outcome_rows,
            listing=page.render,
            listener=take,
            **scoring,
        )
    return result, outcomes


def _write(result: GateResult, streams: dict[str, IO[bytes]]) -> None:
    if "--out" in streams:
        write_result(result, streams["--out"])
    if "--junit" in streams:
        write_junit(result, streams["--junit"])
    if "--sarif" in streams:
        write_sarif(result, streams["--sarif"])


def _write_page(page: ReportPage, result: GateResult, scored: Result) -> None:
    if page.listing is not None and page.stream is not None:
        outcome: Literal["passed", "failed"] = "passed" if result.passed else "failed"
        notes = [*summary_lines(result), *result.warnings()]
        write_report(page.stream, Report(page.title, scored, page.listing, outcome, notes))
