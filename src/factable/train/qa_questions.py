"""Questions to train the QA model on, made from a corpus of data and texts or taken from SQuAD."""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import open_input
from factable.io.read import iter_examples
from factable.text.linearise import LinearData, linearise
from factable.text.questions import Questions, attribute_key, blank_out
from factable.text.sentences import sentence_spans
from factable.text.templates import clean_value, facts_of, fill
from factable.text.values import Boolean, Hit, ParsedText, Relation, find_value, parse_text, parse_value
from factable.train.corruptions import Knowledge, add_generation_noise
from factable.train.perturbations import value_type
from factable.types import Example, Record, Span

_DENIAL = re.compile(r"\b(?:not|no|non|never|isn't|isn’t)\b(?:\W+\w+){0,3}\W*\Z", re.IGNORECASE)
_STATED = (Relation.EQUAL, Relation.COARSER, Relation.FINER)
# Share of questions in the general form, so that the model understands attributes it has never seen.
SHARE_GENERAL = 0.4
# Share of sentences whose blank is a value; in the others it is a subject.
SHARE_VALUES = 0.75
# Share of questions to data that gets one more fact.
SHARE_MORE_FACTS = 0.25
SHARE_UNANSWERABLE = 0.25
MAX_WORDS = 75


class QaQuestion(NamedTuple):
    """A question, a context, and the span of the answer in it, if any; `kind` says how it was made."""

    question: str
    context: str
    answer: Span | None
    kind: str = ""


def make_questions(
    files: Sequence[str],
    questions: Questions,
    *,
    per_text: int,
    max_questions: int,
    seed: int,
    relations: bool = False,
) -> dict[str, list[QaQuestion]]:
    """The questions of each file, by its name; at most `max_questions` of each, drawn at random.

    `relations` adds questions that only who did what decides.
    """
    kinds = {**KINDS, **RELATIONS} if relations else KINDS
    return {file: _questions_of(file, questions, per_text, max_questions, seed, kinds) for file in files}


def _questions_of(
    file: str,
    questions: Questions,
    per_text: int,
    max_questions: int,
    seed: int,
    kinds: "Mapping[QuestionKind, float]",
) -> list[QaQuestion]:
    draw = random.Random(seed)  # noqa: S311
    # SQuAD is one JSON value, possibly compressed; converted data sets are .jsonl.
    if ".json" in Path(file).suffixes:
        made = list(cut_passages(read_squad(file), draw))
    else:
        passages = pair_with_references(list(iter_examples(file, need_text=False)))
        made = list(write_questions_about(QaCorpus(passages, questions, seed=seed), per_text, kinds))
    if not made:
        remedy = "give converted data sets with references, or SQuAD files"
        raise DataError([Fault(file, None, "no questions can be made from it", remedy)])
    return draw.sample(made, max_questions) if len(made) > max_questions else made


# Questions from SQuAD.


class SquadQuestion(NamedTuple):
    """A question, its paragraph, and every answer that was given, with its start."""

    question: str
    context: str
    answers: tuple[tuple[int, str], ...]


def read_squad(path: str) -> list[SquadQuestion]:
    """The questions of a file in the format of SQuAD 1.1."""
    with open_input(path) as stream:
        content = stream.read()
    try:
        return list(_parse_squad(orjson.loads(content)))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        remedy = "give a SQuAD 1.1 file, or convert data sets to .jsonl first"
        raise DataError([Fault(path, None, f"not a SQuAD file ({error!r})", remedy)]) from None


def _parse_squad(content: Any) -> Iterator[SquadQuestion]:
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            for row in paragraph["qas"]:
                answers = tuple(
                    (int(answer["answer_start"]), str(answer["text"])) for answer in row["answers"]
                )
                yield SquadQuestion(str(row["question"]).strip(), str(paragraph["context"]), answers)


