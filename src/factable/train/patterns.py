"""A draft of a pattern file: the values of a closed domain, and words that texts often use for them."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from factable.metrics.slots.fact_classifier import features
from factable.metrics.slots.patterns import squeeze, verbatim
from factable.text.templates import FALSE, TRUE
from factable.train.facts import slots_of
from factable.types import Example, Record

HEADER = """\
# A draft from {texts:,} texts: read it, and strike out what is wrong.
#
# A section is a slot, a line is a value: what may stand in a text for it, as regular expressions without
# regard to case. A space stands for any spaces and hyphens. An empty list is the value as it stands.
"""
# N-grams of fewer texts say nothing, nor do those that are not so many times as frequent with a value.
RAREST = 10
LIFT = 5.0
# A paraphrase must be in that share of the texts that do not say a value as it stands.
SMALLEST_SHARE = 0.02
MAX_PARAPHRASES = 8
Facts = frozenset[tuple[str, str]]


class _Texts:
    """Which n-grams are in which texts, and which facts belong to each text."""

    def __init__(self, examples: Iterable[Example], names: Sequence[str]) -> None:
        self.grams: list[frozenset[str]] = []
        self.texts: list[str] = []
        self.facts: list[Facts] = []
        for example in examples:
            named = [record for record in example.table.records if record.attribute in names]
            facts = frozenset((record.attribute, squeeze(record.value)) for record in example.table.records)
            for text in example.references or (example.text,):
                self.texts.append(text)
                self.facts.append(facts)
                self.grams.append(frozenset(filter(_is_plain, features(text, named))))


def draft_patterns(examples: Sequence[Example]) -> tuple[str, int]:
    """The text of a pattern file, and how many slots it has."""
    closed, names = slots_of(examples)
    texts = _Texts(examples, names)
    often = Counter(gram for some in texts.grams for gram in some)
    frequent = {gram: times for gram, times in often.items() if times >= RAREST}
    sections = [HEADER.format(texts=len(texts.texts))]
    for slot in (*closed, *names):
        lines = [f"[{_quote(slot)}]"]
        values = closed.get(slot) or _values_of(examples, slot)
        for value in values:
            found = _paraphrases(slot, value, texts, frequent) if slot in closed else []
            # Texts do not say "yes": they say what is asked.
            own = [] if value.lower() in TRUE | FALSE else [verbatim(value)]
            forms = [*own, *(re.escape(gram).replace(r"\ ", " ") for gram in found)] if found else []
            lines.append(f"{_quote(value)} = [{', '.join(map(_literal, forms))}]")
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections), len(closed) + len(names)


def _paraphrases(slot: str, value: str, texts: _Texts, frequent: dict[str, int]) -> list[str]:
    """N-grams that cover most texts with a value that do not say it as it stands, one after the other."""
    fact = (slot, squeeze(value))
    own = [index for index, facts in enumerate(texts.facts) if fact in facts]
    stands = re.compile(rf"(?<!\w){verbatim(value)}(?!\w)", re.IGNORECASE)
    left = {index for index in own if not stands.search(texts.texts[index])}
    least = max(RAREST, SMALLEST_SHARE * len(left))
    with_value = Counter(gram for index in own for gram in texts.grams[index] if gram in frequent)
    rest = max(len(texts.texts) - len(own), 1)
    telling = {
        gram
        for gram, times in with_value.items()
        if times / len(own) >= LIFT * (frequent[gram] - times) / rest
    }
    found: list[str] = []
    while len(found) < MAX_PARAPHRASES:
        covered = Counter(gram for index in left for gram in texts.grams[index] & telling)
        # Of equals the shortest, and then the first in the alphabet.
        best = max(covered, key=lambda gram: (covered[gram], -len(gram), gram), default="")
        if covered[best] < least:
            break
        found.append(best)
        left = {index for index in left if best not in texts.grams[index]}
    return found


def _is_plain(gram: str) -> bool:
    """Whether an n-gram is words, and no name of the data or punctuation."""
    return all(word.isalnum() or word in "£$€%" for word in gram.split())


def _values_of(examples: Iterable[Example], slot: str) -> list[str]:
    records: Iterable[Record] = (record for example in examples for record in example.table.records)
    return sorted({record.value for record in records if record.attribute == slot and record.value.strip()})


def _quote(name: str) -> str:
    """A key of TOML."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _literal(form: str) -> str:
    """A pattern in single quotes, between which a backslash is a backslash, where that can be."""
    return f"'{form}'" if "'" not in form and form.isprintable() else json.dumps(form, ensure_ascii=False)
