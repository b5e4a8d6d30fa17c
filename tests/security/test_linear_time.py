"""Readers of texts and values need time in proportion to the length, whatever is in it."""

import re
import sys
import time
from pathlib import Path

import pytest

import factable
from factable.io.data import make_table
from factable.metrics.ledger.coverage import facts_said
from factable.metrics.ledger.evidence import numbers_in
from factable.metrics.ledger.naming import codes_in
from factable.metrics.ledger.structured import NO_MARKS, StructuredReading, items_of
from factable.text.answers import answer_spans, answers_beside, token_f1, value_similarity
from factable.text.linearise import linearise, linearise_by_entity
from factable.text.markdown import segments
from factable.text.opening_hours import hours_claims, parse_hours
from factable.text.patterns import lazy_pattern
from factable.text.polarity import clauses, polarity_at, reported_from
from factable.text.sentences import sentence_spans
from factable.text.templates import Templates, facts_of, fill
from factable.text.values import find_value, hint_of, parse_text, parts_of
from factable.types import Example, Record, Table

REPEATED = """%|5 km |twenty |1990 |$5 |May 1|[0]|11 |111 |1-|1:|5m |00|1\u00a0|a hundred |Q1 |no |and |
5 am - |a1|a-|a.|sure |A. |(|" |New York, |Mon-|half |1/2 |~|- a\n|_|two desk lamps |from Paris to New York |
host Ada Obi, |she |a pool, |Chair T20 Xy |2 days |without a spa, | up 5 % to 6 |the pub is a café. """
BEGINNINGS = ["", "11", "sure", "(", "1 ("]
# Beyond all bounds twice the length takes twice the operations, or four times where they are quadratic.
COUNTED = 800
MAX_DOUBLING = 3
RECORD = Record("Ada", "born", "1990")
PATTERNS = re.Pattern, type(lazy_pattern(""))
# Fewer operations on a short text are not worth a comparison: readers may be bounded instead of linear.
MIN_OPERATIONS = 500
PACKAGE = str(Path(factable.__file__).parent)
# Less processor time than this is not worth a comparison, either.
SECONDS = 1.0


def read_clauses(text):
    for clause in clauses(text, (0, len(text))):
        polarity_at(clause, (clause.start, clause.start + 1))


# Something for each rule of the ledger to look for in a text.
DATA = {
    "name": "Ada Rooms",
    "type": "pub",
    "host": "Amara Obi",
    "sex": "female",
    "from": "Paris",
    "destination": "New York",
    "pool": True,
    "start": "2024-05-01 10:00",
    "end": "2024-05-03 12:30",
    "status": "failed",
    "amenities": ["spa", "bar"],
    "items": [
        {"name": "desk lamp", "quantity": 2, "price": 5.5},
        {"name": "chair T19", "quantity": 11, "price": 20},
    ],
}


def read_by_rules(text):
    reading = StructuredReading(Example("", "", text, make_table(DATA)))
    return items_of(reading, [NO_MARKS] * len(reading.sentences)), facts_said(reading)


READERS = {
    "rules of the ledger": read_by_rules,
    "mentions": parse_text,
    "parts": lambda text: parts_of.__wrapped__(text),
    "hints": lambda text: hint_of(text, {text: "5"}),
    "search": lambda text: [find_value(value, parse_text(text)) for value in ("Ada", "5 km")],
    "answers": lambda text: answers_beside(text, answer_spans(text), {0: RECORD}),
    "similarity": lambda text: (value_similarity(text, text), token_f1(text, text)),
    "codes": lambda text: list(codes_in(text)),
    "numbers of evidence": lambda text: list(numbers_in(text)),
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
    for part in REPEATED.replace("|\n", "|").split("|"):
        yield (part * length)[:length] + "x"
    for beginning in BEGINNINGS:
        yield f"{beginning}{' ' * length}x"


class Operations:
    """Counts the lines of factable that are run, and the characters that regular expressions are given.

    What a regular expression does with its characters cannot be counted; the test of processor time covers
    it.
    """

    def __init__(self, monkeypatch):
        self.count = 0
        for name, module in sorted(sys.modules.items()):
            if name.startswith("factable."):
                for attribute, value in list(vars(module).items()):
                    if isinstance(value, PATTERNS):
                        monkeypatch.setattr(module, attribute, CountedPattern(value, self))

    def of(self, read, text):
        """How many operations it takes to read a text."""
        before, tracer = self.count, sys.gettrace()
        sys.settrace(self._enter)
        try:
            read(text)
        finally:
            sys.settrace(tracer)
        return self.count - before

    def _enter(self, frame, event, argument):
        return self._step if PACKAGE in frame.f_code.co_filename else None

    def _step(self, frame, event, argument):
        self.count += event == "line"
        return self._step


class CountedPattern:
    """A regular expression that tells how many characters it is given, from where to where."""

    def __init__(self, pattern, operations):
        self._pattern, self._operations = pattern, operations

    def __getattr__(self, name):
        value = getattr(self._pattern, name)
        if name not in ("search", "match", "fullmatch", "finditer", "findall"):
            return value if name not in ("sub", "subn", "split") else self._counted_whole(value, name)

        def counted(text, start=0, end=sys.maxsize):
            found = value(text, start, end)
            self._operations.count += self._read(name, text, start, end, found)
            return found

        return counted

    def _counted_whole(self, value, name):
        def counted(*arguments, **options):
            self._operations.count += len(arguments[name != "split"])
            return value(*arguments, **options)

        return counted

    @staticmethod
    def _read(name, text, start, end, found):
        """A search ends where it finds something; a match begins at its start and is not given more."""
        if name in ("match", "fullmatch"):
            return found.end() - found.start() if found else 1
        last = found.end() if name == "search" and found else min(end, len(text))
        return max(0, last - start)


def check_operations(name, chosen, monkeypatch):
    read = READERS[name]
    read("Ada was born on 1 May 1990.")
    operations = Operations(monkeypatch)
    for short, long in zip(texts(COUNTED), texts(2 * COUNTED), strict=True):
        if long.startswith(chosen):
            # Each reader has texts of its own, for what was read before may be remembered.
            base = operations.of(read, short + name)
            assert operations.of(read, long + name) < MAX_DOUBLING * max(base, MIN_OPERATIONS), long[:20]


@pytest.mark.parametrize("name", READERS)
def test_operations_are_in_proportion_to_the_length(name, monkeypatch):
    check_operations(name, ("5 km ", "[0]", "and ", "$5", "11  ", "%"), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_operations_on_all_texts(name, monkeypatch):
    check_operations(name, "", monkeypatch)


def processor_time(read, text):
    """The processor time of this thread, which others do not change."""
    start = time.thread_time()
    read(text)
    return time.thread_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_time_is_in_proportion_to_the_length(name):
    """Also inside of regular expressions."""
    read = READERS[name]
    read("Ada was born on 1 May 1990.")
    for half, long in zip(texts(COUNTED), texts(2 * COUNTED), strict=True):
        if processor_time(read, long) > SECONDS:
            # The best of a few, for the first may pay for others.
            base, spent = (
                min(processor_time(read, text[:-1] + end) for end in "yzw") for text in (half, long)
            )
            assert spent < MAX_DOUBLING * base or spent < SECONDS, long[:20]
