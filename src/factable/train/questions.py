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

MAX_KEPT = 3
# A wording that one question has is as likely a slip.
LEAST_USES = 2
_QUALIFIER = re.compile(r"\s*\([^()]*\)\Z|,.*\Z")
# What a question about a value can begin with; "is" and "name a" ask for something else.
_ASKING = re.compile(r"(?:what|which|who|whom|where|when|how|in what|in which|at what|on what)\b")
_POSSESSIVE = re.compile(r"\s*('|’)\s*s\b")


class AskedFact(NamedTuple):
    """A question that a person asked for the value of an entity's attribute."""

    question: str
    entity: str
    attribute: str


def read_asked_facts(path: str) -> Iterator[AskedFact]:
    """The rows of a JSON lines file with `question`, `entity`, `predicate`.

    Rows whose `direction` is "backward" ask for the entity, and are left out.
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
            raise DataError([Fault(path, number, "no question about a fact", remedy)]) from None


def learn_questions(asked: Iterable[AskedFact]) -> dict[str, list[str]]:
    """Per attribute, the wordings that most questions have in common, the most frequent first."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for fact in asked:
        template = _template(fact)
        if template:
            found[attribute_key(fact.attribute)][template] += 1
    best = {}
    for attribute, counts in sorted(found.items()):
        often = [one for one in counts if counts[one] >= LEAST_USES]
        kept = sorted(often, key=lambda one: (-counts[one], len(one), one))[:MAX_KEPT]
        if kept:
            best[attribute] = kept
    return best


def _template(fact: AskedFact) -> str | None:
    """The question with a placeholder for its entity; None where that is not named once."""
    question = _POSSESSIVE.sub(r"'s", " ".join(fact.question.lower().rstrip(" ?.").split()))
    name = clean_value(fact.entity).lower()
    for form in dict.fromkeys((name, _QUALIFIER.sub("", name))):
        parts = re.split(rf"(?<!\w){re.escape(form)}(?!\w)", question) if form else []
        if len(parts) == 2 and _ASKING.match(parts[0]):
            template = f"{parts[0]}{SUBJECT}{parts[1]}?"
            return template[0].upper() + template[1:]
    return None
