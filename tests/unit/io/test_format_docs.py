"""The pages about formats say what the code does."""

import json
import re

import click
import pytest

from factable.cli.convert import convert
from factable.io.data import make_table
from factable.io.examples import FIELDS
from factable.io.formats import FORMATS
from helpers.paths import ROOT

DOCS = ROOT / "docs"
FORMATS_PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")
CONVERT_PAGE = (DOCS / "commands" / "convert.md").read_text(encoding="utf-8")
FORMS = re.findall(
    r"^\| [\w ]+ \| `(.+?)`[^|]*\| (\(.+\)) \|$", FORMATS_PAGE.replace("\\|", "¦"), re.MULTILINE
)


def test_every_format_has_a_section_and_a_row():
    headings = re.findall(r"^## ([a-z0-9-]+)$", FORMATS_PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(FORMATS)
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (.+) \| (.+) \|$", CONVERT_PAGE, re.MULTILINE)
    assert rows[1:] == [(name, kind.sources, kind.about) for name, kind in sorted(FORMATS.items())]


def test_every_option_and_field_is_described():
    options = [option.opts[0] for option in convert.params if isinstance(option, click.Option)]
    assert re.findall(r"^\| `(--[a-z]+) ", CONVERT_PAGE, re.MULTILINE) == options
    described = re.findall(r"^\| `([a-z]+)` \|", FORMATS_PAGE.split("### Forms")[0], re.MULTILINE)
    assert sorted(described) == sorted(FIELDS)


def test_all_forms_of_data_were_found():
    assert len(FORMS) == 7


@pytest.mark.parametrize(("form", "shown"), FORMS)
def test_forms_of_data_give_the_records_shown(form, shown):
    records = make_table(json.loads(form.replace("¦", "|"))).records
    assert ", ".join(f"({s}, {a}, {v})" for s, a, v in records) == shown
