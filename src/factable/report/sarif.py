"""A gate as SARIF 2.1.0, which code hosts show beside the lines of a change."""

from typing import IO

import orjson

from factable._version import __version__
from factable.errors import printable
from factable.gate.decision import GateResult
from factable.gate.outcomes import Outcome
from factable.io.files import STDIN_NAME
from factable.report.junit import describe_flaw

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
RULES = {
    "omission": "The text leaves out a fact of its data.",
    "contradiction": "The text says something else than its data.",
    "hallucination": "The text says something that its data does not say.",
}


def write_sarif(result: GateResult, stream: IO[bytes]) -> None:
    """Write a result for each text and each kind of error in it that counts."""
    rules = [{"id": error, "shortDescription": {"text": about}} for error, about in RULES.items()]
    driver = {"name": "factable", "version": __version__, "rules": rules}
    level = "warning" if result.passed else "error"
    results = [
        _result(outcome, error, level)
        for outcome in result.outcomes
        for error in result.policy.faults_in(outcome.label)
    ]
    run = {"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}
    stream.write(orjson.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + b"\n")


def _result(outcome: Outcome, error: str, level: str) -> dict[str, object]:
    name = printable(" · ".join(filter(None, outcome.key)))
    flaws = "; ".join(describe_flaw(flaw, outcome.text) for flaw in outcome.flaws)
    found: dict[str, object] = {
        "ruleId": error,
        "level": level,
        "message": {"text": printable(f"{name}: {flaws}")},
        "partialFingerprints": {"factable/1": printable(f"{outcome.item}|{outcome.system}|{error}")},
    }
    if outcome.source != STDIN_NAME:
        where: dict[str, object] = {"artifactLocation": {"uri": printable(outcome.source)}}
        if outcome.line:
            where["region"] = {"startLine": outcome.line}
        found["locations"] = [{"physicalLocation": where}]
    return found
