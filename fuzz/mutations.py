"""Ways to break content: small edits that a test can draw, shrink and show."""

import gzip
from collections.abc import Sequence
from random import Random
from typing import Literal, NamedTuple

Kind = Literal["insert", "replace", "delete", "repeat", "cut", "flip", "swap"]
KINDS: tuple[Kind, ...] = ("insert", "replace", "delete", "repeat", "cut", "flip", "swap")
# What readers stumble over: marks of the formats, odd numbers, broken and hidden characters.
TOKENS: tuple[bytes, ...] = (
    *(b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r", b"\t", b"|", b" | ", b"|||", b"\\", b"="),
    *(b"<", b">", b"&", b"%", b"#", b".", b"-", b"\0", b"\x1b[2J", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf"),
    *(
        b"null",
        b"true",
        b"NaN",
        b"-1",
        b"0",
        b"1e999",
        b"-0.0",
        b"1e-400",
        b"9" * 400,
        b"9" * 5000,
        b"0x" + b"f" * 5000,
    ),
    *(
        b"[]",
        b"{}",
        b'""',
        b'{"a":1,"a":2}',
        b"[[[[[[[[",
        b"[" * 2000,
        b'{"a":' * 2000,
        b'"a":',
        b'"text":1,',
    ),
    *(
        b"\\ud800",
        b"\\u0000",
        "\u202e".encode(),
        "\ufeff".encode(),
        "é".encode(),
        "٣".encode(),
        b"\xed\xa0\x80",
    ),
    *(b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"]]>", b"<entry>", b"</lex>", b"<br>", b"&#0;"),
    *(b"../../etc/passwd", b"(a+)+$", b"(?:", b"{1,99999999}", b"a" * 3000, b"a." * 300, b" " * 3000),
    # Texts and values: what looks like the beginning of something, again and again.
    *(b"- ...", b"5 km " * 50, b"twenty " * 50, b"1990 " * 50, b"$5 " * 50, b"May 1" * 50, b"[0]" * 50),
    *(
        b"%" * 200,
        b"1-" * 100,
        b"Mon-Fri 9-5 ",
        b"5 am - ",
        b"no ",
        b"A. ",
        b"(5 km)",
        b"and ",
        b"1\xc2\xa0" * 50,
    ),
    *(b"{}," * 200, b'"name":"",', b"name[", b"], near[- ...]", b"11" + b" " * 3000, b"x\n" * 500),
    # Empty frames of zst and members of gz, a long attribute of XML, a window no model has.
    *(bytes.fromhex("28b52ffd2000010000") * 200, gzip.compress(b"", mtime=0) * 100),
    *(b' size="' + b"9" * 5000 + b'"', b'"window": 1000000000,', b'"max_tokens": 1e18,'),
    *(
        b"ref" + b"9" * 5000,
        b"human.",
        b"id",
        b"text",
        b"data",
        b"system",
        b"[gate]",
        b"__import__('os')",
        b"(" * 500,
    ),
)


class Edit(NamedTuple):
    """One change; places and sizes are taken modulo what there is."""

    kind: Kind
    index: int
    size: int
    token: bytes


def apply(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content after all edits."""
    for edit in edits:
        content = _apply(content, edit)
    return content


def _apply(content: bytes, edit: Edit) -> bytes:
    index = edit.index % (len(content) + 1)
    before, after = content[:index], content[index:]
    size = 1 + edit.size % 16
    if edit.kind == "insert":
        return before + edit.token + after
    if edit.kind == "replace":
        return before + edit.token + after[size:]
    if edit.kind == "delete":
        return before + after[size:]
    if edit.kind == "repeat":
        return before + after[: 8 * size] * (1 + edit.size % 4) + after
    if edit.kind == "cut":
        return before
    if edit.kind == "flip":
        return before + bytes(byte ^ (1 << edit.size % 8) for byte in after[:1]) + after[1:]
    return after + before


def draw_edits(random: Random, most: int = 3) -> list[Edit]:
    """Some edits by chance."""
    return [
        Edit(random.choice(KINDS), random.getrandbits(20), random.getrandbits(8), random.choice(TOKENS))
        for _ in range(random.randint(1, most))
    ]
