"""The same option has the same names and the same meaning in every command that has it."""

import json

import click
import pytest
from running import run_here, write

from factable.cli.main import cli
from helpers.paths import RESTAURANTS

# Which commands take what; studies are named as on the command line.
FILES = ("score", "gate", "rerank", "compare", "study ratings", "study preferences", "study verdicts")
SCORING = (*FILES, "study divergence", "study spans")
HAVE = {
    # The first is of one metric in rerank, and of several elsewhere.
    ("--metric", "-m"): [command for command in (*SCORING, "study gold") if command != "gate"],
    ("--engine",): [*SCORING, "study gold"],
    ("--jobs", "-j"): [*SCORING, "study gold"],
    ("--resume",): SCORING,
    ("--skip-bad",): [*SCORING, "study agreement"],
    ("--config",): ["check", *SCORING, "study gold"],
    ("--no-config",): ["check", *SCORING, "study gold"],
    ("--out", "-o"): ["check", *SCORING, "study gold", "study agreement"],
    ("--quiet", "-q"): ["check", "convert", "schema", "train counts", *SCORING],
    ("--verbose", "-v"): ["check", "convert", "schema", "train counts", *SCORING],
}


def command_of(name):
    command = cli
    for word in name.split():
        command = command.get_command(click.Context(command), word)
    return command


@pytest.mark.parametrize(
    ("flags", "name"), [(flags, name) for flags, names in HAVE.items() for name in names]
)
def test_a_command_has_the_option_under_all_its_names(flags, name):
    known = {frozenset(param.opts) for param in command_of(name).params}
    assert frozenset(flags) in known


@pytest.mark.parametrize(
    "flags", [flags for flags in HAVE if flags not in [("--metric", "-m"), ("--out", "-o")]]
)
def test_an_option_is_described_in_the_same_words(flags):
    # A gate prints its decision, and --out is its result as JSON.
    names = [name for name in HAVE[flags] if (flags[0], name) != ("--out", "gate")]
    options = [param for name in names for param in command_of(name).params if flags[0] in param.opts]
    assert len({option.help for option in options}) == 1


@pytest.mark.parametrize("name", HAVE["--metric", "-m"])
def test_there_is_one_default_metric_and_every_help_names_it(name):
    command = command_of(name)
    # Click keeps the first help option that it makes: it must be that of the command line.
    context = click.Context(command, help_option_names=["-h", "--help"])
    help_text = " ".join(command.get_help(context).split())
    assert "[default: ledger]" in help_text


@pytest.fixture
def bad_and_good(tmp_path):
    """Three texts for each of two systems, with ratings, and a line that cannot be read."""
    rows = [json.loads(line) | {"references": ["x"]} for line in RESTAURANTS.read_text().splitlines()]
    rows = [row | {"human": {"semantics": number % 3}} for number, row in enumerate(rows)]
    path = write(tmp_path / "texts.jsonl", rows)
    path.write_text(path.read_text() + "{\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("gate",),
        ("rerank", "-m", "bleu"),
        ("compare", "-m", "bleu"),
        ("study", "-m", "bleu", "--level", "example"),
        ("score", "-m", "bleu"),
    ],
    ids=lambda command: command[0],
)
def test_bad_lines_can_be_skipped_and_a_run_resumed_in_every_command(bad_and_good, tmp_path, command):
    refused = run_here(*command, bad_and_good)
    assert (refused.returncode, b"broken JSON" in refused.stderr) == (2, True)
    kept = tmp_path / "kept"
    run = (*command, bad_and_good, "--skip-bad", "--resume", kept)
    first = run_here(*run)
    assert b"1 bad line skipped" in first.stderr
    assert kept.stat().st_size
    again = run_here(*run)
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    both = run_here(*command, bad_and_good, "--resume", bad_and_good)
    assert (both.returncode, b"--resume" in both.stderr) == (2, True)


def test_check_writes_to_a_file(tmp_path):
    given = ("check", "--data", "name[A]", "--text", "A.", "--format", "json")
    out = tmp_path / "verdict.json"
    assert run_here(*given, "-o", out).stdout == b""
    assert out.read_bytes() == run_here(*given).stdout
