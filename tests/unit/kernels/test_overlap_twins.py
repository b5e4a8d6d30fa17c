"""The kernels of ROUGE, CIDEr, NIST and TER meet their Python twins on random input, to the last bit."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable import kernels
from factable.kernels import cider, frequencies, nist, rouge, ter
from factable.kernels.tokens import TOKENIZERS
from factable.kernels.words import WordOptions
from factable.types import Example, Table

pytestmark = pytest.mark.skipif(not kernels.COMPILED, reason="the kernels were not compiled")

# Few words, so that they repeat; marks without letters, case, and words that `shorten` drops or joins.
WORDS = [
    "a",
    "b",
    "B",
    "aa",
    "ab",
    "İ",
    "é",
    "中",
    "日",
    "\ud800",
    "\u0301",
    ",",
    "-",
    "_",
    "\n",
    "\n\n",
    "1",
    "x" * 9,
]


def shorten(word: str) -> str:
    """A stemmer that maps words onto each other, and some onto nothing."""
    return {"aa": "a", "ab": "aa", "b": "中", "1": "", "é": "new"}.get(word, word)


texts = st.lists(st.sampled_from(WORDS), max_size=25).flatmap(
    lambda words: st.sampled_from([" ".join(words), "".join(words)])
)
examples_strategy = st.lists(
    st.builds(
        Example,
        st.sampled_from("ijk"),
        st.just("s"),
        texts,
        st.just(Table(())),
        st.lists(texts, max_size=4).map(tuple),
    ),
    max_size=5,
)
readings = st.builds(
    WordOptions, st.sampled_from(TOKENIZERS), st.booleans(), st.one_of(st.none(), st.just(shorten))
)


def as_bytes(result):
    columns, codes = result
    return {name: column.tobytes() for name, column in columns.items()}, codes


@settings(max_examples=200)
@given(examples_strategy, st.sampled_from([*"12359", "L", "Lsum"]), readings, st.booleans())
def test_rouge(examples, kind, reading, strict):
    options = rouge.RougeOptions(kind, reading, strict)
    assert as_bytes(kernels.score_rouge(examples, options)) == as_bytes(rouge.score_rouge(examples, options))


def test_rouge_of_long_texts():
    long = [" ".join(f"w{(index * step) % 1009}" for index in range(900)) for step in (1, 7, 13)]
    lines = [text.replace("0 ", "0\n") for text in long]
    for kind, pieces in (("L", long), ("4", long), ("Lsum", long), ("Lsum", lines)):
        options = rouge.RougeOptions(kind, WordOptions("words"))
        examples = [
            Example("i", "s", pieces[0], Table(()), tuple(pieces[1:])),
            Example("j", "s", "w1", Table(()), ("w1",)),
        ]
        assert as_bytes(kernels.score_rouge(examples, options)) == as_bytes(
            rouge.score_rouge(examples, options)
        )


def documents_as_dict(frequencies):
    """N-grams by their words, whatever their numbers."""
    stored = frequencies.store()
    ngrams = [(word,) for word in stored.words]
    for key in stored.keys:
        ngrams.append((*ngrams[key >> 32], stored.words[key & 0xFFFFFFFF]))
    assert len(set(ngrams)) == len(ngrams) == len(stored.counts)
    return dict(zip(ngrams, stored.counts, strict=True)), stored.total


@settings(max_examples=200)
@given(
    examples_strategy,
    examples_strategy,
    readings,
    st.sampled_from([1, 2, 4, 7]),
    st.builds(
        cider.CiderOptions,
        st.sampled_from([1.0, 10.0]),
        st.booleans(),
        st.one_of(st.none(), st.sampled_from([0.5, 6.0])),
        st.booleans(),
    ),
)
def test_cider(counted, examples, reading, orders, options):
    documents = [example.references for example in counted] or [("a",)]
    quick = kernels.count_documents(documents, reading, orders)
    plain = frequencies.count_documents(documents, reading, orders)
    assert documents_as_dict(quick) == documents_as_dict(plain)
    expected = as_bytes(cider.score_cider(examples, plain, options))
    assert as_bytes(kernels.score_cider(examples, quick, options)) == expected
    # Either's frequencies come back in the other.
    restored = kernels.restore_frequencies(plain.store(), reading, orders)
    assert as_bytes(kernels.score_cider(examples, restored, options)) == expected
    restored_plain = frequencies.restore_frequencies(quick.store(), reading, orders)
    assert as_bytes(cider.score_cider(examples, restored_plain, options)) == expected


def test_cider_of_many_documents():
    """Enough n-grams for the tables to grow several times."""
    reading = WordOptions("words")
    documents = [
        (" ".join(f"w{(index * step) % 5003}" for index in range(40)), f"w{step}") for step in range(1, 400)
    ]
    quick = kernels.count_documents(documents, reading, 4)
    plain = frequencies.count_documents(documents, reading, 4)
    assert documents_as_dict(quick) == documents_as_dict(plain)
    examples = [
        Example(str(step), "", texts[0], Table(()), (texts[0], texts[1]))
        for step, texts in enumerate(documents)
    ]
    options = cider.CiderOptions(10.0, True, 6.0)
    assert as_bytes(kernels.score_cider(examples, quick, options)) == as_bytes(
        cider.score_cider(examples, plain, options)
    )


@settings(max_examples=200)
@given(st.lists(st.tuples(texts, st.lists(texts, max_size=4)), max_size=5), st.sampled_from([1, 2, 5, 9]))
def test_nist(pairs, orders):
    said, references = [text for text, _ in pairs], [group for _, group in pairs]
    # One reference is left out and the others come again and again, as in the data of several systems.
    counted = {reference: times for times, group in enumerate(references) for reference in group if times}
    reading = WordOptions("whitespace-cased")
    quick = kernels.count_occurrences(counted, reading, orders)
    plain = frequencies.count_occurrences(counted, reading, orders)
    assert documents_as_dict(quick) == documents_as_dict(plain)
    expected = nist.sum_information(said, references, plain)
    assert kernels.sum_information(said, references, quick).tobytes() == expected.tobytes()
    travelled = pickle.loads(pickle.dumps(quick))
    assert kernels.sum_information(said, references, travelled).tobytes() == expected.tobytes()
    assert nist.sum_information(said, references, pickle.loads(pickle.dumps(plain))) == expected


# Runs of a few words, so that moves pay.
runs = st.lists(st.sampled_from(["a", "b c", "d e f a", "g", "h i", "中", "x y z a b"]), max_size=8)


@st.composite
def moved_texts(draw):
    """A text, and a reference that is the same but for an exchange of two parts and a word."""
    parts = draw(runs)
    cut, end = draw(st.integers(0, len(parts))), draw(st.integers(0, len(parts)))
    other = draw(st.one_of(runs, st.just([*parts[cut:end], *parts[:cut], "g", *parts[end:]])))
    return " ".join(parts), " ".join(other)


@settings(max_examples=60)
@given(st.lists(moved_texts(), min_size=1, max_size=3), st.integers(0, 3))
def test_ter(pairs, others):
    said = [text for text, _ in pairs]
    references = [[other for _, other in pairs][:others] for _ in pairs]
    assert kernels.count_edits(said, references) == ter.count_edits(said, references)


@pytest.mark.parametrize(("words", "others"), [(50, 50), (60, 10), (3, 400), (0, 5), (5, 0)])
def test_ter_beyond_the_beam(words, others):
    text = " ".join(f"w{index % 37}" for index in range(words))
    reference = " ".join(f"w{index * 5 % 41}" for index in range(others))
    assert kernels.count_edits([text], [[reference]]) == ter.count_edits([text], [[reference]])


def test_words_of_a_wrong_type_are_refused():
    example = Example("i", "s", "a", Table(()), (b"a",))
    with pytest.raises(TypeError, match="must be a str"):
        kernels.score_rouge([example], rouge.RougeOptions("L", WordOptions("words")))
    with pytest.raises(TypeError, match="must be a str"):
        kernels.count_documents([example.references], WordOptions("words"), 4)
    with pytest.raises(TypeError, match="must be a str"):
        kernels.count_edits(["a"], [[b"a"]])


STORED = frequencies.count_documents([("a b", "c"), ("a b c",)], WordOptions("words"), 3).store()
BROKEN = {
    "repeated word": STORED._replace(words=["a", "b", "a"]),
    "empty word": STORED._replace(words=["a", "", "c"]),
    "unknown word": STORED._replace(keys=type(STORED.keys)("Q", [99] * len(STORED.keys))),
    "unknown beginning": STORED._replace(keys=type(STORED.keys)("Q", [99 << 32] * len(STORED.keys))),
    "repeated n-gram": STORED._replace(keys=type(STORED.keys)("Q", [1] * len(STORED.keys))),
    "too few documents": STORED._replace(total=1),
    "no count": STORED._replace(counts=type(STORED.counts)("I", [0] * len(STORED.counts))),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_does_not_fit_is_refused(name):
    with pytest.raises(ValueError, match=r"word|n-gram"):
        kernels.restore_frequencies(BROKEN[name], WordOptions("words"), 3)
