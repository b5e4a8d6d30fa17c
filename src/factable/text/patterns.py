"""Regular expressions that are compiled when first used: most texts need few of them."""

import re
from typing import Any, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


class _LazyPattern:
    """Compiles its pattern when a method is first asked for, and then holds all methods itself."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Only for what is not there yet; later calls go to the compiled pattern without a detour.
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self.flags)
        vars(self).update({method: getattr(compiled, method) for method in _METHODS})
        return vars(self)[name]


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but compiled when first used."""
    return cast(re.Pattern[str], _LazyPattern(pattern, flags))
