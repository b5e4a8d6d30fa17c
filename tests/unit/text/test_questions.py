"""Questions about facts and texts, what can be an answer, and how answers are compared."""

import pytest

from factable.text.answers import answer_spans, token_f1, value_similarity
from factable.text.linearise import linearise
from factable.text.questions import BLANK, Questions, blank_out
from factable.text.templates import Templates
from factable.types import Record

BORN = Record("Ada_Lovelace", "birthPlace", "London")
QUESTIONS = Questions(
    {"birth place": ("Where was <subject> born?",)},
    Templates({"birthPlace": ("<subject> was born in <object>.",), "field": ("<subject> did <object>.",)}),
)


@pytest.mark.parametrize(
    ("record", "question"),
    [
        (BORN, "Where was Ada Lovelace born?"),
        (BORN._replace(attribute="birth_place"), "Where was Ada Lovelace born?"),
        (Record("Ada", "field", "maths"), f"Ada did {BLANK}."),
        (Record("Ada", "almaMater", "none"), "What is the alma mater of Ada?"),
        (Record("", "food", "French"), "What is the food?"),
        (Record("", "birthPlace", "London"), "What is the birth place?"),
        (Record("Zizzi", "familyFriendly", "yes"), "Is it true of Zizzi: family friendly?"),
    ],
)
def test_a_fact_becomes_a_question(record, question):
    assert QUESTIONS.ask(record) == question


def test_linear_data_knows_where_its_values_stand():
    facts = {3: BORN, 5: Record("", "food", '"Fish and chips"')}
    line = linearise(facts)
    assert line.text == "Ada Lovelace | birth place | London ; food | Fish and chips"
    assert [(line.text[p.start : p.end], p.record, p.is_value) for p in line.positions] == [
        ("Ada Lovelace", 3, False),
        ("London", 3, True),
        ("Fish and chips", 5, True),
    ]
    start = line.text.index("chips")
    assert line.position_at(start, start + 5).record == 5
    assert line.position_at(line.text.index("birth"), line.text.index("place")) is None
    assert linearise({}).text == ""


@pytest.mark.parametrize(
    ("text", "answer", "question"),
    [
        ("Ada was born in London. He died.", "London", f"Ada was born in {BLANK}."),
        ("Ada lived. She was born in London.", "London", f"Ada lived. She was born in {BLANK}."),
        ("Ada lived. Bob was born in London.", "London", f"Bob was born in {BLANK}."),
        ("London", "London", BLANK),
    ],
)
def test_an_answer_is_blanked_out_in_its_sentence(text, answer, question):
    start = text.index(answer)
    assert blank_out(text, (start, start + len(answer))) == question


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        (
            "The Eagle is a family friendly coffee shop near Burger King.",
            ["Eagle", "family friendly coffee shop", "Burger King"],
        ),
        ("ada lovelace was born in london in 1815 .", ["ada lovelace", "london", "1815"]),
        ("alan bean, hired by NASA in 1963.", ["alan bean", "hired", "NASA", "1963"]),
        ("the crew of apollo 11 . he left .", ["crew", "apollo 11", "left"]),
        ("Ada's house has 3 rooms.", ["Ada", "house", "3 rooms"]),
        ("", []),
        ("of the and", []),
    ],
)
def test_what_can_be_an_answer(text, spans):
    assert [text[start:end] for start, end in answer_spans(text)] == spans


@pytest.mark.parametrize(
    ("first", "second", "f1"),
    [
        ("The Eagle", "eagle", 1.0),
        ("unanswerable", "Eagle", 0.0),
        ("", "", 1.0),
        ("", "a word", 0.0),
        ("the", "a", 1.0),
        ("carl", "carl a. wirtanen", 2 / 3),
        ("1,500", "1500", 1.0),
    ],
)
def test_words_in_common(first, second, f1):
    assert token_f1(first, second) == pytest.approx(f1)


@pytest.mark.parametrize(
    ("value", "answer", "attribute", "similarity"),
    [
        ("1815-12-10", "December 10, 1815", "birthDate", 1.0),
        ("1815-12-10", "1815", "birthDate", 0.75),
        ("1815-12-10", "1816", "birthDate", 0.0),
        ("2,194.0", "2194", "runwayLength", 1.0),
        ("41.9 (kilometres)", "41.9 miles", "length", 0.0),
        ("London", "Paris", "birthPlace", 0.0),
        ("yes", "family friendly", "familyFriendly", 1.0),
        ("no", "family friendly", "familyFriendly", 0.0),
        ("no", "not family-friendly", "familyFriendly", 1.0),
        ("Ottoman Army soldiers", "ottoman soldiers", "dedicatedTo", 0.8),
    ],
)
def test_answers_compared_as_values(value, answer, attribute, similarity):
    assert value_similarity(value, answer, attribute) == pytest.approx(similarity)
