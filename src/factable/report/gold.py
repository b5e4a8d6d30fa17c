"""What gold texts get, as a table of text, as JSON and as CSV."""

from factable.report.formats import Output, show, sign, to_object
from factable.report.terminal import SummaryTable
from factable.study.gold import GoldStudy

CSV_COLUMNS = ("metric", "gold", "paraphrase", "kept", "reason")


def gold_output(found: GoldStudy) -> Output:
    """The study in every form."""
    rows = [(one.metric, *map(show, (one.gold, one.paraphrase, one.kept))) for one in found.reached]
    table = SummaryTable(
        "gold texts: among their own references, and against paraphrases only",
        ("metric", "gold", "paraphrase", "kept"),
        tuple(rows),
        sign("gold", {"tables": found.tables, "left_out": found.left_out}),
    )
    csv_rows: list[tuple[str | float, ...]] = [CSV_COLUMNS]
    csv_rows += [(one.metric, one.gold, one.paraphrase, one.kept, one.reason) for one in found.reached]
    return Output([table], tuple(found.signatures.values()), to_object(found), csv_rows)
