"""Pages and what they are made of: a frame with the navigation bar, scripts and styles, all in memory."""

import mimetypes
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from factable.report.html import SHARED_ASSETS
from factable.serve.area import Area
from factable.serve.security import LOGIN, refuse, session_of, set_session
from factable.serve.settings import Settings

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# What the navigation bar links, with the path of each.
NAVIGATION = (("Playground", "/"), ("Corpus", "/corpus"), ("Campaigns", "/campaigns"))


class Asset(NamedTuple):
    """A file as it is sent."""

    content: bytes
    media_type: str
    etag: str


def page(title: str, content: str, *, path: str, script: str = "", style: str = "") -> Response:
    """A page in the frame of the site.

    `content` names a file of static/ with what stands in the page's <main>; `script` and `style` name a
    module and a style sheet there. `path` is that of the page in the navigation bar; a page that is not there
    shows none, because who sees it need not be allowed to see the others.
    """
    links = "".join(
        f'<a href="{to}"{" aria-current=page" if to == path else ""}>{escape(name)}</a>'
        for name, to in NAVIGATION
        if path in dict(NAVIGATION).values()
    )
    parts = {
        "title": escape(title),
        "navigation": links,
        "content": ASSETS[content].content.decode() if content else "",
        "style": f'<link rel="stylesheet" href="/static/{style}">' if style else "",
        "script": f'<script type="module" src="/static/{script}"></script>' if script else "",
    }
    html = FRAME
    for name, part in parts.items():
        html = html.replace(f"⟦{name}⟧", part)
    return Response(html, media_type="text/html")


def area(settings: Settings) -> Area:
    """Static files and the page that asks for a token."""

    async def login_page(_request: Request) -> Response:
        return page("Log in", "login.html", path=LOGIN, script="login.js")

    async def start_session(request: Request) -> Response:
        response = JSONResponse({"ok": True})
        set_session(response, request, session_of(settings.token))
        return response

    routes = (
        Route("/static/{name:str}", static_file),
        Route(LOGIN, login_page, methods=["GET"]),
        # Guarded like all else: who gets here has shown the token.
        Route("/session", start_session, methods=["POST"]),
    )
    return Area(routes, open_paths=("/static/", LOGIN))


async def static_file(request: Request) -> Response:
    """A script, style sheet or picture of ours, or 404."""
    asset = ASSETS.get(request.path_params["name"])
    if asset is None:
        return refuse(404, "there is no such file")
    headers = {"ETag": asset.etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == asset.etag:
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


def _asset(file: "Traversable") -> Asset:
    content = file.read_bytes()
    media_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    if file.name.endswith(".js"):
        # What the system thinks of this ending differs.
        media_type = "text/javascript"
    return Asset(content, media_type, f'"{sha256(content).hexdigest()[:16]}"')


ASSETS = {file.name: _asset(file) for file in (files("factable.serve") / "static").iterdir()}
ASSETS |= {file.name: _asset(file) for file in SHARED_ASSETS}
FRAME = ASSETS["frame.html"].content.decode()
