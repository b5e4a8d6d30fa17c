"""Questions for facts: those that ship with factable, and those of a user's file."""

import hashlib
from functools import cache

import orjson

from factable.errors import DataError, Fault
from factable.io.files import open_input
from factable.models.embedded import read_shipped
from factable.models.templates import load_templates
from factable.text.questions import BLANK, GENERAL, Questions, attribute_key
from factable.text.templates import SUBJECT

GENERAL_FORM = "general"
LEARNT = "learnt"
REMEDY = f'write {{"attribute": ["{GENERAL}", "{SUBJECT} is {BLANK}.", …], …}}'


def load_questions(name: str) -> Questions:
    """Questions by name: `general` (one form for all), `learnt` (what ships), or a JSON file."""
    if name == GENERAL_FORM:
        return Questions()
    if name == LEARNT:
        content = read_shipped("data/questions/dbpedia.json")
        return Questions(_parse("dbpedia.json", content), load_templates("default"))
    with open_input(name) as stream:
        return Questions(_parse(name, stream.read()))


@cache
def _parse(name: str, content: bytes) -> dict[str, tuple[str, ...]]:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError([Fault(name, error.lineno, f"no JSON ({error.msg})", REMEDY)]) from None
    if not isinstance(found, dict):
        raise DataError([Fault(name, None, "no JSON object", REMEDY)])
    for attribute, questions in found.items():
        if not (isinstance(questions, list) and questions and all(map(_is_question, questions))):
            raise DataError([Fault(name, None, f"no questions for {attribute!r}", REMEDY)])
    return {attribute_key(attribute): tuple(questions) for attribute, questions in found.items()}


def _is_question(text: object) -> bool:
    return isinstance(text, str) and (text.endswith("?") or BLANK in text)


def questions_checksum(name: str) -> str:
    """A checksum of the questions of that name."""
    questions = load_questions(name)
    told = [
        sorted((attribute, list(found)) for attribute, found in source.items())
        for source in (questions.by_attribute, questions.sentences.by_attribute)
    ]
    return hashlib.sha256(orjson.dumps(told)).hexdigest()
