"""What metrics say about the examples of an index: numbers in memory, findings in a temporary file."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.core.metric import Metric, part_heads
from factable.core.results import VALUE, Scores
from factable.core.signature import spec
from factable.errors import UsageError
from factable.io.faults import Faults, Malformed, shorten
from factable.io.objects import open_objects
from factable.serve.corpus.compact import KINDS, NUMBER_OF, page_findings
from factable.serve.corpus.index import Index, LineReader
from factable.serve.metrics import parse_known
from factable.types import ERRORS, Example, Finding

Column = NDArray[np.float64]
Rows = NDArray[np.int64]
# A text has an error if the part of that name is above this.
ERROR_ABOVE = 0.5


class FindingsFile:
    """Findings of any examples, as JSON; memory holds where those of each are."""

    def __init__(self, examples: int) -> None:
        self._file = TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._starts = np.full(examples, -1, dtype=np.int64)
        self._sizes = np.zeros(examples, dtype=np.uint32)
        self._end = 0
        self._lock = threading.Lock()

    def write(self, row: int, content: bytes) -> None:
        """Keep the findings of one example; nothing happens once the file is closed."""
        with self._lock:
            if self._file.closed:
                return
            self._file.seek(self._end)
            self._file.write(content)
            self._starts[row], self._sizes[row] = self._end, len(content)
            self._end += len(content)

    def read(self, row: int) -> bytes:
        """The findings of one example, an empty list if there are none."""
        with self._lock:
            if self._starts[row] < 0 or self._file.closed:
                return b"[]"
            self._file.seek(self._starts[row])
            return self._file.read(self._sizes[row])

    def close(self) -> None:
        """Delete the file."""
        with self._lock:
            self._file.close()


@dataclass(slots=True)
class MetricScores:
    """One metric: its value and parts for every example, NaN where unknown, and which kinds of findings."""

    metric: Metric
    signature: str
    columns: Mapping[str, Column]
    kinds: NDArray[np.uint8]
    findings: FindingsFile = field(repr=False)

    @classmethod
    def empty(cls, metric: Metric, examples: int) -> "MetricScores":
        """Nothing yet."""
        columns = {name: np.full(examples, np.nan) for name in (VALUE, *metric.parts)}
        kinds = np.zeros(examples, dtype=np.uint8)
        return cls(metric, "", columns, kinds, FindingsFile(examples))

    @property
    def spec(self) -> str:
        """The spec of the metric, by which it is chosen."""
        return spec(self.metric)

    def about(self) -> dict[str, object]:
        """What a page needs to know of the metric."""
        return {
            "spec": self.spec,
            "name": self.metric.name,
            "better": "higher" if self.metric.higher_is_better else "lower",
            "parts": self.metric.parts,
            "heads": part_heads(self.metric),
            "signature": self.signature,
            "labels": self.gives_labels(),
        }

    def gives_labels(self) -> bool:
        """Whether the metric says what is wrong with a text."""
        return {ERRORS[0], ERRORS[2]} <= {*self.metric.parts}

    def label(self, row: int) -> str:
        """OK, or what is wrong with one text; empty where the metric does not say."""
        if not self.gives_labels() or np.isnan(self.columns[VALUE][row]):
            return ""
        errors = [e for e in ERRORS if e in self.columns and self.columns[e][row] > ERROR_ABOVE]
        return "+".join(errors) or "OK"

    def with_kind(self, kind: str) -> NDArray[np.bool_]:
        """Which examples have a finding of a kind, or an error (`label:omission`), or none (`label:OK`)."""
        known = ~np.isnan(self.columns[VALUE])
        if kind.startswith("label:"):
            wrong = {e: self.columns[e] > ERROR_ABOVE for e in ERRORS if e in self.columns}
            name = kind.removeprefix("label:")
            if name in wrong:
                return wrong[name]
            return known & ~np.any(list(wrong.values()), axis=0) if wrong else known & False
        if kind in NUMBER_OF:
            found: NDArray[np.bool_] = (self.kinds >> np.uint8(NUMBER_OF[kind]) & 1).astype(bool)
            return found
        raise UsageError(f"no kind {kind!r}; kinds are {', '.join(KINDS)}, or label:OK and so on")

    def write(self, row: int, numbers: Mapping[str, float], kinds: int, findings: bytes) -> None:
        """Keep all about one example."""
        for name, number in numbers.items():
            if name in self.columns:
                self.columns[name][row] = number
        self.kinds[row] = kinds
        self.findings.write(row, findings)


def finding_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """For each example a byte with the kinds of findings, and the findings as JSON; made by workers."""
    (piece,) = pieces
    return [
        bytes([kinds_in(piece.findings[row])])
        + orjson.dumps(page_findings(piece.findings[row], example.text))
        for row, example in enumerate(examples)
    ]


def kinds_in(findings: Sequence[Finding]) -> int:
    """A bit for each kind that occurs."""
    kinds = 0
    for finding in findings:
        kinds |= 1 << NUMBER_OF[finding.kind]
    return kinds


def load_results(index: Index, reader: LineReader) -> dict[str, MetricScores]:
    """The scores in the files of results that go with an index, by spec; problems become its faults."""
    loaded: dict[str, MetricScores] = {}
    if not index.results:
        return loaded
    find = _row_finder(index)
    for path in index.results:
        faults = Faults(skip_bad=True)
        unknown = 0
        for _, (item, system, metrics) in open_objects(path, _make_result, faults)[1]:
            row = find(item, system)
            if row is None:
                unknown += 1
                continue
            for name, fields in metrics.items():
                if name not in loaded:
                    loaded[name] = MetricScores.empty(parse_known(name), len(index))
                _write_result(loaded[name], row, fields, reader)
        for fault in faults.pop_all():
            index.refuse(*fault)
        if unknown:
            problem = f"{unknown} scores are of texts that no file has"
            index.refuse(path, None, problem, "open the file of the texts, too")
    return loaded


def _row_finder(index: Index) -> Callable[[str, str], int | None]:
    """A function from item and system to the row of the example."""
    keys = _keys(np.frombuffer(index.item_of, np.int64), np.frombuffer(index.system_of, np.uint32))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]

    def find(item: str, system: str) -> int | None:
        number = index.systems.get(system)
        if number is None:
            return None
        key = _keys(np.array([hash(item)]), np.array([number], np.uint32))[0]
        position = int(np.searchsorted(keys, key))
        return int(order[position]) if position < len(keys) and keys[position] == key else None

    return find


def _keys(items: NDArray[np.int64], systems: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Item and system as one number."""
    keys: NDArray[np.int64] = items ^ (systems.astype(np.int64) + 1) * np.int64(0x1E3779B97F4A7C15)
    return keys


