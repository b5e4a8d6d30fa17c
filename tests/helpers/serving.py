"""A real server on loopback, run in a thread of the test process; only its workers are processes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from factable.serve.server import Server, bind, config_of, url_of
from factable.serve.settings import Settings

START_SECONDS = 120


class Running:
    """A server that answers."""

    def __init__(self, url: str, server: uvicorn.Server, app: Any) -> None:
        self.url, self.server, self.app = url, server, app


@contextmanager
def serving(**options: Any) -> Iterator[Running]:
    """A server with these settings, on a port of its own; it has been stopped at the end."""
    settings = Settings(**{"port": 0, "rate": 0.0, **options})
    listening = bind(settings)
    started = threading.Event()
    config = config_of(settings)
    server = Server(config, started.set)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        assert started.wait(START_SECONDS)
        yield Running(url_of(listening), server, config.app)
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)
        listening.close()
        assert not thread.is_alive()
