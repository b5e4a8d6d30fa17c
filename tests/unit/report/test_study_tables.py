"""Tables of a study of ratings: one for all ratings, the best in bold, marks with a note."""

import pytest

from factable.report.formats import render
from factable.report.studies import ratings_output
from factable.report.tables import TableStyle
from factable.study.panel import Estimate
from factable.study.ratings import CorrelationDifference, RatingAgreement, RatingStudy

CORRELATIONS = {"parent": (0.9, 0.5), "bleu": (0.8, 0.7), "ter": (0.3, 0.6)}


def difference(human, better, worse, p):
    return CorrelationDifference(better, worse, human, "pearson", 0.1, 0.0, 0.2, p, p, p, p)


@pytest.fixture
def study():
    humans = ("semantics", "fluency")
    return RatingStudy(
        level="system",
        draws=100,
        seed=0,
        signatures={metric: f"{metric}|v:1" for metric in CORRELATIONS},
        systems=("a", "b", "c"),
        examples=9,
        humans=humans,
        agreements=tuple(
            RatingAgreement(metric, human, {"pearson": Estimate(value)}, 0, 0)
            for metric, values in CORRELATIONS.items()
            for human, value in zip(humans, values, strict=True)
        ),
        differences=(
            difference("semantics", "parent", "bleu", 0.3),
            difference("semantics", "parent", "ter", 0.01),
            difference("semantics", "bleu", "ter", 0.01),
            difference("fluency", "ter", "parent", 0.01),
            difference("fluency", "bleu", "parent", 0.02),
        ),
    )


def test_one_table_for_all_ratings(study):
    overview, semantics, *_ = ratings_output(study).tables
    assert overview.header == ("metric", "semantics", "fluency")
    assert overview.rows == (
        ("parent", "0.900", "0.500*"),
        ("bleu", "0.800", "0.700"),
        ("ter", "0.300*", "0.600"),
    )
    assert overview.best == {(0, 1), (1, 2)}
    # Only what is worse than the best one is marked.
    assert [row[1] for row in semantics.rows] == ["0.900", "0.800", "0.300*"]
    how = "(p < 0.05, bootstrap test with Holm's correction)"
    assert overview.note == f"* Pearson r significantly lower than that of the best metric {how}."


def test_latex_for_a_paper(study):
    style = TableStyle(2, {"parent": "PARENT", "semantics": "Adequacy"})
    table = render(ratings_output(study), "latex", style=style).decode().split(r"\end{table}")[0]
    assert r"metric & Adequacy & fluency \\" in table
    assert r"PARENT & \textbf{0.90} & 0.50{*} \\" in table
    assert "Best in bold. {*} Pearson r significantly lower" in table
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\caption{All ratings: Pearson r"):
        assert rule in table
