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

PLACE = re.compile(r" \(at line (\d+), column \d+\)")


def parse_toml(name: str, content: bytes, remedy: str) -> dict[str, Any]:
    """The tables of a TOML file; every fault names the file, and the line where there is one."""
    _check_size(name, content)
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        _refuse(name, None, "is not UTF-8", "save the file as UTF-8")
    except RecursionError:
        _refuse(name, None, f"nested deeper than {MAX_NESTING} levels", "flatten it")
    except ValueError as error:
        # Broken TOML, and numbers with more digits than Python reads.
        index = PLACE.search(str(error))
        found = f"broken TOML ({PLACE.sub('', str(error))})"
        _refuse(name, int(index[1]) if index else None, found, remedy)


def _check_size(name: str, content: bytes) -> None:
    """Refuse what would keep the parser busy for hours: its time grows with the square of names in a key."""
    if len(content) > MAX_TOML_BYTES:
        _refuse(name, None, f"larger than {MAX_TOML_BYTES >> 20} MB", "check that it is the right file")
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.count(b".") > MAX_TOML_DOTS:
            _refuse(name, number, f"more than {MAX_TOML_DOTS} dots in a line", "break the line")


def _refuse(name: str, line: int | None, found: str, remedy: str) -> NoReturn:
    raise DataError([Fault(name, line, found, remedy)]) from None
