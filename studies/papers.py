"""All papers together: how many cells of their tables are measured here, and which differ.

python -m studies.papers

Rewrites the table of docs/studies/papers.md from the summaries of the papers' pages.
"""

import re

from studies.page import PAGES, table, update

PAPERS = {
    "parent": "PARENT (Dhingra et al. 2019)",
    "nli": "NLI check (Dušek and Kasner 2020)",
    "ranking": "ranking (Garneau and Lamontagne 2021)",
    "questeval": "Data-QuestEval (Rebuffel et al. 2021)",
}
HEADER = (
    "paper",
    "table",
    "cells reproduced",
    "of cells measured",
    "cells that differ by more than the ±",
    "why",
)
SUMMARY = re.compile(r"<!-- table: summary -->\n.*?\n.*?\n(.*?)\n<!-- end -->", re.DOTALL)


def rows_of(name: str) -> list[list[str]]:
    """The rows of a page's summary, with the paper and the cells that do not differ."""
    found = SUMMARY.search((PAGES / f"{name}.md").read_text())
    assert found
    rows = []
    for line in found[1].splitlines():
        title, measured, far, why = (cell.strip() for cell in line.strip("|").split("|"))
        count = int(measured) if far == "all" else 0 if far == "none" else int(far.split(":")[0])
        paper = f"[{PAPERS[name]}]({name}.md)"
        rows.append([paper, title, str(int(measured) - count), measured, far, why])
    return rows


def make_tables() -> dict[str, str]:
    """The table of the page."""
    return {"papers": table(HEADER, [row for name in PAPERS for row in rows_of(name)])}


if __name__ == "__main__":
    update("papers", make_tables())
