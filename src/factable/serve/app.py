"""The web application: the routes of all areas behind one guard."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware

from factable.serve import api, pages, playground
from factable.serve.annotation import routes as annotation
from factable.serve.area import Area
from factable.serve.corpus import routes as corpus
from factable.serve.observe import Counters, Observer
from factable.serve.security import Guard
from factable.serve.settings import Settings

# Each makes the routes of one area of the site.
AREAS: tuple[Callable[[Settings], Area], ...] = (
    pages.area,
    playground.area,
    corpus.area,
    annotation.area,
    api.area,
)


def create_app(settings: Settings) -> Starlette:
    """The application that a server runs."""
    areas = [make(settings) for make in AREAS]
    counters = Counters()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for area in areas:
                if area.lifespan is not None:
                    await stack.enter_async_context(area.lifespan(app))
            yield

    app = Starlette(
        routes=[route for area in areas for route in area.routes],
        middleware=[
            Middleware(Observer, counters=counters),
            Middleware(
                Guard, settings=settings, open_paths=[path for area in areas for path in area.open_paths]
            ),
        ],
        exception_handlers={kind: handler for area in areas for kind, handler in area.errors.items()},
        lifespan=lifespan,
    )
    app.state.counters = counters
    return app
