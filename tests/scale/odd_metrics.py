"""Metrics that tell of, or end, the process that scores."""

import os
import signal
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis
from factable.models import nli
from factable.models.runtime.threads import thread_count
from factable.types import Example
from helpers.waiting import wait_until

# One entry for each NLI model that was loaded in this process.
LOADS: list[Path] = []
_load = nli.OnnxNli.__init__


def _count_load(model: nli.OnnxNli, folder: Path, **options: Any) -> None:
    LOADS.append(folder)
    _load(model, folder, **options)


nli.OnnxNli.__init__ = _count_load  # type: ignore[method-assign]


@metric
class Worker(Metric):
    """The process that scored an example, the threads that a model would use there, and models loaded so far.

    Each process leaves a file in `folder`, if any, and waits until `meet` of them are there.
    """

    name = "worker"
    needs = frozenset()
    bounds = (0.0, 1e9)
    parts = ("threads", "loads")
    slow = True

    folder: str = param("", "where each process leaves a file")
    meet: int = param(0, "how many processes to wait for", range=(0, 100))

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        if self.folder:
            (Path(self.folder) / str(os.getpid())).touch()
            wait_until(lambda: len(list(Path(self.folder).iterdir())) >= self.meet)
        values = array("d", [os.getpid()] * len(examples))
        threads = array("d", [thread_count()] * len(examples))
        loads = array("d", [len(LOADS)] * len(examples))
        return Analysis(values, {"threads": threads, "loads": loads})


@metric
class Deadly(Metric):
    """Ends its process at the example "deadly", so many times in all; each leaves a file in `folder`."""

    name = "deadly"
    needs = frozenset()
    bounds = (0.0, 1e9)
    slow = True

    folder: str = param("", "where each death leaves a file")
    times: int = param(0, "how often it dies", range=(0, 100))

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        deaths = len(list(Path(self.folder).iterdir()))
        if deaths < self.times and any(example.item == "deadly" for example in examples):
            (Path(self.folder) / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return Analysis(array("d", [len(example.text) for example in examples]))
