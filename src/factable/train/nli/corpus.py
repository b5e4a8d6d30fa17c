"""NLI pairs made from a corpus of data and the texts written from it."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from factable.text.templates import Templates, clean_value, facts_of, fill
from factable.train.nli.corruptions import Knowledge, add_generation_noise, change_number, negate
from factable.train.nli.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from factable.types import Example, Record

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Passage(NamedTuple):
    """A text, the records it says, and whether it says nothing else."""

    records: list[Record]
    text: str
    complete: bool


class PairMaker:
    """Makes pairs from passages; what is drawn depends on the seed and the order of calls only."""

    def __init__(
        self, passages: Sequence[Passage], knowledge: Knowledge, templates: Templates, seed: int
    ) -> None:
        self._passages = [passage for passage in passages if passage.records]
        self._knowledge = knowledge
        self._templates = templates
        self._draw = random.Random(seed)  # noqa: S311
        self._texts_of: dict[tuple[Record, ...], list[str]] = {}
        for passage in self._passages:
            self._texts_of.setdefault(tuple(sorted(passage.records)), []).append(passage.text)
        self._kinds: dict[Callable[[Passage], Pair | None], float] = {
            self.said: 3,
            self.said_together: 1.6,
            self.value_swapped: 2,
            self.value_noised: 1.2,
            self.exchanged: 0.8,
            self.other_attribute: 0.8,
            self.other_fact: 1.5,
            self.other_subject: 0.6,
            self.one_of_them_bad: 1.2,
            self.text_denies: 0.6,
            self.text_without_value: 0.8,
            self.facts_say_text: 3,
            self.more_facts_say_text: 1.2,
            self.fact_dropped: 1.6,
            self.fact_changed: 1.6,
            self.text_value_swapped: 1.6,
            self.text_number_changed: 1,
            self.text_negated: 0.5,
            self.text_goes_on: 1.2,
            self.sentence_of_text: 1,
            self.garbled_text: 0.7,
            self.other_words: 0.7,
        }

    def pairs(self, per_text: int) -> Iterator[Pair]:
        """So many pairs from each passage, of kinds drawn by weight."""
        kinds, weights = list(self._kinds), list(self._kinds.values())
        for passage in self._passages:
            for kind in self._draw.choices(kinds, weights, k=per_text):
                pair = kind(passage)
                if pair is not None and pair.premise.strip() and pair.hypothesis.strip():
                    yield pair._replace(kind=kind.__name__)

    # From text to facts.

    def said(self, passage: Passage) -> Pair | None:
        """A fact that the text says."""
        return self._to_facts(passage.text, [self._draw.choice(passage.records)], ENTAILMENT)

    def said_together(self, passage: Passage) -> Pair | None:
        """Several facts that the text says."""
        if len(passage.records) < 2:
            return None
        size = self._draw.randint(2, len(passage.records))
        return self._to_facts(passage.text, self._draw.sample(passage.records, size), ENTAILMENT)

    def value_swapped(self, passage: Passage) -> Pair | None:
        """A fact with another value of the same attribute."""
        record = self._draw.choice(passage.records)
        swapped = self._swap(record, passage.text)
        return swapped and self._to_facts(passage.text, [swapped], self._label_of_swap(record))

    def value_noised(self, passage: Passage) -> Pair | None:
        """A fact whose number, date or name is a little off."""
        record = self._draw.choice(passage.records)
        noised = self._noise(record)
        return noised and self._to_facts(passage.text, [noised], CONTRADICTION)

    def exchanged(self, passage: Passage) -> Pair | None:
        """A fact with subject and value exchanged."""
        record = self._draw.choice(passage.records)
        other = Record(record.value, record.attribute, record.subject)
        if not record.subject or other in self._knowledge.known:
            return None
        return self._to_facts(passage.text, [other], CONTRADICTION)

    def other_attribute(self, passage: Passage) -> Pair | None:
        """Subject and value of a fact in a relation that the text does not say."""
        other = self._knowledge.swap_attribute(self._draw.choice(passage.records), self._draw)
        return other and self._to_facts(passage.text, [other], NEUTRAL)

    def other_fact(self, passage: Passage) -> Pair | None:
        """A true fact about the same subject that the text does not say."""
        other = self._unsaid(passage)
        return other and self._to_facts(passage.text, [other], NEUTRAL)

    def other_subject(self, passage: Passage) -> Pair | None:
        """A fact said of somebody else."""
        other = self._knowledge.swap_subject(self._draw.choice(passage.records), self._draw)
        if other is None or clean_value(other.subject).lower() in passage.text.lower():
            return None
        return self._to_facts(passage.text, [other], NEUTRAL)

    def one_of_them_bad(self, passage: Passage) -> Pair | None:
        """Facts that the text says, and one that it does not."""
        good = self._draw.sample(passage.records, self._draw.randint(1, len(passage.records)))
        if self._draw.random() < 0.5:
            bad, label = self._unsaid(passage), NEUTRAL
        else:
            record = good.pop(self._draw.randrange(len(good)))
            bad, label = self._swap(record, passage.text), self._label_of_swap(record)
        if bad is None:
            return None
        good.insert(self._draw.randint(0, len(good)), bad)
        return self._to_facts(passage.text, good, label)

    def text_denies(self, passage: Passage) -> Pair | None:
        """The one fact of a text that was turned into its denial."""
        denied = negate(passage.text, self._draw) if len(passage.records) == 1 else None
        return self._to_facts(denied, passage.records, CONTRADICTION) if denied else None

    def text_without_value(self, passage: Passage) -> Pair | None:
        """A fact whose value was cut out of the text."""
        record = self._draw.choice(passage.records)
        cut = self._replace_in(passage.text, record, "")
        return self._to_facts(cut, [record], NEUTRAL) if cut else None

    # From facts to text.

    def facts_say_text(self, passage: Passage) -> Pair | None:
        """All facts, and the text that says them."""
        return self._to_text(passage.records, passage.text, ENTAILMENT) if passage.complete else None

    def more_facts_say_text(self, passage: Passage) -> Pair | None:
        """More facts than the text says."""
        more = [fact for fact in (self._unsaid(passage) for _ in range(self._draw.randint(1, 3))) if fact]
        facts = [*passage.records, *dict.fromkeys(more)]
        self._draw.shuffle(facts)
        return self._to_text(facts, passage.text, ENTAILMENT) if passage.complete and more else None

    def fact_dropped(self, passage: Passage) -> Pair | None:
        """The text says one fact more."""
        dropped = self._draw.choice(passage.records)
        rest = [record for record in passage.records if record != dropped]
        said_anyway = any(dropped.value in (record.value, record.subject) for record in rest)
        if not rest or said_anyway:
            return None
        return self._to_text(rest, passage.text, NEUTRAL)

    def fact_changed(self, passage: Passage) -> Pair | None:
        """One fact is not as the text says."""
        index = self._draw.randrange(len(passage.records))
        record = passage.records[index]
        changed = self._noise(record) if self._draw.random() < 0.3 else self._swap(record, passage.text)
        if changed is None:
            return None
        facts = [*passage.records[:index], changed, *passage.records[index + 1 :]]
        return self._to_text(facts, passage.text, self._label_of_swap(record))

    def text_value_swapped(self, passage: Passage) -> Pair | None:
        """The text has another value of the same attribute."""
        record = self._draw.choice(passage.records)
        swapped = self._swap(record, passage.text)
        text = swapped and self._replace_in(passage.text, record, clean_value(swapped.value))
        if not text:
            return None
        label = self._label_of_swap(record)
        if self._draw.random() < 0.3:
            return self._to_facts(text, [record], label)
        return self._to_text(passage.records, text, label)

    def text_number_changed(self, passage: Passage) -> Pair | None:
        """The text has a number or month that is a little off."""
        changed = change_number(passage.text, self._draw)
        return self._to_text(passage.records, changed, CONTRADICTION) if changed else None

    def text_negated(self, passage: Passage) -> Pair | None:
        """The text denies something."""
        changed = negate(passage.text, self._draw)
        return self._to_text(passage.records, changed, CONTRADICTION) if changed else None

    def text_goes_on(self, passage: Passage) -> Pair | None:
        """The text goes on, or begins, with something else."""
        other = self._draw.choice(self._passages)
        if self._draw.random() < 0.6:
            unsaid = self._unsaid(passage)
            extra = unsaid and self._sentence(unsaid)
        else:
            extra = None if set(other.records) & set(passage.records) else _sentences(other.text)[0]
        if not extra:
            return None
        both = [passage.text, extra] if self._draw.random() < 0.7 else [extra, passage.text]
        return self._to_text(passage.records, " ".join(both), NEUTRAL)

    def sentence_of_text(self, passage: Passage) -> Pair | None:
        """One sentence of a longer text."""
        sentences = _sentences(passage.text)
        if len(sentences) < 2 or not passage.complete:
            return None
        return self._to_text(passage.records, self._draw.choice(sentences), ENTAILMENT)

    def garbled_text(self, passage: Passage) -> Pair | None:
        """A text in which a value is missing or a name stands where another belongs."""
        record = self._draw.choice(passage.records)
        name = "" if self._draw.random() < 0.5 else clean_value(self._draw.choice(passage.records).subject)
        if name == clean_value(record.value):
            return None
        cut = self._replace_in(passage.text, record, name)
        return self._to_text(passage.records, cut, NEUTRAL) if cut else None

    def other_words(self, passage: Passage) -> Pair | None:
        """Two texts that say the same facts."""
        others = self._texts_of[tuple(sorted(passage.records))]
        other = self._draw.choice(others)
        if other == passage.text or not passage.complete:
            return None
        return Pair(self._vary(other), self._vary(passage.text), ENTAILMENT, "")

    # What they share.

    def _to_facts(self, text: str, facts: Sequence[Record], label: int) -> Pair:
        return Pair(self._vary(text), self._sentences_of(facts), label, "")

    def _to_text(self, facts: Sequence[Record], text: str, label: int) -> Pair:
        return Pair(self._sentences_of(facts), self._vary(text), label, "")

    def _vary(self, text: str) -> str:
        return add_generation_noise(text, self._draw)

    def _unsaid(self, passage: Passage) -> Record | None:
        fact = self._knowledge.other_fact(passage.records, self._draw) if passage.complete else None
        if fact is None or clean_value(fact.value).lower() in passage.text.lower():
            return None
        return fact

    def _swap(self, record: Record, text: str) -> Record | None:
        """The record with another value, which is not in the text nor another way to write the same."""
        other = self._knowledge.swap_value(record, self._draw)
        if other is None:
            return None
        old, new = clean_value(record.value).lower(), clean_value(other.value).lower()
        return None if old in new or new in old or new in text.lower() else other

    def _label_of_swap(self, record: Record) -> int:
        return CONTRADICTION if self._knowledge.is_single(record.attribute) else NEUTRAL

    def _noise(self, record: Record) -> Record | None:
        """The record with a number a little off, or a word of its name replaced by that of another."""
        changed = change_number(record.value, self._draw)
        if changed is None:
            other = self._knowledge.swap_value(record, self._draw)
            words, theirs = record.value.split(), other.value.split() if other else []
            if len(words) < 2 or not theirs:
                return None
            words[self._draw.randrange(len(words))] = self._draw.choice(theirs)
            changed = " ".join(words)
        return None if changed.lower() == record.value.lower() else record._replace(value=changed)

    def _replace_in(self, text: str, record: Record, replacement: str) -> str | None:
        """The text with the value, where it stands there word for word, replaced."""
        value = clean_value(record.value)
        found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
        if not found or (len(value) < 2 and not value.isdigit()):
            return None
        return " ".join((text[: found.start()] + replacement + text[found.end() :]).split())

    def _sentences_of(self, facts: Sequence[Record]) -> str:
        """Facts in one of several forms, the same for all."""
        chance = self._draw.random()
        if chance < 0.40:
            return " ".join(self._sentence(fact) for fact in facts)
        if chance < 0.78:
            return " ".join(Templates().sentence(fact) for fact in facts)
        if chance < 0.90:
            return " ; ".join(" | ".join(part for part in fact if part) for fact in facts)
        return " ".join(
            f"{clean_value(fact.subject)} {fill('<predicate> <object>.', fact).lower()}" for fact in facts
        )

    def _sentence(self, fact: Record) -> str:
        # Sorted, so that pairs do not depend on which template is the best.
        return fill(self._draw.choice(sorted(self._templates.choices(fact))), fact)


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text)


def passages_of(
    examples: Sequence[Example], trust: Callable[[list[Record], str], tuple[list[Record], bool]]
) -> list[Passage]:
    """Every reference with the records that `trust` finds in it."""
    found = []
    for example in examples:
        records = list(facts_of(example.table).values())
        for text in example.references:
            said, complete = trust(records, text)
            found.append(Passage(said, " ".join(text.split()), complete))
    return found
