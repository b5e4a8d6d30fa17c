"""References and ratings that are in files of their own."""

import json

import pytest

from factable import DataError, read

OUTPUTS = [
    {"id": "a", "system": "x", "data": "name[A]", "text": "A."},
    {"id": "b", "system": "x", "data": "name[B]", "text": "B.", "references": ["own"], "human": {"f": 1}},
    {"id": "c", "system": "y", "data": "name[C]", "text": "C."},
]


def write(path, content):
    if not isinstance(content, str):
        content = "".join(json.dumps(row) + "\n" for row in content)
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("r.jsonl", [{"id": "a", "references": ["one", "two"]}, {"id": "b", "reference": "three"}]),
        ("r.csv", "id,reference\na,one\na,two\nb,three\n"),
        ("r.csv", "id;reference_2;reference_1\na;two;one\nb;;three\n"),
        ("r.tsv", 'id\treferences\na\t["one", "two"]\nb\tthree\n'),
    ],
)
def test_references_are_joined_by_id_and_added_to_those_there_are(tmp_path, name, content):
    joined = read(OUTPUTS, references=write(tmp_path / name, content))
    assert [example.references for example in joined] == [("one", "two"), ("own", "three"), ()]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.jsonl", [{"id": "a", "system": "x", "human": {"f": 2, "g": 4}}, {"id": "b", "human": {"f": 3}}]),
        ("h.csv", "id,system,annotator,f,g\na,x,ann,1,4\na,x,bob,3,\na,y,ann,9,9\nb,,ann,3,\n"),
        ("h.csv", "id,system,comment,human.f,human.g\na,x,fine,2,4\nb,x,,3,\n"),
    ],
)
def test_ratings_are_joined_by_id_and_system_and_averaged_over_people(tmp_path, name, content):
    joined = read(OUTPUTS, ratings=write(tmp_path / name, content))
    assert [example.human for example in joined] == [{"f": 2.0, "g": 4.0}, {"f": 3.0}, {}]


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        ("references", "id,reference\nz,one\n", "has none of the ids of the texts, such as 'a'"),
        ("references", "id,text\na,one\n", "no column of references; name it reference"),
        ("references", "item,reference\na,one\n", 'no column "id"'),
        ("ratings", "id,f,comment\na,1,fine\n", "name those that are human.NAME"),
    ],
)
def test_files_that_cannot_be_joined_are_refused(tmp_path, option, content, message):
    with pytest.raises(DataError, match=message):
        read(OUTPUTS, **{option: write(tmp_path / "file.csv", content)})
