"""What every command has: quiet and verbose, colours by the environment, completion of metrics."""

import json

import pytest
from click.shell_completion import ShellComplete
from running import run_here

from factable.cli.main import cli
from helpers.paths import RESTAURANTS


@pytest.fixture
def lowered(tmp_path):
    row = {"data": "name[A]", "text": "a pub", "references": ["A Pub"], "system": "s"}
    path = tmp_path / "lowered.jsonl"
    path.write_text("".join(json.dumps({"id": str(n), **row}) + "\n" for n in range(6)))
    return path


def test_quiet_leaves_remarks_out_and_errors_in(lowered, tmp_path):
    command = ("score", lowered, "-m", "bleu")
    assert b"lower-cased" in run_here(*command).stderr
    quiet = run_here(*command, "-q")
    assert (quiet.stderr, quiet.stdout) == (b"", run_here(*command).stdout)
    missing = run_here("score", tmp_path / "nowhere.jsonl", "--quiet")
    assert (missing.returncode, b"No such file" in missing.stderr) == (2, True)
    table = tmp_path / "table.csv"
    table.write_text("id,name\na,A\n")
    assert run_here("convert", "csv", table, "-", "-q").stderr == b""


def test_verbose_names_the_configuration_and_the_time(tmp_path):
    (tmp_path / "factable.toml").write_text("")
    result = run_here("score", RESTAURANTS.absolute(), "-m", "bleu", "-v", cwd=tmp_path)
    configuration, seconds = result.stderr.decode().splitlines()
    assert configuration == "factable: configuration: factable.toml"
    assert seconds.endswith(" s")


def test_colours_by_the_environment():
    command = ("score", RESTAURANTS, "-m", "bleu")
    assert b"\x1b[" not in run_here(*command, FORCE_COLOR="", NO_COLOR="").stdout
    assert b"\x1b[" in run_here(*command, FORCE_COLOR="1", NO_COLOR="").stdout
    assert b"\x1b[" not in run_here(*command, FORCE_COLOR="1", NO_COLOR="1").stdout


@pytest.mark.parametrize("command", ["score", "compare", "rerank"])
def test_metrics_are_completed(command):
    complete = ShellComplete(cli, {}, "factable", "_FACTABLE_COMPLETE")
    assert [item.value for item in complete.get_completions([command, "-m"], "bl")] == ["bleu", "bleu_t"]


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version(flag):
    assert run_here(flag).stdout.startswith(b"factable, version ")
