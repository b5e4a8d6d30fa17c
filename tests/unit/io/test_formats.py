"""Every data set format on a small made-up sample, and on broken ones."""

import gzip
import json
import re
from pathlib import Path

import pytest

from factable.errors import DataError, UsageError
from factable.io.examples import to_object
from factable.io.formats import FORMATS, open_format
from factable.io.marked_texts import read_marked_texts
from factable.types import Example, Record, Table


def examples(format_name, *sources, **options):
    return list(open_format(format_name)([str(source) for source in sources], **options))


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def data(item, *records, title="", references=(), text="", system="", human=None):
    table = Table(tuple(Record(*record) for record in records), title)
    return Example(item, system, text, table, tuple(references), human or {})


WEBNLG = """<?xml version="1.0" encoding="UTF-8"?>
<benchmark><entries>
  <entry category="Astronaut" eid="Id1" size="2">
    <originaltripleset><otriple>wrong | wrong | wrong</otriple></originaltripleset>
    <modifiedtripleset>
      <mtriple>Alan_Bean | birth_place | Wheeler,_Texas</mtriple>
      <mtriple>Alan_Bean | birthDate | "1932-03-15"^^xsd:date</mtriple>
    </modifiedtripleset>
    <lex comment="good" lang="en" lid="Id1">Alan Bean &amp; Wheeler.</lex>
    <lex comment="toFix" lid="Id2">Bad.</lex><lex lang="" comment="" lid="Id4">Any.</lex>
    <lex comment="good" lang="ru" lid="Id3">Алан Бин.</lex>
    <dbpedialinks><dbpedialink direction="en2ru">a | b | c</dbpedialink></dbpedialinks>
  </entry>
  <entry category="Food" eid="Id2" size="1">
    <modifiedtripleset><mtriple>Ayam | is | "Squeezed" or "smashed"</mtriple></modifiedtripleset>
    <lex comment="toFix" lid="Id1">Only this.</lex><lex lid="Id2"> </lex>
  </entry>
  <entry category="Food" eid="Id3" size="1">
    <modifiedtripleset><mtriple>Ayam | origin | "Java"@en</mtriple></modifiedtripleset>
  </entry>
</entries></benchmark>
"""
BEAN = (("Alan Bean", "birth_place", "Wheeler, Texas"), ("Alan Bean", "birthDate", "1932-03-15"))
AYAM = ("Ayam", "is", '"Squeezed" or "smashed"')


def test_webnlg(tmp_path):
    path = write(tmp_path / "test.xml", WEBNLG)
    assert examples("webnlg", path) == [
        data("Id1", *BEAN, references=["Alan Bean & Wheeler.", "Any."]),
        data("Id2", AYAM, references=["Only this."]),
        data("Id3", ("Ayam", "origin", "Java")),
    ]
    assert examples("webnlg", path, lang="ru")[0].references == ("Any.", "Алан Бин.")


def test_webnlg_folders_are_walked_and_files_told_apart(tmp_path):
    write(tmp_path / "en" / "2triples" / "Food.xml", WEBNLG)
    write(tmp_path / "en" / "1triples" / "Food.xml.gz", gzip.compress(WEBNLG.encode()))
    write(tmp_path / "en" / "notes.txt", "no data")
    write(tmp_path / "City.xml", WEBNLG)
    items = [example.item for example in examples("webnlg", tmp_path / "en", tmp_path / "City.xml")]
    prefix = f"{tmp_path.name}/City"
    assert items == [
        f"{file}/Id{n}" for file in ("1triples/Food", "2triples/Food", prefix) for n in (1, 2, 3)
    ]
    write(tmp_path / "Town.xml", WEBNLG)
    assert examples("webnlg", tmp_path / "City.xml", tmp_path / "Town.xml")[-1].item == "Town/Id3"


