"""The open files as one list: filtered, searched, sorted, a page at a time."""

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.core.metric import Metric
from factable.core.results import VALUE
from factable.errors import FactableError, UsageError
from factable.serve.corpus.compact import page_data
from factable.serve.corpus.index import Index, LineReader, build_index, find_files
from factable.serve.corpus.rescoring import Job, Rescoring
from factable.serve.corpus.scores import Column, MetricScores, Rows, load_results
from factable.types import Example

MAX_ROWS = 200
MAX_EXCERPT = 240
MAX_WORDS = 500
SELECTIONS_KEPT = 16
ORDER = "order"
RATING = "human."


class NotReadyError(FactableError):
    """The files are still being read."""


@dataclass(frozen=True, slots=True)
class Query:
    """Which examples, and in which order; `sort` is `order`, `human.NAME`, a spec, or `spec.part`.

    `backwards` begins with the best or last instead of the worst or first. `low` and `high` limit what is
    sorted by; `kind` is one of findings, or of labels, of the metric `judge`.
    """

    words: str = ""
    system: str | None = None
    judge: str = ""
    kind: str = ""
    sort: str = ORDER
    backwards: bool = False
    low: float | None = None
    high: float | None = None


class Corpus:
    """Files named on the command line; reading them begins at once, in a thread."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = tuple(paths)
        find_files(self._paths)
        self._folder = tempfile.TemporaryDirectory(prefix="factable-")
        self._lock = threading.Lock()
        self._index: Index | None = None
        self._reader: LineReader | None = None
        self._reading: threading.Thread | None = None
        self._read_bytes = (0, 0)
        self._selections: OrderedDict[tuple[object, ...], Rows] = OrderedDict()
        self.scores: dict[str, MetricScores] = {}
        self.rescoring = Rescoring()
        # Pages notice by it that files have changed.
        self.generation = 0
        self.problem = ""

    def close(self) -> None:
        """Stop all work and delete temporary files."""
        self.rescoring.close()
        if self._reading is not None:
            self._reading.join()
        self._forget()
        self._folder.cleanup()

    def open(self) -> None:
        """Read the files in the background, unless that goes on; again if they have changed."""
        with self._lock:
            busy = self._reading is not None and self._reading.is_alive()
            if busy or (self._index is not None and self._index.is_current()):
                return
            self._reading = threading.Thread(target=self._read, name="corpus", daemon=True)
            self._reading.start()

    def _read(self) -> None:
        def tell(done: int, total: int) -> None:
            self._read_bytes = done, total

        try:
            folder = Path(self._folder.name) / str(self.generation + 1)
            folder.mkdir(exist_ok=True)
            index = build_index(find_files(self._paths), folder, tell=tell)
            reader = LineReader(index)
            scores = load_results(index, reader)
        except (FactableError, OSError) as error:
            self.problem = str(error)
            return
        with self._lock:
            # Jobs score files that are no longer what they were.
            self.rescoring.cancel_all()
            self._forget()
            self._index, self._reader, self.scores = index, reader, scores
            self.generation += 1
            self.problem = ""

    def _forget(self) -> None:
        if self._reader is not None:
            self._reader.close()
        for scores in self.scores.values():
            scores.findings.close()
        self._selections.clear()

    def wait(self) -> None:
        """Return when the files are read."""
        self.open()
        if self._reading is not None:
            self._reading.join()

    def ready(self) -> tuple[Index, LineReader]:
        """The index, or NotReadyError."""
        self.open()
        if self._index is None or self._reader is None:
            raise NotReadyError(self.problem or "the files are being read")
        return self._index, self._reader

    def about(self) -> dict[str, object]:
        """What a page needs to know before it lists anything."""
        self.open()
        index = self._index
        if index is None:
            done, total = self._read_bytes
            return {"ready": False, "done": done, "total": total, "problem": self.problem}
        return {
            "ready": True,
            "generation": self.generation,
            "files": index.names,
            "examples": len(index),
            "bad": index.bad,
            "faults": list(map(str, index.faults)),
            "systems": list(index.systems),
            "ratings": list(index.ratings),
            "metrics": [scores.about() for scores in self.scores.values()],
            "jobs": [job.to_object() for job in self.rescoring.jobs.values()],
        }

    def rescore(self, metric: Metric) -> Job:
        """Score everything with a metric; its scores can be listed from now on."""
        index, _ = self.ready()
        return self.rescoring.start(index, metric, on_start=self._keep, on_end=self._drop_empty)

    def _keep(self, job: Job) -> None:
        replaced = self.scores.get(job.scores.spec)
        if replaced is not None:
            replaced.findings.close()
        self.scores[job.scores.spec] = job.scores

    def _drop_empty(self, job: Job) -> None:
        """Forget a metric that scored nothing."""
        name = job.scores.spec
        if not job.scored and self.scores.get(name) is job.scores:
            del self.scores[name]
        if not job.scored:
            job.scores.findings.close()

    def select(self, query: Query) -> Rows:
        """The rows that a query lets through, in its order."""
        index, reader = self.ready()
        busy = self.rescoring.is_busy()
        key = (self.generation, query)
        if not busy and key in self._selections:
            self._selections.move_to_end(key)
            return self._selections[key]
        chosen = self._filter(index, query)
        column = self._sort_column(index, query.sort)
        if column is not None:
            if query.low is not None:
                chosen &= column >= query.low
            if query.high is not None:
                chosen &= column <= query.high
        rows = np.flatnonzero(chosen)
        if query.words.strip():
            rows = self._search(index, reader, rows, query.words)
        rows = self._sorted(rows, column, query)
        if not busy:
            self._selections[key] = rows
            while len(self._selections) > SELECTIONS_KEPT:
                self._selections.popitem(last=False)
        return rows

    def _filter(self, index: Index, query: Query) -> NDArray[np.bool_]:
        chosen = np.ones(len(index), dtype=bool)
        if query.system is not None:
            number = index.systems.get(query.system, -1)
            chosen &= np.frombuffer(index.system_of, np.uint32) == number
        if query.kind:
            chosen &= self._scores(query.judge).with_kind(query.kind)
        return chosen

    def _scores(self, name: str) -> MetricScores:
        if name not in self.scores:
            raise UsageError(f"no scores of {name!r}; score the texts with it first")
        return self.scores[name]

    def _sort_column(self, index: Index, sort: str) -> Column | None:
        if sort == ORDER:
            return None
        if sort.startswith(RATING):
            name = sort.removeprefix(RATING)
            if name not in index.ratings:
                raise UsageError(f"no rating {name!r}")
            return index.column(name)
        if sort in self.scores:
            return self.scores[sort].columns[VALUE]
        name, _, part = sort.rpartition(".")
        columns = self._scores(name or sort).columns
        if part not in columns:
            raise UsageError(f"{name} has no part {part!r}")
        return columns[part]

    def _sorted(self, rows: Rows, column: Column | None, query: Query) -> Rows:
        if column is None:
            return rows[::-1] if query.backwards else rows
        values = column[rows]
        worst_first = 1.0
        if query.sort in self.scores and not self.scores[query.sort].metric.higher_is_better:
            worst_first = -1.0
        # NaN sorts last either way, and equal values stay in the order of the files.
        return rows[np.argsort(worst_first * (-values if query.backwards else values), kind="stable")]

    def _search(self, index: Index, reader: LineReader, rows: Rows, words: str) -> Rows:
        wanted = words[:MAX_WORDS].casefold().split()
        systems = list(index.systems)
        found = []
        for row in rows.tolist():
            names = (str(index.line_of[row]), systems[index.system_of[row]])
            if _line_matches(reader.line(row), wanted, names):
                found.append(row)
        return np.array(found, dtype=np.int64)

    def page(self, query: Query, first: int, count: int) -> dict[str, object]:
        """Some rows of the list, and how many there are in all."""
        index, reader = self.ready()
        rows = self.select(query)
        systems = list(index.systems)
        judge = self.scores.get(query.judge)
        column = self._sort_column(index, query.sort)
        if column is None and judge is not None:
            column = judge.columns[VALUE]
        shown = rows[first : first + min(count, MAX_ROWS)].tolist()
        return {
            "generation": self.generation,
            "total": len(rows),
            "first": first,
            "rows": [_row(index, reader, row, systems, column, judge) for row in shown],
        }

    def example(self, row: int) -> dict[str, object]:
        """All about one example and the texts of other systems for the same item."""
        index, reader = self.ready()
        if not 0 <= row < len(index):
            raise UsageError(f"no example {row}")
        same = np.flatnonzero(np.frombuffer(index.item_of, np.int64) == index.item_of[row])
        rows = [row, *(other for other in same.tolist()[:MAX_ROWS] if other != row)]
        examples = {number: reader.example(number) for number in rows}
        item = examples[row].item
        return {
            "generation": self.generation,
            "item": item,
            "examples": [
                self._full(number, example) for number, example in examples.items() if example.item == item
            ],
        }

    def _full(self, row: int, example: Example) -> dict[str, object]:
        title, records, references = page_data(example.table, example.references)
        return {
            "row": row,
            "system": example.system,
            "text": example.text,
            "title": title,
            "records": records,
            "references": references,
            "ratings": dict(example.human),
            "metrics": [
                {
                    "spec": scores.spec,
                    "numbers": [_number(column[row]) for column in scores.columns.values()],
                    "label": scores.label(row),
                    "findings": orjson.loads(scores.findings.read(row)),
                }
                for scores in self.scores.values()
            ],
        }

    def examples(self, query: Query) -> Iterator[Example]:
        """All examples that a query lets through, for a campaign."""
        _, reader = self.ready()
        for row in self.select(query).tolist():
            yield reader.example(row)


def _row(
    index: Index,
    reader: LineReader,
    row: int,
    systems: Sequence[str],
    column: Column | None,
    judge: MetricScores | None,
) -> dict[str, object]:
    """A row of the list, with the value that it is sorted by."""
    fields = orjson.loads(reader.line(row))
    return {
        "row": row,
        "item": str(fields.get("id", index.line_of[row])),
        "system": systems[index.system_of[row]],
        "excerpt": fields["text"][:MAX_EXCERPT],
        "value": None if column is None else _number(column[row]),
        "label": judge.label(row) if judge else "",
        "kinds": int(judge.kinds[row]) if judge else 0,
    }


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _line_matches(line: bytes, wanted: Sequence[str], names: tuple[str, str]) -> bool:
    """Whether all words occur in the values of a line; most lines are refused without being parsed.

    `names` are what stands in for a missing id, and the system.
    """
    if b"\\u" not in line:
        plain = "\n".join((line.decode("utf-8", "replace"), *names)).casefold()
        # A quotation mark is written otherwise in JSON; other words are as they are.
        if not all(word in plain or '"' in word or "\\" in word for word in wanted):
            return False
    fields = orjson.loads(line)
    haystack = "\n".join((str(fields.get("id", names[0])), names[1], *_strings(fields))).casefold()
    return all(word in haystack for word in wanted)


def _strings(value: Any) -> Iterator[str]:
    """All strings and numbers in a JSON value; names of the outermost fields do not count."""
    waiting = [value.get(name) for name in ("text", "title", "subject", "data", "references")]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [*each, *each.values()]
        elif isinstance(each, list):
            waiting += each
        elif each is not None:
            yield str(each)
