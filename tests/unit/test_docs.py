"""The documentation says what the program does."""

import re
import shlex
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

import factable
from factable.cli.main import COMMANDS
from factable.core.registry import names
from helpers.paths import RESTAURANTS, ROOT
from tools import update_docs


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", update_docs.pages(), ids=page_id)
def test_printed_output_is_fresh(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    assert text == update_docs.updated(text), "run: python tools/update_docs.py"


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*update_docs.pages(), *ROOT.glob("[CS]*.md")], ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", prose):
        if not target.startswith("http"):
            linked = page.parent / target if target else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


@pytest.mark.parametrize("name", names())
def test_every_metric_has_a_page(name: str) -> None:
    assert f"<!-- output of: factable metrics {name} -->" in (ROOT / f"docs/metrics/{name}.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(name: str) -> None:
    assert f"# factable {name}\n" in (ROOT / f"docs/commands/{name}.md").read_text()


@pytest.mark.parametrize("name", factable.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`(factable\.)?{name}\b", (ROOT / "docs/python.md").read_text())


def test_the_sample_metric_works() -> None:
    page = (ROOT / "docs/adding-a-metric.md").read_text()
    code = textwrap.dedent(re.search(r" +```python\n(.*?)```", page, re.DOTALL)[1])
    names: dict[str, type] = {"__name__": "sample"}
    sys.modules["sample"] = types.ModuleType("sample")
    exec(code, names)
    examples = factable.read(RESTAURANTS)
    scores = factable.score(examples, [names["WordShare"]()])["word_share"]
    # Blue, Spice, pub and riverside of 15 tokens.
    assert scores.values[0] == pytest.approx(4 / 15)


@pytest.mark.parametrize("start", ["\n ledger", "✗ omission+hallucination"])
def test_readme_samples_are_what_the_program_prints(start: str) -> None:
    page = (ROOT / "README.md").read_text()
    shown = next(
        block for block in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if start.strip() in block
    )
    before = page[: page.index(shown)]
    # The command is the last one in the page before its output.
    command = re.findall(r"factable ((?:score|check) .+)", before)[-1]
    done = subprocess.run(
        [sys.executable, "-m", "factable", *shlex.split(command)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    # The last digits of a model's probabilities depend on the machine, checksums on every change.
    changing = re.compile(r"\d\.\d+|\b[0-9a-f]{12}\b")
    assert changing.sub("#", shown).strip() in changing.sub("#", printed)
