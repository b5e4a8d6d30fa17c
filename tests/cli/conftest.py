"""Running the command line: in this process, or in one of its own, as users do."""

import pytest
from running import run_here, run_in_a_process, start_command


@pytest.fixture(scope="session")
def command():
    """How to start factable in a process: the command, and the environment that finds this source tree."""
    return start_command()


@pytest.fixture(scope="session")
def run_factable():
    """Run factable in this process; stdout and stderr are bytes."""
    return run_here


@pytest.fixture(scope="session")
def run_process():
    """Run factable in a process of its own; stdout and stderr are bytes."""
    return run_in_a_process


@pytest.fixture(scope="session")
def factable_score(run_factable):
    """Run `factable score`, with a fast metric unless another is named."""

    def run(*arguments, **how):
        metric = () if "-m" in arguments or "--metric" in arguments else ("-m", "parent")
        return run_factable("score", *metric, *arguments, **how)

    return run
