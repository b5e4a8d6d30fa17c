"""What all tests share."""

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def answers_of_models(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep answers of models in a folder of this run: tests ask the same often, and leave nothing behind."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FACTABLE_CACHE", str(tmp_path_factory.mktemp("answers")))
        yield
