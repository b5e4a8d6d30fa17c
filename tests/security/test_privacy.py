"""Scoring opens no socket, and leaves nothing behind but its output and its cache."""

import os
import re
import shutil
import subprocess
import sys

import pytest

CALLS = "socket,connect,sendto,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,symlink"
# Commands of a process in which every metric with an embedded model scores texts; the ledger asks all of
# its models about objects and about triples.
SCRIPT = """
import sys
from factable.cli.main import main
sys.argv = ["factable", "score", "in.jsonl", "--out", "out/scores.jsonl", "--format", "jsonl", "--explain"]
for metric in ("ledger", "parent", "nli", "questeval", "ranking", "bertscore", "bleu"):
    sys.argv += ["-m", metric]
main()
"""
LINES = """\
{"text": "Ada lives in London, a big town.", "data": {"name": "Ada", "city": "London"}, "references": ["Ada"]}
{"text": "Ada, a painter, is in Paris.", "data": [["Ada", "city", "London"]], "references": ["Ada"]}
"""


@pytest.fixture
def traced(tmp_path):
    """Run the script with a home of its own; the traced calls and what was printed to stderr."""
    strace = shutil.which("strace")
    if not strace or subprocess.run([strace, "-qq", "true"], capture_output=True, check=False).returncode:
        pytest.skip("strace does not run here")
    (tmp_path / "in.jsonl").write_text(LINES)
    for name in ("home", "out", "temporary"):
        (tmp_path / name).mkdir()

    def run(**environment):
        trace = tmp_path / "trace"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ORT_"))}
        folders = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "temporary")}
        done = subprocess.run(
            [strace, "-f", "-qq", "-e", f"trace={CALLS}", "-o", str(trace), sys.executable, "-c", SCRIPT],
            cwd=tmp_path,
            env={**kept, **folders, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return trace.read_text().splitlines(), done.stderr

    return run


def is_harmless(call):
    return " = -1 " in call or "/dev/null" in call


def test_no_socket_and_no_file_but_output_and_cache(traced, tmp_path):
    calls, told = traced(FACTABLE_CACHE=str(tmp_path / "cache"))
    assert told == b""
    assert [call for call in calls if re.search(r"\b(socket|connect|sendto)\(", call)] == []
    writing = r"\b(creat|mkdir(at)?|rename(at2?)?|link|symlink)\(|O_(WRONLY|RDWR|CREAT)"
    written = [call for call in calls if re.search(writing, call) and not is_harmless(call)]
    assert written
    allowed = re.compile(rf'"({re.escape(str(tmp_path))}/(cache|temporary)[/"]|[^"]*\bout/)')
    assert [call for call in written if not allowed.search(call)] == []
    assert list((tmp_path / "home").iterdir()) == []


def test_without_cache_nothing_is_written_but_the_output(traced, tmp_path):
    traced(FACTABLE_CACHE="off")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "home",
        "in.jsonl",
        "out",
        "temporary",
        "trace",
    ]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["scores.jsonl"]
    assert [*(tmp_path / "home").iterdir(), *(tmp_path / "temporary").iterdir()] == []
