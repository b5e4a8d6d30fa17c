"""NLI pairs in which names and values are right and only the relation between them is in question.

They are for a pass of their own over a model that already knows words: who did what, which of two subjects,
which attribute. Like the other kinds, each is a function that makes a pair from a passage, or None.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from factable.models.nli import CONTRADICTION, ENTAILMENT, NEUTRAL
from factable.text.sentences import split_sentences
from factable.text.templates import clean_value, split_identifier
from factable.train.nli_kinds import (
    PairKind,
    any_sentence,
    fact_dropped,
    facts_say_text,
    more_facts_say_text,
    other_attribute,
    relation_changed,
    said,
    said_together,
    sentence_number_changed,
    sentence_value_swapped,
    subject_and_value_exchanged,
    value_distorted,
    value_swapped,
    values_exchanged,
)
from factable.train.nli_pairs import NliPair, NliPassage, PairWriter, exchange_in_text
from factable.train.perturbations import value_type
from factable.types import Record

# How two texts are put together.
LINKS = (" ", " ", "; ", ", while ", ", and ")
MAX_TRIES = 8


def said_of_one_of_two(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact that one of two joined texts states, of two subjects with a common attribute."""
    joined = join(writer, passage)
    if joined is None:
        return None
    return writer.text_to_facts(joined.text, [writer.draw.choice(joined.records)], ENTAILMENT)


