"""A long run: `python -m fuzz --cases 1000000`, guided by coverage where atheris is installed.

A run that was stopped goes on where it ended when the same command is given again. Cases are read in a child
process: if it crashes or hangs, that is a finding, and a new one goes on with the next case. Each finding is
kept in a file of its own; `python -m fuzz --show FILE` reads it again.
"""

import argparse
import faulthandler
import json
import mmap
import os
import resource
import signal
import struct
import sys
import time
import traceback
from collections import Counter
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from fuzz.mutations import apply, draw_edits

if TYPE_CHECKING:
    # Imported when a run begins: atheris has to watch what it imports.
    from fuzz.targets import Target

# No case comes near any of these; a child that is silent for so long is stuck in code that no signal reaches.
MAX_SECONDS = 10
MAX_SILENCE = 600
MAX_MEMORY = 8 << 30
# A child reads so many cases, so that nothing can pile up, and tells of them so often.
CASES_PER_CHILD = 20_000
CASES_PER_REPORT = 1_000
SECONDS_PER_LINE = 15


class Report(NamedTuple):
    """What a child has done since its last report."""

    by_target: Counter[str]
    refused: int
    slowest: float
    memory: int


class Failure(NamedTuple):
    """A case that was answered with anything but a value or an error in clear words."""

    name: str
    message: str
    case: bytes


class _TooLongError(Exception):
    """A case took more processor time than any should."""


def _give_up(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise _TooLongError


class Slate:
    """Memory that both processes see: how many cases the child has begun, and the present one."""

    HEAD = struct.Struct("QQ")

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 1 << 24)

    def write(self, begun: int, case: bytes) -> None:
        """Before a case is read."""
        content = case[: len(self._shared) - self.HEAD.size]
        end = self.HEAD.size + len(content)
        self._shared[self.HEAD.size : end] = content
        self._shared[: self.HEAD.size] = self.HEAD.pack(begun, len(content))

    def read(self) -> tuple[int, bytes]:
        """What was written last."""
        begun, size = self.HEAD.unpack(self._shared[: self.HEAD.size])
        return begun, self._shared[self.HEAD.size : self.HEAD.size + size]


class Child:
    """Reads cases and reports to the first process; a case is the number of a target and then its content."""

    def __init__(self, targets: "list[Target]", slate: Slate, connection: Connection) -> None:
        self._targets, self._slate, self._connection = targets, slate, connection
        self._begun = self._refused = 0
        self._by_target: Counter[str] = Counter()
        self._slowest = 0.0
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
        signal.signal(signal.SIGPROF, _give_up)

    def try_case(self, case: bytes) -> None:
        """Read what a case holds; a finding is reported, and the run goes on."""
        from fuzz.targets import attempt

        self._begun += 1
        self._slate.write(self._begun, case)
        # libFuzzer begins with nothing at all.
        number, content = (case[0], case[1:]) if case else (0, b"")
        target = self._targets[number % len(self._targets)]
        started = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
            self._refused += bool(attempt(target, content))
            signal.setitimer(signal.ITIMER_PROF, 0)
        except Exception as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._connection.send(_failure(target.name, case, error))
        self._slowest = max(self._slowest, time.process_time() - started)
        self._by_target[target.name] += 1
        if self._begun % CASES_PER_REPORT == 0:
            self.report()

    def report(self) -> None:
        """Tell what was done since the last report."""
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        self._connection.send(Report(self._by_target, self._refused, self._slowest, memory))
        self._by_target, self._refused, self._slowest = Counter(), 0, 0.0


def _failure(target: str, case: bytes, error: Exception) -> Failure:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Failure(f"{target}: {type(error).__name__}{place}", str(error)[:200], case)


def read_by_chance(child: Child, targets: "list[Target]", seed: int, first: int, cases: int) -> None:
    """Cases by chance, where atheris is missing; each depends on the seed and its own number alone."""
    from fuzz.targets import turns

    order = turns(targets)
    for number in range(first, first + cases):
        random = Random(f"{seed}-{number}")  # noqa: S311
        target = order[number % len(order)]
        content = random.choice(targets[target].samples)
        child.try_case(bytes([target]) + apply(content, draw_edits(random)))
    child.report()


def read_guided(
    child: Child, targets: "list[Target]", seed: int, first: int, cases: int, corpus: Path
) -> None:
    """Let atheris choose cases by which lines of factable they reach; those that reach new ones are kept."""
    import atheris

    def mutate(case: bytes, most: int, chance: int) -> bytes:
        random = Random(chance)  # noqa: S311
        if random.random() < 0.5 and case:
            return (case[:1] + apply(case[1:], draw_edits(random)))[:most]
        return bytes(atheris.Mutate(case, most))

    if not corpus.is_dir():
        corpus.mkdir()
        for number, target in enumerate(targets):
            for index, content in enumerate(target.samples):
                Path(corpus, f"{number}-{index}").write_bytes(bytes([number]) + content)
    # Memory is limited here; libFuzzer would end the run at two gigabytes.
    limits = ["-max_len=20000", f"-timeout={MAX_SILENCE}", "-rss_limit_mb=0"]
    options = [f"-runs={cases}", f"-seed={seed + first}", *limits, "-print_final_stats=0", "-verbosity=0"]
    atheris.Setup(["fuzz", *options, str(corpus)], child.try_case, custom_mutator=mutate)
    atheris.Fuzz()


