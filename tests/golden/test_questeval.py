"""Data in one line, and words in common, as QuestEval 0.2.4 has them.

The file holds what that program printed; the triples it was given are here, in the same order.
"""

import ast
from pathlib import Path

import pytest

from factable.text.answers import token_f1
from factable.text.linearise import linearise_by_entity
from factable.types import Record

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
