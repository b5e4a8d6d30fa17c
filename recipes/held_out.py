"""Keeps the texts whose data the embedded model that marks words has not learnt from.

python recipes/held_out.py FILE.jsonl.gz OUT.jsonl
"""

import sys
from pathlib import Path

from factable.io.files import iter_whole_lines
from factable.io.marked_texts import read_marked_texts
from factable.train.marks import is_held_out


def main(source: str, out: str) -> None:
    """Copy the lines of these texts."""
    kept = [is_held_out(text.example.table) for text in read_marked_texts([source]).rows]
    lines = [line for line in iter_whole_lines(source) if line.strip()]
    chosen = [line for line, keep in zip(lines, kept, strict=True) if keep]
    Path(out).write_text("".join(line.rstrip("\n") + "\n" for line in chosen), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
