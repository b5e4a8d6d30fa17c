"""`factable score` as users run it: every format says what the library says."""

import csv
import gzip
import io
import json
import lzma
import math
import os
import re

import pandas
import pytest
import zstandard

import factable
from factable.core.results import mean_of_scored
from factable.io import files
from helpers.paths import RESTAURANTS

FORMATS = ("table", "json", "jsonl", "csv", "markdown", "latex")
SPECS = ("parent", "parent(mix=0.5)")
METRICS = [part for name in SPECS for part in ("-m", name)]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Two systems, odd names, and two examples that PARENT cannot score."""
    lines = RESTAURANTS.read_text().splitlines()
    whole = json.loads(lines[0])
    odd = [
        {**whole, "id": 'quo"ted, \n id', "system": "careful"},
        {**whole, "id": "bare", "references": []},
        {**whole, "id": "tableless", "data": []},
        {**whole, "id": "no words", "text": ""},
    ]
    path = tmp_path_factory.mktemp("mixed") / "mixed.jsonl"
    path.write_text("\n".join([*lines, *map(json.dumps, odd)]) + "\n")
    return path


@pytest.fixture(scope="module")
def expected(mixed):
    return factable.score(mixed, SPECS)


def null_for_nan(values):
    return [None if math.isnan(value) else value for value in values]


def plain(result):
    assert result.stderr == b""
    assert result.returncode == 0
    return result.stdout.decode()


@pytest.mark.parametrize("explain", [False, True])
def test_json_holds_exactly_what_the_library_gives(factable_score, mixed, explain):
    scores = factable.score(mixed, SPECS, explain=explain)
    output = plain(factable_score(mixed, *METRICS, "--format", "json", *(["--explain"] if explain else [])))
    document = json.loads(output, parse_constant=pytest.fail)
    assert list(document) == ["schema", "metrics", "examples"]
    assert len(document["examples"]) == 10
    assert [entry["spec"] for entry in document["metrics"]] == list(SPECS)
    for entry in document["metrics"]:
        assert list(entry) == ["spec", "signature", "corpus", "corpus_parts", "unscored", "values", "parts"]
        of_library = scores[entry["spec"]]
        assert (entry["signature"], entry["corpus"]) == (of_library.signature, of_library.corpus)
        assert entry["corpus_parts"] == of_library.corpus_parts
        assert entry["values"] == null_for_nan(of_library.values)
        assert entry["parts"] == {name: null_for_nan(part) for name, part in of_library.parts.items()}
        assert entry["unscored"] == entry["values"].count(None) == 2
        rows = [row["metrics"][entry["spec"]] for row in document["examples"]]
        assert [row["value"] for row in rows] == entry["values"]
        for row, findings in zip(rows, of_library.findings, strict=True):
            kinds = sorted(finding.kind for finding in findings if finding.kind != "unscored")
            found = [*row.get("facts", []), *row.get("claims", [])]
            assert sorted(each["state"] for each in found) == kinds


def test_unscored_is_null_with_a_reason(factable_score, mixed):
    rows = [json.loads(line) for line in plain(factable_score(mixed, "--format", "jsonl")).splitlines()]
    reasons = {
        row["id"]: row["metrics"]["parent"] for row in rows if row["metrics"]["parent"]["value"] is None
    }
    assert {item: entry["reason"] for item, entry in reasons.items()} == {
        "bare": "no references",
        "tableless": "no records in its data",
    }
    assert all(set(entry["parts"].values()) == {None} for entry in reasons.values())


def test_jsonl_has_a_line_per_example(factable_score, mixed, expected):
    rows = [
        json.loads(line) for line in plain(factable_score(mixed, *METRICS, "--format", "jsonl")).splitlines()
    ]
    examples = factable.read(mixed)
    assert [(row["id"], row["system"]) for row in rows] == [(each.item, each.system) for each in examples]
    for spec, scores in expected.items():
        found = [row["metrics"][spec] for row in rows]
        assert [entry["value"] for entry in found] == null_for_nan(scores.values)
        for part, column in scores.parts.items():
            assert [entry["parts"][part] for entry in found] == null_for_nan(column)


def test_csv_comes_back_from_its_quotes(factable_score, mixed, expected):
    # Spaces in the spec do not reach the header: one metric has one name.
    output = plain(factable_score(mixed, "-m", "parent", "-m", "parent( mix = 0.5 )", "--format", "csv"))
    header, *rows = csv.reader(io.StringIO(output, newline=""))
    names = [
        name
        for spec, scores in expected.items()
        for name in (spec, *(f"{spec}.{part}" for part in scores.parts))
    ]
    assert header == ["id", "system", *names]
    examples = factable.read(mixed)
    assert [tuple(row[:2]) for row in rows] == [(each.item, each.system) for each in examples]
    columns = [column for scores in expected.values() for column in (scores.values, *scores.parts.values())]
    for index, column in enumerate(columns, 2):
        assert [float(row[index]) if row[index] else None for row in rows] == null_for_nan(column)


def system_means(mixed, scores):
    """Every row of the summary: system, then mean value, examples and unscored ones."""
    examples = factable.read(mixed)
    rows = {}
    for system in [*dict.fromkeys(each.system for each in examples), None]:
        values = [
            value
            for each, value in zip(examples, scores.values, strict=True)
            if system is None or each.system == system
        ]
        name = "all" if system is None else system
        rows[name] = (f"{mean_of_scored(values):.3f}", str(len(values)), str(sum(map(math.isnan, values))))
    return rows


@pytest.mark.parametrize(
    ("shape", "split"),
    [
        ("table", lambda line: re.split(r"\s{2,}", line.strip())),
        ("markdown", lambda line: line.strip("| ").split(" | ")),
        ("latex", lambda line: line.removesuffix(r" \\").split(" & ")),
    ],
)
def test_tables_have_a_row_per_system(factable_score, mixed, expected, shape, split):
    output = plain(factable_score(mixed, *METRICS, "--format", shape))
    names = ("careful", "lively", "all")
    rows = [cells for line in output.splitlines() if (cells := split(line))[0] in names]
    means = [system_means(mixed, scores) for scores in expected.values()]
    # One table with all metrics, the best in bold; then one for each.
    bold = re.compile(r"\*\*|\\textbf\{|\}")
    overview, rows = rows[: len(names)], rows[len(names) :]
    assert [[bold.sub("", cell) for cell in row] for row in overview] == [
        [name, *(column[name][0] for column in means)] for name in names
    ]
    wanted = [(name, *column[name]) for column in means for name in names]
    assert [(row[0], row[1], row[-2], row[-1]) for row in rows] == wanted
    for scores in expected.values():
        assert scores.signature in output


def test_tables_have_the_digits_and_names_asked_for(factable_score):
    style = ("--digits", "1", "--name", "bleu=BLEU", "--name", "careful=Ours")
    output = plain(factable_score(RESTAURANTS, "-m", "bleu", "-m", "chrf", *style, "--format", "latex"))
    overview = output.split(r"\end{table}")[0]
    assert r"\caption{All metrics. Best in bold.}" in overview
    assert r"system & BLEU (0--100) & chrf (0--100) \\" in overview
    assert re.search(r"Ours & \\textbf\{\d+\.\d\} & \\textbf\{\d+\.\d\} \\\\", overview)
    assert r"\caption{BLEU.}" in output
    assert "careful" not in output
    single = plain(factable_score(RESTAURANTS, "-m", "bleu"))
    assert "all metrics" not in single


ODD_NAME = r"a|b_c & <x> 5% $#~^{}\ [1] *b* `d`"


@pytest.fixture(scope="module")
def odd_system(tmp_path_factory):
    lines = [json.loads(line) for line in RESTAURANTS.read_text().splitlines()]
    path = tmp_path_factory.mktemp("odd") / "odd.jsonl"
    hidden = "evil\x1b[2J\u202e\r\nname"
    named = [{**line, "system": ODD_NAME if line["system"] == "lively" else hidden} for line in lines]
    path.write_text("\n".join(map(json.dumps, named)))
    return path


def test_markdown_escapes_names(factable_score, odd_system):
    output = plain(factable_score(odd_system, "--format", "markdown"))
    row = next(line for line in output.splitlines() if line.startswith("| a"))
    assert row.startswith(r"| a\|b_c &amp; &lt;x> 5% $#\~^{}\\ \[1] \*b\* \`d\` | ")
    # As many cells as the header, to whoever splits at bars that are not escaped.
    header = next(line for line in output.splitlines() if line.startswith("| system"))
    assert len(re.findall(r"(?<!\\)\|", row)) == header.count("|")
    assert "\x1b" not in output
    assert "\u202e" not in output


def test_latex_escapes_names(factable_score, odd_system):
    output = plain(factable_score(odd_system, "--format", "latex"))
    assert (
        r"a\textbar{}b\_c \& \textless{}x\textgreater{} 5\% \$\#\textasciitilde{}\textasciicircum{}\{\}"
        r"\textbackslash{} {[}1] {*}b{*} `d` & 0." in output
    )
    assert all(character == "\n" or character.isprintable() for character in output)


@pytest.mark.parametrize("more", [[], ["--explain"]])
def test_hidden_characters_do_not_reach_the_terminal(factable_score, odd_system, more):
    output = plain(factable_score(odd_system, *more))
    assert r"evil\x1b[2J\u202e\r\nname" in output
    assert all(character == "\n" or character.isprintable() for character in output)


def test_explanations_name_facts_and_words(factable_score):
    output = plain(factable_score(RESTAURANTS, "--explain"))
    assert output.startswith("blue-spice · careful\n  Blue Spice is a pub by the riverside.")
    lively = output.split("\n\n")[1]
    assert re.search(r"✓ supported +area \| riverside +“riverside”", lively)
    assert re.search(r"− omitted +eatType \| pub", lively)
    assert re.search(r"\+ unsupported +“great place to bring your kids”", lively)
    assert "\n careful" in output.split("\n\n", 6)[-1]


@pytest.mark.parametrize("shape", ["csv", "markdown", "latex"])
def test_explanations_have_no_place_in_some_formats(factable_score, tmp_path, shape):
    result = factable_score(RESTAURANTS, "--explain", "--format", shape, "--out", tmp_path / "out")
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode() == (
        f"factable: --explain has no place in {shape}; use --format table or json or jsonl\n"
    )
    assert not list(tmp_path.iterdir())


ENDINGS = {"txt": "table", "json": "json", "jsonl": "jsonl", "csv": "csv", "md": "markdown", "tex": "latex"}


@pytest.mark.parametrize("ending", ENDINGS)
def test_out_takes_its_format_from_the_ending(factable_score, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    assert plain(factable_score(RESTAURANTS, "--out", out)) == ""
    assert out.read_text() == plain(factable_score(RESTAURANTS, "--format", ENDINGS[ending]))
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


def unpack_zstd(packed):
    return zstandard.ZstdDecompressor().stream_reader(packed).read()


@pytest.mark.parametrize(
    ("ending", "unpack"),
    [("gz", gzip.decompress), ("xz", lzma.decompress), ("zst", unpack_zstd)],
)
def test_out_is_compressed_by_its_ending(factable_score, tmp_path, ending, unpack):
    out = tmp_path / f"out.jsonl.{ending}"
    assert plain(factable_score(RESTAURANTS, "--out", out)) == ""
    assert unpack(out.read_bytes()).decode() == plain(factable_score(RESTAURANTS, "--format", "jsonl"))


def test_out_is_replaced_and_a_device_stays_one(factable_score, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("old")
    plain(factable_score(RESTAURANTS, "--out", out))
    assert len(json.loads(out.read_text())["examples"]) == 6
    plain(factable_score(RESTAURANTS, "--out", os.devnull))
    assert not os.path.isfile(os.devnull)


@pytest.fixture(scope="module")
def several_blocks(tmp_path_factory):
    """More than one block of work, so that several processes have something to do."""
    lines = [json.loads(line) for line in RESTAURANTS.read_text().splitlines()]
    path = tmp_path_factory.mktemp("blocks") / "blocks.jsonl"
    with path.open("w") as stream:
        for number in range(6000):
            line = lines[number % len(lines)]
            stream.write(json.dumps({**line, "id": str(number), "text": f"{number} {line['text']}"}) + "\n")
    assert path.stat().st_size > 2 << 20
    return path


@pytest.mark.parametrize("shape", FORMATS)
def test_jobs_do_not_change_a_byte(factable_score, several_blocks, shape):
    explain = ["--explain"] if shape == "jsonl" else []
    one, two = (
        plain(factable_score(several_blocks, "--format", shape, "--jobs", jobs, *explain)) for jobs in (1, 2)
    )
    assert one == two
    assert len(one) > 200


@pytest.mark.parametrize("jobs", [1, 2])
def test_input_of_every_kind_gives_the_same(factable_score, tmp_path, jobs):
    content = RESTAURANTS.read_bytes()
    objects = [json.loads(line) for line in content.splitlines()]
    sources = {
        "plain.jsonl": content,
        "a.jsonl.gz": gzip.compress(content),
        "a.jsonl.xz": lzma.compress(content),
        "a.jsonl.zst": zstandard.compress(content),
        "a.json": json.dumps(objects, indent=1).encode(),
    }
    for name, packed in sources.items():
        (tmp_path / name).write_bytes(packed)
    frame = pandas.DataFrame(objects)
    for column in ("data", "references"):
        frame[column] = frame[column].map(lambda cell: cell if isinstance(cell, str) else json.dumps(cell))
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    wanted = plain(factable_score(RESTAURANTS, "--format", "jsonl"))
    for name in [*sources, "a.csv", "a.parquet"]:
        assert plain(factable_score(tmp_path / name, "--format", "jsonl", "--jobs", jobs)) == wanted, name
    assert plain(factable_score("-", "--format", "jsonl", "--jobs", jobs, stdin=content)) == wanted
    packed = factable_score("-", "--format", "jsonl", "--jobs", jobs, stdin=gzip.compress(content))
    assert plain(packed) == wanted


def test_several_files_are_one_data_set(factable_score, tmp_path):
    lines = RESTAURANTS.read_bytes().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_bytes(b"".join(lines[:2]))
    (tmp_path / "blank.jsonl").write_bytes(b"\n\n")
    (tmp_path / "b.json").write_bytes(b"[" + b",".join(lines[2:4]) + b"]")
    files = [tmp_path / name for name in ("a.jsonl", "blank.jsonl", "b.json")]
    result = factable_score(*files, "-", "--format", "json", stdin=b"".join(lines[4:]))
    assert plain(result) == plain(factable_score(RESTAURANTS, "--format", "json"))


def test_a_file_without_references_beside_one_with_them(factable_score, several_blocks, tmp_path):
    """What can be scored does not depend on which file comes first, nor on the size of blocks."""
    bare = tmp_path / "bare.jsonl"
    with several_blocks.open() as source, bare.open("w") as stream:
        for line in source:
            example = json.loads(line)
            stream.write(json.dumps({**example, "id": "b" + example["id"], "references": []}) + "\n")
    for jobs in (1, 2):
        result = factable_score(bare, RESTAURANTS, "--format", "json", "--jobs", jobs)
        (entry,) = json.loads(plain(result))["metrics"]
        assert entry["unscored"] == 6000
        assert entry["values"][6000:] == list(factable.score(RESTAURANTS, ["parent"])["parent"].values)
        assert "|refs:0-2|unscored:6000|" in entry["signature"]
    refused = factable_score(bare, "--format", "jsonl")
    assert (refused.returncode, refused.stdout) == (2, b"")


def test_the_same_metric_twice_is_one(factable_score):
    output = plain(factable_score(RESTAURANTS, "-m", "parent", "-m", "parent()", "--format", "json"))
    assert [entry["spec"] for entry in json.loads(output)["metrics"]] == ["parent"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x.parquet"], "no format ends in '.parquet'; end --out in .json, "),
        (["--out", RESTAURANTS], "is an input too; give it another name"),
        (["--format", "jsn"], "Invalid value for '--format': 'jsn' is not one of 'table', "),
        (
            ["--jobs", "0"],
            "Invalid value for '-j' / '--jobs': 0 is not in the range x>=1; see factable score --help",
        ),
        (["--fomat", "json"], "No such option '--fomat'"),
    ],
)
def test_misuse_is_one_line_and_exits_with_2(factable_score, tmp_path, arguments, message):
    kept = RESTAURANTS.read_bytes()
    result = factable_score(RESTAURANTS, *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.decode().startswith("factable: ")
    assert message in result.stderr.decode()
    assert result.stderr.count(b"\n") == 1
    assert RESTAURANTS.read_bytes() == kept
    assert not list(tmp_path.iterdir())


def test_no_file_is_misuse(factable_score):
    result = factable_score()
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr == b"factable: Missing argument 'FILES...'; see factable score --help\n"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("step", ["_create", "_compress", "_remove"])
def test_an_interrupt_while_an_output_is_open(factable_score, monkeypatch, tmp_path, step):
    function = getattr(files, step)
    presses = iter([True])

    def interrupted(*arguments):
        # Once, before the file is deleted and after anything else.
        if step == "_remove" and next(presses, False):
            raise KeyboardInterrupt
        result = function(*arguments)
        if next(presses, False):
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(files, step, interrupted)
    data = RESTAURANTS if step != "_remove" else tmp_path / "nowhere.jsonl"
    result = factable_score(data, "--out", tmp_path / "out.jsonl")
    assert (result.returncode, result.stdout) == (130, b"")
    assert result.stderr.split() == b"factable: interrupted; no output file was written".split()
    assert not list(tmp_path.iterdir())


def outputs_without_references(tmp_path, texts):
    rows = [{"id": str(n), "data": "name[A]", "text": text} for n, text in enumerate(texts)]
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    references = tmp_path / "references.csv"
    references.write_text("id,reference\n" + "".join(f"{n},A Pub In York\n" for n in range(len(texts))))
    return path, references


def test_references_come_from_a_file_of_their_own(factable_score, tmp_path):
    path, references = outputs_without_references(tmp_path, ["A Pub In York", "Else"])
    document = json.loads(
        plain(factable_score(path, "-m", "bleu", "--references", references, "--format", "json"))
    )
    assert document["metrics"][0]["values"] == pytest.approx([100.0, 0.0])
    assert factable.score(path, "bleu", references=references)["bleu"].values[0] == pytest.approx(100.0)


def test_bad_lines_are_skipped_and_named_beside_joined_references(factable_score, tmp_path):
    path, references = outputs_without_references(tmp_path, ["A Pub In York"] * 2)
    path.write_text(path.read_text() + "{}\n")
    result = factable_score(path, "-m", "bleu", "--references", references, "--skip-bad")
    assert result.returncode == 0
    assert b"outputs.jsonl:3: no " in result.stderr


def test_a_run_with_other_references_is_not_resumed(factable_score, tmp_path):
    path, references = outputs_without_references(tmp_path, ["A Pub In York"])
    command = (path, "-m", "bleu", "--references", references, "--resume", tmp_path / "kept")
    first = plain(factable_score(*command))
    assert plain(factable_score(*command)) == first
    references.write_text("id,reference\n0,Another\n")
    result = factable_score(*command)
    assert (result.returncode, b"references.csv" in result.stderr) == (2, True)


def test_lower_cased_texts_beside_cased_references_are_pointed_out_once(factable_score, tmp_path):
    path, references = outputs_without_references(tmp_path, ["a pub in york"] * 6)
    command = (path, "--references", references)
    warning = factable_score(*command, "-m", "bleu", "-m", "chrf").stderr.decode()
    assert warning.count("\n") == 1
    assert "the texts are lower-cased and the references are not, which lowers bleu, chrf;" in warning
    assert factable_score(*command, "-m", "bleu(lowercase=True)", "-m", "parent").stderr == b""
    with pytest.warns(UserWarning, match="lower-cased"):
        factable.score(path, "bleu", references=references)
