"""Commands, run inside the process of the tests."""

import pytest


@pytest.fixture
def run_command():
    """Run a command of factable; what it printed is in `stdout_bytes`."""
    from click.testing import CliRunner

    from factable.cli.main import cli

    return lambda *arguments: CliRunner().invoke(cli, [str(argument) for argument in arguments])
