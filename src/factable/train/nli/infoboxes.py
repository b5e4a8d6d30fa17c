"""InfoTabS premises (`Title | Key: value ; Key: value`) as the sentences that other data becomes."""

import random

from factable.text.templates import Templates
from factable.train.nli.pairs import Pair
from factable.types import Record

# The rest stays as it is, so that the model learns to read lists of keys and values too.
SHARE_OPENED = 0.6


def open_infobox(pair: Pair, draw: random.Random) -> Pair:
    """The pair with its premise as sentences, mostly."""
    if draw.random() >= SHARE_OPENED:
        return pair
    title, _, rows = pair.premise.partition(" | ")
    cells = [row.partition(": ") for row in rows.split(" ; ")]
    if not all(separator for _, separator, _ in cells):
        return pair
    sentences = [Templates().sentence(Record(title, key, " ".join(value.split()))) for key, _, value in cells]
    return pair._replace(premise=" ".join(sentences))
