"""Pairs of texts with the label that the NLI model learns, and what it takes to make them from a corpus."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_lines
from factable.models.nli import CONTRADICTION, LABELS, NEUTRAL
from factable.text.templates import Templates, clean_value, facts_of, fill
from factable.train.corruptions import Knowledge, add_generation_noise, change_number
from factable.types import Example, Record


class NliPair(NamedTuple):
    """Does the premise entail the hypothesis? `kind` says how the pair was made."""

    premise: str
    hypothesis: str
    label: int
    kind: str = ""


def read_pairs(path: str, kind: str) -> Iterator[NliPair]:
    """The pairs of a JSON lines file with premise, hypothesis and label."""
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            yield NliPair(row["premise"], row["hypothesis"], LABELS.index(row["label"]), kind)
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            remedy = f'write {{"premise": …, "hypothesis": …, "label": one of {", ".join(LABELS)}}}'
            raise DataError([Fault(path, number, "not an NLI pair", remedy)]) from None


class NliPassage(NamedTuple):
    """A text, the records it states, and whether it states nothing else."""

    records: list[Record]
    text: str
    complete: bool


def read_passages(
    examples: Sequence[Example], stated: Callable[[list[Record], str], tuple[list[Record], bool]]
) -> list[NliPassage]:
    """Every reference with the records that `stated` says are in it."""
    passages = []
    for example in examples:
        facts = list(facts_of(example.table).values())
        for text in example.references:
            records, complete = stated(facts, text)
            passages.append(NliPassage(records, " ".join(text.split()), complete))
    return passages


class PairWriter:
    """Writes pairs about passages, with random changes drawn from one generator."""

    def __init__(
        self, passages: Sequence[NliPassage], knowledge: Knowledge, templates: Templates, seed: int
    ) -> None:
        self.passages = [passage for passage in passages if passage.records]
        self.knowledge = knowledge
        self.draw = random.Random(seed)  # noqa: S311
        self._templates = templates
        self._texts: dict[tuple[Record, ...], list[str]] = {}
        self._with_attribute: dict[str, list[NliPassage]] = {}
        for passage in self.passages:
            self._texts.setdefault(tuple(sorted(passage.records)), []).append(passage.text)
            for attribute in dict.fromkeys(record.attribute for record in passage.records):
                self._with_attribute.setdefault(attribute, []).append(passage)

    def text_to_facts(self, text: str, facts: Sequence[Record], label: int) -> NliPair:
        """Does the text entail the facts?"""  # noqa: D400
        return NliPair(self.vary(text), self._write_facts(facts), label)

    def facts_to_text(self, facts: Sequence[Record], text: str, label: int) -> NliPair:
        """Do the facts entail the text?"""  # noqa: D400
        return NliPair(self._write_facts(facts), self.vary(text), label)

    def vary(self, text: str) -> str:
        """The text, sometimes as a system would write it."""
        return add_generation_noise(text, self.draw)

    def sentence(self, fact: Record) -> str:
        """The fact by one of its templates."""
        # Sorted, so that pairs do not depend on which template is the best.
        return fill(self.draw.choice(sorted(self._templates.choices(fact))), fact)

    def paraphrase(self, passage: NliPassage) -> str:
        """A text about the same records, possibly the same text."""
        return self.draw.choice(self._texts[tuple(sorted(passage.records))])

    def passages_with(self, attribute: str) -> list[NliPassage]:
        """The passages that have a record of this attribute."""
        return self._with_attribute[attribute]

    def unstated_fact(self, passage: NliPassage) -> Record | None:
        """A true fact about one of the subjects that the text does not state."""
        fact = self.knowledge.other_fact(passage.records, self.draw) if passage.complete else None
        if fact is None or clean_value(fact.value).lower() in passage.text.lower():
            return None
        return fact

    def swap_value(self, record: Record, text: str) -> Record | None:
        """The record with another value that is not in the text nor another way to write the same."""
        swapped = self.knowledge.swap_value(record, self.draw)
        if swapped is None:
            return None
        old, new = clean_value(record.value).lower(), clean_value(swapped.value).lower()
        return None if old in new or new in old or new in text.lower() else swapped

    def swap_label(self, record: Record) -> int:
        """The label of a pair in which the value of a record was swapped."""
        return CONTRADICTION if self.knowledge.is_single(record.attribute) else NEUTRAL

    def distort_value(self, record: Record) -> Record | None:
        """The record with a number slightly off, or one word of its name replaced."""
        changed = change_number(record.value, self.draw)
        if changed is None:
            other = self.knowledge.swap_value(record, self.draw)
            words, other_words = record.value.split(), other.value.split() if other else []
            if len(words) < 2 or not other_words:
                return None
            words[self.draw.randrange(len(words))] = self.draw.choice(other_words)
            changed = " ".join(words)
        return None if changed.lower() == record.value.lower() else record._replace(value=changed)

    def _write_facts(self, facts: Sequence[Record]) -> str:
        """Facts in one of several forms, the same for all of them."""
        chance = self.draw.random()
        if chance < 0.40:
            return " ".join(self.sentence(fact) for fact in facts)
        if chance < 0.78:
            return " ".join(Templates().sentence(fact) for fact in facts)
        if chance < 0.90:
            return " ; ".join(" | ".join(part for part in fact if part) for fact in facts)
        return " ".join(
            f"{clean_value(fact.subject)} {fill('<predicate> <object>.', fact).lower()}" for fact in facts
        )


def replace_value(text: str, record: Record, replacement: str) -> str | None:
    """The text with the value of a record replaced; None if the text does not have it word for word."""
    value = clean_value(record.value)
    match = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)
    if not match or (len(value) < 2 and not value.isdigit()):
        return None
    return " ".join((text[: match.start()] + replacement + text[match.end() :]).split())


def exchange_in_text(text: str, first: str, second: str) -> str | None:
    """The text with two values in each other's place; None if it does not have both, each by itself."""
    if first.lower() in second.lower() or second.lower() in first.lower():
        return None
    # A character that no text has stands for the first value while the second one is moved.
    moved = replace_value(text, Record("", "", first), "\x00")
    moved = moved and replace_value(moved, Record("", "", second), first)
    return moved.replace("\x00", second) if moved else None
