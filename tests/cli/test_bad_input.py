"""Bad input: one line per fault that says where, what was found and what to do; and nothing is written."""

import gzip
import io
import json
import lzma
import pickle

import numpy
import pytest
import zstandard

GOOD = {"id": "a", "data": [["s", "p", "o"]], "text": "s o", "references": ["s has o"]}
OUTPUTS = [["--format", "json"], ["--format", "jsonl"], ["--format", "csv"], ["--out", "out.json"]]


def line(**changes):
    """A good line with some fields changed; None leaves one out."""
    return json.dumps(
        {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    ).encode()


NOT_A_TEXT = '"text" is {}; give the text as a string'
FORMS = 'give triples [["s", "p", "o"], …], "s | p | o" strings, an object, '
BAD_LINES = {
    "broken JSON": (
        b'{"id": 1,',
        "broken JSON (unexpected end of data) near '{\"id\": 1,'; write one complete",
    ),
    "two objects": (line() * 2, "broken JSON (unexpected content after document) near "),
    "NaN": (b'{"text": NaN}', "near '{\"text\": NaN}'; write one complete JSON object"),
    "nested deep": (b'{"data":' + b"[" * 100_000, "broken JSON (depth limit exceeded) near "),
    "nested data": (
        b'{"text": "", "data":' + b'{"a":' * 200 + b"1" + b"}" * 201,
        '"data" is nested deeper than 100 levels; flatten it',
    ),
    "invalid UTF-8": (b'{"text": "\xff"}', "byte 11 of the line is not UTF-8; save the file as UTF-8"),
    "lone surrogate": (rb'{"text": "\ud83d"}', "broken JSON ("),
    "no object": (b"3", 'a number instead of an object; write {"id": …, "data": …, "text": …}'),
    "a string": (b'"text"', "a string instead of an object; write "),
    "no text": (line(text=None), 'no "text" field; add the text to be checked (an empty output is "")'),
    "null text": (b'{"text": null, "data": []}', '"text" is null; add the text to be checked'),
    "number as text": (line(text=3), NOT_A_TEXT.format("a number")),
    "list as text": (line(text=["s"]), NOT_A_TEXT.format("a list")),
    "no data": (line(data=None), 'no "data" field; add the data the text was written from'),
    "null data": (b'{"text": "", "data": null}', f'"data" is null; {FORMS}'),
    "number as data": (line(data=3), f'"data" is a number; {FORMS}'),
    "some string as data": (
        line(data="what"),
        "\"data\" is 'what', which cannot be read from 'what' on; " + FORMS,
    ),
    "pair as triple": (line(data=[["a", "b"]]), '"data" has 2 parts in triple 1; a triple has subject, '),
    "object in triple": (line(data=[["a", "b", {}]]), '"data" has an object in triple 1; use strings, '),
    "number among triples": (line(data=[["a", "b", "c"], 3]), '"data" has a number as element 2; give'),
    "two parts with bars": (line(data=["a | b"]), "\"data\" has 'a | b' with 2 parts; a triple is "),
    "string as references": (line(references="r"), '"references" is a string; give a list of strings'),
    "number as reference": (line(references=[3]), '"references" holds a number; give strings only'),
    "number as human": (line(human=3), '"human" is a number; give an object such as {"semantics": 2.3}'),
    "zero as human": (line(human=0), '"human" is a number; give an object such as {"semantics": 2.3}'),
    "word as rating": (line(human={"f": "good"}), '"human" has a string for "f"; give numbers'),
    "boolean as rating": (line(human={"f": True}), '"human" has a boolean for "f"; give numbers'),
    "misspelt text": (
        line(text=None, txt="s"),
        "unknown field \"txt\"; did you mean 'text'? Fields are id, ",
    ),
    "misspelt references": (
        line(references=None, refrences=["r"]),
        "unknown field \"refrences\"; did you mean 'references'? Fields are id, ",
    ),
    "fraction as id": (line(id=1.5), '"id" is a number; give a string or a whole number'),
    "list as system": (line(system=[]), '"system" is a list; give a string or a whole number'),
    "number as subject": (line(subject=3), '"subject" is a number; give a string'),
    "list as title": (line(title=["t"]), '"title" is a list; give a string'),
    "repeated id": (line(), "repeats id 'a'; make each pair of id and system unique"),
    "hidden characters": (line(text=None, **{"te\x1b[2Jxt": 1}), 'no "text" field; '),
    "escaped words": (
        line(data="\x1b[2J\u202e"),
        r"""data" is '\x1b[2J\u202e', which cannot be read from '\x1b[2J\u202e' on; """,
    ),
}


def check_refusal(result, folder, before):
    """One line per fault, no traceback, nothing on stdout, nothing written."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == b""
    assert sorted(folder.iterdir()) == before
    lines = result.stderr.decode().removesuffix("\n").split("\n")
    assert lines[0].startswith("factable: ")
    assert "Traceback" not in result.stderr.decode()
    assert all(character.isprintable() for each in lines for character in each)
    return [lines[0].removeprefix("factable: "), *lines[1:]]


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line(factable_score, tmp_path, name):
    bad, message = BAD_LINES[name]
    (tmp_path / "data.jsonl").write_bytes(line() + b"\n\n" + bad + b"\n" + line(id="b") + b"\n")
    # Each output in turn, over the whole table.
    output = OUTPUTS[list(BAD_LINES).index(name) % len(OUTPUTS)]
    result = factable_score("data.jsonl", *output, cwd=tmp_path)
    (shown,) = check_refusal(result, tmp_path, [tmp_path / "data.jsonl"])
    assert shown.startswith("data.jsonl:3: ")
    assert message in shown
    assert "; " in shown


def damaged(pack):
    return pack(b"\n".join(line(id=str(number)) for number in range(500)))[:-30]


BAD_FILES = {
    "empty": ("x.jsonl", b"", "x.jsonl: holds no examples; give at least one"),
    "blank lines": ("x.jsonl", b"\n \r\n\n", "x.jsonl: holds no examples; give at least one"),
    "UTF-16": (
        "x.jsonl",
        (line() * 3).decode().encode("utf-16"),
        "x.jsonl:1: UTF-16 text; save the file as UTF-8",
    ),
    "UTF-16 CSV": ("x.csv", "text,data\n".encode("utf-16"), "x.csv:1: byte 1 of the line is not UTF-8; save"),
    "cut gz": ("x.jsonl.gz", damaged(gzip.compress), "x.jsonl.gz: Compressed file ended before the end-of-"),
    "cut xz": ("x.jsonl.xz", damaged(lzma.compress), "x.jsonl.xz: Compressed file ended before the end-of-"),
    "cut zst": (
        "x.jsonl.zst",
        damaged(zstandard.compress),
        "x.jsonl.zst: compressed file ends before its end mark; the file is damaged; download or create it",
    ),
    "no gz": ("x.gz", b"\x1f\x8bnothing of the kind", "x.gz: Unknown compression method; the file is dam"),
    "broken list": (
        "x.json",
        b'[{"id": "a"},',
        "x.json:1: broken JSON list (unexpected end of data); write ",
    ),
    "deep list": ("x.json", b"[" * 100_000, "x.json:1: broken JSON list (depth limit exceeded); write one "),
    "bad element": ("x.json", b"[3]", "x.json: element 1: a number instead of an object; write"),
    "no header": ("x.csv", b"", "x.csv:1: no header; put the column names in the first line"),
    "short row": ("x.csv", b"text,data\na\n", "x.csv:2: 1 cells under 2 column names; give every row one"),
    "open quote": ("x.csv", b'text,data\n"a,b\n', "x.csv:2: broken CSV (unexpected end of data); put"),
    "no Parquet": ("x.parquet", b"nothing of the kind", "x.parquet: not readable as Parquet ("),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file(factable_score, tmp_path, name):
    file, content, message = BAD_FILES[name]
    (tmp_path / file).write_bytes(content)
    output = OUTPUTS[list(BAD_FILES).index(name) % len(OUTPUTS)]
    (shown,) = check_refusal(factable_score(file, *output, cwd=tmp_path), tmp_path, [tmp_path / file])
    assert shown.startswith(message)
    assert "; " in shown


@pytest.mark.parametrize("jobs", [1, 2])
def test_files_that_are_not_there_are_all_named_at_once(factable_score, tmp_path, jobs):
    (tmp_path / "data.jsonl").write_bytes(b"{\n")
    (tmp_path / "folder").mkdir()
    result = factable_score("data.jsonl", "folder", "nowhere.jsonl", "--jobs", jobs, cwd=tmp_path)
    assert check_refusal(result, tmp_path, [tmp_path / "data.jsonl", tmp_path / "folder"]) == [
        "folder: is a folder; name a file",
        "nowhere.jsonl: No such file or directory; check the path",
    ]


def test_output_that_cannot_be_written(factable_score, tmp_path):
    (tmp_path / "data.jsonl").write_bytes(line())
    before = [tmp_path / "data.jsonl", tmp_path / "folder.json"]
    (tmp_path / "folder.json").mkdir()
    for out, message in [
        ("nowhere/out.json", "nowhere/out.json: cannot write: No such file or directory; check the path"),
        ("folder.json", "folder.json: is a folder; name a file to write"),
    ]:
        result = factable_score("data.jsonl", "--out", out, cwd=tmp_path)
        assert check_refusal(result, tmp_path, before) == [message]


@pytest.mark.parametrize("jobs", [1, 2])
def test_repeats_across_files_are_named_where_they_are(factable_score, tmp_path, jobs):
    (tmp_path / "one.jsonl").write_bytes(line(system="s") + b"\n" + line(id="b"))
    (tmp_path / "two.json").write_bytes(b"[3," + line(id="c") + b"," + line(system="s") + b"]")
    before = sorted(tmp_path.iterdir())
    result = factable_score("one.jsonl", "two.json", "--jobs", jobs, cwd=tmp_path)
    assert check_refusal(result, tmp_path, before) == [
        'two.json: element 1: a number instead of an object; write {"id": …, "data": …, "text": …}',
        "two.json: element 3: repeats id 'a' of system 's'; make each pair of id and system unique",
    ]


SPECS = {
    "parnet": "no metric 'parnet'; did you mean 'parent'? metrics are ",
    "nothing": "no metric 'nothing'; metrics are ",
    "parent(mx=1)": "parent has no parameter 'mx'; did you mean 'mix'? parameters are entailment, counts, ",
    "parent(mix=2)": "parent: mix is 2; it must be auto or a number from 0 to 1",
    "parent(orders=0)": "parent: orders is 0; it must be a whole number from 1 to ",
    'parent(tokens="bytes")': "parent: tokens is 'bytes'; it must be one of words, ",
    "parent(compat=[1])": "parent: compat is [1]; it must be one of",
    "parent(mix=1": "cannot read the metric 'parent(mix=1'; write name or name(parameter=value, …), such as ",
    "parent(0.5)": "cannot read the metric 'parent(0.5)'; write name or ",
    "parent(mix=1, mix=0)": "cannot read the metric 'parent(mix=1, mix=0)'; write name or ",
    'parent(**{"mix": 1})': "cannot read the metric 'parent(**{\"mix\": 1})'; write name or ",
    "parent(mix=open('x'))": "cannot read the metric ",
    "": "cannot read the metric ''; write name or ",
    'parent(entailment="cooccurrence")': 'parent: entailment="cooccurrence" and counts="FILE" go together; ',
}


@pytest.mark.parametrize("spec", SPECS)
def test_a_bad_metric(factable_score, tmp_path, spec):
    (tmp_path / "data.jsonl").write_bytes(line())
    result = factable_score("data.jsonl", "-m", spec, "--out", "out.json", cwd=tmp_path)
    (shown,) = check_refusal(result, tmp_path, [tmp_path / "data.jsonl"])
    assert shown.startswith(SPECS[spec])


def zipped(**arrays):
    stream = io.BytesIO()
    numpy.savez(stream, **arrays)
    return stream.getvalue()


BAD_COUNTS = {
    "missing": (None, "x.counts: No such file or directory; "),
    "empty": (b"", "x.counts: not a counts file ("),
    "text": (b"hello", "x.counts: not a counts file ("),
    "pickle": (pickle.dumps({"a": 1}), "x.counts: not a counts file ("),
    "other zip": (zipped(a=numpy.zeros(2)), "x.counts: not a counts file ("),
    "pickled arrays": (
        zipped(format=numpy.array([print], dtype=object)),
        "x.counts: not a counts file (Object arrays cannot be loaded when allow_pickle=False)",
    ),
    "other JSON": (
        b'{"a": "b"}',
        "x.counts: not a counts file (neither an archive of arrays nor a JSON object",
    ),
}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", BAD_COUNTS)
def test_bad_counts(factable_score, tmp_path, name, jobs):
    content, message = BAD_COUNTS[name]
    (tmp_path / "data.jsonl").write_bytes(line())
    if content is not None:
        (tmp_path / "x.counts").write_bytes(content)
    before = sorted(tmp_path.iterdir())
    spec = 'parent(entailment="cooccurrence", counts="x.counts")'
    result = factable_score("data.jsonl", "-m", spec, "--out", "out.json", "--jobs", jobs, cwd=tmp_path)
    (shown,) = check_refusal(result, tmp_path, before)
    assert shown.startswith(message)
    assert shown.endswith("make one with: factable train counts TRAIN.jsonl OUT.counts")


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output[1])
def test_data_without_references(factable_score, tmp_path, output):
    lines = [line(id=str(number), references=[]) for number in range(3)]
    (tmp_path / "data.jsonl").write_bytes(b"\n" + b"\n".join(lines))
    result = factable_score("data.jsonl", *output, cwd=tmp_path)
    (shown,) = check_refusal(result, tmp_path, [tmp_path / "data.jsonl"])
    assert shown == (
        "data.jsonl:2: no references, but metric parent needs them, and none of the other 2 examples "
        "has all it needs; add references or drop parent"
    )


def many_bad_lines(good, bad):
    """Bad lines between blocks of good ones, more than one unit of work, and the numbers of the bad ones."""
    lines, indices = [], []
    for number in range(good):
        lines.append(line(id=str(number), text="word " * 100))
        if number % (good // bad) == 0:
            lines.append(b'{"id": "bad"}')
            indices.append(len(lines))
    return b"\n".join(lines), indices


@pytest.mark.parametrize("jobs", [1, 2])
def test_ten_faults_at_a_time_in_line_order(factable_score, tmp_path, jobs):
    content, indices = many_bad_lines(5000, 25)
    (tmp_path / "data.jsonl").write_bytes(content)
    result = factable_score("data.jsonl", "--jobs", jobs, "--out", "out.csv", cwd=tmp_path)
    shown = check_refusal(result, tmp_path, [tmp_path / "data.jsonl"])
    assert shown == [
        f'data.jsonl:{index}: no "text" field; add the text to be checked (an empty output is "")'
        for index in indices[:10]
    ]


@pytest.mark.parametrize("jobs", [1, 2])
def test_skip_bad_scores_the_rest(factable_score, tmp_path, jobs):
    content, indices = many_bad_lines(3000, 15)
    # A repeat with other references, and a block of nothing but bad lines, move neither values nor signature.
    repeat = line(id="0", references=["r"] * 9)
    (tmp_path / "bad.jsonl").write_bytes(content + b"\n" + repeat)
    (tmp_path / "more.jsonl").write_bytes(b"{}\n" * 3)
    (tmp_path / "clean.jsonl").write_bytes(
        b"\n".join(each for each in content.split(b"\n") if each != b'{"id": "bad"}')
    )
    for shape in ("json", "jsonl", "csv", "table"):
        arguments = ["--skip-bad", "--format", shape, "--jobs", jobs]
        result = factable_score("bad.jsonl", "more.jsonl", *arguments, cwd=tmp_path)
        assert result.returncode == 0
        clean = factable_score("clean.jsonl", "--format", shape, cwd=tmp_path)
        assert (clean.returncode, clean.stderr) == (0, b"")
        assert result.stdout == clean.stdout
    skipped = result.stderr.decode().splitlines()
    assert skipped[: len(indices)] == [
        f'skipped bad.jsonl:{index}: no "text" field; add the text to be checked (an empty output is "")'
        for index in indices
    ]
    # The repeat, the other file, and how many there are.
    assert len(skipped) == len(indices) + 5
    assert skipped[-1] == f"factable: {len(indices) + 4} bad lines skipped"


def test_skip_bad_of_nothing_but_bad_lines_is_refused(factable_score, tmp_path):
    (tmp_path / "data.jsonl").write_bytes(b"{}\n" * 12)
    result = factable_score("data.jsonl", "--skip-bad", "--out", "out.json", cwd=tmp_path)
    assert len(check_refusal(result, tmp_path, [tmp_path / "data.jsonl"])) == 10


def test_skip_bad_says_nothing_of_good_data(factable_score, tmp_path):
    (tmp_path / "data.jsonl").write_bytes(line())
    result = factable_score("data.jsonl", "--skip-bad", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, b"")
