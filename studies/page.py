"""A page whose prose is written by hand and whose tables are written by a study."""

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from factable.types import Example

PAGES = Path(__file__).parents[1] / "docs" / "studies"
DATA = Path(__file__).parents[2] / "shared" / "data"
BLOCK = re.compile(r"<!-- table: (.+?) -->\n.*?<!-- end -->", re.DOTALL)


def run(
    page: str,
    description: str | None,
    make_tables: Callable[..., Mapping[str, str]],
    *,
    arguments: Mapping[str, type] | None = None,
) -> None:
    """Run a study from the command line: rewrite the tables of its page, or print those of a few texts.

    `make_tables` is called with `data`, `jobs`, `max_texts` and the study's own arguments.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder with the data sets")
    parser.add_argument("--jobs", type=int, default=1, help="number of worker processes")
    parser.add_argument(
        "--max-texts", type=int, default=0, help="use only so many texts, and print the tables"
    )
    for name, kind in (arguments or {}).items():
        parser.add_argument(f"--{name}", type=kind)
    options = parser.parse_args()
    tables = make_tables(**vars(options))
    if options.max_texts:
        print("\n\n".join(f"{name}\n{content}" for name, content in tables.items()))
    else:
        update(page, tables)


def sample(examples: Sequence[Example], max_texts: int) -> list[Example]:
    """At most so many examples, evenly spaced; all of them for 0."""
    if not max_texts or max_texts >= len(examples):
        return list(examples)
    return [examples[number * len(examples) // max_texts] for number in range(max_texts)]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table: names to the left, numbers to the right."""
    lines = [header, ["---", *("---:" for _ in header[1:])], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def filled(page: str, tables: Mapping[str, str]) -> str:
    """The page with fresh tables; a table or a block for one that the other lacks is a mistake."""
    blocks = BLOCK.findall(page)
    if sorted(blocks) != sorted(tables):
        raise ValueError(f"the page has blocks for {blocks}, the study makes {list(tables)}")
    return BLOCK.sub(lambda block: f"<!-- table: {block[1]} -->\n{tables[block[1]]}\n<!-- end -->", page)


def update(name: str, tables: Mapping[str, str]) -> None:
    """Write the tables into the page of that name."""
    path = PAGES / f"{name}.md"
    path.write_text(filled(path.read_text(), tables))
