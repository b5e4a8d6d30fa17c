"""The engine `ray`: units of work go to actors on any machine of a Ray cluster, as bytes.

Files of one machine are not necessarily there on the others, so blocks travel with their lines. What to do
with them travels once, as spec text, and each actor keeps its models from unit to unit.
"""

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any, Generic, NamedTuple, TypeVar

from factable._version import __version__
from factable.engine.plan import position_of
from factable.engine.processes import Work, answer, died, in_order
from factable.errors import FactableError, MissingExtraError, UsageError, printable
from factable.io.blocks import Block, lines_of
from factable.models.runtime.threads import THREADS_VARIABLE, core_count

ADDRESS = "RAY_ADDRESS"
QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
# There is no setting for it.
PRINTING = "print_to_stdstream"
MAX_SHOWN = 200
SECONDS_TO_ANSWER = 30


@contextmanager
def connected(jobs: int | None) -> Iterator[Any]:
    """The module `ray`, connected: the existing connection, the cluster at RAY_ADDRESS, or a local one."""
    with _signals_kept():
        ray = _import_ray()
    if ray.is_initialized():
        yield ray
        return
    # Logs of Ray go with it.
    made = TemporaryDirectory(prefix="ray", dir=_short_folder(), ignore_cleanup_errors=True)
    with made as folder, _stdout_kept():
        try:
            with _signals_kept(), _quiet():
                _start(ray, jobs, folder)
            yield ray
        finally:
            ray.shutdown()


def _short_folder() -> str | None:
    """A folder for Ray's sockets, whose paths must be short; None for the default."""
    return "/tmp" if os.path.isdir("/tmp") else None  # noqa: S108 - a folder of its own is made there


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("the engine ray", "ray") from None
    return ray


def _start(ray: Any, jobs: int | None, folder: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.CRITICAL}
    address = os.environ.get(ADDRESS)
    try:
        if address:
            _probe(address)
            ray.init(address, **quiet)
        else:
            ours = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "_temp_dir": folder}
            ray.init("local", num_cpus=jobs or core_count(), **ours, **quiet)
    except Exception as error:  # Ray has no common base class for what may go wrong here
        where = f"the Ray cluster at {ADDRESS}={address} cannot be reached" if address else "Ray cannot start"
        raise FactableError(f"{where} ({one_line(error)}); check it with: ray status") from error


def _probe(address: str) -> None:
    """Fail at once if nothing listens at the address; Ray would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Turn off Ray's usage statistics, which it reads from the environment when it starts."""
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ.update({name: value for name, value in QUIET.items() if before[name] is None})
    try:
        yield
    finally:
        for name in (name for name, value in before.items() if value is None):
            del os.environ[name]


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """Keep Ray from printing dead workers to stdout; we report them ourselves."""
    driver = import_module("ray._private.worker")
    printing = getattr(driver, PRINTING, None)
    if printing is None:
        yield
        return
    setattr(driver, PRINTING, lambda *_, **__: None)
    try:
        yield
    finally:
        setattr(driver, PRINTING, printing)


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Restore the signal handlers that Ray replaces."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def one_line(error: Exception) -> str:
    """The last line of a Ray error, which says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return printable(lines[-1][:MAX_SHOWN]) if lines else type(error).__name__


T = TypeVar("T")


class RayWorker(Generic[T]):
    """The actor: one process that keeps its loaded models from unit to unit."""

    def __init__(self, work: Work[T], version: str, folder: str, settings: Mapping[str, str]) -> None:
        self._work = work
        self._version = version
        # An actor has one CPU, unless the user chose otherwise.
        os.environ.setdefault(THREADS_VARIABLE, "1")
        os.environ.update(settings)
        # Files that metrics name are looked for as on the first machine.
        with suppress(OSError):
            os.chdir(folder)

    def start(self) -> UsageError | None:
        """Refuse to run another version of factable than the driver's."""
        if self._version == __version__:
            return None
        problem = f"a Ray worker has factable {__version__}, this is {self._version}"
        return UsageError(f"{problem}; install the same version on all machines")

    def work_on(self, unit: Any) -> T | Exception:
        """The result of a unit, or the error it raised."""
        return answer(self._work, unit)


# One is worked on and the next has come already.
UNITS_PER_ACTOR = 2
# Finished units may wait for one that takes long.
UNITS_KEPT_PER_ACTOR = 4
# How often a unit is tried whose actor dies, and a start that fails: machines come and go, but not for ever.
TRIES = 3


