"""Scoring with the ledger: texts per second of processor time, what its models read, and a peer in torch.

python benchmarks/ledger.py [--base FOLDER] [--data ../shared/data] [--texts 200] [--evidence fast]

Ours is the metric from examples to scores, without its cache of answers, in one thread. The peer is a
cross-encoder of the same shape in torch (fp32, one thread), asked one pair at a time whether the text entails
each fact and the facts the text; `--base` is the folder of its encoder, all-MiniLM-L6-v2. Without it, or
without torch, it is left out. Processor time, because it says something on a machine with other work, too.
"""

import os

# No answer comes from the disk; one thread.
os.environ["FACTABLE_CACHE"] = "off"
os.environ["FACTABLE_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

import factable
from factable.models.runtime import session
from factable.train.nli import load_nli_model
from nli import SHARED, encode_pair, pairs_of, read_webnlg
from torch_peer import load_peer

inputs: Counter[str] = Counter()
tokens: Counter[str] = Counter()


def count_inputs() -> None:
    """Count what each model is asked."""
    run = session.OnnxModel._run

    def counted(self: session.OnnxModel, **given: Any) -> Any:
        name = self._manifest.folder.name
        inputs[name] += 1
        tokens[name] += len(given["input_ids"])
        return run(self, **given)

    session.OnnxModel._run = counted  # type: ignore[method-assign]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--evidence", default="best")
    options = parser.parse_args()
    examples = read_webnlg(options.data, options.texts)
    metric = factable.parse(f'ledger(evidence="{options.evidence}")')
    # Models are loaded before the clock starts.
    metric.analyse(examples[:1])
    count_inputs()
    start = time.process_time()
    metric.analyse(examples)
    seconds = time.process_time() - start
    rate = len(examples) / seconds
    print(f"{len(examples)} texts of WebNLG 2017: {rate:.1f} texts per second of processor time")
    for name, count in sorted(inputs.items()):
        print(f"  {name}: {count / len(examples):.1f} runs a text, {tokens[name] / count:.0f} tokens each")
    peer = load_peer(options.base, load_nli_model, encode_pair)
    if peer:
        some = examples[:: max(1, len(examples) // 50)]
        start = time.process_time()
        peer([pair for example in some for pair in pairs_of(example, "nlgi")])
        theirs = len(some) / (time.process_time() - start)
        print(
            f"  torch, NLI alone: {theirs:.1f} texts per second of processor time; {rate / theirs:.1f} times"
        )


if __name__ == "__main__":
    main()
