"""The result of a gate for the terminal: texts that fail, rates, and the decision."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from factable.errors import printable
from factable.gate.decision import GateResult
from factable.gate.outcomes import Outcome
from factable.gate.policy import UNSCORED
from factable.report.formats import escape_markdown, to_markdown, to_terminal
from factable.report.tables import Cell, TextTable, make_text_table
from factable.report.verdict import label_line, mark_text, print_lines, state_line

if TYPE_CHECKING:
    from rich.text import Text

# Of the texts that fail, a summary lists so many.
MAX_TEXTS = 50
NAMES = {
    "ok": "share of texts that are OK",
    "contradiction": "share with a contradiction",
    "hallucination": "share with a hallucination",
    "omission": "share with an omission",
    "omitted": "facts omitted per 100",
    "contradicted": "contradicted spans per 100 words",
    "unsupported": "unsupported spans per 100 words",
}


def gate_text(result: GateResult, *, everything: bool = False, colour: bool = False) -> str:
    """Failing texts (or all), a table of rates, and the decision."""
    shown = result.outcomes if everything else result.news()
    texts = print_lines([line for outcome in shown for line in _outcome_lines(outcome)], colour=colour)
    table = to_terminal([_table(result)], colour=colour)
    return texts + table + print_lines(_decision(result), colour=colour)


def summary_lines(result: GateResult) -> list[str]:
    """Numbers of texts, what changed since the baseline, what is doubtful, and what is not allowed."""
    failing = len(result.failing)
    counts = f"{_texts(len(result.outcomes))}: {failing} with {_listed(result.policy.fail_on)}"
    counts += f", {result.unscored} unscored" if result.unscored else ""
    lines = [counts]
    if result.changes:
        worse, better, new, gone = result.changes
        lines.append(
            f"since the baseline: {len(worse)} got worse, {better} got better, {new} new, {gone} gone"
        )
        known = failing - len(result.news())
        lines += [f"{known} failed before in the same way"] if known else []
    return lines + list(map(str, result.breaches))


def summary_markdown(result: GateResult) -> str:
    """The decision, the rates and the texts that fail, for the summary of a GitHub job."""
    first, *others = map(escape_markdown, summary_lines(result))
    head = f"## factable gate: {'✓ passed' if result.passed else '✗ failed'}\n\n{first}\n"
    lines = [head, *(f"- {line}" for line in others), to_markdown([_table(result)])]
    news = result.news()
    for outcome in news[:MAX_TEXTS]:
        name = escape_markdown(" · ".join(filter(None, outcome.key)))
        lines.append(f"- **{name}** {outcome.label}: {escape_markdown(outcome.text)}")
    if len(news) > MAX_TEXTS:
        lines.append(f"- and {len(news) - MAX_TEXTS:,} more")
    return "\n".join(lines) + "\n"


def _listed(kinds: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(kinds[:-1]), kinds[-1])))


def _texts(number: int) -> str:
    return f"{number:,} text" + ("" if number == 1 else "s")


def _outcome_lines(outcome: Outcome) -> list["Text"]:
    from rich.text import Text

    name = " · ".join(printable(part) for part in outcome.key if part)
    index = printable(outcome.source) + (f":{outcome.line}" if outcome.line else "")
    unscored = outcome.label == UNSCORED
    head = Text("? unscored") if unscored else label_line(outcome.label, outcome.probability)
    lines = [
        Text().append(f"{name}  ", style="bold").append(index, style="dim"),
        Text("  ").append_text(head),
    ]
    if unscored:
        lines.append(Text(f"  ({outcome.flaws[0].note})", style="dim"))
    elif outcome.flaws:
        spans = {flaw.span: flaw.state for flaw in outcome.flaws if flaw.span}
        lines.append(mark_text(outcome.text, [(*span, state) for span, state in spans.items()]))
        for flaw in outcome.flaws:
            said = outcome.text[slice(*flaw.span)] if flaw.span else ""
            lines.append(state_line(flaw.state, flaw.record, said, flaw.note))
    return [Text(""), *lines]


def _table(result: GateResult) -> TextTable:
    """Each rate with its interval, and the limit and the baseline it is compared with."""
    header = ["rate", "value", "allowed", *(["baseline"] if result.baseline else [])]
    rows: list[list[Cell]] = []
    for name, rate in result.rates.items():
        counts = name in result.policy.fail_on
        row: list[Cell] = [NAMES[name], rate, f"{result.policy.max_rate[name]:g}" if counts else ""]
        if result.baseline:
            row.append(result.baseline.rates[name] if counts else "")
        rows.append(row)
    return make_text_table("rates", header, rows, result.signature)


def _decision(result: GateResult) -> list["Text"]:
    from rich.text import Text

    word = ("✓ passed", "bold green") if result.passed else ("✗ failed", "bold red")
    first, *others = summary_lines(result)
    return [Text("\n").append(*word).append(f"  {first}"), *(Text(f"  {line}") for line in others)]
