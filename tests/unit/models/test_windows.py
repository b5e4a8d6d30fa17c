"""Long pairs: every piece fits the window, nothing is left out, and one documented rule combines them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable.models.nli import OnnxNli, TextPair, combine, predict, split_pair
from factable.models.runtime.manifest import embedded_folder
from factable.models.runtime.progress import no_progress

SENTENCE = "The text of a sentence that is quite typical for these data sets, with some names. "


class Narrow:
    """The real tokenizer and model, with a window of any size."""

    def __init__(self, model, window):
        self.model, self.window, self.received = model, window, []

    def count_tokens(self, pairs):
        return self.model.count_tokens(pairs)

    def probabilities(self, pairs, advance):
        self.received += pairs
        return self.model.probabilities(pairs, advance)


@pytest.fixture(scope="module")
def model():
    return OnnxNli(embedded_folder("nli"))


def pieces(grid):
    return [pair for row in grid for pair in row]


def without_space(text):
    return "".join(text.split())


def assert_fits_and_is_whole(model, pair, grid):
    assert max(model.count_tokens(pieces(grid))) <= model.window
    # All white space is left out, because pieces of one sentence are cut at it.
    assert without_space("".join(piece.premise for piece in grid[0])) == without_space(pair.premise)
    assert without_space("".join(row[0].hypothesis for row in grid)) == without_space(pair.hypothesis)
    for row in grid:
        assert [piece.premise for piece in row] == [piece.premise for piece in grid[0]]
        assert len({piece.hypothesis for piece in row}) == 1


words = st.sampled_from(["Ada", "was", "born.", "愛" * 30, "x" * 150, "a-b/c" * 30, "\n\n", "\t", "é", "3.5"])
texts = st.lists(words | st.text(max_size=8), max_size=60).map(" ".join) | st.text(max_size=200)


@settings(max_examples=60)
@given(premise=texts, hypothesis=texts, window=st.sampled_from([64, 100]))
def test_pieces_fit_and_nothing_is_lost(model, premise, hypothesis, window):
    narrow = Narrow(model, window)
    pair = TextPair(premise, hypothesis)
    assert_fits_and_is_whole(narrow, pair, split_pair(narrow, pair))


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 400,
        SENTENCE.replace(".", "") * 400,
        "愛" * 5000,
        "x" * 30_000,
        "ab-" * 5000,
        "word\n" * 5000,
    ],
    ids=["sentences", "one sentence", "no spaces", "one word", "hyphens", "lines"],
)
def test_texts_of_any_kind_and_length(model, text):
    for pair in (TextPair(text, "Ada was born."), TextPair("Ada was born.", text)):
        assert_fits_and_is_whole(model, pair, split_pair(model, pair))


def test_texts_are_cut_at_sentences(model):
    narrow = Narrow(model, 64)
    grid = split_pair(narrow, TextPair(SENTENCE * 6, "Ada was born. " * 30))
    for pair in pieces(grid):
        assert pair.premise.endswith("names.")
        assert pair.hypothesis.endswith("born.")
    # More than one sentence goes into a piece where it fits.
    assert grid[0][0].hypothesis.startswith("Ada was born. Ada was born. ")


def test_a_short_premise_leaves_room(model):
    short, long = "Ada was born.", SENTENCE * 30
    assert len(split_pair(model, TextPair(short, long))) <= 3
    assert len(split_pair(model, TextPair(long, short))[0]) <= 3


def test_the_rule_that_combines():
    # Labels are entailment, neutral, contradiction; two pieces of the hypothesis, three of the premise.
    says_much, entails_more = [0.6, 0.1, 0.3], [0.7, 0.3, 0.0]
    contradicts = [0.05, 0.05, 0.9]
    neutral = [0.2, 0.8, 0.0]
    first = [neutral, says_much, entails_more]
    assert combine(np.array([first])).tolist() == says_much
    assert combine(np.array([first, [neutral, neutral, contradicts]])).tolist() == contradicts
    assert combine(np.array([[neutral], [says_much]])).tolist() == neutral
    assert combine(np.array([[neutral]])).tolist() == neutral


def test_long_pairs_among_short_ones(model):
    narrow = Narrow(model, 64)
    long = TextPair(SENTENCE * 5, "Ada was born. " * 20)
    other = TextPair(SENTENCE * 5, "Ada was born.")
    short = [TextPair("Ada was born.", "Ada lived."), TextPair("", "")]
    pairs = [long, short[0], other, short[1], long]
    heard = []
    answers = predict(narrow, pairs, heard.append)
    assert sum(heard) == len(pairs)
    assert max(model.count_tokens(narrow.received)) <= 64
    assert answers[0].tolist() == answers[4].tolist()
    assert answers[[1, 3]].tolist() == model.probabilities(short, no_progress).tolist()
    for index in (0, 2):
        grid = split_pair(narrow, pairs[index])
        rows = model.probabilities(pieces(grid), no_progress).reshape(len(grid), len(grid[0]), 3)
        assert answers[index].tolist() == combine(rows).tolist()


@pytest.mark.parametrize("pairs", [[], [TextPair(SENTENCE * 5, SENTENCE)]], ids=["none", "all long"])
def test_none_and_nothing_but_long_pairs(model, pairs):
    assert predict(Narrow(model, 64), pairs, no_progress).shape == (len(pairs), 3)


def test_what_fits_is_not_split(model):
    narrow = Narrow(model, 64)
    pair = TextPair("Ada was born. " * 8, "Ada was born. " * 6)
    (size,) = model.count_tokens([pair])
    narrow.window = size
    predict(narrow, [pair], no_progress)
    assert narrow.received == [pair]
    narrow.window = size - 1
    predict(narrow, [pair], no_progress)
    assert len(narrow.received) > 2
