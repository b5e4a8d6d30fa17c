"""Repeated keys, against a plain set; fingerprints; and the pause of the garbage collector."""

import gc

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable.io.duplicates import SeenKeys
from factable.io.read import gc_paused
from factable.kernels import fingerprints
from factable.types import Example, Table

keys = st.one_of(st.integers(1, 12), st.sampled_from([2**63, 2**64 - 1, 2**64 - 2]))


@given(st.lists(st.lists(keys, max_size=20), max_size=12))
@settings(max_examples=300)
def test_against_a_plain_set(batches):
    seen, known = SeenKeys(), set()
    for batch in batches:
        repeated = []
        for index, key in enumerate(batch):
            if key in known:
                repeated.append(index)
            known.add(key)
        assert seen.add(numpy.array(batch, dtype=numpy.uint64).tobytes()) == repeated


def test_many_batches_of_unequal_size():
    random = numpy.random.default_rng(0)
    seen, known = SeenKeys(), set()
    for size in (1, 1000, 1, 1, 3, 5000, 2, 700, 700, 700, 0, 1):
        batch = random.integers(1, 20_000, size, dtype=numpy.uint64)
        repeated = []
        for index, key in enumerate(batch.tolist()):
            if key in known:
                repeated.append(index)
            known.add(key)
        assert seen.add(batch.tobytes()) == repeated


names = st.text(st.characters(), max_size=4)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=10, unique=True))
def test_different_names_have_different_fingerprints(pairs):
    packed = fingerprints([Example(item, system, "", Table(())) for item, system in pairs])
    assert len(packed) == 8 * len(pairs)
    assert SeenKeys().add(packed) == []


def test_where_item_ends_and_system_begins_counts():
    pairs = [("ab", ""), ("a", "b"), ("", "ab"), ("a\x00", "b"), ("a", "\x00b")]
    assert SeenKeys().add(fingerprints([Example(*pair, "", Table(())) for pair in pairs])) == []


@pytest.fixture
def collector():
    was = gc.isenabled()
    yield
    (gc.enable if was else gc.disable)()


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_the_collector_is_as_it_was_after_a_pause(enabled, fails):
    (gc.enable if enabled else gc.disable)()

    @gc_paused
    def work(value, *, fails):
        """Says so."""
        assert not gc.isenabled()
        nested(value)
        assert not gc.isenabled()
        if fails:
            raise ValueError(value)
        return value

    @gc_paused
    def nested(value):
        assert not gc.isenabled()
        return value

    if fails:
        with pytest.raises(ValueError, match="3"):
            work(3, fails=True)
    else:
        assert work(3, fails=False) == 3
    assert gc.isenabled() == enabled
    assert (work.__name__, work.__doc__) == ("work", "Says so.")
