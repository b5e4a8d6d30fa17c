"""Content that asks for too much is refused with a line that says so, and lesser content is not."""

import gzip
import io
import json
import lzma
import os

import numpy
import pytest
import zstandard

import factable
from factable.engine import collect, sources
from factable.engine.sources import iter_units
from factable.errors import DataError, UsageError
from factable.gate.config import read_config
from factable.io import blocks, files, limits, objects
from factable.io import files as packed
from factable.io.formats import open_format
from factable.metrics.parent.counts import load_counts
from factable.study import comparison
from helpers.paths import ROOT

GOOD = {"id": "a", "data": [["s", "p", "o"]], "text": "s o"}
PACK = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstandard.compress}


def refusal(read, path, content):
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read(str(path))
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


def line(**changes):
    return json.dumps({**GOOD, **changes}).encode()


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
@pytest.mark.parametrize("filling", [b"\n", b"0"], ids=["blank lines", "one line"])
def test_bombs_are_refused_before_they_are_unpacked(tmp_path, monkeypatch, pack, filling):
    # Gigabytes would be refused in the same way, and take longer to make.
    monkeypatch.setattr(packed, "FREE_BYTES", 1 << 16)
    message = refusal(factable.read, tmp_path / "bomb", pack(filling * (1 << 23)))
    assert message == ": unpacks to more than 200 times its size; unpack it yourself if you trust it"


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_small_content_may_be_packed_as_well_as_one_likes(tmp_path, pack):
    (tmp_path / "x").write_bytes(pack(line(text="word " * 100_000)))
    assert len(factable.read(tmp_path / "x")) == 1


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_line_without_end(tmp_path, monkeypatch, ending):
    for module in (blocks, files):
        monkeypatch.setattr(module, "MAX_LINE_BYTES", 2 << 20)
    first = {"jsonl": line(), "csv": b"text,data\na,b | c | d"}[ending]
    content = first + b"\n" + b"x" * (4 << 20)
    message = refusal(factable.read, tmp_path / f"x.{ending}", content)
    assert ": a line of 2 MB or more; write one example per line" in message


def test_a_json_list_on_one_line_has_a_limit_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "MAX_LINE_BYTES", 1 << 10)
    content = b"[" + b",".join(line(id=str(number)) for number in range(20_000)) + b"]"
    (tmp_path / "x.json").write_bytes(content)
    assert len(factable.read(tmp_path / "x.json")) == 20_000
    monkeypatch.setattr(objects, "MAX_DOCUMENT_BYTES", 1 << 10)
    message = refusal(factable.read, tmp_path / "x.json", content)
    assert ": a JSON list of more than " in message


TOO_MUCH = {
    "text": (line(text="x" * 1_000_001), ":1: a text or reference of 1000001 characters; split it"),
    "reference": (line(references=["x" * 1_000_001]), ":1: a text or reference of 1000001 characters"),
    "triples": (line(data=[["", "", ""]] * 100_001), ":1: more than 100000 records; split the data"),
    "values": (line(data={"a": [1] * 100_001}), ":1: more than 100000 records; split the data"),
    "nesting": (b'{"text": "", "data": {"a":' + b"[" * 120 + b"]" * 120 + b"}}", "deeper than 100 levels"),
    "names above": (line(data={"a" * 2000: {"b": 1}}), ":1: an attribute name of 2002 characters"),
    "fields": (line(**{f"x{number}": 1 for number in range(1000)}), ":1: 1003 fields; give at most 1000"),
}


@pytest.mark.parametrize("name", TOO_MUCH)
def test_examples_beyond_all_measure(tmp_path, name):
    content, message = TOO_MUCH[name]
    assert message in refusal(factable.read, tmp_path / "x.jsonl", content)


def test_rows_of_tables_have_the_same_limits(tmp_path):
    content = b"text,data\n" + b"x" * 1_000_001 + b",a | b | c\n"
    message = refusal(factable.read, tmp_path / "x.csv", content)
    assert message.startswith(":2: a text or reference of 1000001 characters")


