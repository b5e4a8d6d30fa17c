"""The `factable` command: finds subcommands, and turns errors into one line and an exit code."""

import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType
from typing import Any, ClassVar, TextIO

import click

from factable._version import __version__
from factable.errors import FactableError, FactableWarning, UsageError, did_you_mean

# The key, in a context's `meta`, of the command that runs.
RUNNING = "factable.command"
PARAMETER = re.compile(r"`(\w+)`")


# Keys, in a context's `meta`, of the switches that every command has.
QUIET, VERBOSE = "factable.quiet", "factable.verbose"


def _keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Note a switch where any function of the command finds it."""
    ctx.meta[f"factable.{param.name}"] = value
    if param.name == "verbose" and value:
        started = time.monotonic()
        ctx.call_on_close(lambda: click.echo(f"factable: {time.monotonic() - started:.1f} s", err=True))


def _add_switches(command: click.Command) -> None:
    """`--quiet` and `--verbose`, for each command once."""
    switches = {
        "quiet": "No progress and no remarks, only results and errors.",
        "verbose": "Say which configuration is used and how long it takes.",
    }
    known = {each.name for each in command.params}
    for name, about in switches.items():
        if name not in known:
            flags = [f"-{name[0]}", f"--{name}"]
            option = click.Option(flags, is_flag=True, expose_value=False, callback=_keep, help=about)
            command.params.append(option)


class LazyGroup(click.Group):
    """Loads a command's module only when that command runs, so that --help stays instant.

    `modules` gives, by command name, the module in `factable.cli` and what the command does. The function has
    the name of the module, or that after a colon ("train_files:counts"). `aliases` are old names of commands.
    """

    modules: ClassVar[Mapping[str, tuple[str, str]]] = {}
    aliases: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """All command names, sorted."""
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command itself, imported now."""
        cmd_name = self.aliases.get(cmd_name, cmd_name)
        if cmd_name not in self.modules:
            return None
        module, _, function = self.modules[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(f"factable.cli.{module}"), function or module)
        if not isinstance(command, click.Group):
            _add_switches(command)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help if there are no arguments."""
        if not args:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, with a hint where its name is misspelt."""
        if args and args[0] not in (*self.modules, *self.aliases) and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.modules)
            raise click.UsageError(f"no command {args[0]!r}; {hint}".rstrip("; "), ctx)
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[RUNNING] = command
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list in --help, made without loading any command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in sorted(self.modules.items())])


COMMANDS = {
    "cache": ("cache", "Show or delete the cached answers of models."),
    "campaign": ("campaign", "Prepare annotation campaigns, and export what annotators said."),
    "check": ("check", "Check one text against its data."),
    "compare": ("compare", "Compare systems, with confidence intervals and significance tests."),
    "convert": ("convert", "Convert a data set to JSON lines."),
    "gate": ("gate", "Fail a build when too many texts leave facts out, get them wrong or make them up."),
    "metrics": ("metrics", "List the metrics and their parameters."),
    "models": ("models", "List, describe and verify the models that ship with factable."),
    "rerank": ("rerank", "Sort several texts for the same data, best first."),
    "schema": ("schema", "Print the JSON Schema of results."),
    "score": ("score", "Score texts against the data they were written from."),
    "serve": ("serve", "Check texts in a web page, and answer other programs over HTTP."),
    "study": ("study", "Measure how well metrics agree with human judgements."),
    "train": ("train", "Train the models and data files of metrics on your own data."),
}
# Exit codes; 1 is of `check` and `gate`, whose texts fail.
CANNOT_RUN, INTERRUPTED = 2, 130
# Characters of a line of an error: three parts of a fault, each of which is shortened itself.
MAX_LINE = 1600


class RootGroup(LazyGroup):
    """The commands of factable."""

    modules = COMMANDS

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; errors name its flags where the library names parameters."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            message = with_flags(str(error), ctx.meta[RUNNING])
            if message == str(error):
                raise
            raise UsageError(message) from error


def with_flags(message: str, command: click.Command) -> str:
    """A library's message, in which `parameters` stand in backquotes, with the flags of a command instead."""
    flags = {
        param.name: param.human_readable_name
        if isinstance(param, click.Argument)
        else max(param.opts, key=len)
        for param in command.params
    }
    return PARAMETER.sub(lambda match: flags.get(match[1], match[0]), message)


@click.group(cls=RootGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="factable")
def cli() -> None:
    """Check whether a text written from data says all, and only, what the data says."""


def main() -> None:
    """Run the command line and exit."""
    _end_cleanly_when_told_to()
    warnings.showwarning = _show_warning
    try:
        code = cli.main(prog_name="factable", standalone_mode=False)
    except click.ClickException as error:
        code = _fail(_one_line(error))
    except (click.Abort, KeyboardInterrupt) as stop:
        # click raises an error of its own from the interrupt.
        code = _stop("interrupted", stop.__cause__ or stop, INTERRUPTED)
    except _ToldToEndError as end:
        code = _stop("told to end", end, 128 + end.signal)
    except FactableError as error:
        code = _fail(str(error))
    except MemoryError:
        code = _fail("out of memory; give less data at a time, or run fewer jobs")
    except OSError as error:
        code = _fail(f"{error.filename or 'output'}: {error.strerror or error}")
        # What could not be written would be tried, and complained of, once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
    show: Callable[..., None] = warnings.showwarning,
) -> None:
    """Print our own warnings in one line, without a place in the code; others as usual."""
    if issubclass(category, FactableWarning):
        click.echo(f"factable: warning: {message}", err=True)
    else:
        show(message, category, filename, lineno, file, line)


class _ToldToEndError(BaseException):
    """A signal asks this process to end; raised so that temporary files and workers go first."""

    def __init__(self, number: int) -> None:
        self.signal = number


def _end_cleanly_when_told_to() -> None:
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Whoever ignores a signal (nohup) wants it ignored.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise_end)


def _raise_end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise _ToldToEndError(number)


def _stop(event: str, stop: BaseException, code: int) -> int:
    """Leave no half-written file; say what happened, and what a command noted about resuming."""
    from factable.io.files import remove_unfinished

    remove_unfinished()
    return _fail("; ".join([event, "no output file was written", *getattr(stop, "__notes__", [])]), code)


def _one_line(error: click.ClickException) -> str:
    """What click has to say about a misuse, with where to read on."""
    message = error.format_message().rstrip(".")
    path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "factable"
    return f"{message}{'' if message.endswith('?') else ';'} see {path} --help"


def _fail(message: str, code: int = CANNOT_RUN) -> int:
    # Names in it may be as long as somebody likes.
    lines = (line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…" for line in message.split("\n"))
    click.echo("factable: " + "\n".join(lines), err=True)
    return code


if __name__ == "__main__":
    main()
