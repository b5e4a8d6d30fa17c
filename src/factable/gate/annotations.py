"""A gate as workflow commands, which GitHub shows beside the lines of a change."""

import secrets
from collections.abc import Mapping

from factable.errors import printable
from factable.gate.junit import describe, visible
from factable.gate.result import GateResult
from factable.io.files import STDIN_NAME

# GitHub shows ten of a kind for each step and drops the others.
MOST_SHOWN = 10
TITLE = "factable gate"


def annotated(result: GateResult, shown: str) -> str:
    """What a gate prints, fenced so that no text in it is taken for a command, and then the annotations."""
    token = secrets.token_hex(16)
    fenced = [f"::stop-commands::{token}", shown.removesuffix("\n"), f"::{token}::"]
    return "\n".join([*fenced, *annotations(result)]) + "\n"


def annotations(result: GateResult) -> list[str]:
    """First what decides, then texts that fail; of a gate that opens all are mere warnings."""
    level = "warning" if result.passed else "error"
    found = [_command(level, {"title": TITLE}, str(breach)) for breach in result.breaches]
    for outcome in result.news()[: MOST_SHOWN - len(found)]:
        name = printable(" · ".join(filter(None, outcome.key)))
        properties = {"title": f"{name}: {outcome.label}"}
        if outcome.source != STDIN_NAME:
            place = {"line": str(outcome.line)} if outcome.line else {}
            properties = {"file": outcome.source} | place | properties
        lines = [outcome.text, *(describe(flaw, outcome.text) for flaw in outcome.flaws)]
        found.append(_command(level, properties, visible("\n".join(lines))))
    return found


def _command(level: str, properties: Mapping[str, str], message: str) -> str:
    given = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    return f"::{level} {given}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