def human_folder(tmp_path, **changes):
    files = {
        "all_data_final_averaged.csv": "id,mr,team,text,fluency,grammar,semantics\n"
        '1,A_b | p | "c"<br>D | q | e,adapt,"a b , c .\n",1.5,2,3\n'
        '2,A_b | p | "c"<br>D | q | e,vietnam,null,1,1,1\n'
        "3,F | r | g,adapt,,1,1,1.25\n",
        "MRs.txt": 'F | r | g\nA_b | p | "c"<br>D | q | e',
        "sample-ids.txt": "18\n27\n\n",
        "gold-sample-reference0.lex": "f g .\na b .\n",
        "gold-sample-reference1.lex": "\na b c .\n",
    }
    for name, content in {**files, **changes}.items():
        write(tmp_path / name, content)
    return tmp_path


def test_webnlg_human(tmp_path):
    both = (("A b", "p", "c"), ("D", "q", "e"))
    references = ["a b .", "a b c ."]
    low = {"fluency": 1.0, "grammar": 1.0, "semantics": 1.0}
    high = {"fluency": 1.5, "grammar": 2.0, "semantics": 3.0}
    assert examples("webnlg-human", human_folder(tmp_path)) == [
        data("27", *both, references=references, text="a b , c .", system="adapt", human=high),
        data("27", *both, references=references, system="vietnam", human=low),
        data("18", ("F", "r", "g"), references=["f g ."], system="adapt", human={**low, "semantics": 1.25}),
    ]


def test_e2e_groups_references(tmp_path):
    content = (
        'mr,ref\n"name[A], food[B]",One.\nname[C],Two.\n"name[A], food[B]","Three, ""four""."\nname[D],\n'
    )
    path = write(tmp_path / "e2e.csv", content)
    expected = [
        data("1", ("", "name", "A"), ("", "food", "B"), references=["One.", 'Three, "four".']),
        data("2", ("", "name", "C"), references=["Two."]),
        data("3", ("", "name", "D")),
    ]
    assert examples("e2e", path) == expected
    tabs = "mr\tref_tokenised\nname[A], food[B]\tOne.\nname[C]\tTwo.\n"
    assert examples("e2e", write(tmp_path / "e2e.tsv", tabs))[1] == expected[1]
    assert examples("e2e", write(tmp_path / "test.csv", "MR\nname[D]\n")) == [data("1", ("", "name", "D"))]


def test_e2e_outputs_keep_repeated_rows_under_new_items(tmp_path):
    rows = [
        "system\tMR\toutput\tother",
        "a\tname[X]\tOne\t0",
        "b\tname[X]\tTwo\t0",
        "a\tname[Y]\t\t0",
        "a\tname[X]\tThree\t0",
    ]
    path = write(tmp_path / "out.tsv", "\n".join(rows))
    expected = [
        data("1", ("", "name", "X"), text="One", system="a"),
        data("1", ("", "name", "X"), text="Two", system="b"),
        data("2", ("", "name", "Y"), system="a"),
        data("1#2", ("", "name", "X"), text="Three", system="a"),
    ]
    assert examples("e2e-outputs", path) == expected
    assert examples("e2e-outputs", write(path, "\n".join(rows).lower().replace("[x]", "[X]")))[0].item == "1"


def test_e2e_outputs_keep_counts_of_slot_errors(tmp_path):
    rows = "system\tMR\toutput\tadded\tMissing\tmr_len\na\tname[X]\tOne\t0\t2\t1\n"
    (example,) = examples("e2e-outputs", write(tmp_path / "out.tsv", rows))
    assert example.human == {"added": 0.0, "missing": 2.0}


def test_wikibio(tmp_path):
    box = (
        "name_1:lenny\tname_2:randle\timage:<none>\ttime_1:18:47\tteam_1:a\tteam_1:b\tclub_1:x\tclub_2:-lrb-"
    )
    box += "\tclub_3:y\tclub_4:-RRB-\tarticle_title_1:lenny\tarticle_title_2:-lsb-\tarticle_title_3:-rsb-\t"
    sources = (
        write(tmp_path / "a.box", box + "\nname:none\n"),
        write(tmp_path / "a.summary", "l -lrb- r -rrb- .\n\n"),
    )
    assert examples("wikibio", *sources) == [
        data(
            "1",
            ("", "name", "lenny randle"),
            ("", "time", "18:47"),
            ("", "team", "a"),
            ("", "team", "b"),
            ("", "club", "x ( y )"),
            title="lenny [ ]",
            references=["l ( r ) ."],
        ),
        data("2", ("", "name", "none")),
    ]


