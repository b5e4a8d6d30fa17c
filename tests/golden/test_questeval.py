"""Data in one line, and words in common, as QuestEval 0.2.4 has them.

The file holds what that program printed; the triples it was given are here, in the same order.
"""

import ast
import os
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


# A folder made by recipes/questeval.sh, which is not part of the project.
MODEL = os.environ.get("QUESTEVAL_MODEL", "")
# Table 2 of the paper: a source, and the texts of two systems.
SOURCE = Table(
    (
        Record("101_helena", "discoverer", "james_craig_watson"),
        Record("james_craig_watson", "deathcause", "peritonitis"),
    )
)
WRONG = "james craero watson is the discoverts of james patson and he died in california ."
RIGHT = "james craig watson , who died of peritonitis , discovered 101 helena ."


def questions_of(metric):
    """The scores of both texts, and for each its questions by what was expected as the answer."""
    examples = [Example(text, "", text, SOURCE) for text in (WRONG, RIGHT)]
    scores = metric.score(examples, explain=True)
    notes = [
        {finding.note.split("expected ")[1].split('"')[1]: (finding.score, finding.note) for finding in found}
        for found in scores.findings
    ]
    return scores.values, notes


def test_table_2_with_the_embedded_model():
    """The paper's reader says "unanswerable", score 0; the embedded one finds nothing like the answer."""
    values, (wrong, right) = questions_of(QuestEval(similarity="bertscore"))
    assert wrong["california"][0] < 0.1
    score, note = right["james craig watson"]
    assert score > 0.9
    assert 'answered "james craig watson"' in note
    assert values[0] < 0.5 < 0.85 < values[1]


@pytest.mark.skipif(not MODEL, reason="QUESTEVAL_MODEL does not name what recipes/questeval.sh makes")
def test_table_2_with_questions_by_a_model():
    """Who discovered 101 helena is answered, score 1; the data does not say where the other one died."""
    values, (wrong, right) = questions_of(QuestEval(compat="paper", writer=MODEL))
    assert wrong["california"][0] < 0.5
    score, note = right["james craig watson"]
    assert score == pytest.approx(1.0, abs=1e-6)
    assert 'answered "james craig watson"' in note
    assert values[0] < values[1]


def test_paper_is_bertscore_and_zero_without_an_answer():
    paper = QuestEval(compat="paper", writer="folder")
    assert (paper.similarity, paper.unanswerable) == ("bertscore", "zero")
    with pytest.raises(UsageError, match="zero with compat"):
        QuestEval(compat="paper", writer="folder", unanswerable="ignore")


def test_paper_needs_a_model_that_asks():
    with pytest.raises(UsageError, match=r"make one: sh recipes/questeval.sh DATA FOLDER"):
        QuestEval(compat="paper")
