"""Questions that are written about a text, asked of it and of the data that it was written from."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factable.errors import DataError, Fault
from factable.io.read import iter_examples
from factable.models.protocols import Advance, TextWithAnswer
from factable.models.seq2seq import MARK, UNANSWERABLE, write_questions
from factable.text.linearise import linearise_by_entity
from factable.text.templates import facts_of
from factable.text.values import read_text
from factable.train.qa.synthetic import answer_span
from factable.types import Example, Record

# So many questions are also asked of a text or data that does not answer them.
SHARE_UNANSWERABLE = 0.25


class Aligned(NamedTuple):
    """An answer in a text, and the same answer in the data of the text."""

    in_text: TextWithAnswer
    in_data: TextWithAnswer


class Written(NamedTuple):
    """A question with its answer in a text and in the data of the text."""

    question: str
    in_text: TextWithAnswer
    in_data: TextWithAnswer

    @property
    def sides(self) -> tuple[TextWithAnswer, TextWithAnswer]:
        """Both places where the answer stands."""
        return self.in_text, self.in_data


def align_files(files: Sequence[str], *, most: int, seed: int) -> list[Aligned]:
    """Answers of all references of converted data sets; `most` of each file, drawn where there are more."""
    found: list[Aligned] = []
    for file in files:
        draw = random.Random(seed)  # noqa: S311
        some = [one for example in iter_examples(file, need_text=False) for one in align(example)]
        if not some:
            remedy = "give converted data sets with references"
            raise DataError([Fault(file, None, "no reference says a value of its data", remedy)])
        found += draw.sample(some, most) if len(some) > most else some
    return found


def align(example: Example) -> Iterator[Aligned]:
    """Every subject and value of the data that a reference says, with where it says it."""
    facts = facts_of(example.table)
    line = linearise_by_entity(facts)
    for reference in example.references:
        reading = read_text(reference)
        for index in line.indices:
            record = facts[index.record]
            span = answer_span(record if index.is_value else Record("", "", record.subject), reading)
            if span and index.start < index.end:
                in_data = TextWithAnswer(line.text[index.start : index.end], line.text)
                yield Aligned(TextWithAnswer(reference[slice(*span)], reference), in_data)


def write_about(aligned: Sequence[Aligned], writer: str, advance: Advance) -> list[Written]:
    """Questions that a writer asks about the texts, each once."""
    questions = write_questions(writer, [one.in_text for one in aligned], advance)
    found = (Written(question, *one) for question, one in zip(questions, aligned, strict=True) if question)
    return list(dict.fromkeys(found))


class Task(NamedTuple):
    """What a model reads, and what it is to write."""

    reads: str
    writes: str


def writing_tasks(written: Sequence[Written]) -> list[Task]:
    """An answer and its text or data, for which the question is to be written; each once."""
    tasks = (Task(MARK.join(side), one.question) for one in written for side in one.sides)
    return list(dict.fromkeys(tasks))


def answering_tasks(written: Sequence[Written], *, seed: int) -> list[Task]:
    """A question and a text or data, for which the answer is to be written, some where there is none."""
    draw = random.Random(seed)  # noqa: S311
    tasks = []
    for one in written:
        for number, side in enumerate(one.sides):
            tasks.append(Task(f"{one.question}{MARK}{side.text}", side.answer))
            other = draw.choice(written)
            if draw.random() < SHARE_UNANSWERABLE and not _may_answer(other, one):
                tasks.append(Task(f"{one.question}{MARK}{other.sides[number].text}", UNANSWERABLE))
    return list(dict.fromkeys(tasks))


def _may_answer(other: Written, one: Written) -> bool:
    """Whether the text or data of another question may hold the answer to this one."""
    texts = [side.text.lower() for side in other.sides]
    return any(side.answer.lower() in text for side in one.sides for text in texts)