def test_parent(tmp_path):
    sources = (
        write(tmp_path / "texts", "one\r\n\r\n"),
        write(tmp_path / "references", "r1\t\tr2\n\t\n"),
        write(tmp_path / "tables", "name|||lenny randle\tlenny|||born in|||long beach\n\n"),
    )
    records = (("", "name", "lenny randle"), ("lenny", "born in", "long beach"))
    assert examples("parent", *sources) == [
        data("1", *records, references=["r1", "r2"], text="one"),
        data("2"),
    ]


def cell(value, is_header=False, column_span=1, row_span=1):
    return {"value": value, "is_header": is_header, "column_span": column_span, "row_span": row_span}


def totto(table, highlighted, **fields):
    return json.dumps({"table": table, "highlighted_cells": highlighted, "example_id": 7, **fields})


def test_totto(tmp_path):
    table = [
        [cell("Year", True, row_span=2), cell("Result", True, column_span=2)],
        [cell("Won", True), cell("Lost", True)],
        [cell("1999", True), cell("3"), cell("4")],
        [cell("2000", True), cell("5", row_span=2), cell("")],
        [cell("2001", True), cell("8")],
    ]
    fields = {
        "table_page_title": "Club",
        "table_section_title": "Seasons",
        "sentence_annotations": [{"final_sentence": "It won 3."}, {"final_sentence": "3 wins."}],
    }
    lines = [
        totto(table, [[2, 1], [4, 1], [3, 0], [3, 2], [1, 0]], **fields),
        totto([[cell("Born", True), cell("1950")]], [[0, 1]], table_page_title="Ann", example_id="x"),
    ]
    assert examples("totto", write(tmp_path / "totto.jsonl", "\n".join(lines))) == [
        data(
            "7",
            ("1999", "Result / Won", "3"),
            ("2001", "Result / Lost", "8"),
            ("", "Year", "2000"),
            ("", "Result", "Won"),
            title="Club | Seasons",
            references=["It won 3.", "3 wins."],
        ),
        data("x", ("", "Born", "1950"), title="Ann"),
    ]


GAME = {
    "home_city": "Boston",
    "home_name": "Celtics",
    "vis_city": "Los Angeles",
    "vis_name": "Lakers",
    "day": "02_03_17",
    "home_line": {"TEAM-NAME": "Celtics", "TEAM-CITY": "Boston", "TEAM-PTS": "113"},
    "vis_line": {"TEAM-PTS": 107},
    "box_score": {
        "PLAYER_NAME": {"10": "Al Horford", "2": "Luol Deng"},
        "FIRST_NAME": {"10": "Al", "2": "Luol"},
        "PTS": {"10": "N/A", "2": "3"},
        "AST": {"10": "8", "2": "1"},
    },
    "summary": ["Boston", "won", "."],
}
GAME_RECORDS = (
    ("Boston Celtics", "TEAM-PTS", "113"),
    ("Los Angeles Lakers", "TEAM-PTS", "107"),
    ("Luol Deng", "PTS", "3"),
    ("Luol Deng", "AST", "1"),
    ("Al Horford", "AST", "8"),
)


