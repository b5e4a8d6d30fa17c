"""The corpus over HTTP: its page, lists in pages, single examples, and rescoring."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import orjson
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from factable.core.registry import names
from factable.errors import UsageError
from factable.serve.area import Area
from factable.serve.body import read_document
from factable.serve.corpus.corpus import ORDER, Corpus, NotReadyError, Query
from factable.serve.metrics import parse_metrics
from factable.serve.pages import page
from factable.serve.security import refuse
from factable.serve.settings import Settings

PATH = "/corpus"
# How many rows a list has if nobody says.
ROWS = 100


def area(settings: Settings) -> Area:
    """The routes of the corpus; where no file is named its page says so."""
    corpus = Corpus(settings.files) if settings.files else None

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.corpus = corpus
        app.state.settings = settings
        if corpus is not None:
            corpus.open()
        try:
            yield
        finally:
            if corpus is not None:
                await run_in_threadpool(corpus.close)

    routes = (
        Route(PATH, show, methods=["GET"]),
        Route("/api/corpus", about, methods=["GET"]),
        Route("/api/corpus/rows", rows, methods=["GET"]),
        Route("/api/corpus/examples/{row:int}", example, methods=["GET"]),
        Route("/api/corpus/jobs", start_job, methods=["POST"]),
        Route("/api/corpus/jobs/{job:int}/cancel", cancel_job, methods=["POST"]),
    )
    return Area(routes, lifespan, errors={NotReadyError: answer_not_ready})


def answer_not_ready(_request: Request, error: Exception) -> Response:
    """Files are being read, or cannot be."""
    return refuse(503, str(error))


def json_response(content: object, status: int = 200) -> Response:
    """JSON; numbers that are not defined become null."""
    return Response(orjson.dumps(content), status, media_type="application/json")


def corpus_of(request: Request) -> Corpus:
    """The corpus of a request, or an error that says how to get one."""
    corpus = request.app.state.corpus
    if corpus is None:
        raise UsageError("no files are open; start the server with factable serve FILE")
    assert isinstance(corpus, Corpus)
    return corpus


def show(_request: Request) -> Response:
    """The page."""
    return page("Corpus", "corpus.html", path=PATH, script="corpus.js", style="corpus.css")


async def about(request: Request) -> Response:
    """Files, systems, ratings, metrics and jobs."""
    if request.app.state.corpus is None:
        return json_response({"ready": False, "files": []})
    content = await run_in_threadpool(corpus_of(request).about)
    return json_response({**content, "known": names()})


async def rows(request: Request) -> Response:
    """Some rows of the list that a query gives."""
    given = request.query_params
    first, count = (
        read_whole_number(given, name, default) for name, default in (("first", 0), ("count", ROWS))
    )
    return json_response(await run_in_threadpool(corpus_of(request).page, read_query(given), first, count))


def read_query(given: Mapping[str, str]) -> Query:
    """The query in the parameters of an address."""
    return Query(
        words=given.get("words", ""),
        system=given.get("system"),
        judge=given.get("judge", ""),
        kind=given.get("kind", ""),
        sort=given.get("sort") or ORDER,
        backwards=given.get("backwards") == "true",
        low=_read_number(given, "low"),
        high=_read_number(given, "high"),
    )


def read_whole_number(given: Mapping[str, str], name: str, default: int) -> int:
    """A whole number from 0 in the parameters of an address."""
    text = given.get(name, str(default))
    if not (text.isascii() and text.isdecimal()) or len(text) > len("999999999999"):
        raise UsageError(f"{name} must be a whole number from 0")
    return int(text)


def _read_number(given: Mapping[str, str], name: str) -> float | None:
    text = given.get(name, "")
    try:
        return float(text) if text else None
    except ValueError:
        raise UsageError(f"{name} must be a number") from None


async def example(request: Request) -> Response:
    """One example with everything, and the texts of other systems."""
    return json_response(await run_in_threadpool(corpus_of(request).example, request.path_params["row"]))


async def start_job(request: Request) -> Response:
    """Begin to score everything with a metric."""
    body = await read_object(request)
    text = body.get("metric")
    if not isinstance(text, str):
        raise UsageError('no metric; send {"metric": "ledger"}')
    corpus = corpus_of(request)
    (metric,) = await run_in_threadpool(parse_metrics, [text], request.app.state.settings.metrics)
    job = await run_in_threadpool(corpus.rescore, metric)
    return json_response(job.to_object(), 202)


async def cancel_job(request: Request) -> Response:
    """End a job; what it scored stays."""
    job = corpus_of(request).rescoring.cancel(request.path_params["job"])
    if job is None:
        return refuse(404, "there is no such job")
    return json_response(job.to_object())


async def read_object(request: Request) -> dict[str, object]:
    """The JSON object that a request carries; refused if it is too large or something else."""
    try:
        body = orjson.loads(await read_document(request.receive))
    except orjson.JSONDecodeError:
        raise UsageError("the request is no JSON; send an object") from None
    if not isinstance(body, dict):
        raise UsageError("the request is no JSON object; send one")
    return body