def cut_passages(questions: Sequence[SquadQuestion], draw: random.Random) -> Iterator[QaQuestion]:
    """Each question with some sentences of its paragraph; a quarter of them without the answer."""
    for question in questions:
        if not question.answers:
            continue
        sentences = sentence_spans(question.context)
        start, text = question.answers[0]
        with_answer = [
            index
            for index, (first, last) in enumerate(sentences)
            if first < start + len(text) and start < last
        ]
        if not with_answer:
            continue
        if draw.random() < SHARE_UNANSWERABLE:
            without = [
                index
                for index, (first, last) in enumerate(sentences)
                if text not in question.context[first:last]
            ]
            # Only neighbours, so that the passage is one piece.
            run = _longest_run(without)
            if run:
                first, last = _widen(sentences, question.context, (run[0], run[0]), (run[0], run[-1]), draw)
                yield QaQuestion(question.question, question.context[first:last], None, "squad, no answer")
            continue
        core, limits = (with_answer[0], with_answer[-1]), (0, len(sentences) - 1)
        first, last = _widen(sentences, question.context, core, limits, draw)
        answer = start - first, start - first + len(text)
        yield QaQuestion(question.question, question.context[first:last], answer, "squad")


def _longest_run(numbers: Sequence[int]) -> list[int]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return max(runs, key=len, default=[])


