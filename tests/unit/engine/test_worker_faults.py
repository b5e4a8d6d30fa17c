"""A fault of a metric in a worker process: its traceback says where in the worker it happened."""

import traceback

import pytest

from factable.engine.engines import map_units
from factable.engine.plan import Batch
from factable.errors import DataError, Fault

UNIT = Batch("x.jsonl", "line", [], [], [])


def divide_by_nothing(unit):
    return len(unit.lines) / 0


def find_fault(unit):
    raise DataError([Fault(unit.source, 3, "broken", "mend it")])


def shown(error):
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def test_where_it_happened_in_the_worker_is_shown_once():
    with pytest.raises(ZeroDivisionError, match="division by zero") as caught:
        list(map_units(divide_by_nothing, [UNIT], jobs=2))
    assert str(caught.value) == "division by zero"
    assert shown(caught.value).count("in divide_by_nothing") == 1


def test_a_fault_in_the_data_needs_no_traceback():
    with pytest.raises(DataError, match=r"^x\.jsonl:3: broken; mend it$") as caught:
        list(map_units(find_fault, [UNIT], jobs=2))
    assert "in find_fault" not in shown(caught.value)
