"""Scoring all examples of a corpus in the background, with progress and cancel."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import numpy as np

from factable.core.metric import Metric
from factable.core.results import VALUE
from factable.core.signature import sign
from factable.engine.plan import Scored
from factable.engine.score import score_files
from factable.errors import FactableError, describe_error, in_one_line
from factable.serve.corpus.index import Index
from factable.serve.corpus.scores import MetricScores, finding_rows

JobState = Literal["waiting", "running", "done", "cancelled", "failed"]
MAX_JOBS = 20


class _Cancelled(Exception):  # noqa: N818 - no error: somebody wants it so
    """Raised inside a run to end it."""


@dataclass(slots=True)
class Job:
    """One metric over all examples; what is scored can be seen at once."""

    id: int
    scores: MetricScores
    total: int
    on_end: Callable[["Job"], None]
    state: JobState = "waiting"
    scored: int = 0
    problem: str = ""
    cancelled: threading.Event = field(default_factory=threading.Event)

    def end(self, state: JobState) -> None:
        """Whoever sees that a job has ended finds everything in order."""
        self.on_end(self)
        self.state = state

    def to_object(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "id": self.id,
            "metric": self.scores.spec,
            "state": self.state,
            "scored": self.scored,
            "total": self.total,
            "problem": self.problem,
        }


class Rescoring:
    """Runs one job after the other in a thread of its own."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "rescoring")
        self._numbers = count(1)
        self._lock = threading.Lock()
        self.jobs: dict[int, Job] = {}

    def start(
        self, index: Index, metric: Metric, *, on_start: Callable[[Job], None], on_end: Callable[[Job], None]
    ) -> Job:
        """Score all examples of an index; the job's scores fill up as it runs."""
        job = Job(next(self._numbers), MetricScores.empty(metric, len(index)), len(index), on_end)
        self.jobs[job.id] = job
        self._forget_old()
        on_start(job)
        self._pool.submit(self._run, job, index)
        return job

    def cancel(self, number: int) -> Job | None:
        """End a job at the next unit of work; what it scored stays."""
        job = self.jobs.get(number)
        if job is not None:
            job.cancelled.set()
            with self._lock:
                if job.state == "waiting":
                    job.end("cancelled")
        return job

    def cancel_all(self) -> None:
        """End every job that waits or runs."""
        for number in list(self.jobs):
            self.cancel(number)

    def is_busy(self) -> bool:
        """Whether a job waits or runs."""
        return any(job.state in ("waiting", "running") for job in self.jobs.values())

    def close(self) -> None:
        """End all jobs."""
        self.cancel_all()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _forget_old(self) -> None:
        finished = [n for n, job in self.jobs.items() if job.state not in ("waiting", "running")]
        for number in finished[: max(0, len(self.jobs) - MAX_JOBS)]:
            del self.jobs[number]

    def _run(self, job: Job, index: Index) -> None:
        with self._lock:
            if job.cancelled.is_set():
                return
            job.state = "running"
        state: JobState = "failed"
        try:
            self._score(job, index)
            state = "done"
        except _Cancelled:
            state = "cancelled"
        except FactableError as error:
            job.problem = in_one_line(str(error))
        except Exception as error:
            # A metric of another package may raise anything, and the page has to say so.
            job.problem = describe_error(error)
        job.end(state)

    def _score(self, job: Job, index: Index) -> None:
        metric = job.scores.metric
        take = _Taker(job, index)
        job.scores.signature = sign(metric)
        result = score_files(
            index.paths,
            [metric],
            skip_bad=True,
            listing=finding_rows,
            listener=take,
            systems=index.file_systems,
        )
        job.scores.signature = result.scores[0].signature


class _Taker:
    """Puts the scores of each unit where their examples are in the index."""

    def __init__(self, job: Job, index: Index) -> None:
        self._job = job
        self._lines = np.frombuffer(index.line_of, np.uint32)
        files = np.frombuffer(index.file_of, np.uint16)
        self._bounds = {
            path: (int(np.searchsorted(files, file)), int(np.searchsorted(files, file, "right")))
            for file, path in enumerate(index.paths)
        }

    def __call__(self, unit: Scored) -> None:
        if self._job.cancelled.is_set():
            raise _Cancelled
        start, end = self._bounds[unit.source]
        rows = start + np.searchsorted(self._lines[start:end], np.asarray(unit.lines))
        scores, piece = self._job.scores, unit.pieces[0]
        scores.columns[VALUE][rows] = piece.values
        for name, part in piece.parts.items():
            scores.columns[name][rows] = part
        for row, listed in zip(rows.tolist(), unit.listed, strict=True):
            scores.kinds[row] = listed[0]
            scores.findings.write(row, listed[1:])
        self._job.scored += len(rows)
