"""Load test of `factable serve` on loopback, against `factable score` on the same texts.

    python benchmarks/serve.py [--texts 300] [--clients 32]

Both score the same file with the ledger and one worker, without the cache of answers. The server is asked in
two ways: by many clients that send one text at a time to /v1/check, and by one that streams the file to
/v1/score. Prints texts per second of each, the ratio to `factable score`, and the times of single requests.
A third figure is the time of one request at a time, for the verdict somebody waits for who types.

On a machine that does other work, too, the ratios say more than the times: the runs take turns.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from factable.io.data import make_table
from factable.io.examples import to_object
from factable.types import Example

ENVIRONMENT = {**os.environ, "FACTABLE_CACHE": "off", "FACTABLE_THREADS": "1"}
COMMAND = [sys.executable, "-m", "factable"]
NAMES = ("Blue Spice", "The Mill", "Aromi", "Cotto", "The Punter", "Zizzi", "Giraffe", "Strada")
FOODS = ("Italian", "Indian", "French", "Chinese", "English", "Japanese")
AREAS = ("riverside", "city centre")


def make_examples(number: int) -> list[Example]:
    """Texts about restaurants, no two alike, half of them with something wrong."""
    made = []
    for index in range(number):
        name, food, area = NAMES[index % 8], FOODS[index % 6], AREAS[index % 2]
        data = f"name[{name}], eatType[pub], food[{food}], area[{area}], customer rating[{index} out of 900]"
        said = food if index % 4 < 2 else FOODS[(index + 1) % 6]
        text = f"{name} is a pub in the {area} that serves {said} food and is rated {index} out of 900."
        made.append(Example(str(index), "", text, make_table(data)))
    return made


def time_score(path: Path) -> float:
    """Seconds that `factable score` takes, without starting and loading models: measured, and taken off."""

    def run(file: Path) -> float:
        started = time.perf_counter()
        command = [*COMMAND, "score", str(file), "-m", "ledger", "--format", "jsonl", "--quiet"]
        subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - started

    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first.jsonl"
        first.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        return run(path) - run(first)


@contextmanager
def server() -> Iterator[HTTPConnection]:
    """A server that has loaded its models."""
    command = [*COMMAND, "serve", "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        port = int(re.search(r":(\d+) ", process.stderr.readline())[1])  # type: ignore[index]
        connection = HTTPConnection("127.0.0.1", port, timeout=600)
        while not json.loads(_get(connection, "/healthz"))["ok"]:
            time.sleep(0.1)
        yield connection
        process.terminate()


def _get(connection: HTTPConnection, path: str) -> bytes:
    connection.request("GET", path)
    return connection.getresponse().read()


def post(connection: HTTPConnection, path: str, body: bytes, media_type: str) -> bytes:
    """The body of the answer to a request."""
    connection.request("POST", path, body, {"Content-Type": media_type})
    answer = connection.getresponse()
    content = answer.read()
    assert answer.status == 200, content
    return content


def time_checks(port: int, bodies: Sequence[bytes], clients: int) -> tuple[float, list[float]]:
    """Seconds that clients take for all texts, one at a time each, and those of every request."""
    left = iter(bodies)
    lock, times = threading.Lock(), []

    def ask() -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=600)
        while True:
            with lock:
                body = next(left, None)
            if body is None:
                return
            started = time.perf_counter()
            post(connection, "/v1/check", body, "application/json")
            times.append(time.perf_counter() - started)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    seconds = timed(lambda: [[thread.start() for thread in threads], [thread.join() for thread in threads]])
    return seconds, sorted(times)


def timed(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


class Round(NamedTuple):
    """Texts per second of each, and the sorted times of single requests."""

    score: float
    stream: float
    checks: float
    times: list[float]

    def __str__(self) -> str:
        p50, p99 = (1000 * self.times[int(share * len(self.times))] for share in (0.5, 0.99))
        speeds = f"factable score {self.score:.1f} texts/s, /v1/score {self.stream:.1f}, /v1/check {self.checks:.1f}"
        return f"{speeds} (p50 {p50:.0f} ms, p99 {p99:.0f} ms)"


def measure(connection: HTTPConnection, objects: Sequence[dict[str, object]], clients: int) -> Round:
    """Score the same texts in each way."""
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in objects)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        path.write_bytes(lines)
        alone = time_score(path)
    stream = timed(lambda: post(connection, "/v1/score?metric=ledger", lines, "application/x-ndjson"))
    # The worker keeps answers of its models in memory: other texts, so that they are asked again.
    checks, times = time_checks(
        connection.port, [body.replace(b" pub", b" bar") for body in bodies_of(objects)], clients
    )
    number = len(objects)
    return Round(number / alone, number / stream, number / checks, times)


def bodies_of(objects: Sequence[dict[str, object]]) -> list[bytes]:
    """A request to check each text."""
    return [json.dumps({"data": each["data"], "text": each["text"]}).encode() for each in objects]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    objects = [to_object(example) for example in make_examples(options.texts * (options.rounds + 1))]
    rounds = []
    with server() as connection:
        for turn in range(options.rounds):
            part = objects[turn * options.texts : (turn + 1) * options.texts]
            rounds.append(measure(connection, part, options.clients))
            print(f"round {turn + 1}: {rounds[-1]}", flush=True)
        _, times = time_checks(connection.port, bodies_of(objects[-50:]), 1)
        print(f"one request at a time: median {1000 * statistics.median(times):.0f} ms")
    for name, ratios in (
        ("/v1/score", [each.stream / each.score for each in rounds]),
        ("/v1/check", [each.checks / each.score for each in rounds]),
    ):
        print(f"{name}: {statistics.median(ratios):.2f} of the texts per second of factable score")


if __name__ == "__main__":
    main()
