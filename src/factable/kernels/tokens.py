"""Tokenizers by name, one character at a time; `_tokens.py` is fast and equal.

words             lower-cased; runs of letters, digits and their marks; every other visible character, and
                  every character of a script without spaces (Chinese, Japanese), is a token of its own;
                  an underscore separates like a space
whitespace        lower-cased and split at white space
whitespace-cased  split at white space
ascii             lower-cased; runs of a-z and 0-9; everything else separates
"""

from functools import lru_cache
from unicodedata import category

TOKENIZERS = ("words", "whitespace", "whitespace-cased", "ascii")
SEPARATOR, INSIDE, ALONE = 1, 2, 3

# Han, kana and their extensions: each character is a word or a syllable.
UNSPACED = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
# Zero-width joiners occur inside words of Persian and of Indian scripts.
JOINERS = "\u200c\u200d"


@lru_cache(maxsize=1 << 16)
def character_class(character: str) -> int:
    """The class of a character in the tokenizer `words`."""
    if character == "_" or character.isspace():
        return SEPARATOR
    if any(low <= ord(character) <= high for low, high in UNSPACED):
        return ALONE
    if character.isalnum() or character in JOINERS or category(character).startswith("M"):
        return INSIDE
    return ALONE


def whitespace_class(character: str) -> int:
    """The class of a character in the tokenizers `whitespace` and `whitespace-cased`."""
    return SEPARATOR if character.isspace() else INSIDE


def ascii_class(character: str) -> int:
    """The class of a character in the tokenizer `ascii`."""
    return INSIDE if character.isascii() and character.isalnum() else SEPARATOR


# One for each of TOKENIZERS.
CLASSES = (character_class, whitespace_class, whitespace_class, ascii_class)


def token_spans(text: str, tokenizer: str = "words") -> list[tuple[str, int, int]]:
    """The tokens of a text, each with its start and end in the text."""
    lowered = text if tokenizer == "whitespace-cased" else text.lower()
    classify = CLASSES[TOKENIZERS.index(tokenizer)]
    spans = []
    start = -1
    for position, character in enumerate(lowered):
        kind = classify(character)
        if kind == INSIDE:
            start = position if start < 0 else start
            continue
        if start >= 0:
            spans.append((lowered[start:position], start, position))
            start = -1
        if kind == ALONE:
            spans.append((character, position, position + 1))
    if start >= 0:
        spans.append((lowered[start:], start, len(lowered)))
    if len(lowered) == len(text):
        return spans
    indices = _indices_before_lowering(text)
    return [(token, indices[start], indices[end - 1] + 1) for token, start, end in spans]


def _indices_before_lowering(text: str) -> list[int]:
    """For each index in the lower-cased text its index in the text ("İ" becomes two characters)."""
    return [index for index, character in enumerate(text) for _ in character.lower()]


def tokenize(text: str, tokenizer: str = "words") -> list[str]:
    """The tokens of a text."""
    return [token for token, _, _ in token_spans(text, tokenizer)]


def is_word(token: str) -> bool:
    """Whether a token has a letter or digit."""
    return any(map(str.isalnum, token))


def split_camel_case(name: str) -> str:
    """An attribute name with a space where camel case begins a new word: `birthPlace` -> `birth Place`."""
    previous = " " + name
    return "".join(
        f" {here}" if here.isupper() and before.islower() else here
        for before, here in zip(previous, name, strict=False)
    )


def attribute_words(name: str, tokenizer: str = "words") -> list[str]:
    """The words of an attribute."""
    return tokenize(split_camel_case(name) if tokenizer == "words" else name, tokenizer)


@lru_cache(maxsize=1 << 16)
def attribute_token(name: str, tokenizer: str = "words") -> str:
    """The words of an attribute joined by underscores, as one token of the co-occurrence model."""
    return "_".join(attribute_words(name, tokenizer))
