"""Questions from one side with the answers expected there, to be answered on the other side."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import open_input
from factable.models.qa import QaAnswer, QuestionInText
from factable.models.runtime.manifest import read_shipped
from factable.models.seq2seq import AnswerInText, write_questions
from factable.models.templates import load_templates
from factable.text.linearise import LinearData, linearise_by_entity
from factable.text.questions import BLANK, GENERAL, Questions, attribute_key, blank_out
from factable.text.templates import SUBJECT, clean_value, facts_of
from factable.types import Example, Record, Span


class QuestionOptions(NamedTuple):
    """How questions about facts are worded, what in a text can be an answer, and how data is written down.

    Where a writer is named, it words all questions, and subjects are asked for as well.
    """

    questions: Questions
    find_answers: Callable[[str, Mapping[int, Record]], Sequence[Span]]
    linearise: Callable[[Mapping[int, Record]], LinearData]
    writer: str


class ExpectedAnswer(NamedTuple):
    """A question to ask, and the answer by the side that it comes from: a record or a span of the text.

    `source` is the answer within its own side, from which a writer makes a question; `attribute` is that of
    the record, which helps to read its value.
    """

    asked: QuestionInText
    expected: str
    source: AnswerInText
    record: int | None = None
    span: Span | None = None
    attribute: str = ""


class QuestionSet(NamedTuple):
    """The questions between a text and one other side, its data or a reference."""

    of_text: list[ExpectedAnswer]
    of_other: list[ExpectedAnswer]
    data: LinearData | None
    facts: Mapping[int, Record]

    @property
    def all(self) -> list[ExpectedAnswer]:
        """Those asked of the text, then those asked of the other side."""
        return [*self.of_text, *self.of_other]


class Reply(NamedTuple):
    """A question with the answer that was given; of an answer from the data, what it is the value of."""

    question: ExpectedAnswer
    answer: QaAnswer
    record: int | None
    attribute: str


def questions_with_data(example: Example, options: QuestionOptions) -> QuestionSet:
    """Questions about facts, asked of the text, and questions about the text, asked of the facts."""
    facts = facts_of(example.table)
    line = options.linearise(facts)
    about_text = _about_text(example.text, line.text, facts, options)
    return QuestionSet(_about_facts(facts, example.text, options), about_text, line, facts)


def questions_with_reference(example: Example, reference: str, options: QuestionOptions) -> QuestionSet:
    """Questions about a reference, asked of the text, and about the text, asked of the reference."""
    facts = facts_of(example.table)
    about_reference = [
        question._replace(span=None) for question in _about_text(reference, example.text, facts, options)
    ]
    return QuestionSet(about_reference, _about_text(example.text, reference, facts, options), None, {})


def _about_facts(facts: Mapping[int, Record], text: str, options: QuestionOptions) -> list[ExpectedAnswer]:
    """A question for each value; where a writer words them, for each subject too."""
    line = linearise_by_entity(facts)
    questions = []
    for cell in sorted(line.positions, key=lambda cell: cell.record):
        record = facts[cell.record]
        if cell.start < cell.end and (cell.is_value or options.writer):
            questions.append(
                ExpectedAnswer(
                    QuestionInText(options.questions.ask(record), text),
                    clean_value(record.value if cell.is_value else record.subject),
                    AnswerInText(line.text[cell.start : cell.end], line.text),
                    record=cell.record,
                    attribute=record.attribute if cell.is_value else "",
                )
            )
    return questions


def _about_text(
    text: str, context: str, facts: Mapping[int, Record], options: QuestionOptions
) -> list[ExpectedAnswer]:
    """Sentences of a text with a blank for each answer."""
    return [
        ExpectedAnswer(
            QuestionInText(blank_out(text, span), context), words, AnswerInText(words, text), span=span
        )
        for span in options.find_answers(text, facts)
        for words in [text[slice(*span)]]
    ]


def rewrite_questions(sets: Sequence[QuestionSet], writer: str) -> list[QuestionSet]:
    """The same questions in the words of a writer, all of them written together."""
    questions = [question for each in sets for question in each.all]
    words = write_questions(writer, [question.source for question in questions])
    rewritten = (
        question._replace(asked=question.asked._replace(question=text))
        for question, text in zip(questions, words, strict=True)
    )
    return [
        each._replace(
            of_text=list(islice(rewritten, len(each.of_text))),
            of_other=list(islice(rewritten, len(each.of_other))),
        )
        for each in sets
    ]


def reply_of(questions: QuestionSet, question: ExpectedAnswer, answer: QaAnswer) -> Reply:
    """The answer with the record that it comes from."""
    if question.record is not None or questions.data is None or answer.span is None:
        return Reply(question, answer, question.record, question.attribute)
    cell = questions.data.position_at(*answer.span)
    if cell is None:
        return Reply(question, answer, None, "")
    record = questions.facts[cell.record]
    if answer.span == (cell.start, cell.end):
        # As the data has it, not as it stands in a line with spaces between its marks.
        answer = answer._replace(text=clean_value(record.value if cell.is_value else record.subject))
    return Reply(question, answer, cell.record, record.attribute if cell.is_value else "")


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


@lru_cache(maxsize=8)
def _parse(name: str, content: bytes) -> dict[str, tuple[str, ...]]:
    try:
        by_attribute = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError([Fault(name, error.lineno, f"no JSON ({error.msg})", REMEDY)]) from None
    if not isinstance(by_attribute, dict):
        raise DataError([Fault(name, None, "no JSON object", REMEDY)])
    for attribute, questions in by_attribute.items():
        if not (isinstance(questions, list) and questions and all(map(_is_question, questions))):
            raise DataError([Fault(name, None, f"no questions for {attribute!r}", REMEDY)])
    return {attribute_key(attribute): tuple(questions) for attribute, questions in by_attribute.items()}


def _is_question(text: object) -> bool:
    return isinstance(text, str) and (text.endswith("?") or BLANK in text)


def questions_checksum(name: str) -> str:
    """A checksum of the questions of that name."""
    questions = load_questions(name)
    contents = [
        sorted((attribute, list(forms)) for attribute, forms in source.items())
        for source in (questions.by_attribute, questions.sentences.by_attribute)
    ]
    return hashlib.sha256(orjson.dumps(contents)).hexdigest()
