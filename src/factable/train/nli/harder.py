"""Harder pairs for a second pass: single sentences, wrong relations, exchanged values, word salads."""

from collections.abc import Sequence

from factable.text.sentences import split_sentences
from factable.text.templates import Templates, clean_value
from factable.train.nli.corpus import PairMaker, Passage
from factable.train.nli.corruptions import Knowledge, change_number, negate
from factable.train.nli.pairs import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from factable.types import Record


class HarderPairMaker(PairMaker):
    """Makes pairs that a model trained on the others still gets wrong, and enough true ones beside them."""

    def __init__(
        self, passages: Sequence[Passage], knowledge: Knowledge, templates: Templates, seed: int
    ) -> None:
        super().__init__(passages, knowledge, templates, seed)
        self._kinds = {
            self.said: 5,
            self.said_together: 1,
            self.other_attribute: 2.5,
            self.value_swapped: 0.7,
            self.value_noised: 1.2,
            self.exchanged: 1,
            self.other_subject: 0.8,
            self.other_fact: 0.5,
            self.values_exchanged: 2,
            self.subject_replaced: 1,
            self.salad: 0.8,
            self.sentence_denied: 1.2,
            self.facts_say_text: 3,
            self.more_facts_say_text: 1,
            self.sentence_of_text: 3,
            self.relation_changed: 3,
            self.sentence_number_changed: 1.2,
            self.sentence_value_swapped: 1,
            self.fact_dropped: 1,
            self.other_words: 0.5,
        }

    def relation_changed(self, passage: Passage) -> Pair | None:
        """The data has another attribute for what the text, or a sentence of it, says."""
        index = self._draw.randrange(len(passage.records))
        other = self._knowledge.swap_attribute(passage.records[index], self._draw)
        if other is None:
            return None
        facts = [*passage.records[:index], other, *passage.records[index + 1 :]]
        sentence = self._sentence_with(passage.text, clean_value(passage.records[index].value))
        return self._to_text(facts, sentence if self._draw.random() < 0.5 else passage.text, NEUTRAL)

    def values_exchanged(self, passage: Passage) -> Pair | None:
        """Two values of the text stand in each other's place."""
        if len(passage.records) < 2:
            return None
        one, other = self._draw.sample(passage.records, 2)
        if clean_value(one.value) == clean_value(other.value):
            return None
        # A mark that no text has holds the first place while the second is filled.
        text = self._replace_in(passage.text, one, "\x00")
        text = text and self._replace_in(text, other, clean_value(one.value))
        if not text:
            return None
        text = text.replace("\x00", clean_value(other.value))
        if self._draw.random() < 0.5:
            return self._to_facts(text, [self._draw.choice((one, other))], CONTRADICTION)
        return self._to_text(passage.records, text, CONTRADICTION)

    def subject_replaced(self, passage: Passage) -> Pair | None:
        """The text says it of somebody else."""
        record = self._draw.choice(passage.records)
        other = self._knowledge.swap_subject(record, self._draw)
        if not record.subject or other is None or clean_value(other.subject) in passage.text:
            return None
        as_value = Record("", "", record.subject)
        text = self._replace_in(passage.text, as_value, clean_value(other.subject))
        if not text or clean_value(record.subject).lower() in text.lower():
            return None
        if self._draw.random() < 0.5:
            return self._to_facts(text, [record], NEUTRAL)
        return self._to_text(passage.records, text, NEUTRAL)

    def salad(self, passage: Passage) -> Pair | None:
        """Names and values without anything that relates them."""
        record = self._draw.choice(passage.records)
        words = [clean_value(record.subject), clean_value(record.value)]
        self._draw.shuffle(words)
        text = self._draw.choice((" ", ", ", " , ", " and ")).join(word for word in words if word) + "."
        return self._to_facts(text, [record], NEUTRAL)

    def sentence_denied(self, passage: Passage) -> Pair | None:
        """A sentence that denies what the data says."""
        changed = negate(self._draw.choice(split_sentences(passage.text)), self._draw)
        return self._to_text(passage.records, changed, CONTRADICTION) if changed else None

    def sentence_of_text(self, passage: Passage) -> Pair | None:
        """One sentence of a text, which may be its only one, beside some facts that it does not say."""
        if not passage.complete:
            return None
        more = [self._unsaid(passage)] if self._draw.random() < 0.3 else []
        facts = [*passage.records, *(fact for fact in more if fact)]
        self._draw.shuffle(facts)
        return self._to_text(facts, self._draw.choice(split_sentences(passage.text)), ENTAILMENT)

    def sentence_number_changed(self, passage: Passage) -> Pair | None:
        """A sentence with a number or month that is a little off."""
        changed = change_number(self._draw.choice(split_sentences(passage.text)), self._draw)
        return self._to_text(passage.records, changed, CONTRADICTION) if changed else None

    def sentence_value_swapped(self, passage: Passage) -> Pair | None:
        """A sentence with another value of the same attribute."""
        record = self._draw.choice(passage.records)
        swapped = self._swap(record, passage.text)
        sentence = self._sentence_with(passage.text, clean_value(record.value))
        text = swapped and self._replace_in(sentence, record, clean_value(swapped.value))
        return self._to_text(passage.records, text, self._label_of_swap(record)) if text else None

    def _sentence_with(self, text: str, value: str) -> str:
        """A sentence that has a value, or the whole text where none has."""
        found = [sentence for sentence in split_sentences(text) if value.lower() in sentence.lower()]
        return self._draw.choice(found) if found else text
