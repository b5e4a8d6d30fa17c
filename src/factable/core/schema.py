"""Results as JSON: one shape of facts, claims and labels for every command and for Python.

The JSON Schema of all documents is data/schema/result.json, which `factable schema` prints.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from factable.core.results import Scores
from factable.types import ERRORS, OK, Example, Finding, Span, Table

# Changes with every change of the documents that a program might trip over.
SCHEMA = "factable/1"
SCHEMA_FILE = "data/schema/result.json"
FACT_STATES = ("supported", "omitted", "contradicted", "repeated")
CLAIM_STATES = ("supported", "contradicted", "unsupported")


def gives_labels(scores: Scores) -> bool:
    """Whether a metric tells omissions from hallucinations."""
    return {"omission", "hallucination"} <= set(scores.parts)


def label_at(scores: Scores, index: int) -> str | None:
    """The label of one example; None if the metric gives none, or no value."""
    if not gives_labels(scores) or math.isnan(scores.values[index]):
        return None
    return "+".join(kind for kind in ERRORS if kind in scores.parts and scores.parts[kind][index]) or OK


def row_object(example: Example, pieces: Sequence[Scores], index: int) -> dict[str, object]:
    """One example with what each metric says of it; `index` is its position in the scores."""
    metrics = {}
    for scores in pieces:
        parts = {name: part[index] for name, part in scores.parts.items()}
        metrics[scores.metric] = {
            "value": scores.values[index],
            "parts": parts,
            **example_object(example, scores, index),
        }
    return {"id": example.item, "system": example.system, "metrics": metrics}


def example_object(example: Example, scores: Scores, index: int) -> dict[str, object]:
    """What a metric says of one example: its label, if it gives one, and its findings, if they were made."""
    findings = scores.findings[index]
    label = label_at(scores, index)
    result: dict[str, object] = {}
    if label is not None:
        result |= {"ok": label == OK, "label": label}
        known = [name for name in ("probability", "correct") if name in scores.parts]
        result |= {name: scores.parts[name][index] for name in known}
    reasons = [finding.note for finding in findings if finding.kind == "unscored"]
    if reasons:
        result["reason"] = reasons[0]
    if len(findings) > len(reasons):
        result |= findings_object(example.table, example.text, findings)
    return result


def findings_object(table: Table, text: str, findings: Iterable[Finding]) -> dict[str, object]:
    """`counts`, `facts` and `claims`, in which claims name facts by position."""
    about_records, about_words = _split(findings)
    position = {record: number for number, (record, *_) in reversed(list(enumerate(about_records)))}
    paths = record_paths(table) if about_records else ()
    facts = [_fact(table, paths, found) for found in about_records.values()]
    claims = [_claim(text, finding, position) for finding in about_words]
    return {"counts": _counts(facts, claims), "facts": facts, "claims": claims}


Object = Mapping[str, object]
FactKey = tuple[int, str, str]


def _split(findings: Iterable[Finding]) -> tuple[dict[FactKey, list[Finding]], list[Finding]]:
    """Findings about records, those that say the same of a record together, and findings about words."""
    about_records: dict[FactKey, list[Finding]] = {}
    about_words = []
    for finding in findings:
        if finding.kind == "unscored":
            continue
        if finding.record is None or finding.claim:
            about_words.append(finding)
        else:
            about_records.setdefault((finding.record, finding.kind, finding.note), []).append(finding)
    return about_records, about_words


def _fact(table: Table, paths: Sequence[str], found: Sequence[Finding]) -> dict[str, object]:
    first = found[0]
    assert first.record is not None
    record = table.records[first.record]
    return {
        "record": first.record,
        "path": paths[first.record],
        "subject": record.subject,
        "attribute": record.attribute,
        "value": record.value,
        "state": first.kind,
        "probability": first.score,
        "required": first.required,
        "spans": [list(finding.span) for finding in found if finding.span],
        "note": first.note,
    }


def _claim(text: str, finding: Finding, position: Mapping[int, int]) -> dict[str, object]:
    records = finding.records or (() if finding.record is None else (finding.record,))
    span: Span = finding.span or (0, len(text))
    return {
        "span": list(span),
        "text": text[slice(*span)],
        "state": finding.kind,
        "facts": [position[record] for record in records if record in position],
        "probability": finding.score,
        "note": finding.note,
    }


def _counts(facts: Sequence[Object], claims: Sequence[Object]) -> dict[str, object]:
    of_facts = Counter(fact["state"] for fact in facts)
    of_claims = Counter(claim["state"] for claim in claims)
    return {
        "facts": {state: of_facts[state] for state in FACT_STATES},
        "claims": {state: of_claims[state] for state in CLAIM_STATES},
    }


def record_paths(table: Table) -> Sequence[str]:
    """Where each record stands in the data: `variants[0].price`; of triples and slots, the attribute."""
    paths = [record.attribute for record in table.records]
    if table.source is not None:
        # Loaded here: its patterns take longer than scoring a small file without findings.
        from factable.structure import Structure

        for index, leaf in Structure.of(table).by_record.items():
            paths[index] = leaf.path
    return paths
