"""A group of commands that loads each only when it runs."""

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click


class LazyGroup(click.Group):
    """Loads a command's module only when that command runs, so that --help stays instant.

    `modules` gives, by command name, the module in `factable.cli` (whose function has the same name) and what
    the command does.
    """

    modules: ClassVar[Mapping[str, tuple[str, str]]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All command names, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command itself, imported now."""
        if cmd_name not in self.modules:
            return None
        module = self.modules[cmd_name][0]
        command: click.Command = getattr(import_module(f"factable.cli.{module}"), module)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in --help, made without loading any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in sorted(self.modules.items())])
