"""The option `--resume`: a file that keeps what is scored, so that the same command can go on."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from factable.cli.output import check_output
from factable.errors import UsageError, add_note

resume_option = click.option(
    "--resume",
    metavar="FILE",
    help="Keep results here as they come; the same command then goes on from there.",
)


def check_resume(resume: str | None, files: Sequence[str], outputs: dict[str, str | None]) -> None:
    """Refuse a file that is an input, or an output: options with the path that each names."""
    if resume is None:
        return
    check_output(files, resume, "--resume")
    for option, path in outputs.items():
        if path is not None and Path(path).absolute() == Path(resume).absolute():
            raise UsageError(f"--resume and {option} are both {path}; give two names")


@contextmanager
def resumable(resume: str | None) -> Iterator[None]:
    """Note on whatever stops the run from outside that nothing is lost."""
    try:
        yield
    except BaseException as stop:
        if resume is not None and not isinstance(stop, Exception):
            add_note(stop, f"the same command goes on with what {resume} holds")
        raise
