"""The kinds of NLI pairs that are made from a corpus of data and texts.

Each kind is a function that makes a pair from a passage, or None where it cannot. Two tables say how often
each is drawn: one for the first pass of training, one with harder pairs for the second.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from factable.models.nli import CONTRADICTION, ENTAILMENT, NEUTRAL
from factable.text.sentences import split_sentences
from factable.text.templates import clean_value
from factable.train.corruptions import change_number, negate
from factable.train.nli_pairs import NliPair, NliPassage, PairWriter, exchange_in_text, replace_value
from factable.types import Record

PairKind = Callable[[PairWriter, NliPassage], NliPair | None]
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def write_pairs(writer: PairWriter, per_text: int, kinds: Mapping[PairKind, float]) -> Iterator[NliPair]:
    """Pairs from each passage, of kinds drawn by weight; fewer than `per_text` where a kind is impossible."""
    functions, weights = list(kinds), list(kinds.values())
    for passage in writer.passages:
        for function in writer.draw.choices(functions, weights, k=per_text):
            pair = function(writer, passage)
            if pair is not None and pair.premise.strip() and pair.hypothesis.strip():
                yield pair._replace(kind=function.__name__)


# Does a text entail facts?


def said(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact that the text states."""
    return writer.text_to_facts(passage.text, [writer.draw.choice(passage.records)], ENTAILMENT)


