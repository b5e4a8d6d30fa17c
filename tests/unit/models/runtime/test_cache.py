"""Kept answers: found again, never mixed up, and never in the way of a run."""

import multiprocessing
import os
import sqlite3
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from factable.errors import FactableWarning
from factable.models import encoder, nli, qa
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
    monkeypatch.setattr(cache, "_retry_at", {})


def test_where_answers_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    assert cache_file() is None
    monkeypatch.setenv("FACTABLE_CACHE", str(tmp_path))
    assert cache_file() == tmp_path / "nli-2.sqlite"
    monkeypatch.delenv("FACTABLE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_file() == tmp_path / "xdg" / "factable" / "nli-2.sqlite"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_file() == tmp_path / "home" / ".cache" / "factable" / "nli-2.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_file() == tmp_path / "home" / ".cache" / "factable" / "nli-2.sqlite"


@pytest.mark.parametrize("chosen", ["", "~nobody-of-that-name/cache"])
def test_no_folder_is_named_after_a_home_that_is_not_there(monkeypatch, tmp_path, model, chosen):
    monkeypatch.setattr(os.path, "expanduser", str)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("FACTABLE_CACHE", chosen)
    with pytest.warns(FactableWarning, match="no home directory for the cache ~"):
        assert len(entailment(model, [PAIR])) == 1
    assert os.listdir(tmp_path) == []


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
    elif kind == "truncated":
        path.write_bytes(path.read_bytes()[:5000])
    elif kind == "overwritten":
        path.write_bytes(path.read_bytes()[:200] + b"\xff" * 4000 + path.read_bytes()[4200:])
    elif kind == "other table":
        with sqlite3.connect(path) as file:
            file.execute("DROP TABLE answers")
            file.execute("CREATE TABLE answers (other TEXT)")
        file.close()
    elif kind == "a flipped bit":
        content = bytearray(path.read_bytes())
        with sqlite3.connect(path) as file:
            (value,) = file.execute("SELECT value FROM answers WHERE id = 7").fetchone()
        file.close()
        content[content.index(value) + 5] ^= 4
        path.write_bytes(content)
    elif kind == "swapped columns":
        update(path, "value = CAST(substr(value, 9) || substr(value, 1, 8) AS BLOB)")
    elif kind == "texts":
        update(path, "value = ?", "x" * 24)
    elif kind == "short values":
        update(path, "value = ?", b"short")


def update(path, change, *values):
    with sqlite3.connect(path) as file:
        file.execute(f"UPDATE answers SET {change}", values)
    file.close()


DAMAGES = ["no database", "truncated", "overwritten", "other table", "a flipped bit"]
DAMAGES += ["swapped columns", "texts", "short values"]


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_is_set_aside_and_made_anew(path, model, predicted, monkeypatch, kind):
    pairs = [TextPair(str(number), "x") for number in range(300)]
    expected = entailment(model, pairs)
    damage(path, kind)
    forget(monkeypatch)
    predicted.clear()
    with pytest.warns(FactableWarning, match=r"damaged \(.*set aside as nli-2.sqlite.damaged") as caught:
        assert entailment(model, pairs).tobytes() == expected.tobytes()
    assert (len(caught), len(predicted)) == (1, 300)
    assert path.with_name("nli-2.sqlite.damaged").is_file()
    # The new file is whole.
    forget(monkeypatch)
    predicted.clear()
    assert entailment(model, pairs).tobytes() == expected.tobytes()
    assert predicted == []


def test_random_damage_never_changes_an_answer(path, model, monkeypatch):
    pairs = [TextPair(str(number), "x") for number in range(300)]
    expected = entailment(model, pairs)
    content = path.read_bytes()
    random = np.random.default_rng(0)
    for _ in range(25):
        damaged = bytearray(content)
        for position in random.integers(0, len(content), 20):
            damaged[position] ^= 1 << int(random.integers(8))
        path.write_bytes(damaged)
        forget(monkeypatch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FactableWarning)
            assert entailment(model, pairs).tobytes() == expected.tobytes()


ROWS = [[np.nan] * 3, [np.inf, 0, 0], [-1, 1, 1], [1e300, 0, 0], [0, 0, 0], [1, 1, 1]]


@pytest.mark.parametrize("row", ROWS)
def test_no_answer_is_out_of_range(path, model, monkeypatch, row):
    """Not even with a checksum that fits: whoever wrote it was wrong."""
    expected = entailment(model, [PAIR])
    put(path, {cache_key(nli.nli_identity(model), PAIR): np.array(row, dtype=float).tobytes()})
    forget(monkeypatch)
    with pytest.warns(FactableWarning, match="damaged"):
        assert entailment(model, [PAIR]).tobytes() == expected.tobytes()


def test_embeddings_and_answers_have_their_range():
    unit = np.zeros(384, dtype="<i2")
    assert encoder._is_embedding(unit.tobytes())
    unit[3] = encoder.SCALE
    assert encoder._is_embedding(unit.tobytes())
    unit[4] = 900
    assert not encoder._is_embedding(unit.tobytes())
    assert not encoder._is_embedding(unit.tobytes()[:-1])
    assert qa._is_answer(qa._to_bytes(qa.QaAnswer("Ada", (0, 3), 0.5)))
    assert not qa._is_answer(qa._to_bytes(qa.QaAnswer("Ada", (0, 3), np.nan)))
    assert not qa._is_answer(b"short")


def test_an_empty_file_is_filled(path, model, predicted, monkeypatch):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    entailment(model, [PAIR])
    forget(monkeypatch)
    entailment(model, [PAIR])
    assert predicted == [PAIR]


def test_a_place_that_cannot_be_written_is_never_in_the_way(model, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    (tmp_path / "folders" / "nli-2.sqlite").mkdir(parents=True)
    for place in ("file", "folders", "x" * 300, "\0"):
        monkeypatch.setattr(cache, "cache_folder", lambda place=place: tmp_path / place)
        forget(monkeypatch)
        with pytest.warns(FactableWarning, match="the cache cannot be .* answers are computed") as caught:
            expected = entailment(model, [PAIR])
        assert len(caught) == 1
        monkeypatch.setattr(cache, "_memory", {})
        # Told once, and not tried again soon.
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
    assert run.stdout == "2000\n"
    assert run.stderr.count("the cache cannot be written") == 1
    # What was there before is still there.
    pair = TextPair("a", "b")
    assert get(path, [cache_key(nli.nli_identity(model), pair)])


def keep_many(path, first):
    # A busy machine must not make this one give up.
    cache.LOCK_SECONDS = 60
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


def test_a_file_that_another_process_locks_is_not_waited_for_again_and_again(path, monkeypatch):
    put(path, {b"key": ANSWER})
    monkeypatch.setattr(cache, "LOCK_SECONDS", 0.05)
    file = sqlite3.connect(path)
    file.execute("BEGIN EXCLUSIVE")
    with pytest.warns(FactableWarning, match="cannot be written .database is locked"):
        put(path, {b"other": ANSWER})
    # Told once.
    assert get(path, [b"key"]) == {}
    opened = []
    monkeypatch.setattr(cache.sqlite3, "connect", lambda *_, **__: opened.append(1))
    for _ in range(100):
        assert get(path, [b"key"]) == {}
    assert opened == []
    monkeypatch.undo()
    file.rollback()
    file.close()
    forget(monkeypatch)
    assert get(path, [b"key", b"other"]).keys() == {b"key"}


def test_the_file_is_bounded(path, monkeypatch):
    monkeypatch.setattr(cache, "MAX_CACHE_BYTES", 200_000)
    for start in range(0, 10_000, 200):
        put(path, {number.to_bytes(16, "little"): bytes(50) for number in range(start, start + 200)})
    assert path.stat().st_size < 250_000
    # What was written last is there, what was written first is not.
    assert len(get(path, [number.to_bytes(16, "little") for number in range(9500, 10_000)])) == 500
    assert get(path, [number.to_bytes(16, "little") for number in range(500)]) == {}


def test_old_answers_are_deleted(path, monkeypatch):
    now = 2_000_000_000
    monkeypatch.setattr(cache.time, "time", lambda: now)
    put(path, {b"old": ANSWER})
    now += 100 * 86400
    put(path, {b"newer": ANSWER})
    assert get(path, [b"old", b"newer"]).keys() == {b"old", b"newer"}
    now += 100 * 86400
    put(path, {b"newest": ANSWER})
    assert get(path, [b"old", b"newer", b"newest"]).keys() == {b"newer", b"newest"}
    now += 1000 * 86400
    put(path, {b"last": ANSWER})
    assert get(path, [b"old", b"newer", b"newest", b"last"]).keys() == {b"last"}


def test_reading_makes_no_file(path):
    assert get(path, [b"key"]) == {}
    assert not os.path.exists(path)
