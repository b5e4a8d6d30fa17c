"""Readers of texts and values need time in proportion to the length, whatever is in it."""

import time

import pytest

from factable.text.answers import answer_spans, answers_beside, token_f1, value_similarity
from factable.text.linearise import linearise, linearise_by_entity
from factable.text.markdown import segments
from factable.text.opening_hours import hours_claims, parse_hours
from factable.text.polarity import clauses, polarity_at, reported_from
from factable.text.sentences import sentence_spans
from factable.text.templates import Templates, facts_of, fill
from factable.text.values import find_value, hint_of, parse_text, parts_of
from factable.types import Record, Table

REPEATED = """%|5 km |twenty |1990 |$5 |May 1|[0]|11 |111 |1-|1:|5m |00|1\u00a0|a hundred |Q1 |no |and |
5 am - |sure |A. |(|" |New York, |Mon-|half |1/2 |~|- a\n|_"""
BEGINNINGS = ["", "11", "sure", "(", "1 ("]
SHORT, LONG = 200, 1600
RECORD = Record("Ada", "born", "1990")
# Eight times the length takes eight times as long, or 64 times where time is quadratic.
MAX_GROWTH = 24
# Less processor time than this is not worth a comparison: readers may be bounded instead of linear.
SECONDS = 0.5


def read_clauses(text):
    for clause in clauses(text, (0, len(text))):
        polarity_at(clause, (clause.start, clause.start + 1))


READERS = {
    "mentions": parse_text,
    "parts": lambda text: parts_of.__wrapped__(text),
    "hints": lambda text: hint_of(text, {text: "5"}),
    "search": lambda text: [find_value(value, parse_text(text)) for value in ("Ada", "5 km")],
    "answers": lambda text: answers_beside(text, answer_spans(text), {0: RECORD}),
    "similarity": lambda text: (value_similarity(text, text), token_f1(text, text)),
    "sentences": sentence_spans,
    "segments": segments,
    "clauses": read_clauses,
    "reviews": lambda text: reported_from(text, (0, len(text))),
    "hours": lambda text: (list(hours_claims(text, (0, len(text)))), parse_hours(text)),
    "linearised": lambda text: (
        linearise({0: Record(text, text, text)}),
        linearise_by_entity({0: Record(text, text, text)}),
    ),
    "templates": lambda text: (
        Templates().sentence(Record("", text, "yes")),
        fill(text, Record(text, text, text)),
        facts_of(Table((Record("", text, text), Record("", "name", text)))),
    ),
}


def texts(length):
    """Texts of one part again and again, and of a beginning and many spaces."""
    for part in REPEATED.replace("|\n5", "|5").split("|"):
        yield (part * length)[:length] + "x"
    for beginning in BEGINNINGS:
        yield f"{beginning}{' ' * length}x"


def cost(read, text):
    """The processor time of this thread, which others do not change."""
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


@pytest.mark.parametrize("name", READERS)
def test_time_is_in_proportion_to_the_length(name):
    read = READERS[name]
    read("Ada was born on 1 May 1990.")
    for short, long in zip(texts(SHORT), texts(LONG), strict=True):
        spent = cost(read, long)
        if spent > SECONDS:
            # The best of a few, for the first may pay for others.
            spent = min(spent, cost(read, long[:-1] + "y"))
            base = min(cost(read, short[:-1] + letter) for letter in "yzw")
            assert spent < MAX_GROWTH * base or spent < SECONDS, long[:20]
