"""Writes what the program prints into the documentation.

python tools/update_docs.py [--check]

A block between `<!-- output of: COMMAND -->` and `<!-- end -->` becomes the output of that command. A test
compares the pages with what this would write.
"""

import os
import re
import shlex
import sys
from pathlib import Path

from click.testing import CliRunner

from factable.cli.main import cli

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"<!-- output of: factable (.+?) -->\n.*?<!-- end -->", re.DOTALL)
WIDTH = 100


def pages() -> list[Path]:
    """Every page that may hold output."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def updated(page: str) -> str:
    """A page with fresh output."""
    return BLOCK.sub(lambda block: _block(block[1]), page)


def _block(arguments: str) -> str:
    result = CliRunner().invoke(
        cli, shlex.split(arguments), catch_exceptions=False, terminal_width=WIDTH, prog_name="factable"
    )
    if result.exit_code:
        raise SystemExit(f"factable {arguments} failed:\n{result.output}")
    output = "\n".join(line.rstrip() for line in result.output.strip("\n").splitlines())
    return f"<!-- output of: factable {arguments} -->\n```text\n{output}\n```\n<!-- end -->"


def main() -> None:
    """Rewrite the pages that changed; with --check, only say which they are."""
    os.chdir(ROOT)
    outdated = []
    for path in pages():
        before = path.read_text()
        after = updated(before)
        if after != before:
            outdated.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(after)
                print(f"updated {outdated[-1]}")
    if outdated and "--check" in sys.argv:
        sys.exit(f"out of date: {', '.join(outdated)}; run: python tools/update_docs.py")


if __name__ == "__main__":
    main()