@pytest.mark.parametrize(
    "dump", [lambda games: json.dumps(games, indent=1), lambda games: "\n".join(map(json.dumps, games))]
)
def test_rotowire(tmp_path, dump):
    path = write(
        tmp_path / "games.json", dump([GAME, {**GAME, "shared_task_text_id": "S001", "summary": None}])
    )
    title = "Los Angeles Lakers at Boston Celtics, 02_03_17"
    assert examples("rotowire", path) == [
        data("1", *GAME_RECORDS, title=title, references=["Boston won ."]),
        data("S001", *GAME_RECORDS, title=title),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_csv(tmp_path, delimiter):
    rows = [
        [
            "id",
            "system",
            "text",
            "data",
            "subject",
            "title",
            "ref2",
            "reference1",
            "references",
            "human.fluency",
            "mine",
        ],
        ["a", "s", "One", '"[[""x"", ""y"", 3]]"', "", "T", "r2", "r1", '"[""r0""]"', "2.5", "?"],
        ["", "s", '"Two\nlines"', '"name[E], food[F]"', "E", "", "", "r", "", "", ""],
        ["c", "", "", '"[Rec] | director | X\nA | b | c"', "", "", "", "", "one", "", ""],
    ]
    assert delimiter != ";" or all("," not in cell for cell in rows[0])
    path = write(tmp_path / "table.csv", "\r\n".join(delimiter.join(row) for row in rows))
    assert examples("csv", path) == [
        data(
            "a",
            ("x", "y", "3"),
            title="T",
            references=["r0", "r1", "r2"],
            text="One",
            system="s",
            human={"fluency": 2.5},
        ),
        data("2", ("E", "name", "E"), ("E", "food", "F"), references=["r"], text="Two\nlines", system="s"),
        data("c", ("[Rec]", "director", "X"), ("A", "b", "c"), references=["one"]),
    ]


def test_csv_without_data_column_has_a_fact_in_each_other_column(tmp_path):
    path = write(tmp_path / "facts.csv", "id,subject,born,city,reference\na,Ann,1950,,r\nb,Bob,,Rome,\n")
    assert examples("csv", path) == [
        data("a", ("Ann", "born", "1950"), references=["r"]),
        data("b", ("Bob", "city", "Rome")),
    ]


def test_csv_cells_may_be_large(tmp_path):
    path = write(tmp_path / "large.csv", f"text,data\n{'x' * 200_000},a | b | c\n")
    assert len(examples("csv", path)[0].text) == 200_000


def test_parquet_with_nested_values_and_maps(tmp_path):
    import pyarrow
    import pyarrow.parquet

    columns = {
        "id": pyarrow.array([1, 2]),
        "data": pyarrow.array([{"a": 1, "b": ["x", "y"]}, {"a": None, "b": []}]),
        "references": pyarrow.array([["r"], None]),
        "human": pyarrow.array([[("f", 1.0)], None], pyarrow.map_(pyarrow.string(), pyarrow.float64())),
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    assert examples("parquet", tmp_path / "x.parquet") == [
        data("1", ("", "a", "1"), ("", "b", "x"), ("", "b", "y"), references=["r"], human={"f": 1.0}),
        data("2"),
    ]


def test_parallel(tmp_path):
    texts, first = write(tmp_path / "texts", "one\n\nthree\n"), write(tmp_path / "r0", "a\nb\n\n")
    second, table = (
        write(tmp_path / "r1", "\nc\n\n"),
        write(tmp_path / "data", 'x | y | z\n{"n": 1}\nname[E]\n'),
    )
    assert examples("parallel", texts) == [data("1", text="one"), data("2"), data("3", text="three")]
    assert examples("parallel", texts, first, second, data=str(table)) == [
        data("1", ("x", "y", "z"), text="one", references=["a"]),
        data("2", ("", "n", "1"), references=["b", "c"]),
        data("3", ("", "name", "E"), text="three"),
    ]


MARKED_GAME = {
    "home_city": "Boston",
    "home_name": "Celtics",
    "vis_name": "Lakers",
    "shared_task_text_id": "S001",
    "home_line": {"TEAM-PTS": "113"},
    "vis_line": {"TEAM-PTS": "107"},
    "box_score": {"PLAYER_NAME": {"0": "Al Horford"}, "PTS": {"0": "11"}},
    "summary": ["Boston", "won", "."],
}
MARKS = "TEXT_ID,SENTENCE_ID,TOKENS,DOC_TOKEN_START,DOC_TOKEN_END,TYPE,COMMENT\n"


def write_gsml(tmp_path, *rows):
    games = [
        MARKED_GAME,
        {**MARKED_GAME, "shared_task_text_id": "S002"},
        {**MARKED_GAME, "shared_task_text_id": "S003"},
    ]
    write(tmp_path / "texts" / "S001.txt", "Boston won on  Friday . Al Horford had 12 points .")
    write(tmp_path / "texts" / "S002.txt", "Boston won .")
    return (
        write(tmp_path / "gsml.csv", MARKS + "".join(f"{row}\n" for row in rows)),
        write(tmp_path / "games.jsonl", "".join(json.dumps(game) + "\n" for game in games)),
        tmp_path / "texts",
    )


def test_gsml(tmp_path):
    rows = ("S001.txt,1,had 12,8,9,NUMBER,11", "S001.txt,1,Friday,4,4,NAME,")
    first, second = examples("gsml", *write_gsml(tmp_path, *rows))
    assert first.extra["spans"] == [(15, 21, "NAME"), (35, 41, "NUMBER")]
    assert [first.text[start:end] for start, end, _ in first.extra["spans"]] == ["Friday", "had 12"]
    assert Record("Al Horford", "PTS", "11") in first.table.records
    # A game without a text is left out, a text without marks has no error.
    assert (second.item, second.extra["spans"], second.references) == ("S002", [], ())
    texts = read_marked_texts([[to_object(example) for example in (first, second)]]).rows
    assert [len(text.spans) for text in texts] == [2, 0]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("S001.txt,1,Monday,4,4,NAME,", "gsml.csv:2: tokens 4 to 4 are 'Friday', not 'Monday'"),
        ("S001.txt,1,x,4,400,NAME,", "gsml.csv:2: tokens 4 to 400 of 11"),
        ("S009.txt,1,x,4,4,NAME,", "gsml.csv:2: there is no text S009"),
    ],
)
def test_marks_that_belong_to_other_texts(tmp_path, row, message):
    with pytest.raises(DataError, match=re.escape(message)):
        examples("gsml", *write_gsml(tmp_path, row))


