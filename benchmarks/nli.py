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
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from factable import Example, Record, Table
from factable.errors import MissingExtraError
from factable.io.formats import open_format
from factable.metrics.nli import NliCheck
from factable.metrics.nli_check import Check, Selection, questions_of
from factable.models.asking import _remembered
from factable.models.nli import load_nli
from factable.models.protocols import TextPair
from factable.models.templates import load_templates
from factable.models.threads import core_count

SHARED = Path(__file__).parents[2] / "shared" / "data"
TOKENS = 64
GROWTH = (32, 64, 128, 256, 512, 1024)
# Each is one token.
WORDS = ("river", "house", "old", "red", "city", "music", "north", "king", "light", "stone", "green", "year")
PEER_SHARE = 10
REPEATS = 3
Ask = Callable[[Sequence[TextPair]], None]


def make_examples(pairs: int, tokens: int) -> list[Example]:
    """Examples of one fact, and so of two pairs, each pair of so many tokens; all pairs differ."""
    made = []
    for number in range(pairs // 2):
        table = Table((Record("house", WORDS[number % len(WORDS)], f"{number:06}"),))
        fact = pairs_of(Example("", "", "x", table))[0].premise
        room = tokens - load_nli("nli").count_tokens([TextPair(fact, "")])[0]
        words = (WORDS[(number + place * place) % len(WORDS)] for place in range(room))
        made.append(Example(str(number), "", " ".join(words), table))
    return made


def pairs_of(example: Example, compat: str = "") -> list[TextPair]:
    """What the metric asks about an example."""
    check = Check.of(example, load_templates("default"), Selection(), direction="both", compat=compat)
    return [question.pair for question in questions_of(check)]


def load_peer(base: Path | None) -> Ask | None:
    """How the peer is asked, or None with a message."""
    try:
        import torch
        from tokenizers import Tokenizer

        from factable.train.nli.model import load_encoder

        if base is None:
            print("peer left out: name the folder of its encoder with --base")
            return None
        model = load_encoder(base).eval()
    except (ImportError, MissingExtraError):
        print("peer left out: torch and transformers are not installed")
        return None
    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)

    def ask(pairs: Sequence[TextPair]) -> None:
        with torch.inference_mode():
            for pair in pairs:
                encoding = tokenizer.encode(*pair)
                inputs = (encoding.ids, encoding.attention_mask, encoding.type_ids)
                model(*(torch.tensor([numbers]) for numbers in inputs)).softmax(-1)

    return ask


def best_seconds(work: Callable[[], object]) -> float:
    """The shortest of several runs, each without memories of the one before."""
    times = []
    for _ in range(REPEATS):
        _remembered.clear()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


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
    peer = load_peer(options.base)
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
