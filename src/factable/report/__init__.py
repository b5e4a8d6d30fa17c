"""Results in, text and pictures out.

`write_html` writes a page with every text beside its data; `show` gives the result of a study or a comparison
as text in any output format.
"""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from factable.core.metric import Metric
    from factable.io.read import Source
    from factable.report.tables import Output

__all__ = ["show", "write_html"]

OutputFormat = Literal["table", "markdown", "latex", "csv", "json"]


def write_html(
    source: "Source",
    path: str | os.PathLike[str],
    metrics: "Iterable[str | Metric]" = ("ledger",),
    *,
    title: str = "",
    notes: Sequence[str] = (),
    jobs: int | None = None,
    skip_bad: bool = False,
) -> None:
    """Score examples, or anything that `factable.read` takes, and write one HTML page with all of them."""
    from factable.engine.score import parse_all, score_files
    from factable.io.files import open_output
    from factable.report.html import ExampleListing, Report, listing_rows, write_report

    with ExampleListing() as listing, open_output(path) as stream:
        result = score_files(
            [source],
            parse_all(metrics),
            jobs=jobs,
            skip_bad=skip_bad,
            listing=listing_rows,
            listener=listing.take,
        )
        write_report(stream, Report(title or os.path.basename(path), result, listing, notes=notes))


def show(result: object, output_format: OutputFormat = "table") -> str:
    """The result of a study or of `factable.compare` as text: what the command line would print."""
    from factable.report.formats import render

    return render(_output_of(result), output_format).decode()


def _output_of(result: object) -> "Output":
    from factable.errors import UsageError
    from factable.report import comparison, judge_study, span_study, studies, verdict_study

    functions = {
        "AgreementStudy": studies.agreement_output,
        "DivergenceStudy": studies.divergence_output,
        "GoldStudy": studies.gold_output,
        "JudgeStudy": judge_study.judges_output,
        "PreferenceStudy": studies.preferences_output,
        "RatingStudy": studies.ratings_output,
        "SpanStudy": span_study.spans_output,
        "SystemComparison": comparison.comparison_output,
        "Tuning": studies.tuning_output,
        "VerdictStudy": verdict_study.verdicts_output,
    }
    name = type(result).__name__
    if name not in functions:
        raise UsageError(
            f"result is a {name}; it must be the result of factable.compare or of factable.study"
        )
    output: Output = functions[name](result)  # type: ignore[operator]
    return output
