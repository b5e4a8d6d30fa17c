"""Progress below the cells of a notebook, in a real kernel."""

import re

import pytest

import factable
from helpers.paths import RESTAURANTS, SOURCE
from helpers.peers import Peer

CELL = """
import sys
sys.path.insert(0, {source!r})
import factable
examples = factable.read({path!r})
scores = factable.score({what}, "parent"{options})
"""


def outputs_of(cell):
    """What a notebook shows below a cell, as text."""
    nbformat, nbclient = Peer("nbformat.v4"), Peer("nbclient")
    notebook = nbformat.new_notebook(cells=[nbformat.new_code_cell(cell)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [output["data"] for output in notebook.cells[0].outputs if "data" in output]


@pytest.mark.packages
@pytest.mark.parametrize(
    ("what", "shown"), [("examples", "6 of 6 examples"), (repr(str(RESTAURANTS)), "6 examples")]
)
def test_a_notebook_shows_a_bar(what, shown):
    pytest.importorskip("ipykernel")
    cell = CELL.format(source=str(SOURCE), path=str(RESTAURANTS), what=what, options="")
    (data,) = outputs_of(cell)
    # One output, updated in place, which ends at the total.
    assert re.fullmatch(rf"{shown}, [\d,]+ per second", data["text/plain"])
    value, most = re.search(r'<progress value="(\d+)" max="(\d+)">', data["text/html"]).groups()
    assert value == most


@pytest.mark.packages
def test_not_if_nobody_wants_it():
    pytest.importorskip("ipykernel")
    options = ", progress=False"
    assert not outputs_of(
        CELL.format(source=str(SOURCE), path=str(RESTAURANTS), what="examples", options=options)
    )


def test_outside_notebooks_there_is_none(capsys):
    factable.score(factable.read(RESTAURANTS), "parent")
    assert capsys.readouterr() == ("", "")


def test_a_function_is_told_of_it():
    told = []
    factable.score(factable.read(RESTAURANTS), "parent", progress=told.append)
    assert told[-1] == 6
