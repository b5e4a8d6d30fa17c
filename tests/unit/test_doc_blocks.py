"""Every block of every page runs as printed; what cannot run here is named with the reason, and parsed."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import factable
from factable.cli.main import cli
from factable.gate.config import read_config
from factable.io.marked_texts import read_marked_texts
from factable.testing import assert_faithful
from helpers.doc_blocks import Block, all_blocks, commands, make_sandbox, shell_environment
from helpers.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

BLOCKS = all_blocks()
SHELL = [block for block in BLOCKS if block.language == "sh"]
PYTHON = [block for block in BLOCKS if block.language == "python"]
# Commands that are only parsed, by what stands in them.
NOT_RUN = {
    r"\bpip install\b": "installs packages; .ci/run does",
    r"python -m pytest": "is this",
    r"--engine ray": "starts Ray; tests/scale does",
    r"\bDATA\b|--data DATA|ragtruth|faithjudge|held_out": "needs published data; tests/golden reads it",
    r"roberta|gpt2|t5": "needs a model from the Hugging Face hub",
    r"recipes/|train (nli|ranker|qa|questeval|extractor|marks)\b": "trains a model; tests marked train do",
    r"my-(nli|ranker|qa|quest\w+)|webnlg-questions|mine\.safetensors": "reads a model that was trained",
    r"train everyday": "takes minutes; tests/unit/train makes fewer",
    r"python -m fuzz": "takes hours",
    r"factable serve": "serves until it is stopped; tests/serve starts it",
    r"localhost:8765": "asks a server; tests/serve does",
    r"^docker ": "makes an image",
    r"zsh_source|fish_source": "is for another shell",
    r"benchmarks/|python -m studies": "needs published data",
    r"--judge|judge\(|JUDGE_KEY": "asks a language model; tests of the judge start one",
    r"campaign (?!create).*marks\.db": "needs a campaign; tests/cli/test_campaign.py makes one",
    r"\b(annotations|verdicts|right)\.jsonl": "reads what a campaign exported",
}
# The texts of these commands may fail, which is no error of the command.
JUDGING = re.compile(r"^factable (check|gate)\b")


def reason_not_to_run(command: str) -> str:
    return next((why for pattern, why in NOT_RUN.items() if re.search(pattern, command)), "")


def invocations(command: str) -> list[list[str]]:
    """The arguments of each factable in a command line."""
    found = []
    for part in re.split(r"\s(?:\||&&)\s", command):
        words = shlex.split(part)
        while words and re.fullmatch(r"\w+=\S*", words[0]):
            words.pop(0)
        if words[:1] == ["factable"]:
            found.append(words[1 : words.index(">") if ">" in words else None])
    return found


def parse_arguments(arguments: list[str]) -> None:
    """Let click read the arguments as it does before a command runs."""
    command: click.Command = cli
    context = cli.make_context("factable", list(arguments))
    while isinstance(command, click.Group):
        # Newer versions of click keep all arguments of a group in one place.
        given = [*getattr(context, "_protected_args", ()), *context.args]
        name, found, rest = command.resolve_command(context, given)
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.id)
def test_every_command_can_be_parsed(block: Block) -> None:
    for command in commands(block):
        for arguments in filter(None, invocations(command)):
            parse_arguments(arguments)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_sandbox(tmp_path_factory.mktemp("docs"))


def run(command: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env=shell_environment(folder),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.id)
def test_every_shell_block_runs(block: Block, tmp_path: Path) -> None:
    folder = make_sandbox(tmp_path)
    for command in commands(block):
        if reason_not_to_run(command):
            continue
        if "factable.toml" in command:
            # Not before: it would be found, and change what other commands print.
            shutil.copy(ROOT / "examples" / "factable.toml", folder)
        done = run(command, folder)
        allowed = (0, 1) if JUDGING.search(command) else (0,)
        assert done.returncode in allowed, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        if block.printed and command == commands(block)[-1]:
            assert without_numbers(block.printed) in without_numbers(done.stdout)


def without_numbers(text: str) -> str:
    """Text without what depends on the machine or on every change: probabilities and checksums."""
    lines = (line.rstrip() for line in text.splitlines())
    return re.sub(r"\d\.\d+|\b[0-9a-f]{12}\b", "#", "\n".join(lines)).strip()


# Blocks that need a package of the extra test-all, or something around them.
PACKAGES = ("deepeval", "evaluate")


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.id)
def test_every_python_block_runs(
    block: Block, sandbox: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in PACKAGES:
        if f"integrations.{package}" in block.code:
            pytest.importorskip(package)
    monkeypatch.chdir(sandbox)
    names: dict[str, object] = {"__name__": "sample", "factable": factable}
    exec(compile(block.code, block.id, "exec"), names)
    if "def test_" in block.code:
        names["describe"] = lambda product: f"The {product['name']} holds {product['capacity']}."
        names["test_description"](assert_faithful)  # type: ignore[operator]
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) >= block.code.count("print(") - block.code.count("for ")
    assert not re.search(r"<\S+ object at", printed)


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "json"], ids=lambda block: block.id
)
def test_every_json_block_is_valid(block: Block) -> None:
    try:
        rows = [json.loads(block.code)]
    except json.JSONDecodeError:
        rows = [json.loads(line) for line in block.code.splitlines()]
    for row in rows:
        if {"data", "text"} <= set(row):
            assert factable.read([row])[0].text == row["text"]
        if {"text", "spans"} <= set(row):
            assert read_marked_texts([[row]]).rows[0].spans


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "toml"], ids=lambda block: block.id
)
def test_every_toml_block_is_valid(block: Block, tmp_path: Path) -> None:
    content = tomllib.loads(block.code)
    if "gate" in content:
        path = tmp_path / "factable.toml"
        path.write_text(block.code)
        read_config(path)


def test_options_named_in_prose_exist() -> None:
    """Every `factable COMMAND … --option` in running text."""
    wrong = []
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for words in re.findall(r"`factable ([a-z][^`\n]*)`", page.read_text(encoding="utf-8")):
            for option in re.findall(r"(?<=\s)--[a-z-]+", words):
                if option not in known_options(words.split()):
                    wrong.append(f"{page.relative_to(ROOT)}: factable {words}")
    assert not wrong


def known_options(words: list[str]) -> set[str]:
    command: click.Command = cli
    for word in words:
        if not isinstance(command, click.Group):
            break
        context = click.Context(command)
        found = command.get_command(context, word)
        command = found or command.get_command(context, "ratings") or command
    return {name for param in command.params for name in param.opts} | {"--help"}
