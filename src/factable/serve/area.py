"""What each area of the site contributes to the application."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute


@dataclass(frozen=True, slots=True)
class Area:
    """Routes, what runs as long as the server does, and how errors are answered.

    `open_paths` begin the paths that need no token of the server, because they hold nothing or ask for a
    token of their own.
    """

    routes: tuple[BaseRoute, ...]
    lifespan: Callable[[Starlette], AbstractAsyncContextManager[None]] | None = None
    errors: Mapping[Any, Callable[..., Any]] = field(default_factory=dict)
    open_paths: tuple[str, ...] = ()
