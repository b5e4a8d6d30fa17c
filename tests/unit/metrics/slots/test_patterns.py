"""Pattern files: what is in them is found, and what is wrong with them is said in one line."""

import warnings

import pytest

from factable.errors import DataError
from factable.metrics.slots.patterns import load_patterns


def write(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def first_match(patterns, slot, value, text):
    match = patterns.by_slot[slot][value].search(text)
    return match[0] if match else None


def test_pieces_spaces_and_values_as_they_stand(tmp_path):
    text = """
    [pieces]
    pound = '(?:£|pounds?)'
    twenty = '<pound> ?20|20 <pound>'
    [price]
    low = ['under <twenty>']
    "Café Rouge" = []
    [compat.price]
    low = ['cheap']
    """
    patterns = load_patterns(write(tmp_path, text))
    assert first_match(patterns, "price", "low", "It is Under £20.") == "Under £20"
    assert first_match(patterns, "price", "low", "under  20 - pounds") == "under  20 - pounds"
    assert first_match(patterns, "price", "low", "thunder £20") is None
    assert first_match(patterns, "price", "Café Rouge", "the cafe-rouge") == "cafe-rouge"
    original = load_patterns(write(tmp_path, text), compat=True)
    assert first_match(original, "price", "low", "under £20, cheap") == "cheap"


def test_values_are_known_in_other_spaces_and_capitals():
    patterns = load_patterns("e2e")
    assert patterns.known("priceRange", "£ 20 - 25") == "£20-25"
    assert patterns.known("food", "chinese") == "Chinese"
    assert patterns.known("food", "Thai") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("food = 3", "'food' is no section"),
        ("[food", "broken TOML"),
        ("[food]\nThai = 'thai'", "food, Thai: no list of patterns"),
        ("[food]\nThai = ['(thai']", "food, Thai: not a regular expression"),
        ("[food]\nThai = ['<spicy> food']", "no piece <spicy>"),
        ("pieces = 3", "'pieces' is no section"),
        ("compat = 3", "'compat' is no section"),
    ],
)
def test_faults(tmp_path, text, said):
    with pytest.raises(DataError) as caught:
        load_patterns(write(tmp_path, text))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["[[[[[[[[", "[[a]", "[a--b]", "[a&&b]", "[a||b]", "[a~~b]", "x(?i)y"])
def test_dubious_patterns_are_faults_and_never_warnings(tmp_path, pattern):
    path = write(tmp_path, f"[food]\nThai = ['{pattern}']")
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with pytest.raises(DataError) as caught:
            load_patterns(path)
    assert shown == []
    assert str(caught.value).startswith(f"{path}: food, Thai: not a regular expression (")
    assert "\n" not in str(caught.value)
