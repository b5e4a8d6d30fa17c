"""A long run of fuzzing outlives the crashes it finds, and goes on where it was stopped."""

import json
import os
import signal

import pytest

from factable.errors import UsageError
from fuzz.__main__ import Run
from fuzz.targets import Target

pytestmark = pytest.mark.process


def refuse(content):
    raise UsageError(f"{len(content)} bytes")


def crash(content):
    if content.count(b"a") > 2:
        os.kill(os.getpid(), signal.SIGKILL)


def fail(content):
    return {}[content.count(b"never")]


TARGETS = [Target("refuse", [b"abc"], refuse), Target("crash", [b"aaa"], crash), Target("fail", [b"x"], fail)]


def figures(folder):
    return json.loads((folder / "figures.json").read_text())


def test_crashes_are_findings_and_the_run_goes_on(tmp_path, capfd):
    Run(TARGETS, tmp_path, cases=60, seed=1).run()
    done = figures(tmp_path)
    assert done["cases"] == 60
    assert sorted(finding.partition(" at ")[0] for finding in done["findings"]) == [
        "crash: the process ended with -9",
        "fail: KeyError",
    ]
    kept = [path.read_bytes() for path in sorted(tmp_path.glob("finding-*.bin"))]
    assert sorted(case[0] for case in kept) == [1, 2]
    assert "KeyError" in capfd.readouterr().out


def test_a_run_goes_on_where_it_ended(tmp_path, capfd):
    quiet = TARGETS[:1]
    Run(quiet, tmp_path, cases=30, seed=1).run()
    Run(quiet, tmp_path, cases=50, seed=1).run()
    assert "goes on after 30 cases" in capfd.readouterr().out
    assert (figures(tmp_path)["cases"], figures(tmp_path)["refused"]) == (50, 50)
    # Another seed is another run.
    Run(quiet, tmp_path, cases=10, seed=2).run()
    assert figures(tmp_path)["cases"] == 10
