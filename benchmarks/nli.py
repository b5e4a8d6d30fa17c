"""The NLI check: pairs and examples per second on all cores, and the ratio to torch, one pair at a time.

python benchmarks/nli.py [--base FOLDER] [--data ../shared/data] [--pairs 1000] [--examples 300]

Ours is the metric from examples to scores, with the embedded int8 model and without its cache of answers. The
peer is a cross-encoder of the same shape in torch (fp32, all cores), asked one pair at a time as the original
program, ufal/nlgi_eval, asks its own; `--base` is the folder of its encoder, all-MiniLM-L6-v2. It is timed on
a tenth of the pairs, and left out where it or torch is missing. The best of three runs counts.
"""

import os

# No answer comes from the disk.
os.environ["FACTABLE_CACHE"] = "off"

import argparse
import resource
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from factable import Example, Record, Table
from factable.io.formats import open_format
from factable.metrics.nli.check import Check, questions_of
from factable.metrics.nli.metric import NliCheck
from factable.metrics.selection import Selection
from factable.models.nli import TextPair, load_nli
from factable.models.runtime.threads import core_count
from factable.models.templates import load_templates
from factable.train.nli import load_nli_model
from torch_peer import REPEATS, best_seconds, load_peer

SHARED = Path(__file__).parents[2] / "shared" / "data"
TOKENS = 64
GROWTH = (32, 64, 128, 256, 512, 1024)
# Each is one token.
WORDS = ("river", "house", "old", "red", "city", "music", "north", "king", "light", "stone", "green", "year")
PEER_SHARE = 10
Ask = Callable[[Sequence[TextPair]], None]


def make_examples(pairs: int, tokens: int) -> list[Example]:
    """Examples of one fact, and so of two pairs, each pair of so many tokens; all pairs differ."""
    made = []
    for number in range(pairs // 2):
        table = Table((Record("house", WORDS[number % len(WORDS)], f"{number:06}"),))
        fact = pairs_of(Example("", "", "x", table))[0].premise
        room = tokens - load_nli("nli").count_tokens([TextPair(fact, "")])[0]
        words = (WORDS[(number + index * index) % len(WORDS)] for index in range(room))
        made.append(Example(str(number), "", " ".join(words), table))
    return made


def pairs_of(example: Example, compat: str = "") -> list[TextPair]:
    """What the metric asks about an example."""
    check = Check.of(example, load_templates("default"), Selection(), direction="both", compat=compat)
    return [question.pair for question in questions_of(check)]


def encode_pair(tokenizer: Any, pair: TextPair) -> Sequence[Sequence[int]]:
    """Tokens, mask and types of a pair."""
    found = tokenizer.encode(*pair)
    return found.ids, found.attention_mask, found.type_ids


def compare(title: str, examples: Sequence[Example], peer: Ask | None, unit: str) -> None:
    """One line: rates of both and their ratio; the peer asks what the original program asks."""
    metric = NliCheck()
    each = 2 if unit == "pairs" else 1
    ours = each * len(examples) / best_seconds(lambda: metric.score(examples))
    line = f"{title:<34} {ours:>8,.1f} {unit}/s"
    if peer:
        some = examples[::PEER_SHARE]
        compat = "" if unit == "pairs" else "nlgi"
        pairs = [pair for example in some for pair in pairs_of(example, compat)]
        theirs = each * len(some) / best_seconds(lambda: peer(pairs))
        line += f"   torch {theirs:>8,.1f} {unit}/s   {ours / theirs:.1f} times"
    print(line, flush=True)


def read_webnlg(data: Path, size: int) -> list[Example]:
    """Rated texts of the WebNLG challenge 2017, evenly spread."""
    examples = list(open_format("webnlg-human")([str(data / "webnlg2017" / "human-evaluation")]))
    return examples[:: max(1, len(examples) // size)][:size]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--examples", type=int, default=300)
    options = parser.parse_args()
    print(f"{core_count()} cores, best of {REPEATS} runs")
    peer = load_peer(options.base, load_nli_model, encode_pair)
    compare(
        f"{options.pairs:,} pairs of {TOKENS} tokens", make_examples(options.pairs, TOKENS), peer, "pairs"
    )
    if (options.data / "webnlg2017").is_dir():
        examples = read_webnlg(options.data, options.examples)
        compare(f"{len(examples):,} texts of WebNLG 2017", examples, peer, "examples")
    else:
        print(f"WebNLG 2017 left out: no folder webnlg2017 in {options.data}")
    print("growth with the tokens of a pair; a window has", load_nli("nli").window)
    for tokens in GROWTH:
        fewer = max(2, options.pairs * GROWTH[0] // tokens // 2 * 2)
        compare(f"{fewer:,} pairs of {tokens:,} tokens", make_examples(fewer, tokens), None, "pairs")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")


if __name__ == "__main__":
    main()
