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


def test_every_format_has_a_section():
    headings = re.findall(r"^## ([a-z0-9-]+)$", FORMATS_PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(FORMATS)


def test_every_option_is_described_and_every_field():
    options = [option.opts[0] for option in convert.params if isinstance(option, click.Option)]
    assert [option for option in options if option not in CONVERT_PAGE] == []
    described = re.findall(r"^\| `([a-z]+)` \|", FORMATS_PAGE.split("### Forms")[0], re.MULTILINE)
    assert sorted(described) == sorted(FIELDS)


def test_all_forms_of_data_were_found():
    assert len(FORMS) == 7


@pytest.mark.parametrize(("form", "shown"), FORMS)
def test_forms_of_data_give_the_records_shown(form, shown):
    records = make_table(json.loads(form.replace("¦", "|"))).records
    assert ", ".join(f"({s}, {a}, {v})" for s, a, v in records) == shown
