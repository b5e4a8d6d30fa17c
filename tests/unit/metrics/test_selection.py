"""Facts by their names: paths with wildcards, and names that no fact has."""

import pytest

from factable import UsageError, check, score
from factable.io.data import make_table
from factable.metrics.selection import FactNames, selects

PHONE = {
    "id": "p1",
    "name": "Fon 5",
    "specs": {"size": {"width": 7, "height": 15}, "colour": "red"},
    "variants": [{"id": "v1", "price": 10, "tags": ["new", "hot"]}, {"id": "v2", "price": 20}],
}
RECORDS = make_table(PHONE).records


def selected(name):
    return [record.attribute for record in RECORDS if selects(frozenset((name,)), record)]


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("name", ["name"]),
        ("name=Fon 5", ["name"]),
        ("name=Fon 6", []),
        ("variants[1].price", ["variants[1].price"]),
        ("variants[*].price", ["variants[0].price", "variants[1].price"]),
        ("variants.price", ["variants[0].price", "variants[1].price"]),
        ("variants[*].price=20", ["variants[1].price"]),
        ("variants[0]", ["variants[0].id", "variants[0].price", "variants[0].tags", "variants[0].tags"]),
        ("specs.*", ["specs.size.width", "specs.size.height", "specs.colour"]),
        ("specs", ["specs.size.width", "specs.size.height", "specs.colour"]),
        ("specs.*.width", ["specs.size.width"]),
        ("*.id", ["id", "variants[0].id", "variants[1].id"]),
        ("*.tags=hot", ["variants[0].tags"]),
        ("var*.price", ["variants[0].price", "variants[1].price"]),
        ("price", []),
        ("spec", []),
        ("a.*(b", []),
    ],
)
def test_a_name_selects_the_facts_of_its_path(name, paths):
    assert selected(name) == paths


def test_columns_of_rows_are_named_with_and_without_their_row():
    record = make_table([{"shop": "A1", "sales": 40}]).records[0]
    assert selects(frozenset(("sales",)), record)
    assert selects(frozenset(("[*].sales",)), record)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "nam",
            "`ignore` has 'nam', but no fact of the data is called that; did you mean 'name'? Facts are id, ",
        ),
        ("price", "did you mean 'variants[*].price'? "),
        ("varants[*].price", "did you mean 'variants[*].price'? "),
    ],
)
def test_a_name_that_no_fact_has_is_refused_with_a_suggestion(name, message):
    rows = [{"id": "1", "data": PHONE, "text": "Fon 5."}]
    with pytest.raises(UsageError) as refused:
        score(rows, f"ledger(ignore={name!r}, evidence='fast')")
    assert message in str(refused.value)


def test_names_are_looked_for_in_all_examples():
    left = FactNames({"ignore": frozenset(("near", "food", "*.url"))}).without_known(RECORDS)
    left = left.without_known(make_table({"near": "A"}).records)
    assert left.by_parameter == {"ignore": {"food", "*.url"}}


def test_a_name_that_other_data_may_have_is_only_pointed_out():
    names = FactNames({"ignore": frozenset(("colour", "name=Fon 6", "*.url"))})
    (warning,) = names.refuse_misspelt(make_table({"id": 1, "name": "Fon 5"}).records)
    assert warning == "`ignore` has 'colour', but no fact of the data is called that; facts are id, name"


def test_one_text_may_lack_a_fact_but_its_name_must_not_be_misspelt():
    data = "name[Blue Spice], in_stock[yes]"
    assert check(data, "Blue Spice is in stock.", optional="near").facts
    with pytest.raises(UsageError, match="did you mean 'in_stock'"):
        check(data, "Blue Spice is in stock.", ignore="in_stok")