def two_texts_from_facts(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The facts of two joined texts, in any order, and the texts, or a sentence of them."""
    joined = join(writer, passage)
    if joined is None or not joined.complete:
        return None
    facts = writer.draw.sample(joined.records, len(joined.records))
    text = joined.text if writer.draw.random() < 0.5 else writer.draw.choice(split_sentences(joined.text))
    return writer.facts_to_text(facts, text, ENTAILMENT)


def said_of_the_other(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact of one of two joined texts under the subject of the other one."""
    joined = join(writer, passage)
    pair = joined and _same_attribute(joined.records, writer.draw)
    if joined is None or pair is None:
        return None
    first, second = pair
    wrong = first._replace(subject=second.subject)
    if wrong in writer.knowledge.known:
        return None
    return writer.text_to_facts(joined.text, [wrong], writer.swap_label(first))


def exchanged_between_subjects(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Two joined texts in which the values of a common attribute are exchanged."""
    joined = join(writer, passage)
    pair = joined and _same_attribute(joined.records, writer.draw)
    text = (
        joined
        and pair
        and exchange_in_text(joined.text, clean_value(pair[0].value), clean_value(pair[1].value))
    )
    if joined is None or pair is None or not text:
        return None
    if writer.draw.random() < 0.5:
        return writer.text_to_facts(text, [writer.draw.choice(pair)], CONTRADICTION)
    return writer.facts_to_text(joined.records, text, CONTRADICTION)


def attribute_of_the_same_type(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact under another attribute that has values of the same type, alone or among the others."""
    index = writer.draw.randrange(len(passage.records))
    other = _same_type_attribute(writer, passage.records[index])
    if other is None:
        return None
    if writer.draw.random() < 0.6:
        return writer.text_to_facts(passage.text, [other], NEUTRAL)
    facts = [*passage.records[:index], other, *passage.records[index + 1 :]]
    return writer.facts_to_text(facts, passage.text, NEUTRAL)


def value_of_a_sibling(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact with the value that the text states for another attribute of the same subject."""
    siblings = _siblings(passage.records, writer.draw)
    if siblings is None:
        return None
    wrong = siblings[0]._replace(value=siblings[1].value)
    if wrong in writer.knowledge.known:
        return None
    return writer.text_to_facts(passage.text, [wrong], writer.swap_label(wrong))


def siblings_exchanged_in_data(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The data has the values of two attributes of a subject exchanged."""
    siblings = _siblings(passage.records, writer.draw)
    if siblings is None or value_type(siblings[0]) != value_type(siblings[1]):
        return None
    first, second = siblings
    exchanged = {first: first._replace(value=second.value), second: second._replace(value=first.value)}
    facts = [exchanged.get(record, record) for record in passage.records]
    return writer.facts_to_text(facts, passage.text, CONTRADICTION)


def roles_exchanged(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Subject and value of a fact in each other's place in the text."""
    record = writer.draw.choice(passage.records)
    if not record.subject or Record(record.value, record.attribute, record.subject) in writer.knowledge.known:
        return None
    text = exchange_in_text(passage.text, clean_value(record.subject), clean_value(record.value))
    if not text or len(passage.records) > 3:
        return None
    if writer.draw.random() < 0.5:
        return writer.text_to_facts(text, [record], CONTRADICTION)
    return writer.facts_to_text(passage.records, text, CONTRADICTION)


def names_listed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """All names of the data in a row, without a verb; they state nothing."""
    names = [name for fact in passage.records for name in (fact.subject, fact.value)]
    listed = list(dict.fromkeys(clean_value(name) for name in names if name))
    writer.draw.shuffle(listed)
    text = writer.draw.choice((", ", " ", " and ", " - ")).join(listed) + writer.draw.choice((".", ""))
    return writer.text_to_facts(text, [writer.draw.choice(passage.records)], NEUTRAL)


def join(writer: PairWriter, passage: NliPassage) -> NliPassage | None:
    """The passage and another one as one: they share an attribute, and no name."""
    record = writer.draw.choice(passage.records)
    other = writer.draw.choice(writer.passages_with(record.attribute))
    if not record.subject or _names(passage) & _names(other):
        return None
    link = writer.draw.choice(LINKS)
    first, second = writer.draw.sample([passage, other], 2)
    text = f"{first.text if link == ' ' else first.text.rstrip('.')}{link}{second.text}"
    return NliPassage([*first.records, *second.records], text, first.complete and second.complete)


def _names(passage: NliPassage) -> set[str]:
    return {name for record in passage.records for name in (record.subject, record.value)}


def _same_attribute(records: Sequence[Record], draw: random.Random) -> tuple[Record, Record] | None:
    """Two records of one attribute, of different subjects and values."""
    groups = defaultdict(list)
    for record in records:
        groups[record.attribute].append(record)
    pairs = [
        (first, second)
        for group in groups.values()
        for first in group
        for second in group
        if first.subject != second.subject and first.value != second.value
    ]
    return draw.choice(pairs) if pairs else None


def _siblings(records: Sequence[Record], draw: random.Random) -> tuple[Record, Record] | None:
    """Two records of one subject with different attributes and values."""
    pairs = [
        (first, second)
        for first in records
        for second in records
        if first.subject == second.subject
        and first.attribute != second.attribute
        and clean_value(first.value) != clean_value(second.value)
    ]
    return draw.choice(pairs) if pairs else None


def _same_type_attribute(writer: PairWriter, record: Record) -> Record | None:
    """The record under an attribute that means something else and has values of the same type."""
    words = set(split_identifier(record.attribute).lower().split())
    for _ in range(MAX_TRIES):
        other = writer.knowledge.swap_attribute(record, writer.draw)
        if other is None:
            return None
        same_words = words & set(split_identifier(other.attribute).lower().split())
        example = writer.draw.choice(writer.passages_with(other.attribute)).records
        types = {value_type(one) for one in example if one.attribute == other.attribute}
        if not same_words and value_type(record) in types:
            return other
    return None


RELATIONS: Mapping[PairKind, float] = {
    said: 7,
    said_together: 1.2,
    facts_say_text: 5,
    any_sentence: 3,
    more_facts_say_text: 1.2,
    said_of_one_of_two: 2,
    two_texts_from_facts: 1.5,
    attribute_of_the_same_type: 5,
    other_attribute: 1.5,
    relation_changed: 2,
    value_of_a_sibling: 3,
    siblings_exchanged_in_data: 3,
    values_exchanged: 5,
    said_of_the_other: 2,
    exchanged_between_subjects: 2.5,
    roles_exchanged: 2.5,
    subject_and_value_exchanged: 0.8,
    names_listed: 0.6,
    value_swapped: 0.6,
    value_distorted: 0.8,
    sentence_number_changed: 0.8,
    sentence_value_swapped: 0.6,
    fact_dropped: 1,
}
