"""`factable serve` as a process: how it starts, what it logs, how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from helpers.paths import SOURCE
from helpers.waiting import wait_until

pytestmark = pytest.mark.process

SECRET = "Blue Spice is a secret pub."
REQUEST = {"data": {"name": "Blue Spice", "eatType": "pub"}, "text": SECRET}
TOKEN = "a-token-that-is-long-enough"
NDJSON = {"Content-Type": "application/x-ndjson"}


@contextmanager
def started(tmp_path, *arguments, **environment):
    """The process, its address and the file of what it writes to stderr."""
    log = tmp_path / "stderr"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "factable", "serve", "--port", "0", *arguments],
            env={**os.environ, "PYTHONPATH": str(SOURCE), **environment},
            stderr=stderr,
        )
    try:
        url = wait_until(lambda: re.search(r"http://\S+", log.read_text()) or process.poll())
        assert isinstance(url, re.Match), log.read_text()
        yield process, url[0], log
    finally:
        process.kill()
        process.wait()


def children_of(pid):
    """Processes that any of its threads started."""
    return [
        child for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()
    ]


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


def test_told_to_end_it_answers_first(tmp_path):
    rows = "".join(json.dumps({**REQUEST, "id": number}) + "\n" for number in range(40))
    with started(tmp_path) as (process, url, log):
        answers = []
        asking = threading.Thread(
            target=lambda: answers.append(
                httpx.post(f"{url}/v1/score", content=rows, headers=NDJSON, timeout=300)
            )
        )
        asking.start()
        texts = re.compile(r"^factable_requests_total|^factable_waiting [1-9]", re.MULTILINE)
        wait_until(lambda: texts.search(httpx.get(f"{url}/metrics").text))
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 0
        asking.join()
        assert len(answers[0].text.splitlines()) == 40
        assert "Traceback" not in log.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_killed_it_leaves_no_worker_behind(tmp_path):
    with started(tmp_path) as (process, url, _):
        wait_until(lambda: httpx.get(f"{url}/healthz").status_code == 200)
        workers = children_of(process.pid)
        assert workers
        process.kill()
        process.wait()
        wait_until(lambda: not any(map(is_running, workers)))


def test_several_workers_give_the_same_answers(tmp_path):
    rows = "".join(
        json.dumps({**REQUEST, "id": number, "text": f"{SECRET} {number}"}) + "\n" for number in range(70)
    )
    found = []
    for workers in ("1", "2"):
        with started(tmp_path, "--workers", workers) as (_, url, _log):
            found.append(
                httpx.post(f"{url}/v1/score?metric=nli", content=rows, headers=NDJSON, timeout=300).text
            )
    assert found[0] == found[1]
    assert len(found[0].splitlines()) == 70


def test_nothing_of_texts_is_logged_unless_asked(tmp_path):
    for level, is_logged in (("off", False), ("requests", False), ("texts", True)):
        with started(tmp_path, "--log", level, FACTABLE_TOKEN=TOKEN) as (process, url, log):
            headers = {"Authorization": f"Bearer {TOKEN}"}
            assert httpx.post(
                f"{url}/v1/check?secret=1", json=REQUEST, headers=headers, timeout=300
            ).is_success
            httpx.post(f"{url}/v1/check", json={**REQUEST, "txet": "secret"}, headers=headers)
            httpx.get(f"{url}/nothing?text=secret")
            process.send_signal(signal.SIGTERM)
            assert process.wait(300) == 0
            written = log.read_text()
            assert ("secret" in written) == is_logged
            assert ("POST /v1/check 200" in written) == (level != "off")
            assert TOKEN not in written


def test_misuse_is_told_in_one_line(tmp_path):
    run = lambda *arguments: subprocess.run(  # noqa: E731
        [sys.executable, "-m", "factable", "serve", *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    done = run("--host", "0.0.0.0")
    assert done.returncode == 2
    assert done.stderr.startswith("factable: --host 0.0.0.0 can be reached from other machines")
    assert "--token" in done.stderr
    done = run("-m", "parnet")
    assert done.returncode == 2
    assert "did you mean 'parent'" in done.stderr
    with started(tmp_path) as (_, url, _log):
        done = run("--port", str(httpx.URL(url).port))
        assert done.returncode == 2
        assert "cannot listen" in done.stderr
        assert len(done.stderr.splitlines()) == 1
