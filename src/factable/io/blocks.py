"""JSON lines in blocks: cut a stream at line ends, parse one block anywhere, in any process."""

import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

import orjson

from factable.errors import Fault
from factable.io.examples import make_example
from factable.io.files import open_input, source_name
from factable.io.malformed import Malformed, shorten
from factable.types import Example

BLOCK_BYTES = 1 << 20
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Block(NamedTuple):
    """Whole lines of one source, with the number of the first."""

    source: str
    first_line: int
    lines: bytes


class Parsed(NamedTuple):
    """What a block held: examples, the line of each, and what was wrong with the other lines."""

    examples: list[Example]
    lines: Sequence[int]
    faults: list[Fault]


def iter_blocks(path: str | os.PathLike[str], *, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Cut a file into blocks of whole lines of about `size` bytes."""
    name = source_name(path)
    line = 1
    rest: list[bytes] = []
    with open_input(path) as stream:
        while chunk := stream.read(size):
            if line == 1 and not rest:
                chunk = chunk.removeprefix(UTF8_MARK)
            cut = chunk.rfind(b"\n") + 1
            if not cut:
                rest.append(chunk)
                continue
            lines = b"".join([*rest, chunk[:cut]])
            yield Block(name, line, lines)
            line += lines.count(b"\n")
            rest = [chunk[cut:]]
    if last := b"".join(rest):
        yield Block(name, line, last)


def parse_block(block: Block, *, need_text: bool = True) -> Parsed:
    """Parse every line of a block; a bad line becomes a fault and the others go on."""
    examples: list[Example] = []
    numbers: list[int] = []
    faults: list[Fault] = []
    loads = orjson.loads
    for number, line in enumerate(block.lines.split(b"\n"), block.first_line):
        if not line or line.isspace():
            continue
        try:
            examples.append(make_example(loads(line), number, need_text=need_text))
            numbers.append(number)
        except orjson.JSONDecodeError as error:
            faults.append(Fault(block.source, number, *explain_broken_json(line, error)))
        except Malformed as error:
            faults.append(Fault(block.source, number, error.found, error.remedy))
    return Parsed(examples, numbers, faults)


def explain_broken_json(line: bytes, error: orjson.JSONDecodeError) -> tuple[str, str]:
    """What is wrong with a line that is no JSON, and what to do."""
    if line.startswith(UTF16_MARKS):
        return "UTF-16 text", "save the file as UTF-8"
    try:
        text = line.decode()
    except UnicodeDecodeError as broken:
        return f"byte {broken.start + 1} of the line is not UTF-8", "save the file as UTF-8"
    if line.lstrip().startswith(b"["):
        return "a list", "write one object a line (JSON lines), not a list of them"
    found = f"broken JSON ({error.msg.split(': line')[0]}) near {shorten(text[max(0, error.pos - 10) :], 30)}"
    return found, "write one complete JSON object on each line"


def fingerprint(example: Example) -> bytes:
    """Eight bytes that stand for `(item, system)`, equal in every process."""
    # The length tells where the item ends, whatever characters it holds.
    key = f"{len(example.item)} {example.item}{example.system}"
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def fingerprints(examples: Sequence[Example]) -> bytes:
    """The fingerprints of a list of examples, one after the other."""
    return b"".join(map(fingerprint, examples))
