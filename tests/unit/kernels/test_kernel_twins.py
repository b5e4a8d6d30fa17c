"""Every compiled kernel meets its Python twin on random input: equal to the last bit."""

import json
import math
import pickle
from array import array
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable import kernels
from factable.io.data import RECORD_LIMITS
from factable.io.examples import make_example
from factable.kernels import lines as lines_twin
from factable.kernels import parent, tokens
from factable.kernels import reading as keys
from factable.kernels import reading as records
from factable.kernels.parent import ParentOptions
from factable.metrics.parent.counts import Counts, from_pairs
from factable.types import Example, Record, Table

pytestmark = pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were not compiled")

SPECIAL = [
    "İ", "ß", "ΑΣ", "Σ'Α", "\u212a", "中", "日", "カ", "e\u0301", "\u0301", "\ud800", "\udfff", "\U0001f600",
    "ﬁ", "Ⅷ", "\u200c", "\u200d", "_", "\x00", "\x1c", "\x85", "\u3000", "\u2028", "\t", " ", "-", "A", "9",
]  # fmt: skip
any_text = st.lists(
    st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=()), st.text(max_size=5)),
    max_size=20,
).map("".join)

# Few words, so that n-grams repeat and meet in table, text and references.
WORDS = ["a", "b", "c", "B", "İ", "é", "中", "\ud800", "of", "birth_place", ","]
TABLE_WORDS = ["a", "b", "c", "İ", "birth_place", "birthPlace", "_", ""]


def sentences(max_words: int) -> st.SearchStrategy[str]:
    words = st.lists(st.sampled_from(WORDS), max_size=max_words)
    return st.one_of(words.map(" ".join), words.map(" ".join), words.map("".join))


