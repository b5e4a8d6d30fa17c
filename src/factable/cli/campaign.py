"""`factable campaign`: annotation campaigns, kept in one SQLite file that `factable serve` opens."""

import sys
from collections.abc import Sequence
from dataclasses import replace

import click

from factable.cli.main import LazyGroup
from factable.cli.options import complete_metric, out_option, seed_option
from factable.cli.output import check_output, say
from factable.cli.progress import Progress
from factable.core.registry import parse
from factable.errors import UsageError
from factable.io.files import open_output, read_whole
from factable.io.read import iter_examples
from factable.serve.annotation.categories import NAMES, load_categories
from factable.serve.annotation.database import require_file
from factable.serve.annotation.exchange import FORMATS, export, import_annotations
from factable.serve.annotation.store import NewCampaign, NewText, Store, annotator_path, check_campaign
from factable.serve.annotation.suggestions import suggest
from factable.types import Example

MAX_INSTRUCTIONS = 20_000


class CampaignGroup(LazyGroup):
    """What can be done with campaigns."""

    modules = {  # noqa: RUF012
        "backup": ("campaign:backup", "Copy the database while people annotate."),
        "create": ("campaign:create", "Make a campaign of texts, and a link for each annotator."),
        "delete": ("campaign:delete", "Delete a campaign with everything that was said in it."),
        "export": ("campaign:export_campaign", "Write annotations for studies, training or factgenie."),
        "import": ("campaign:import_campaign", "Read annotations that were made elsewhere."),
        "link": ("campaign:link", "Make a new link for an annotator, who may be new."),
        "list": ("campaign:list_campaigns", "List campaigns and how far annotators are."),
    }


@click.group(cls=CampaignGroup)
def campaign() -> None:
    """Prepare and evaluate annotation campaigns, which `factable serve --annotations DB` puts on a page."""


campaign_option = click.option(
    "--campaign", "name", metavar="NAME", default="", help="Campaign, if the database has several."
)
url_option = click.option(
    "--url",
    metavar="URL",
    default="http://127.0.0.1:8765",
    show_default=True,
    help="Where annotators reach the server; links begin with it.",
)


@click.command()
@click.argument("database", metavar="DB")
@click.argument("files", metavar="FILES...", nargs=-1, required=True)
@click.option("--name", metavar="NAME", required=True, help="Name of the campaign.")
@click.option(
    "--annotator",
    "annotators",
    metavar="NAME",
    multiple=True,
    required=True,
    help="Who annotates; repeatable.",
)
@click.option(
    "--overlap",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of annotators for each text.",
)
@click.option(
    "--categories",
    metavar="NAME|FILE",
    default=NAMES[0],
    show_default=True,
    help=f"What to mark: {', '.join(NAMES)}, or a TOML file of your own.",
)
@click.option("--instructions", metavar="FILE", help="Text file that annotators read first.")
@click.option(
    "--suggest",
    "metric",
    metavar="METRIC",
    shell_complete=complete_metric,
    help="Metric whose findings are shown as suggestions, such as ledger.",
)
@click.option("--no-facts", is_flag=True, help="Do not ask about facts, only about words.")
@url_option
@seed_option
def create(
    database: str,
    files: Sequence[str],
    name: str,
    annotators: Sequence[str],
    overlap: int,
    categories: str,
    instructions: str | None,
    metric: str | None,
    no_facts: bool,
    url: str,
    seed: int,
) -> None:
    """Make a campaign of the texts in FILES, and print a link for each annotator.

    DB is an SQLite file, made if it does not exist.
    """
    check_output(files, database, "DB")
    new = NewCampaign(
        name=name,
        categories=load_categories(categories),
        annotators=annotators,
        overlap=overlap,
        instructions=_instructions(instructions),
        asks_facts=not no_facts,
        metric=metric or "",
        seed=seed,
    )
    check_campaign(new)
    parsed = parse(metric) if metric else None
    examples = _read(files)
    texts = [NewText(example) for example in examples]
    if parsed:
        with Progress(total=len(examples)) as progress:
            texts, signature = suggest(
                examples,
                parsed,
                new.categories,
                asks_facts=new.asks_facts,
                listener=lambda number: progress.advance(0, number),
            )
            new = replace(new, signature=signature)
    with Store(database) as store:
        tokens = store.create(new, texts)[1]
    say(f"factable: {len(texts)} texts, {overlap} of {len(annotators)} annotators for each; links:")
    for annotator, token in tokens.items():
        click.echo(f"{annotator}\t{_link(url, token)}")


