"""A process of factable, once for every way in which it ends, and what it shows on a terminal.

What the commands print is tested elsewhere, without a process for each.
"""

import json
import os
import re
import select
import subprocess
import sys

import pytest
from running import run_here

import factable
from helpers.paths import RESTAURANTS

pty = pytest.importorskip("pty")
pytestmark = pytest.mark.process
DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD = "Blue Spice is a pub by the riverside."
SECONDS = 300


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["--version"]),
        (0, ["score", RESTAURANTS, "-m", "parent", "--format", "json"]),
        (0, ["check", "--data", DATA, "--text", GOOD]),
        (1, ["check", "--data", DATA, "--text", "Blue Spice is a pub."]),
        (2, ["score", "nowhere.jsonl", "-m", "parent"]),
        (2, ["score", RESTAURANTS, "-m", "nothing"]),
        (2, ["score", RESTAURANTS, "--fomat", "json"]),
        (2, ["nothing"]),
    ],
)
def test_ends_and_prints_as_it_does_here(run_process, code, arguments):
    done = run_process(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == run_here(*arguments)
    assert done.returncode == code


def test_the_installed_command_is_this_one():
    script = os.path.join(os.path.dirname(sys.executable), "factable")
    if not os.path.exists(script):
        pytest.skip("factable is not installed here")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"factable, version {factable.__version__}\n"


def test_stdin_is_read_in_full(run_process):
    lines = RESTAURANTS.read_bytes()
    arguments = ["score", "-", "-m", "parent", "--format", "jsonl"]
    assert run_process(*arguments, stdin=lines).stdout == run_here(*arguments, stdin=lines).stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_one_line(command):
    start, where = command
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [*start, "score", RESTAURANTS, "-m", "parent"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=where,
            check=False,
        )
    assert (result.returncode, result.stderr) == (2, b"factable: output: No space left on device\n")


@pytest.fixture(scope="module")
def several_blocks(tmp_path_factory):
    """More than one block of work."""
    lines = [json.loads(line) for line in RESTAURANTS.read_text().splitlines()]
    path = tmp_path_factory.mktemp("blocks") / "blocks.jsonl"
    with path.open("w") as stream:
        for number in range(6000):
            line = lines[number % len(lines)]
            stream.write(json.dumps({**line, "id": str(number), "text": f"{number} {line['text']}"}) + "\n")
    return path


def read_terminal(command, arguments, stdout=None, **environment):
    """Run with stderr, and stdout if not in a file, on a terminal; return the code and what was shown."""
    start, where = command
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*start, *map(str, arguments)],
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env={**where, "TERM": "xterm", **environment},
    ) as process:
        os.close(theirs)
        shown = []
        while select.select([ours], [], [], SECONDS)[0]:
            try:
                shown.append(os.read(ours, 1 << 16))
            except OSError:
                # The other side is closed: the process has ended.
                break
            if not shown[-1]:
                break
        code = process.wait(timeout=SECONDS)
    os.close(ours)
    return code, b"".join(shown).decode()


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_on_a_terminal(command, several_blocks, tmp_path, jobs):
    arguments = ["score", several_blocks, "-m", "parent", "--format", "json", "--jobs", jobs]
    with (tmp_path / "stdout").open("wb") as stdout:
        code, shown = read_terminal(command, arguments, stdout)
    assert code == 0
    assert (tmp_path / "stdout").read_bytes() == run_here(*arguments).stdout
    assert "6,000 examples" in shown
    # The bar is taken away again at the end.
    assert shown.endswith("\x1b[2K")


def test_the_table_on_a_terminal_is_styled(command):
    code, shown = read_terminal(command, ["score", RESTAURANTS, "-m", "parent"])
    assert code == 0
    assert "\x1b[1m" in shown
    assert "careful" in shown
    assert re.search(r"0\.\d{3}\b", shown)


def test_an_error_on_a_terminal_leaves_no_bar(command, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{\n")
    code, shown = read_terminal(command, ["score", bad, "-m", "parent"])
    assert code == 2
    assert shown.rpartition("\x1b[2K")[2].startswith(f"factable: {bad}:1: broken JSON")


@pytest.mark.parametrize(("environment", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_of_a_verdict(command, environment, coloured):
    code, shown = read_terminal(command, ["check", "--data", DATA, "--text", GOOD], **environment)
    assert code == 0
    assert ("\x1b[" in shown) == coloured
    assert "✓ OK" in shown
