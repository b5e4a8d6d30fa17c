"""The ledger on faithful texts and on texts with one fault each: what is caught, where, and how fast.

python benchmarks/perturbations.py CORPUS.jsonl [--most 300] [--seed 1]

CORPUS is converted data whose references are taken as faithful, such as the development set of WebNLG 2017
(`factable convert webnlg challenge_data_train_dev/dev dev.jsonl`). Faults, one at a time, come from
`factable.train.perturbations`: a fact left out (omit), another value (swap), a digit changed (digit),
a fact that the data does not have (add), a sentence of another text at the end (foreign), another attribute
in the data (attribute), two values in each other's place (exchange), another subject (subject), yes turned
into no (deny). Balanced accuracy is the mean of the shares of faithful texts and of texts with the fault that
are judged right.
"""

import os

# No answer comes from the disk.
os.environ["FACTABLE_CACHE"] = "off"

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import factable
from factable import Example
from factable.metrics.ledger.metric import Ledger
from factable.metrics.ledger.reading import overlaps
from factable.metrics.ledger.verdict import Verdict
from factable.models.nli import load_nli
from factable.train.perturbations import ORIGINAL, Perturbed, make_faults

Judged = tuple[Perturbed, Verdict]


def main() -> None:
    """Print a table, and the speed on faithful texts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--most", type=int, default=300, help="texts taken at random")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    examples = [one for one in factable.read(given.corpus, need_text=False) if one.references]
    made = [one for one in make_faults(examples, given.seed) if " + " not in one.example.item]
    chosen = choose(made, given.most, given.seed)
    load_nli("nli")
    print_speed([one.example for one in chosen if one.kind == ORIGINAL])
    verdicts = Ledger().verdicts([one.example for one in chosen])
    print_table(list(zip(chosen, verdicts, strict=True)))


def choose(made: Sequence[Perturbed], most: int, seed: int) -> list[Perturbed]:
    """All that was made of some texts."""
    items = sorted({one.example.item for one in made})
    kept = set(random.Random(seed).sample(items, min(most, len(items))))
    return [one for one in made if one.example.item in kept]


def print_speed(examples: Sequence[Example]) -> None:
    """How many faithful texts a second, on all cores."""
    start = time.perf_counter()
    Ledger().verdicts(examples)
    print(f"{len(examples) / (time.perf_counter() - start):.1f} examples/s ({len(examples)} faithful texts)")


def print_table(judged: Sequence[Judged]) -> None:
    """What is caught of each kind of fault."""
    kinds: dict[str, list[Judged]] = defaultdict(list)
    for pair in judged:
        kinds[pair[0].kind].append(pair)
    faithful = fmean(verdict.is_ok for _, verdict in kinds.pop(ORIGINAL))
    print(f"faithful texts judged OK: {faithful:.3f}")
    print("| fault | texts | caught | balanced accuracy | span hit | fact found |")
    print("|---|---|---|---|---|---|")
    for kind, pairs in kinds.items():
        caught = fmean(not verdict.is_ok for _, verdict in pairs)
        spans = [hits_span(*pair) for pair in pairs if pair[0].span]
        facts = [finds_fact(*pair) for pair in pairs if pair[0].unstated]
        shares = (f"{fmean(some):.3f}" if some else "" for some in (spans, facts))
        print(
            f"| {kind} | {len(pairs)} | {caught:.3f} | {(caught + faithful) / 2:.3f} | {' | '.join(shares)} |"
        )


def hits_span(made: Perturbed, verdict: Verdict) -> bool:
    """Whether a claim that is not supported overlaps the fault."""
    assert made.span
    return any(overlaps(claim.span, made.span) for claim in verdict.claims if claim.state != "supported")


def finds_fact(made: Perturbed, verdict: Verdict) -> bool:
    """Whether a fact that the text does not say is found not to be said."""
    return any(fact.record in made.unstated and fact.state != "supported" for fact in verdict.facts)


if __name__ == "__main__":
    main()
