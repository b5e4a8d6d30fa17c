"""A gate as JUnit XML, which most build servers show: a test case for each rate and each text."""

import re
import secrets
from collections.abc import Mapping
from typing import IO
from xml.etree import ElementTree as Xml

from factable.errors import printable
from factable.gate.decision import GateResult
from factable.gate.outcomes import Flaw, Outcome
from factable.gate.policy import UNSCORED
from factable.io.files import STDIN_NAME

SUITE = "factable gate"
LINE = re.compile(r"[^\r\n]+")


def write_junit(result: GateResult, stream: IO[bytes]) -> None:
    """Write the report; a text with a fault that counts is a failure, one without a verdict is skipped."""
    failures = len(result.failing) + len(result.breaches)
    suite = Xml.Element(
        "testsuite",
        name=SUITE,
        tests=str(len(result.policy.fail_on) + len(result.outcomes)),
        failures=str(failures),
        errors="0",
        skipped=str(result.unscored),
    )
    _add_properties(suite, result)
    _add_rates(suite, result)
    for outcome in result.outcomes:
        _add_text(suite, outcome, failed=bool(result.policy.faults_in(outcome.label)))
    Xml.indent(suite)
    stream.write(Xml.tostring(suite, encoding="utf-8", xml_declaration=True) + b"\n")


def _add_properties(suite: Xml.Element, result: GateResult) -> None:
    properties = Xml.SubElement(suite, "properties")
    values = {"signature": result.signature, **{name: rate.value for name, rate in result.rates.items()}}
    for name, value in values.items():
        Xml.SubElement(properties, "property", name=name, value=printable(str(value)))


def _add_rates(suite: Xml.Element, result: GateResult) -> None:
    broken = {breach.kind: breach for breach in result.breaches}
    for kind in result.policy.fail_on:
        case = Xml.SubElement(suite, "testcase", classname=SUITE, name=f"rate of {kind}")
        if kind in broken:
            Xml.SubElement(case, "failure", type=kind, message=str(broken[kind]))


def _add_text(suite: Xml.Element, outcome: Outcome, *, failed: bool) -> None:
    index = {"file": printable(outcome.source)} | ({"line": str(outcome.line)} if outcome.line else {})
    named = {"classname": printable(outcome.system or outcome.source), "name": printable(outcome.item)}
    case = Xml.SubElement(suite, "testcase", named | index)
    if outcome.label == UNSCORED:
        Xml.SubElement(case, "skipped", message=printable(outcome.flaws[0].note))
    elif failed:
        lines = [describe_flaw(flaw, outcome.text) for flaw in outcome.flaws]
        message = printable("; ".join(lines))
        failure = Xml.SubElement(case, "failure", type=outcome.label, message=message)
        failure.text = visible("\n".join([*outcome.text.splitlines(), *lines]))


def describe_flaw(flaw: Flaw, text: str) -> str:
    """A flaw in one line, such as `contradicted: area | riverside "city centre"`."""
    pieces = [f"{flaw.state}:", flaw.record]
    if flaw.span:
        pieces.append(f'"{text[slice(*flaw.span)]}"')
    if flaw.note:
        pieces.append(f"({flaw.note})")
    return " ".join(filter(None, pieces))


def visible(text: str) -> str:
    """Text in which all that is hidden is written as an escape, but for line breaks."""
    return LINE.sub(lambda line: printable(line[0]), text)


# GitHub shows ten of a kind for each step and drops the others.
MAX_SHOWN = 10
TITLE = "factable gate"


def annotated(result: GateResult, shown: str) -> str:
    """What a gate prints, fenced so that no text in it is taken for a command, and then the annotations."""
    token = secrets.token_hex(16)
    fenced = [f"::stop-commands::{token}", shown.removesuffix("\n"), f"::{token}::"]
    return "\n".join([*fenced, *annotations(result)]) + "\n"


def annotations(result: GateResult) -> list[str]:
    """First what decides, then texts that fail; of a gate that opens all are mere warnings."""
    level = "warning" if result.passed else "error"
    commands = [_command(level, {"title": TITLE}, str(breach)) for breach in result.breaches]
    for outcome in result.news()[: MAX_SHOWN - len(commands)]:
        name = printable(" · ".join(filter(None, outcome.key)))
        properties = {"title": f"{name}: {outcome.label}"}
        if outcome.source != STDIN_NAME:
            index = {"line": str(outcome.line)} if outcome.line else {}
            properties = {"file": outcome.source} | index | properties
        lines = [outcome.text, *(describe_flaw(flaw, outcome.text) for flaw in outcome.flaws)]
        commands.append(_command(level, properties, visible("\n".join(lines))))
    return commands


def _command(level: str, properties: Mapping[str, str], message: str) -> str:
    given = ",".join(f"{name}={_escape_property(value)}" for name, value in properties.items())
    return f"::{level} {given}::{_escape(message)}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")
