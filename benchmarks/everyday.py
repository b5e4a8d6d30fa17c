"""The ledger on everyday pairs of data and text, half of them with one known fault: what is judged right.

python benchmarks/everyday.py tests/golden/everyday/dev.jsonl [-m 'ledger(omission=0.4)'] [--list]

A pair is judged right if a faithful text is called OK and a text with a fault is not. Of the faults found,
"words hit" counts those where an unsupported or contradicted claim overlaps the wrong words, or where the
fact left out is not supported. `--list` prints every pair judged wrong: what it is, its text, and what the
ledger says of it.
"""

import os

# No answer comes from the disk.
os.environ["FACTABLE_CACHE"] = "off"

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import factable
from factable.metrics.ledger.verdict import Verdict


@dataclass(frozen=True)
class Judged:
    """One line of the file, and what the ledger says."""

    pair: dict[str, Any]
    verdict: Verdict

    @property
    def is_right(self) -> bool:
        """Whether the ledger tells faithful from faulty."""
        return bool(self.verdict.is_ok == self.pair["faithful"])

    @property
    def hits(self) -> bool:
        """Whether the ledger points at the fault: at one of the wrong words, or at the fact left out."""
        return hits_words(self.pair, self.verdict) or misses_fact(self.pair, self.verdict)


def main() -> None:
    """Print shares of all pairs, by kind and by domain."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-m", "--metric", default="ledger", help="spec of the ledger")
    parser.add_argument("--list", action="store_true", help="print the pairs judged wrong")
    given = parser.parse_args()
    options = asdict(factable.parse(given.metric))
    pairs = [json.loads(line) for line in given.file.read_text(encoding="utf-8").splitlines()]
    start = time.perf_counter()
    judged = [Judged(pair, factable.check(pair["data"], pair["text"], **options)) for pair in pairs]
    seconds = time.perf_counter() - start
    if given.list:
        for one in judged:
            if not one.is_right:
                print_pair(one)
    print_summary(judged)
    print(f"{1000 * seconds / len(judged):.0f} ms a pair")
    print_groups("faithful texts by kind", [one for one in judged if one.pair["faithful"]], "kind")
    print_groups("faults by kind", [one for one in judged if not one.pair["faithful"]], "kind")
    print_groups("all by domain", judged, "domain")


def hits_words(pair: dict[str, Any], verdict: Verdict) -> bool:
    """Whether a claim that is not supported overlaps wrong words."""
    for words, _ in pair["wrong"]:
        start = pair["text"].index(words)
        end = start + len(words)
        if any(
            claim.state != "supported" and claim.start < end and start < claim.end for claim in verdict.claims
        ):
            return True
    return False


def misses_fact(pair: dict[str, Any], verdict: Verdict) -> bool:
    """Whether a fact that the text leaves out is not supported; its record is known by words of its key."""
    for path in pair["missing"]:
        for fact in verdict.facts:
            attribute = words_of(verdict.table.records[fact.record].attribute)
            if fact.state != "supported" and attribute & words_of(path):
                return True
    return False


def words_of(key: str) -> set[str]:
    """`price.amount` as price and amount."""
    return set(re.findall(r"[a-z0-9]+", key.lower()))


def print_pair(one: Judged) -> None:
    """What the pair is, its text, and what the ledger says."""
    pair, verdict = one.pair, one.verdict
    fault = [words for words, _ in pair["wrong"]] + [f"without {path}" for path in pair["missing"]]
    print(f"{pair['id']} | {pair['kind']} | {'; '.join(fault) or 'faithful'} | called {verdict.label}")
    print("  " + pair["text"].replace("\n", " / "))
    claims = [
        f"“{pair['text'][claim.start : claim.end]}” {claim.state} ({claim.note})"
        for claim in verdict.claims
        if claim.state != "supported"
    ]
    records = verdict.table.records
    facts = [
        f"{records[fact.record].attribute} | {records[fact.record].value} {fact.state}"
        for fact in verdict.facts
        if fact.required and fact.state != "supported"
    ]
    print("  " + ("; ".join(claims + facts) or "nothing found"))


def print_summary(judged: Sequence[Judged]) -> None:
    """Shares of the whole file."""
    faithful = [one for one in judged if one.pair["faithful"]]
    faulty = [one for one in judged if not one.pair["faithful"]]
    found = [one for one in faulty if one.is_right]
    print(f"judged right          {share(judged, is_right)}")
    print(f"faithful called OK    {share(faithful, is_right)}")
    print(f"faults found          {share(faulty, is_right)}")
    print(f"of these, words hit   {share(found, lambda one: one.hits)}")


def print_groups(title: str, judged: Sequence[Judged], field: str) -> None:
    """A table of the shares judged right."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.pair[field]].append(one)
    print(f"\n{title}")
    for name, members in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
        print(f"  {name:<32} {share(members, is_right)}")


def is_right(one: Judged) -> bool:
    """Whether the pair is judged right."""
    return one.is_right


def share(judged: Sequence[Judged], test: Callable[[Judged], bool]) -> str:
    """How many pass, such as `39 of 82  0.476`."""
    passed = sum(map(test, judged))
    return f"{passed:>3} of {len(judged):<3} {passed / len(judged):.3f}" if judged else "none"


if __name__ == "__main__":
    main()
