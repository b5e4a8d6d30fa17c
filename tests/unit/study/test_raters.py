"""What a study of annotators counts and leaves out."""

import krippendorff
import numpy as np
import pytest

from factable.io.judgements import AnnotatedSpan, Annotation
from factable.study.agreement import study_agreement


def rated(text, annotator, **human):
    return Annotation(text, "", annotator, human, None)


def marked(text, annotator, *spans):
    return Annotation(text, "", annotator, {}, tuple(AnnotatedSpan(*span) for span in spans))


def test_missing_ratings_and_single_annotators():
    table = [[1.0, 2.0, 3.0, 3.0], [1.0, 3.0, np.nan, 3.0], [2.0, 3.0, np.nan, 5.0]]
    rows = [
        rated(f"t{text}", f"a{number}", quality=value)
        for number, values in enumerate(table)
        for text, value in enumerate(values)
        if value == value
    ]
    found = study_agreement([*rows, rated("t9", "a7", fluency=1.0)], draws=20)
    assert (found.texts, found.annotators) == (5, 4)
    quality, fluency = found.dimensions
    assert (quality.texts, quality.left_out, quality.annotators, quality.values) == (3, 1, 3, 4)
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(np.array(table), level_of_measurement=level)
        assert quality.statistics[f"alpha_{level}"].value == pytest.approx(expected)
    interval = quality.statistics["alpha_interval"]
    assert interval.low <= interval.mean <= interval.high
    assert quality.statistics["fleiss_kappa"].reason == ""
    assert (fluency.texts, fluency.left_out) == (0, 1)
    assert {one.reason for one in fluency.statistics.values()} == {"no text has two annotators"}
    assert found.spans == ()


def test_reasons():
    rows = [rated("t", annotator, kind="good", mark=1.0, some=2.0) for annotator in "ab"]
    rows += [rated("u", annotator, kind="bad", mark=1.0, some=3.0) for annotator in "abc"]
    kind, mark, _ = study_agreement(rows, draws=0).dimensions
    assert kind.statistics["observed_agreement"].value == kind.statistics["alpha_nominal"].value == 1.0
    assert kind.statistics["alpha_ordinal"].reason == "labels are no numbers"
    assert kind.statistics["fleiss_kappa"].reason == (
        "texts have 2 to 3 annotators, but this needs the same number"
    )
    assert mark.statistics["alpha_interval"].reason == "all annotators always give the same value"


def test_one_name_among_numbers_makes_all_of_them_names():
    rows = [
        rated("t", "a", mark=1.0),
        rated("t", "b", mark="1"),
        rated("u", "a", mark="x"),
        rated("u", "b", mark=2.0),
    ]
    (mark,) = study_agreement(rows, draws=0).dimensions
    assert mark.values == 3
    assert mark.statistics["observed_agreement"].value == 0.5
    assert mark.statistics["alpha_interval"].reason == "labels are no numbers"


def test_spans_by_hand():
    rows = [
        marked("t", "a", (0, 4, "name"), (10, 12, "number")),
        marked("t", "b", (2, 6, "name"), (10, 12, "name")),
        marked("t", "c", (0, 4, "name")),
        marked("u", "a"),
        marked("u", "b", (0, 2, "number")),
        marked("v", "a", (0, 2)),
    ]
    found = study_agreement(rows, draws=10)
    whole, name, number = found.spans
    assert [one.kind for one in found.spans] == [None, "name", "number"]
    assert (whole.texts, whole.left_out, whole.annotators) == (2, 1, 3)
    # a and b: 2 + 2 characters of 6 + 6 + 2; a and c: 4 of 6 + 4; b and c: 2 of 6 + 4.
    expected = np.mean([2 * 4 / 14, 2 * 4 / 10, 2 * 2 / 10])
    assert whole.statistics["character_f1"].value == pytest.approx(expected)
    # Spans alike: one of 2 + 2 + 1, one of 2 + 1, none.
    assert whole.statistics["exact_f1"].value == pytest.approx(np.mean([2 / 5, 2 / 3, 0]))
    # Of names: 2 of 4 + 6, 4 of 4 + 4, 2 of 6 + 4.
    assert name.statistics["character_f1"].value == pytest.approx(np.mean([4 / 10, 1, 4 / 10]))
    # Of numbers: a and b share none, a and c only a marks one, b and c none on their text.
    assert number.statistics["exact_f1"].value == 0.0
    assert whole.statistics["exact_f1"].low <= whole.statistics["exact_f1"].high


def test_spans_that_nobody_marks_or_compares():
    (nothing,) = study_agreement([marked("t", "a"), marked("t", "b")], draws=5).spans
    assert nothing.statistics["exact_f1"].reason == "no spans are marked"
    (alone,) = study_agreement([marked("t", "a", (0, 3))], draws=5).spans
    assert alone.statistics["character_f1"].reason == "no text has two annotators"
