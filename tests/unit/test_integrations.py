"""factable inside other tools."""

import re
import shlex
import subprocess
import sys

import pytest
import yaml

from factable.integrations.promptfoo import get_assert
from helpers.doc_blocks import all_blocks, shell_environment
from helpers.paths import RESTAURANTS, ROOT

DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD, BAD = "Blue Spice is a pub by the riverside.", "Blue Spice is by the riverside."


def test_promptfoo():
    good = get_assert(GOOD, {"vars": {"data": DATA}})
    assert good["pass"] is True
    assert 0.5 < good["score"] <= 1
    bad = get_assert(BAD, {"vars": {"data": DATA}})
    assert (bad["pass"], bad["reason"].startswith("omission")) == (False, True)
    optional = {"vars": {"facts": DATA}, "config": {"data": "facts", "optional": "eatType"}}
    assert get_assert(BAD, optional)["pass"] is True


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"vars": {}}, "no variable 'data'"),
        ({"vars": {"data": DATA}, "config": {"optionl": "near"}}, "did you mean 'optional'?"),
        ({"vars": {"data": 7}}, "data: "),
    ],
)
def test_promptfoo_says_what_is_wrong(context, message):
    result = get_assert(GOOD, context)
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert message in result["reason"]


@pytest.mark.packages
def test_deepeval():
    pytest.importorskip("deepeval")
    from deepeval.test_case import LLMTestCase

    from factable.integrations.deepeval import FaithfulToData

    metric = FaithfulToData()
    assert metric.measure(LLMTestCase(input="?", actual_output=GOOD, metadata={"data": DATA})) > 0.5
    assert metric.is_successful()
    metric.measure(LLMTestCase(input=DATA, actual_output=BAD))
    assert not metric.is_successful()
    assert metric.reason.startswith("omission")
    assert FaithfulToData(0.0).measure(LLMTestCase(input=DATA, actual_output=BAD)) == metric.score


@pytest.mark.packages
def test_evaluate():
    pytest.importorskip("evaluate")
    from factable.integrations.evaluate import FaithfulToData

    found = FaithfulToData().compute(predictions=[GOOD, BAD], data=[DATA, DATA])
    assert found["labels"] == ["OK", "omission"]
    assert (found["ok"], found["omission"]) == (0.5, 0.5)
    optional = FaithfulToData().compute(predictions=[BAD], data=[DATA], optional="eatType")
    assert optional["labels"] == ["OK"]


def run_action(folder, **inputs):
    """Run what the composite action runs in a shell, as GitHub does, but for the installation."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    given = {name: about.get("default", "") for name, about in action["inputs"].items()} | inputs
    summary = folder / "summary.md"
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)}
    for step in action["runs"]["steps"]:
        if "run" not in step or "pip install" in step["run"]:
            continue
        # Inputs reach the shell through variables only, so that none of them is run.
        assert "${{" not in step["run"]
        own = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
            for name, value in step["env"].items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=folder,
            env={**shell_environment(folder), **github, **own},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode:
            break
    return done, summary.read_text() if summary.exists() else ""


@pytest.mark.slow
def test_the_github_action(tmp_path):
    (tmp_path / "texts.jsonl").write_text(RESTAURANTS.read_text())
    options = "--out result.json --sarif gate.sarif --max-rate omission=0.9"
    done, summary = run_action(tmp_path, files="texts.jsonl", options=options)
    assert done.returncode == 1
    assert "::error" in done.stdout
    assert summary.startswith("## factable gate: ✗ failed")
    assert {"result.json", "gate.sarif"} <= {path.name for path in tmp_path.iterdir()}
    done, summary = run_action(tmp_path, files="texts.jsonl", options="--baseline result.json")
    assert done.returncode == 0
    assert "✓ passed" in summary


@pytest.mark.slow
def test_nothing_in_the_inputs_of_the_action_is_run(tmp_path):
    (tmp_path / "texts.jsonl").write_text(RESTAURANTS.read_text())
    done, _ = run_action(tmp_path, files="texts.jsonl; touch hacked $(touch hacked) *.jsonl")
    assert done.returncode == 2
    assert not (tmp_path / "hacked").exists()


def test_the_action_installs_what_it_is_told_to():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (install,) = (step for step in action["runs"]["steps"] if "pip install" in step.get("run", ""))
    assert (install["run"], install["env"]["PACKAGE"]) == (
        'python -m pip install "$PACKAGE"',
        "${{ inputs.package }}",
    )
    assert all(step.get("shell") == "bash" for step in action["runs"]["steps"] if "run" in step)


def test_the_pre_commit_hook(tmp_path):
    """As pre-commit runs it: the entry, the arguments of the configuration, and the files that match."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (sample,) = (block for block in all_blocks() if "hooks:" in block.code)
    (configured,) = yaml.safe_load(sample.code)[0]["hooks"]
    assert configured["id"] == hook["id"]
    assert re.search(configured["files"], "outputs/texts.jsonl")
    texts = tmp_path / "texts.jsonl"
    texts.write_text(RESTAURANTS.read_text())
    command = [*shlex.split(hook["entry"]), *configured["args"], str(texts)]
    done = subprocess.run(
        command, env=shell_environment(tmp_path), capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, "✗ failed" in done.stdout) == (1, True)
    assert hook["require_serial"] is True


@pytest.mark.packages
def test_pre_commit_accepts_the_hook():
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout


def test_the_repository_has_one_name():
    pages = [ROOT / "README.md", ROOT / "pyproject.toml", *(ROOT / "docs").rglob("*.md")]
    pattern = r"github\.com/([\w-]+/factable)\b|uses: ([\w-]+/factable)@"
    named = {
        name for page in pages for found in re.findall(pattern, page.read_text()) for name in found if name
    }
    assert named == {"factable/factable"}
