"""`factable check`: one text beside its data."""

import click
import orjson

from factable.cli.given import read_data, read_text
from factable.cli.ledger import chosen_metric, ledger_options, load_config
from factable.cli.options import budget_option, out_option
from factable.cli.output import shows_colour
from factable.core.signature import sign
from factable.errors import ServerError, UsageError
from factable.io.files import open_output
from factable.metrics.ledger.metric import example_of
from factable.metrics.ledger.verdict import Verdict
from factable.metrics.ledger.verdict_metric import Unscored, VerdictMetric
from factable.metrics.tables import NO_FACTS
from factable.report.verdict import verdict_text


@click.command()
@click.option(
    "--data",
    required=True,
    help="JSON, an E2E string, 's | p | o' lines, a .json file, @FILE, or - for stdin.",
)
@click.option("--text", required=True, help="The text, @FILE, or - for stdin.")
@click.option("--subject", default="", help="Entity that the data describes, for data without subjects.")
@click.option("--title", default="", help="Title of the data.")
@ledger_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@out_option
@budget_option
def check(
    data: str,
    text: str,
    subject: str,
    title: str,
    config: str,
    no_config: bool,
    output_format: str,
    out: str,
    judge: str,
    in_doubt: bool,
    **facts: str,
) -> None:
    """Check whether one text says all, and only, what its data says.

    Exit code: 0 if it does, 1 if it does not, 2 if it cannot be checked.
    """
    if data == text == "-":
        raise UsageError("--data and --text are both -; stdin is one of them")
    metric = chosen_metric(load_config(config, no_config, facts), judge, in_doubt)
    verdict = _check(metric, read_data(data, "--data"), read_text(text, "--text"), subject, title)
    with open_output(out) as stream:
        if output_format == "json":
            document = {**verdict.to_dict(), "signature": sign(metric)}
            stream.write(orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE))
        else:
            stream.write(verdict_text(verdict, colour=shows_colour(out)).encode())
    click.get_current_context().exit(0 if verdict.is_ok else 1)


def _check(metric: VerdictMetric, data: object, text: str, subject: str, title: str) -> Verdict:
    verdict = metric.verdicts([example_of(metric, data, text, subject=subject, title=title)])[0]
    if isinstance(verdict, Unscored) and verdict.reason != NO_FACTS:
        raise ServerError(f"no verdict: {verdict.reason}")
    if isinstance(verdict, Unscored) or not verdict.facts:
        raise UsageError(f"--data: {NO_FACTS}; give the facts the text was written from")
    return verdict
