"""One server for the tests that need nothing special of it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from helpers.serving import Running, serving


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process of xdist starts the server."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("serve"))


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server on loopback without a token."""
    with serving() as running:
        yield running


@pytest.fixture
def client(server: Running) -> Iterator[httpx.Client]:
    """A client of it."""
    with httpx.Client(base_url=server.url, timeout=120) as client:
        yield client