def said_together(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Several facts that the text states."""
    if len(passage.records) < 2:
        return None
    size = writer.draw.randint(2, len(passage.records))
    return writer.text_to_facts(passage.text, writer.draw.sample(passage.records, size), ENTAILMENT)


def value_swapped(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact with another value of the same attribute."""
    record = writer.draw.choice(passage.records)
    swapped = writer.swap_value(record, passage.text)
    return swapped and writer.text_to_facts(passage.text, [swapped], writer.swap_label(record))


def value_distorted(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact whose number, date or name is slightly off."""
    distorted = writer.distort_value(writer.draw.choice(passage.records))
    return distorted and writer.text_to_facts(passage.text, [distorted], CONTRADICTION)


def subject_and_value_exchanged(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact with subject and value exchanged."""
    record = writer.draw.choice(passage.records)
    exchanged = Record(record.value, record.attribute, record.subject)
    if not record.subject or exchanged in writer.knowledge.known:
        return None
    return writer.text_to_facts(passage.text, [exchanged], CONTRADICTION)


def other_attribute(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Subject and value of a fact in a relation that the text does not state."""
    other = writer.knowledge.swap_attribute(writer.draw.choice(passage.records), writer.draw)
    return other and writer.text_to_facts(passage.text, [other], NEUTRAL)


def other_fact(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A true fact about the same subject that the text does not state."""
    other = writer.unstated_fact(passage)
    return other and writer.text_to_facts(passage.text, [other], NEUTRAL)


def other_subject(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact about another subject."""
    other = writer.knowledge.swap_subject(writer.draw.choice(passage.records), writer.draw)
    if other is None or clean_value(other.subject).lower() in passage.text.lower():
        return None
    return writer.text_to_facts(passage.text, [other], NEUTRAL)


def one_fact_wrong(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Facts that the text states, and one that it does not."""
    facts = writer.draw.sample(passage.records, writer.draw.randint(1, len(passage.records)))
    if writer.draw.random() < 0.5:
        wrong, label = writer.unstated_fact(passage), NEUTRAL
    else:
        record = facts.pop(writer.draw.randrange(len(facts)))
        wrong, label = writer.swap_value(record, passage.text), writer.swap_label(record)
    if wrong is None:
        return None
    facts.insert(writer.draw.randint(0, len(facts)), wrong)
    return writer.text_to_facts(passage.text, facts, label)


def fact_denied(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The only fact of a text that was negated."""
    denied = negate(passage.text, writer.draw) if len(passage.records) == 1 else None
    return writer.text_to_facts(denied, passage.records, CONTRADICTION) if denied else None


def value_removed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A fact whose value was removed from the text."""
    record = writer.draw.choice(passage.records)
    text = replace_value(passage.text, record, "")
    return writer.text_to_facts(text, [record], NEUTRAL) if text else None


# Do facts entail a text?


def facts_say_text(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """All facts, and the text that states them."""
    if not passage.complete:
        return None
    return writer.facts_to_text(passage.records, passage.text, ENTAILMENT)


def more_facts_say_text(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """More facts than the text states."""
    drawn = [writer.unstated_fact(passage) for _ in range(writer.draw.randint(1, 3))]
    more = [fact for fact in drawn if fact]
    facts = [*passage.records, *dict.fromkeys(more)]
    writer.draw.shuffle(facts)
    if not passage.complete or not more:
        return None
    return writer.facts_to_text(facts, passage.text, ENTAILMENT)


def fact_dropped(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text states one fact more."""
    dropped = writer.draw.choice(passage.records)
    rest = [record for record in passage.records if record != dropped]
    still_there = any(dropped.value in (record.value, record.subject) for record in rest)
    if not rest or still_there:
        return None
    return writer.facts_to_text(rest, passage.text, NEUTRAL)


def fact_changed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """One fact differs from what the text states."""
    index = writer.draw.randrange(len(passage.records))
    record = passage.records[index]
    distort = writer.draw.random() < 0.3
    changed = writer.distort_value(record) if distort else writer.swap_value(record, passage.text)
    if changed is None:
        return None
    facts = [*passage.records[:index], changed, *passage.records[index + 1 :]]
    return writer.facts_to_text(facts, passage.text, writer.swap_label(record))


def text_value_swapped(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text has another value of the same attribute."""
    record = writer.draw.choice(passage.records)
    swapped = writer.swap_value(record, passage.text)
    text = swapped and replace_value(passage.text, record, clean_value(swapped.value))
    if not text:
        return None
    label = writer.swap_label(record)
    if writer.draw.random() < 0.3:
        return writer.text_to_facts(text, [record], label)
    return writer.facts_to_text(passage.records, text, label)


def text_number_changed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text has a number or month that is slightly off."""
    changed = change_number(passage.text, writer.draw)
    return writer.facts_to_text(passage.records, changed, CONTRADICTION) if changed else None


def text_negated(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text denies something."""
    changed = negate(passage.text, writer.draw)
    return writer.facts_to_text(passage.records, changed, CONTRADICTION) if changed else None


def text_extended(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text goes on, or begins, with something else."""
    other = writer.draw.choice(writer.passages)
    if writer.draw.random() < 0.6:
        unstated = writer.unstated_fact(passage)
        extra = unstated and writer.sentence(unstated)
    else:
        related = set(other.records) & set(passage.records)
        extra = None if related else _SENTENCE_END.split(other.text)[0]
    if not extra:
        return None
    parts = [passage.text, extra] if writer.draw.random() < 0.7 else [extra, passage.text]
    return writer.facts_to_text(passage.records, " ".join(parts), NEUTRAL)


def one_of_several_sentences(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """One sentence of a longer text."""
    sentences = _SENTENCE_END.split(passage.text)
    if len(sentences) < 2 or not passage.complete:
        return None
    return writer.facts_to_text(passage.records, writer.draw.choice(sentences), ENTAILMENT)


def text_garbled(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A text in which a value is missing, or replaced by a name that belongs elsewhere."""
    record = writer.draw.choice(passage.records)
    remove = writer.draw.random() < 0.5
    name = "" if remove else clean_value(writer.draw.choice(passage.records).subject)
    if name == clean_value(record.value):
        return None
    text = replace_value(passage.text, record, name)
    return writer.facts_to_text(passage.records, text, NEUTRAL) if text else None


def paraphrased(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Two texts that state the same facts."""
    other = writer.paraphrase(passage)
    if other == passage.text or not passage.complete:
        return None
    return NliPair(writer.vary(other), writer.vary(passage.text), ENTAILMENT)


FIRST_PASS: Mapping[PairKind, float] = {
    said: 3,
    said_together: 1.6,
    value_swapped: 2,
    value_distorted: 1.2,
    subject_and_value_exchanged: 0.8,
    other_attribute: 0.8,
    other_fact: 1.5,
    other_subject: 0.6,
    one_fact_wrong: 1.2,
    fact_denied: 0.6,
    value_removed: 0.8,
    facts_say_text: 3,
    more_facts_say_text: 1.2,
    fact_dropped: 1.6,
    fact_changed: 1.6,
    text_value_swapped: 1.6,
    text_number_changed: 1,
    text_negated: 0.5,
    text_extended: 1.2,
    one_of_several_sentences: 1,
    text_garbled: 0.7,
    paraphrased: 0.7,
}


# Harder pairs: single sentences, wrong relations, exchanged values, names without a relation.


def relation_changed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The data has another attribute for what the text, or a sentence of it, states."""
    index = writer.draw.randrange(len(passage.records))
    other = writer.knowledge.swap_attribute(passage.records[index], writer.draw)
    if other is None:
        return None
    facts = [*passage.records[:index], other, *passage.records[index + 1 :]]
    sentence = _sentence_with(writer, passage.text, clean_value(passage.records[index].value))
    text = sentence if writer.draw.random() < 0.5 else passage.text
    return writer.facts_to_text(facts, text, NEUTRAL)


def values_exchanged(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Two values of the text are exchanged."""
    if len(passage.records) < 2:
        return None
    first, second = writer.draw.sample(passage.records, 2)
    text = exchange_in_text(passage.text, clean_value(first.value), clean_value(second.value))
    if not text:
        return None
    if writer.draw.random() < 0.5:
        return writer.text_to_facts(text, [writer.draw.choice((first, second))], CONTRADICTION)
    return writer.facts_to_text(passage.records, text, CONTRADICTION)


def subject_replaced(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """The text is about another subject."""
    record = writer.draw.choice(passage.records)
    other = writer.knowledge.swap_subject(record, writer.draw)
    if not record.subject or other is None or clean_value(other.subject) in passage.text:
        return None
    subject_as_value = Record("", "", record.subject)
    text = replace_value(passage.text, subject_as_value, clean_value(other.subject))
    if not text or clean_value(record.subject).lower() in text.lower():
        return None
    if writer.draw.random() < 0.5:
        return writer.text_to_facts(text, [record], NEUTRAL)
    return writer.facts_to_text(passage.records, text, NEUTRAL)


def names_only(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """Subject and value without anything that relates them."""
    record = writer.draw.choice(passage.records)
    names = [clean_value(record.subject), clean_value(record.value)]
    writer.draw.shuffle(names)
    text = writer.draw.choice((" ", ", ", " , ", " and ")).join(name for name in names if name) + "."
    return writer.text_to_facts(text, [record], NEUTRAL)


def sentence_negated(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A sentence that denies what the data states."""
    changed = negate(writer.draw.choice(split_sentences(passage.text)), writer.draw)
    return writer.facts_to_text(passage.records, changed, CONTRADICTION) if changed else None


def any_sentence(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """One sentence of a text, possibly its only one, and sometimes a fact that the text does not state."""
    if not passage.complete:
        return None
    more = [writer.unstated_fact(passage)] if writer.draw.random() < 0.3 else []
    facts = [*passage.records, *(fact for fact in more if fact)]
    writer.draw.shuffle(facts)
    return writer.facts_to_text(facts, writer.draw.choice(split_sentences(passage.text)), ENTAILMENT)


def sentence_number_changed(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A sentence with a number or month that is slightly off."""
    changed = change_number(writer.draw.choice(split_sentences(passage.text)), writer.draw)
    return writer.facts_to_text(passage.records, changed, CONTRADICTION) if changed else None


def sentence_value_swapped(writer: PairWriter, passage: NliPassage) -> NliPair | None:
    """A sentence with another value of the same attribute."""
    record = writer.draw.choice(passage.records)
    swapped = writer.swap_value(record, passage.text)
    sentence = _sentence_with(writer, passage.text, clean_value(record.value))
    text = swapped and replace_value(sentence, record, clean_value(swapped.value))
    return writer.facts_to_text(passage.records, text, writer.swap_label(record)) if text else None


def _sentence_with(writer: PairWriter, text: str, value: str) -> str:
    """A sentence that has a value, or the whole text if none has."""
    matches = [sentence for sentence in split_sentences(text) if value.lower() in sentence.lower()]
    return writer.draw.choice(matches) if matches else text


SECOND_PASS: Mapping[PairKind, float] = {
    said: 5,
    said_together: 1,
    other_attribute: 2.5,
    value_swapped: 0.7,
    value_distorted: 1.2,
    subject_and_value_exchanged: 1,
    other_subject: 0.8,
    other_fact: 0.5,
    values_exchanged: 2,
    subject_replaced: 1,
    names_only: 0.8,
    sentence_negated: 1.2,
    facts_say_text: 3,
    more_facts_say_text: 1,
    any_sentence: 3,
    relation_changed: 3,
    sentence_number_changed: 1.2,
    sentence_value_swapped: 1,
    fact_dropped: 1,
    paraphrased: 0.5,
}
