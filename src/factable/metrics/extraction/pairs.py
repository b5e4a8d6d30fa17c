"""Pairs extracted from a text against pairs of a table or of references: which are the same, and how many."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factable.errors import printable
from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.extraction.protocol import Extracted
from factable.text.memo import cached_if_short
from factable.text.templates import clean_value, split_identifier
from factable.text.values import Relation, compare_values, possible_values
from factable.text.values.words import split_words
from factable.types import Example, Record, Table

AS_VALUES, NORMALISED, EXACT = MATCHINGS = ("value", "normalised", "exact")
SAME_VALUE = (Relation.EQUAL, Relation.COARSER, Relation.FINER)


class Overlap(NamedTuple):
    """How many pairs two lists share, and how many each has."""

    shared: int
    extracted: int
    known: int

    @property
    def precision(self) -> float:
        """The share of the extracted pairs that are known; 0 of none, unless none is known either."""
        return self.shared / self.extracted if self.extracted else float(not self.known)

    @property
    def recall(self) -> float:
        """The share of the known pairs that are extracted; 0 of none, unless none is extracted either."""
        return self.shared / self.known if self.known else float(not self.extracted)

    @property
    def f(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.extracted + self.known
        return 2 * self.shared / both if both else 1.0


def agree(known: Record, said: Record, matching: str) -> bool:
    """Whether two records are the same pair; a subject counts where both have one."""
    if _words(split_identifier(known.attribute)) != _words(split_identifier(said.attribute)):
        return False
    if known.subject and said.subject and not _same_value(known.subject, said.subject, "", matching):
        return False
    return _same_value(known.value, said.value, known.attribute, matching)


@cached_if_short(1 << 16)
def _same_value(known: str, said: str, attribute: str, matching: str) -> bool:
    if matching == EXACT or known == said:
        return known == said
    if _words(clean_value(known)) == _words(clean_value(said)):
        return True
    if matching == NORMALISED:
        return False
    return any(
        compare_values(value, other) in SAME_VALUE
        for value in possible_values(known, attribute)
        for other in possible_values(said, attribute)
    )


@cached_if_short(1 << 16)
def _words(text: str) -> tuple[str, ...]:
    """What is left of a text without case, accents and punctuation; the text where that is nothing."""
    return tuple(word.folded for word in split_words(text)) or (text.strip(),)


def distinct(extracted: Sequence[Extracted]) -> list[Extracted]:
    """The extracted pairs, each once."""
    first: dict[tuple[tuple[str, ...], ...], Extracted] = {}
    for pair in extracted:
        first.setdefault(tuple(map(_words, map(clean_value, pair.record))), pair)
    return list(first.values())


def pair_up(known: Sequence[Record], said: Sequence[Extracted], matching: str) -> dict[int, int]:
    """For extracted pairs, by index, the index of the known pair that is the same; each is used once."""
    free = dict.fromkeys(range(len(known)))
    pairs = {}
    for index, pair in enumerate(said):
        match = next((other for other in free if agree(known[other], pair.record, matching)), None)
        if match is not None:
            pairs[index] = match
            del free[match]
    return pairs


def describe_pair(record: Record) -> str:
    """A pair in a note."""
    return printable(" | ".join(part for part in record if part))


class PairComparison(NamedTuple):
    """The pairs that a text says beside known ones; `matches` leads from those to these, by their indices.

    Known pairs are those of the table by the index of the record, or those of a reference in their order.
    """

    said: Sequence[Extracted]
    known: Mapping[int, Record]
    matches: Mapping[int, int]

    @property
    def overlap(self) -> Overlap:
        """How many pairs there are."""
        return Overlap(len(self.matches), len(self.said), len(self.known))

    @property
    def unmatched(self) -> list[int]:
        """The known pairs that the text does not say."""
        matched = set(self.matches.values())
        return [index for index in self.known if index not in matched]


def compare_pairs(known: Mapping[int, Record], said: Sequence[Extracted], matching: str) -> PairComparison:
    """What a text says beside what is known."""
    indices = list(known)
    matches = pair_up(list(known.values()), said, matching)
    return PairComparison(said, known, {index: indices[match] for index, match in matches.items()})


def compare_with_tables(examples: Sequence[Example], extractor: str, matching: str) -> list[PairComparison]:
    """The pairs of each text and of its table, compared; a repeated record counts once."""
    extracted = load_extractor(extractor).extract([(example.text, example.table) for example in examples])
    return [
        compare_pairs(_records_with_value(example.table), distinct(pairs), matching)
        for example, pairs in zip(examples, extracted, strict=True)
    ]


def _records_with_value(table: Table) -> dict[int, Record]:
    """The different records with a value, by the index of the first of equals."""
    first: dict[Record, int] = {}
    for index, record in enumerate(table.records):
        if clean_value(record.value):
            first.setdefault(record, index)
    return {index: record for record, index in first.items()}


class TextPairs(NamedTuple):
    """The pairs of a text and of each of its references, each pair once, in the order of the text."""

    said: list[Extracted]
    references: list[list[Extracted]]


def pairs_with_references(examples: Sequence[Example], extractor: str) -> list[TextPairs]:
    """The pairs of texts and references; blank references are none."""
    references = [list(filter(str.strip, example.references)) for example in examples]
    texts = [
        (text, example.table)
        for example, others in zip(examples, references, strict=True)
        for text in (example.text, *others)
    ]
    extracted = iter(load_extractor(extractor).extract(texts))
    results = []
    for others in references:
        said = distinct(next(extracted))
        pairs = [distinct(next(extracted)) for _ in others]
        # A reference without any pair would agree best with an empty text.
        results.append(TextPairs(said, list(filter(None, pairs)) or pairs))
    return results


def order_agreement(said: Sequence[Extracted], reference: Sequence[Extracted], matching: str) -> float:
    """One minus the edits that turn one sequence of pairs into the other, by the length of the longer.

    An edit drops, adds or changes a pair, or swaps two neighbours, none of which is edited again.
    """
    longest = max(len(said), len(reference))
    if not longest:
        return 1.0
    same = [[agree(other.record, pair.record, matching) for other in reference] for pair in said]
    edits = [list(range(len(reference) + 1))]
    for row in range(1, len(said) + 1):
        edits.append([row])
        for column in range(1, len(reference) + 1):
            steps = [
                edits[row - 1][column] + 1,
                edits[row][column - 1] + 1,
                edits[row - 1][column - 1] + (not same[row - 1][column - 1]),
            ]
            swapped = row > 1 and column > 1 and same[row - 1][column - 2] and same[row - 2][column - 1]
            if swapped:
                steps.append(edits[row - 2][column - 2] + 1)
            edits[row].append(min(steps))
    return 1 - edits[-1][-1] / longest
