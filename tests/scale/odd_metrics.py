"""Metrics that tell of, or end, the process that scores."""

import os
import signal
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from factable.core.metric import Field, ShardBy, make_scores
from factable.models import nli
from factable.models.runtime.threads import thread_count
from factable.types import Example, Finding, Scores

# Long enough for a busy machine; reached only where something is wrong.
DEADLINE = 300


class CountedNli(nli.OnnxNli):
    """The model as it is, counted each time it is loaded in a process."""

    loads: ClassVar[int] = 0

    def __init__(self, folder: Path) -> None:
        CountedNli.loads += 1
        super().__init__(folder)


nli.OnnxNli = CountedNli  # type: ignore[misc]


def wait_until(what: Callable[[], object]) -> None:
    """Look again and again until `what` gives something true."""
    end = time.monotonic() + DEADLINE
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """The process that scored an example, the threads that a model would use there, and models loaded so far.

    Each process leaves a file in `folder`, if any, and waits until `meet` of them are there.
    """

    name: ClassVar[str] = "worker"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1e9)
    parts: ClassVar[tuple[str, ...]] = ("threads", "loads")
    shard_by: ClassVar[ShardBy] = "example"
    slow: ClassVar[bool] = True

    folder: str = ""
    meet: int = 0

    def score(self, examples: Sequence[Example]) -> Scores:
        if self.folder:
            (Path(self.folder) / str(os.getpid())).touch()
            wait_until(lambda: len(list(Path(self.folder).iterdir())) >= self.meet)
        values = array("d", [os.getpid()] * len(examples))
        threads = array("d", [thread_count()] * len(examples))
        loads = array("d", [CountedNli.loads] * len(examples))
        return make_scores(self, examples, values, {"threads": threads, "loads": loads}, {})

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        return tuple(() for _ in examples)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadly:
    """Ends its process at the example "deadly", so many times in all; each leaves a file in `folder`."""

    name: ClassVar[str] = "deadly"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset()
    bounds: ClassVar[tuple[float, float]] = (0.0, 1e9)
    parts: ClassVar[tuple[str, ...]] = ()
    shard_by: ClassVar[ShardBy] = "example"
    slow: ClassVar[bool] = True

    folder: str
    times: int

    def score(self, examples: Sequence[Example]) -> Scores:
        deaths = len(list(Path(self.folder).iterdir()))
        if deaths < self.times and any(example.item == "deadly" for example in examples):
            (Path(self.folder) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return make_scores(self, examples, array("d", [len(example.text) for example in examples]), {}, {})

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        return tuple(() for _ in examples)
