"""Questions with the context in which their answers are looked for."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import open_input
from factable.text.sentences import sentence_spans


class Asked(NamedTuple):
    """A question, a context, and where the answer stands in it, if it does; `kind` says how it was made."""

    question: str
    context: str
    answer: tuple[int, int] | None
    kind: str


SHARE_UNANSWERABLE = 0.25
MAX_WORDS = 75


class SquadQuestion(NamedTuple):
    """A question, its paragraph, and every answer that was given, with its place."""

    question: str
    context: str
    answers: tuple[tuple[int, str], ...]


def read_squad(path: str) -> list[SquadQuestion]:
    """The questions of a file in the format of SQuAD 1.1."""
    with open_input(path) as stream:
        content = stream.read()
    try:
        return list(_questions(orjson.loads(content)))
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        remedy = "give a file of SQuAD 1.1, or convert data sets to .jsonl first"
        raise DataError([Fault(path, None, f"no file of SQuAD ({error!r})", remedy)]) from None


def _questions(content: Any) -> Iterator[SquadQuestion]:
    for article in content["data"]:
        for paragraph in article["paragraphs"]:
            for row in paragraph["qas"]:
                answers = tuple((int(one["answer_start"]), str(one["text"])) for one in row["answers"])
                yield SquadQuestion(str(row["question"]).strip(), str(paragraph["context"]), answers)


def cut_passages(questions: Sequence[SquadQuestion], draw: random.Random) -> Iterator[Asked]:
    """Each question with some sentences of its paragraph, a quarter of them without the answer."""
    for question in questions:
        if not question.answers:
            continue
        sentences = sentence_spans(question.context)
        start, text = question.answers[0]
        held = [n for n, (first, last) in enumerate(sentences) if first < start + len(text) and start < last]
        if not held:
            continue
        if draw.random() < SHARE_UNANSWERABLE:
            others = [
                n for n, (first, last) in enumerate(sentences) if text not in question.context[first:last]
            ]
            # Neighbours only, so that the passage is one.
            run = _longest_run(others)
            if run:
                first, last = _widen(sentences, question.context, run[0], run[0], run[0], run[-1], draw)
                yield Asked(question.question, question.context[first:last], None, "squad, no answer")
            continue
        first, last = _widen(sentences, question.context, held[0], held[-1], 0, len(sentences) - 1, draw)
        answer = start - first, start - first + len(text)
        yield Asked(question.question, question.context[first:last], answer, "squad")


def _longest_run(numbers: Sequence[int]) -> list[int]:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return max(runs, key=len, default=[])


def _widen(
    sentences: Sequence[tuple[int, int]],
    context: str,
    first: int,
    last: int,
    lowest: int,
    highest: int,
    draw: random.Random,
) -> tuple[int, int]:
    """Where a passage starts and ends that holds some sentences and others around them, not too long."""
    most = draw.randint(MAX_WORDS // 3, MAX_WORDS)
    while True:
        sides = [side for side in (-1, 1) if (first > lowest if side < 0 else last < highest)]
        if not sides:
            break
        side = draw.choice(sides)
        wider = (first - 1, last) if side < 0 else (first, last + 1)
        if len(context[sentences[wider[0]][0] : sentences[wider[1]][1]].split()) > most:
            break
        first, last = wider
    return sentences[first][0], sentences[last][1]
