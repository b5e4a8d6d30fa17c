"""Every form of `data`, and the way there and back of an Example."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factable.io.data import MAX_NESTING, make_table
from factable.io.examples import make_example, to_object
from factable.io.faults import Malformed
from factable.types import Example, Record, Table

BEAN = Record("Alan Bean", "birthPlace", "Wheeler")


@pytest.mark.parametrize(
    ("data", "records"),
    [
        ([["Alan Bean", "birthPlace", "Wheeler"]], [BEAN]),
        ((("Alan Bean", "birthPlace", "Wheeler"),), [BEAN]),
        (
            [["Alan Bean", "age", 86], ["Alan Bean", "alive", False]],
            [("Alan Bean", "age", "86"), ("Alan Bean", "alive", "false")],
        ),
        ([["Alan Bean", "age", None], ["Alan Bean", "weight", float("nan")]], []),
        (["Alan Bean | birthPlace | Wheeler"], [BEAN]),
        (["A|B | birthPlace | Wheeler"], [("A|B", "birthPlace", "Wheeler")]),
        ("Alan Bean | birthPlace | Wheeler", [BEAN]),
        ("Alan Bean | birthPlace | Wheeler\nA | b | c", [BEAN, ("A", "b", "c")]),
        ("Alan Bean | birthPlace | Wheeler<br>A | b | c", [BEAN, ("A", "b", "c")]),
        ("name[The Eagle], food[ French ]", [("", "name", "The Eagle"), ("", "food", "French")]),
        ("  customer rating [5 out of 5] ,near[]", [("", "customer rating", "5 out of 5"), ("", "near", "")]),
        ("name[a | b]", [("", "name", "a | b")]),
        (
            {"name": "Eagle", "rating": 4.5, "open": True},
            [("", "name", "Eagle"), ("", "rating", "4.5"), ("", "open", "true")],
        ),
        ({"a": {"b": {"c": 1}}, "d": None}, [("", "a.b.c", "1")]),
        ({"tags": ["x", "y"]}, [("", "tags", "x"), ("", "tags", "y")]),
        ({"rows": [{"n": 1}, {"n": 2}]}, [("", "rows[0].n", "1"), ("", "rows[1].n", "2")]),
        ([{"player": "Deng", "pts": 3, "ast": 1}], [("Deng", "pts", "3"), ("Deng", "ast", "1")]),
        ([{"pts": 3}], [("", "pts", "3")]),
        ([{"player": None, "pts": 3}], [("", "pts", "3")]),
        ([], []),
        ("", []),
        ({}, []),
    ],
)
def test_every_form_of_data(data, records):
    assert make_table(data) == Table(tuple(Record(*record) for record in records))


def test_subject_names_the_entity_of_attribute_values_and_titles_a_list_of_rows():
    assert make_table({"food": "French"}, subject="Eagle").records == (Record("Eagle", "food", "French"),)
    assert make_table("food[French]", subject="Eagle").records == (Record("Eagle", "food", "French"),)
    assert make_table([{"player": "Deng", "pts": 3}], subject="Lakers") == Table(
        (Record("Deng", "pts", "3"),), "Lakers"
    )


def nest(depth, wrap):
    value = 1
    for _ in range(depth):
        value = wrap(value)
    return value


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (3, "a number"),
        (None, "null"),
        ([["a", "b"]], "2 parts in triple 1"),
        (["a | b"], "2 parts"),
        ("a | b | c | d", "4 parts"),
        ([3], "a number as element 1"),
        ("no brackets", "cannot be read"),
        ("name[open", "cannot be read"),
        ("[x]", "cannot be read"),
        (" [x]", "cannot be read"),
        ([["a", "b", ["c"]]], "a list in triple 1"),
        (nest(MAX_NESTING + 1, lambda value: {"a": value}), "nested deeper"),
        (nest(100_000, lambda value: {"a": value}), "nested deeper"),
        ({"a": nest(100_000, lambda value: [value])}, "nested deeper"),
    ],
)
def test_other_data_is_refused(data, problem):
    with pytest.raises(Malformed) as caught:
        make_table(data)
    assert problem in caught.value.problem


def test_a_long_run_of_blanks_is_refused_at_once():
    # Quadratic matching would take minutes here.
    with pytest.raises(Malformed):
        make_table("a" + " " * 1_000_000 + "b")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
examples = st.builds(
    Example,
    texts,
    texts,
    texts,
    st.builds(Table, st.lists(st.builds(Record, texts, texts, texts), max_size=4).map(tuple), texts),
    st.lists(texts, max_size=3).map(tuple),
    st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=3),
)


@given(examples)
def test_an_example_comes_back_from_json_as_it_was(example):
    assert make_example(orjson.loads(orjson.dumps(to_object(example))), 1) == example


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ([], "a list instead of an object"),
        ({"data": []}, 'no "text" field'),
        ({"data": [], "text": None}, '"text" is null'),
        ({"data": [], "text": 3}, '"text" is a number'),
        ({"text": ""}, 'no "data" field'),
        ({"data": [], "txt": ""}, 'unknown field "txt"'),
        ({"data": [], "text": "", "id": 1.5}, '"id" is a number'),
        ({"data": [], "text": "", "references": "a"}, '"references" is a string'),
        ({"data": [], "text": "", "references": [1]}, '"references" holds a number'),
        ({"data": [], "text": "", "human": [1]}, '"human" is a list'),
        ({"data": [], "text": "", "human": {"a": True}}, '"human" has a boolean for "a"'),
        ({"data": [], "text": "", "human": {"a": float("inf")}}, '"human" has inf for "a"'),
        ({"data": [], "text": "", "title": 3}, '"title" is a number'),
    ],
)
def test_a_wrong_object_is_refused(source, problem):
    with pytest.raises(Malformed) as caught:
        make_example(source, 1)
    assert problem in caught.value.problem


def test_own_fields_are_left_alone_and_missing_ratings_dropped():
    source = {"data": [], "text": "", "comment": "mine", "human": {"a": 1, "b": None, "c": float("nan")}}
    assert make_example(source, 7) == Example("7", "", "", Table(()), (), {"a": 1.0})
