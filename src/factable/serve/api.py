"""The HTTP API."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from factable.serve.area import Area
from factable.serve.settings import Settings


def area(_settings: Settings) -> Area:
    """The routes of the API."""
    return Area((Route("/healthz", health),), open_paths=("/healthz",))


def health(_request: Request) -> Response:
    """Whether the server is up."""
    return JSONResponse({"ok": True})
