"""Names that stand twice in one JSON object: the parser would keep the last and lose a fact in silence."""

import json
from typing import Any

from factable.io.limits import MOST_NESTING
from factable.io.malformed import Malformed, shorten


def refuse_repeats(raw: bytes | str, value: object) -> None:
    """Refuse JSON, given as it was and as it was parsed, in which an object has a name twice."""
    colons = raw.count(b":") if isinstance(raw, bytes) else raw.count(":")
    # Every name has a colon after it, so that as many colons as names leave none for a repeat; more of them
    # may well be in texts, and then a slower parser has to look.
    if colons == _count_names(value):
        return
    try:
        json.loads(raw.decode() if isinstance(raw, bytes) else raw, object_pairs_hook=_refuse_twice)
    except RecursionError:
        raise Malformed(f"nested deeper than {MOST_NESTING} levels", "flatten it") from None


def _count_names(value: object) -> int:
    count = 0
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if type(inner) is dict:
            count += len(inner)
            waiting.extend(inner.values())
        elif type(inner) is list:
            waiting.extend(inner)
    return count


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    """Nothing is made of the pairs: only their names are looked at."""
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise Malformed(f"{shorten(name)} stands twice in one object", "give each name once")
        seen.add(name)
