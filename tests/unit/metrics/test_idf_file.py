"""Idf files: what is written comes back, and what is damaged is refused."""

import io

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable.errors import DataError
from factable.kernels.frequencies import count_documents
from factable.kernels.words import WordOptions
from factable.metrics.cider import Idf, load_idf, save_idf


def small_idf():
    documents = [("Ada was born", "愛 \ud83d"), ("Ada was here", "was born"), ("x",)]
    return Idf(count_documents(documents, WordOptions("words"), 3).store(), 3, "words", True)


def load_fresh(path):
    return load_idf(str(path))


def assert_equal(one, other):
    assert (one.orders, one.tokens, one.stem) == (other.orders, other.tokens, other.stem)
    assert one.stored == other.stored


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "small.idf"
    save_idf(small_idf(), path)
    return path


def test_round_trip(saved):
    assert_equal(load_fresh(saved), small_idf())
    assert len(small_idf().stored.keys) > 3


def test_equal_frequencies_give_equal_bytes(saved, tmp_path):
    save_idf(small_idf(), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


@given(data=st.data())
@settings(max_examples=200)
def test_a_damaged_file_is_refused_or_harmless(saved, data):
    """A changed or missing byte never gives other frequencies, nor an error of another kind."""
    content = bytearray(saved.read_bytes())
    index = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[index:]
    else:
        content[index] ^= data.draw(st.integers(1, 255))
    broken = saved.with_name("broken.idf")
    broken.write_bytes(content)
    idf = message = None
    try:
        idf = load_fresh(broken)
    except DataError as error:
        message = str(error)
    if idf is not None:
        assert_equal(idf, small_idf())
    else:
        assert message.startswith(f"{broken}: ")
        assert message.endswith("make one with: factable train idf TRAIN.jsonl OUT.idf")


WORDS, KEYS, COUNTS, DOCUMENTS = small_idf().stored
INCONSISTENT = {
    "no format": {"format": None},
    "other format": {"format": numpy.frombuffer(b"factable-counts-1", dtype=numpy.uint8)},
    "no keys": {"keys": None},
    "fewer keys": {"keys": numpy.array(KEYS[:-1], dtype=numpy.uint64)},
    "unknown words": {"keys": numpy.array(KEYS, dtype=numpy.uint64) + numpy.uint64(len(WORDS))},
    "unknown beginning": {"keys": numpy.array([*KEYS[:-1], 99 << 32], dtype=numpy.uint64)},
    "repeated n-gram": {"keys": numpy.array([KEYS[0]] * len(KEYS), dtype=numpy.uint64)},
    "more than documents": {"counts": numpy.array(COUNTS, dtype=numpy.uint32) + numpy.uint32(DOCUMENTS)},
    "no documents": {"counts": numpy.zeros(len(COUNTS), dtype=numpy.uint32)},
    "fractions": {"counts": numpy.array(COUNTS) / 2},
    "repeated word": {"words": numpy.frombuffer("\n".join(["a"] * len(WORDS)).encode(), dtype=numpy.uint8)},
    "too few numbers": {"numbers": numpy.array([3, 3])},
    "pickled": {"words": numpy.array(["a"], dtype=object)},
}


@pytest.mark.parametrize("name", INCONSISTENT)
def test_arrays_that_do_not_fit_are_refused(saved, name):
    with numpy.load(saved) as stored:
        arrays = {array: stored[array] for array in stored.files}
    arrays.update(INCONSISTENT[name])
    stream = io.BytesIO()
    numpy.savez(stream, **{array: value for array, value in arrays.items() if value is not None})
    path = saved.with_name("rewritten.idf")
    path.write_bytes(stream.getvalue())
    with pytest.raises(DataError, match="not an idf file"):
        load_fresh(path)


def test_other_files_are_refused(tmp_path):
    numpy.save(tmp_path / "one.npy", numpy.zeros(3))
    (tmp_path / "text").write_text("{}")
    for name in ("one.npy", "text"):
        with pytest.raises(DataError, match="not an idf file"):
            load_fresh(tmp_path / name)
    with pytest.raises(DataError, match="No such file"):
        load_fresh(tmp_path / "missing")
