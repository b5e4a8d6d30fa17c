"""One request to a server, with the standard library: deadlines that hold, limits, proxies, no redirects."""

import socket
import ssl
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

# An answer of the longest kind is some hundred kilobytes; more is no answer.
MAX_REPLY_BYTES = 8 << 20
MAX_LINE_BYTES = 1 << 20
CONNECT_SECONDS = 10.0


class UnreachableError(Exception):
    """No connection to the server."""


class BrokenConnectionError(Exception):
    """The connection broke, or the deadline passed, before the reply was complete."""


class HugeReplyError(Exception):
    """A reply larger than any answer."""


class OpenSockets:
    """The sockets of all requests under way, so that another thread can end them."""

    def __init__(self) -> None:
        self._sockets: set[socket.socket] = set()
        self._ended = False
        self._lock = threading.Lock()

    def add(self, open_socket: socket.socket) -> None:
        """Note a socket; after the end of all it ends at once."""
        with self._lock:
            self._sockets.add(open_socket)
            if self._ended:
                _end(open_socket)

    def remove(self, open_socket: socket.socket) -> None:
        """Forget a socket."""
        with self._lock:
            self._sockets.discard(open_socket)

    def end_all(self) -> None:
        """End whatever is under way."""
        with self._lock:
            self._ended = True
            for each in self._sockets:
                _end(each)


class Reply:
    """The reply of a server: status and headers, and the lines of its body."""

    def __init__(self, response: HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.getheaders()}

    def lines(self, limit: int = MAX_REPLY_BYTES) -> Iterator[bytes]:
        """The body line by line; one that is too large is not read to its end."""
        size = 0
        while line := self._response.readline(MAX_LINE_BYTES):
            size += len(line)
            if size > limit:
                raise HugeReplyError(f"a reply of more than {limit:,} bytes")
            yield line

    def start(self, limit: int) -> str:
        """The first characters of the body."""
        return self._response.read(limit).decode("utf-8", "replace")


@contextmanager
def post(
    url: str, headers: Mapping[str, str], body: bytes, *, seconds: float, sockets: OpenSockets
) -> Iterator[Reply]:
    """Send a request and read its reply inside the `with`, all in at most so many seconds.

    Redirects are not followed: the key is for this server.
    """
    connection, target, more = _connection(urlsplit(url), min(seconds, CONNECT_SECONDS))
    try:
        connection.connect()
    except (OSError, HTTPException) as error:
        connection.close()
        raise UnreachableError(_words(error)) from None
    used = connection.sock
    # A server that sends a byte now and then would never run into the socket's own time-out.
    used.settimeout(seconds)
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        _end(used)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    sockets.add(used)
    timer.start()
    try:
        connection.request("POST", target, body, {**headers, **more, "Connection": "close"})
        with connection.getresponse() as response:
            yield Reply(response)
    except Exception as error:
        # What is cut off by the deadline may look like any other fault.
        if expired.is_set() or isinstance(error, TimeoutError):
            raise BrokenConnectionError(f"no complete answer within {seconds:g} s") from None
        if isinstance(error, OSError | HTTPException):
            raise BrokenConnectionError(_words(error)) from None
        raise
    finally:
        timer.cancel()
        sockets.remove(used)
        connection.close()


def _end(open_socket: socket.socket) -> None:
    # Below TLS, whose own end needs the other side.
    with suppress(OSError):
        socket.socket.shutdown(open_socket, socket.SHUT_RDWR)


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def _connection(url: SplitResult, seconds: float) -> tuple[HTTPConnection, str, dict[str, str]]:
    """A connection that is not yet open, what to ask for on it, and headers for a proxy."""
    host = url.hostname or ""
    secure = url.scheme == "https"
    proxy = "" if _is_here(host) or proxy_bypass(host) else getproxies().get(url.scheme, "")
    via = urlsplit(proxy if "//" in proxy else f"//{proxy}") if proxy else url
    login = _login(via) if proxy else {}
    connect_to = via.hostname or host
    if not secure:
        plain = HTTPConnection(connect_to, via.port or 80, timeout=seconds)
        return plain, url.geturl() if proxy else url.path, login
    over_tls = HTTPSConnection(
        connect_to, via.port or 443, timeout=seconds, context=ssl.create_default_context()
    )
    if proxy:
        over_tls.set_tunnel(host, url.port or 443, login)
    return over_tls, url.path, {}


def _login(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    name = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {b64encode(name).decode()}"}


def _is_here(host: str) -> bool:
    """Whether a host is this machine, which no proxy leads to."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
