"""The tokeniser 13a of NIST's mteval-v13a, as sacrebleu has it; `_mteval.py` is quick and equal."""

import re

# Symbols of ASCII that are tokens of their own; full stop, comma and dash depend on their neighbours, and the
# apostrophe stays in its word.
SYMBOLS = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'
RULES = (
    (re.compile(f"[{re.escape(SYMBOLS)}]"), r" \g<0> "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])-"), r"\1 - "),
)
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def separate(text: str) -> str:
    """The text with white space around every token."""
    spaced = f" {text} "
    for pattern, replacement in RULES:
        spaced = pattern.sub(replacement, spaced)
    return spaced


def clean(text: str) -> str:
    """The text without what mteval removes before tokenising."""
    if "<" in text:
        text = text.replace("<skipped>", "")
    if "\n" in text:
        text = text.replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text
