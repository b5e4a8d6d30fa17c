"""Kept answers: found again, never mixed up, and never in the way of a run."""

import multiprocessing
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from factable.models import nli
from factable.models.nli import TextPair, entailment
from factable.models.runtime import cache as cache
from factable.models.runtime.cache import cache_file, cache_key, get, put
from helpers.nli_models import make_onnx_folder, write_manifest

PAIR = TextPair("Ada was born in London.", "Ada was born.")
ANSWER = np.array([0.1, 0.2, 0.7]).tobytes()


@pytest.fixture(autouse=True)
def path(tmp_path, monkeypatch):
    """A file of each test alone, and nothing remembered from other tests."""
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "deep" / "cache"))
    forget(monkeypatch)
    return cache_file()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return str(make_onnx_folder(tmp_path_factory.mktemp("onnx") / "model"))


@pytest.fixture
def predicted(monkeypatch):
    """The pairs that reach a model; it answers as ever."""
    pairs = []

    def listen(model, batch, advance, predict=nli.predict):
        pairs.extend(batch)
        return predict(model, batch, advance)

    monkeypatch.setattr(nli, "predict", listen)
    return pairs


def forget(monkeypatch):
    """As in a new process."""
    monkeypatch.setattr(cache, "_memory", {})


def test_where_answers_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    assert cache_file() is None
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path))
    assert cache_file() == tmp_path / "nli.sqlite"
    monkeypatch.delenv("FACTABLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_file() == tmp_path / "xdg" / "factable" / "nli.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_file() == tmp_path / "home" / ".cache" / "factable" / "nli.sqlite"


def test_what_is_kept_comes_back_to_the_last_bit(path):
    answers = {
        cache_key("m", TextPair(str(n), "")): np.random.default_rng(n).random(3).tobytes()
        for n in range(1500)
    }
    put(path, answers)
    cached = get(path, [*answers, b"unknown"])
    assert cached.keys() == answers.keys()
    assert cached == answers
    assert get(path, []) == {}


def test_keys_differ_wherever_model_or_texts_do():
    keys = {
        cache_key(identity, TextPair(*texts))
        for identity in ("m", "n")
        for texts in (("a", "b"), ("b", "a"), ("ab", ""), ("", "ab"), ("a", "b "), ("a\0b", ""), ("é", "e"))
    }
    assert len(keys) == 14


def test_a_model_is_asked_once(model, predicted, monkeypatch):
    pairs = [PAIR, TextPair("a", "b"), PAIR, PAIR]
    heard = []
    first = entailment(model, pairs, heard.append)
    assert predicted == [PAIR, TextPair("a", "b")]
    assert sum(heard) == 2
    assert first[0].tolist() == first[2].tolist() == first[3].tolist() != first[1].tolist()
    for _ in range(2):
        assert entailment(model, pairs[::-1]).tobytes() == first[::-1].tobytes()
        forget(monkeypatch)
    assert len(predicted) == 2
    assert entailment(model, []).shape == (0, 3)


def test_a_rerun_needs_only_what_is_new(model, predicted, monkeypatch):
    entailment(model, [PAIR])
    forget(monkeypatch)
    entailment(model, [TextPair("new", "one"), PAIR])
    assert predicted == [PAIR, TextPair("new", "one")]


def test_nothing_is_kept_where_it_is_off(path, model, predicted, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    first = entailment(model, [PAIR, PAIR])
    assert entailment(model, [PAIR])[0].tolist() == first[0].tolist()
    assert predicted == [PAIR]
    forget(monkeypatch)
    entailment(model, [PAIR])
    assert predicted == [PAIR, PAIR]
    assert not path.parent.exists()


def test_memory_is_bounded(model, predicted, monkeypatch):
    monkeypatch.setattr(cache, "MAX_IN_MEMORY", 4)
    for number in range(20):
        entailment(model, [TextPair(str(number), "")])
        assert len(cache._memory) <= 4
    entailment(model, [TextPair(str(number), "") for number in range(20)])
    assert len(predicted) == 20


def test_other_models_have_other_answers(model, tmp_path):
    other = str(make_onnx_folder(tmp_path / "other"))
    same = entailment(other, [PAIR])
    # The same folder with another model in it: read again, not taken from what was loaded or kept.
    write_manifest(Path(other), temperature=0.25)
    changed = entailment(other, [PAIR])
    assert same.tolist() == entailment(model, [PAIR]).tolist() != changed.tolist()


def test_lone_surrogates_are_texts_too(model):
    odd, plain = entailment(model, [TextPair("a\ud800b", "c\udfff"), TextPair("a\ufffdb", "c\ufffd")])
    assert odd.tolist() == plain.tolist()


def damage(path, kind):
    if kind == "no database":
        path.write_bytes(b"no database at all" * 100)
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "truncated":
        path.write_bytes(path.read_bytes()[:5000])
    elif kind == "overwritten":
        path.write_bytes(path.read_bytes()[:200] + b"\xff" * 4000 + path.read_bytes()[4200:])
    elif kind == "a folder":
        path.unlink()
        path.mkdir()
    elif kind == "other table":
        with sqlite3.connect(path) as file:
            file.execute("DROP TABLE answers")
            file.execute("CREATE TABLE answers (other TEXT)")
        file.close()
    elif kind == "other values":
        with sqlite3.connect(path) as file:
            file.execute("UPDATE answers SET value = ?", ("x" * 24,))
            file.execute("UPDATE answers SET value = ? WHERE key < x'80'", (b"short",))
        file.close()


KINDS = ["no database", "empty", "truncated", "overwritten", "a folder", "other table", "other values"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_never_in_the_way(path, model, predicted, monkeypatch, kind):
    pairs = [TextPair(str(number), "x") for number in range(300)]
    expected = entailment(model, pairs)
    damage(path, kind)
    forget(monkeypatch)
    predicted.clear()
    assert entailment(model, pairs).tobytes() == expected.tobytes()
    assert predicted


def test_a_place_that_cannot_be_written_is_never_in_the_way(model, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path / "file"))
    expected = entailment(model, [PAIR])
    forget(monkeypatch)
    assert entailment(model, [PAIR]).tobytes() == expected.tobytes()
    assert (tmp_path / "file").read_text() == "in the way"


def test_a_full_disk_is_never_in_the_way(path, model):
    script = (
        "import resource, sys\n"
        "from factable.models.nli import entailment\n"
        "from factable.models.nli import TextPair\n"
        "entailment(sys.argv[1], [TextPair('a', 'b')])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "pairs = [TextPair(str(n), 'x') for n in range(2000)]\n"
        "print(len(entailment(sys.argv[1], pairs)))\n"
    )
    run = subprocess.run([sys.executable, "-c", script, model], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("2000\n", "")
    # What was there before is still there.
    pair = TextPair("a", "b")
    assert get(path, [cache_key(nli.nli_identity(model), pair)])


def keep_many(path, first):
    for number in range(first, first + 40):
        put(path, {number.to_bytes(16, "little"): ANSWER + bytes([number])})


def test_processes_keep_at_the_same_time(path):
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=keep_many, args=(path, 40 * number)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    cached = get(path, [number.to_bytes(16, "little") for number in range(120)])
    assert cached == {number.to_bytes(16, "little"): ANSWER + bytes([number]) for number in range(120)}


def test_a_file_that_another_process_locks_is_not_waited_for_for_ever(path, monkeypatch):
    put(path, {b"key": ANSWER})
    monkeypatch.setattr("factable.models.runtime.cache.LOCK_SECONDS", 0.05)
    file = sqlite3.connect(path)
    file.execute("BEGIN EXCLUSIVE")
    put(path, {b"other": ANSWER})
    assert get(path, [b"key"]) == {}
    file.rollback()
    file.close()
    assert get(path, [b"key", b"other"]).keys() == {b"key"}


def test_reading_makes_no_file(path):
    assert get(path, [b"key"]) == {}
    assert not os.path.exists(path)
