"""What the commands that ask the ledger share: its options, and how bad input ends them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from factable.cli.output import is_terminal
from factable.errors import DataError, UsageError
from factable.gate.config import Config, read_config

FACTS = {
    "required": "Only these facts must be stated, such as food,area=riverside. Default: all.",
    "optional": "Facts that may be left out, such as near,eatType=restaurant.",
    "ignore": "Facts to leave out of the check, stated or not.",
}


def ledger_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--required`, `--optional`, `--ignore` and `--config`."""
    about = "TOML file with these settings and others; options override it."
    command = click.option("--config", default="", metavar="FILE", help=about)(command)
    for name, about in reversed(FACTS.items()):
        command = click.option(f"--{name}", default="", metavar="NAMES", help=about)(command)
    return command


def load_config(config: str, facts: dict[str, str]) -> Config:
    """The configuration, with what the command line says in place of what the file says."""
    known = read_config(config) if config else Config()
    given = {name: names for name, names in facts.items() if names}
    return Config({**known.options, **given}, known.policy)


@contextmanager
def data_errors_exit_2() -> Iterator[None]:
    """Let bad input end a command as misuse does: 1 is the exit code of texts that were checked and fail."""
    try:
        yield
    except DataError as error:
        raise UsageError(str(error)) from None


def shows_colour(out: str = "-") -> bool:
    """Whether the output goes to somebody who sees, and wants, colours."""
    return is_terminal(out) and not os.environ.get("NO_COLOR")
