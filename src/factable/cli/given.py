"""Data and text that are given to a command as arguments, or named by them."""

from pathlib import Path
from typing import NoReturn

import orjson

from factable.errors import DataError, Fault
from factable.io.duplicates import check_unique_names
from factable.io.faults import Malformed
from factable.io.files import read_whole

JSON_STARTS = ("{", "[")


def read_text(given: str, option: str) -> str:
    """The argument itself, the file that `@FILE` names, or stdin for `-`."""
    if given != "-" and not given.startswith("@"):
        # Bytes of an argument that are no text are given as halves of surrogate pairs.
        if given != given.encode("utf-8", "replace").decode():
            _refuse(option, "is not UTF-8", "give it as UTF-8")
        return given
    try:
        return read_whole(given.removeprefix("@")).decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        _refuse(option, f"byte {error.start + 1} of {given} is not UTF-8", "save it as UTF-8")


def read_data(given: str, option: str) -> object:
    """What the argument holds: JSON as its value, whatever else as text; a path to a .json file is read."""
    if Path(given).suffix == ".json" and "|" not in given and not given.startswith(("@", *JSON_STARTS)):
        given = f"@{given}"
    text = read_text(given, option)
    if not text.lstrip().startswith(JSON_STARTS):
        return text
    try:
        data: object = orjson.loads(text)
        check_unique_names(text, data)
    except Malformed as fault:
        _refuse(option, fault.problem, fault.remedy)
    except orjson.JSONDecodeError as error:
        problem = f"broken JSON at line {error.lineno}, column {error.colno} ({error.msg.split(': line')[0]})"
        _refuse(option, problem, "give complete JSON, an E2E string or lines of subject | attribute | value")
    return data


def _refuse(option: str, problem: str, remedy: str) -> NoReturn:
    raise DataError([Fault(option, None, problem, remedy)]) from None
