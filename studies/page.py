"""A page whose prose is written by hand and whose tables are written by a study."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGES = Path(__file__).parents[1] / "docs" / "studies"
DATA = Path(__file__).parents[2] / "shared" / "data"
BLOCK = re.compile(r"<!-- table: (.+?) -->\n.*?<!-- end -->", re.DOTALL)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: names to the left, numbers to the right."""
    lines = [header, ["---", *("---:" for _ in header[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with fresh tables; a table without a place, or a place without a table, is a mistake."""
    indices = BLOCK.findall(page)
    if sorted(indices) != sorted(tables):
        raise ValueError(f"the page has places for {indices}, the study makes {list(tables)}")
    return BLOCK.sub(lambda index: f"<!-- table: {index[1]} -->\n{tables[index[1]]}\n<!-- end -->", page)


def update(name: str, tables: Mapping[str, str]) -> None:
    """Write the tables into the page of that name."""
    path = PAGES / f"{name}.md"
    path.write_text(filled(path.read_text(), tables))
