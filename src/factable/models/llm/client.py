"""Many questions to a served model: several at a time, patiently, and none twice."""

import hashlib
import random
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import NamedTuple

import orjson

from factable.errors import FactableWarning, ServerError, UsageError, in_one_line
from factable.models.llm.completions import FINISHES, BadReplyError, Completion, read_completion
from factable.models.llm.endpoint import Endpoint, Question, Sampling, refused_field
from factable.models.llm.limits import Limits
from factable.models.llm.transport import (
    BrokenConnectionError,
    HugeReplyError,
    OpenSockets,
    Reply,
    UnreachableError,
    post,
)
from factable.models.llm.usage import Prices, Usage, note_usage, reserve
from factable.models.runtime.cache import cache_file, cache_key, get, put, replace_surrogates
from factable.models.runtime.progress import count_steps

CACHE_KIND = "judge"
# Waiting doubles from the first to the longest; a server may ask for a longer one.
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
LONGEST_PAUSE = 300.0
# A server that is not there is more likely not started than busy.
UNREACHABLE_RETRIES = 2
# After so many questions in a row without an answer the server is taken to be down.
MAX_FAILED_IN_A_ROW = 5
# What a budget sets aside for a question; most tokens have about four bytes.
BYTES_PER_TOKEN = 2
NOT_THIS_WAY = (401, 403, 404, 405, 407)
BUSY = (408, 425, 429)
MESSAGE_BYTES = 4000
# Fields without which the answers may be others.
_TELLING = {"temperature": "its own temperature", "seed": "its own seed"}


class Failure(NamedTuple):
    """Why a question has no answer."""

    reason: str


class Answer(NamedTuple):
    """An answer and the seconds it took."""

    completion: Completion
    seconds: float


Save = Callable[[Question, Answer], None]


def ask(
    endpoint: Endpoint, sampling: Sampling, prices: Prices, questions: Sequence[Question]
) -> list[Answer | Failure]:
    """The answer to each question, from the cache or from the server.

    A question that the server fails to answer, or refuses, is a failure; a server that cannot be used at all
    is a ServerError. Every answer is cached at once, so that a run that stops has lost none.
    """
    clean = [
        each._replace(system=replace_surrogates(each.system), user=replace_surrogates(each.user))
        for each in questions
    ]
    identity = _identity(endpoint, sampling)
    keys = {each: cache_key(identity, (*each[:3], str(each.seed))) for each in dict.fromkeys(clean)}
    path = cache_file(CACHE_KIND)
    stored = get(path, list(keys.values()), _is_answer) if path else {}
    known: dict[Question, Answer | Failure] = {
        question: _unpack(stored[key]) for question, key in keys.items() if key in stored
    }
    for answer in known.values():
        if isinstance(answer, Answer):
            note_usage(_cached_usage(answer, prices))
    missing = [question for question in keys if question not in known]
    advance = count_steps("answers", len(missing))
    if missing:

        def save(question: Question, answer: Answer) -> None:
            if path:
                put(path, {keys[question]: _pack(answer)})

        run = _Run(endpoint, sampling, prices, Limits.of_environment(), save)
        for question, answer in run.ask_all(missing):
            known[question] = answer
            advance(1)
    return [known[question] for question in clean]


def _identity(endpoint: Endpoint, sampling: Sampling) -> str:
    content = [endpoint.url, endpoint.api, endpoint.model, *sampling]
    return hashlib.sha256(orjson.dumps(content)).hexdigest()


def _pack(answer: Answer) -> bytes:
    return orjson.dumps([*answer.completion, answer.seconds])


def _unpack(stored: bytes) -> Answer:
    *completion, seconds = orjson.loads(stored)
    return Answer(Completion(*completion), seconds)


def _is_answer(stored: bytes) -> bool:
    try:
        text, tokens_in, tokens_out, finish, seconds = orjson.loads(stored)
    except ValueError:
        return False
    numbers = (tokens_in, tokens_out, seconds)
    return isinstance(text, str) and finish in FINISHES and all(isinstance(n, int | float) for n in numbers)


def _cached_usage(answer: Answer, prices: Prices) -> Usage:
    _, tokens_in, tokens_out, _ = answer.completion
    return Usage(
        cached=1,
        cached_tokens=tokens_in + tokens_out,
        cached_cost=prices.cost(tokens_in, tokens_out),
        cached_seconds=answer.seconds,
    )


