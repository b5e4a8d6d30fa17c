"""Commands, run inside the process of the tests."""

import os
import subprocess
import sys

import pytest

from helpers.paths import ROOT


@pytest.fixture
def run_command():
    """Run a command of factable; what it printed is in `stdout_bytes`."""
    from click.testing import CliRunner

    from factable.cli.main import cli

    return lambda *arguments: CliRunner().invoke(cli, [str(argument) for argument in arguments])


@pytest.fixture
def run_process():
    """Run factable in a process of its own; `extra` is a folder that Python looks for modules in."""

    def run(*arguments, extra=""):
        path = os.pathsep.join(filter(None, (str(extra), str(ROOT / "src"))))
        return subprocess.run(
            [sys.executable, "-m", "factable", *map(str, arguments)],
            capture_output=True,
            check=False,
            env={**os.environ, "PYTHONPATH": path},
        )

    return run
