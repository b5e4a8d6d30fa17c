"""Campaigns over HTTP: what annotators see and save, and what those who run a campaign see."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from factable.errors import UsageError
from factable.io.faults import Malformed
from factable.serve.annotation.categories import NAMES, load_categories, parse_categories
from factable.serve.annotation.creation import Creations
from factable.serve.annotation.exchange import FACTGENIE, FORMATS, export
from factable.serve.annotation.factgenie import slug
from factable.serve.annotation.figures import Figures, campaign_figures
from factable.serve.annotation.store import (
    ANNOTATE,
    Annotator,
    Campaign,
    NewCampaign,
    StaleError,
    Store,
    TextToAnnotate,
    UnknownError,
    annotator_path,
)
from factable.serve.area import Area
from factable.serve.corpus.compact import page_data
from factable.serve.corpus.routes import corpus_of, json_response, read_object, read_query
from factable.serve.metrics import parse_metrics
from factable.serve.pages import page
from factable.serve.security import (
    GUESSES_AT_ONCE,
    GUESSES_PER_SECOND,
    RateLimit,
    address_of,
    bearer,
    refuse,
)
from factable.serve.settings import Settings

PATH = "/campaigns"
API, ANNOTATE_API = "/api/campaigns", "/api/annotate"
MAX_INSTRUCTIONS = 20_000


class WrongTokenError(Exception):
    """Who asks is no annotator."""


def area(settings: Settings) -> Area:
    """The routes of campaigns; annotators come with tokens of their own."""
    guesses = RateLimit(GUESSES_PER_SECOND, GUESSES_AT_ONCE)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.store = Store(settings.annotations) if settings.annotations else None
        app.state.creations = Creations()
        app.state.figures = {}
        try:
            yield
        finally:
            await run_in_threadpool(app.state.creations.close)
            if app.state.store is not None:
                app.state.store.database.close()

    def answer_wrong_token(request: Request, _error: Exception) -> Response:
        wait = guesses.wait(address_of(request))
        if wait:
            return refuse(429, "too many wrong links; wait a moment", {"Retry-After": str(int(wait) + 1)})
        return refuse(401, "this link is not valid (any more); ask for a new one")

    routes = (
        Route(ANNOTATE, show_annotate, methods=["GET"]),
        Route(ANNOTATE_API, my_campaign, methods=["GET"]),
        Route(ANNOTATE_API + "/texts/{text:int}", my_text, methods=["GET"]),
        Route(ANNOTATE_API + "/texts/{text:int}", save_text, methods=["PUT"]),
        Route(ANNOTATE_API + "/texts/{text:int}/{step:str}", step_text, methods=["POST"]),
        Route(PATH, show_campaigns, methods=["GET"]),
        Route(API, list_campaigns, methods=["GET"]),
        Route(API, create_campaign, methods=["POST"]),
        Route(API + "/creations/{creation:int}", creation, methods=["GET"]),
        Route(API + "/creations/{creation:int}/cancel", cancel_creation, methods=["POST"]),
        Route(API + "/{campaign:int}", one_campaign, methods=["GET"]),
        Route(API + "/{campaign:int}/annotators", add_annotator, methods=["POST"]),
        Route(API + "/{campaign:int}/annotators/{annotator:int}/link", renew_link, methods=["POST"]),
        Route(API + "/{campaign:int}/export/{format:str}", export_campaign, methods=["GET"]),
    )
    errors = {
        WrongTokenError: answer_wrong_token,
        UnknownError: lambda _request, error: refuse(404, str(error)),
        StaleError: lambda _request, error: refuse(409, str(error)),
        Malformed: lambda _request, error: refuse(400, f"{error.problem}; {error.remedy}"),
    }
    return Area(routes, lifespan, errors, open_paths=(ANNOTATE, ANNOTATE_API))


def store_of(request: Request) -> Store:
    """The store of a request, or an error that says how to get one."""
    store = request.app.state.store
    if store is None:
        raise UsageError("there is no database; start the server with --annotations FILE.db")
    assert isinstance(store, Store)
    return store


async def annotator_of(request: Request) -> Annotator:
    """Who asks, by the token of their link."""
    token = bearer(request.headers)
    found = await run_in_threadpool(store_of(request).annotator_with, token) if token else None
    if found is None:
        raise WrongTokenError
    return found


def show_annotate(_request: Request) -> Response:
    """The page of annotators; it holds nothing until it has shown a token."""
    return page("Annotation", "annotate.html", path=ANNOTATE, script="annotate.js", style="annotate.css")


async def my_campaign(request: Request) -> Response:
    """The campaign of an annotator and the list of their texts."""
    annotator, store = await annotator_of(request), store_of(request)

    def find() -> object:
        campaign = store.campaign(annotator.campaign)
        return {
            "annotator": annotator.name,
            "campaign": _describe(campaign),
            # The id may tell which system wrote a text, and that must not sway anybody.
            "texts": [
                {"id": text.id, "excerpt": text.excerpt, "started": text.started, "done": text.done}
                for text in store.assigned(annotator)
            ],
        }

    return json_response(await run_in_threadpool(find))


def _describe(campaign: Campaign) -> dict[str, object]:
    return {**asdict(campaign), "categories": [category._asdict() for category in campaign.categories]}


async def my_text(request: Request) -> Response:
    """One text with what its annotator said so far."""
    annotator = await annotator_of(request)
    text = await run_in_threadpool(store_of(request).text, annotator, request.path_params["text"])
    return json_response(_text_object(text, with_content=True))


def _text_object(text: TextToAnnotate, *, with_content: bool = False) -> dict[str, object]:
    content: dict[str, object] = {}
    if with_content:
        title, records, _ = page_data(text.example.table, ())
        content = {
            "text": text.example.text,
            "title": title,
            "records": records,
            "suggestions": [suggestion._asdict() for suggestion in text.suggestions],
        }
    return {
        "id": text.id,
        "revision": text.revision,
        "state": text.state.to_object(),
        "canUndo": text.can_undo,
        "canRedo": text.can_redo,
        **content,
    }


async def save_text(request: Request) -> Response:
    """Keep a new state; the answer comes when it is on disk."""
    annotator = await annotator_of(request)
    body = await read_object(request)
    saved = await run_in_threadpool(
        store_of(request).save, annotator, request.path_params["text"], _revision_in(body), body.get("state")
    )
    return json_response(_text_object(saved))


async def step_text(request: Request) -> Response:
    """Undo or redo."""
    annotator, store = await annotator_of(request), store_of(request)
    body = await read_object(request)
    steps: dict[str, Callable[[Annotator, int, int], TextToAnnotate]] = {
        "undo": store.undo,
        "redo": store.redo,
    }
    step = steps.get(request.path_params["step"])
    if step is None:
        return refuse(404, "there is only undo and redo")
    text = await run_in_threadpool(step, annotator, request.path_params["text"], _revision_in(body))
    return json_response(_text_object(text))


def _revision_in(body: dict[str, object]) -> int:
    revision = body.get("revision")
    if type(revision) is not int:
        raise UsageError('no revision; send {"revision": 0, …}, with that of the text as you read it')
    return revision


def show_campaigns(_request: Request) -> Response:
    """The page of those who run campaigns."""
    return page("Campaigns", "campaigns.html", path=PATH, script="campaigns.js", style="campaigns.css")


async def list_campaigns(request: Request) -> Response:
    """All campaigns, and what a new one can be made of."""
    if request.app.state.store is None:
        return json_response({"ready": False, "campaigns": []})
    store, corpus = store_of(request), request.app.state.corpus

    def find() -> object:
        return {
            "ready": True,
            "campaigns": [_overview(store, campaign) for campaign in store.campaigns()],
            "categories": {name: [c._asdict() for c in load_categories(name)] for name in NAMES},
            "formats": FORMATS,
            "examples": corpus.about().get("examples", 0) if corpus is not None else 0,
        }

    return json_response(await run_in_threadpool(find))


def _overview(store: Store, campaign: Campaign) -> dict[str, object]:
    progress = store.progress(campaign.id)
    return {
        "id": campaign.id,
        "name": campaign.name,
        "created": campaign.created,
        "annotators": len(progress),
        "assigned": sum(row.assigned for row in progress),
        "done": sum(row.done for row in progress),
    }


async def one_campaign(request: Request) -> Response:
    """Progress and figures of one campaign, as of now."""
    store, number = store_of(request), request.path_params["campaign"]
    known: dict[int, tuple[tuple[object, ...], Figures]] = request.app.state.figures

    def find() -> object:
        campaign = store.campaign(number)
        version = store.version(number)
        # Pages ask every few seconds, and it takes a while where texts are many.
        if number not in known or known[number][0] != version:
            known[number] = version, campaign_figures(list(store.annotated(number)), campaign)
        return {
            **_describe(campaign),
            "annotators": [row._asdict() for row in store.progress(number)],
            "figures": known[number][1],
        }

    return json_response(await run_in_threadpool(find))


async def create_campaign(request: Request) -> Response:
    """Begin to make a campaign of the texts that a query of the corpus gives."""
    body = await read_object(request)
    store, corpus = store_of(request), corpus_of(request)
    settings: Settings = request.app.state.settings
    new = await run_in_threadpool(_new_campaign, body, settings.metrics)
    query = body.get("query") or {}
    if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
        raise UsageError("query is no object of strings; send that of the list")
    made = await run_in_threadpool(
        request.app.state.creations.start, store, corpus, new, read_query(query), settings.metrics
    )
    return json_response(made.to_object(), 202)


def _new_campaign(body: dict[str, object], granted: Sequence[str]) -> NewCampaign:
    """Check what a campaign is to be made of."""
    annotators = body.get("annotators")
    if not isinstance(annotators, list) or not all(isinstance(name, str) for name in annotators):
        raise UsageError("annotators is no list of names; name at least one")
    overlap = body.get("overlap", 1)
    if type(overlap) is not int:
        raise UsageError("overlap is no whole number; give 1 or more")
    metric = _string(body, "metric")
    if metric:
        parse_metrics([metric], granted)
    instructions = _string(body, "instructions")
    if len(instructions) > MAX_INSTRUCTIONS:
        raise UsageError(f"the instructions are too long; use up to {MAX_INSTRUCTIONS} characters")
    own = _string(body, "toml")
    name = _string(body, "categories") or NAMES[0]
    if not own and name not in NAMES:
        raise UsageError(f"no categories {name!r}; give {', '.join(NAMES)}, or those of your own as toml")
    return NewCampaign(
        name=_string(body, "name").strip(),
        categories=parse_categories("categories", own.encode()) if own else load_categories(name),
        annotators=[each.strip() for each in annotators],
        overlap=overlap,
        instructions=instructions,
        asks_facts=body.get("facts") is not False,
        metric=metric,
    )


def _string(body: dict[str, object], name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name} is no string; send one")
    return value


async def creation(request: Request) -> Response:
    """How far a campaign is being made; in the end, the links."""
    found = request.app.state.creations.get(request.path_params["creation"])
    return json_response(found.to_object()) if found else refuse(404, "there is no such campaign being made")


async def cancel_creation(request: Request) -> Response:
    """Do not make a campaign after all."""
    found = request.app.state.creations.cancel(request.path_params["creation"])
    return json_response(found.to_object()) if found else refuse(404, "there is no such campaign being made")


async def add_annotator(request: Request) -> Response:
    """Add an annotator and make their link."""
    body = await read_object(request)
    name = _string(body, "name").strip()
    token = await run_in_threadpool(store_of(request).add_annotator, request.path_params["campaign"], name)
    return json_response({"name": name, "path": annotator_path(token)}, 201)


async def renew_link(request: Request) -> Response:
    """Make a new link for an annotator; the old one ends."""
    given = request.path_params
    token = await run_in_threadpool(store_of(request).renew_token, given["campaign"], given["annotator"])
    return json_response({"path": annotator_path(token)})


async def export_campaign(request: Request) -> Response:
    """A file for studies, training or factgenie."""
    store, format_name = store_of(request), request.path_params["format"]
    if format_name not in FORMATS:
        return refuse(404, f"no format {format_name!r}; formats are {', '.join(FORMATS)}")
    campaign = await run_in_threadpool(store.campaign, request.path_params["campaign"])
    is_zip = format_name == FACTGENIE
    name = f"{slug(campaign.name)}-{format_name}.{'zip' if is_zip else 'jsonl'}"
    return StreamingResponse(
        export(store, campaign, format_name),
        media_type="application/zip" if is_zip else "application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