record_strategy = st.builds(
    Record, st.one_of(st.just(""), sentences(2)), st.sampled_from(TABLE_WORDS), sentences(4)
)
examples_strategy = st.lists(
    st.builds(
        Example,
        any_text,
        any_text,
        sentences(25),
        st.builds(
            Table, st.lists(record_strategy, max_size=4).map(tuple), st.one_of(st.just(""), sentences(2))
        ),
        st.lists(sentences(12), max_size=3).map(tuple),
    ),
    max_size=4,
)
options_strategy = st.builds(
    ParentOptions,
    st.sampled_from(tokens.TOKENIZERS),
    st.sampled_from(["overlap", "cooccurrence", "none"]),
    st.sampled_from([None, 0.0, 0.3, 1.0]),
    st.integers(1, 6),
    st.sampled_from([0.0, 1e-5]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
VOCABULARY = {word: number for number, word in enumerate(["a", "b", "c", "i̇", "é", "中", "birth_place", ","])}
# A counts file may hold an empty word; it is never a word of a table.
VOCABULARY[""] = len(VOCABULARY)


@st.composite
def counts_strategy(draw: st.DrawFn) -> Counts:
    number = st.integers(0, len(VOCABULARY) - 1)
    pairs = draw(st.dictionaries(st.tuples(number, number), st.integers(0, 4), max_size=30))
    totals = draw(
        st.lists(st.integers(0, 4), min_size=len(VOCABULARY), max_size=len(VOCABULARY)),
    )
    order = sorted(pairs)
    return from_pairs(
        dict(VOCABULARY),
        np.array(totals, dtype=np.uint32),
        np.array([row << 32 | column for row, column in order], dtype=np.uint64),
        np.array([pairs[pair] for pair in order], dtype=np.uint32),
    )


def assert_same(examples: list[Example], options: ParentOptions, counts: Counts | None) -> None:
    columns, codes = kernels.score_parent(examples, options, counts)
    twin_columns, twin_codes = parent.score_parent(examples, options, counts)
    assert codes == twin_codes
    assert columns.keys() == twin_columns.keys()
    for part, values in columns.items():
        assert isinstance(values, array)
        assert list(map(bits, values)) == list(map(bits, twin_columns[part])), part


def bits(value: float) -> str:
    return "nan" if math.isnan(value) else value.hex()


@settings(max_examples=300)
@given(any_text, st.sampled_from(tokens.TOKENIZERS))
def test_tokens(text: str, tokenizer: str) -> None:
    assert kernels.tokenize(text, tokenizer) == tokens.tokenize(text, tokenizer)


def test_tokens_of_every_character() -> None:
    for start in range(0, 0x110000, 0x1000):
        text = " ".join(f"a{chr(code)}a" for code in range(start, start + 0x1000, 7))
        assert kernels.tokenize(text) == tokens.tokenize(text)


@settings(max_examples=200)
@given(examples_strategy, options_strategy, counts_strategy())
def test_parent(examples: list[Example], options: ParentOptions, counts: Counts) -> None:
    assert_same(examples, options, counts)


def test_parent_buffers_grow_and_are_reused() -> None:
    table = Table((Record("s", "p", "w3 w5 w4"), Record("", "q", "w0 é")))
    texts = ["", "w1 w2 w1", " ".join(f"w{number % 700}" for number in range(3000)), "é " * 50, "w0"]
    examples = [Example(str(n), "", text, table, (texts[n - 1], text[:40])) for n, text in enumerate(texts)]
    for orders in (1, 4, 20):
        assert_same(examples, ParentOptions("words", "overlap", None, orders, 1e-5, False, False), None)


@given(st.binary(max_size=40))
def test_lines_of_bytes(content: bytes) -> None:
    assert kernels.count_lines(content) == keys.count_lines(content) == content.count(10)


@given(st.lists(st.one_of(st.integers(1, 9), st.integers(1, 2**64 - 1)), max_size=20))
def test_keys_in_a_table(added: list[int]) -> None:
    quick, plain = array("Q", bytes(8 * 32)), array("Q", bytes(8 * 32))
    packed = array("Q", added).tobytes()
    repeated = [index for index, key in enumerate(added) if key in added[:index]]
    assert kernels.put_keys(quick, packed) == keys.put_keys(plain, packed) == repeated
    assert quick == plain


@settings(max_examples=200)
@given(st.lists(st.builds(Example, any_text, any_text, st.just(""), st.just(Table(()))), max_size=5))
def test_fingerprints(examples: list[Example]) -> None:
    assert kernels.fingerprints(examples) == keys.fingerprints(examples)
    assert len(kernels.fingerprints(examples)) == 8 * len(examples)


row_strategy = st.one_of(
    st.lists(st.text(max_size=3), min_size=3, max_size=3),
    st.lists(st.text(max_size=3), min_size=3, max_size=3),
    st.lists(st.one_of(st.text(max_size=3), st.none(), st.integers()), max_size=4),
    st.tuples(st.text(max_size=2), st.text(max_size=2), st.text(max_size=2)),
    st.just("abc"),
    st.just([np.str_("a"), "b", "c"]),
)


@settings(max_examples=200)
@given(st.lists(row_strategy, max_size=4))
def test_make_records(rows: list[object]) -> None:
    result = kernels.make_records(rows)
    assert result == records.make_records(rows)
    assert result is None or all(type(record) is Record for record in result)


class Odd(dict):
    """An object of a kind that is not JSON's own."""


scalars = st.one_of(
    st.text(max_size=3),
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.floats(allow_nan=True),
    st.just(b"bytes"),
    st.just(np.float64(1.5)),
)
nested = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(0, 3)), inner, max_size=3),
        st.dictionaries(st.text(max_size=3), inner, max_size=2).map(Odd),
        st.tuples(inner, inner),
    ),
    max_leaves=12,
)
row_objects = st.dictionaries(st.text(max_size=3), nested, max_size=3)


def outcome(make: Callable[..., object], *arguments: object) -> object:
    """What a function returns, or the error it raises."""
    try:
        return make(*arguments)
    except records.NoRecordError as error:
        # NaN is not equal to itself.
        return error.reason, repr(error.found), error.path


@settings(max_examples=400)
@given(nested, st.sampled_from([(3, 2, 5), (100, 100, 1000)]))
def test_flatten(data: object, limits: tuple[int, int, int]) -> None:
    assert outcome(kernels.flatten, data, "s", *limits) == outcome(records.flatten, data, "s", *limits)


@settings(max_examples=200)
@given(st.lists(row_objects, max_size=3), st.sampled_from([(3, 2, 5), (100, 100, 1000)]))
def test_flatten_rows(rows: list[dict[str, object]], limits: tuple[int, int, int]) -> None:
    assert outcome(kernels.flatten_rows, rows, *limits) == outcome(records.flatten_rows, rows, *limits)


