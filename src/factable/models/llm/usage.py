"""What answers cost: tokens, money and time of a run over all its processes, and the budget that ends it."""

import os
import re
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import orjson

from factable.errors import UsageError

BUDGET_VARIABLE = "FACTABLE_JUDGE_BUDGET"
# Names the file in which the processes of a run note what they use.
USAGE_VARIABLE = "FACTABLE_JUDGE_USAGE"
PER_PRICE = 1_000_000
_BUDGET = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(tokens?)?\s*")
_PRICES = re.compile(r"\s*(\d+(?:\.\d+)?)\s*,\s*(\d+(?:\.\d+)?)\s*")


class Prices(NamedTuple):
    """What a million tokens cost, read and written."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / PER_PRICE


def parse_prices(text: str) -> Prices | None:
    """Prices such as `0.15,0.60`; none for an empty text, None for one that cannot be read."""
    if not text.strip():
        return Prices()
    match = _PRICES.fullmatch(text)
    return Prices(float(match[1]), float(match[2])) if match else None


class Budget(NamedTuple):
    """The most that a run may use, in money or in tokens."""

    limit: float
    in_tokens: bool

    def __str__(self) -> str:
        return f"{self.limit:g} tokens" if self.in_tokens else f"{self.limit:g}"


def parse_budget(text: str) -> Budget | None:
    """A budget such as `2.50` (money) or `500000 tokens`; None for an empty text."""
    if not text.strip():
        return None
    match = _BUDGET.fullmatch(text)
    if not match:
        raise UsageError(
            f"`budget` is {text!r}; give money, such as 2.50, or a number of tokens: 500000 tokens"
        )
    return Budget(float(match[1]), bool(match[2]))


@dataclass(slots=True)
class Usage:
    """What was used: answers asked for, answers from the cache, tokens, money, attempts that failed, seconds.

    Tokens, money and seconds are those of asked answers; `cached_tokens`, `cached_cost` and `cached_seconds`
    those that the cache saved.
    """

    asked: int = 0
    cached: int = 0
    tokens: int = 0
    cost: float = 0.0
    failures: int = 0
    seconds: float = 0.0
    cached_tokens: int = 0
    cached_cost: float = 0.0
    cached_seconds: float = 0.0
    # What answers under way may come to use.
    reserved_tokens: int = 0
    reserved_cost: float = 0.0

    def __str__(self) -> str:
        """What was asked for and what it cost, and what the cache saved, in one line."""
        asked = f"{_answers(self.asked)}, {self.tokens:,} tokens"
        asked += f", cost {self.cost:.4g}" if self.cost else ""
        asked += f", {self.failures} failed attempts" if self.failures else ""
        saved = f"; {self.cached} from the cache" if self.cached else ""
        return asked + saved + (f", which cost {self.cached_cost:.4g}" if self.cached_cost else "")

    def add(self, other: "Usage", before: "Usage | None" = None) -> None:
        """Add what else was used, as far as it was not used before."""
        for each in fields(self):
            more = getattr(other, each.name) - (getattr(before, each.name) if before else 0)
            setattr(self, each.name, getattr(self, each.name) + more)

    def spent(self, budget: Budget) -> float:
        """What is used of a budget, with what is reserved."""
        return self.tokens + self.reserved_tokens if budget.in_tokens else self.cost + self.reserved_cost


def _answers(number: int) -> str:
    return f"{number} answer{'' if number == 1 else 's'}"


_lock = threading.Lock()
# What this process used, where no run keeps count.
_own = Usage()


class _Log:
    """The file of a run, as far as it was read."""

    def __init__(self, path: str) -> None:
        self.path, self.position, self.total = path, 0, Usage()

    def read(self) -> Usage:
        """The sum of all lines; only new ones are read."""
        try:
            with open(self.path, "rb") as file:
                file.seek(self.position)
                content = file.read()
        except FileNotFoundError:
            # Nothing was used yet.
            return self.total
        whole = content.rfind(b"\n") + 1
        self.position += whole
        for line in content[:whole].splitlines():
            self.total.add(Usage(**orjson.loads(line)))
        return self.total


_logs: dict[str, _Log] = {}


def note_usage(usage: Usage) -> None:
    """Count what was used."""
    path = os.environ.get(USAGE_VARIABLE, "")
    with _lock:
        if not path:
            _own.add(usage)
            return
        used = {each.name: value for each in fields(usage) if (value := getattr(usage, each.name))}
        # One write of one line, so that lines of several processes do not mix.
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, orjson.dumps(used) + b"\n")
        finally:
            os.close(descriptor)


def usage_so_far() -> Usage:
    """What the run has used so far in all its processes; outside a run, what this process has used."""
    path = os.environ.get(USAGE_VARIABLE, "")
    with _lock:
        return _logs.setdefault(path, _Log(path)).read() if path else _own


@contextmanager
def track_usage(budget: str = "") -> Iterator[Usage]:
    """Inside the `with` usage is counted over all processes that are started in it; afterwards it is known.

    `budget` holds inside; an empty one leaves that of the environment.
    """
    parse_budget(budget)
    if os.environ.get(USAGE_VARIABLE) and not budget:
        # Part of a run that keeps count already.
        usage = Usage()
        earlier = replace(usage_so_far())
        try:
            yield usage
        finally:
            usage.add(usage_so_far(), earlier)
        return
    before = {name: os.environ.get(name) for name in (USAGE_VARIABLE, BUDGET_VARIABLE)}
    usage = Usage()
    # Made with the first answer; most runs ask no judge.
    path = os.path.join(tempfile.gettempdir(), f"factable-usage-{os.getpid()}-{secrets.token_hex(8)}")
    os.environ[USAGE_VARIABLE] = path
    if budget:
        os.environ[BUDGET_VARIABLE] = budget
    try:
        yield usage
    finally:
        usage.add(usage_so_far())
        _logs.pop(path, None)
        with suppress(FileNotFoundError):
            os.remove(path)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def reserve(tokens_in: int, tokens_out: int, prices: Prices) -> Usage:
    """Set aside what an answer may use at most; refused where the budget does not have it."""
    budget = parse_budget(os.environ.get(BUDGET_VARIABLE, ""))
    upper = Usage(reserved_tokens=tokens_in + tokens_out, reserved_cost=prices.cost(tokens_in, tokens_out))
    if budget is None:
        return Usage()
    if not budget.in_tokens and not any(prices):
        raise UsageError(f"`budget` of {budget} is money, but there are no prices; give the judge `prices`")
    if usage_so_far().spent(budget) + upper.spent(budget) > budget.limit:
        used = usage_so_far()
        spent = f"{used.asked} answers, {used.tokens:,} tokens, {used.cost:g} spent"
        raise UsageError(
            f"`budget` of {budget} does not last for the next answer ({spent}); raise it: what was answered "
            "is in the cache"
        )
    note_usage(upper)
    return Usage(reserved_tokens=-upper.reserved_tokens, reserved_cost=-upper.reserved_cost)
