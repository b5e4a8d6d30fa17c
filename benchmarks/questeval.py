"""Data-QuestEval: questions and examples per second on all cores, and the ratio to torch, one at a time.

python benchmarks/questeval.py [--base FOLDER] [--data ../shared/data] [--examples 300]

Ours is the metric from examples to scores, with the embedded int8 model and without its cache of answers. The
peer is a reader of the same shape in torch (fp32, all cores), asked the same questions one at a time;
`--base` is the folder of its encoder, all-MiniLM-L6-v2. It is timed on a tenth of the questions, and left out
where it or torch is missing. The best of three runs counts. Then: time and memory as texts and tables grow.
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
from factable.metrics.questeval.metric import QuestEval
from factable.models.qa import QuestionInText, encode_question
from factable.models.runtime.threads import core_count
from factable.train.qa import load_qa_model
from torch_peer import REPEATS, best_seconds, load_peer

SHARED = Path(__file__).parents[2] / "shared" / "data"
GROWTH = (1, 2, 4, 8, 16, 32)
PEER_SHARE = 10
Ask = Callable[[Sequence[QuestionInText]], None]


def questions_of(examples: Sequence[Example]) -> list[QuestionInText]:
    """What the metric asks, each question once."""
    asked = [
        question.asked
        for sets in QuestEval().question_sets(examples)
        for each in sets
        for question in each.all
    ]
    return list(dict.fromkeys(asked))


def encode_asked(tokenizer: Any, asked: QuestionInText) -> Sequence[Sequence[int]]:
    """Tokens, mask and types of a question and its context."""
    encoded = encode_question(tokenizer, *asked)
    return encoded.ids, [1] * len(encoded.ids), encoded.types


def compare(examples: Sequence[Example], peer: Ask | None) -> None:
    """Rates of both and their ratio."""
    asked = questions_of(examples)
    seconds = best_seconds(lambda: QuestEval().score(examples))
    print(f"{len(examples):,} texts of WebNLG 2017, {len(asked):,} different questions")
    print(f"  ours  {len(asked) / seconds:>8,.1f} questions/s {len(examples) / seconds:>8,.1f} examples/s")
    if peer:
        some = asked[::PEER_SHARE]
        theirs = len(some) / best_seconds(lambda: peer(some))
        print(
            f"  torch {theirs:>8,.1f} questions/s   ours is {len(asked) / seconds / theirs:.1f} times as fast"
        )


def grow() -> None:
    """Time of one example as its facts and its text grow together, and the memory it took."""
    print("\nfacts and sentences    questions   seconds   peak memory")
    for size in GROWTH:
        records = tuple(Record("Ada", f"attribute {number}", f"Value {number}") for number in range(size))
        text = " ".join(f"Ada has the attribute {number} of Value {number}." for number in range(size))
        example = Example("1", "", text, Table(records))
        seconds = best_seconds(lambda example=example: QuestEval().score([example]))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{size:>19} {len(questions_of([example])):>12} {seconds:>9.3f} {memory:>10.0f} MB", flush=True)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--examples", type=int, default=300)
    options = parser.parse_args()
    print(f"{core_count()} cores, best of {REPEATS} runs")
    peer = load_peer(options.base, load_qa_model, encode_asked)
    folder = options.data / "webnlg2017" / "human-evaluation"
    if folder.is_dir():
        examples = list(open_format("webnlg-human")([str(folder)]))
        compare(examples[:: max(1, len(examples) // options.examples)][: options.examples], peer)
    else:
        print(f"WebNLG 2017 left out: no folder webnlg2017 in {options.data}")
    grow()


if __name__ == "__main__":
    main()
