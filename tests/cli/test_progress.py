"""The progress bar on a terminal, and off one."""

import io
import sys

import pytest

from factable.cli.progress import Progress
from factable.models.runtime.progress import count_steps


class Terminal(io.StringIO):
    """Takes what is shown, as a terminal does or as a file does."""

    def __init__(self, *, terminal):
        super().__init__()
        self._terminal = terminal

    def isatty(self):
        return self._terminal


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")


def show_work(monkeypatch, *, terminal):
    stream = Terminal(terminal=terminal)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress() as progress:
        advance = count_steps("texts ranked", 1500)
        advance(1200)
        progress.advance(0, 7)
        advance(300)
    advance(1)
    return stream.getvalue()


@pytest.mark.usefixtures("wide")
def test_long_work_is_shown_beside_the_examples(monkeypatch):
    shown = show_work(monkeypatch, terminal=True)
    assert "1,200 of 1,500 texts ranked" in shown
    assert "7 examples" in shown
    # What is done is not shown any more, nor what nobody waits for.
    assert "1,500 of 1,500" not in shown
    assert "1,501" not in shown


def test_nothing_is_shown_off_a_terminal(monkeypatch):
    assert show_work(monkeypatch, terminal=False) == ""


@pytest.mark.usefixtures("wide")
def test_examples_fill_the_bar_where_their_number_is_known(monkeypatch):
    stream = Terminal(terminal=True)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(total=40) as progress:
        progress.advance(0, 10)
        quarter = progress._bar.tasks[0].percentage
        progress.advance(0, 30)
        assert (quarter, progress._bar.tasks[0].finished) == (25, True)