short_text = st.text(alphabet='a":| é', max_size=4)
data_values = st.one_of(
    st.dictionaries(short_text, st.one_of(short_text, st.none(), st.integers(0, 9)), max_size=3),
    st.lists(st.lists(short_text, min_size=3, max_size=3), max_size=3),
    st.lists(st.dictionaries(short_text, short_text, max_size=3), max_size=3),
    st.lists(st.one_of(short_text, st.dictionaries(short_text, short_text, max_size=2)), max_size=2),
    nested,
)
odd_values = st.one_of(short_text, st.none(), st.integers(0, 3), st.just([]), st.just({"a": 1}))
lines = st.fixed_dictionaries(
    {"data": data_values, "text": short_text},
    optional={
        "id": odd_values,
        "system": odd_values,
        "references": st.one_of(st.lists(short_text, max_size=2), st.lists(odd_values, max_size=2)),
        "subject": odd_values,
        "title": odd_values,
        "human": odd_values,
        "note": odd_values,
    },
)


def check_line(raw: bytes) -> None:
    """The compiled reader makes the example that the general one makes, or leaves the line to it."""
    read, numbers, all_read = kernels.read_lines(b"\n" + raw + b"\n \n", 7, 10_000, *RECORD_LIMITS)
    if not raw or raw.isspace():
        assert (read, list(numbers), all_read) == ([], [], True)
        return
    assert list(numbers) == [8]
    if not all_read:
        assert read == [raw]
        return
    (made,) = read
    expected = make_example(orjson.loads(raw), 8, raw)
    assert made == expected
    assert (made.extra, made.table.source) == (expected.extra, expected.table.source)


changes = st.lists(
    st.tuples(st.integers(0, 300), st.sampled_from([b"", *(bytes([byte]) for byte in range(256))])),
    max_size=2,
)


@settings(max_examples=1000)
@given(lines, st.booleans(), st.booleans(), changes)
def test_lines(
    line: dict[str, object], ascii_only: bool, twice: bool, changed: list[tuple[int, bytes]]
) -> None:
    try:
        raw = json.dumps(line, ensure_ascii=ascii_only, indent=1 if twice else None).encode()
    except (TypeError, UnicodeEncodeError):
        return
    raw = raw.replace(b"\n", b"\r")
    raw = raw[:-1] + b',"text":"again"}' if twice else raw
    for place, byte in changed:
        raw = raw[:place] + byte.replace(b"\n", b"") + raw[place + 1 :]
    check_line(raw)


@pytest.mark.parametrize(
    "number",
    ["0", "-0", "00", "1.50", "1e5", "1E400", "+1", "-", ".5", "9" * 18, "9" * 19, "9" * 30, "-12", "1-2"],
)
def test_numbers_in_lines(number: str) -> None:
    check_line(b'{"id": 5, "data": {"n": %s, "m": [%s]}, "text": "t"}' % (number.encode(), number.encode()))


@pytest.mark.parametrize(
    "end", [b"", b" ", b"}", b"x", b"\x00", b"\\", b'"', b"\xff", b",", b"\xe4\xb8", b"\\u12", b"\t\r"]
)
def test_lines_that_are_cut_off(end: bytes) -> None:
    line = b'{"id": "1", "data": {"a": "b\\n\xc3\xa9", "c": [true, null, {"d": 1}]}, "text": "t"}'
    for size in range(len(line) + 1):
        check_line(line[:size] + end)


def test_usual_lines_are_read_by_compiled_code() -> None:
    for data in ({"a": "b", "c": {"d": 1}}, [["s", "a", "v"]], [{"name": "x", "size": 3}], {}, []):
        source = {"id": "1", "data": data, "text": "a é", "references": ["c"], "title": "t"}
        raw = json.dumps(source).encode()
        (made,), _, all_read = kernels.read_lines(raw, 7, 1000, *RECORD_LIMITS)
        assert all_read
        assert made == make_example(source, 7, raw)
        assert pickle.loads(pickle.dumps(made)) == made
        with pytest.raises(FrozenInstanceError):
            made.text = ""
        unread = kernels.read_lines(raw, 7, len(raw), *RECORD_LIMITS)
        assert (unread[0], list(unread[1]), unread[2]) == lines_twin.read_lines(raw, 7, 0, *RECORD_LIMITS)