def map_on_ray(work: Callable[[Any], T], units: Iterable[Any], *, jobs: int | None) -> Generator[T]:
    """Apply `work` to each unit on Ray, in order; `jobs` is the number of CPUs (default: all)."""
    with_lines = (unit._replace(lines=lines_of(unit)) if isinstance(unit, Block) else unit for unit in units)
    with connected(jobs) as ray:
        number = jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        pool = Actors(ray, work, number)
        try:
            yield from in_order(pool, with_lines, max_pending=UNITS_KEPT_PER_ACTOR * number)
        finally:
            pool.close()


class Given(NamedTuple):
    """A unit given to an actor: its location, its stored content and how often it was tried."""

    number: int
    location: str
    stored: Any
    actor: int = 0
    tries: int = 0


class Actors(Generic[T]):
    """A pool of Ray actors with one CPU each; one that dies is replaced, and its units are tried again.

    Ray could do that itself, but would wait with the units until there is room for the new actor.
    """

    def __init__(self, ray: Any, work: Work[T], number: int) -> None:
        self._ray = ray
        self._kind = ray.remote(num_cpus=1)(RayWorker)
        settings = {name: value for name, value in os.environ.items() if name.startswith("FACTABLE_")}
        # What to do may come with all that metrics have to know: it is sent to each machine once.
        self._how = ray.put(work), __version__, os.getcwd(), settings
        self._actors: dict[int, Any] = {}
        self._starting: dict[Any, int] = {}
        self._false_starts = 0
        self._made = 0
        # How many units each actor has, of those that have started.
        self._loads: dict[int, int] = {}
        self._given: dict[Any, Given] = {}
        self._pending: list[Given] = []
        for _ in range(number):
            self._spawn()

    def _spawn(self) -> None:
        """Ask for another actor."""
        actor = self._kind.remote(*self._how)
        self._made += 1
        self._actors[self._made] = actor
        self._starting[actor.start.remote()] = self._made

    def has_room(self) -> bool:
        """Whether a started actor can take another unit."""
        return any(load < UNITS_PER_ACTOR for load in self._loads.values())

    def give(self, number: int, unit: Any) -> None:
        """Give a unit to the least busy actor."""
        self._give(Given(number, position_of(unit), self._ray.put(unit)))

    def _give(self, given: Given) -> None:
        if not self._loads:
            self._pending.append(given)
            return
        actor = min(self._loads, key=self._loads.__getitem__)
        self._loads[actor] += 1
        finished = self._actors[actor].work_on.remote(given.stored)
        self._given[finished] = given._replace(actor=actor, tries=given.tries + 1)

    def take(self, *, wait: bool) -> dict[int, T | Exception]:
        """Results finished since the last call, by number."""
        awaited = [*self._starting, *self._given]
        done: dict[int, T | Exception] = {}
        if not awaited:
            return done
        if wait:
            self._ray.wait(awaited, num_returns=1)
        for finished in self._ray.wait(awaited, num_returns=len(awaited), timeout=0)[0]:
            if finished in self._starting:
                self._on_started(finished)
            else:
                given = self._given.pop(finished)
                made = self._result(finished, given)
                if made is not None:
                    done[given.number] = made
        return done

    def _on_started(self, started: Any) -> None:
        """An actor has started, or cannot."""
        index = self._starting.pop(started)
        try:
            refusal = self._ray.get(started)
        except self._ray.exceptions.RayError as error:
            self._false_starts += 1
            if self._false_starts == TRIES:
                problem = f"Ray workers cannot start ({one_line(error)})"
                raise FactableError(f"{problem}; is factable installed on all machines?") from error
            self._replace(index)
            return
        if refusal is not None:
            raise refusal
        self._false_starts = 0
        self._loads[index] = 0
        homeless, self._pending = self._pending, []
        for given in homeless:
            self._give(given)

    def _result(self, finished: Any, given: Given) -> T | Exception | None:
        """The result of a unit; None if it has to be tried again."""
        try:
            made: T | Exception = self._ray.get(finished)
        except self._ray.exceptions.RayTaskError as error:
            return FactableError(f"a Ray worker failed ({one_line(error)}); try --engine local")
        except self._ray.exceptions.RayError:
            self._replace(given.actor)
            if given.tries == TRIES:
                return died(given.location, TRIES)
            self._give(given)
            return None
        if given.actor in self._loads:
            self._loads[given.actor] -= 1
        return made

    def _replace(self, index: int) -> None:
        """Replace an actor that died."""
        if self._actors.pop(index, None) is not None:
            self._loads.pop(index, None)
            self._spawn()

    def close(self) -> None:
        """Stop the actors."""
        for actor in self._actors.values():
            self._ray.kill(actor)
