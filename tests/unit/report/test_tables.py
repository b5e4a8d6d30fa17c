"""Tables: how cells are shown, which are bold, which columns are left out."""

import math

import pytest

from factable.report.tables import (
    best_first,
    column_head,
    format_cell,
    format_percent,
    format_scale,
    make_text_table,
    table_signature,
)
from factable.study.panel import Estimate


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("name", "name"),
        (3, "3"),
        (0.12345, "0.123"),
        (-0.0, "-0.000"),
        (math.nan, "–"),
        (Estimate(0.5), "0.500"),
        (Estimate(0.5, 0.5, 0.25, 0.75), "0.500 [0.250, 0.750]"),
        (Estimate(math.nan, reason="why"), "–"),
    ],
)
def test_cells(cell, text):
    assert format_cell(cell) == text


def test_digits():
    assert format_cell(0.12345, 4) == "0.1235"
    assert format_percent(0.125) == "12.5 %"
    assert format_percent(math.nan) == "–"


def test_best_and_optional_columns():
    table = make_text_table(
        "title",
        ["metric", "first", "second", "left out", "unscored"],
        [["a", 0.1, Estimate(math.nan), 0, 0], ["b", 0.3, Estimate(0.2), 2, 0], ["c", 0.3, math.nan, 0, 0]],
        "signature",
        best=["first", "second"],
        optional=["left out", "unscored"],
        bold=[(0, 0)],
    )
    assert table.header == ("metric", "first", "second", "left out")
    assert table.rows[1] == ("b", "0.300", "0.200", "2")
    assert table.best == {(0, 0), (1, 1), (1, 2)}


def test_a_column_without_numbers_has_no_best():
    assert make_text_table("", ["a", "b"], [["x", math.nan]], "", best=["b"]).best == frozenset()
    assert make_text_table("", ["a", "b"], [], "", best=["b"]).rows == ()


def test_best_first():
    assert best_first([0.1, math.nan, 0.3, 0.2], lambda number: number)[:3] == [0.3, 0.2, 0.1]


@pytest.mark.parametrize(
    ("bounds", "higher_is_better", "scale"),
    [
        ((0.0, 1.0), True, "0–1"),
        ((0.0, 100.0), False, "0–100, lower is better"),
        ((0.0, math.inf), False, "0 or more, lower is better"),
        ((-math.inf, math.inf), True, ""),
    ],
)
def test_scales(bounds, higher_is_better, scale):
    assert format_scale(bounds, higher_is_better=higher_is_better) == scale
    assert column_head("name", scale) == (f"name ({scale})" if scale else "name")


def test_signatures():
    assert table_signature("study", level="item", seed=0).startswith("study|level:item|seed:0|factable:")
