"""Data and text as arguments."""

import json

import pytest

from factable.cli.given import read_data, read_text
from factable.errors import DataError

PAIRS = {"name": "Blue Spice", "price": 5}
E2E = "name[Blue Spice], price[5]"


@pytest.mark.parametrize(
    ("given", "data"),
    [
        (json.dumps(PAIRS), PAIRS),
        ("\n [1]", [1]),
        (E2E, E2E),
        ("a | b | c.json", "a | b | c.json"),
        ("pairs.json", PAIRS),
        ("@pairs.json", PAIRS),
        ("@e2e.txt", E2E),
        ("@triples.txt", "a | b | c\na | d | e"),
    ],
)
def test_forms_of_data(tmp_path, monkeypatch, given, data):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pairs.json").write_text(json.dumps(PAIRS, indent=2))
    (tmp_path / "e2e.txt").write_text("\ufeff" + E2E + "\r\n")
    (tmp_path / "triples.txt").write_text("a | b | c\na | d | e\n")
    assert read_data(given, "--data") == data


def test_forms_of_text(tmp_path):
    path = tmp_path / "text.json"
    path.write_text("Two\nlines.\n\n")
    assert read_text(f"@{path}", "--text") == "Two\nlines.\n"
    assert read_text(str(path), "--text") == str(path)
    assert read_text("", "--text") == ""


def test_arguments_that_are_no_text():
    with pytest.raises(DataError, match="--text: is not UTF-8; give it as UTF-8"):
        read_text(b"caf\xe9".decode("utf-8", "surrogateescape"), "--text")


def test_broken_json_names_its_place():
    with pytest.raises(DataError) as raised:
        read_data('{"a": 1,\n "b" 2}', "--data")
    assert str(raised.value).startswith("--data: broken JSON at line 2, column ")
