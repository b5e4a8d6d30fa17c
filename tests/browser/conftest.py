"""A real browser, and pages opened in it under watch."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from factable.engine.score import parse_all, score_files
from factable.report.html import ExampleListing, Report, listing_rows, write_report
from factable.types import Example
from helpers.paths import RESTAURANTS

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without a browser skip these tests, but never under CI."""
    if CHROMIUM is None and os.environ.get("CI") != "true":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=f"no browser ({', '.join(NAMES)}) is installed"))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window."""
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, f"none of {', '.join(NAMES)} is installed"
    with sync_playwright() as playwright:
        # As root, as in containers, Chromium has no sandbox.
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens a file; at the end no page may have complained or asked for anything else."""
    contexts, complaints = [], []

    def open_file(path: Path, *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        page.on("request", lambda request: complaints.append(f"request: {request.url}"))
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def open_site(browser: Any) -> Iterator[Callable[..., Any]]:
    """A function that opens a page of a server; no page may complain or ask another server for anything."""
    contexts, complaints = [], []

    def open_url(url: str, *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        own = "/".join(url.split("/")[:3])

        def note(message: Any) -> None:
            # Browsers log every request that fails, also where the page shows why, or its server has ended.
            if not message.text.startswith("Failed to load resource:"):
                complaints.append(f"console: {message.text}")

        page.on("console", note)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: request.url.startswith(own) or complaints.append(request.url))
        page.goto(url)
        return page

    yield open_url
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def make_report(tmp_path: Path) -> Callable[..., Path]:
    """A function: examples, metrics and fields of Report in, a file out."""

    def make(examples: list[Example], *specs: str, title: str = "a report", **fields: Any) -> Path:
        metrics = parse_all(specs or ("parent",))
        path = tmp_path / "report.html"
        with ExampleListing() as listing, path.open("wb") as stream:
            result = score_files([examples], metrics, listing=listing_rows, listener=listing.take)
            write_report(stream, Report(title, result, listing, **fields))
        return path

    return make


@pytest.fixture(scope="session")
def restaurants(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the example file, made by the command line with the ledger."""
    from click.testing import CliRunner

    from factable.cli.main import cli

    path = tmp_path_factory.mktemp("pages") / "restaurants.html"
    arguments = ["score", str(RESTAURANTS), "-m", "ledger", "-m", "parent"]
    done = CliRunner().invoke(cli, [*arguments, "--report", str(path)], catch_exceptions=False)
    assert done.exit_code == 0
    return path
