"""Data in one line, and words in common, as QuestEval 0.2.4 has them.

The file holds what that program printed; the triples it was given are here, in the same order.
"""

import ast
from pathlib import Path

import pytest

from factable.errors import UsageError
from factable.metrics.questeval.metric import QuestEval
from factable.text.answers import token_f1
from factable.text.linearise import linearise_by_entity
from factable.types import Example, Record, Table

FILE = Path(__file__).parent / "questeval_linearise.txt"
TRIPLES = [
    ["(15788)_1993_SB | discoverer | Donal_O'Ceallaigh", "(15788)_1993_SB | epoch | 2006-03-06"],
    ['Aarhus_Airport | cityServed | "Aarhus, Denmark"', "Aarhus | leaderName | Jacob_Bundsgaard"],
    [
        "Indonesia | ethnicGroup | Javanese_people_in_Indonesia",
        "Azerbaijan | ethnicgroup | Javanese_people_in_X",
    ],
    [
        "Alpena_County_Regional_Airport | elevationAboveTheSeaLevel (in metres) | 210",
        "A | runway length | 2,194.0",
    ],
    ["Ampara_Hospital | state | Eastern_Province,_Sri_Lanka", "São_José | país | Brasil"],
    ["A | p1 | x ] y", "A | p2 | "],
]
E2E = [("name", "The Eagle"), ("eatType", "coffee shop"), ("food", "Japanese")]


@pytest.fixture(scope="module")
def lines():
    return FILE.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("number", range(len(TRIPLES)))
def test_triples(lines, number):
    facts = {
        index: Record(*(part.strip() for part in triple.split("|")))
        for index, triple in enumerate(TRIPLES[number])
    }
    found = linearise_by_entity(facts)
    printed, answers = lines[number][1:-1].split(lines[number][0] + " [", 1)
    assert found.text == printed
    # That program takes a bracket inside a value for its end; here places are known.
    if "x ] y" not in printed:
        assert [found.text[one.start : one.end] for one in found.positions] == ast.literal_eval(
            f"[{answers}]"
        )


def test_slots(lines):
    facts = {index: Record("", *slot) for index, slot in enumerate(E2E)}
    assert linearise_by_entity(facts).text == lines[len(TRIPLES)]


def test_words_in_common(lines):
    pairs = [line.split(" | ") for line in lines if line.count(" | ") == 1 and not line.startswith("[")]
    assert len(pairs) == 7
    for one, rest in pairs:
        other, _, printed = rest.rpartition(" ")
        assert token_f1(one, other) == float(printed)


# Table 2 of the paper: a source, and the texts of two systems.
SOURCE = Table(
    (
        Record("101_helena", "discoverer", "james_craig_watson"),
        Record("james_craig_watson", "deathcause", "peritonitis"),
    )
)
WRONG = "james craero watson is the discoverts of james patson and he died in california ."
RIGHT = "james craig watson , who died of peritonitis , discovered 101 helena ."


@pytest.fixture(scope="module")
def table_2():
    """The findings of both texts, by what was expected as the answer."""
    examples = [Example(text, "", text, SOURCE) for text in (WRONG, RIGHT)]
    scores = QuestEval(compat="paper").score(examples, explain=True)
    notes = [
        {note.split("expected ")[1].split('"')[1]: (score, note) for score, note in rows}
        for rows in ([(finding.score, finding.note) for finding in found] for found in scores.findings)
    ]
    return scores, notes


def test_table_2_the_data_does_not_say_where_he_died(table_2):
    """The paper's reader says "unanswerable", score 0; the embedded one finds nothing like the answer."""
    _, (wrong, _) = table_2
    score, _ = wrong["california"]
    assert score < 0.1


def test_table_2_the_discoverer_is_answered(table_2):
    _, (_, right) = table_2
    score, note = right["james craig watson"]
    assert score == pytest.approx(1.0, abs=1e-6)
    assert 'answered "james craig watson"' in note


def test_table_2_the_second_text_is_better(table_2):
    scores, _ = table_2
    assert scores.values[0] < 0.5 < 0.9 < scores.values[1]


def test_paper_is_bertscore_and_zero_without_an_answer():
    paper = QuestEval(compat="paper")
    assert (paper.similarity, paper.unanswerable) == ("bertscore", "zero")
    with pytest.raises(UsageError, match="unanswerable is 'ignore'; it must be zero"):
        QuestEval(compat="paper", unanswerable="ignore")
