"""Errors of the library name parameters; those of the command line name its flags."""

import click
import pytest
from click.testing import CliRunner

from factable.cli.main import cli, with_flags
from factable.errors import UsageError


@click.command()
@click.argument("files", nargs=-1)
@click.option("-m", "--metric", "metrics")
@click.option("--bootstrap", "draws")
def command(): ...


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("add it with `metrics`", "add it with --metric"),
        ("`draws` is 0; raise `draws`", "--bootstrap is 0; raise --bootstrap"),
        ("`files` is empty", "FILES is empty"),
        ("`unknown` and metrics stay", "`unknown` and metrics stay"),
    ],
)
def test_flags_for_parameters(message, expected):
    assert with_flags(message, command) == expected


def test_of_the_command_that_runs(tmp_path):
    path = tmp_path / "rated.jsonl"
    path.write_text('{"id": "1", "data": {"a": "b"}, "text": "b", "references": ["b"], "human": {"x": 1}}\n')
    result = CliRunner().invoke(cli, ["study", "verdicts", str(path), "--threshold", "2"])
    assert isinstance(result.exception, UsageError)
    assert str(result.exception) == "--threshold applies to ratings; name them with --human"
