"""What the contract tests share: variants of every metric, and a language model for whoever names none."""

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest
from contract_examples import OTHER, WHOLE
from variants import VALUES, Files, Variants

from factable.core.metric import Metric
from factable.errors import MissingExtraError, MissingProgramError
from factable.metrics.judge.metric import URL_VARIABLE
from factable.models.language_model import LANGUAGE_MODEL_VARIABLE
from factable.models.runtime.folders import CONFIG
from helpers.gpt2 import make_gpt2
from helpers.judge_server import JudgeServer


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One process of xdist tries a metric in every way, as it keeps the scores."""
    for item in items:
        if "tried" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(item.callspec.params["name"]))


@pytest.fixture(scope="session", autouse=True)
def judge_server() -> Iterator[str]:
    """The address of a judge for whoever names none."""
    with JudgeServer() as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv(URL_VARIABLE, server.url)
        yield server.url


@pytest.fixture(scope="session")
def variants(tmp_path_factory, judge_server) -> Variants:
    VALUES["judge", "url"] = (f"{judge_server}/",)
    return Variants(Files(tmp_path_factory.mktemp("files")))


@pytest.fixture(scope="session")
def language_model(tmp_path_factory) -> Iterator[None]:
    """A language model for a perplexity that names none."""
    folder = tmp_path_factory.mktemp("language_model")
    if find_spec("torch"):
        make_gpt2(folder)
    # Enough of a model for the missing extra to be named.
    (folder / CONFIG).touch()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(LANGUAGE_MODEL_VARIABLE, str(folder))
        yield


@cache
def what_is_missing(metric: Metric) -> str:
    """The extra or program that a metric needs and is not here; under CI nothing may be missing."""
    try:
        metric.score([WHOLE, OTHER])
    except (MissingExtraError, MissingProgramError) as error:
        if os.environ.get("CI") == "true":
            raise
        return str(error)
    return ""


@pytest.fixture(scope="session")
def runnable():
    """A function: those of some metrics that can be run here; the test is skipped where there are none."""

    def choose(metrics) -> list[Metric]:
        reasons = {metric: what_is_missing(metric) for metric in metrics}
        if all(reasons.values()):
            pytest.skip(next(iter(reasons.values())))
        return [metric for metric, reason in reasons.items() if not reason]

    return choose
