"""A Ray cluster to work on: the one that is there, or a quiet one on this machine, ended with the work."""

import logging
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

from factable.errors import FactableError, MissingExtraError, printable
from factable.models.threads import core_count

ADDRESS = "RAY_ADDRESS"
QUIET = {"RAY_USAGE_STATS_ENABLED": "0"}
# There is no setting for it.
PRINTING = "print_to_stdstream"
MOST_SHOWN = 200
SECONDS_TO_ANSWER = 30


@contextmanager
def connected(jobs: int | None) -> Iterator[Any]:
    """The module `ray`, connected: as it is, to the cluster at RAY_ADDRESS, or to one of our own."""
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
    """Where Ray keeps its sockets, whose names have to be short; None for where temporary files always go."""
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
            _knock(address)
            ray.init(address, **quiet)
        else:
            ours = {"include_dashboard": False, "_node_ip_address": "127.0.0.1", "_temp_dir": folder}
            ray.init("local", num_cpus=jobs or core_count(), **ours, **quiet)
    except Exception as error:  # Ray has no common base class for what may go wrong here
        where = f"the Ray cluster at {ADDRESS}={address} cannot be reached" if address else "Ray cannot start"
        raise FactableError(f"{where} ({one_line(error)}); check it with: ray status") from error


def _knock(address: str) -> None:
    """Find out at once that nobody is there; Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS_TO_ANSWER).close()


@contextmanager
def _quiet() -> Iterator[None]:
    """Tell Ray, which reads the environment when it starts, to keep to itself."""
    before = {name: os.environ.get(name) for name in QUIET}
    os.environ.update({name: value for name, value in QUIET.items() if before[name] is None})
    try:
        yield
    finally:
        for name in (name for name, value in before.items() if value is None):
            del os.environ[name]


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """Undo that Ray prints the death of workers among our results; we say what becomes of that."""
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
    """Undo that Ray answers SIGTERM in place of whoever did before."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def one_line(error: Exception) -> str:
    """The end of what Ray has to say, which is where it says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return printable(lines[-1][:MOST_SHOWN]) if lines else type(error).__name__
