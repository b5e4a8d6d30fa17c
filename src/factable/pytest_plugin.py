"""The pytest plug-in: a fixture that checks a text; nothing is loaded until a test asks for it."""

from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def faithful() -> Callable[..., None]:
    """Assert that a text says all, and only, what its data says: `faithful(data, text)`."""
    from factable.testing import assert_faithful

    return assert_faithful
