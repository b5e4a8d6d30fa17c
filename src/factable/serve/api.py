"""The HTTP API: check one text, score a stream of lines, and what operators ask for."""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from typing import TypeVar

import orjson
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from factable.core.metric import Metric
from factable.core.signature import spec
from factable.engine.sources import SLOW_EXAMPLES_PER_BATCH
from factable.errors import FactableError, UsageError, did_you_mean
from factable.io.duplicates import check_unique_names
from factable.io.faults import Malformed, kind_of
from factable.io.rows import to_json_types
from factable.metrics.ledger.metric import Ledger
from factable.serve.area import Area
from factable.serve.body import LineStream, TooLargeError, TooLateError, read_document
from factable.serve.metrics import describe_metrics, is_open, parse_metrics
from factable.serve.observe import log
from factable.serve.openapi import document
from factable.serve.scorer import BusyError, CrashedError, Scorer, TooSlowError
from factable.serve.security import refuse
from factable.serve.settings import Settings
from factable.serve.work import Check, Lines, error_row

T = TypeVar("T")
JSON, NDJSON = "application/json", "application/x-ndjson"
DEFAULT_METRIC = "ledger"
# Lines that go to a worker at once, of metrics that score thousands of texts a second; they cost as much as
# the texts of one batch of a slow metric.
FAST_LINES = 1000
# Seconds that a client may leave an answer unread.
MAX_UNREAD = 60.0
STATUS_OF: Mapping[type[Exception], int] = {
    TooLateError: 408,
    TooLargeError: 413,
    BusyError: 429,
    CrashedError: 500,
    TooSlowError: 504,
}
FIELDS = ("data", "text", "subject", "title")


