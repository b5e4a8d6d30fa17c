"""Fits the weights of the ledger for objects and rows that ship with factable.

python recipes/structured.py OUT.json FILES…

FILES are texts with error spans, as `factable study spans` reads them. Only inputs that the embedded model
which marks words has not learnt from are used, and made-up everyday records beside them. What people marked
in long texts is partly a matter of taste: there a false alarm counts more than an error that is missed.
"""

import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import orjson

from factable.io.data import make_table
from factable.io.marked_texts import read_marked_texts
from factable.metrics.ledger.required import is_structured
from factable.metrics.ledger.structured import NO_MARKS, StructuredReading
from factable.metrics.ledger.structured_verdict import Weighed
from factable.models.marks import mark_sentences
from factable.stats.classification import auc
from factable.train.everyday import make_examples
from factable.train.marks import is_held_out
from factable.train.structured import MarkedReading, SetWeights, fit_structured
from factable.types import Example

EVERYDAY = "everyday"
PEOPLE, MADE_UP = SetWeights(1.0, 1.9), SetWeights(3.0, 0.85)
COUNT, SEED = 500, 6


def print_unseen(texts: list[MarkedReading], sets: dict[str, SetWeights]) -> None:
    """Print the AUC of each set with weights that were fitted on the other half of the inputs."""
    halves = [sha256(repr(text.reading.example.table.records).encode()).digest()[0] % 2 for text in texts]
    doubt = np.zeros(len(texts))
    for half in (0, 1):
        weights = fit_structured([text for text, own in zip(texts, halves, strict=True) if own != half], sets)
        for index, text in enumerate(texts):
            if halves[index] == half:
                doubt[index] = -Weighed.of(text.reading, text.marked, weights).correct
    for source in sets:
        members = np.array([text.source == source for text in texts])
        faulty = np.array([bool(text.spans) for text in texts])[members]
        once = np.zeros(int(members.sum()), dtype=np.int64), np.ones((1, 1))
        print(f"{source}: {members.sum()} texts, AUC {auc(doubt[members], faulty, *once)[0]:.3f}")


def main(out: str, files: list[str]) -> None:
    """Read the texts, ask the model, fit with and without it, and write the weights."""
    texts = [
        (text.example, [(span.start, span.end) for span in text.spans or ()], Path(name).name)
        for name in files
        for text in read_marked_texts([name]).rows
        if is_structured(text.example.table) and is_held_out(text.example.table)
    ]
    for number, made in enumerate(make_examples("train", COUNT, SEED)):
        example = Example(str(number), "", made.text, make_table(made.data))
        texts.append((example, list(made.fault.spans) if made.fault else [], EVERYDAY))
    readings = [(StructuredReading(example), spans, source) for example, spans, source in texts]
    marked = iter(mark_sentences("marks", [pair for reading, _, _ in readings for pair in reading.pairs]))
    best = [
        MarkedReading(reading, [next(marked) for _ in reading.pairs], spans, source)
        for reading, spans, source in readings
    ]
    fast = [text._replace(marked=[NO_MARKS] * len(text.marked)) for text in best]
    sets = {Path(name).name: PEOPLE for name in files} | {EVERYDAY: MADE_UP}
    print_unseen(best, sets)
    weights = {name: fit_structured(cases, sets).by_part for name, cases in (("best", best), ("fast", fast))}
    content = {"texts": len(texts), "weights": weights}
    Path(out).write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