json_values = st.recursive(
    st.one_of(st.text(alphabet='":\\{}[] é', max_size=5), st.integers(0, 9), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(alphabet='":\\ a', max_size=3), inner)
    ),
    max_leaves=10,
)


@settings(max_examples=200)
@given(json_values)
def test_colons_and_names(value: object) -> None:
    raw = json.dumps(value, ensure_ascii=False).encode()
    names = records.count_names(value)
    assert kernels.count_names(value) == names
    assert kernels.count_colons(raw) == records.count_colons(raw) == names


def test_subclasses_of_str_and_tuples_of_examples() -> None:
    word = np.str_("Ab É c")
    example = Example(word, word, word, Table((Record(word, word, word),), word), (word, np.str_("x")))
    for tokenizer in tokens.TOKENIZERS:
        options = ParentOptions(tokenizer, "overlap", None, 4, 1e-5, False, False)
        assert_same([example], options, None)
        assert kernels.score_parent((example,), options, None) == kernels.score_parent(
            [example], options, None
        )
        assert kernels.tokenize(word, tokenizer) == tokens.tokenize(word, tokenizer)
    assert kernels.fingerprints((example,)) == keys.fingerprints([example])


def test_counts_that_cannot_be_written_to() -> None:
    pairs = np.array([1], dtype=np.uint32)
    counts = from_pairs(
        {"a": 0, "b": 1}, np.array([2, 2], dtype=np.uint32), np.array([1], dtype=np.uint64), pairs
    )
    for values in (counts.totals, counts.starts, counts.columns, counts.pairs):
        values.setflags(write=False)
    example = Example("", "", "a b", Table((Record("", "", "a"),)), ("b a",))
    assert_same([example], ParentOptions("words", "cooccurrence", None, 2, 0.0, False, False), counts)


OPTIONS = ParentOptions("words", "overlap", None, 4, 1e-5, False, False)
TABLE = Table((Record("", "a", "x"),))


@pytest.mark.parametrize("wrong", [None, 3, b"x", ["x"]])
def test_what_is_no_text_is_refused(wrong: object) -> None:
    faulty = [
        Example("", "", wrong, TABLE, ("x",)),  # type: ignore[arg-type]
        Example("", "", "x", TABLE, (wrong,)),  # type: ignore[arg-type]
        Example("", "", "x", Table((Record("", "", wrong),)), ("x",)),  # type: ignore[arg-type]
        Example("", "", "x", Table((wrong,)), ("x",)),  # type: ignore[arg-type]
    ]
    for example in faulty:
        with pytest.raises(TypeError, match=r"must be a str|holds Records"):
            kernels.score_parent([example], OPTIONS, None)
    with pytest.raises(TypeError, match="must be a str"):
        kernels.tokenize(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must be str"):
        kernels.fingerprints([Example("", wrong, "", TABLE)])  # type: ignore[arg-type]


def test_records_too_short_are_refused() -> None:
    with pytest.raises(TypeError, match="holds Records, not tuple"):
        kernels.score_parent([Example("", "", "x", Table((("a",),)), ("x",))], OPTIONS, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("change", ["totals", "starts", "pairs", "vocabulary", "none"])
def test_counts_of_the_wrong_kind_are_refused(change: str) -> None:
    counts = {
        "vocabulary": {"a": 0, "b": 1},
        "totals": np.array([2, 2], dtype=np.uint32),
        "starts": np.array([0, 1, 1], dtype=np.int64),
        "columns": np.array([1], dtype=np.uint32),
        "pairs": np.array([1], dtype=np.uint32),
    }
    wrong = {
        "totals": np.array([2, 2], dtype=np.uint64),
        "starts": np.array([0, 1, 1], dtype=np.float64),
        "pairs": np.array([[1]], dtype=np.uint32),
        "vocabulary": {"a": 0, "x": 2},
    }
    given_counts = None if change == "none" else Counts(**(counts | {change: wrong[change]}))  # type: ignore[arg-type]
    example = Example("", "", "x b", TABLE, ("x a",))
    with pytest.raises(ValueError, match="counts"):
        kernels.score_parent([example], OPTIONS._replace(entailment="cooccurrence"), given_counts)
