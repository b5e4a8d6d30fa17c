"""The playground: data and a text in, the verdict beside them as one types."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from factable.serve.area import Area
from factable.serve.pages import page
from factable.serve.settings import Settings


def area(_settings: Settings) -> Area:
    """The page; it asks the API like any other program."""
    return Area((Route("/", show),))


async def show(_request: Request) -> Response:
    """The page of the playground."""
    return page("Playground", "playground.html", path="/", script="playground.js", style="playground.css")
