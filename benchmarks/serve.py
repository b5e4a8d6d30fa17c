"""Load test of `factable serve` on loopback, against `factable score` on the same texts.

    python benchmarks/serve.py [--texts 300] [--clients 32]

Both score the same file with the ledger and one worker, without the cache of answers. The server is asked in
two ways: by many clients that send one text at a time to /v1/check, and by one that streams the file to
/v1/score. Prints texts per second of each, the times of single requests, and the ratios to `factable score`
of texts per second and of texts per second of CPU time, of all processes of the server together. On a machine
that does other work, too, only the latter say much. The last figure is the time of one request at a time, for
the verdict that somebody who types waits for. Linux only.
"""

import argparse
import json
import os
import re
import resource
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


class Times(NamedTuple):
    """Seconds on the clock and seconds of CPU time."""

    clock: float
    cpu: float

    def __sub__(self, other: "Times") -> "Times":
        return Times(self.clock - other.clock, self.cpu - other.cpu)


def time_score(path: Path) -> Times:
    """What `factable score` takes, but for starting and loading models: measured, and taken off."""

    def run(file: Path) -> Times:
        def now() -> Times:
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return Times(time.perf_counter(), used.ru_utime + used.ru_stime)

        started = now()
        command = [*COMMAND, "score", str(file), "-m", "ledger", "--format", "jsonl", "--quiet"]
        subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
        return now() - started

    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "first.jsonl"
        first.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        return run(path) - run(first)


def time_server(pid: int, work: Callable[[], object]) -> Times:
    """What a server and its workers take for some work."""

    def now() -> Times:
        return Times(time.perf_counter(), sum(map(cpu_seconds, [str(pid), *children_of(pid)])))

    started = now()
    work()
    return now() - started


def children_of(pid: int) -> list[str]:
    """The processes that a process started."""
    return [
        child for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()
    ]


def cpu_seconds(pid: str) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def server() -> Iterator[tuple[int, HTTPConnection]]:
    """A server that has loaded its models."""
    command = [*COMMAND, "serve", "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            port = int(re.search(r":(\d+) ", process.stderr.readline())[1])  # type: ignore[index]
            connection = HTTPConnection("127.0.0.1", port, timeout=600)
            while not json.loads(_get(connection, "/healthz"))["ok"]:
                time.sleep(0.1)
            yield process.pid, connection
        finally:
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


def ask_all(port: int, bodies: Sequence[bytes], clients: int) -> list[float]:
    """Let clients ask about all texts, one at a time each; the sorted times of all requests."""
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
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times)


class Round(NamedTuple):
    """What each way took for the same texts, and the sorted times of single requests."""

    texts: int
    score: Times
    stream: Times
    checks: Times
    requests: list[float]

    def __str__(self) -> str:
        p50, p99 = (1000 * self.requests[int(share * len(self.requests))] for share in (0.5, 0.99))
        score, stream, checks = (self.texts / each.clock for each in (self.score, self.stream, self.checks))
        return (
            f"factable score {score:.1f} texts/s, /v1/score {stream:.1f}, /v1/check {checks:.1f} "
            f"(p50 {p50:.0f} ms, p99 {p99:.0f} ms)"
        )


def measure(
    pid: int, connection: HTTPConnection, objects: Sequence[dict[str, object]], clients: int
) -> Round:
    """Score the same texts in each way."""
    lines = b"".join(json.dumps(each).encode() + b"\n" for each in objects)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        path.write_bytes(lines)
        score = time_score(path)
    # The server may have closed a connection that was idle for so long; a new one is opened by itself.
    connection.close()
    stream = time_server(
        pid, lambda: post(connection, "/v1/score?metric=ledger", lines, "application/x-ndjson")
    )
    # The worker keeps answers of its models in memory: other texts, so that they are asked again.
    others = [body.replace(b" pub", b" bar") for body in bodies_of(objects)]
    requests: list[float] = []
    checks = time_server(pid, lambda: requests.extend(ask_all(connection.port, others, clients)))
    return Round(len(objects), score, stream, checks, requests)


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
    with server() as (pid, connection):
        for turn in range(options.rounds):
            part = objects[turn * options.texts : (turn + 1) * options.texts]
            rounds.append(measure(pid, connection, part, options.clients))
            print(f"round {turn + 1}: {rounds[-1]}", flush=True)
        times = ask_all(connection.port, bodies_of(objects[-50:]), 1)
        print(f"one request at a time: median {1000 * statistics.median(times):.0f} ms")
    for name in ("stream", "checks"):
        clock, cpu = (
            statistics.median(
                getattr(each.score, kind) / getattr(getattr(each, name), kind) for each in rounds
            )
            for kind in Times._fields
        )
        print(
            f"{name}: {clock:.2f} of the texts per second of factable score, {cpu:.2f} per second of CPU time"
        )


if __name__ == "__main__":
    main()
