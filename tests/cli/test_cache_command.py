"""`factable cache`: where answers are, how much of them, and how to delete them."""

import pytest

from factable.models.runtime.cache import put


@pytest.fixture
def folder(tmp_path):
    put(tmp_path / "nli-2.sqlite", {b"key": bytes(2_000_000)})
    for name in (
        "nli-2.sqlite.damaged",
        "qa.sqlite",
        "nli.sqlite-journal",
        "notes.sqlite",
        "nli-2.sqlite.txt",
    ):
        (tmp_path / name).write_bytes(b"x" * 1_000_000)
    return tmp_path


def printed(result):
    assert (result.returncode, result.stderr) == (0, b"")
    return result.stdout.decode()


def test_path(run_factable, folder):
    assert printed(run_factable("cache", "path", FACTABLE_CACHE=str(folder))) == f"{folder}\n"


def test_info(run_factable, folder):
    first, *rest, limits = printed(run_factable("cache", "info", FACTABLE_CACHE=str(folder))).splitlines()
    assert first == f"     2.0 MB  answers of NLI models in {folder / 'nli-2.sqlite'}"
    assert len(rest) == 6
    assert limits == "the oldest answers are deleted beyond 1 GB for each file and 180 days"


def test_clear_deletes_what_factable_wrote_and_nothing_else(run_factable, folder):
    text = printed(run_factable("cache", "clear", FACTABLE_CACHE=str(folder)))
    assert text == "deleted 4 files, 5.0 MB\n"
    assert sorted(path.name for path in folder.iterdir()) == ["nli-2.sqlite.txt", "notes.sqlite"]
    assert (
        printed(run_factable("cache", "clear", FACTABLE_CACHE=str(folder / "no")))
        == "deleted 0 files, 0.0 MB\n"
    )


@pytest.mark.parametrize("command", ["path", "info"])
def test_off(run_factable, command):
    text = printed(run_factable("cache", command, FACTABLE_CACHE="off"))
    assert text == "answers are not cached (FACTABLE_CACHE is off)\n"


def test_a_warning_is_one_line(run_process, tmp_path):
    (tmp_path / "nli-2.sqlite").write_bytes(b"no database" * 1000)
    lines = b'{"text": "Ada lives in London.", "data": {"name": "Ada", "city": "London"}}\n'
    here = {"FACTABLE_CACHE": str(tmp_path), "PYTHONWARNINGS": "default"}
    result = run_process("score", "-", "-m", "nli", stdin=lines, **here)
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith(
        f"factable: warning: {tmp_path / 'nli-2.sqlite'}: damaged (file is not a database)"
    )
