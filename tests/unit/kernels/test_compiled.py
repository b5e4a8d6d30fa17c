"""Compiled or not: the switch is all or none, gives equal results, and cannot fall back unseen in CI."""

import importlib.util
import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES, SourceFileLoader
from pathlib import Path

import pytest

from factable import kernels

FOLDER = Path(kernels.__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("_*.py") if path.stem != "__init__")

SCRIPT = """
import sys
from types import FunctionType
for name in sys.argv[1:]:
    sys.modules[name] = None
from factable import Example, Record, Table, kernels
from factable.core.registry import parse
used = {isinstance(getattr(kernels, name), FunctionType) for name in kernels.__all__ if name != "COMPILED"}
example = Example("i", "s", "Ann was born in Rome .", Table((Record("Ann", "birthPlace", "Rome"),)),
                  ("Ann comes from Rome .", "Rome is where Ann was born"))
value = parse("parent").score([example]).values[0]
print(kernels.COMPILED, *used, value.hex())
"""


def run_without(*modules: str) -> list[str]:
    """COMPILED, whether the kernels are Python functions (one word: all or none), and a PARENT value."""
    names = [f"factable.kernels.{module}" for module in modules]
    command = [sys.executable, "-W", "error", "-c", SCRIPT, *names]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def value() -> str:
    return run_without()[2]


def test_the_kernels_are_named_here() -> None:
    assert "_parent" in MODULES


@pytest.mark.parametrize("module", MODULES)
def test_one_missing_module_means_twins_everywhere(module: str, value: str) -> None:
    assert run_without(module) == ["False", "True", value]


@pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were not compiled")
def test_compiled_kernels_are_used(value: str) -> None:
    assert run_without() == ["True", "False", value]


@pytest.mark.packages
@pytest.mark.parametrize("module", MODULES)
def test_source_refuses_to_run_uncompiled(module: str) -> None:
    loader = SourceFileLoader(f"uncompiled{module}", str(FOLDER / f"{module}.py"))
    specification = importlib.util.spec_from_loader(loader.name, loader)
    assert specification is not None
    with pytest.raises(ImportError, match="not compiled"):
        loader.exec_module(importlib.util.module_from_spec(specification))


@pytest.mark.skipif(os.environ.get("CI") != "true", reason="an install without a compiler is allowed")
@pytest.mark.parametrize("module", MODULES)
def test_every_kernel_is_compiled_in_ci(module: str) -> None:
    assert kernels.COMPILED
    specification = importlib.util.find_spec(f"factable.kernels.{module}")
    assert specification is not None
    assert str(specification.origin).endswith(tuple(EXTENSION_SUFFIXES))
