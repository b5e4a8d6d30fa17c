"""Names and texts from outside neither steer a terminal nor break a file, nor become formulas or markup."""

import csv
import io
import json
import xml.etree.ElementTree as Xml

import pytest

from factable.report.formats import csv_lines, csv_text, to_latex, to_markdown, to_terminal
from factable.report.tables import TextTable

# Clears the screen, writes backwards, ends a table's cell, a tag, a script, a command of a workflow.
NASTY = "=1+1\x1b[2J\u202egnp.\x00|`<script>alert(1)</script>]]>\r\n::error::x\n\\end{tabular}[bold]&%$\x9b"
HIDDEN = "\x1b\u202e\x00\x9b\r"


@pytest.fixture
def nasty_file(tmp_path):
    lines = [
        {
            "id": f"{NASTY}{number}",
            "system": NASTY,
            "data": [[NASTY, NASTY, NASTY]],
            "text": f"{NASTY} It serves Thai food in Paris.",
            "references": [NASTY],
        }
        for number in range(2)
    ]
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("shape", ["table", "markdown", "latex"])
def test_score(run_command, nasty_file, shape):
    result = run_command("score", nasty_file, "-m", "parent", "--format", shape)
    assert result.exit_code == 0, result.exception
    shown = result.stdout_bytes.decode()
    assert not set(HIDDEN) & set(shown)
    assert "\n::error" not in shown
    if shape == "markdown":
        assert "<script>" not in shown


@pytest.mark.parametrize("shape", ["json", "jsonl"])
def test_score_as_json(run_command, nasty_file, shape):
    shown = run_command("score", nasty_file, "-m", "parent", "--format", shape).stdout_bytes.decode()
    assert not set("\x1b\x00\r") & set(shown)
    assert all(json.loads(line) for line in shown.removesuffix("\n").split("\n"))


def test_score_explains(run_command, nasty_file):
    result = run_command("score", nasty_file, "-m", "parent", "--explain")
    assert result.exit_code == 0, result.exception
    assert not set(HIDDEN) & set(result.stdout_bytes.decode())


def read_csv(content):
    """The cells; the csv module of Python 3.10 does not read NUL, and is given something else for it."""
    lines = io.StringIO(content.decode("utf-8", "surrogatepass").replace("\0", "\ue000"), newline="")
    return [[cell.replace("\ue000", "\0") for cell in row] for row in csv.reader(lines)]


@pytest.mark.parametrize("letter", [*HIDDEN, '"', ",", "\n", "\u2028", "\udcff", " "])
def test_any_letter_in_csv(letter):
    rows = [["a", letter, f"b{letter}{letter}c"], ["", f'"{letter}"', "d"]]
    assert read_csv(b"".join(csv_lines(rows))) == rows


def test_score_as_csv(run_command, nasty_file):
    result = run_command("score", nasty_file, "-m", "parent", "--format", "csv")
    header, *rows = read_csv(result.stdout_bytes)
    assert header[:3] == ["id", "system", "parent"]
    assert [row[:2] for row in rows] == [[f"'{NASTY}{number}", f"'{NASTY}"] for number in range(2)]
    assert all(float(cell) >= 0 for row in rows for cell in row[2:])


def test_gate(run_command, nasty_file, tmp_path):
    result = run_command("gate", nasty_file, "--junit", tmp_path / "junit.xml", "--github")
    assert result.exit_code == 1, result.exception
    assert not set(HIDDEN) & set(result.stdout_bytes.decode())
    written = (tmp_path / "junit.xml").read_text()
    assert not set(HIDDEN) & set(written)
    named = [case.get("name") for case in Xml.fromstring(written).iter("testcase")]
    assert any(r"\x1b[2J\u202e" in name for name in named)


def test_report(run_command, nasty_file, tmp_path):
    result = run_command("score", nasty_file, "-m", "parent", "--report", tmp_path / "page.html")
    assert result.exit_code == 0, result.exception
    page = (tmp_path / "page.html").read_text()
    # Every tag and every script of the page is its own.
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\x00" not in page


@pytest.mark.parametrize("name", ["[/x]", "[bold]", "\x1b[2J", "a\nb", "|", "*", "&", "\\", "愛"])
def test_tables_hold_any_name_in_any_place(name):
    table = TextTable(name, ("system", name), ((name, name),), name, frozenset({(0, 1)}))
    for render in (to_terminal, to_markdown, to_latex):
        shown = render([table], [name])
        assert not set(HIDDEN) & set(shown)
    assert "[/x]" in to_terminal([TextTable("t", ("[/x]",), (("[/x]",),), "")])


@pytest.mark.parametrize(
    "text", ["=1+1", "+A1", "-A1", "@SUM(A1)", "\tx", "\r=1", "＝1", "'t Fornuis", "'=1", "-", "--5"]
)
def test_formulas_become_text_that_can_be_had_back(text):
    assert csv_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+1.5e-3", "-.5", "3", "a=b", "", "item-1", "愛", " =1"])
def test_numbers_and_other_texts_stay_as_they_are(text):
    assert csv_text(text) == text
