"""TOML files, which people write by hand: configuration and patterns."""

import re
import sys
from typing import Any, NoReturn

from factable.errors import DataError, Fault
from factable.io.limits import MAX_NESTING, MAX_TOML_BYTES, MAX_TOML_DOTS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

POSITION = re.compile(r" \(at line (\d+), column \d+\)")


def parse_toml(name: str, content: bytes, remedy: str) -> dict[str, Any]:
    """The tables of a TOML file; faults name the file and, where known, the line."""
    _check_size(name, content)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        _refuse(name, None, "is not UTF-8", "save the file as UTF-8")
    except RecursionError:
        _refuse(name, None, f"nested deeper than {MAX_NESTING} levels", "flatten it")
    except ValueError as error:
        # Broken TOML, and numbers with more digits than Python reads.
        position = POSITION.search(str(error))
        problem = f"broken TOML ({POSITION.sub('', str(error))})"
        _refuse(name, int(position[1]) if position else None, problem, remedy)


def _check_size(name: str, content: bytes) -> None:
    """Refuse content that would take the parser hours: its time is quadratic in the parts of a key."""
    if len(content) > MAX_TOML_BYTES:
        _refuse(name, None, f"larger than {MAX_TOML_BYTES >> 20} MB", "check that it is the right file")
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.count(b".") > MAX_TOML_DOTS:
            _refuse(name, number, f"more than {MAX_TOML_DOTS} dots in a line", "break the line")


def _refuse(name: str, line: int | None, problem: str, remedy: str) -> NoReturn:
    raise DataError([Fault(name, line, problem, remedy)]) from None
