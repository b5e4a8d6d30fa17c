"""Packages that tests compare with and the default run does without: those of the extra test-all."""

import os
from importlib import import_module
from typing import Any

import pytest


class Peer:
    """A module of another package, imported when a test first uses it; such a test is marked `packages`.

    Where it is missing the test is skipped, but never under CI.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        # pytest looks for names such as __test__ on everything in a module, before any test runs.
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        load = import_module if os.environ.get("CI") == "true" else pytest.importorskip
        return getattr(load(self._name), attribute)
