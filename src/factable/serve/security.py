"""Who may ask for what: Host and Origin checks, tokens, rate limits, and the headers of every response.

A page of another site can make a browser send requests to this server, or let its own name point here (DNS
rebinding). So a request must name a host of ours, must not come from another origin, and whatever changes
something carries a content type that no form can send.
"""

import hmac
import ipaddress
import time
from collections.abc import Sequence
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factable.serve.settings import Settings

COOKIE = "factable"
LOGIN = "/login"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
# Wrong tokens that one address may try per second, and at once.
GUESSES_PER_SECOND, GUESSES_AT_ONCE = 0.2, 10.0
# Addresses that are remembered; of more, the one that asked longest ago is forgotten.
MAX_CLIENTS = 10_000


def session_of(token: str) -> str:
    """What a browser keeps in its cookie instead of the token."""
    return hmac.new(token.encode(), b"factable session", sha256).hexdigest()


def same(given: str, expected: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), expected.encode())


def bearer(headers: Headers) -> str:
    """The token of the Authorization header, or nothing."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def cookie_of(headers: Headers, name: str = COOKIE) -> str:
    """The value of a cookie, or nothing."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel else ""


def refuse(status: int, problem: str, headers: dict[str, str] | None = None) -> Response:
    """An error as every client gets it: one line that says what is wrong and what to do."""
    return JSONResponse({"error": problem}, status, headers)


class Guard:
    """Lets through what may pass and adds the headers to every response."""

    def __init__(self, app: ASGIApp, settings: Settings, open_paths: Sequence[str]) -> None:
        self._app = app
        self._token = settings.token
        self._hosts = frozenset(
            name.lower() for name in (settings.host, *settings.allowed_hosts, "localhost")
        )
        self._open = tuple(open_paths)
        self._requests = RateLimit(settings.rate, 2 * settings.rate)
        self._guesses = RateLimit(GUESSES_PER_SECOND, GUESSES_AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            # The only other thing that the routes know is the lifespan of the server.
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refused = self._refusal(Request(scope))
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request that may not pass."""
        return (
            self._wrong_host(request)
            or self._wrong_origin(request)
            or self._too_many(request)
            or self._no_token(request)
        )

    def _wrong_host(self, request: Request) -> Response | None:
        host = host_name(request.headers.get("host", ""))
        if host in self._hosts or is_address(host):
            return None
        return refuse(421, "this server does not go by that name; name it with --allow-host")

    def _wrong_origin(self, request: Request) -> Response | None:
        headers = request.headers
        origin = headers.get("origin")
        own = f"{request.url.scheme}://{headers.get('host', '')}"
        foreign = origin is not None and origin.lower() != own.lower()
        # A link from another site may open a page, and do nothing else.
        opens_page = headers.get("sec-fetch-mode") == "navigate" and request.method == "GET"
        if foreign or (headers.get("sec-fetch-site") in ("cross-site", "same-site") and not opens_page):
            return refuse(403, "requests from pages of other sites are refused")
        if request.method not in SAFE_METHODS and _is_simple(headers):
            return refuse(415, "give the content type of what you send, such as application/json")
        return None

    def _too_many(self, request: Request) -> Response | None:
        wait = self._requests.wait(address_of(request))
        if wait == 0.0:
            return None
        return refuse(429, "too many requests; wait a moment", {"Retry-After": str(int(wait) + 1)})

    def _no_token(self, request: Request) -> Response | None:
        if not self._token or request.url.path.startswith(self._open):
            return None
        token, session = bearer(request.headers), cookie_of(request.headers)
        if same(token, self._token) or same(session, session_of(self._token)):
            return None
        if token or session:
            return self.wrong_guess(request)
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(LOGIN, 303)
        return refuse(401, "give the token as Authorization: Bearer TOKEN", {"WWW-Authenticate": "Bearer"})

    def wrong_guess(self, request: Request) -> Response:
        """The answer to a wrong token: refused, and slower and slower."""
        wait = self._guesses.wait(address_of(request))
        if wait:
            return refuse(429, "too many wrong tokens; wait a moment", {"Retry-After": str(int(wait) + 1)})
        return refuse(401, "wrong token", {"WWW-Authenticate": "Bearer"})


def _is_simple(headers: Headers) -> bool:
    """Whether a form of another site could send this without asking first."""
    given = headers.get("content-type", "").partition(";")[0].strip().lower()
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    return given in FORM_TYPES or (has_body and not given)


def address_of(request: Request) -> str:
    """The address of a client; all addresses of an IPv6 network of the usual size are one client."""
    client = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    return str(ipaddress.ip_network((address, 64), strict=False)) if address.version == 6 else client


def host_name(header: str) -> str:
    """The name in a Host header, without the port."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.rpartition(":")[0].lower() if ":" in header else header.lower()


def is_address(host: str) -> bool:
    """Whether a host is a plain IP address: no name that could be made to point elsewhere."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class RateLimit:
    """A bucket for each client, filled at `rate` and holding `burst`; each request takes one out."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, max(burst, 1.0)
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, client: str, now: float | None = None) -> float:
        """Take one out; 0 if there was one, else the seconds until there will be."""
        if not self._rate:
            return 0.0
        now = time.monotonic() if now is None else now
        left, then = self._buckets.pop(client, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= 1.0
        self._buckets[client] = (left - 1.0 if allowed else left, now)
        if len(self._buckets) > MAX_CLIENTS:
            del self._buckets[next(iter(self._buckets))]
        return 0.0 if allowed else (1.0 - left) / self._rate


def set_session(
    response: Response, request: Request, value: str, *, name: str = COOKIE, path: str = "/"
) -> None:
    """Give a browser a cookie that no script can read and no other site can make it send."""
    options: dict[str, Any] = {"httponly": True, "samesite": "strict", "path": path}
    response.set_cookie(name, value, secure=request.url.scheme == "https", **options)
