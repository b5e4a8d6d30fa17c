"""METEOR 1.5, the authors' Java program: one process for each setting, started when first asked and kept.

It reads lines `SCORE ||| reference ||| … ||| text` and answers each with 23 numbers, the statistics of the
text with its best reference. It can be used by several threads; a forked child starts its own.
"""

import atexit
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Sequence

from factable.errors import FactableError, printable
from factable.models.meteor_files import Setting, command

WIDTH = 23
# Lines written ahead of the answers read. Twice as many answers (5 kB) fit into a pipe, so Java never waits
# for us to read, always reads on itself, and we never write in vain.
AHEAD = 16
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BARS = re.compile(r"\|{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _EndedError(Exception):
    """The program ended before it answered; the text says why."""


class _Java:
    """A running process of the program."""

    def __init__(self, setting: Setting) -> None:
        # A file, not a pipe: nobody has to read it while the program runs.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        self._unread = b""
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command(setting),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                # Python holds nothing back that a forked child could write a second time.
                bufsize=0,
                # Ctrl-C is for Python; Java ends when Python does.
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._pipes = (self._process.stdin, self._process.stdout)

    def ask(self, lines: Sequence[bytes]) -> list[list[float]]:
        """One answer for each line."""
        answers: list[list[float]] = []
        for start in range(0, len(lines) + AHEAD, AHEAD):
            self._write(b"".join(lines[start : start + AHEAD]))
            while len(answers) < min(start, len(lines)):
                answers += map(_parse, self._read())
        return answers

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._pipes[0].fileno(), left) :]
        except BrokenPipeError:
            raise _EndedError from None

    def _read(self) -> list[bytes]:
        """The lines that have come by now."""
        piece = os.read(self._pipes[1].fileno(), 1 << 16)
        if not piece:
            raise _EndedError
        *lines, self._unread = (self._unread + piece).split(b"\n")
        return lines

    def kill(self) -> None:
        """End the program, which has nothing to save."""
        self._process.kill()

    def end(self) -> str:
        """End the program and say what it said last on stderr, stack frames left out."""
        # A program that died by itself keeps its own exit code.
        if self._process.poll() is None:
            self.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        self.let_go()
        said = [line.strip() for line in lines if line.strip() and not line.startswith("\tat ")]
        return printable(said[-1]) if said else f"exit code {self._process.returncode}"

    def let_go(self) -> None:
        """Close what is open here; in a forked child, the parent's program runs on."""
        for stream in (*self._pipes, self._errors):
            stream.close()
        # A parent's program is not the child's to wait for; Popen would complain that it still runs.
        if self._process.returncode is None:
            self._process.returncode = 0


def _parse(line: bytes) -> list[float]:
    try:
        row = [float(number) for number in line.split()]
    except ValueError:
        row = []
    if len(row) != WIDTH:
        answer = printable(line.decode("utf-8", "replace").strip())[:200]
        raise FactableError(f"meteor: the Java program answered {answer!r}, not {WIDTH} numbers")
    return row


class Meteor:
    """The program of a setting: started when first asked, and once more if it died."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._lock = threading.Lock()
        self._java: _Java | None = None

    def measure(self, pairs: Sequence[tuple[Sequence[str], str]]) -> list[list[float]]:
        """The statistics of each pair of references and text, in order."""
        lines = [_question(references, text) for references, text in pairs]
        if not lines:
            return []
        with self._lock:
            try:
                return self._ask(lines)
            except _EndedError:
                # Somebody killed it, or memory was short for a moment.
                pass
            try:
                return self._ask(lines)
            except _EndedError as error:
                raise FactableError(f"meteor: the Java program ended, twice ({error})") from None

    def _ask(self, lines: Sequence[bytes]) -> list[list[float]]:
        java = self._java = self._java or _Java(self._setting)
        try:
            return java.ask(lines)
        except BaseException as error:
            # Also on Ctrl-C: answers that nobody read would be taken for those of the next question.
            self._java = None
            last_words = java.end()
            raise _EndedError(last_words) if isinstance(error, _EndedError) else error from None

    def close(self) -> None:
        """End the program; one that is just answering another thread is killed."""
        if self._lock.acquire(blocking=False):
            java, self._java = self._java, None
            self._lock.release()
            if java is not None:
                java.end()
        elif self._java is not None:
            self._java.kill()

    def abandon(self) -> None:
        """In a forked child: let go of the parent's program."""
        if self._java is not None:
            self._java.let_go()


def _question(references: Sequence[str], text: str) -> bytes:
    line = " ||| ".join(("SCORE", *map(_one_line, references), _one_line(text)))
    return f"{line}\n".encode()


def _one_line(text: str) -> str:
    """Text without line breaks, separators of the protocol and lone surrogates, none of which can be sent."""
    # With -norm, Java cuts bars apart anyway.
    text = _BARS.sub(lambda bars: " ".join(bars[0]), _BREAK.sub(" ", text))
    return _SURROGATE.sub("\ufffd", text)


_running: dict[Setting, Meteor] = {}
_guard = threading.Lock()


def load_meteor(setting: Setting) -> Meteor:
    """The program of a setting, one in a Python process."""
    with _guard:
        if not _running:
            _end_with_python()
        return _running.setdefault(setting, Meteor(setting))


def _end_with_python() -> None:
    """Arrange for the programs to end when this process does, and not to be shared with forked ones."""
    from multiprocessing.util import Finalize

    atexit.register(_close_all)
    # Workers of multiprocessing leave without atexit.
    Finalize(None, _close_all, exitpriority=0)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_abandon_all)


def _close_all() -> None:
    while _running:
        _running.popitem()[1].close()


def _abandon_all() -> None:
    global _guard
    # Another thread of the parent may have held it.
    _guard = threading.Lock()
    while _running:
        _running.popitem()[1].abandon()
