"""Templates that ship with factable, and those of a user's file."""

import hashlib
from functools import cache

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.models.runtime.manifest import read_shipped
from factable.text.templates import BACKOFF, VALUE, Templates

BACK_OFF = "backoff"
SHIPPED = ("webnlg", "e2e")
REMEDY = f'write {{"attribute": ["{BACKOFF}", …], …}} with {VALUE} in each'


def load_templates(name: str) -> Templates:
    """Templates by name: `default` (all that ship), one of those, `backoff` (none), or a JSON file."""
    if name == BACK_OFF:
        return Templates()
    if name == "default":
        return Templates({**load_templates("webnlg").by_attribute, **load_templates("e2e").by_attribute})
    if name in SHIPPED:
        return _parse(name, read_shipped(f"data/templates/{name}.json"))
    return _parse(name, read_whole(name))


@cache
def _parse(name: str, content: bytes) -> Templates:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError([Fault(name, error.lineno, f"no JSON ({error.msg})", REMEDY)]) from None
    if not isinstance(found, dict):
        raise DataError([Fault(name, None, "no JSON object", REMEDY)])
    for attribute, templates in found.items():
        texts = isinstance(templates, list) and templates and all(isinstance(one, str) for one in templates)
        # A template by value, such as familyFriendly=yes, says the value in its own words.
        if not texts or ("=" not in attribute and not all(VALUE in one for one in templates)):
            raise DataError([Fault(name, None, f"no templates for {attribute!r}", REMEDY)])
    return Templates({attribute: tuple(templates) for attribute, templates in found.items()})


def templates_checksum(name: str) -> str:
    """A checksum of the templates of that name."""
    told = sorted((attribute, list(found)) for attribute, found in load_templates(name).by_attribute.items())
    return hashlib.sha256(orjson.dumps(told)).hexdigest()
