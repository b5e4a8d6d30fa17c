"""Ctrl-C, kill and closed pipes: one clear line, no half-written file, no process left behind."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """Several hundred thousand lines: far more work than the time between two looks."""
    path = tmp_path_factory.mktemp("big") / "big.jsonl"
    example = {
        "data": [["a", "b", f"word{n} word"] for n in range(6)],
        "text": "word " * 40,
        "references": ["word " * 40],
    }
    rest = json.dumps(example)[1:]
    with path.open("w") as stream:
        stream.writelines(f'{{"id": "{number}", {rest}\n' for number in range(200_000))
    return path


def children(pid):
    """The ids of the living processes below a process."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += map(int, task.read_text().split())
    return found


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def parts(folder):
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


@pytest.fixture
def start(command, big, tmp_path):
    """Start scoring the big file to out.jsonl and return once rows are being written."""
    begin, where = command
    running = []

    def rows_are_written():
        return parts(tmp_path) and parts(tmp_path)[0].stat().st_size

    def begin_scoring(*arguments, ready=rows_are_written):
        process = subprocess.Popen(
            [*begin, "score", str(big), "-m", "parent", "--out", str(tmp_path / "out.jsonl"), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=where,
            start_new_session=True,
        )
        running.append(process)
        wait_until(lambda: ready() or process.poll() is not None)
        assert process.poll() is None
        return process

    yield begin_scoring
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()


def check_end(process, workers, folder, code, message):
    stdout, stderr = process.communicate(timeout=DEADLINE)
    assert stdout == b""
    assert stderr.decode().split("\n")[-2:] == [message, ""]
    assert [line for line in stderr.decode().splitlines() if line] == [message]
    assert process.returncode == code
    assert not list(folder.iterdir())
    assert not list(filter(is_alive, workers))


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c(start, tmp_path, jobs):
    process = start("--jobs", str(jobs))
    workers = children(process.pid)
    assert len(workers) == (jobs if jobs > 1 else 0)
    # A terminal sends it to every process of the group.
    os.killpg(process.pid, signal.SIGINT)
    check_end(process, workers, tmp_path, 130, "factable: interrupted; no output file was written")


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_at_the_very_start(start, tmp_path, jobs):
    process = start("--jobs", str(jobs), ready=lambda: parts(tmp_path))
    os.killpg(process.pid, signal.SIGINT)
    check_end(process, [], tmp_path, 130, "factable: interrupted; no output file was written")


@pytest.mark.parametrize("jobs", [1, 2])
def test_told_to_end(start, tmp_path, jobs):
    process = start("--jobs", str(jobs))
    workers = children(process.pid)
    process.terminate()
    check_end(process, workers, tmp_path, 143, "factable: told to end; no output file was written")


def test_a_worker_that_is_killed_is_replaced(start, tmp_path):
    process = start("--jobs", "2")
    workers = children(process.pid)
    os.kill(workers[0], signal.SIGKILL)
    wait_until(lambda: set(filter(is_alive, children(process.pid))) - set(workers))
    written = parts(tmp_path)[0].stat().st_size
    wait_until(lambda: parts(tmp_path)[0].stat().st_size > written)
    process.terminate()
    check_end(process, workers, tmp_path, 143, "factable: told to end; no output file was written")


def test_workers_end_with_a_parent_that_is_killed(start):
    process = start("--jobs", "2")
    workers = children(process.pid)
    assert len(workers) == 2
    process.kill()
    process.wait()
    wait_until(lambda: not any(map(is_alive, workers)))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("shape", ["jsonl", "csv"])
def test_head_closes_the_pipe(command, big, shape, jobs):
    begin, where = command
    with subprocess.Popen(
        [*begin, "score", str(big), "-m", "parent", "--format", shape, "--jobs", str(jobs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=where,
    ) as process:
        first = process.stdout.readline()
        process.stdout.close()
        stderr = process.stderr.read()
        process.wait(timeout=DEADLINE)
    assert first.startswith(b'{"id":"0"' if shape == "jsonl" else b"id,system,parent,")
    assert stderr == b""
