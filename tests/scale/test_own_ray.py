"""A Ray of our own: started quietly, ended with the work, whatever ends that."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.waiting import DEADLINE, wait_until

pytestmark = pytest.mark.ray

ARGUMENTS = ["-m", "parent", "--engine", "ray", "--jobs", "1"]


def write_lines(path, number):
    rest = json.dumps({"data": {"name": "Ada"}, "text": "Ada " * 40, "references": ["Ada was here. " * 9]})[
        1:
    ]
    with path.open("w") as stream:
        stream.writelines(f'{{"id": "{index}", {rest}\n' for index in range(number))
    return path


@pytest.fixture
def start(tmp_path):
    """A function that starts `factable score`; each process that comes of it knows the mark."""
    mark = f"FACTABLE_TEST_MARK={tmp_path}"

    def begin(path, *arguments):
        environment = {**os.environ, "FACTABLE_TEST_MARK": str(tmp_path)}
        environment.pop("RAY_ADDRESS", None)
        return subprocess.Popen(
            [sys.executable, "-m", "factable", "score", str(path), *ARGUMENTS, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )

    yield begin
    left = marked(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def marked(mark):
    """The processes whose environment has the mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_ray_of_our_own(start, tmp_path):
    path = write_lines(tmp_path / "few.jsonl", 300)
    before = set(Path("/tmp").glob("ray*"))
    process = start(path, "--format", "jsonl")
    stdout, stderr = process.communicate(timeout=DEADLINE)
    assert stderr == b""
    here = [sys.executable, "-m", "factable", "score", str(path), "-m", "parent", "--format", "jsonl"]
    assert stdout == subprocess.run(here, capture_output=True, check=True).stdout
    assert set(Path("/tmp").glob("ray*")) <= before


def test_ctrl_c(start, tmp_path):
    path = write_lines(tmp_path / "many.jsonl", 100_000)
    out = tmp_path / "out"
    out.mkdir()
    process = start(path, "--out", str(out / "rows.jsonl"))
    wait_until(lambda: process.poll() is not None or any(part.stat().st_size for part in out.iterdir()))
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=DEADLINE)
    assert stdout == b""
    assert stderr.strip() == b"factable: interrupted; no output file was written"
    assert process.returncode == 130
    assert not list(out.iterdir())