def test_large_examples_are_fine(tmp_path):
    content = line(text="x" * 1_000_000, data=[["", "a", "b"]] * 100_000)
    (tmp_path / "x.jsonl").write_bytes(content)
    assert len(factable.read(tmp_path / "x.jsonl")[0].table.records) == 100_000


REPEATED = {
    "object": (b'{"text": "a: b", "data": {"food": "French", "food": "Thai"}}', "'food'"),
    "row": (b'{"text": "", "data": [["a", "b", "c"], {"x": 1, "y": 2, "y": 3}]}', "'y'"),
    "field": (b'{"text": "a", "text": "b", "data": {"x": 1}}', "'text'"),
    "hidden name": (b'{"text": "", "data": {"\\u0061": 1, "a" : 2}}', "'a'"),
}


@pytest.mark.parametrize("name", REPEATED)
def test_a_name_twice_in_one_object_loses_no_fact_in_silence(tmp_path, name):
    content, said = REPEATED[name]
    message = refusal(factable.read, tmp_path / "x.jsonl", content)
    assert message == f":1: {said} occurs twice in one object; give each name once"
    message = refusal(factable.read, tmp_path / "x.json", b"[" + content + b"]")
    assert message == f": {said} occurs twice in one object; give each name once"


def test_colons_in_texts_are_no_repeats(tmp_path):
    content = b'{"text": "a: \\"b\\": c", "data": {"food": "at 10:30", "at": [{"x": 1}, {"x": 2}]}}'
    (tmp_path / "x.jsonl").write_bytes(content)
    assert len(factable.read(tmp_path / "x.jsonl")[0].table.records) == 3


def test_a_table_whose_spans_cover_everything(tmp_path):
    cell = {"value": "x", "column_span": 10**9, "row_span": 10**9}
    content = json.dumps({"table": [[cell] * 20] * 200, "highlighted_cells": [[0, 0]]}).encode()
    message = refusal(lambda path: list(open_format("totto")([path])), tmp_path / "x", content)
    assert message == ":1: cells that span too many rows and columns; correct the spans"


TOML = {
    "nested": (b"a = " + b"[" * 100_000, ": nested deeper than 100 levels; flatten it"),
    "dotted": (b"a" + b".a" * 100_000 + b" = 1", ":1: more than 200 dots in a line; break the line"),
    "large": (b"#" * (2 << 20), ": larger than 1 MB; check that it is the right file"),
    "digits": (b"omission = 1" + b"0" * 5000, ": broken TOML (Exceeds the limit"),
    "hex digits": (
        b"omission = 0x" + b"f" * 5000,
        ": omission is a number of too many digits; give a number",
    ),
}


@pytest.mark.parametrize("name", TOML)
def test_toml(tmp_path, name):
    content, message = TOML[name]
    assert refusal(read_config, tmp_path / "x.toml", content).startswith(message)


def test_arrays_that_unpack_to_gigabytes(tmp_path):
    stream = io.BytesIO()
    numpy.savez_compressed(stream, format=numpy.zeros(100 << 20, numpy.uint8))
    message = refusal(load_counts, tmp_path / "x.counts", stream.getvalue())
    assert message.startswith(": not a counts file (it unpacks to more than 200 times its size)")


def test_long_names_make_no_long_messages(tmp_path):
    for content in (line(**{"t" * 1_000_000: 1, "text": 3}), line(id=[1] * 100_000), b"\xff" * 100_000):
        assert len(refusal(factable.read, tmp_path / "x.jsonl", content)) < 1000


def test_a_json_list_of_many_empty_objects(tmp_path, monkeypatch):
    monkeypatch.setattr(objects, "MAX_OBJECTS", 1000)
    message = refusal(factable.read, tmp_path / "x.json", b"[" + b",".join([b"{}"] * 2000) + b"]")
    assert message == ": a JSON list of more than 1000 objects; write JSON lines: one object per line"


