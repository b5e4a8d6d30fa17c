"""Runs the application until it is told to stop, and then lets requests finish."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from signal import SIGINT, SIGTERM, signal

import uvicorn

from factable.errors import UsageError
from factable.serve.app import create_app
from factable.serve.observe import set_up_log
from factable.serve.settings import Settings

# Seconds that requests have to finish after the server is told to stop.
GRACE_SECONDS = 20
KEEP_ALIVE_SECONDS = 15
MAX_CONNECTIONS = 1000
BACKLOG = 1024


def bind(settings: Settings) -> socket.socket:
    """The socket to listen on; of port 0, one that is free."""
    try:
        family, *_, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        where = f"{settings.host}:{settings.port}"
        raise UsageError(
            f"cannot listen on {where} ({error.strerror or error}); choose another `host` or `port`"
        ) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Where a browser on this machine finds the server."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Server(uvicorn.Server):
    """A server that ends with the first signal without passing it on: to stop it is no failure."""

    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._on_start()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at Ctrl-C and SIGTERM; at the second one without waiting for requests."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal(number, self.handle_exit) for number in (SIGINT, SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal(number, handler)


def config_of(settings: Settings) -> uvicorn.Config:
    """How the application is run."""
    return uvicorn.Config(
        create_app(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        backlog=BACKLOG,
        limit_concurrency=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies),
    )


def run(settings: Settings, listening: socket.socket, on_start: Callable[[], None]) -> None:
    """Serve until told to stop; `on_start` is called when requests are answered."""
    set_up_log(settings.log)
    Server(config_of(settings), on_start).run([listening])
