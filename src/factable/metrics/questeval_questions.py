"""Questions from one side with the answers expected there, to be answered on the other side."""

from collections.abc import Mapping
from typing import NamedTuple

from factable.models.protocols import Answer, AskedText
from factable.text.answers import answer_spans
from factable.text.questions import LinearData, Questions, blank_out, linearise
from factable.text.templates import facts_of, readable
from factable.types import Example, Record


class Exchange(NamedTuple):
    """A question, what its own side answers, and where that comes from: a record or a span of the text.

    `attribute` is that of the record, which helps to read its value.
    """

    asked: AskedText
    expected: str
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


def with_data(example: Example, questions: Questions) -> Comparison:
    """Questions about facts, asked of the text, and blanks in the text, asked of the facts."""
    facts = facts_of(example.table)
    line = linearise(facts)
    return Comparison(
        _about_facts(facts, example.text, questions), _about_text(example.text, line.text), line, facts
    )


def with_reference(example: Example, reference: str) -> Comparison:
    """Blanks in a reference, asked of the text, and blanks in the text, asked of the reference."""
    theirs = [one._replace(span=None) for one in _about_text(reference, example.text)]
    return Comparison(theirs, _about_text(example.text, reference), None, {})


def _about_facts(facts: Mapping[int, Record], text: str, questions: Questions) -> list[Exchange]:
    return [
        Exchange(
            AskedText(questions.ask(record), text),
            readable(record.value),
            record=place,
            attribute=record.attribute,
        )
        for place, record in facts.items()
        if record.value.strip()
    ]


def _about_text(text: str, context: str) -> list[Exchange]:
    return [
        Exchange(AskedText(blank_out(text, span), context), text[span[0] : span[1]], span=span)
        for span in answer_spans(text)
    ]


def reply_of(comparison: Comparison, exchange: Exchange, answer: Answer) -> Reply:
    """The answer with the record that it comes from."""
    if exchange.record is not None or comparison.data is None or answer.span is None:
        return Reply(exchange, answer, exchange.record, exchange.attribute)
    place = comparison.data.place_at(*answer.span)
    if place is None:
        return Reply(exchange, answer, None, "")
    attribute = comparison.facts[place.record].attribute if place.is_value else ""
    return Reply(exchange, answer, place.record, attribute)