def test_every_format_is_tested_here():
    tests = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in FORMATS if f'examples("{name}"' not in tests] == []


def entry(inside):
    return f'<benchmark><entries>\n<entry eid="Id1">{inside}</entry></entries></benchmark>'


BAD_INPUT = [
    ("webnlg", [""], ":1: broken XML (no element found); "),
    ("webnlg", ["<benchmark><entries>\n</benchmark>"], ":2: broken XML (mismatched tag); "),
    ("webnlg", ["<a>" * 100_000], ":1: broken XML (no element found); "),
    ("webnlg", ["<html></html>"], ": the outermost element is <html>; "),
    ("webnlg", ['<!DOCTYPE a [<!ENTITY b "c">]>\n<benchmark/>'], ":1: a document type declaration; "),
    ("webnlg", ['<?xml version="1.0" encoding="klingon"?><benchmark/>'], ":1: "),
    (
        "webnlg",
        [entry("<modifiedtripleset><mtriple>a | b</mtriple></modifiedtripleset>")],
        ":2: triple 'a | b' has 2 parts; ",
    ),
    ("webnlg", [entry("<lex>Text.</lex>")], ":2: entry Id1 without modified triples; "),
    ("webnlg", [b"<benchmark>\xff</benchmark>"], ":1: broken XML (not well-formed (invalid token)); "),
    ("e2e", ["a,b\n"], ':1: no column "mr" among a, b; '),
    ("e2e", ["mr,text\n"], ':1: no column "ref" among mr, text; '),
    ("e2e", ["mr,ref\nname A,B\n"], ":2: \"data\" is 'name A', which cannot be read"),
    ("e2e-outputs", ["system\tMR\n"], ':1: no column "output" among system, MR; '),
    ("e2e-outputs", ["system\tMR\toutput\na\tb\n"], ":2: 2 cells under 3 column names; "),
    ("e2e-outputs", ["system\tMR\toutput\tadded\na\tb[c]\td\tx\n"], ":2: 'x' as added; give a number"),
    ("wikibio", ["name lenny\n", "x\n"], ":1: 'name lenny' is no field; "),
    ("wikibio", ["a:b\nc:d\n", "x\n"], ": has 1 lines, but 0 has 2; "),
    ("wikibio", [b"a:b\na:\xff\n", "x\ny\n"], ":2: byte 3 of the line is not UTF-8; "),
    ("parent", ["a\n", "b\n", "c\n"], ":1: 'c' has 1 parts; "),
    ("parent", ["a\n", "b\nc\n", "d|||e\n"], ": has 2 lines, but 0 has 1; "),
    ("totto", ["{"], ":1: broken JSON ("),
    ("totto", ['{"a":' * 100_000], ":1: broken JSON (depth limit exceeded)"),
    ("totto", ["3\n"], ":1: a number instead of an object; "),
    ("totto", ["{}\n"], ':1: no "table" field; '),
    ("totto", [totto([["x"]], [])], ":1: a string instead of an object; "),
    ("totto", [totto([3], [])], ':1: "table" has a number as row 1; '),
    ("totto", [totto([[cell("a")]], [[0, 1]])], ':1: "highlighted_cells" has [0, 1]; '),
    ("totto", [totto([[cell("a")]], ["x"])], ":1: \"highlighted_cells\" has 'x'; "),
    ("totto", [totto([[cell(3)]], [])], ':1: "value" is a number; '),
    ("rotowire", ["[{}"], ":1: broken JSON list ("),
    ("rotowire", ["[{}]"], ': element 1: no "vis_name" field; '),
    ("rotowire", [json.dumps({**GAME, "box_score": {"PLAYER_NAME": []}})], ':1: "PLAYER_NAME" is a list; '),
    (
        "rotowire",
        [json.dumps({**GAME, "vis_line": {"TEAM-PTS": []}})],
        ':1: "TEAM-PTS" of Los Angeles Lakers is a list; ',
    ),
    ("rotowire", [json.dumps({**GAME, "summary": [3]})], ':1: "summary" is a list; '),
    ("csv", ["text,data\na,b\n"], ":2: \"data\" is 'b', which cannot be read"),
    ("csv", ['text,data\n"a"b,c\n'], ":2: broken CSV ("),
    ("parquet", ["PAR1"], ": not readable as Parquet ("),
    ("parallel", ["a\n", "b\nc\n"], ": has 2 lines, but 0 has 1; "),
    ("webnlg-human", ["a file"], ": no such folder; "),
]


