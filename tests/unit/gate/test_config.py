"""The configuration file."""

from dataclasses import fields

import pytest

from factable.errors import DataError
from factable.gate.config import OPTIONS, Config, read_config
from factable.gate.policy import Policy
from factable.metrics.ledger.metric import Ledger


def write(tmp_path, text):
    path = tmp_path / "factable.toml"
    path.write_text(text)
    return str(path)


def test_every_key(tmp_path):
    text = """
    required = ["food", "area=riverside"]
    optional = []
    ignore = ["near"]
    omission = 1
    hallucination = 0.25
    model = "nli"
    templates = "e2e"
    technical = ["*.sku"]
    labels = { PTS = "points", "stats.fg" = "field goals" }
    [units]
    price = "EUR"
    size.height = "cm"
    [gate]
    fail_on = ["omission"]
    max_rate = { omission = 0.05 }
    """
    config = read_config(write(tmp_path, text))
    assert config.options == {
        "required": "food,area=riverside",
        "optional": "",
        "ignore": "near",
        "omission": 1.0,
        "hallucination": 0.25,
        "model": "nli",
        "templates": "e2e",
        "technical": "*.sku",
        "labels": "PTS=points,stats.fg=field goals",
        "units": "price=EUR,size.height=cm",
    }
    rates = {"contradiction": 0.0, "hallucination": 0.0, "omission": 0.05}
    assert config.policy == Policy(("omission",), rates)
    assert Ledger(**config.options).rules.selection.required == {"food", "area=riverside"}


def test_keys_are_the_parameters_of_the_metric():
    # A gate decides by labels: what the value is does not matter.
    assert set(OPTIONS) == {field.name for field in fields(Ledger)} - {"value"}


def test_one_rate_for_all_kinds(tmp_path):
    policy = read_config(write(tmp_path, "[gate]\nmax_rate = 0.1")).policy
    assert policy.max_rate == {"contradiction": 0.1, "hallucination": 0.1, "omission": 0.1}


def test_an_empty_file_says_nothing(tmp_path):
    assert read_config(write(tmp_path, "")) == Config()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("optinal = []", "unknown key 'optinal'; did you mean 'optional'?"),
        ("[gate]\nfailon = []", "[gate] unknown key 'failon'; did you mean 'fail_on'?"),
        ('labels = ["a"]', "labels is ['a']; give a table of words by name"),
        ('units = { a = "b,c" }', "give 'a' words in quotes; commas and = are not allowed in them"),
        ('optional = "near"', "optional is 'near'; give a list of names"),
        ("ignore = [1]", "ignore is [1]; give a list of names"),
        ('required = ["a,b"]', "names hold no commas"),
        ("omission = true", "omission is True; give a number from 0 to 1"),
        ("hallucination = 1.5", "hallucination is 1.5; give a number from 0 to 1"),
        ("omission = nan", "omission is nan; give a number from 0 to 1"),
        ("model = 3", "model is 3; give a text"),
        ("gate = 3", '"gate" is no table'),
        (
            "[gate]\nfail_on = []",
            "[gate] fail_on is []; give a list of contradiction, hallucination and omission",
        ),
        ('[gate]\nfail_on = ["lies"]', "[gate] fail_on is ['lies']"),
        ("[gate]\nmax_rate = -1", "[gate] max_rate is -1; give a number from 0 to 1"),
        ("[gate]\nmax_rate = {lies = 0.1}", "[gate] max_rate is {'lies': 0.1}"),
    ],
)
def test_faults_name_file_and_key(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(DataError) as raised:
        read_config(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert message in str(raised.value)


def test_broken_toml_names_the_line(tmp_path):
    path = write(tmp_path, "omission = 0.5\noptional = near\n")
    with pytest.raises(DataError, match="broken TOML") as raised:
        read_config(path)
    assert str(raised.value).startswith(f"{path}:2: ")


def test_other_encodings_are_refused(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes(b'optional = ["caf\xe9"]')
    with pytest.raises(DataError, match="not UTF-8"):
        read_config(str(path))