def test_faults_of_a_list_do_not_pile_up():
    (batch,) = iter_units([[{"text": 1}] * 10_000])
    assert len(batch.faults) == 10_000
    assert len(set(map(id, batch.faults))) <= 1000


def test_many_empty_frames(tmp_path):
    message = refusal(factable.read, tmp_path / "x.zst", zstandard.compress(b"") * 3000)
    assert message == ": more than 1000 empty frames; the file is damaged; download or create it again"
    few = zstandard.compress(b"") * 500
    (tmp_path / "y.zst").write_bytes(few + zstandard.compress(line()) + few)
    assert len(factable.read(tmp_path / "y.zst")) == 1


def test_systems_without_number(tmp_path, monkeypatch):
    monkeypatch.setattr(collect, "MAX_SYSTEMS", 10)
    monkeypatch.setattr(comparison, "MAX_COMPARED", 5)
    path = tmp_path / "x.jsonl"
    lines = [line(system=str(number), references=["s o"]) for number in range(11)]
    path.write_bytes(b"\n".join(lines))
    with pytest.raises(DataError, match=r': more than 10 systems; check the field "system"'):
        factable.score(path, ["parent"])
    path.write_bytes(b"\n".join(lines[:10]))
    assert len(factable.score(path, ["parent"])["parent"].values) == 10
    with pytest.raises(UsageError, match="10 systems; a comparison takes 5 at most: choose `systems`"):
        factable.compare(path, ["parent"])


def test_data_that_no_metric_can_score_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_UNSCORABLE", 2000)
    path = tmp_path / "x.jsonl"
    # Small enough for all of it to be read if need be: the last line would be refused, too.
    path.write_bytes(b"\n".join(line(id=str(number), mine="x" * 500) for number in range(9000)) + b"\n}")
    with pytest.raises(
        DataError, match=r"x.jsonl:1: no references.*, and none of the next \d+ examples has all"
    ):
        factable.score(path, ["parent"])


def test_the_first_hundred_of_many_bad_lines(tmp_path, run_command):
    path = tmp_path / "x.jsonl"
    path.write_bytes(line(references=["s o"]) + b'\n{"text": 1}' * 3000)
    told = run_command("score", path, "-m", "parent", "--skip-bad").stderr.splitlines()
    assert len(told) == 102
    assert told[-1] == "factable: 3000 bad lines skipped"


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.xml")
    with pytest.raises(DataError, match="a folder without XML files"):
        list(open_format("webnlg")([str(tmp_path)]))


def test_long_attributes_make_no_long_messages(tmp_path):
    entry = f'<entry eid="{"x" * 3_000_000}" category="c" size="1"></entry>'
    content = f"<benchmark><entries>{entry}</entries></benchmark>".encode()
    assert len(refusal(lambda path: list(open_format("webnlg")([path])), tmp_path / "x.xml", content)) < 1200


def test_a_long_misuse_makes_no_long_message(run_process):
    done = run_process("score", "x.jsonl", "-m", "p" * 100_000)
    assert done.returncode == 2
    assert len(done.stderr) < 2000


def test_too_little_memory_is_one_line(run_process, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import factable.io.read\n"
        "def fail(*_, **__):\n    raise MemoryError\n"
        "factable.io.read.iter_blocks = fail\n"
    )
    (tmp_path / "x.jsonl").write_bytes(line())
    done = run_process("score", tmp_path / "x.jsonl", "-m", "parent", extra=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"factable: out of memory; give less data at a time, or run fewer jobs\n"


def test_the_page_has_the_limits():
    page = (ROOT / "docs" / "hostile-input.md").read_text()
    names = [name for name in vars(limits) if name.isupper() and not name.startswith("SHORT")]
    assert [name for name in names if f"`{name}`" not in page] == []
    for name in names:
        value = getattr(limits, name)
        shown = f"{value >> 20} MB" if value >= 1 << 20 and value % (1 << 20) == 0 else f"{value:,}"
        assert f"`{name}` | {shown} |" in page, name
