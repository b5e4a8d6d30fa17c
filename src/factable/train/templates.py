"""Templates extracted from texts that say one fact each."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from factable.models.nli import entailment
from factable.models.protocols import ENTAILMENT, TextPair
from factable.text.templates import SUBJECT, VALUE, clean_value, facts_of, fill, split_identifier
from factable.text.values.dates import MONTHS
from factable.types import Example, Record

MAX_WORDS = 25
MAX_KEPT = 8
# Texts on which each template of an attribute is tried.
MAX_TRIED = 12
# How alike a stretch of text and a name must be to be taken for it.
ALIKE = 0.85
_WORD = re.compile(r"\w+(?:[-'’.]\w+)*|\S")
_PLACE_OR_WORD = re.compile(r"<\w+>|\w+(?:[-'’]\w+)*")
# Roughly: common verbs, and endings that most verbs have and many other words too.
_VERB = re.compile(
    r"is|are|was|were|has|have|had|can|may|will|became|began|contain|cost|led|made|play|ran|won|wrote|\w+(?:ed|s)"
)
# Words that begin a sentence which leans on the one before.
_LEANING = frozenset(("also", "and", "but", "he", "his", "it", "its", "or", "she", "they", "this", "which"))
_LOOSE_MARK = re.compile(r"\s[,.;:!?]|[,;:]\s*[.!?]|\.\.")


def extract_templates(examples: Iterable[Example]) -> dict[str, list[str]]:
    """Per attribute, templates from the texts that say one fact, most telling first.

    A template is a text in which the subject and the value were found once each and replaced. Those that
    many different facts share come first, then those that are most like the others of their attribute.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for record, texts in single_facts(examples):
        # A set, so that an item counts a template once.
        templates = {delexicalise(text, record) for text in texts} - {None}
        found[record.attribute].update(template for template in templates if template)
    return {attribute: _best(counts) for attribute, counts in sorted(found.items()) if counts}


def single_facts(examples: Iterable[Example]) -> Iterator[tuple[Record, tuple[str, ...]]]:
    """The fact of each example that has just one, with its references, or its text where there are none."""
    for example in examples:
        facts = list(facts_of(example.table).values())
        if len(facts) == 1:
            yield facts[0], example.references or (example.text,)


def pick_templates(
    templates: Mapping[str, Sequence[str]], examples: Iterable[Example], model: str
) -> dict[str, list[str]]:
    """The templates of each attribute, the best first.

    First come those that read well, then those whose sentences and texts entail each other best.
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
        attribute: sorted(choices, key=lambda one: (not reads_well(one), -sums[attribute, one]))
        for attribute, choices in templates.items()
    }


def reads_well(template: str) -> bool:
    """Whether nothing speaks against a template as one whole sentence."""
    words = _PLACE_OR_WORD.findall(template.lower())
    said = [word for word in words if not word.startswith("<")]
    return (
        (template[0] in "<\"'“(" or template[0].isupper())
        and template[-1] in ".!?"
        and words[0] not in _LEANING
        and any(_VERB.fullmatch(word) for word in said)
        and not any(one == other for one, other in pairwise(words))
        and template.count('"') % 2 == 0
        and all(template.count(left) == template.count(right) for left, right in ("()", "[]", "“”"))
        and not _LOOSE_MARK.search(template)
    )


def _best(counts: Counter[str]) -> list[str]:
    words = {template: set(template.lower().split()) for template in counts}

    def centrality(template: str) -> float:
        mine = words[template]
        # Rounded once, so that the order of templates does not depend on that of sets.
        return math.fsum(
            often * len(mine & words[other]) / len(mine | words[other]) for other, often in counts.items()
        )

    return sorted(counts, key=lambda template: (-centrality(template), template))[:MAX_KEPT]


def delexicalise(text: str, record: Record) -> str | None:
    """The text with placeholders for subject and value; None where they are not there just once each.

    A record without a subject gives a template without one.
    """
    template: str | None = " ".join(text.split())
    names = {VALUE: record.value} | ({SUBJECT: record.subject} if record.subject else {})
    if len(text.split()) > MAX_WORDS:
        return None
    for placeholder, name in names.items():
        template = template and _put(placeholder, name, template)
    if not template or any(template.count(placeholder) != 1 for placeholder in names):
        return None
    if not _is_clean(template, record):
        return None
    return template if template[-1] in ".!?" else template + "."


def _put(placeholder: str, name: str, text: str) -> str | None:
    """The text with a placeholder where the name stands."""
    index = _find(text, name) if clean_value(name) else None
    return index and text[: index[0]] + placeholder + text[index[1] :]


def _is_clean(template: str, record: Record) -> bool:
    """Whether nothing of this one fact is left: no digits, no words of its subject or value."""
    rest = template.replace(SUBJECT, " ").replace(VALUE, " ")
    if any(character.isdigit() for character in rest):
        return False
    names = {word for word in _plain(f"{record.subject} {record.value}").split() if len(word) > 3}
    said = set(_plain(split_identifier(record.attribute)).split())
    # A capital inside the sentence is a name that belongs to one fact, unless the attribute has it too.
    inside = set(map(_plain, re.findall(r"(?<=\S )[A-Z]\w+", rest))) - said
    return not inside and not (names - said) & set(re.findall(r"\w+", _plain(rest)))


def _find(text: str, name: str) -> tuple[int, int] | None:
    """Where a name, in one of its forms or something much like it, stands in the text."""
    plain = _plain(text)
    for form in _forms(name):
        at = re.search(rf"(?<![\w<]){re.escape(_plain(form))}(?![\w>])", plain)
        if at:
            return at.span()
    return _find_alike(text, name)


def _find_alike(text: str, name: str) -> tuple[int, int] | None:
    """The stretch of words most like a name, if it is like enough."""
    wanted = _plain(clean_value(name))
    indices = [word.span() for word in _WORD.finditer(text)]
    size = len(_WORD.findall(wanted))
    best, where = ALIKE, None
    for length in range(max(1, size - 1), size + 2):
        for start, end in zip(indices, indices[length - 1 :], strict=False):
            stretch = text[start[0] : end[1]]
            if "<" in stretch or abs(len(stretch) - len(wanted)) > len(wanted) / 3:
                continue
            alike = SequenceMatcher(None, _plain(stretch), wanted, autojunk=False).ratio()
            if alike > best:
                best, where = alike, (start[0], end[1])
    return where


def _forms(name: str) -> Iterator[str]:
    """How a name, number or date may be written in a text."""
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
    """Lower case without accents, letter for letter, so that places stay the same."""
    return "".join(_plain_letter(letter) for letter in text)


def _plain_letter(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0].lower()
    return base if len(base) == 1 else letter
