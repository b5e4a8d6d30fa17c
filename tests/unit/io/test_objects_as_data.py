"""What a program holds, given as data: objects of Python and of other packages."""

from collections import namedtuple
from dataclasses import dataclass, field
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum

import numpy
import pandas
import polars
import pytest
from pydantic import BaseModel

from factable import DataError, Record, Table
from factable.io.rows import table_of


class Size(Enum):
    SMALL = "S"


class Colour(str, Enum):
    RED = "red"


@dataclass
class Part:
    name: str
    price: Decimal


@dataclass
class Order:
    ordered: date
    parts: list[Part] = field(default_factory=list)


class Shop(BaseModel):
    name: str
    opened: date


Row = namedtuple("Row", ["name", "year"])


@pytest.mark.parametrize(
    ("data", "records"),
    [
        ({"on": date(2026, 5, 1)}, [("", "on", "2026-05-01")]),
        ({"at": datetime(2026, 5, 1, 9, tzinfo=timezone.utc)}, [("", "at", "2026-05-01T09:00:00+00:00")]),
        ({"price": Decimal("12.50")}, [("", "price", "12.50")]),
        ({"n": numpy.int64(3), "x": numpy.float32(0.5)}, [("", "n", "3"), ("", "x", "0.5")]),
        ({"size": Size.SMALL, "colour": Colour.RED}, [("", "size", "S"), ("", "colour", "red")]),
        ({"tags": {"b", "a"}}, [("", "tags", "a"), ("", "tags", "b")]),
        ({2024: 5, Colour.RED: 1}, [("", "2024", "5"), ("", "red", "1")]),
        (
            Order(date(2026, 5, 1), [Part("nut", Decimal("0.10"))]),
            [("", "ordered", "2026-05-01"), ("", "parts[0].name", "nut"), ("", "parts[0].price", "0.10")],
        ),
        (Shop(name="A1", opened=date(2020, 1, 2)), [("", "name", "A1"), ("", "opened", "2020-01-02")]),
        (Row("Ann", 1950), [("", "name", "Ann"), ("", "year", "1950")]),
        ([Record("Ann", "born", "1950")], [("Ann", "born", "1950")]),
        (pandas.Series({"name": "Ann", "year": 1950}), [("", "name", "Ann"), ("", "year", "1950")]),
        (pandas.DataFrame({"name": ["Ann"], "year": [1950]}), [("Ann", "year", "1950")]),
        (polars.DataFrame({"name": ["Ann"], "year": [1950]}), [("Ann", "year", "1950")]),
        ('{"name": "Ann", "near": {"cafe": "B"}}', [("", "name", "Ann"), ("", "near.cafe", "B")]),
        ("name[Ann]", [("", "name", "Ann")]),
        (Table((Record("", "name", "Ann"),)), [("", "name", "Ann")]),
    ],
)
def test_a_table_is_made_of_it(data, records):
    assert list(table_of(data).records) == records


@pytest.mark.parametrize("data", [object(), {"a": b"bytes"}, 7, '{"a": ', None])
def test_what_is_no_data_is_refused(data):
    with pytest.raises(DataError, match=r"^data: "):
        table_of(data)
