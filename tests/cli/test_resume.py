"""`--resume` as users meet it: stopped anywhere, the same command goes on and writes the same bytes."""

import json
import os
import signal
import subprocess

import pytest

from factable.engine.checkpoint import ResumeFile
from helpers.waiting import DEADLINE, wait_until

KILLS = 12


def write_examples(path, count):
    """Many ids with few different texts, so that the answers of a model are soon known."""
    with path.open("w") as stream:
        for number in range(count):
            data = [["a", "b", f"w{value}"] for value in range(number % 4 + 1)]
            example = {"id": str(number), "system": f"s{number % 3}", "data": data, "references": ["b w1"]}
            stream.write(json.dumps({**example, "text": f"The b of a is w{number % 3}."}) + "\n")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """About 10 small units of work, for metrics that ask for such."""
    return write_examples(tmp_path_factory.mktemp("data") / "data.jsonl", 1250)


@pytest.mark.parametrize(
    ("options", "jobs"),
    [
        (("--out", "out.jsonl"), (1, 2)),
        (("--out", "out.jsonl.gz", "--explain"), (2, 1)),
        (("--out", "out.csv"), (2, 2)),
        (("--out", "out.json", "--explain"), (1, 1)),
        (("--out", "out.txt", "--explain", "--report", "page.html"), (1, 2)),
    ],
)
def test_the_same_bytes_in_every_format(run_factable, data, tmp_path, options, jobs):
    def score(folder, *more):
        done = run_factable("score", data, "-m", "nli", "-m", "parent", *options, *more, cwd=folder)
        assert (done.returncode, done.stderr) == (0, b"")
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    folder, kept = tmp_path / "folder", tmp_path / "kept"
    folder.mkdir()
    undisturbed = score(folder)
    assert score(folder, "--jobs", jobs[0], "--resume", kept) == undisturbed
    whole = kept.read_bytes()
    # As a run leaves it that is killed in the middle, while it writes an entry.
    kept.write_bytes(whole[: len(whole) // 2])
    for output in folder.iterdir():
        output.unlink()
    assert score(folder, "--jobs", jobs[1], "--resume", kept) == undisturbed
    assert kept.read_bytes() == whole


@pytest.fixture
def start(command):
    """Start scoring, in a group of processes of its own."""
    begin, where = command
    running = []

    def begin_scoring(*arguments):
        process = subprocess.Popen(
            [*begin, "score", *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=where,
            start_new_session=True,
        )
        running.append(process)
        return process

    yield begin_scoring
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def wait_until_larger(path, size, process):
    """Wait until the file has grown, or the process is gone."""
    wait_until(lambda: process.poll() is not None or (path.exists() and path.stat().st_size > size))


@pytest.mark.process
def test_killed_at_any_moment(start, run_process, tmp_path):
    """As soon as it is started, when it has opened its output, or when something more was kept."""
    data = write_examples(tmp_path / "data.jsonl", 24_000)
    out, kept = tmp_path / "out.jsonl", tmp_path / "kept"
    command = (data, "-m", "nli", "--out", out)
    assert run_process("score", *command).returncode == 0
    undisturbed = out.read_bytes()
    out.unlink()
    grown = 0
    for kill in range(KILLS):
        before = kept.stat().st_size if kept.exists() else 0
        process = start(*command, "--resume", kept, "--jobs", kill % 4 // 2 + 1)
        if kill % 3 == 1:
            wait_until(lambda: list(tmp_path.glob(".out.jsonl*.part")))
        elif kill % 3 == 2:
            wait_until_larger(kept, before, process)
        process.kill()
        _, stderr = process.communicate()
        assert stderr == b""
        grown += kept.exists() and kept.stat().st_size > before
        for left in tmp_path.glob(".out.jsonl*.part"):
            left.unlink()
        if out.exists():
            break
    assert grown > 1
    finished = run_process("score", *command, "--resume", kept)
    assert (finished.returncode, finished.stderr) == (0, b"")
    assert out.read_bytes() == undisturbed
    stat = kept.stat()
    # Nothing is left to do, so nothing more is kept.
    assert run_process("score", *command, "--resume", kept).returncode == 0
    assert out.read_bytes() == undisturbed
    assert kept.stat().st_size == stat.st_size


@pytest.mark.process
@pytest.mark.parametrize(
    ("number", "code", "what"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "told to end")]
)
def test_being_stopped_says_how_to_go_on(start, data, tmp_path, number, code, what):
    kept = tmp_path / "kept"
    out = tmp_path / "out.jsonl"
    process = start(data, "-m", "nli", "--out", out, "--resume", kept)
    wait_until_larger(kept, 5000, process)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=DEADLINE)
    message = f"factable: {what}; no output file was written; the same command goes on with what {kept} holds"
    assert stderr.decode().split() == message.split()
    assert process.returncode == code
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.process
def test_head_closes_the_pipe_and_the_next_run_goes_on(command, run_factable, data, tmp_path):
    begin, where = command
    score = ["score", str(data), "-m", "nli", "--format", "jsonl"]
    with subprocess.Popen(
        [*begin, *score, "--resume", str(tmp_path / "kept")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=where,
    ) as process:
        assert process.stdout.readline().startswith(b'{"id":"0"')
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=DEADLINE)
    resumed = run_factable(*score, "--resume", tmp_path / "kept")
    assert resumed.stdout == run_factable(*score).stdout


def refuse(run_factable, *arguments, stdin=b""):
    done = run_factable("score", *arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    return line.removeprefix("factable: ")


def test_one_line_says_what_is_wrong(run_factable, tmp_path):
    data = write_examples(tmp_path / "data.jsonl", 10)
    kept, out = tmp_path / "kept", tmp_path / "out.jsonl"
    command = (data, "-m", "parent", "--out", out, "--resume", kept)
    assert run_factable("score", *command).returncode == 0
    remedy = "give the same data and options, or another file to begin anew"
    line = refuse(run_factable, *command, "-m", "bleu")
    assert line == f"{kept}: holds results of the metrics parent, not of parent, bleu; {remedy}"
    line = refuse(run_factable, *command, "--format", "csv")
    assert line == f"{kept}: was made for output as jsonl, not as csv; {remedy}"
    line = refuse(run_factable, *command, "--report", tmp_path / "page.html")
    assert line == f"{kept}: was made without --report, and this run is with; {remedy}"
    with ResumeFile(str(kept)):
        line = refuse(run_factable, *command)
    assert (
        line == f"{kept}: another run is using it; wait until that ends, or give another file to begin anew"
    )
    line = refuse(run_factable, "-", *command[1:], stdin=data.read_bytes())
    assert line == "stdin: cannot be read a second time, as resuming requires; put the data in a file"
    line = refuse(run_factable, data, "--resume", out, "--out", out)
    assert line == f"--resume and --out are both {out}; give two names"
    line = refuse(run_factable, data, "--resume", data)
    assert line == f"--resume {data} is an input too; give it another name"
    line = refuse(run_factable, data, "-m", "parent", "--resume", out)
    assert line == f"{out}: holds something else than results to resume; give another file to begin anew"
    data.write_bytes(data.read_bytes() + b"\n")
    assert refuse(run_factable, *command).startswith(f"{kept}: holds results of {data} with ")