@pytest.mark.parametrize(("format_name", "contents", "message"), BAD_INPUT)
def test_bad_input_is_one_clear_line(tmp_path, monkeypatch, format_name, contents, message):
    monkeypatch.chdir(tmp_path)
    for number, content in enumerate(contents):
        write(tmp_path / str(number), content)
    with pytest.raises(DataError) as caught:
        examples(format_name, *range(len(contents)))
    assert message in str(caught.value)
    assert str(caught.value).count("\n") == 0
    assert str(caught.value)[0].isdigit()


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_a_missing_source_is_one_clear_line(tmp_path, format_name):
    count = {"gsml": 3, "wikibio": 2, "parent": 3}.get(format_name, 1)
    with pytest.raises(DataError, match=r"^.*nowhere.*; .*$"):
        examples(format_name, *[tmp_path / "nowhere"] * count)


@pytest.mark.parametrize("format_name", sorted(FORMATS))
def test_too_few_sources_name_what_the_format_takes(format_name):
    with pytest.raises(UsageError, match="takes"):
        examples(format_name)


def test_an_empty_folder_is_no_webnlg(tmp_path):
    with pytest.raises(DataError, match="a folder without XML files; "):
        examples("webnlg", tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"MRs.txt": "F | r | g\n"}, "MRs.txt: has 1 lines, but .*sample-ids.txt has 2; "),
        ({"MRs.txt": "F | r | g\nx | y | z\n"}, "csv:2: mr .* is not in MRs.txt; "),
        ({"MRs.txt": "F | r | g\nx\n"}, "MRs.txt:2: triple 'x' has 1 parts; "),
        ({"all_data_final_averaged.csv": "mr,team,text,fluency\n"}, 'csv:1: no column "grammar" among'),
    ],
)
def test_a_broken_human_evaluation(tmp_path, changes, message):
    with pytest.raises(DataError, match=message):
        examples("webnlg-human", human_folder(tmp_path, **changes))


def test_faults_are_collected_up_to_ten(tmp_path):
    path = write(tmp_path / "x.tables", "bad\n" * 12)
    lines = write(tmp_path / "lines", "a\n" * 12)
    with pytest.raises(DataError) as caught:
        examples("parent", lines, lines, path)
    assert [fault.line for fault in caught.value.faults] == list(range(1, 11))
    write(path, "bad\na|||b\nbad\n" + "a|||b\n" * 8)
    with pytest.raises(DataError) as caught:
        examples("parent", lines, lines, path)
    assert [fault.line for fault in caught.value.faults] == [1, 3, None]