def _read(files: Sequence[str]) -> list[Example]:
    examples: dict[tuple[str, str], Example] = {}
    for file in files:
        for example in iter_examples(file):
            if examples.setdefault((example.item, example.system), example) is not example:
                raise UsageError(f"{file}: id {example.item!r} comes twice; make id and system unique")
    return list(examples.values())


def _instructions(path: str | None) -> str:
    if path is None:
        return ""
    text = read_whole(path).decode("utf-8", "replace").strip()
    if len(text) > MAX_INSTRUCTIONS:
        raise UsageError(f"--instructions {path} has {len(text)} characters; use up to {MAX_INSTRUCTIONS}")
    return text


def _link(url: str, token: str) -> str:
    return url.rstrip("/") + annotator_path(token)


@click.command("list")
@click.argument("database", metavar="DB")
def list_campaigns(database: str) -> None:
    """List the campaigns in DB, their annotators and how many texts each has done."""
    require_file(database)
    with Store(database) as store:
        for each in store.campaigns():
            click.echo(f"{each.name}: {each.overlap} annotators for each text, made {each.created[:10]}")
            for row in store.progress(each.id):
                link_state = "" if row.has_link else ", no link"
                click.echo(f"  {row.name}: {row.done} of {row.assigned} texts done{link_state}")


@click.command()
@click.argument("database", metavar="DB")
@click.argument("annotator", metavar="ANNOTATOR")
@campaign_option
@url_option
def link(database: str, annotator: str, name: str, url: str) -> None:
    """Print a new link for ANNOTATOR; an old one is worth nothing from then on.

    Somebody new takes over texts that nobody has begun.
    """
    with _open(database) as store:
        chosen = store.find_campaign(name)
        known = {row.name: row.id for row in store.progress(chosen.id)}
        if annotator in known:
            token = store.renew_token(chosen.id, known[annotator])
        else:
            token = store.add_annotator(chosen.id, annotator)
    click.echo(_link(url, token))


def _open(database: str) -> Store:
    require_file(database)
    return Store(database)


@click.command("export")
@click.argument("database", metavar="DB")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="What to write.",
)
@campaign_option
@out_option
def export_campaign(database: str, output_format: str, name: str, out: str) -> None:
    """Write what annotators said about the texts they are done with.

    annotations and facts are for `study agreement`, marked for `study spans`, verdicts for `study verdicts`,
    references for `train`, factgenie is a zip file.
    """
    check_output([database], out)
    with _open(database) as store:
        chosen = store.find_campaign(name)
        if output_format == "factgenie" and out == "-" and sys.stdout.isatty():
            raise UsageError("factgenie's format is a zip file; name it with --out")
        with open_output(out) as stream:
            for piece in export(store, chosen, output_format):
                stream.write(piece)


@click.command("import")
@click.argument("database", metavar="DB")
@click.argument("file", metavar="FILE")
@campaign_option
def import_campaign(database: str, file: str, name: str) -> None:
    """Read annotations from FILE: rows as `export` writes them, or a zip file of factgenie."""
    with _open(database) as store:
        chosen = store.find_campaign(name)
        count = import_annotations(store, chosen, file)
    say(f"factable: {count} annotations imported into {chosen.name}")


@click.command()
@click.argument("database", metavar="DB")
@click.argument("out", metavar="COPY")
def backup(database: str, out: str) -> None:
    """Write a copy of DB as it is at this moment; people may go on annotating meanwhile."""
    check_output([database], out, "COPY")
    with _open(database) as store:
        store.database.backup(out)


@click.command()
@click.argument("database", metavar="DB")
@click.argument("name", metavar="NAME")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(database: str, name: str, yes: bool) -> None:
    """Delete the campaign NAME with everything that was said in it."""
    with _open(database) as store:
        chosen = store.find_campaign(name)
        done = sum(row.done for row in store.progress(chosen.id))
        if not yes:
            click.confirm(f"Delete {chosen.name!r} with {done} annotated texts?", abort=True)
        store.delete_campaign(chosen.id)
