"""Names of facts as people write them in settings: `area`, `specs.size`, `variants[*].price`, `*.id`."""

import re
from functools import lru_cache


@lru_cache(maxsize=1 << 14)
def selects_path(name: str, attribute: str) -> bool:
    """Whether an attribute has this name, or is inside of what has it."""
    return bool(_pattern(name, r"(?:[.\[].*)?").fullmatch(attribute))


@lru_cache(maxsize=1 << 14)
def names_path(name: str, attribute: str) -> bool:
    """Whether an attribute has exactly this name; indexes that the name leaves out do not count."""
    return bool(_pattern(name, "").fullmatch(attribute))


@lru_cache(maxsize=1000)
def _pattern(path: str, end: str) -> re.Pattern[str]:
    """A path as a regular expression: a star is anything, a missing index is any.

    A star before the first dot is any depth, none included: `*.id` is every id.
    """
    path = path.removeprefix("[*].")
    start = ""
    while path.startswith("*."):
        start, path = r"(?:.*\.)?", path[2:]
    segments = [_segment(segment) for segment in path.split(".")]
    return re.compile(start + r"\.".join(segments) + end, re.DOTALL)


def _segment(segment: str) -> str:
    indexed = segment.endswith("]")
    escaped = re.escape(segment).replace(r"\[\*\]", r"\[\d+\]").replace(r"\*", ".*")
    return escaped if indexed else escaped + r"(?:\[\d+\])*"
