"""What goes wrong around a run: full disks and killed workers end in one line or heal; nothing is lost."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from helpers.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.process
ROOM = 200 << 10


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Many ids with few different texts; a line of output each is more than the small disk holds."""
    path = tmp_path_factory.mktemp("data") / "data.jsonl"
    with path.open("w") as stream:
        for number in range(3000):
            example = {"id": str(number), "text": f"It is w{number % 3}.", "references": ["It is w1."]}
            stream.write(json.dumps({**example, "data": [["a", "b", f"w{number % 2}"]]}) + "\n")
    return path


@pytest.fixture
def small_disk(tmp_path):
    """A folder with little room, and a function that gives it more."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(["mount", *options], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("mounting a small disk takes root")

    def enlarge():
        subprocess.run(["mount", "-o", "remount,size=50M", str(folder)], check=True)

    yield folder, enlarge
    subprocess.run(["umount", str(folder)], check=True)


def fail(run_process, *arguments):
    done = run_process("score", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    return line.removeprefix("factable: ")


@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz", "out.json"])
def test_no_room_for_the_output(run_process, data, small_disk, name):
    folder, enlarge = small_disk
    out = folder / name
    out.write_text("as it was")
    (folder / "filling").write_bytes(bytes(ROOM - (8 << 10)))
    command = (data, "-m", "parent", "--out", out)
    line = fail(run_process, *command)
    assert line == f"{out}: cannot write: No space left on device; make room, or write elsewhere"
    assert sorted(path.name for path in folder.iterdir()) == ["filling", name]
    assert out.read_text() == "as it was"
    enlarge()
    assert run_process("score", *command).returncode == 0


def test_no_room_for_the_report(run_process, data, small_disk, tmp_path):
    folder, _ = small_disk
    page, out = folder / "page.html", tmp_path / "out.jsonl"
    line = fail(run_process, data, "-m", "parent", "--out", out, "--report", page)
    assert line == f"{page}: cannot write: No space left on device; make room, or write elsewhere"
    assert not list(folder.iterdir())
    assert not out.exists()


def test_no_room_for_what_is_kept(run_process, data, small_disk, tmp_path):
    folder, enlarge = small_disk
    kept, out = folder / "kept", tmp_path / "out.jsonl"
    command = (data, "-m", "nli", "--out", out, "--resume", kept)
    for _ in range(2):
        line = fail(run_process, *command)
        found = "cannot write: No space left on device"
        assert line == f"{kept}: {found}; once that is mended, the same command goes on from here"
        assert not out.exists()
    full = kept.read_bytes()
    enlarge()
    assert run_process("score", *command).returncode == 0
    resumed = out.read_bytes()
    # The half of the last entry that went in was written anew; all before it stayed.
    assert kept.read_bytes().startswith(full)
    assert run_process("score", *command[:5]).returncode == 0
    assert out.read_bytes() == resumed


def test_no_room_for_answers_of_models(run_process, data, small_disk):
    folder, _ = small_disk
    expected = run_process("score", data, "-m", "nli", "--format", "jsonl")
    assert expected.returncode == 0
    (folder / "filling").write_bytes(bytes(ROOM - (8 << 10)))
    places = {"FACTABLE_CACHE": str(folder / "cache"), "PYTHONWARNINGS": "default"}
    full = run_process("score", data, "-m", "nli", "--format", "jsonl", **places)
    assert (full.returncode, full.stdout) == (0, expected.stdout)
    (line,) = full.stderr.splitlines()
    assert b"the cache cannot be written" in line


def test_a_worker_that_is_killed_with_results_kept(command, run_process, data, tmp_path):
    """Whether the run heals or the same command has to go on, the output is that of an undisturbed one."""
    begin, where = command
    out, kept = tmp_path / "out.jsonl", tmp_path / "kept"
    score = ["score", str(data), "-m", "nli", "--out", str(out)]
    assert run_process(*score).returncode == 0
    undisturbed = out.read_bytes()
    out.unlink()
    resumed = [*score, "--jobs", "2", "--resume", str(kept)]
    with subprocess.Popen([*begin, *resumed], stderr=subprocess.PIPE, env=where) as process:
        wait_until(lambda: process.poll() is not None or (kept.exists() and kept.stat().st_size > 5000))
        assert process.poll() is None
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)
        stderr = process.stderr.read().decode()
        process.wait(timeout=DEADLINE)
    assert len(stderr.splitlines()) <= 1
    if process.returncode:
        assert "worker" in stderr
        assert run_process(*resumed).returncode == 0
    assert out.read_bytes() == undisturbed
