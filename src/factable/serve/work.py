"""What a worker process does: checks and lines of many clients at once, an answer for each."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import orjson

from factable.core.signature import sign
from factable.engine.plan import Batch, Plan, read_unit, score_unit
from factable.engine.score import parse_all
from factable.errors import FactableError, Fault, UsageError
from factable.io.blocks import Block
from factable.metrics.ledger.metric import Ledger, LedgerOptions, example_of
from factable.metrics.tables import NO_FACTS
from factable.report.scores import jsonl_rows
from factable.types import Example

# How a line of a request is called in messages.
SOURCE = "line"


class Check(NamedTuple):
    """One text to check; `options` are parameters of the ledger."""

    data: object
    text: str
    subject: str = ""
    title: str = ""
    options: tuple[tuple[str, object], ...] = ()

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return 1

    @property
    def group(self) -> object:
        """What tasks have in common that can be done at once."""
        return self.options

    def pieces(self) -> Sequence["Check"]:
        """The parts that can be done on their own."""
        return [self]


class Lines(NamedTuple):
    """Some JSON lines to score, the first of which has this number; `texts` is how many there are."""

    first: int
    lines: bytes
    texts: int
    metrics: tuple[str, ...]
    explain: bool = False

    @property
    def group(self) -> object:
        """What tasks have in common that can be done at once."""
        return self.metrics, self.explain

    def pieces(self) -> Sequence["Lines"]:
        """The parts that can be done on their own: single lines."""
        lines = enumerate(self.lines.split(b"\n"), self.first)
        return [self._replace(first=number, lines=line, texts=1) for number, line in lines if line.strip()]


Task = Check | Lines
Answer = bytes | FactableError


def work(tasks: Sequence[Task]) -> list[Answer]:
    """The answers to tasks, in order: JSON, or an error that is the caller's own."""
    groups: dict[object, list[int]] = {}
    for index, task in enumerate(tasks):
        groups.setdefault((type(task), task.group), []).append(index)
    answers: dict[int, Answer] = {}
    for indices in groups.values():
        members = [tasks[index] for index in indices]
        answers |= zip(indices, _answer_group(members), strict=True)
    return [answers[index] for index in range(len(tasks))]


def _answer_group(tasks: Sequence[Task]) -> Sequence[Answer]:
    checks = [task for task in tasks if isinstance(task, Check)]
    lines = [task for task in tasks if isinstance(task, Lines)]
    try:
        return _check(checks) if checks else _score(lines)
    except FactableError as error:
        return [error] * len(tasks)


def _check(tasks: Sequence[Check]) -> list[Answer]:
    """Verdicts on texts that are checked with the same parameters."""
    options: LedgerOptions = dict(tasks[0].options)  # type: ignore[assignment]
    metric = Ledger(**options)
    made = [_example(metric, task) for task in tasks]
    examples = [example for example in made if isinstance(example, Example)]
    verdicts = iter(metric.verdicts(examples))
    signature = sign(metric)
    answers: list[Answer] = []
    for each in made:
        if isinstance(each, FactableError):
            answers.append(each)
            continue
        verdict = next(verdicts)
        document = {**verdict.to_dict(), "signature": signature}
        problem = UsageError(f"data: {NO_FACTS}; give the facts the text was written from")
        answers.append(orjson.dumps(document) if verdict.facts else problem)
    return answers


def _example(metric: Ledger, task: Check) -> Example | FactableError:
    try:
        return example_of(metric, task.data, task.text, subject=task.subject, title=task.title)
    except FactableError as error:
        return error


def _score(tasks: Sequence[Lines]) -> list[Answer]:
    """Lines that are scored with the same metrics; a bad line gets a line that says why."""
    plan = _plan(tasks[0].metrics, tasks[0].explain)
    batches = [read_unit(Block(SOURCE, task.first, task.lines, len(task.lines))) for task in tasks]
    examples = list(chain.from_iterable(batch.examples for batch in batches))
    scored = score_unit(plan, Batch(SOURCE, "line", range(len(examples)), examples, []))
    rows = iter(scored.rows)
    return [b"".join(_in_order(batch, rows)) for batch in batches]


@lru_cache(maxsize=64)
def _plan(specs: tuple[str, ...], explain: bool) -> Plan:
    metrics = tuple(parse_all(specs))
    states = tuple(metric.load_state() for metric in metrics)
    return Plan(metrics, explain, render=jsonl_rows, states=states)


def _in_order(batch: Batch, rows: Iterator[bytes]) -> Iterator[bytes]:
    """The rows of scored lines and the faults of others, by line."""
    by_line = {line: next(rows) for line in batch.lines}
    by_line |= {fault.line or 0: error_row(fault.line or 0, _words(fault)) for fault in batch.faults}
    for _, row in sorted(by_line.items()):
        yield row


def _words(fault: Fault) -> str:
    return str(fault).partition(": ")[2]


def error_row(line: int, problem: str) -> bytes:
    """A line of output in place of one that cannot be scored."""
    return orjson.dumps({"line": line, "error": problem}) + b"\n"
