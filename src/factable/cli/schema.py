"""`factable schema`: the JSON Schema of the documents that other commands write."""

import click
import orjson

from factable.core.schema import SCHEMA_FILE
from factable.errors import UsageError, did_you_mean
from factable.models.runtime.manifest import read_shipped

DOCUMENTS = ("check", "score", "score-line", "gate", "rerank-line", "report", "report-line")


@click.command()
@click.argument("document", required=False)
def schema(document: str | None) -> None:
    """Print the JSON Schema of results.

    DOCUMENT is check, score, score-line (of --format jsonl), gate, rerank-line, report (the JSON in the page
    of --report) or report-line (what the page saves). Default: any of them.
    """
    whole = orjson.loads(read_shipped(SCHEMA_FILE))
    if document is not None:
        if document not in DOCUMENTS:
            hint = did_you_mean(document, DOCUMENTS)
            raise UsageError(f"no document {document!r}; {hint}documents are {', '.join(DOCUMENTS)}")
        del whole["anyOf"]
        whole |= {"$ref": f"#/$defs/{document}"}
    click.echo(orjson.dumps(whole, option=orjson.OPT_INDENT_2))
