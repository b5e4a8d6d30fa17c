"""Derived statements against statements that people judged: how often the two agree.

python benchmarks/derived.py DATA/llm/freshtab.jsonl.gz [--list contradicted]

Each line of the file is one statement with its `data`, and `spans` that people marked as wrong; a statement
without spans is right. Counted are the statements in which at least one derived statement was found:
"contradicted" if one of them is. `marked` is the share of these that people marked at all, `incorrect` the
share marked as incorrect (other marks are "misleading", "not checkable" and "other"). `--list` prints
contradicted statements that people did not mark, or supported ones that they marked as incorrect.
"""

import argparse
import gzip
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from factable.io.data import make_table
from factable.metrics.ledger.derived import Derived, derived_statements
from factable.structure import Structure
from factable.text.sentences import sentence_spans


def examples(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file, compressed or not."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        yield from map(json.loads, lines)


def check(example: dict[str, Any], structures: dict[str, Structure]) -> list[Derived]:
    """The derived statements of an example; data that occurs again is read once."""
    key = json.dumps(example["data"])
    if key not in structures:
        structures[key] = Structure.of(make_table(example["data"], title=example.get("title") or ""))
    return derived_statements(structures[key], example["text"], sentence_spans(example["text"]))


def line(name: str, counts: Counter[tuple[str, str]], total: int) -> str:
    """One row of the result."""
    cells = [f"| {name}"]
    for state in ("contradicted", "supported"):
        number = counts[state, "all"]
        shares = [
            f"{counts[state, mark] / number:.2f}" if number else "–" for mark in ("marked", "incorrect")
        ]
        cells += [str(number), *shares]
    decided = counts["contradicted", "all"] + counts["supported", "all"]
    return " | ".join([*cells, f"{decided / total:.2f}" if total else "–"]) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--list", choices=["contradicted", "supported"], default="")
    options = parser.parse_args()
    structures: dict[str, Structure] = {}
    results: dict[str, Counter[tuple[str, str]]] = {}
    totals: Counter[str] = Counter()
    started = time.process_time()
    for example in examples(options.file):
        derived = check(example, structures)
        marks = {span[2] for span in example["spans"]}
        kind = example.get("meta", {}).get("operation") or "other"
        totals.update([kind, "total"])
        if not derived:
            continue
        state = "contradicted" if any(one.state == "contradicted" for one in derived) else "supported"
        for name in (kind, "total"):
            counts = results.setdefault(name, Counter())
            counts[state, "all"] += 1
            counts[state, "marked"] += bool(marks)
            counts[state, "incorrect"] += "incorrect" in marks
        is_odd = not marks if state == "contradicted" else "incorrect" in marks
        if options.list == state and is_odd:
            told = "; ".join(one.explanation for one in derived if one.state == state)
            print(f"{example['id']}: {example['text']} [{told}]")
    seconds = time.process_time() - started
    print("| statements | contradicted | marked | incorrect | supported | marked | incorrect | decided |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sorted(results, key=lambda name: (name != "total", name)):
        print(line(name, results[name], totals[name]))
    print(f"\n{totals['total']} statements, {1000 * seconds / totals['total']:.1f} ms each")


if __name__ == "__main__":
    main()
