"""Words as they are compared: what is one word, and where it stands."""

import pytest

from factable.text.values.words import split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("14/32 1:25 3.5, 1,500.", ["14/32", "1:25", "3.5", "1,500"]),
        ("26.08.1942", ["26.08.1942"]),
        # Digits that go on as letters hang together with nothing.
        ("1.2.5km", ["1", "2", "5km"]),
        ("1.2.a", ["1.2", "a"]),
        ("1.5_2", ["1.5", "2"]),
        ("Ada's O’Neill and Ó", ["ada", "oneill", "o"]),
    ],
)
def test_words(text, words):
    assert [word.folded for word in split_words(text)] == words
    assert all(text[word.start : word.end] for word in split_words(text))
