"""METEOR 1.5, the authors' Java program: one process for each setting, started when first asked and kept.

The program comes with the package pycocoevalcap. It reads lines `SCORE ||| reference ||| … ||| text` and answers
each with a line of 23 numbers, the statistics of the best reference.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from factable.errors import FactableError, MissingExtraError, MissingProgramError, UsageError, printable

WIDTH = 23
PACKAGE = "pycocoevalcap"
# The paraphrase table of the package, and none at all; anything else is a file.
PACKAGED, NONE = "package", "none"
# Modules of each language without the paraphrase table, in the order of the statistics.
MODULES = {"en": "exact stem synonym", "cz": "exact", "de": "exact stem", "es": "exact stem", "fr": "exact stem"}
# Lines written ahead of the answers read. Java never waits for us with so few answers (about 5 kB) unread, so
# neither side can wait for the other.
AHEAD = 16
# The locale changes how Java lower-cases and reads word lists; numbers must not depend on it. One collector thread
# takes little more than half the memory of Java's default, and leaves the other cores to other workers.
JAVA_OPTIONS = (
    "-Xmx2G",
    "-XX:+UseSerialGC",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
)
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BARS = re.compile(r"\|{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Setting:
    """How the program is started: its language, whether it tokenises, and its paraphrase table."""

    language: str = "en"
    normalize: bool = True
    paraphrases: str = PACKAGED


class _EndedError(Exception):
    """The program has ended before it answered."""


class Meteor:
    """A running program: references and a text in, statistics out; started again if it died in between."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._unread = b""

    def measure(self, pairs: Sequence[tuple[Sequence[str], str]]) -> list[list[float]]:
        """The statistics of each pair of references and text, in order."""
        lines = [_question(references, text) for references, text in pairs]
        if not lines:
            return []
        with self._lock:
            try:
                return self._ask(lines)
            except _EndedError:
                # Somebody may have killed it, or memory was short for a moment.
                self._stop()
            try:
                return self._ask(lines)
            except _EndedError:
                raise FactableError(f"meteor: the Java program ended ({self._last_words()})") from None

    def _ask(self, lines: Sequence[bytes]) -> list[list[float]]:
        process = self._process or self._start()
        answers: list[list[float]] = []
        try:
            for start in range(0, len(lines) + AHEAD, AHEAD):
                self._write(process, b"".join(lines[start : start + AHEAD]))
                while len(answers) < min(start, len(lines)):
                    answers += map(self._parse, self._read(process))
        except _EndedError:
            raise
        except BaseException:
            # Answers that nobody read would be taken for those of the next question.
            self._stop()
            raise
        return answers

    def _start(self) -> subprocess.Popen[bytes]:
        self._unread = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(  # noqa: S603
            _command(self._setting),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            # Python holds nothing back that a forked child could write a second time.
            bufsize=0,
            # Ctrl-C is for us; Java ends when we do.
            process_group=0,
        )
        return self._process

    def _write(self, process: subprocess.Popen[bytes], data: bytes) -> None:
        assert process.stdin is not None
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(process.stdin.fileno(), left) :]
        except BrokenPipeError:
            raise _EndedError from None

    def _read(self, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
        """The lines that have come, at least one piece of one."""
        assert process.stdout is not None
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            raise _EndedError
        *lines, self._unread = (self._unread + piece).split(b"\n")
        return iter(lines)

    def _parse(self, line: bytes) -> list[float]:
        try:
            row = [float(number) for number in line.split()]
        except ValueError:
            row = []
        if len(row) != WIDTH:
            answer = printable(line.decode("utf-8", "replace").strip())[:200]
            raise FactableError(f"meteor: the Java program answered {answer!r}, not {WIDTH} numbers")
        return row

    def _last_words(self) -> str:
        """The last line of stderr that is no stack frame."""
        process = self._process
        self._stop(keep_errors=True)
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        self._errors.close()
        said = [line.strip() for line in lines if line.strip() and not line.startswith("\tat ")]
        return printable(said[-1]) if said else f"exit code {process.returncode if process else None}"

    def _stop(self, *, keep_errors: bool = False) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            self._close_pipes(process)
            process.wait()
        if not keep_errors:
            self._errors.close()

    def _close_pipes(self, process: subprocess.Popen[bytes]) -> None:
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def close(self) -> None:
        """End the program; it has nothing to save."""
        self._stop()

    def abandon(self) -> None:
        """In a forked child: let go of the parent's program without ending it."""
        if self._process is not None:
            self._close_pipes(self._process)
            # It is not ours to wait for; without this, Popen complains that it still runs.
            self._process.returncode = 0
        self._errors.close()


def _question(references: Sequence[str], text: str) -> bytes:
    line = " ||| ".join(("SCORE", *map(_one_line, references), _one_line(text)))
    return f"{line}\n".encode()


def _one_line(text: str) -> str:
    """Text without line breaks, separators of the protocol and lone surrogates, which the program cannot take."""
    text = _BREAK.sub(" ", text)
    # Java's tokeniser cuts bars apart anyway.
    text = _BARS.sub(lambda bars: " ".join(bars[0]), text)
    return _SURROGATE.sub("\ufffd", text)


def _command(setting: Setting) -> list[str]:
    command = [find_java(), *JAVA_OPTIONS, "-jar", str(find_jar()), "-", "-", "-stdio", "-l", setting.language]
    if setting.normalize:
        command.append("-norm")
    if setting.paraphrases == NONE:
        return [*command, "-m", MODULES[setting.language]]
    if setting.paraphrases == PACKAGED:
        return command
    return [*command, "-a", os.path.abspath(setting.paraphrases)]


def find_java() -> str:
    """The `java` of JAVA_HOME, or else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    java = (home and shutil.which("java", path=os.path.join(home, "bin"))) or shutil.which("java")
    if not java:
        install = "install it with: apt-get install default-jre-headless (Debian, Ubuntu), or set JAVA_HOME"
        raise MissingProgramError(f"meteor needs Java, and there is no java on PATH; {install}")
    return java


def find_jar() -> Path:
    """The program inside the package pycocoevalcap, which is not imported."""
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package else ():
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.is_file():
            return jar
    raise MissingExtraError("meteor", "meteor")


def checksums(setting: Setting) -> dict[str, str]:
    """The sha256 of the program and of its paraphrase table."""
    jar = find_jar()
    found = {"jar": _checksum(jar)}
    if setting.paraphrases == PACKAGED:
        found["paraphrases"] = _checksum(jar.parent / "data" / "paraphrase-en.gz")
    elif setting.paraphrases != NONE:
        found["paraphrases"] = _checksum(Path(setting.paraphrases), check=True)
    return found


def _checksum(path: Path, *, check: bool = False) -> str:
    try:
        state = path.stat()
        return _digest(path, state.st_mtime_ns, state.st_size, check)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"meteor: cannot read {printable(str(path))} ({reason}); give a gz file") from None


@lru_cache(maxsize=16)
def _digest(path: Path, _changed: int, _size: int, check: bool) -> str:
    import gzip

    if check:
        # Java scores without a word if the table is damaged.
        with gzip.open(path) as table:
            while table.read(1 << 20):
                pass
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_running: dict[Setting, Meteor] = {}
_guard = threading.Lock()


def load_meteor(setting: Setting) -> Meteor:
    """The program of a setting, one per Python process."""
    with _guard:
        if setting not in _running:
            _register_ends()
            _running[setting] = Meteor(setting)
        return _running[setting]


@lru_cache(maxsize=1)
def _register_ends() -> None:
    pass
