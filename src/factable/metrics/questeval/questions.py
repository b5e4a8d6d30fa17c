"""Questions from one side with the answers expected there, to be answered on the other side."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import open_input
from factable.models.protocols import Answer, AskedText, TextWithAnswer
from factable.models.runtime.manifest import read_shipped
from factable.models.seq2seq import write_questions
from factable.models.templates import load_templates
from factable.text.linearise import linearise_by_entity
from factable.text.questions import BLANK, GENERAL, LinearData, Questions, attribute_key, blank_out
from factable.text.templates import SUBJECT, clean_value, facts_of
from factable.types import Example, Record


class Asking(NamedTuple):
    """How questions about facts are worded, what in a text can be an answer, and how data is written down.

    Where a writer is named, it words all questions, and subjects are asked for as well.
    """

    questions: Questions
    find_answers: Callable[[str, Mapping[int, Record]], Sequence[tuple[int, int]]]
    linearise: Callable[[Mapping[int, Record]], LinearData]
    writer: str


class Exchange(NamedTuple):
    """A question, what its own side answers, and where that comes from: a record or a span of the text.

    `stands` is the answer in its own side, from which a writer makes a question; `attribute` is that of the
    record, which helps to read its value.
    """

    asked: AskedText
    expected: str
    stands: TextWithAnswer
    record: int | None = None
    span: tuple[int, int] | None = None
    attribute: str = ""


class Comparison(NamedTuple):
    """The questions between a text and one other side, its data or a reference."""

    of_text: list[Exchange]
    of_other: list[Exchange]
    data: LinearData | None
    facts: Mapping[int, Record]


class Reply(NamedTuple):
    """A question with the answer that was given; of an answer from the data, what it is the value of."""

    exchange: Exchange
    answer: Answer
    record: int | None
    attribute: str


def with_data(example: Example, asking: Asking) -> Comparison:
    """Questions about facts, asked of the text, and questions about the text, asked of the facts."""
    facts = facts_of(example.table)
    line = asking.linearise(facts)
    mine = _about_text(example.text, line.text, facts, asking)
    return Comparison(_about_facts(facts, example.text, asking), mine, line, facts)


def with_reference(example: Example, reference: str, asking: Asking) -> Comparison:
    """Questions about a reference, asked of the text, and about the text, asked of the reference."""
    facts = facts_of(example.table)
    theirs = [one._replace(span=None) for one in _about_text(reference, example.text, facts, asking)]
    return Comparison(theirs, _about_text(example.text, reference, facts, asking), None, {})


def _about_facts(facts: Mapping[int, Record], text: str, asking: Asking) -> list[Exchange]:
    """A question for each value; where they are written, for each subject too."""
    line = linearise_by_entity(facts)
    found = []
    for index in sorted(line.indices, key=lambda index: index.record):
        record = facts[index.record]
        if index.start < index.end and (index.is_value or asking.writer):
            found.append(
                Exchange(
                    AskedText(asking.questions.ask(record), text),
                    clean_value(record.value if index.is_value else record.subject),
                    TextWithAnswer(line.text[index.start : index.end], line.text),
                    record=index.record,
                    attribute=record.attribute if index.is_value else "",
                )
            )
    return found


def _about_text(text: str, context: str, facts: Mapping[int, Record], asking: Asking) -> list[Exchange]:
    """Sentences of a text with a blank for each answer."""
    return [
        Exchange(AskedText(blank_out(text, span), context), said, TextWithAnswer(said, text), span=span)
        for span in asking.find_answers(text, facts)
        for said in [text[span[0] : span[1]]]
    ]


def word_questions(comparisons: Sequence[Comparison], writer: str) -> list[Comparison]:
    """The same with the questions of a writer, all of them written together."""
    exchanges = [one for comparison in comparisons for one in (*comparison.of_text, *comparison.of_other)]
    questions = write_questions(writer, [one.stands for one in exchanges])
    worded = (
        one._replace(asked=one.asked._replace(question=question))
        for one, question in zip(exchanges, questions, strict=True)
    )
    return [
        one._replace(
            of_text=list(islice(worded, len(one.of_text))), of_other=list(islice(worded, len(one.of_other)))
        )
        for one in comparisons
    ]


def reply_of(comparison: Comparison, exchange: Exchange, answer: Answer) -> Reply:
    """The answer with the record that it comes from."""
    if exchange.record is not None or comparison.data is None or answer.span is None:
        return Reply(exchange, answer, exchange.record, exchange.attribute)
    index = comparison.data.index_at(*answer.span)
    if index is None:
        return Reply(exchange, answer, None, "")
    record = comparison.facts[index.record]
    if answer.span == (index.start, index.end):
        # As the data has it, not as it stands in a line with spaces between its marks.
        answer = answer._replace(text=clean_value(record.value if index.is_value else record.subject))
    return Reply(exchange, answer, index.record, record.attribute if index.is_value else "")


GENERAL_FORM = "general"
LEARNT = "learnt"
REMEDY = f'write {{"attribute": ["{GENERAL}", "{SUBJECT} is {BLANK}.", …], …}}'


def load_questions(name: str) -> Questions:
    """Questions by name: `general` (one form for all), `learnt` (what ships), or a JSON file."""
    if name == GENERAL_FORM:
        return Questions()
    if name == LEARNT:
        content = read_shipped("data/questions/dbpedia.json")
        return Questions(_parse("dbpedia.json", content), load_templates("default"))
    with open_input(name) as stream:
        return Questions(_parse(name, stream.read()))


@cache
def _parse(name: str, content: bytes) -> dict[str, tuple[str, ...]]:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError([Fault(name, error.lineno, f"no JSON ({error.msg})", REMEDY)]) from None
    if not isinstance(found, dict):
        raise DataError([Fault(name, None, "no JSON object", REMEDY)])
    for attribute, questions in found.items():
        if not (isinstance(questions, list) and questions and all(map(_is_question, questions))):
            raise DataError([Fault(name, None, f"no questions for {attribute!r}", REMEDY)])
    return {attribute_key(attribute): tuple(questions) for attribute, questions in found.items()}


def _is_question(text: object) -> bool:
    return isinstance(text, str) and (text.endswith("?") or BLANK in text)


def questions_checksum(name: str) -> str:
    """A checksum of the questions of that name."""
    questions = load_questions(name)
    told = [
        sorted((attribute, list(found)) for attribute, found in source.items())
        for source in (questions.by_attribute, questions.sentences.by_attribute)
    ]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()
