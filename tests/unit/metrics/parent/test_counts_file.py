"""Counts files: what is written comes back, and what is damaged is refused."""

import contextlib
import io
import json
import zipfile

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable.core.registry import parse
from factable.errors import DataError
from factable.metrics.parent.counts import counts_checksum, from_pairs, load_counts, save_counts
from factable.train.counts import CountsBuilder
from factable.types import Example, Record, Table


def small_counts():
    builder = CountsBuilder("whitespace")
    for number in range(3):
        table = Table((Record("Ada", "birthYear", f"181{number}"), Record("", "愛", "x y")), title="T")
        builder.add(Example(str(number), "", "", table, (f"Ada was born in 181{number}", "x \ud83d")))
    return builder.finish()


def load_fresh(path):
    return load_counts(str(path))


def assert_equal(one, other):
    assert list(one.vocabulary.items()) == list(other.vocabulary.items())
    assert one.tokenizer == other.tokenizer
    for name in ("totals", "starts", "columns", "pairs"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert mine.dtype == theirs.dtype
        assert mine.tolist() == theirs.tolist()


def test_round_trip(tmp_path):
    counts = small_counts()
    save_counts(counts, tmp_path / "a.counts")
    assert_equal(load_fresh(tmp_path / "a.counts"), counts)


def test_no_counts_at_all(tmp_path):
    counts = CountsBuilder().finish()
    save_counts(counts, tmp_path / "a.counts")
    assert_equal(load_fresh(tmp_path / "a.counts"), counts)


def test_equal_counts_give_equal_bytes_and_checksums(tmp_path):
    for name in ("a", "b"):
        save_counts(small_counts(), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert counts_checksum(str(tmp_path / "a")) == counts_checksum(str(tmp_path / "b"))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "small.counts"
    save_counts(small_counts(), path)
    return path


@given(data=st.data())
@settings(max_examples=300)
def test_a_damaged_file_is_refused_or_harmless(saved, data):
    """A changed or missing byte never gives other counts, nor an error of another kind."""
    content = bytearray(saved.read_bytes())
    index = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[index:]
    else:
        content[index] ^= data.draw(st.integers(1, 255))
    broken = saved.with_name("broken.counts")
    broken.write_bytes(content)
    counts = None
    with contextlib.suppress(DataError):
        counts = load_fresh(broken)
    if counts is not None:
        assert_equal(counts, small_counts())


def test_the_message_names_the_file_and_the_way_out(saved):
    broken = saved.with_name("broken.counts")
    broken.write_bytes(saved.read_bytes()[:-1])
    with pytest.raises(DataError) as caught:
        load_fresh(broken)
    assert str(caught.value).startswith(f"{broken}: not a counts file (")
    assert str(caught.value).endswith("; make one with: factable train counts TRAIN.jsonl OUT.counts")


def rewritten(saved, **changed):
    """The file with some arrays replaced: consistent as a zip, but not in itself."""
    with numpy.load(saved) as stored:
        arrays = {name: stored[name] for name in stored.files}
    arrays.update(changed)
    stream = io.BytesIO()
    numpy.savez(stream, **{name: array for name, array in arrays.items() if array is not None})
    path = saved.with_name("rewritten.counts")
    path.write_bytes(stream.getvalue())
    return path


COUNTS = small_counts()
INCONSISTENT = {
    "no format": {"format": None},
    "other format": {"format": numpy.frombuffer(b"something-else", dtype=numpy.uint8)},
    "no pairs": {"pairs": None},
    "fewer totals": {"totals": COUNTS.totals[:-1]},
    "fewer pairs": {"pairs": COUNTS.pairs[:-1]},
    "fewer rows": {"starts": COUNTS.starts[:-1]},
    "first row elsewhere": {"starts": COUNTS.starts + (numpy.arange(len(COUNTS.starts)) == 0)},
    "last row beyond": {
        "starts": COUNTS.starts + (numpy.arange(len(COUNTS.starts)) == len(COUNTS.starts) - 1)
    },
    "rows backwards": {"starts": numpy.concatenate([[0], COUNTS.starts[1:-1][::-1], COUNTS.starts[-1:]])},
    "unknown word": {"columns": COUNTS.columns + numpy.uint32(len(COUNTS.vocabulary))},
    "row not sorted": {"columns": COUNTS.columns[::-1].copy()},
    "fractions": {"totals": COUNTS.totals / 2},
    "negative numbers": {"pairs": -COUNTS.pairs.astype(numpy.int64)},
    "wrong shape": {"pairs": COUNTS.pairs[:, None]},
    "repeated word": {"vocabulary": numpy.frombuffer(b"a\na", dtype=numpy.uint8)},
    "words not UTF-8": {"vocabulary": numpy.frombuffer(b"\xff", dtype=numpy.uint8)},
    "pickled words": {"vocabulary": numpy.array(["a"], dtype=object)},
}


@pytest.mark.parametrize("name", INCONSISTENT)
def test_arrays_that_do_not_fit_are_refused(saved, name):
    with pytest.raises(DataError, match="not a counts file"):
        load_fresh(rewritten(saved, **INCONSISTENT[name]))


def test_an_encrypted_or_unknown_archive_is_refused(saved):
    with zipfile.ZipFile(saved) as archive:
        content = bytearray(saved.read_bytes())
        index = archive.infolist()[0].header_offset
    # The flag of encryption, in the entry and in the directory at the end.
    content[index + 6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    broken = saved.with_name("encrypted.counts")
    broken.write_bytes(content)
    with pytest.raises(DataError, match="not a counts file"):
        load_fresh(broken)


GOOGLE = {"born": 20, "born|||was": 19, "born|||born": 20, "was": 3, "was|||in": 1}


def test_the_layout_of_the_authors(tmp_path):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(GOOGLE))
    counts = load_fresh(path)
    number = counts.vocabulary
    assert set(number) == {"born", "was", "in"}
    assert {word: counts.totals[index] for word, index in number.items()} == {"born": 20, "was": 3, "in": 0}
    words = list(number)
    found = {
        f"{words[row]}|||{words[counts.columns[index]]}": counts.pairs[index]
        for row in range(len(words))
        for index in range(counts.starts[row], counts.starts[row + 1])
    }
    assert found == {key: count for key, count in GOOGLE.items() if "|||" in key}


@given(
    st.dictionaries(
        st.sampled_from([*"abc", *(f"{a}|||{b}" for a in "abc" for b in "abc")]), st.integers(0, 9)
    )
)
@settings(max_examples=50)
def test_the_layout_of_the_authors_against_a_plain_look_up(tmp_path_factory, flat):
    path = tmp_path_factory.getbasetemp() / "flat.json"
    path.write_text(json.dumps(flat))
    counts = load_fresh(path)
    for row, first in enumerate(counts.vocabulary):
        assert counts.totals[row] == flat.get(first, 0)
        columns = counts.columns[counts.starts[row] : counts.starts[row + 1]].tolist()
        assert columns == sorted(set(columns))
        for word, column in counts.vocabulary.items():
            assert (column in columns) == (f"{first}|||{word}" in flat)


@pytest.mark.parametrize(
    "content",
    ["[]", "3", '{"a": -1}', '{"a": 1.5}', '{"a": true}', '{"a": null}', "{", '{"a": 99999999999}', "\ufeff"],
)
def test_other_json_is_refused(tmp_path, content):
    path = tmp_path / "counts.json"
    path.write_text(content)
    with pytest.raises(DataError, match="not a counts file"):
        load_fresh(path)


def test_words_with_bars(tmp_path):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps({"a": 2, "a||||": 1, "a|||b|||c": 1}))
    counts = load_fresh(path)
    assert counts.pairs.tolist() == [1, 1]


def test_from_pairs_of_nothing():
    none = numpy.zeros(0, dtype=numpy.uint64)
    counts = from_pairs({}, none.astype(numpy.uint32), none, none.astype(numpy.uint32))
    assert counts.starts.tolist() == [0]


def test_parent_uses_the_file(saved):
    table = Table((Record("Ada", "birthYear", "1810"),))
    example = Example("a", "", "Ada was born", table, ("she lived",))
    plain = parse("parent(mix=0.5)").score([example])
    taught = parse(f'parent(entailment="cooccurrence", counts="{saved}", mix=0.5)').score([example])
    assert plain.parts["precision"] != taught.parts["precision"]
    assert "counts:small.counts@" in taught.signature
