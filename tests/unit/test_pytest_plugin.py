"""The assertion and the fixture, in a pytest of their own."""

import os

import pytest

import factable
from factable.io.toml import parse_toml
from factable.testing import assert_faithful
from helpers.paths import ROOT, SOURCE

DATA = "name[Blue Spice], eatType[pub], area[riverside]"
GOOD = "Blue Spice is a pub by the riverside."
OMITS = "Blue Spice is a pub."
pytest_plugins = ["pytester"]

TESTS = f"""
import sys

def test_nothing_is_loaded_before_it_is_used():
    assert not {{"numpy", "onnxruntime", "factable.testing"}} & set(sys.modules)

def test_good(faithful):
    assert faithful({DATA!r}, {GOOD!r}) is None

def test_bad(faithful):
    faithful({DATA!r}, {OMITS!r})

def test_options(faithful):
    faithful({DATA!r}, {OMITS!r}, optional="area")
"""


@pytest.fixture
def installed(pytester, monkeypatch):
    """A folder that looks like an installed distribution with the entry points of this project."""
    project = parse_toml("pyproject.toml", (ROOT / "pyproject.toml").read_bytes(), "")["project"]
    points = project["entry-points"]["pytest11"].items()
    folder = pytester.path / "site" / "entry_points_of_factable-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: entry-points-of-factable\nVersion: 1\n")
    lines = ["[pytest11]", *(f"{name} = {value}" for name, value in points)]
    (folder / "entry_points.txt").write_text("\n".join(lines))
    source = str(SOURCE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder.parent), source]))


@pytest.mark.usefixtures("installed")
def test_the_fixture_is_there_and_shows_the_ledger(pytester):
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            "> *faithful(*",
            "E *AssertionError: ✗ omission  (probability of OK 0.*)",
            "E *✓ supported     name | Blue Spice*",
            "E *− omitted       area | riverside",
            "E *Blue Spice is a pub.",
        ]
    )
    # The failing line is that of the test, not one of factable.
    result.stdout.no_fnmatch_line("*testing.py*")


def test_assertion():
    assert_faithful(DATA, GOOD)
    assert_faithful(DATA, OMITS, required="name,eatType")
    with pytest.raises(AssertionError, match=r"omitted       area \| riverside"):
        assert_faithful(DATA, OMITS)


def test_configuration(tmp_path):
    config = tmp_path / "factable.toml"
    config.write_text('optional = ["area"]')
    assert_faithful(DATA, OMITS, config=str(config))
    with pytest.raises(AssertionError):
        assert_faithful(DATA, OMITS, config=str(config), optional="name")


def test_bad_data_is_no_failed_assertion():
    with pytest.raises(factable.DataError):
        assert_faithful("nothing", GOOD)