Result = tuple[str, str, dict[str, dict[str, Any]]]


def _make_result(fields: object, number: int) -> Result:
    """A line of `factable score --format jsonl`."""
    metrics = fields.get("metrics") if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or not isinstance(metrics, dict):
        raise Malformed('no "metrics"', "give lines as factable score --format jsonl writes them")
    for name, result in metrics.items():
        if not isinstance(result, dict) or not isinstance(result.get("value"), int | float | None):
            raise Malformed(f"no value of {shorten(name)}", "give the file as factable score writes it")
        try:
            parse_known(name)
        except UsageError as error:
            raise Malformed(f"metric {shorten(name)} is unknown ({error})", "score the texts again") from None
    return str(fields.get("id", number)), str(fields.get("system") or ""), metrics


def _write_result(scores: MetricScores, row: int, result: Mapping[str, Any], reader: LineReader) -> None:
    numbers = {VALUE: result.get("value"), **(result.get("parts") or {})}
    findings = list(_findings_in(result))
    text = reader.example(row).text if findings else ""
    scores.write(
        row,
        {name: number for name, number in numbers.items() if isinstance(number, int | float)},
        kinds_in(findings),
        orjson.dumps(page_findings(findings, text)),
    )


def _findings_in(result: Mapping[str, Any]) -> Iterator[Finding]:
    """The facts and claims of a result, as findings."""
    for record, fact in enumerate(result.get("facts") or ()):
        for span in fact.get("spans") or (None,):
            yield Finding(
                fact["state"], record, tuple(span) if span else None, fact.get("probability"), fact["note"]
            )
    for claim in result.get("claims") or ():
        span = tuple(claim["span"]) if claim.get("span") else None
        yield Finding(claim["state"], None, span, claim.get("probability"), claim["note"])
    if result.get("reason"):
        yield Finding("unscored", note=result["reason"])
