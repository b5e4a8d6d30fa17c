"""Worker processes behind one bounded queue: whatever waits when a worker is free becomes one batch.

Nothing waits for a batch to fill. With one client a batch is one text; under load it grows by itself, and the
models are as busy as in `factable score`.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from factable.engine.processes import Worker
from factable.engine.sources import SLOW_EXAMPLES_PER_BATCH
from factable.errors import FactableError
from factable.serve.observe import Counters, log_error
from factable.serve.settings import Settings
from factable.serve.work import Answer, Check, Lines, Task, error_row, work

MAX_BATCH = SLOW_EXAMPLES_PER_BATCH
# Asked once by each worker that starts, so that the first client does not wait for models to load.
WARM_UP = (
    Check([["Blue Spice", "area", "riverside"]], "Blue Spice is by the river."),
    Check({"name": "Blue Spice", "food": "Thai"}, "Blue Spice serves pasta."),
)
WARM_UP_SECONDS = 300.0
# How often a thread that waits for a worker looks whether the server is stopping.
LOOK_SECONDS = 0.1
# How long to wait before a worker that cannot load its models is started again.
RETRY_SECONDS = 1.0
# How much a new batch counts in what is remembered of the speed.
RECENT = 0.2


class BusyError(FactableError):
    """The queue is full; `wait` is the number of seconds after which there may be room."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"too many texts are waiting; try again in {wait} s")
        self.wait = wait


class TooSlowError(FactableError):
    """A text took longer than is allowed."""


class CrashedError(FactableError):
    """A text ended its worker, or ran into an error of ours."""


class Job(NamedTuple):
    """A task that waits, and where its answer is awaited."""

    task: Task
    cost: int
    answer: "asyncio.Future[Answer]"


