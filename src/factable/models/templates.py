"""Templates that ship with factable, and those in a user's file."""

import hashlib
from functools import cache, lru_cache

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.models.runtime.manifest import read_shipped
from factable.text.templates import BACKOFF, VALUE, Templates

NO_TEMPLATES = "backoff"
SHIPPED_TEMPLATES = ("webnlg", "e2e")
TEMPLATES_REMEDY = f'write {{"attribute": ["{BACKOFF}", …], …}} with {VALUE} in each'


def load_templates(name: str) -> Templates:
    """Templates by name: `default` (all that ship), one of those, `backoff` (none), or a JSON file."""
    if name in ("default", NO_TEMPLATES, *SHIPPED_TEMPLATES):
        return _load_shipped(name)
    return _parse(name, read_whole(name))


@cache
def _load_shipped(name: str) -> Templates:
    if name == NO_TEMPLATES:
        return Templates()
    names = SHIPPED_TEMPLATES if name == "default" else (name,)
    parsed = [_parse(shipped, read_shipped(f"data/templates/{shipped}.json")) for shipped in names]
    return Templates(
        {attribute: texts for templates in parsed for attribute, texts in templates.by_attribute.items()}
    )


@lru_cache(maxsize=8)
def _parse(name: str, content: bytes) -> Templates:
    try:
        by_attribute = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise DataError([Fault(name, error.lineno, f"not JSON ({error.msg})", TEMPLATES_REMEDY)]) from None
    if not isinstance(by_attribute, dict):
        raise DataError([Fault(name, None, "not a JSON object", TEMPLATES_REMEDY)])
    for attribute, templates in by_attribute.items():
        if not _are_templates(attribute, templates):
            raise DataError([Fault(name, None, f"no templates for {attribute!r}", TEMPLATES_REMEDY)])
    return Templates({attribute: tuple(templates) for attribute, templates in by_attribute.items()})


def _are_templates(attribute: str, templates: object) -> bool:
    if not isinstance(templates, list) or not templates:
        return False
    # A template for one value, such as familyFriendly=yes, says the value in its own words.
    any_value = "=" in attribute
    return all(isinstance(template, str) and (any_value or VALUE in template) for template in templates)


def templates_checksum(name: str) -> str:
    """A checksum of the templates of that name."""
    by_attribute = load_templates(name).by_attribute
    content = sorted((attribute, list(templates)) for attribute, templates in by_attribute.items())
    return hashlib.sha256(orjson.dumps(content)).hexdigest()
