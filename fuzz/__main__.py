"""A long run: `python -m fuzz --cases 1000000`, guided by coverage where atheris is installed.

Each finding is kept in a file of its own; `python -m fuzz --show FILE` reads it again.
"""

import argparse
import json
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from types import FrameType

# No case comes near any of these.
MAX_SECONDS = 10
MAX_MEMORY = 8 << 30


class _TooLongError(Exception):
    """A case took more processor time than any should."""


class Run:
    """Counts cases and keeps findings; a case is the number of a target and then its content."""

    def __init__(self, out: Path, cases: int) -> None:
        from fuzz.targets import all_targets

        self.targets = all_targets()
        self.cases = cases
        self._out = out
        self._started = time.monotonic()
        self._done: Counter[str] = Counter()
        self._refused = 0
        self._found: Counter[str] = Counter()
        self._slowest = 0.0
        signal.signal(signal.SIGPROF, _give_up)

    def try_case(self, case: bytes) -> None:
        """Read what a case holds; a finding is noted, and the run goes on."""
        from fuzz.targets import attempt

        # libFuzzer begins with nothing at all.
        number, content = (case[0], case[1:]) if case else (0, b"")
        target = self.targets[number % len(self.targets)]
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, MAX_SECONDS)
        try:
            self._refused += bool(attempt(target, content))
        except Exception as error:
            self._note(target.name, case, error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self._slowest = max(self._slowest, time.process_time() - started)
        self._done[target.name] += 1
        if self._done.total() % 10_000 == 0 or self._done.total() == self.cases:
            self.tell()

    def _note(self, target: str, case: bytes, error: Exception) -> None:
        index = traceback.extract_tb(error.__traceback__)[-1]
        finding = f"{target}: {type(error).__name__} at {Path(index.filename).name}:{index.lineno}"
        if not self._found[finding]:
            (self._out / f"finding-{len(self._found)}.bin").write_bytes(case)
            print(finding, str(error)[:200], flush=True)
        self._found[finding] += 1

    def tell(self) -> None:
        """Write what was done so far."""
        told = {
            "cases": self._done.total(),
            "refused": self._refused,
            "findings": dict(self._found),
            "slowest, seconds": round(self._slowest, 3),
            "memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
            "minutes": round((time.monotonic() - self._started) / 60, 1),
            "by target": dict(self._done),
        }
        (self._out / "figures.json").write_text(json.dumps(told, indent=1))
        print({name: value for name, value in told.items() if name != "by target"}, flush=True)


def _give_up(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise _TooLongError


def run_guided(run: Run, seed: int) -> None:
    """Let atheris choose cases by which lines of factable they reach."""
    import atheris

    from fuzz.mutations import apply, draw_edits

    def mutate(case: bytes, most: int, chance: int) -> bytes:
        random = Random(chance)  # noqa: S311
        if random.random() < 0.5 and case:
            return (case[:1] + apply(case[1:], draw_edits(random)))[:most]
        return bytes(atheris.Mutate(case, most))

    with tempfile.TemporaryDirectory() as seeds:
        for number, target in enumerate(run.targets):
            for index, content in enumerate(target.samples):
                Path(seeds, f"{number}-{index}").write_bytes(bytes([number]) + content)
        options = [
            f"-runs={run.cases}",
            f"-seed={seed}",
            "-max_len=20000",
            "-timeout=600",
            "-print_final_stats=0",
        ]
        atheris.Setup(["fuzz", *options, "-verbosity=0", seeds], run.try_case, custom_mutator=mutate)
        atheris.Fuzz()


def run_by_chance(run: Run, seed: int) -> None:
    """Cases by chance, where atheris is missing."""
    from fuzz.mutations import apply, draw_edits

    random = Random(seed)  # noqa: S311
    for case in range(run.cases):
        number = case % len(run.targets)
        content = random.choice(run.targets[number].samples)
        run.try_case(bytes([number]) + apply(content, draw_edits(random)))


def main() -> None:
    """Run, or show a finding."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--show", type=Path)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    try:
        import atheris
    except ImportError:
        guided = False
    else:
        guided = given.show is None
        if guided:
            with atheris.instrument_imports(include=["factable"]):
                import fuzz.targets  # noqa: F401
    given.out.mkdir(exist_ok=True)
    run = Run(given.out, given.cases)
    if given.show:
        case = given.show.read_bytes()
        sys.exit(print(run.targets[case[0] % len(run.targets)].read(case[1:])))
    (run_guided if guided else run_by_chance)(run, given.seed)


if __name__ == "__main__":
    main()
