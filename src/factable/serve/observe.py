"""What operators see: counters for Prometheus and a log that holds nothing of texts unless asked to."""

import logging
import re
import time
import traceback
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Mapping

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factable.errors import printable

log = logging.getLogger("factable.serve")
_FRAME = re.compile(r'^\s+File "(.+)", line (\d+)', re.MULTILINE)

ABOUT = {
    "requests_total": "Requests, by route, method and status.",
    "request_seconds": "Time to answer a request, by route.",
    "refused_total": "Requests that were refused, by reason.",
    "texts_total": "Texts that were scored.",
    "batch_texts": "Texts that a worker was given at once.",
    "batch_seconds": "Time for one batch.",
    "failed_batches_total": "Tasks that had to be tried again on their own, by reason.",
    "waiting": "Work in the queue, in texts.",
    "workers_ready": "Worker processes whose models are loaded.",
}
BUCKETS: Mapping[str, tuple[float, ...]] = {
    "request_seconds": (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    "batch_seconds": (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    "batch_texts": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
}
Labels = tuple[tuple[str, str], ...]


class Counters:
    """Counters, histograms and gauges, in the text format of Prometheus."""

    def __init__(self) -> None:
        self._totals: dict[str, dict[Labels, float]] = defaultdict(lambda: defaultdict(float))
        self._counts: dict[str, dict[Labels, list[int]]] = defaultdict(dict)
        self._gauges: dict[str, Callable[[], float]] = {}

    def add(self, name: str, amount: float = 1.0, **labels: str) -> None:
        """Count up."""
        self._totals[name][tuple(labels.items())] += amount

    def observe(self, name: str, value: float, **labels: str) -> None:
        """Count a value in the buckets of a histogram."""
        key = tuple(labels.items())
        counts = self._counts[name].setdefault(key, [0] * (len(BUCKETS[name]) + 1))
        counts[bisect_left(BUCKETS[name], value)] += 1
        self._totals[f"{name}_sum"][key] += value

    def gauge(self, name: str, read: Callable[[], float]) -> None:
        """Show a value that is read when somebody asks."""
        self._gauges[name] = read

    def render(self) -> str:
        """All of them as text."""
        lines: list[str] = []
        for name, about in ABOUT.items():
            kind = "gauge" if name in self._gauges else "histogram" if name in BUCKETS else "counter"
            lines += [f"# HELP factable_{name} {about}", f"# TYPE factable_{name} {kind}"]
            if name in self._gauges:
                lines.append(f"factable_{name} {self._gauges[name]():g}")
            for labels, total in self._totals[name].items():
                lines.append(f"factable_{name}{_shown(labels)} {total:.15g}")
            for labels, counts in self._counts[name].items():
                lines += self._histogram(name, labels, counts)
        return "\n".join(lines) + "\n"

    def _histogram(self, name: str, labels: Labels, counts: list[int]) -> list[str]:
        lines = []
        total = 0
        for bound, count in zip((*BUCKETS[name], "+Inf"), counts, strict=True):
            total += count
            lines.append(f"factable_{name}_bucket{_shown((*labels, ('le', str(bound))))} {total}")
        summed = self._totals[f"{name}_sum"][labels]
        return [
            *lines,
            f"factable_{name}_sum{_shown(labels)} {summed:.15g}",
            f"factable_{name}_count{_shown(labels)} {total}",
        ]


def _shown(labels: Labels) -> str:
    if not labels:
        return ""
    escaped = (
        (name, value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")) for name, value in labels
    )
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"


class Observer:
    """Counts every request and, if asked to, logs a line about it: never its query, body or token."""

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        self._app, self._counters = app, counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and take note of the answer."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.monotonic()
        status, started_answer = 500, False

        async def noting(message: Message) -> None:
            nonlocal status, started_answer
            if message["type"] == "http.response.start":
                status, started_answer = message["status"], True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:
            # Not passed on: what the server would log of it may quote a text.
            log_error(error)
            if not started_answer:
                await JSONResponse({"error": "an error of the server; its log says where"}, 500)(
                    scope, receive, noting
                )
        finally:
            # The pattern of the route, so that nobody can make up ever new names.
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in METHODS else "other"
            seconds = time.monotonic() - started
            self._counters.add("requests_total", route=route, method=method, status=str(status))
            self._counters.observe("request_seconds", seconds, route=route)
            log.info("%s %s %d %.0f ms", method, printable(scope["path"][:200]), status, 1000 * seconds)


METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def set_up_log(level: str) -> None:
    """Log to stderr: errors always, requests and texts only if asked to."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s factable: %(message)s"))
    log.handlers = [handler]
    log.propagate = False
    log.setLevel({"off": logging.WARNING, "requests": logging.INFO, "texts": logging.DEBUG}[level])


def log_error(error: Exception) -> None:
    """Log an error of ours by its type and place: what it says may quote a text."""
    # Of an error in a worker, the traceback comes as a note.
    told = "\n".join(getattr(error, "__notes__", [])) or "".join(traceback.format_tb(error.__traceback__))
    frames = _FRAME.findall(told)
    where = f" at {frames[-1][0]}:{frames[-1][1]}" if frames else ""
    log.error("%s%s", type(error).__name__, where)
    log.debug("%s", error, exc_info=error)