class Scorer:
    """Gives tasks of all clients to worker processes, in batches."""

    def __init__(self, settings: Settings, counters: Counters, work: Callable[..., object] = work) -> None:
        self._settings, self._counters = settings, counters
        # Checks, which somebody waits for, and lines of files.
        self._checks: deque[Job] = deque()
        self._lines: deque[Job] = deque()
        self._cost = 0
        self._changed = asyncio.Condition()
        self._runners: list[asyncio.Task[None]] = []
        self._threads = ThreadPoolExecutor(settings.workers, thread_name_prefix="scorer")
        self._processes = [Process(work, settings.workers, self._threads) for _ in range(settings.workers)]
        self._per_second = 10.0
        self.ready = 0

    @property
    def waiting(self) -> int:
        """How much work waits, in texts for slow metrics."""
        return self._cost

    async def __aenter__(self) -> "Scorer":
        self._runners = [asyncio.create_task(self._run(process)) for process in self._processes]
        return self

    async def __aexit__(self, *raised: object) -> None:
        for process in self._processes:
            process.stop()
        for runner in self._runners:
            runner.cancel()
        await asyncio.gather(*self._runners, return_exceptions=True)
        self._threads.shutdown()
        for process in self._processes:
            process.end()

    def refuse_if_full(self, cost: int = 1) -> None:
        """Raise BusyError if there is no room for more work."""
        if self._cost and self._cost + cost > self._settings.max_waiting:
            self._counters.add("refused_total", reason="queue")
            raise BusyError(max(1, math.ceil(self._cost / self._per_second)))

    async def ask(self, task: Task, *, cost: int = 1, patient: bool = False) -> bytes:
        """The answer to a task; BusyError if the queue is full, unless `patient`: then it waits for room."""
        async with self._changed:
            if patient:
                await self._changed.wait_for(
                    lambda: not self._cost or self._cost + cost <= self._settings.max_waiting
                )
            else:
                self.refuse_if_full(cost)
            job = Job(task, cost, asyncio.get_running_loop().create_future())
            (self._checks if isinstance(task, Check) else self._lines).append(job)
            self._cost += cost
            self._changed.notify_all()
        # Cancelled with the request: a job that nobody awaits is not worked on.
        answer = await job.answer
        if isinstance(answer, FactableError):
            raise answer
        return answer

    async def _next_batch(self) -> list[Job]:
        """What waits, up to a share of it for each worker; people come first, but files get their turn."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._checks or self._lines)
            share = math.ceil(self._cost / self._settings.workers)
            room = max(1, min(MAX_BATCH, share))
            batch: list[Job] = []
            queues = [self._checks] * len(self._checks) + [self._lines] * len(self._lines)
            if self._checks and self._lines:
                queues.insert(1, queues.pop())
            for queue in queues:
                if batch and room < queue[0].cost:
                    break
                job = queue.popleft()
                self._cost -= job.cost
                if not job.answer.cancelled():
                    batch.append(job)
                    room -= job.cost
            self._changed.notify_all()
        return batch

    async def _run(self, process: "Process") -> None:
        """Keep one worker busy."""
        while isinstance(await process.ask([], self._settings.timeout), FactableError):
            await asyncio.sleep(RETRY_SECONDS)
        self.ready += 1
        while True:
            batch = await self._next_batch()
            if batch:
                await self._answer(process, batch)

    async def _answer(self, process: "Process", batch: Sequence[Job]) -> None:
        started = time.monotonic()
        texts = sum(job.task.texts for job in batch)
        answers = await process.ask([job.task for job in batch], self._settings.timeout)
        if isinstance(answers, FactableError):
            answers = [await self._alone(process, job.task, answers) for job in batch]
        for job, answer in zip(batch, answers, strict=True):
            if not job.answer.done():
                job.answer.set_result(answer)
        seconds = time.monotonic() - started
        speed = sum(job.cost for job in batch) / max(seconds, 1e-3)
        self._per_second += RECENT * (speed - self._per_second)
        self._counters.add("texts_total", texts)
        self._counters.observe("batch_texts", texts)
        self._counters.observe("batch_seconds", seconds)

    async def _alone(self, process: "Process", task: Task, why: FactableError) -> Answer:
        """The answer to a task of a batch that failed: each text on its own, so that the others are safe."""
        self._counters.add("failed_batches_total", reason=type(why).__name__.removesuffix("Error").lower())
        pieces = task.pieces()
        answers = b""
        for piece in pieces:
            answer = await process.ask([piece], self._settings.timeout)
            only = answer if isinstance(answer, FactableError) else answer[0]
            if isinstance(only, bytes):
                answers += only
            elif isinstance(piece, Lines):
                answers += error_row(piece.first, str(only))
            else:
                return only
        return answers


class Process:
    """A worker process that is there whenever it is asked: one that dies or takes too long is replaced."""

    def __init__(self, work: Callable[..., object], workers: int, threads: ThreadPoolExecutor) -> None:
        self._work, self._workers, self._threads = work, workers, threads
        self._worker: Worker | None = None
        self._stopped = False

    async def ask(self, tasks: Sequence[Task], timeout: float) -> list[Answer] | FactableError:
        """The answers to tasks, or why there are none."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._ask, tasks, timeout)

    def stop(self) -> None:
        """Give up what is being waited for, soon."""
        self._stopped = True

    def end(self) -> None:
        """End the process, whatever it is doing."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _ask(self, tasks: Sequence[Task], timeout: float) -> list[Answer] | FactableError:
        if self._worker is None:
            # Not a copy of this process: it would keep the connections of clients open.
            self._worker = Worker(self._work, jobs=self._workers, fork=False)
            # Nobody's text has to pay for the models to load.
            warm = self._exchange(WARM_UP, WARM_UP_SECONDS)
            if isinstance(warm, FactableError):
                return warm
        return self._exchange(tasks, timeout)

    def _exchange(self, tasks: Sequence[Task], timeout: float) -> list[Answer] | FactableError:
        assert self._worker is not None
        pipe = self._worker.pipe
        until = time.monotonic() + timeout
        try:
            pipe.send(tasks)
            while not pipe.poll(LOOK_SECONDS):
                if self._stopped or time.monotonic() > until:
                    self.end()
                    return TooSlowError(f"not done after {timeout:g} s; give shorter texts or less data")
            answer = pipe.recv()
        except (EOFError, OSError):
            self.end()
            return CrashedError("the worker process ended (out of memory?); give shorter texts or less data")
        except Exception as error:
            # What cannot travel to a worker, such as data nested too deeply, must not end this thread's loop.
            self.end()
            answer = error
        if isinstance(answer, Exception):
            log_error(answer)
            return CrashedError("an error of the server; its log says where")
        return answer  # type: ignore[no-any-return]
