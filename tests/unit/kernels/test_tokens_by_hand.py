"""The tokenisers, token spans and attribute tokens on cases worked out by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factable import kernels
from factable.kernels import tokens
from factable.kernels.tokens import TOKENIZERS, attribute_token, token_spans

CASES = [
    ("words", "", []),
    ("words", " \t\n", []),
    ("words", "Dr. Smith's 3.5 km", ["dr", ".", "smith", "'", "s", "3", ".", "5", "km"]),
    ("words", "birth_place", ["birth", "place"]),
    ("words", "STRAßE Straße", ["straße", "straße"]),
    ("words", "İstanbul", ["i̇stanbul"]),
    ("words", "ΟΔΟΣ", ["οδος"]),
    ("words", "cafe\u0301!", ["cafe\u0301", "!"]),
    ("words", "東京 is 東", ["東", "京", "is", "東"]),
    ("words", "می\u200cخواهم", ["می\u200cخواهم"]),
    ("words", "한국어", ["한국어"]),
    ("words", "a\u3000b\x85c", ["a", "b", "c"]),
    ("words", "x\ud800y", ["x", "\ud800", "y"]),
    ("words", "👍🏽", ["👍", "🏽"]),
    ("words", "\u212a", ["k"]),
    ("whitespace", "Dr. Smith's_X  東京\u2003É", ["dr.", "smith's_x", "東京", "é"]),
    ("whitespace", "\x00A\x1cB", ["\x00a", "b"]),
    ("whitespace-cased", "Dr. Smith's_X  東京\u2003É", ["Dr.", "Smith's_X", "東京", "É"]),
    ("whitespace-cased", "İ ß", ["İ", "ß"]),
    ("ascii", "Dr. Smith's_X2 É東京", ["dr", "smith", "s", "x2"]),
    ("ascii", "İK", ["i", "k"]),
]


@pytest.mark.parametrize("tokenize", [kernels.tokenize, tokens.tokenize], ids=["kernel", "twin"])
@pytest.mark.parametrize(("tokenizer", "text", "expected"), CASES)
def test_tokens(tokenize, tokenizer: str, text: str, expected: list[str]) -> None:
    assert tokenize(text, tokenizer) == expected


def test_words_is_the_default() -> None:
    assert kernels.tokenize("A_b.") == tokens.tokenize("A_b.") == ["a", "b", "."]


def test_spans_are_places_in_the_original_text() -> None:
    assert token_spans("Aİ, İb") == [("ai̇", 0, 2), (",", 2, 3), ("i̇b", 4, 6)]
    assert token_spans("İ İ", "whitespace") == [("i̇", 0, 1), ("i̇", 2, 3)]
    assert token_spans("İ  x", "whitespace-cased") == [("İ", 0, 1), ("x", 3, 4)]
    assert token_spans("İb", "ascii") == [("i", 0, 1), ("b", 1, 2)]
    assert token_spans("") == []


@settings(max_examples=200)
@given(
    st.text(st.one_of(st.sampled_from("İIißΣσAb 中_-\ud800"), st.characters(exclude_categories=()))),
    st.sampled_from(TOKENIZERS),
)
def test_spans_hold_their_tokens_in_order(text: str, tokenizer: str) -> None:
    last = 0
    for token, start, end in token_spans(text, tokenizer):
        assert last <= start < end <= len(text)
        last = end
        piece = text[start:end] if tokenizer == "whitespace-cased" else text[start:end].lower()
        # Whether a sigma is final depends on the letters around, which the piece has lost.
        if tokenizer == "ascii":
            # Of "İ", in lower case an i and a dot above, this one keeps the i.
            piece = piece.replace("i̇", "i")
        assert piece.replace("ς", "σ") == token.replace("ς", "σ")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("birthPlace", "birth_place"),
        ("birth_place", "birth_place"),
        ("Birth place", "birth_place"),
        ("areaTotal(km²)", "area_total_(_km²_)"),
        ("isPartOf", "is_part_of"),
        ("ISBN", "isbn"),
        ("éÀ", "é_à"),
        ("_", ""),
        ("", ""),
    ],
)
def test_attribute_tokens(name: str, expected: str) -> None:
    assert attribute_token(name) == expected


def test_attribute_tokens_at_white_space_keep_camel_case_together() -> None:
    assert attribute_token("birthPlace of", "whitespace") == "birthplace_of"
    assert attribute_token("birthPlace of", "whitespace-cased") == "birthPlace_of"
