"""What unrelated texts score at each layer of an encoder: files of the package bert_score's layout."""

import csv
import math

from factable.io.checksum import sha256_of
from factable.models.arrays import while_unchanged
from factable.models.manifest import model_fault
from factable.models.token_similarity import Similarity

COLUMNS = ("LAYER", "P", "R", "F")
WHAT = "a baseline file"
REMEDY = f"give comma-separated values with the columns {', '.join(COLUMNS)} and a row for each layer"


def load_baseline(path: str, layer: int) -> Similarity:
    """Precision, recall and F of unrelated texts at a layer."""
    rows = while_unchanged(_load, path, what=WHAT, remedy=REMEDY)
    if layer not in rows:
        raise model_fault(path, f"no row for layer {layer}", "name a baseline of this model")
    return rows[layer]


def baseline_checksum(path: str) -> str:
    """The sha256 of a baseline file."""
    return while_unchanged(sha256_of, path, what=WHAT, remedy=REMEDY)


def _load(path: str) -> dict[int, Similarity]:
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"columns {', '.join(reader.fieldnames or ()) or 'missing'}")
        rows = {int(row["LAYER"]): Similarity(*(float(row[name]) for name in COLUMNS[1:])) for row in reader}
    for found in rows.values():
        if not all(math.isfinite(number) and number < 1 for number in found):
            raise ValueError("a number that is not below 1")
    return rows
