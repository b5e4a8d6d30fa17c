"""Sentence templates extracted from texts that state one fact each."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from factable.models.nli import ENTAILMENT, TextPair, entailment
from factable.text.templates import SUBJECT, VALUE, clean_value, facts_of, fill, split_identifier
from factable.text.values.dates import MONTHS
from factable.types import Example, Record

MAX_WORDS = 25
MAX_PER_ATTRIBUTE = 8
# Texts on which each template of an attribute is tried.
MAX_TRIED = 12
# How similar a part of a text must be to a name to be taken for it.
MIN_SIMILARITY = 0.85
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*|\S")
_PLACEHOLDER_OR_WORD = re.compile(r"<\w+>|\w+(?:[-'’]\w+)*")
# A rough test: common verbs, and endings that most verbs have (and many other words).
_VERB = re.compile(
    r"is|are|was|were|has|have|had|can|may|will|became|began|contain|cost|led|made|play|ran|won|wrote|\w+(?:ed|s)"
)
# Words that begin a sentence which depends on the one before.
_DEPENDENT_START = frozenset(
    ("also", "and", "but", "he", "his", "it", "its", "or", "she", "they", "this", "which")
)
_STRAY_PUNCTUATION = re.compile(r"\s[,.;:!?]|[,;:]\s*[.!?]|\.\.")


def extract_templates(examples: Iterable[Example]) -> dict[str, list[str]]:
    """For each attribute, templates from the texts that state one fact, the most typical first.

    A template is a text in which the subject and the value were found once each and replaced. Templates that
    many different facts share come first, then those most similar to the others of their attribute.
    """
    by_attribute: dict[str, Counter[str]] = defaultdict(Counter)
    for record, texts in single_facts(examples):
        # A set, so that an item counts a template once.
        templates = {delexicalise(text, record) for text in texts} - {None}
        by_attribute[record.attribute].update(template for template in templates if template)
    return {attribute: _most_typical(counts) for attribute, counts in sorted(by_attribute.items()) if counts}


def single_facts(examples: Iterable[Example]) -> Iterator[tuple[Record, tuple[str, ...]]]:
    """The fact of each example that has only one, with its references, or its text where there are none."""
    for example in examples:
        facts = list(facts_of(example.table).values())
        if len(facts) == 1:
            yield facts[0], example.references or (example.text,)


def pick_templates(
    templates: Mapping[str, Sequence[str]], examples: Iterable[Example], model: str
) -> dict[str, list[str]]:
    """The templates of each attribute, the best first.

    Templates that read well come first, then those whose sentences and texts entail each other best.
    """
    tried: dict[str, list[tuple[Record, str]]] = defaultdict(list)
    for record, texts in single_facts(examples):
        tried[record.attribute] += [(record, text) for text in texts]
    trials = [
        (attribute, template, pair)
        for attribute, choices in templates.items()
        for template in choices
        for record, text in tried[attribute][:MAX_TRIED]
        for sentence in [fill(template, record)]
        for pair in (TextPair(sentence, text), TextPair(text, sentence))
    ]
    answers = entailment(model, [pair for _, _, pair in trials])
    sums: dict[tuple[str, str], float] = defaultdict(float)
    for (attribute, template, _), answer in zip(trials, answers, strict=True):
        sums[attribute, template] += float(answer[ENTAILMENT])
    return {
        attribute: sorted(
            choices, key=lambda template: (not reads_well(template), -sums[attribute, template])
        )
        for attribute, choices in templates.items()
    }


def reads_well(template: str) -> bool:
    """Whether a template looks like a complete sentence."""
    words = _PLACEHOLDER_OR_WORD.findall(template.lower())
    plain_words = [word for word in words if not word.startswith("<")]
    return (
        (template[0] in "<\"'“(" or template[0].isupper())
        and template[-1] in ".!?"
        and words[0] not in _DEPENDENT_START
        and any(_VERB.fullmatch(word) for word in plain_words)
        and not any(first == second for first, second in pairwise(words))
        and template.count('"') % 2 == 0
        and all(template.count(left) == template.count(right) for left, right in ("()", "[]", "“”"))
        and not _STRAY_PUNCTUATION.search(template)
    )


def _most_typical(counts: Counter[str]) -> list[str]:
    words = {template: set(template.lower().split()) for template in counts}

    def centrality(template: str) -> float:
        own = words[template]
        # fsum rounds once, so that the order of templates does not depend on that of sets.
        return math.fsum(
            count * len(own & words[other]) / len(own | words[other]) for other, count in counts.items()
        )

    return sorted(counts, key=lambda template: (-centrality(template), template))[:MAX_PER_ATTRIBUTE]


def delexicalise(text: str, record: Record) -> str | None:
    """The text with placeholders for subject and value; None if it does not have each exactly once.

    A record without a subject gives a template without one.
    """
    template: str | None = " ".join(text.split())
    names = {VALUE: record.value} | ({SUBJECT: record.subject} if record.subject else {})
    if len(text.split()) > MAX_WORDS:
        return None
    for placeholder, name in names.items():
        template = template and _insert_placeholder(placeholder, name, template)
    if not template or any(template.count(placeholder) != 1 for placeholder in names):
        return None
    if not _is_clean(template, record):
        return None
    return template if template[-1] in ".!?" else template + "."


def _insert_placeholder(placeholder: str, name: str, text: str) -> str | None:
    """The text with a placeholder in place of a name."""
    span = _find(text, name) if clean_value(name) else None
    return span and text[: span[0]] + placeholder + text[span[1] :]


def _is_clean(template: str, record: Record) -> bool:
    """Whether nothing specific to the fact is left: no digits, no words of its subject or value."""
    rest = template.replace(SUBJECT, " ").replace(VALUE, " ")
    if any(character.isdigit() for character in rest):
        return False
    names = {word for word in _plain(f"{record.subject} {record.value}").split() if len(word) > 3}
    of_attribute = set(_plain(split_identifier(record.attribute)).split())
    # A capitalised word inside the sentence is a name that belongs to the fact, unless the attribute has it.
    inside = set(map(_plain, re.findall(r"(?<=\S )[A-Z]\w+", rest))) - of_attribute
    return not inside and not (names - of_attribute) & set(re.findall(r"\w+", _plain(rest)))


def _find(text: str, name: str) -> tuple[int, int] | None:
    """The span of a name, of one of its forms or of something very similar in a text."""
    plain = _plain(text)
    for form in _forms(name):
        match = re.search(rf"(?<![\w<]){re.escape(_plain(form))}(?![\w>])", plain)
        if match:
            return match.span()
    return _find_similar(text, name)


def _find_similar(text: str, name: str) -> tuple[int, int] | None:
    """The span of the words most similar to a name, if they are similar enough."""
    plain_name = _plain(clean_value(name))
    word_spans = [word.span() for word in _WORD.finditer(text)]
    size = len(_WORD.findall(plain_name))
    highest, best = MIN_SIMILARITY, None
    for length in range(max(1, size - 1), size + 2):
        for first, last in zip(word_spans, word_spans[length - 1 :], strict=False):
            words = text[first[0] : last[1]]
            if "<" in words or abs(len(words) - len(plain_name)) > len(plain_name) / 3:
                continue
            similarity = SequenceMatcher(None, _plain(words), plain_name, autojunk=False).ratio()
            if similarity > highest:
                highest, best = similarity, (first[0], last[1])
    return best


def _forms(name: str) -> Iterator[str]:
    """The forms in which a text may write a name, number or date."""
    text = clean_value(name)
    yield text
    date = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
    if date and 1 <= int(date[2]) <= 12:
        year, month, day = date[1], MONTHS[int(date[2]) - 1], int(date[3])
        for ending in ("", "th", "st", "nd", "rd"):
            yield from (f"{month} {day}{ending}, {year}", f"{month} {day}{ending} {year}")
            yield from (f"{day}{ending} {month} {year}", f"{day}{ending} of {month} {year}")
    number = re.fullmatch(r"-?\d+(\.\d+)?", text)
    if number:
        yield f"{float(text):,.10g}"
        yield f"{float(text):.10g}"
    short = re.sub(r"\s*\([^)]*\)", "", text)
    if short and short != text:
        yield short


def _plain(text: str) -> str:
    """Lower case without accents, letter by letter, so that positions stay the same."""
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0].lower()
    return base if len(base) == 1 else letter
