"""Running factable, here or in a process of its own, and what tests of commands share."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from typing import NamedTuple

import pytest

from factable.cli.main import main
from helpers.paths import SOURCE

WIDTH = {"COLUMNS": "200"}
SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Result(NamedTuple):
    """How a command ended and what it printed; the names are those of `subprocess.run`."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run_here(*arguments, stdin=b"", cwd=None, **environment):
    """Run factable in this process, as if it had been started with these arguments."""
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        streams = [io.TextIOWrapper(file, encoding="utf-8", newline="\n") for file in files]
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
            stack.callback(stream.detach)
        patch.setattr(sys, "argv", ["factable", *map(str, arguments)])
        for name, value in {**WIDTH, **environment}.items():
            patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        for number in SIGNALS:
            stack.callback(signal.signal, number, signal.getsignal(number))
        with pytest.raises(SystemExit) as ended:
            main()
        return Result(ended.value.code or 0, *map(_content, streams[1:]))


def _content(stream):
    stream.flush()
    os.lseek(stream.fileno(), 0, os.SEEK_SET)
    return stream.buffer.read()


def start_command():
    """How to start factable in a process: the command, and the environment that finds this source tree."""
    return [sys.executable, "-m", "factable"], {**os.environ, "PYTHONPATH": str(SOURCE), **WIDTH}


def run_in_a_process(*arguments, stdin=b"", cwd=None, **environment):
    """Run factable in a process of its own to its end, with warnings as errors."""
    start, where = start_command()
    return subprocess.run(
        [*start, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env={**where, "PYTHONWARNINGS": "error", **environment},
        cwd=cwd,
    )


def write(path, lines):
    """A file of JSON lines."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def document(result):
    """The JSON that a command printed, and nothing else."""
    assert result.stderr == b""
    assert result.returncode == 0
    return json.loads(result.stdout)
