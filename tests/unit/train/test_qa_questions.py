"""Questions to learn from: their answers are where they should be, and missing where they should be."""

import json
import random
import re

import pytest

from factable.errors import DataError
from factable.text.questions import BLANK, Questions
from factable.text.sentences import split_sentences
from factable.text.values import parse_text
from factable.train.qa_questions import (
    KINDS,
    RELATIONS,
    QaCorpus,
    cut_passages,
    find_answer,
    make_questions,
    pair_with_references,
    read_squad,
    write_questions_about,
)
from factable.train.question_templates import AskedFact, learn_questions, read_asked_facts
from factable.types import Example, Record, Table

CITIES = ["London", "Paris", "Rome", "Oslo", "Vienna", "Madrid"]
NAMES = ["Ada", "Bob", "Carla", "Dora", "Emil", "Fritz"]


def example(number):
    name, city, year = NAMES[number % 6], CITIES[number % 6], str(1900 + number)
    if number % 4 == 3:
        records = (Record(name, "field", "maths"),)
        return Example(str(number), "", "", Table(records), (f"{name} did maths.",))
    if number % 4 == 2:
        died = CITIES[(number + 1) % 6]
        records = (Record(name, "birthPlace", city), Record(name, "deathPlace", died))
        return Example(str(number), "", "", Table(records), (f"{name}, born in {city}, died in {died}.",))
    records = (Record(name, "birthPlace", city), Record(name, "birthYear", year))
    texts = (f"{name} was born in {city} in {year}.", f"Born in {year}, {name} comes from {city}.")
    return Example(str(number), "", "", Table(records), texts)


def write(examples, *, per_text, seed):
    passages = pair_with_references([example(number) for number in range(examples)])
    kinds = {**KINDS, **RELATIONS}
    return list(write_questions_about(QaCorpus(passages, Questions(), seed=seed), per_text, kinds))


@pytest.fixture(scope="module")
def made():
    return write(60, per_text=12, seed=0)


def test_every_kind_is_made(made):
    assert {asked.kind for asked in made} == {kind.__name__ for kind in (*KINDS, *RELATIONS)}


def test_answers_of_questions_about_facts_are_values(made):
    for asked in made:
        if asked.kind in ("value_in_text", "value_in_data", "blank_in_data", "blank_in_other_reference"):
            said = asked.context[slice(*asked.answer)]
            assert said.title() in [*CITIES, *NAMES, "Maths"] or said.isdecimal(), asked


def test_swapped_values_are_the_answer(made):
    swapped = [asked for asked in made if asked.kind == "value_swapped_in_text"]
    assert swapped
    for asked in swapped:
        assert (
            asked.context[slice(*asked.answer)] in CITIES or asked.context[slice(*asked.answer)].isdecimal()
        )


def test_of_exchanged_values_the_answer_is_what_the_text_now_says(made):
    exchanged = [asked for asked in made if asked.kind == "exchanged_in_text"]
    assert exchanged
    for asked in exchanged:
        born, died = re.search(r"(\w+)\W* born in (\w+)\W+ died in (\w+)", asked.context).groups()[1:]
        assert asked.context[slice(*asked.answer)] == (born if "birth" in asked.question else died)


def test_of_two_texts_the_answer_is_in_that_about_the_subject(made):
    for asked in made:
        if asked.kind in ("value_in_one_of_two_texts", "exchanged_between_two_texts"):
            subject = next(name for name in NAMES if name in asked.question)
            said = next(text for text in split_sentences(asked.context) if subject.lower() in text.lower())
            start = asked.context.index(said)
            assert start <= asked.answer[0] < start + len(said), asked


def test_what_is_not_there_has_no_answer(made):
    without = {asked.kind for asked in made if asked.answer is None}
    assert without == {
        "unstated_in_text", "value_removed_from_text", "other_subject_in_text", "attribute_of_the_same_type",
        "blank_not_in_data", "blank_of_other_text", "unstated_in_data",
    }  # fmt: skip
    for asked in made:
        if asked.kind == "other_subject_in_text":
            assert not any(name in asked.question and name in asked.context for name in NAMES)


def test_blanks_are_asked_of_data(made):
    for asked in made:
        if asked.kind.startswith("blank"):
            assert BLANK in asked.question


def test_a_denial_belongs_to_the_answer():
    reading = parse_text("Zizzi is not family friendly.")
    start, end = find_answer(Record("Zizzi", "familyFriendly", "no"), reading)
    assert reading.text[start:end] == "not family friendly"


def test_what_is_drawn_depends_on_the_seed_only():
    first, again, other = (write(10, per_text=3, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def squad(tmp_path):
    context = "Rome is old. Its river is the Tiber. It has seven hills. Many people live there."
    rows = [
        {
            "question": "What is Rome's river?",
            "answers": [{"answer_start": context.index("Tiber"), "text": "Tiber"}],
        }
    ]
    content = {"data": [{"paragraphs": [{"context": context, "qas": rows * 40}]}]}
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(content))
    return str(path)


def test_squad_is_cut_into_short_passages(tmp_path):
    asked = list(cut_passages(read_squad(squad(tmp_path)), random.Random(0)))
    assert len(asked) == 40
    for one in asked:
        if one.answer:
            assert one.context[slice(*one.answer)] == "Tiber"
        else:
            assert "Tiber" not in one.context
    assert {one.answer is None for one in asked} == {True, False}


def test_files_of_both_kinds(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        "".join(
            json.dumps(
                {
                    "id": one.item,
                    "data": [list(record) for record in one.table.records],
                    "references": one.references,
                }
            )
            + "\n"
            for one in map(example, range(5))
        )
    )
    files = [squad(tmp_path), str(corpus)]
    made = make_questions(files, Questions(), per_text=2, max_questions=15, seed=0)
    assert list(made) == files
    assert len(made[files[0]]) == 15 > len(made[files[1]]) > 5


@pytest.mark.parametrize("content", ["", "{}", '{"data": [{"paragraphs": [{"qas": 1}]}]}', "[1]"])
def test_what_is_no_squad(tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(DataError, match="not a SQuAD file"):
        read_squad(str(path))


def test_questions_are_learnt_from_what_people_ask(tmp_path):
    asked = [
        AskedFact("Where was Ada Lovelace born?", "Ada Lovelace", "birthPlace"),
        AskedFact("where was charles babbage born", "Charles Babbage", "birthPlace"),
        AskedFact("what is the birth city of Alan Turing", "Alan Turing", "birthPlace"),
        AskedFact("Who wrote Emma (novel)?", "Emma (novel)", "author"),
        AskedFact("Who wrote Dune?", "Dune (novel)", "author"),
        AskedFact("is Dune long?", "Dune", "length"),
    ]
    assert learn_questions(asked) == {
        "author": ["Who wrote <subject>?"],
        "birth place": ["Where was <subject> born?"],
    }
    path = tmp_path / "questions.jsonl"
    row = {"question": "Who wrote Dune?", "entity": "Dune", "predicate": "author", "direction": "backward"}
    path.write_text(json.dumps(row) + "\n\n" + json.dumps(row | {"direction": "forward"}) + "\n")
    assert list(read_asked_facts(str(path))) == [AskedFact("Who wrote Dune?", "Dune", "author")]
    path.write_text('{"question": 1}\n')
    with pytest.raises(DataError, match=r"questions.jsonl:1: not a question about a fact"):
        list(read_asked_facts(str(path)))
