"""Folders that tests read: the checkout, and the shared data, which is too large to be part of it."""

import os
from pathlib import Path

import factable

ROOT = Path(__file__).parents[2]
RESTAURANTS = ROOT / "examples" / "restaurants.jsonl"
# What PYTHONPATH has to name for another process to import the factable under test.
SOURCE = Path(factable.__file__).parents[1]
# Published data sets, a folder each; tests that read one are marked `data("NAME")`.
DATA = Path(os.environ.get("FACTABLE_DATA") or ROOT.parent / "shared" / "data")
WEBNLG = DATA / "webnlg2017"


def missing_data(names: tuple[str, ...]) -> str:
    """Why a test that reads these parts of the shared data cannot run here; empty if it can."""
    missing = [name for name in names or (".",) if not (DATA / name).exists()]
    if not missing:
        return ""
    found = f"no {', '.join(missing)} in {DATA}"
    return f"needs the shared data: {found}; name its folder with FACTABLE_DATA=FOLDER"