def area(settings: Settings) -> Area:
    """The routes of the API, and the worker processes behind them."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with Scorer(settings, app.state.counters) as scorer:
            app.state.scorer = scorer
            app.state.counters.gauge("waiting", lambda: scorer.waiting)
            app.state.counters.gauge("workers_ready", lambda: scorer.ready)
            yield

    async def score(request: Request) -> Response:
        return await _score(request, settings.metrics, 1 + settings.workers)

    routes = (
        Route("/v1/check", check, methods=["POST"]),
        Route("/v1/score", score, methods=["POST"]),
        Route("/v1/metrics", metrics, methods=["GET"]),
        Route("/v1/openapi.json", openapi, methods=["GET"]),
        Route("/healthz", health, methods=["GET"]),
        Route("/metrics", counters, methods=["GET"]),
    )
    errors = {FactableError: answer_error, HTTPException: answer_http_error, ClientDisconnect: answer_nobody}
    return Area(routes, lifespan, errors, open_paths=("/healthz",))


def metrics(_request: Request) -> Response:
    """The metrics and their parameters."""
    return JSONResponse({"metrics": describe_metrics()})


async def openapi(_request: Request) -> Response:
    """The description of this API."""
    return JSONResponse(document())


async def counters(request: Request) -> Response:
    """Counters for Prometheus."""
    text = request.app.state.counters.render()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


async def health(request: Request) -> Response:
    """Whether texts can be scored: at least one worker has loaded its models."""
    ready = request.app.state.scorer.ready > 0
    return JSONResponse({"ok": ready}, 200 if ready else 503)


async def check(request: Request) -> Response:
    """The verdict on one text."""
    _require_type(request, JSON)
    body = await read_document(request.receive)
    log.debug("check %r", body)
    task = read_check(body)
    answer = await _unless_gone(request, request.app.state.scorer.ask(task))
    return Response(answer, media_type=JSON)


def read_check(body: bytes) -> Check:
    """The task in the body of a request."""
    try:
        # Refuses what is nested too deeply to travel to a worker.
        given: object = to_json_types(orjson.loads(body))
        check_unique_names(body, given)
    except orjson.JSONDecodeError as error:
        raise HTTPException(400, f"broken JSON ({error.msg.split(': line')[0]}); correct it") from None
    except Malformed as fault:
        raise UsageError(f"{fault.problem}; {fault.remedy}") from None
    if not isinstance(given, dict):
        raise UsageError(f'{kind_of(given)} instead of an object; send {{"data": …, "text": …}}')
    for name in given:
        if name not in (*FIELDS, *CHECK_OPTIONS):
            hint = did_you_mean(name, (*FIELDS, *CHECK_OPTIONS))
            raise UsageError(f"no field {name[:60]!r}; {hint}see /v1/openapi.json")
    if "data" not in given:
        raise UsageError('no "data"; give the data that the text was written from')
    for name in ("text", "subject", "title"):
        if not isinstance(given.get(name, None if name == "text" else ""), str):
            raise UsageError(f'"{name}" is {kind_of(given.get(name))}; give a string')
    # Refused here rather than in a worker.
    options = tuple((name, given[name]) for name in CHECK_OPTIONS if name in given)
    Ledger(**dict(options))
    return Check(given["data"], given["text"], given.get("subject", ""), given.get("title", ""), options)


async def _unless_gone(request: Request, answer: Awaitable[T]) -> T:
    """Await an answer, and give it up when the client hangs up, as one does who types on."""
    asked = asyncio.ensure_future(answer)
    gone = asyncio.ensure_future(_hung_up(request.receive))
    try:
        await asyncio.wait({asked, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not asked.done():
            raise ClientDisconnect
        return asked.result()
    finally:
        asked.cancel()
        gone.cancel()


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _score(request: Request, allowed: tuple[str, ...], in_progress: int) -> Response:
    """A line of scores for every line, as they come."""
    _require_type(request, NDJSON)
    for name in request.query_params:
        if name not in ("metric", "explain"):
            raise UsageError(f"no parameter {name[:60]!r}; there are metric and explain")
    chosen = parse_metrics(request.query_params.getlist("metric") or [DEFAULT_METRIC], allowed)
    for metric in chosen:
        if metric.corpus:
            raise UsageError(
                f"{spec(metric)} must know all texts before it can score one; use factable score"
            )
    explain = request.query_params.get("explain", "false")
    if explain not in ("true", "false"):
        raise UsageError(f"explain is {explain[:60]!r}; give true or false")
    scorer: Scorer = request.app.state.scorer
    scorer.refuse_if_full()
    return ScoreStream(request, scorer, chosen, explain == "true", in_progress)


class ScoreStream(Response):
    """Scores lines while more are coming in; the first answer decides about the status."""

    def __init__(
        self, request: Request, scorer: Scorer, metrics: list[Metric], explain: bool, in_progress: int
    ) -> None:
        super().__init__(media_type=NDJSON)
        del self.headers["content-length"]
        self._request, self._scorer = request, scorer
        self._metrics, self._explain = metrics, explain
        slow = any(metric.slow for metric in metrics)
        self._max_lines = SLOW_EXAMPLES_PER_BATCH if slow else FAST_LINES
        # Tasks of this stream that wait or are worked on at a time: no client fills the queue.
        self._tasks: asyncio.Queue[asyncio.Task[bytes] | None] = asyncio.Queue(in_progress)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what there is, line by line."""
        started = False
        line = 0
        async with LineStream(receive) as stream:
            producer = asyncio.create_task(self._produce(stream))
            try:
                while (task := await self._tasks.get()) is not None:
                    try:
                        rows = await task
                    except FactableError as error:
                        if not started:
                            await answer_error(self._request, error)(scope, receive, send)
                            return
                        rows, stop = error_row(line + 1, str(error)), True
                    else:
                        stop = False
                    line += rows.count(b"\n")
                    await self._send(send, rows, start=not started)
                    started = True
                    if stop:
                        break
                await self._send(send, b"", start=not started, last=True)
            except ClientDisconnect:
                return
            finally:
                producer.cancel()
                await asyncio.gather(producer, return_exceptions=True)
                while not self._tasks.empty():
                    left = self._tasks.get_nowait()
                    if left is not None:
                        left.cancel()

    async def _send(self, send: Send, body: bytes, *, start: bool, last: bool = False) -> None:
        if start:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        message = {"type": "http.response.body", "body": body, "more_body": not last}
        try:
            await asyncio.wait_for(send(message), MAX_UNREAD)
        except asyncio.TimeoutError:
            raise ClientDisconnect from None

    async def _produce(self, stream: LineStream) -> None:
        """Put a task into the queue for each block of lines, and None after the last."""
        number = 1
        specs = tuple(map(spec, self._metrics))
        try:
            async for lines in stream.blocks(self._max_lines):
                log.debug("score %r", lines)
                task = Lines(number, lines, len(lines.split(b"\n")), specs, self._explain)
                number += task.texts
                cost = math.ceil(task.texts * SLOW_EXAMPLES_PER_BATCH / self._max_lines)
                answer = self._scorer.ask(task, cost=cost, patient=True)
                await self._tasks.put(asyncio.create_task(answer))
        except Exception as error:
            await self._tasks.put(asyncio.create_task(_fail(error)))
        await self._tasks.put(None)


async def _fail(error: Exception) -> bytes:
    raise error


def _require_type(request: Request, media_type: str) -> None:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != media_type:
        raise HTTPException(415, f"the content type is {given[:60] or 'missing'}; send {media_type}")


def answer_error(_request: Request, error: Exception) -> Response:
    """The answer to a request that cannot be done as it is."""
    status = STATUS_OF.get(type(error), 422)
    headers = {"Retry-After": str(error.wait)} if isinstance(error, BusyError) else None
    return refuse(status, str(error), headers)


def answer_http_error(_request: Request, error: Exception) -> Response:
    """The answer to a request that leads nowhere."""
    assert isinstance(error, HTTPException)
    return refuse(error.status_code, error.detail, dict(error.headers or {}))


def answer_nobody(_request: Request, _error: Exception) -> Response:
    """What is logged of a request whose client has gone."""
    return Response(status_code=499)


CHECK_OPTIONS = tuple(each.name for each in Ledger.params if is_open(Ledger(), each))
