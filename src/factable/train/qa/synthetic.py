"""Questions made from a corpus of data and the texts written from it, answered on the other side."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from factable.errors import DataError, Fault
from factable.io.read import iter_examples
from factable.text.questions import (
    LinearData,
    Questions,
    blank_out,
    linearise,
)
from factable.text.templates import clean_value, facts_of, fill
from factable.text.values import Boolean, Hit, ReadText, Relation, find_value, parse_value, read_text
from factable.train.nli.corruptions import Knowledge, add_generation_noise
from factable.train.qa.questions import Asked, cut_passages, read_squad
from factable.types import Example, Record

_DENIAL = re.compile(r"\b(?:not|no|non|never|isn't|isn’t)\b(?:\W+\w+){0,3}\W*\Z", re.IGNORECASE)
_SAID = (Relation.EQUAL, Relation.COARSER, Relation.FINER)
# Share of questions in the general form, so that attributes never seen are understood.
SHARE_GENERAL = 0.4


class Passage(NamedTuple):
    """A text, the facts it was written from, and other texts written from the same."""

    facts: list[Record]
    text: str
    others: tuple[str, ...]


def passages_of(examples: Sequence[Example]) -> list[Passage]:
    """Every reference with its facts."""
    return [
        Passage(facts, text, tuple(other for other in example.references if other != text))
        for example in examples
        for facts in [list(facts_of(example.table).values())]
        for text in example.references
        if facts
    ]


class QuestionMaker:
    """Makes questions from passages; what is drawn depends on the seed and the order of calls only."""

    def __init__(self, passages: Sequence[Passage], questions: Questions, *, seed: int) -> None:
        self._passages = passages
        self._questions = questions
        self._draw = random.Random(seed)  # noqa: S311
        self._knowledge = Knowledge(fact for passage in passages for fact in passage.facts)
        self._attributes = sorted({fact.attribute for passage in passages for fact in passage.facts})
        self._kinds: dict[Callable[[Passage], Asked | None], float] = {
            self.value_in_text: 3,
            self.value_swapped_in_text: 1.6,
            self.unsaid_in_text: 1.5,
            self.cut_out_of_text: 1,
            self.other_subject: 0.8,
            self.mention_in_data: 3,
            self.mention_swapped_in_data: 1.2,
            self.mention_not_in_data: 1.8,
            self.foreign_mention: 0.7,
            self.value_in_data: 0.6,
            self.unsaid_in_data: 0.3,
            self.mention_in_other_text: 1,
        }

    def questions(self, per_text: int) -> Iterator[Asked]:
        """So many questions from each passage, of kinds drawn by weight."""
        kinds, weights = list(self._kinds), list(self._kinds.values())
        for passage in self._passages:
            for kind in self._draw.choices(kinds, weights, k=per_text):
                asked = kind(passage)
                if asked is not None:
                    yield asked._replace(kind=kind.__name__)

    # Questions about facts, answered by the text.

    def value_in_text(self, passage: Passage) -> Asked | None:
        """A fact that the text says."""
        fact = self._draw.choice(passage.facts)
        reading = read_text(self._vary(passage.text))
        span = answer_span(fact, reading)
        return span and Asked(self._ask(fact), reading.text, span, "")

    def value_swapped_in_text(self, passage: Passage) -> Asked | None:
        """A fact that the text says with another value."""
        fact = self._draw.choice(passage.facts)
        other = self._knowledge.swap_value(fact, self._draw)
        reading = read_text(self._vary(passage.text))
        span = answer_span(fact, reading)
        if not other or not span or isinstance(parse_value(fact.value), Boolean):
            return None
        value = clean_value(other.value)
        text = reading.text[: span[0]] + value + reading.text[span[1] :]
        return Asked(self._ask(fact), text, (span[0], span[0] + len(value)), "")

    def unsaid_in_text(self, passage: Passage) -> Asked | None:
        """Something that the text does not tell."""
        fact = self._unsaid(passage, read_text(passage.text))
        return fact and Asked(self._ask(fact), self._vary(passage.text), None, "")

    def cut_out_of_text(self, passage: Passage) -> Asked | None:
        """A fact whose value was cut out of the text."""
        fact = self._draw.choice(passage.facts)
        reading = read_text(passage.text)
        span = answer_span(fact, reading)
        if not span:
            return None
        text = " ".join((reading.text[: span[0]] + reading.text[span[1] :]).split())
        if answer_span(fact, read_text(text)):
            return None
        return Asked(self._ask(fact), self._vary(text), None, "")

    def other_subject(self, passage: Passage) -> Asked | None:
        """A fact that the text says of somebody else."""
        fact = self._knowledge.swap_subject(self._draw.choice(passage.facts), self._draw)
        if fact is None or find_value(fact.subject, passage.text):
            return None
        return Asked(self._ask(fact), self._vary(passage.text), None, "")

    # Sentences with a blank, answered by the data.

    def mention_in_data(self, passage: Passage) -> Asked | None:
        """A value or subject that the data has."""
        found = self._mention(passage)
        if not found:
            return None
        question, index, is_value = found
        return self._on_data(question, self._with_more(passage, index), index, is_value)

    def mention_swapped_in_data(self, passage: Passage) -> Asked | None:
        """A value that is another in the data."""
        found = self._mention(passage)
        if not found or not found[2]:
            return None
        question, index, is_value = found
        other = self._knowledge.swap_value(passage.facts[index], self._draw)
        if other is None:
            return None
        facts = [*passage.facts[:index], other, *passage.facts[index + 1 :]]
        return self._on_data(question, facts, index, is_value)

    def mention_not_in_data(self, passage: Passage) -> Asked | None:
        """A value whose fact the data lacks."""
        found = self._mention(passage)
        if not found or not found[2]:
            return None
        question, index, _ = found
        lost = passage.facts[index]
        facts = [fact for fact in passage.facts if lost.value not in (fact.value, fact.subject)]
        if len(facts) < len(passage.facts) - 1 or not facts:
            more = self._knowledge.other_fact(passage.facts, self._draw)
            facts += [more] if more else []
        facts = [fact for fact in facts if fact.attribute != lost.attribute or fact.subject != lost.subject]
        return Asked(question, self._line(facts).text, None, "") if facts else None

    def foreign_mention(self, passage: Passage) -> Asked | None:
        """A value from a text about something else."""
        other = self._draw.choice(self._passages)
        found = self._mention(other)
        known = {part for fact in passage.facts for part in (fact.subject, fact.value)}
        if not found or known & {part for fact in other.facts for part in (fact.subject, fact.value)}:
            return None
        return Asked(found[0], self._line(passage.facts).text, None, "")

    def value_in_data(self, passage: Passage) -> Asked | None:
        """A fact, asked of the data itself."""
        index = self._draw.randrange(len(passage.facts))
        return self._on_data(
            self._ask(passage.facts[index]), self._with_more(passage, index), index, is_value=True
        )

    def unsaid_in_data(self, passage: Passage) -> Asked | None:
        """Something that the data does not tell."""
        fact = self._unsaid(passage, read_text(passage.text))
        return fact and Asked(self._ask(fact), self._line(passage.facts).text, None, "")

    # Sentences with a blank, answered by another text.

    def mention_in_other_text(self, passage: Passage) -> Asked | None:
        """What one text says, found in another that was written from the same facts."""
        found = self._mention(passage)
        if not found or not passage.others:
            return None
        question, index, is_value = found
        reading = read_text(self._vary(self._draw.choice(passage.others)))
        fact = passage.facts[index]
        span = answer_span(fact, reading) if is_value else _best_span(find_value(fact.subject, reading))
        return Asked(question, reading.text, span, "") if span else None

    # What they share.

    def _vary(self, text: str) -> str:
        return add_generation_noise(text, self._draw)

    def _ask(self, fact: Record) -> str:
        choices = self._questions.choices(fact)
        if self._draw.random() < SHARE_GENERAL:
            return fill(choices[-1], fact)
        return fill(self._draw.choice(choices), fact)

    def _mention(self, passage: Passage) -> tuple[str, int, bool] | None:
        """A sentence with a blank, the place of the fact that it stands for, and whether it is its value."""
        index = self._draw.randrange(len(passage.facts))
        fact = passage.facts[index]
        is_value = not fact.subject or self._draw.random() < 0.75
        reading = read_text(self._vary(passage.text))
        span = answer_span(fact, reading) if is_value else _best_span(find_value(fact.subject, reading))
        if not span or isinstance(parse_value(fact.value), Boolean):
            return None
        return blank_out(reading.text, span), index, is_value

    def _with_more(self, passage: Passage, index: int) -> list[Record]:
        """The facts, sometimes with one more about the same."""
        more = self._knowledge.other_fact(passage.facts, self._draw) if self._draw.random() < 0.25 else None
        same = more and (more.attribute == passage.facts[index].attribute)
        return passage.facts if more is None or same else [*passage.facts, more]

    def _on_data(self, question: str, facts: Sequence[Record], index: int, is_value: bool) -> Asked:
        line = self._line(facts)
        answer = next(
            (one.start, one.end) for one in line.indices if one.record == index and one.is_value == is_value
        )
        return Asked(question, line.text, answer, "")

    def _line(self, facts: Sequence[Record]) -> LinearData:
        """Facts in any order."""
        indices = list(range(len(facts)))
        self._draw.shuffle(indices)
        return linearise({index: facts[index] for index in indices})

    def _unsaid(self, passage: Passage, reading: ReadText) -> Record | None:
        """A fact about one of the subjects that the text does not say."""
        said = {fact.attribute for fact in passage.facts}
        if self._draw.random() < 0.5:
            fact = self._knowledge.other_fact(passage.facts, self._draw)
        else:
            subject = self._draw.choice(passage.facts).subject
            fact = Record(subject, self._draw.choice(self._attributes), "?")
        if fact is None or fact.attribute in said or find_value(fact.value, reading, fact.attribute):
            return None
        return fact


def answer_span(fact: Record, reading: ReadText) -> tuple[int, int] | None:
    """Where a text says the value of a fact; a denial belongs to what it denies."""
    hits = find_value(fact.value, reading, fact.attribute)
    span = _best_span(hits)
    if span and isinstance(parse_value(fact.value), Boolean):
        before = reading.text[max(0, span[0] - 30) : span[0]]
        denied = _DENIAL.search(before)
        return (span[0] - len(before) + denied.start(), span[1]) if denied else span
    return span


def _best_span(hits: Sequence[Hit]) -> tuple[int, int] | None:
    return next((hit.span for hit in hits if hit.relation in _SAID), None)


def questions_of(
    files: Sequence[str], questions: Questions, *, per_text: int, most: int, seed: int
) -> dict[str, list[Asked]]:
    """The questions of each file, by its name; `most` are taken at random where there are more."""
    return {file: _from_file(file, questions, per_text, most, seed) for file in files}


def is_squad(file: str) -> bool:
    """Whether a file, by its name, is one of SQuAD's: JSON in one piece, perhaps compressed."""
    return ".json" in Path(file).suffixes


def _from_file(file: str, questions: Questions, per_text: int, most: int, seed: int) -> list[Asked]:
    draw = random.Random(seed)  # noqa: S311
    if is_squad(file):
        found = list(cut_passages(read_squad(file), draw))
    else:
        passages = passages_of(list(iter_examples(file, need_text=False)))
        found = list(QuestionMaker(passages, questions, seed=seed).questions(per_text))
    if not found:
        remedy = "give converted data sets with references, or files of SQuAD"
        raise DataError([Fault(file, None, "no questions can be made of it", remedy)])
    return draw.sample(found, most) if len(found) > most else found
