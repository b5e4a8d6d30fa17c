"""`factable convert` as users run it."""

import gzip
import json
import os
from functools import partial

import pytest
from running import run_here

from factable.io.formats import FORMATS
from factable.io.read import read

TABLE = "mr,ref\nname[A],One.\nname[B],Two.\n"


convert = partial(run_here, "convert")


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.jsonl.xz", "out.jsonl.zst"])
def test_writes_what_read_reads(tmp_path, name):
    source, texts = write(tmp_path / "a.csv", TABLE), write(tmp_path / "texts", "A one\n\n")
    result = convert("e2e", source, tmp_path / name, "--texts", texts, "--system", "mine")
    assert (result.returncode, result.stdout) == (0, b"")
    assert result.stderr.decode() == f"2 examples written to {tmp_path / name}\n"
    first, second = read(tmp_path / name)
    assert (first.item, first.system, first.text, first.references) == ("1", "mine", "A one", ("One.",))
    assert (second.item, second.text) == ("2", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a.csv", "texts", name])


def test_stdin_to_stdout():
    result = convert("e2e", "-", "-", stdin=gzip.compress(b"mr,ref\nname[A],One.\n"))
    assert result.stdout == b'{"id":"1","data":[["","name","A"]],"references":["One."]}\n'
    assert result.stderr == b"1 example written to stdout\n"


def test_options_of_one_format(tmp_path):
    texts, data = write(tmp_path / "texts", "T\n"), write(tmp_path / "data", "a | b | c\n")
    assert (
        convert("parallel", texts, "-", "--data", data).stdout
        == b'{"id":"1","data":[["a","b","c"]],"text":"T"}\n'
    )
    xml = '<benchmark><entry eid="1"><mtriple>a | b | c</mtriple><lex lang="ru">R</lex></entry></benchmark>'
    result = convert("webnlg", write(tmp_path / "a.xml", xml), "-", "--lang", "ru")
    assert result.stdout == b'{"id":"1","data":[["a","b","c"]],"references":["R"]}\n'


def test_a_device_stays_a_device(tmp_path):
    result = convert("e2e", write(tmp_path / "a.csv", TABLE), os.devnull)
    assert result.returncode == 0
    assert not os.path.isfile(os.devnull)


MISUSE = [
    (["nothing", "a.csv", "o.jsonl"], "no format 'nothing'; formats are "),
    (["wikibo", "a.csv", "o.jsonl"], "did you mean 'wikibio'?"),
    (["csv", "a.csv", "o.jsonl", "--lang", "en"], "--lang is no option of csv; "),
    (["webnlg", "a.csv", "o.jsonl", "--data", "x"], "--data is no option of webnlg; "),
    (
        ["parent", "a.csv", "o.jsonl", "--texts", "x"],
        "--texts is no option of parent, which has texts of its own; ",
    ),
    (["wikibio", "a.csv", "o.jsonl"], "wikibio takes BOX SUMMARY; 1 given"),
    (["e2e", "a.csv", "b.csv"], "output 'b.csv' does not end in .jsonl; "),
    (["e2e", "a.csv", "o.jsonl", "--texts", "nowhere"], "nowhere: No such file or directory; "),
    (["csv", "o.jsonl", "o.jsonl"], "output 'o.jsonl' is a source too; "),
    (["csv", "a.csv"], "Missing argument"),
]


@pytest.mark.parametrize(("arguments", "message"), MISUSE)
def test_misuse_exits_with_2(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.csv", TABLE)
    write(tmp_path / "b.csv", TABLE)
    result = convert(*arguments)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert (tmp_path / "b.csv").read_text() == TABLE


BAD_DATA = [
    ("e2e", TABLE, ["--texts", "one"], "one: has 1 lines, but the source has 2 examples; "),
    ("e2e", TABLE, ["--texts", "three"], "three: has 3 lines, but the source has 2 examples; "),
    ("e2e", "mr,ref\n", [], "in: holds no examples; "),
    ("csv", "id,data\na,\nb,\na,\n", [], "in: example 3 repeats id 'a'; make ids unique"),
    (
        "csv",
        "id,system,data\na,s,\na,t,\n",
        ["--system", "u"],
        "in: example 2 repeats id 'a' of system 'u'; ",
    ),
    ("csv", "data\nb\nc\n", [], "in:2: \"data\" is 'b'"),
    ("webnlg", "<benchmark>", [], "in:1: broken XML"),
]


@pytest.mark.parametrize(("format_name", "content", "options", "message"), BAD_DATA)
def test_bad_data_exits_with_1_and_writes_nothing(
    tmp_path, monkeypatch, format_name, content, options, message
):
    monkeypatch.chdir(tmp_path)
    for name, text in (("in", content), ("one", "a\n"), ("three", "a\nb\nc\n")):
        write(tmp_path / name, text)
    result = convert(format_name, "in", "out.jsonl", *options)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "one", "three"]


def test_help_lists_every_format():
    shown = convert("--help").stdout.decode()
    for name, kind in FORMATS.items():
        assert any(line.split()[:1] == [name] for line in shown.splitlines()), name
        assert kind.sources in shown


ANSWERS = (
    "id;text;data;reference_1;human.fluency;model\n"
    'a;Ann lives in Rome.;"{""name"": ""Ann"", ""home"": {""city"": ""Rome""}}";Ann is from Rome.;3;m1\n'
    'b;;"{""name"": ""Bob""}";;;m2\n'
)


@pytest.mark.parametrize("format_name", ["csv", "parquet"])
def test_a_table_keeps_all_it_has(tmp_path, format_name):
    source = write(tmp_path / "answers.csv", ANSWERS)
    if format_name == "parquet":
        import pandas

        frame = pandas.read_csv(source, sep=";", keep_default_na=False)
        frame["human.fluency"] = [3.0, None]
        source = tmp_path / "answers.parquet"
        frame.to_parquet(source)
    first, second = map(json.loads, convert(format_name, source, "-").stdout.splitlines())
    assert first == {
        "id": "a",
        "data": {"name": "Ann", "home": {"city": "Rome"}},
        "text": "Ann lives in Rome.",
        "references": ["Ann is from Rome."],
        "human": {"fluency": 3.0},
        "model": "m1",
    }
    assert second == {"id": "b", "data": {"name": "Bob"}, "text": "", "model": "m2"}


def test_a_table_without_texts_takes_them_from_a_file(tmp_path):
    source = write(tmp_path / "facts.csv", "id,subject,born\na,Ann,1950\n")
    assert json.loads(convert("csv", source, "-").stdout) == {
        "id": "a",
        "subject": "Ann",
        "data": {"born": "1950"},
    }
    texts = write(tmp_path / "texts.txt", "Born in 1950.\n")
    assert json.loads(convert("csv", source, "-", "--texts", texts).stdout)["text"] == "Born in 1950."
    full = write(tmp_path / "answers.csv", ANSWERS)
    result = convert("csv", full, "-", "--texts", texts)
    assert (result.returncode, b"has texts of its own" in result.stderr) == (2, True)
