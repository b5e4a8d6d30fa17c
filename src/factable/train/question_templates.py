"""Question templates learnt from questions that people asked about known facts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_lines
from factable.text.questions import attribute_key
from factable.text.templates import SUBJECT, clean_value

MAX_PER_ATTRIBUTE = 3
# A wording that only one question has may be a mistake.
MIN_USES = 2
_QUALIFIER = re.compile(r"\s*\([^()]*\)\Z|,.*\Z")
# The beginning of a question about a value; "is" and "name a" ask for something else.
_QUESTION_START = re.compile(r"(?:what|which|who|whom|where|when|how|in what|in which|at what|on what)\b")
_POSSESSIVE = re.compile(r"\s*('|’)\s*s\b")


class AskedFact(NamedTuple):
    """A question that a person asked for the value of an entity's attribute."""

    question: str
    entity: str
    attribute: str


def read_asked_facts(path: str) -> Iterator[AskedFact]:
    """The rows of a JSON lines file with `question`, `entity`, `predicate`.

    Rows whose `direction` is "backward" ask for the entity and are left out.
    """
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            if row.get("direction", "forward") == "forward":
                yield AskedFact(str(row["question"]), str(row["entity"]), str(row["predicate"]))
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            remedy = 'write {"question": …, "entity": …, "predicate": …}'
            raise DataError([Fault(path, number, "not a question about a fact", remedy)]) from None


def learn_questions(asked: Iterable[AskedFact]) -> dict[str, list[str]]:
    """For each attribute the wordings that questions share, the most frequent first."""
    by_attribute: dict[str, Counter[str]] = defaultdict(Counter)
    for fact in asked:
        template = _template(fact)
        if template:
            by_attribute[attribute_key(fact.attribute)][template] += 1
    learnt = {}
    for attribute, counts in sorted(by_attribute.items()):
        shared = [template for template in counts if counts[template] >= MIN_USES]
        best = sorted(shared, key=lambda template: (-counts[template], len(template), template))
        if best:
            learnt[attribute] = best[:MAX_PER_ATTRIBUTE]
    return learnt


def _template(fact: AskedFact) -> str | None:
    """The question with a placeholder for its entity; None if it does not name the entity exactly once."""
    question = _POSSESSIVE.sub(r"'s", " ".join(fact.question.lower().rstrip(" ?.").split()))
    name = clean_value(fact.entity).lower()
    for form in dict.fromkeys((name, _QUALIFIER.sub("", name))):
        parts = re.split(rf"(?<!\w){re.escape(form)}(?!\w)", question) if form else []
        if len(parts) == 2 and _QUESTION_START.match(parts[0]):
            template = f"{parts[0]}{SUBJECT}{parts[1]}?"
            return template[0].upper() + template[1:]
    return None
