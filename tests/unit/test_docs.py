"""The documentation says what the program does."""

import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

import factable
from factable.cli.main import COMMANDS
from factable.registry import names

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import update_docs


def page_id(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", update_docs.pages(), ids=page_id)
def test_printed_output_is_fresh(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = page.read_text()
    assert text == update_docs.updated(text), "run: python tools/update_docs.py"


@pytest.mark.parametrize("page", update_docs.pages(), ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", names())
def test_every_metric_has_a_page(name: str) -> None:
    assert f"<!-- output of: factable metrics {name} -->" in (ROOT / f"docs/metrics/{name}.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page(name: str) -> None:
    assert f"# factable {name}\n" in (ROOT / f"docs/commands/{name}.md").read_text()


@pytest.mark.parametrize("name", factable.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`(factable\.)?{name}\b", (ROOT / "docs/python.md").read_text())


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_python_samples_run(page: str) -> None:
    samples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert samples
    for sample in samples:
        run = subprocess.run([sys.executable, "-c", sample], cwd=ROOT, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout


def test_the_sample_metric_works() -> None:
    page = (ROOT / "docs/adding-a-metric.md").read_text()
    code = textwrap.dedent(re.search(r" +```python\n(.*?)```", page, re.DOTALL)[1])
    names: dict[str, type] = {"__name__": "sample"}
    sys.modules["sample"] = types.ModuleType("sample")
    exec(code, names)
    examples = factable.read(ROOT / "examples/restaurants.jsonl")
    scores = factable.score(examples, [names["WordShare"]()])["word_share"]
    # Blue, Spice, pub and riverside of 15 tokens.
    assert scores.values[0] == pytest.approx(4 / 15)


def test_readme_sample_line_is_valid() -> None:
    line = re.search(r"```json\n(.*?)\n```", (ROOT / "README.md").read_text())[1]
    import orjson

    example = factable.read([orjson.loads(line)])[0]
    assert example.table.records[0].value == "Blue Spice"


@pytest.mark.parametrize("metric", ["parent", "nli"])
def test_readme_explanations_are_what_the_program_prints(metric: str) -> None:
    pattern = rf"```text\n(blue-spice · lively\n[^`]*?  {metric} [^`]*)```"
    shown = re.search(pattern, (ROOT / "README.md").read_text())[1]
    command = [
        sys.executable,
        "-m",
        "factable",
        "score",
        "examples/restaurants.jsonl",
        "-m",
        metric,
        "--explain",
    ]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    # The last digits of a model's probabilities depend on the machine.
    without_numbers = re.compile(r"\d\.\d+") if metric == "nli" else re.compile("(?!)")
    assert without_numbers.sub("#", shown) in without_numbers.sub("#", printed)