class _StoppedError(Exception):
    """Another question ended the run."""


@dataclass(slots=True)
class _Server:
    """What this process has learned of a server: fields it refuses, whether it ever answered, failures.

    `next_time` is when it may be asked again.
    """

    refused: frozenset[str] = frozenset()
    answered: bool = False
    failed_in_a_row: int = 0
    next_time: float = 0.0


# By address, format and model.
_servers: dict[tuple[str, str, str], _Server] = {}


def forget_servers() -> None:
    """Forget what was learned of servers."""
    _servers.clear()


class _Run:
    """Questions under way, in several threads."""

    def __init__(
        self, endpoint: Endpoint, sampling: Sampling, prices: Prices, limits: Limits, save: Save
    ) -> None:
        self._endpoint, self._sampling, self._prices, self._limits = endpoint, sampling, prices, limits
        self._server = _servers.setdefault((endpoint.url, endpoint.api, endpoint.model), _Server())
        self._stop = threading.Event()
        self._sockets = OpenSockets()
        self._lock = threading.Lock()
        # Until a first answer shows which fields the server takes, questions are asked one by one.
        self._first = threading.Lock()
        self._save, self._saving = save, threading.Lock()
        self._done = threading.Condition()
        self._under_way = 0

    def ask_all(self, questions: Sequence[Question]) -> Iterator[tuple[Question, Answer | Failure]]:
        """Question and answer as answers come; whatever ends the run ends all requests under way."""
        pool = ThreadPoolExecutor(min(self._limits.concurrency, len(questions)), "judge")
        futures = {pool.submit(self._ask, question): question for question in questions}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            self._stop.set()
            self._sockets.end_all()
            pool.shutdown(cancel_futures=True)

    def _ask(self, question: Question) -> Answer | Failure:
        if not self._server.answered:
            with self._first:
                if not self._server.answered:
                    return self._try(question)
        return self._try(question)

    def _try(self, question: Question) -> Answer | Failure:
        """Ask until there is an answer, or no hope of one."""
        used = self._reserve(question)
        try:
            answer = self._attempts(question, len(question.system) + len(question.user))
            if isinstance(answer, Answer):
                self._server.answered, self._server.failed_in_a_row = True, 0
                _, tokens_in, tokens_out, _ = answer.completion
                cost = self._prices.cost(tokens_in, tokens_out)
                used.add(Usage(asked=1, tokens=tokens_in + tokens_out, cost=cost, seconds=answer.seconds))
                # Here and not where answers are collected: another one may end the run before.
                with self._saving:
                    self._save(question, answer)
            return answer
        finally:
            with self._done:
                note_usage(used)
                self._under_way -= 1
                self._done.notify_all()

    def _reserve(self, question: Question) -> Usage:
        """Set aside what an answer may use; where the budget is short, once others have used less."""
        size = len(question.system.encode()) + len(question.user.encode())
        with self._done:
            while True:
                try:
                    release = reserve(size // BYTES_PER_TOKEN, self._sampling.max_tokens, self._prices)
                except UsageError:
                    if not self._under_way:
                        raise
                    self._done.wait()
                else:
                    self._under_way += 1
                    return release

    def _count_failure(self, failure: Failure) -> Failure:
        with self._lock:
            self._server.failed_in_a_row += 1
            if self._server.failed_in_a_row >= MAX_FAILED_IN_A_ROW:
                self._server.failed_in_a_row = 0
                problem = f"the last {MAX_FAILED_IN_A_ROW} texts got no answer ({failure.reason})"
                raise self._error(f"{problem}; see the server's log, then run this again")
        return failure

    def _attempts(self, question: Question, characters: int) -> Answer | Failure:
        problem, failed = "", 0
        while failed <= self._limits.retries:
            self._wait_for_turn()
            started = time.monotonic()
            body = self._endpoint.body(question, self._sampling, self._server.refused)
            try:
                with post(
                    self._endpoint.url,
                    self._endpoint.headers(),
                    body,
                    seconds=self._limits.timeout,
                    sockets=self._sockets,
                ) as reply:
                    outcome = self._read(reply, characters, body)
            except UnreachableError as error:
                problem = f"cannot be reached ({error})"
                if failed >= min(self._limits.retries, UNREACHABLE_RETRIES):
                    raise self._error(f"{problem}; start it, or check the address") from None
            except HugeReplyError as error:
                return Failure(f"the server sent {error}")
            except (BadReplyError, BrokenConnectionError) as error:
                problem = self._hide(str(error))
            else:
                if isinstance(outcome, Completion):
                    clean = outcome._replace(text=self._endpoint.hide_key(outcome.text))
                    return Answer(clean, round(time.monotonic() - started, 3))
                if isinstance(outcome, Failure):
                    return outcome
                problem = outcome
                if not problem:
                    # A field less: that is no failure.
                    continue
            failed += 1
            note_usage(Usage(failures=1))
            if failed <= self._limits.retries:
                self._wait(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (failed - 1)) * random.uniform(0.5, 1.0))  # noqa: S311
        if problem.startswith("429"):
            raise self._error(f"{problem}, {failed} times; run this again later, or set FACTABLE_JUDGE_RATE")
        return self._count_failure(Failure(f"no answer in {failed} attempts, at last: {problem}"))

    def _read(self, reply: Reply, characters: int, body: bytes) -> Completion | Failure | str:
        """The answer, or why there is none, or what may pass (empty for a request that must be changed)."""
        if reply.status == 200:
            kind = reply.headers.get("content-type", "")
            return read_completion(self._endpoint.api, kind, reply.lines(), characters)
        message = self._hide(_message(reply.start(MESSAGE_BYTES)))
        problem = f"{reply.status} {message}".strip()
        if reply.status in NOT_THIS_WAY or 300 <= reply.status < 400:
            raise self._error(f"refuses ({problem}); {self._remedy(reply.status)}")
        if reply.status in BUSY or reply.status >= 500:
            self._pause(reply.headers.get("retry-after", ""))
            # One that does not implement a field will not do so later.
            return "" if reply.status == 501 and self._drop_field(message, body) else problem
        if self._drop_field(message, body):
            return ""
        return Failure(f"the server refuses the question: {problem}")

    def _drop_field(self, message: str, body: bytes) -> bool:
        """Leave out from now on what the server does not take; whether there is such a field."""
        field = refused_field(message, body, self._server.refused)
        if field:
            self._server.refused |= {field}
            if field in _TELLING:
                warnings.warn(
                    f"{self._endpoint.url} takes no {field}; answers are written with {_TELLING[field]}",
                    FactableWarning,
                    stacklevel=2,
                )
        return bool(field)

    def _remedy(self, status: int) -> str:
        variable = self._endpoint.key_variable
        if status in (401, 403):
            has = "check" if self._endpoint.key else "set"
            return f"{has} the key in the environment variable {variable}"
        if 300 <= status < 400:
            return "give the address that it leads to"
        return "check the address and the name of the model"

    def _error(self, problem: str) -> ServerError:
        return ServerError(f"{self._endpoint.url}: {problem}")

    def _hide(self, text: str) -> str:
        return in_one_line(self._endpoint.hide_key(text))

    def _wait_for_turn(self) -> None:
        """Keep to the rate, and to pauses that the server asked for."""
        with self._lock:
            turn = max(self._server.next_time, time.monotonic())
            self._server.next_time = turn + self._limits.seconds_between
        self._wait(turn - time.monotonic())

    def _pause(self, retry_after: str) -> None:
        """Let all questions wait as long as the server asks for."""
        seconds = min(_seconds(retry_after), LONGEST_PAUSE)
        with self._lock:
            self._server.next_time = max(self._server.next_time, time.monotonic() + seconds)

    def _wait(self, seconds: float) -> None:
        if self._stop.wait(max(0.0, seconds)):
            raise _StoppedError


def _seconds(retry_after: str) -> float:
    """The seconds that a header asks to wait: a number, or a date."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0


def _message(body: str) -> str:
    """What a server says of an error: the message inside its JSON, or the text."""
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body
    error = content.get("error", content) if isinstance(content, dict) else content
    if not isinstance(error, dict):
        return str(error)
    # OpenAI names the field at fault beside the message.
    return " ".join(str(error[name]) for name in ("message", "param", "detail") if error.get(name)) or body
