"""`read`: every kind of source gives the same examples, and every fault one line."""

import gzip
import io
import sys

import numpy
import orjson
import pandas
import polars
import pytest

from factable.errors import DataError, MissingExtraError, UsageError
from factable.io.files import open_input
from factable.io.read import read
from factable.types import Example, Record, Table

OBJECTS = [
    {
        "id": "a",
        "system": "s",
        "data": [["x", "y", "z"]],
        "text": "one",
        "references": ["r"],
        "human": {"f": 1.5},
    },
    {"id": "b", "system": "s", "data": [["x", "y", "w"]], "text": ""},
]
EXPECTED = (
    Example("a", "s", "one", Table((Record("x", "y", "z"),)), ("r",), {"f": 1.5}),
    Example("b", "s", "", Table((Record("x", "y", "w"),))),
)
LINES = b"".join(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE) for item in OBJECTS)
CSV = "id,system,text,data,reference,human.f\na,s,one,x | y | z,r,1.5\nb,s,,x | y | w,,\n"


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.jsonl", LINES),
        ("data.jsonl.gz", gzip.compress(LINES)),
        ("data.jsonl", b"\xef\xbb\xbf" + LINES.replace(b"\n", b"\r\n\n")),
        ("data.json", orjson.dumps(OBJECTS, option=orjson.OPT_INDENT_2)),
        ("data.csv", CSV),
        ("data.tsv", CSV.replace(",", "\t")),
        ("data.CSV.GZ", gzip.compress(CSV.encode())),
    ],
)
def test_files(tmp_path, name, content):
    assert read(write(tmp_path / name, content)) == EXPECTED


def test_lists_of_dicts_and_examples():
    assert read(OBJECTS) == EXPECTED
    assert read((OBJECTS[0], EXPECTED[1])) == EXPECTED


def test_numpy_values_and_gaps_in_dicts():
    source = {
        "id": numpy.int64(3),
        "data": {"a": numpy.float64(1.5), "b": float("nan")},
        "text": numpy.str_("t"),
    }
    assert read([source]) == (Example("3", "", "t", Table((Record("", "a", "1.5"),))),)


def test_standard_input(tmp_path, monkeypatch):
    with open(write(tmp_path / "in", LINES)) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert read("-") == EXPECTED


def frame_columns():
    return {
        "id": ["a", "b"],
        "system": ["s", "s"],
        "text": ["one", ""],
        "data": [[["x", "y", "z"]], [["x", "y", "w"]]],
        "references": [["r"], []],
        "human.f": [1.5, None],
    }


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_data_frames(make):
    assert read(make(frame_columns())) == EXPECTED


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_a_data_frame_of_facts(make):
    frame = make({"id": [1, None], "text": ["t", "u"], "city": ["Rome", None], "born": [1950, 1960]})
    assert read(frame) == (
        Example("1", "", "t", Table((Record("", "city", "Rome"), Record("", "born", "1950")))),
        Example("2", "", "u", Table((Record("", "born", "1960"),))),
    )


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame])
def test_parquet(tmp_path, make):
    frame = make(frame_columns())
    path = tmp_path / "data.parquet"
    (frame.to_parquet if make is pandas.DataFrame else frame.write_parquet)(path)
    assert read(path) == EXPECTED
    assert read(write(tmp_path / "data.parquet.gz", gzip.compress(path.read_bytes()))) == EXPECTED


def test_parquet_without_pyarrow_names_the_install_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'factable\[parquet\]'"):
        read(write(tmp_path / "data.parquet", b"PAR1"))


def test_texts_may_be_missing_only_where_allowed(tmp_path):
    path = write(tmp_path / "data.jsonl", b'{"data": []}\n')
    assert read(path, need_text=False) == (Example("1", "", "", Table(())),)
    with pytest.raises(DataError, match=r'data\.jsonl:1: no "text" field; add'):
        read(path)


