"""The whole result as one JSON document."""

import math
from collections.abc import Iterable, Sequence
from typing import IO

import numpy as np
import orjson

from factable.report.rows import finding_object
from factable.run.collect import Result
from factable.types import Finding, Scores

ARRAYS = orjson.OPT_SERIALIZE_NUMPY
FINDINGS_AT_ONCE = 4096


def write_json(result: Result, stream: IO[bytes]) -> None:
    """`{"examples": N, "metrics": [{spec, signature, corpus, values, parts, findings, unscored}]}`.

    Written piece by piece, so that the text of a million values is never held at once.
    """
    stream.write(b'{"examples":%d,"metrics":[' % len(result.system_of))
    for number, scores in enumerate(result.scores):
        stream.write(b"," if number else b"")
        _write_scores(scores, stream)
    stream.write(b"]}\n")


def _write_scores(scores: Scores, stream: IO[bytes]) -> None:
    head = {
        "spec": scores.metric,
        "signature": scores.signature,
        "corpus": scores.corpus,
        "corpus_parts": dict(scores.corpus_parts),
    }
    stream.write(orjson.dumps(head)[:-1])
    stream.write(b',"values":')
    stream.write(_dump_array(scores.values))
    stream.write(b',"parts":{')
    for number, (name, part) in enumerate(scores.parts.items()):
        stream.write(b"," if number else b"")
        stream.write(orjson.dumps(name) + b":")
        stream.write(_dump_array(part))
    stream.write(b'},"findings":[')
    for number, chunk in enumerate(_chunks(scores.findings)):
        stream.write(b"," if number else b"")
        stream.write(orjson.dumps([[finding_object(f) for f in found] for found in chunk])[1:-1])
    stream.write(b'],"unscored":%d}' % sum(map(math.isnan, scores.values)))


def _dump_array(values: Sequence[float]) -> bytes:
    # NaN becomes null.
    return orjson.dumps(np.frombuffer(values), option=ARRAYS)  # type: ignore[call-overload]


def _chunks(findings: Sequence[tuple[Finding, ...]]) -> Iterable[Sequence[tuple[Finding, ...]]]:
    for start in range(0, len(findings), FINDINGS_AT_ONCE):
        yield findings[start : start + FINDINGS_AT_ONCE]
