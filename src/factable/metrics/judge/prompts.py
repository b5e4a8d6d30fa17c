"""Prompts: versioned files with instructions and a question, and a question to a model made from them."""

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.io.toml import parse_toml
from factable.metrics.judge.material import Material
from factable.models.llm.endpoint import Question
from factable.models.runtime.manifest import read_shipped

# The prompts of a metric that names none; older ones stay, so that their numbers can be had again.
DEFAULT_PROMPTS = "judge-1"
SHIPPED_PROMPTS = (DEFAULT_PROMPTS,)
FACT_STATES = ("said", "wrong", "left out")
CLAIM_STATES = ("supported", "wrong", "made up", "not checkable")
_SLOT = re.compile(r"<<(\w+)>>")
SLOTS = ("data", "facts", "fence", "sentences", "fact_count", "sentence_count")
REMEDY = 'give "system" and "user" as texts, with <<data>>, <<facts>> and <<sentences>> in "user"'


class Prompts(NamedTuple):
    """Instructions, and a question with slots for the data, the facts and the sentences."""

    system: str
    user: str

    def question(self, material: Material, seed: int) -> Question:
        """The question about one text.

        What is judged is fenced by lines that it cannot contain: they are made of its own checksum.
        """
        content = {
            "data": material.data,
            "facts": material.fact_list,
            "sentences": material.sentence_list,
            "fact_count": str(len(material.facts)),
            "sentence_count": str(len(material.sentences)),
        }
        digest = hashlib.sha256("\n".join(content.values()).encode("utf-8", "replace")).hexdigest()
        content["fence"] = f"==== {digest[:16]} ===="
        return Question(_fill(self.system, content), _fill(self.user, content), answer_schema(material), seed)


def _fill(template: str, content: Mapping[str, str]) -> str:
    # In one pass, so that data with slots in it stays data.
    return _SLOT.sub(lambda slot: content[slot[1]], template).strip()


def load_prompts(name: str) -> Prompts:
    """Prompts by the name of a version that ships, or from a TOML file."""
    return _parse(name, _content(name))


def prompts_checksum(name: str) -> str:
    """The sha256 of a file of prompts."""
    return hashlib.sha256(_content(name)).hexdigest()


def _content(name: str) -> bytes:
    return read_shipped(f"data/prompts/{name}.toml") if name in SHIPPED_PROMPTS else read_whole(name)


def _parse(name: str, content: bytes) -> Prompts:
    given = parse_toml(name, content, REMEDY)
    system, user = given.get("system"), given.get("user")
    if not isinstance(system, str) or not isinstance(user, str):
        raise DataError([Fault(name, None, 'no "system" or no "user"', REMEDY)])
    unknown = [slot for slot in _SLOT.findall(system + user) if slot not in SLOTS]
    if unknown:
        slots = ", ".join(f"<<{slot}>>" for slot in SLOTS)
        raise DataError([Fault(name, None, f"a slot <<{unknown[0]}>>", f"slots are {slots}")])
    missing = [slot for slot in ("data", "facts", "sentences") if f"<<{slot}>>" not in user]
    if missing:
        raise DataError([Fault(name, None, f'no <<{missing[0]}>> in "user"', REMEDY)])
    return Prompts(system, user)


def answer_schema(material: Material) -> str:
    """The JSON Schema of an answer: an entry for every fact and every sentence, none else.

    Only what all servers know: no limits of lengths, and all properties required.
    """
    fact = _object({"quote": {"type": "string"}, "state": {"enum": FACT_STATES, "type": "string"}})
    claim = _object(
        {
            "quote": {"type": "string"},
            "facts": {"type": "array", "items": {"type": "integer"}},
            "reason": {"type": "string"},
            "state": {"enum": CLAIM_STATES, "type": "string"},
        }
    )
    claims = {"type": "array", "items": {"$ref": "#/$defs/claim"}}
    facts = {str(number): {"$ref": "#/$defs/fact"} for number in range(1, len(material.facts) + 1)}
    sentences = {str(number): claims for number in range(1, len(material.sentences) + 1)}
    schema = _object({"facts": _object(facts), "sentences": _object(sentences)})
    return orjson.dumps({**schema, "$defs": {"fact": fact, "claim": claim}}).decode()


def _object(properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