REPEATED = [{"id": "a", "system": "b", "data": [], "text": ""}] * 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", b"", "x.jsonl: holds no examples; "),
        ("x.jsonl", b"\n \n", "x.jsonl: holds no examples; "),
        ("x.json", b"[]", "x.json: holds no examples; "),
        ("x.csv", b"text,data\n", "x.csv: holds no examples; "),
        ("x.jsonl", b"{", "x.jsonl:1: broken JSON ("),
        ("x.jsonl", b"\n[\n1", "x.jsonl:3: broken JSON list ("),
        ("x.jsonl", b'{"a":' * 100_000, "x.jsonl:1: broken JSON (depth limit exceeded)"),
        ("x.json", b"[" * 100_000, "x.json:1: broken JSON list (depth limit exceeded)"),
        ("x.jsonl", b'{"text": "\xff"}', "x.jsonl:1: byte 11 of the line is not UTF-8; "),
        ("x.jsonl", '{"data": []}'.encode("utf-16"), "x.jsonl:1: UTF-16 text; "),
        ("x.json", b"[3]", "x.json: element 1: a number instead of an object; "),
        ("x.jsonl.gz", gzip.compress(LINES)[:-12], "x.jsonl.gz: Compressed file ended"),
        ("x.csv", b"", "x.csv:1: no header; "),
        ("x.csv", b"text,text,data\n", 'x.csv:1: two columns are named "text"; '),
        ("x.csv", b",text,data\n", "x.csv:1: column 1 has no name; "),
        ("x.csv", b"text,data\na\n", "x.csv:2: 1 cells under 2 column names; "),
        ("x.csv", b'text,data\na,"b\nc', "x.csv:2: broken CSV (unexpected end of data); "),
        ("x.csv", b'text,data\na,"[[1"\n', "x.csv:2: broken JSON ("),
        ("x.csv", b"text,data\na,b\xff\n", "x.csv:2: byte 4 of the line is not UTF-8; "),
        ("x.csv", b"data\na | b | c\n", 'x.csv:2: no "text" field; '),
        ("x.csv", b"id,text\na,b\n", 'x.csv:2: no "data" column and no other columns; '),
        ("x.csv", b"text,data,human.a\na,,bad\n", """x.csv:2: 'bad' in column "human.a"; """),
        ("x.parquet", b"nothing of the kind", "x.parquet: not readable as Parquet ("),
        (
            "x.jsonl",
            b"\n".join(map(orjson.dumps, REPEATED)),
            "x.jsonl:2: repeats id 'a' of system 'b' (first at line 1); make ids unique",
        ),
        (
            "x.json",
            orjson.dumps(REPEATED),
            "x.json: element 2: repeats id 'a' of system 'b' (first at element 1); ",
        ),
    ],
)
def test_bad_files(tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / name, content)
    with pytest.raises(DataError) as caught:
        read(name)
    assert str(caught.value).splitlines()[0].startswith(message)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "list: holds no examples; "),
        ([OBJECTS[0], 3], "list: element 2: a number instead of an object; "),
        ([*REPEATED], "list: element 2: repeats id 'a' of system 'b' (first at element 1); "),
        ([EXPECTED[0], EXPECTED[0]], "list: element 2: repeats id 'a' of system 's' (first at element 1); "),
        (pandas.DataFrame({"text": [3], "data": ["a | b | c"]}), 'DataFrame: row 1: "text" is a number; '),
    ],
)
def test_bad_values(source, message):
    with pytest.raises(DataError) as caught:
        read(source)
    assert str(caught.value).startswith(message)


def test_nul_in_csv_is_text(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(b'text,name\na\0b,"\0,\0"\n')
    (example,) = read(path)
    assert (example.text, example.table.records[0].value) == ("a\0b", "\0,\0")


def test_at_most_ten_faults_in_order(tmp_path):
    path = write(tmp_path / "x.jsonl", b"{}\n" * 4 + LINES + b"{}\n" * 20)
    with pytest.raises(DataError) as caught:
        read(path)
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3, 4, 7, 8, 9, 10, 11, 12]


@pytest.mark.parametrize("source", [3, None, {"id": "a"}, io.StringIO("")])
def test_other_sources_are_misuse(source):
    with pytest.raises(UsageError, match="give a path"):
        read(source)


def test_a_zstd_file_that_breaks_off_is_damaged(tmp_path):
    import zstandard

    packed = zstandard.ZstdCompressor().compress(LINES * 1000)
    complete, broken = write(tmp_path / "a.zst", packed * 2), write(tmp_path / "b.zst", packed[:-3])
    with open_input(complete) as stream:
        assert stream.read() == LINES * 2000
    with (
        pytest.raises(DataError, match=r"b\.zst: compressed file ends before its end mark; "),
        open_input(broken) as stream,
    ):
        stream.read()


def test_fields_that_nobody_asked_for_are_kept(tmp_path):
    path = write(tmp_path / "in.jsonl", '{"data": {"a": 1}, "text": "t", "meta": {"seed": 3}}\n')
    assert read(path)[0].extra == {"meta": {"seed": 3}}
