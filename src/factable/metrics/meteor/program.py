"""METEOR 1.5, the authors' Java program: one process per set of options, started when first needed and kept.

It reads lines `SCORE ||| reference ||| … ||| text` and answers each with 23 numbers, the statistics of the
text with its best reference. It can be used by several threads; a forked child starts its own.
"""

import atexit
import gzip
import os
import re
import shutil
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from factable.errors import FactableError, MissingExtraError, MissingProgramError, UsageError, printable
from factable.io.files import sha256_of

PACKAGE = "pycocoevalcap"
# The paraphrase table of the package, and none at all; anything else is a file.
PACKAGED, NONE = "package", "none"
# What each language has besides the paraphrase table.
MODULES = {
    "en": "exact stem synonym",
    "cz": "exact",
    "de": "exact stem",
    "es": "exact stem",
    "fr": "exact stem",
}
# The locale changes how Java lower-cases and reads its word lists; numbers must not depend on it. One
# collector thread takes little more than half the memory of Java's default, and leaves cores to others.
JAVA_OPTIONS = (
    "-Xmx2G",
    "-XX:+UseSerialGC",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Duser.language=en",
    "-Duser.country=US",
)


@dataclass(frozen=True, slots=True)
class MeteorOptions:
    """How the program is started: its language, whether it tokenizes, and its paraphrase table."""

    language: str = "en"
    normalize: bool = True
    paraphrases: str = PACKAGED


def command(options: MeteorOptions) -> list[str]:
    """What starts the program, which then answers on stdout what it reads on stdin."""
    # The program first: a user who lacks both is told of the extra.
    jar = find_jar()
    words = [find_java(), *JAVA_OPTIONS, "-jar", str(jar), "-", "-", "-stdio", "-l", options.language]
    if options.normalize:
        words.append("-norm")
    if options.paraphrases == NONE:
        words += ["-m", MODULES[options.language]]
    elif options.paraphrases != PACKAGED:
        words += ["-a", os.path.abspath(options.paraphrases)]
    return words


def find_java() -> str:
    """The `java` of JAVA_HOME, or else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    java = (home and shutil.which("java", path=os.path.join(home, "bin"))) or shutil.which("java")
    if not java:
        remedy = "install it with: apt-get install default-jre-headless (Debian, Ubuntu), or set JAVA_HOME"
        raise MissingProgramError(f"meteor needs Java, and there is no java on PATH; {remedy}")
    return java


def find_jar() -> Path:
    """The program inside the package pycocoevalcap, which is not imported."""
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package else ():
        jar = Path(folder, "meteor", "meteor-1.5.jar")
        if jar.is_file():
            return jar
    raise MissingExtraError("meteor", "meteor")


def checksums(options: MeteorOptions) -> dict[str, str]:
    """The sha256 of the program and of its paraphrase table."""
    jar = find_jar()
    sums = {"jar": _checksum(jar)}
    if options.paraphrases == PACKAGED:
        sums["paraphrases"] = _checksum(jar.parent / "data" / "paraphrase-en.gz")
    elif options.paraphrases != NONE:
        sums["paraphrases"] = _checksum(Path(options.paraphrases), unpack=True)
    return sums


def _checksum(path: Path, *, unpack: bool = False) -> str:
    try:
        state = path.stat()
        return _digest(path, state.st_mtime_ns, state.st_size, unpack)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        remedy = f'give a table such as paraphrase-de.gz of METEOR 1.5, "{PACKAGED}" or "{NONE}"'
        raise UsageError(f"meteor: cannot read {printable(str(path))} ({reason}); {remedy}") from None


@lru_cache(maxsize=16)
def _digest(path: Path, _changed: int, _size: int, unpack: bool) -> str:
    """The sha256 of a file, kept while size and time stay; half a second for the English table."""
    if unpack:
        # Java goes on without paraphrases, with no more than a line on stderr, where the table is damaged.
        with gzip.open(path) as table:
            while table.read(1 << 20):
                pass
    return sha256_of(path)


WIDTH = 23
# Lines written ahead of the answers read. Twice as many answers (5 kB) fit into a pipe, so Java never blocks
# on writing, keeps reading, and our writes never block for long.
AHEAD = 16
_BREAK = re.compile("[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BARS = re.compile(r"\|{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _EndedError(Exception):
    """The program ended before it answered; the text says why."""


class _Java:
    """A running process of the program."""

    def __init__(self, options: MeteorOptions) -> None:
        # A file, not a pipe: nobody has to read it while the program runs.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `end`)
        self._unread = b""
        try:
            self._process = subprocess.Popen(  # noqa: S603
                command(options),
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
        """End the program; its last line on stderr, stack frames left out, or its exit code."""
        # A program that died by itself keeps its own exit code.
        if self._process.poll() is None:
            self.kill()
        self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        self.let_go()
        messages = [line.strip() for line in lines if line.strip() and not line.startswith("\tat ")]
        return printable(messages[-1]) if messages else f"exit code {self._process.returncode}"

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


class MeteorProgram:
    """The program with its options: started when first asked, and once more if it died."""

    def __init__(self, options: MeteorOptions) -> None:
        self._options = options
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
                # It was killed, or memory was short for a moment.
                pass
            try:
                return self._ask(lines)
            except _EndedError as error:
                raise FactableError(f"meteor: the Java program ended, twice ({error})") from None

    def _ask(self, lines: Sequence[bytes]) -> list[list[float]]:
        java = self._java = self._java or _Java(self._options)
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


_running: dict[MeteorOptions, MeteorProgram] = {}
_guard = threading.Lock()


def load_meteor(options: MeteorOptions) -> MeteorProgram:
    """The program with these options, one in a Python process."""
    with _guard:
        if not _running:
            _end_with_python()
        return _running.setdefault(options, MeteorProgram(options))


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
