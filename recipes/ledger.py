"""Fits the weights of the ledger that ship with factable.

python recipes/ledger.py DATA RATINGS.jsonl OUT.json

DATA is the folder that recipes/nli.sh makes beside its model: WebNLG texts of categories that the NLI model
was not trained on, and E2E texts. Items in RATINGS (WebNLG 2017) are left out, so that studies on them stay
valid, and so are E2E references that omit or add a slot.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import factable
from factable.cli.main import cli
from factable.io.examples import write_examples
from factable.train.e2e_slots import stated_slots, states_nothing_else
from factable.types import Example


def keep_faithful(example: Example) -> Example:
    """The example with only those references that state all its slots and no others."""
    records = example.table.records
    kept = [
        text
        for text in example.references
        if len(stated_slots(records, text)) == len(records) and states_nothing_else(records, text)
    ]
    return replace(example, references=tuple(kept))


def main(data: str, ratings: str, out: str) -> None:
    """Select the texts and fit the weights."""
    rated = {example.table.records for example in factable.read(ratings)}
    with tempfile.TemporaryDirectory() as folder:
        webnlg, e2e = Path(folder) / "webnlg.jsonl", Path(folder) / "e2e.jsonl"
        unseen = factable.read(Path(data) / "converted/webnlg-unseen.jsonl", need_text=False)
        kept = [example for example in unseen if example.table.records not in rated]
        write_examples(kept, str(webnlg), with_text=False)
        slots = map(keep_faithful, factable.read(Path(data) / "converted/e2e-dev.jsonl", need_text=False))
        write_examples([example for example in slots if example.references], str(e2e), with_text=False)
        cli(["train", "ledger", str(webnlg), str(e2e), out], standalone_mode=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