class Run:
    """The first process: starts children, keeps findings, and writes the figures after each report."""

    def __init__(
        self, targets: "list[Target]", out: Path, *, cases: int, seed: int, guided: bool = False
    ) -> None:
        self._targets = targets
        self._out, self._cases, self._seed, self._guided = out, cases, seed, guided
        self._slate = Slate()
        self._started = self._next_line = time.monotonic()
        before = self._read_figures()
        self._done = Counter(before.get("by target", {}))
        self._found = Counter(before.get("findings", {}))
        self._refused: int = before.get("refused", 0)
        self._slowest: float = before.get("slowest, seconds", 0.0)
        self._memory: int = before.get("memory, MB", 0)
        self._minutes: float = before.get("minutes", 0.0)

    def _read_figures(self) -> dict[str, Any]:
        path = self._out / "figures.json"
        figures = json.loads(path.read_text()) if path.exists() else {}
        if figures.get("seed") != self._seed:
            return {}
        print(f"goes on after {figures['cases']:,} cases; remove {path} to begin again", flush=True)
        return dict(figures)

    def run(self) -> None:
        """Read cases until there are enough."""
        try:
            while self._done.total() < self._cases:
                self._watch_child(min(CASES_PER_CHILD, self._cases - self._done.total()))
        finally:
            self.tell()

    def _watch_child(self, cases: int) -> None:
        """One child and what it reports; a child that ends early leaves the case it was reading."""
        first = self._done.total()
        ours, theirs = get_context("fork").Pipe(duplex=False)
        self._slate.write(0, b"")
        pid = os.fork()
        if pid == 0:
            self._be_child(theirs, first, cases)
        theirs.close()
        try:
            while ours.poll(MAX_SILENCE):
                self._take(ours.recv())
            os.kill(pid, signal.SIGKILL)
            ending = f"silent for {MAX_SILENCE} seconds"
        except EOFError:
            ending = ""
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        finally:
            ours.close()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        begun, case = self._slate.read()
        unreported = begun - (self._done.total() - first)
        if ending or (status and unreported):
            target = self._targets[case[0] % len(self._targets)].name if case else "start"
            self._keep(Failure(f"{target}: {ending or f'the process ended with {status}'}", "", case))
            # The cases of a report that was never sent; those of other targets are counted as this one's.
            self._done[target] += max(1, unreported)

    def _be_child(self, connection: Connection, first: int, cases: int) -> None:
        """Read cases and end without the clean-up that belongs to the first process."""
        status = 1
        try:
            child = Child(self._targets, self._slate, connection)
            if self._guided:
                read_guided(child, self._targets, self._seed, first, cases, self._out / "corpus")
            else:
                read_by_chance(child, self._targets, self._seed, first, cases)
            status = 0
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _take(self, message: Report | Failure) -> None:
        if isinstance(message, Failure):
            return self._keep(message)
        self._done.update(message.by_target)
        self._refused += message.refused
        self._slowest = max(self._slowest, message.slowest)
        self._memory = max(self._memory, message.memory)
        return self.tell()

    def _keep(self, failure: Failure) -> None:
        if not self._found[failure.name]:
            path = self._out / f"finding-{len(self._found)}.bin"
            path.write_bytes(failure.case)
            print(failure.name, failure.message, f"(kept in {path})", flush=True)
        self._found[failure.name] += 1

    def tell(self) -> None:
        """Write what was done so far."""
        figures = {
            "seed": self._seed,
            "cases": self._done.total(),
            "refused": self._refused,
            "findings": dict(self._found),
            "slowest, seconds": round(self._slowest, 3),
            "memory, MB": self._memory,
            "minutes": round(self._minutes + (time.monotonic() - self._started) / 60, 1),
            "by target": dict(self._done),
        }
        path = self._out / "figures.json"
        path.with_suffix(".new").write_text(json.dumps(figures, indent=1))
        path.with_suffix(".new").replace(path)
        if time.monotonic() > self._next_line or self._done.total() >= self._cases:
            self._next_line = time.monotonic() + SECONDS_PER_LINE
            print({name: value for name, value in figures.items() if name != "by target"}, flush=True)


def main() -> None:
    """Run, or show a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--show", type=Path)
    given = parser.parse_args()
    faulthandler.enable()
    # A run that is asked to end writes its figures first.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    try:
        import atheris
    except ImportError:
        guided = False
    else:
        guided = given.show is None
        if guided:
            with atheris.instrument_imports(include=["factable"]):
                import fuzz.targets  # noqa: F401
    from fuzz.targets import all_targets

    targets = all_targets()
    if given.show:
        case = given.show.read_bytes()
        sys.exit(print(targets[case[0] % len(targets)].read(case[1:])))
    given.out.mkdir(exist_ok=True)
    Run(targets, given.out, cases=given.cases, seed=given.seed, guided=guided).run()


if __name__ == "__main__":
    main()
