"""Running the command line in a process of its own, as users do."""

import os
import subprocess
import sys

import pytest

from helpers.paths import SOURCE


@pytest.fixture(scope="session")
def command():
    """How to start factable: the command, and the environment that finds this source tree."""
    where = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "200"}
    return [sys.executable, "-m", "factable"], where


@pytest.fixture(scope="session")
def run_factable(command):
    """Run factable to its end, with warnings as errors; stdout and stderr are bytes."""
    start, where = command

    def run(*arguments, stdin=b"", cwd=None, **environment):
        return subprocess.run(
            [*start, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            env={**where, "PYTHONWARNINGS": "error", **environment},
            cwd=cwd,
            timeout=120,
        )

    return run


@pytest.fixture(scope="session")
def factable_score(run_factable):
    """Run `factable score`, with a fast metric unless another is named."""

    def run(*arguments, **how):
        metric = () if "-m" in arguments or "--metric" in arguments else ("-m", "parent")
        return run_factable("score", *metric, *arguments, **how)

    return run
