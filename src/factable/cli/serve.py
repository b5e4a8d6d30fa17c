"""`factable serve`: the web page and the HTTP API."""

from importlib.util import find_spec

import click

from factable.errors import MissingExtraError

LOGS = ("off", "requests", "texts")


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on; 0 for any free one.",
)
@click.option(
    "--token",
    default="",
    envvar="FACTABLE_TOKEN",
    help="Secret that clients must give. Needed unless only this machine can connect. Others on this machine "
    "can see arguments: better set FACTABLE_TOKEN.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of processes that score texts.",
)
@click.option("--annotations", default="", metavar="DB", help="SQLite file for annotations, made if missing.")
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Metric that requests may name although it has files or models in its parameters; repeatable.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Another name of this server; repeatable.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="Address of a proxy whose X-Forwarded headers are believed; repeatable.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0),
    default=100.0,
    show_default=True,
    help="Requests per second that one client may send; 0 for any number.",
)
@click.option(
    "--max-waiting",
    type=click.IntRange(min=1),
    default=1024,
    show_default=True,
    help="Texts that may wait for a worker; more are refused with 429.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds that one text may take.",
)
@click.option(
    "--log",
    type=click.Choice(LOGS),
    default="off",
    show_default=True,
    help="What to log to stderr: nothing, a line for each request, or with its texts and data.",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
def serve(
    files: tuple[str, ...], token: str, metrics: tuple[str, ...], opens: bool, **options: object
) -> None:
    """Check texts in a web page, and answer other programs over HTTP.

    FILE is a file of examples or results, or a folder of them, to look at; nothing else can be opened.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("factable serve", "serve")
    from factable.core.signature import spec
    from factable.engine.score import parse_all
    from factable.serve.server import bind, run, url_of
    from factable.serve.settings import Settings

    # As requests are compared with them: without defaults and blanks.
    allowed = tuple(map(spec, parse_all(metrics)))
    settings = Settings(files=files, token=token, metrics=allowed, **options)  # type: ignore[arg-type]
    listening = bind(settings)
    url = url_of(listening)

    def on_start() -> None:
        click.echo(f"factable is at {url} (Ctrl-C stops it)", err=True)
        if opens:
            click.launch(f"{url}/login#{token}" if token else url)

    run(settings, listening, on_start)