def _widen(sentences: Sequence[Span], context: str, core: Span, limits: Span, draw: random.Random) -> Span:
    """The span of a passage with the sentences of `core` and others around them, within `limits`."""
    max_words = draw.randint(MAX_WORDS // 3, MAX_WORDS)
    first, last = core
    while True:
        sides = [side for side in (-1, 1) if (first > limits[0] if side < 0 else last < limits[1])]
        if not sides:
            break
        side = draw.choice(sides)
        wider = (first - 1, last) if side < 0 else (first, last + 1)
        if len(context[sentences[wider[0]][0] : sentences[wider[1]][1]].split()) > max_words:
            break
        first, last = wider
    return sentences[first][0], sentences[last][1]


# Questions from a corpus.


class QaPassage(NamedTuple):
    """A text, the facts it was written from, and other texts written from the same facts."""

    facts: list[Record]
    text: str
    others: tuple[str, ...]


def pair_with_references(examples: Sequence[Example]) -> list[QaPassage]:
    """Every reference with its facts."""
    return [
        QaPassage(facts, text, tuple(other for other in example.references if other != text))
        for example in examples
        for facts in [list(facts_of(example.table).values())]
        for text in example.references
        if facts
    ]


class Blank(NamedTuple):
    """A sentence with a blank, the index of its fact, and whether the blank is the value or the subject."""

    question: str
    fact: int
    is_value: bool


class QaCorpus:
    """Passages to ask about, with random choices drawn from one generator."""

    def __init__(self, passages: Sequence[QaPassage], questions: Questions, *, seed: int) -> None:
        self.passages = passages
        self.draw = random.Random(seed)  # noqa: S311
        self.knowledge = Knowledge(fact for passage in passages for fact in passage.facts)
        self._questions = questions
        self._attributes = sorted({fact.attribute for passage in passages for fact in passage.facts})
        self._by_attribute: dict[str, list[QaPassage]] = defaultdict(list)
        for passage in passages:
            for attribute in dict.fromkeys(fact.attribute for fact in passage.facts):
                self._by_attribute[attribute].append(passage)

    def read(self, text: str) -> ParsedText:
        """The text, sometimes as a system would write it, with its values."""
        return parse_text(self.vary(text))

    def vary(self, text: str) -> str:
        """The text, sometimes as a system would write it."""
        return add_generation_noise(text, self.draw)

    def question(self, fact: Record) -> str:
        """A question for the value of a fact."""
        choices = self._questions.choices(fact)
        if self.draw.random() < SHARE_GENERAL:
            return fill(choices[-1], fact)
        return fill(self.draw.choice(choices), fact)

    def blank(self, passage: QaPassage) -> Blank | None:
        """A sentence of the passage with a blank for a value or a subject."""
        index = self.draw.randrange(len(passage.facts))
        fact = passage.facts[index]
        is_value = not fact.subject or self.draw.random() < SHARE_VALUES
        reading = self.read(passage.text)
        span = find_answer(fact, reading, is_value=is_value)
        if not span or isinstance(parse_value(fact.value), Boolean):
            return None
        return Blank(blank_out(reading.text, span), index, is_value)

    def add_fact(self, passage: QaPassage, index: int) -> list[Record]:
        """The facts, sometimes with one more that does not compete with the fact at `index`."""
        draw = self.draw.random() < SHARE_MORE_FACTS
        more = self.knowledge.other_fact(passage.facts, self.draw) if draw else None
        competes = more and more.attribute == passage.facts[index].attribute
        return passage.facts if more is None or competes else [*passage.facts, more]

    def ask_data(self, question: str, facts: Sequence[Record], index: int, *, is_value: bool) -> QaQuestion:
        """A question to facts, answered by the value or the subject of the fact at `index`."""
        data = self.linearise(facts)
        answer = next(
            (entry.start, entry.end)
            for entry in data.positions
            if entry.record == index and entry.is_value == is_value
        )
        return QaQuestion(question, data.text, answer)

    def linearise(self, facts: Sequence[Record]) -> LinearData:
        """Facts in random order as one line."""
        indices = list(range(len(facts)))
        self.draw.shuffle(indices)
        return linearise({index: facts[index] for index in indices})

    def passage_with(self, attribute: str) -> QaPassage:
        """A passage with a fact of an attribute that some passage has."""
        return self.draw.choice(self._by_attribute[attribute])

    def unstated_fact(self, passage: QaPassage) -> Record | None:
        """A fact about one of the subjects that the passage does not state."""
        stated = {fact.attribute for fact in passage.facts}
        if self.draw.random() < 0.5:
            fact = self.knowledge.other_fact(passage.facts, self.draw)
        else:
            subject = self.draw.choice(passage.facts).subject
            fact = Record(subject, self.draw.choice(self._attributes), "?")
        if fact is None or fact.attribute in stated or find_value(fact.value, passage.text, fact.attribute):
            return None
        return fact


def find_answer(fact: Record, reading: ParsedText, *, is_value: bool = True) -> Span | None:
    """Where a text states the value (or subject) of a fact; a denial belongs to what it denies."""
    if not is_value:
        return _first_stated(find_value(fact.subject, reading))
    span = _first_stated(find_value(fact.value, reading, fact.attribute))
    if span and isinstance(parse_value(fact.value), Boolean):
        before = reading.text[max(0, span[0] - 30) : span[0]]
        denial = _DENIAL.search(before)
        return (span[0] - len(before) + denial.start(), span[1]) if denial else span
    return span


def _first_stated(hits: Sequence[Hit]) -> Span | None:
    return next((hit.span for hit in hits if hit.relation in _STATED), None)


QuestionKind = Callable[[QaCorpus, QaPassage], QaQuestion | None]


def write_questions_about(
    corpus: QaCorpus, per_text: int, kinds: Mapping[QuestionKind, float]
) -> Iterator[QaQuestion]:
    """Questions about each passage, of kinds drawn by weight; fewer where a kind is impossible."""
    functions, weights = list(kinds), list(kinds.values())
    for passage in corpus.passages:
        for function in corpus.draw.choices(functions, weights, k=per_text):
            question = function(corpus, passage)
            if question is not None:
                yield question._replace(kind=function.__name__)


# Questions about facts, answered by the text.


def value_in_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact that the text states."""
    fact = corpus.draw.choice(passage.facts)
    reading = corpus.read(passage.text)
    span = find_answer(fact, reading)
    return span and QaQuestion(corpus.question(fact), reading.text, span)


def value_swapped_in_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact that the text states with another value."""
    fact = corpus.draw.choice(passage.facts)
    other = corpus.knowledge.swap_value(fact, corpus.draw)
    reading = corpus.read(passage.text)
    span = find_answer(fact, reading)
    if not other or not span or isinstance(parse_value(fact.value), Boolean):
        return None
    value = clean_value(other.value)
    text = reading.text[: span[0]] + value + reading.text[span[1] :]
    return QaQuestion(corpus.question(fact), text, (span[0], span[0] + len(value)))


def unstated_in_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """Something that the text does not state."""
    fact = corpus.unstated_fact(passage)
    return fact and QaQuestion(corpus.question(fact), corpus.vary(passage.text), None)


def value_removed_from_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact whose value was removed from the text."""
    fact = corpus.draw.choice(passage.facts)
    reading = parse_text(passage.text)
    span = find_answer(fact, reading)
    if not span:
        return None
    text = " ".join((reading.text[: span[0]] + reading.text[span[1] :]).split())
    if find_answer(fact, parse_text(text)):
        return None
    return QaQuestion(corpus.question(fact), corpus.vary(text), None)


def other_subject_in_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact that the text states about another subject."""
    fact = corpus.knowledge.swap_subject(corpus.draw.choice(passage.facts), corpus.draw)
    if fact is None or find_value(fact.subject, passage.text):
        return None
    return QaQuestion(corpus.question(fact), corpus.vary(passage.text), None)


# Questions that only who did what decides: other values of the same type stand in the text, too.


def exchanged_in_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact of a text in which two values of one type are in each other's place."""
    return _ask_exchanged(corpus, passage)


def exchanged_between_two_texts(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """The same, in two texts about different things that share an attribute."""
    joined = _join(corpus, passage)
    return joined and _ask_exchanged(corpus, joined)


def value_in_one_of_two_texts(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact that one of two texts states, while the other says the same of something else."""
    joined = _join(corpus, passage)
    return joined and value_in_text(corpus, joined)


def attribute_of_the_same_type(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """An attribute that the text does not state, beside a value that it could have."""
    fact = corpus.draw.choice(passage.facts)
    other = corpus.knowledge.swap_attribute(fact, corpus.draw)
    if other is None or other.attribute in {each.attribute for each in passage.facts}:
        return None
    words, meant = (set(attribute_key(each.attribute).split()) for each in (fact, other))
    example = next(
        each for each in corpus.passage_with(other.attribute).facts if each.attribute == other.attribute
    )
    if words & meant or value_type(example) != value_type(fact):
        return None
    return QaQuestion(corpus.question(other), corpus.vary(passage.text), None)


def _join(corpus: QaCorpus, passage: QaPassage) -> QaPassage | None:
    """Two passages in a row that share an attribute and no name."""
    other = corpus.passage_with(corpus.draw.choice(passage.facts).attribute)
    first, second = corpus.draw.sample([passage, other], 2)
    if _names(first) & _names(second):
        return None
    return QaPassage([*first.facts, *second.facts], f"{first.text} {second.text}", ())


def _names(passage: QaPassage) -> set[str]:
    return {name for fact in passage.facts for name in (fact.subject, fact.value)}


def _ask_exchanged(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    reading = corpus.read(passage.text)
    facts = corpus.draw.sample(passage.facts, len(passage.facts))
    spans = {fact: span for fact in facts if (span := _only_span(fact, reading))}
    pairs = [
        (first, second)
        for first in spans
        for second in spans
        if spans[first][1] <= spans[second][0]
        and value_type(first) == value_type(second) != "Boolean"
        and first[:2] != second[:2]
    ]
    # Values of one attribute for two subjects are the hardest to tell apart.
    same = [pair for pair in pairs if pair[0].attribute == pair[1].attribute]
    if not pairs:
        return None
    first, second = corpus.draw.choice(same or pairs)
    (start, end), (begin, stop), text = spans[first], spans[second], reading.text
    changed = text[:start] + text[begin:stop] + text[end:begin] + text[start:end] + text[stop:]
    if corpus.draw.random() < 0.5:
        return QaQuestion(corpus.question(first), changed, (start, start + stop - begin))
    return QaQuestion(corpus.question(second), changed, (stop - (end - start), stop))


def _only_span(fact: Record, reading: ParsedText) -> Span | None:
    """Where a text states a value, if it does so once and exactly."""
    hits = find_value(fact.value, reading, fact.attribute)
    return hits[0].span if len(hits) == 1 and hits[0].relation is Relation.EQUAL else None


# Sentences with a blank, and questions about facts, answered by the data.


def blank_in_data(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A value or subject that the data has."""
    blank = corpus.blank(passage)
    if not blank:
        return None
    facts = corpus.add_fact(passage, blank.fact)
    return corpus.ask_data(blank.question, facts, blank.fact, is_value=blank.is_value)


def blank_swapped_in_data(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A value for which the data has another."""
    blank = corpus.blank(passage)
    if not blank or not blank.is_value:
        return None
    other = corpus.knowledge.swap_value(passage.facts[blank.fact], corpus.draw)
    if other is None:
        return None
    facts = [*passage.facts[: blank.fact], other, *passage.facts[blank.fact + 1 :]]
    return corpus.ask_data(blank.question, facts, blank.fact, is_value=True)


def blank_not_in_data(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A value whose fact the data lacks."""
    blank = corpus.blank(passage)
    if not blank or not blank.is_value:
        return None
    removed = passage.facts[blank.fact]
    facts = [fact for fact in passage.facts if removed.value not in (fact.value, fact.subject)]
    if len(facts) < len(passage.facts) - 1 or not facts:
        more = corpus.knowledge.other_fact(passage.facts, corpus.draw)
        facts += [more] if more else []
    about_removed = removed.subject, removed.attribute
    facts = [fact for fact in facts if (fact.subject, fact.attribute) != about_removed]
    return QaQuestion(blank.question, corpus.linearise(facts).text, None) if facts else None


def blank_of_other_text(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A value from a text about something else."""
    other = corpus.draw.choice(corpus.passages)
    blank = corpus.blank(other)
    names = {part for fact in passage.facts for part in (fact.subject, fact.value)}
    if not blank or names & {part for fact in other.facts for part in (fact.subject, fact.value)}:
        return None
    return QaQuestion(blank.question, corpus.linearise(passage.facts).text, None)


def value_in_data(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A fact that the data has."""
    index = corpus.draw.randrange(len(passage.facts))
    question = corpus.question(passage.facts[index])
    return corpus.ask_data(question, corpus.add_fact(passage, index), index, is_value=True)


def unstated_in_data(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """Something that the data does not state."""
    fact = corpus.unstated_fact(passage)
    return fact and QaQuestion(corpus.question(fact), corpus.linearise(passage.facts).text, None)


# Sentences with a blank, answered by another text.


def blank_in_other_reference(corpus: QaCorpus, passage: QaPassage) -> QaQuestion | None:
    """A value or subject, found in another text written from the same facts."""
    blank = corpus.blank(passage)
    if not blank or not passage.others:
        return None
    reading = corpus.read(corpus.draw.choice(passage.others))
    span = find_answer(passage.facts[blank.fact], reading, is_value=blank.is_value)
    return QaQuestion(blank.question, reading.text, span) if span else None


KINDS: Mapping[QuestionKind, float] = {
    value_in_text: 3,
    value_swapped_in_text: 1.6,
    unstated_in_text: 1.5,
    value_removed_from_text: 1,
    other_subject_in_text: 0.8,
    blank_in_data: 3,
    blank_swapped_in_data: 1.2,
    blank_not_in_data: 1.8,
    blank_of_other_text: 0.7,
    value_in_data: 0.6,
    unstated_in_data: 0.3,
    blank_in_other_reference: 1,
}
# What a model that tells relations apart learns besides.
RELATIONS: Mapping[QuestionKind, float] = {
    exchanged_in_text: 3,
    exchanged_between_two_texts: 1,
    value_in_one_of_two_texts: 1,
    attribute_of_the_same_type: 4,
}
