"""Training two rankers as in the paper: on labelled pairs, one encoder for each direction.

An encoder that finds tables learns from pairs of a value and a text, 1 if the value is in the text's table
and 0 if not. An encoder that finds references learns from pairs of texts, with the overlap of the values of
their tables. The cosine of a pair is to be its label.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from factable.metrics.ranking.evaluator import average_precision
from factable.metrics.ranking.rankers import DIRECTIONS, FIND_TABLE
from factable.text.documents import VALUES
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.checkpoint import Validation
from factable.train.encoder import find_base
from factable.train.options import RankerOptions
from factable.train.ranker import MAX_HELD_OUT, Embed, RankerModel, RankerTraining, text_precision
from factable.train.ranker_batches import RankerCorpus, table_overlap
from factable.train.trainer import Schedule, TrainingResult, train_model, work_folder
from factable.types import Example

if TYPE_CHECKING:
    import torch

# Attempts to draw a text of another table.
MAX_TRIES = 8


class LabelledPair(NamedTuple):
    """A value or text, a text, and how near they should be: from 0 to 1."""

    first: str
    second: str
    label: float


class PairMaker:
    """Draws labelled pairs for one direction; the same ones for the same corpus, seed and epoch."""

    def __init__(self, corpus: RankerCorpus, direction: str, seed: int) -> None:
        self._corpus, self._seed = corpus, seed
        self._draw_pairs = self._with_values if direction == FIND_TABLE else self._with_texts
        self._values = [corpus.units(table, (VALUES,)) for table in range(len(corpus.facts))]
        self._texts_with: dict[str, list[int]] = defaultdict(list)
        for index, table in enumerate(corpus.table_of):
            for value in self._values[table]:
                self._texts_with[value].append(index)

    def epoch(self, number: int, batch_size: int) -> list[list[LabelledPair]]:
        """The pairs of every text, in batches; each positive pair comes with one whose label is 0."""
        draw = random.Random(f"{self._seed} {number}")  # noqa: S311
        pairs = [pair for index in range(len(self._corpus.texts)) for pair in self._draw_pairs(index, draw)]
        draw.shuffle(pairs)
        return [pairs[start : start + batch_size] for start in range(0, len(pairs), batch_size)]

    def _with_values(self, index: int, draw: random.Random) -> list[LabelledPair]:
        """Every value of a text's table with the text, and with a text whose table lacks it."""
        pairs = []
        for value in sorted(self._of(index)):
            pairs.append(LabelledPair(value, self._corpus.texts[index], 1.0))
            other = self._draw_text(draw, lacking=frozenset((value,)))
            if other is not None:
                pairs.append(LabelledPair(value, self._corpus.texts[other], 0.0))
        return pairs

    def _with_texts(self, index: int, draw: random.Random) -> list[LabelledPair]:
        """A text with one whose table shares a value, and with one whose table shares none.

        Of all pairs of texts most share nothing, so those are drawn less often than they occur.
        """
        own = self._of(index)
        similar = draw.choice(self._texts_with[draw.choice(sorted(own))])
        others = [similar, self._draw_text(draw, lacking=own)]
        return [
            LabelledPair(
                self._corpus.texts[index], self._corpus.texts[other], table_overlap(own, self._of(other))
            )
            for other in others
            if other is not None
        ]

    def _of(self, index: int) -> frozenset[str]:
        return self._values[self._corpus.table_of[index]]

    def _draw_text(self, draw: random.Random, *, lacking: frozenset[str]) -> int | None:
        """A text whose table has none of these values."""
        for _ in range(MAX_TRIES):
            other = draw.randrange(len(self._corpus.texts))
            if not self._of(other) & lacking:
                return other
        return None


def train_pairs(examples: Iterable[Example], training: RankerTraining) -> None:
    """Train an encoder for each direction and write both into folders of `out`."""
    base, (corpus, held_out) = find_base(training.base), training.split(examples)
    options = training.options
    for direction in DIRECTIONS:
        training.log(f"direction: {direction}")
        ranker = RankerModel(base, options.max_tokens)
        maker = PairMaker(corpus, direction, options.seed)
        result = _train(ranker, maker, held_out, direction, training)
        folder = training.out / direction
        int8 = measure_direction(training.export(ranker.model, base, folder), held_out, direction)
        training.log(f"as int8: mAP {int8:.4f}")
        _write_card(folder, direction, options, (len(corpus.texts), len(held_out.texts)), result, int8)


def _train(
    ranker: RankerModel,
    maker: PairMaker,
    held_out: RankerCorpus,
    direction: str,
    training: RankerTraining,
) -> TrainingResult:
    options = training.options

    def loss(pairs: Sequence[LabelledPair]) -> "torch.Tensor":
        import torch

        rows = ranker.embed_for_training([text for pair in pairs for text in (pair.first, pair.second)])
        cosines = (rows[0::2] * rows[1::2]).sum(1)
        return torch.nn.functional.mse_loss(cosines, torch.tensor([pair.label for pair in pairs]))

    def validate() -> Validation:
        precision = measure_direction(ranker.embed, held_out, direction)
        return Validation(precision, f"held-out mAP {precision:.4f}", (precision,))

    return train_model(
        ranker.model,
        lambda epoch: maker.epoch(epoch, options.batch_size),
        loss,
        Schedule.of(options),
        work_folder(training.out) / direction,
        settings={**options._asdict(), "direction": direction, "held out": len(held_out.texts)},
        threads=training.threads,
        log=training.log,
        validate=validate,
    )


def measure_direction(embed: Embed, corpus: RankerCorpus, direction: str) -> float:
    """Mean average precision of all values, or of all other texts, ranked by each text (by some of many)."""
    stride = -(-len(corpus.texts) // MAX_HELD_OUT)
    texts, tables = corpus.texts[::stride], corpus.table_of[::stride]
    values = [corpus.units(table, (VALUES,)) for table in tables]
    queries = embed(texts)
    if direction == FIND_TABLE:
        all_values = sorted(frozenset().union(*values))
        index_of = {value: index for index, value in enumerate(all_values)}
        scores = queries @ embed(all_values).T
        precisions = [
            average_precision(row, np.array(sorted(index_of[value] for value in own)))
            for row, own in zip(scores, values, strict=True)
        ]
    else:
        scores = queries @ queries.T
        precisions = [
            text_precision(row, scores[row].copy(), np.array([table_overlap(own, other) for other in values]))
            for row, own in enumerate(values)
        ]
    return float(np.nanmean(precisions))


def _write_card(
    folder: Path,
    direction: str,
    options: RankerOptions,
    texts: tuple[int, int],
    result: TrainingResult,
    int8: float,
) -> None:
    names = ["untrained", *(f"epoch {epoch}" for epoch in range(1, len(result.history))), "best, as int8"]
    figures = [*(validation.figures[0] for validation in result.history), int8]
    rows = [(name, f"{figure:.4f}") for name, figure in zip(names, figures, strict=True)]
    write_card(
        folder,
        title=f"Ranker of {direction}",
        summary=f"A sentence encoder (mean pooling) by which a text finds its {direction}.",
        command="factable train ranker --objective pairs",
        sections={
            "Training": describe_training(
                f"Labelled pairs from {texts[0]:,} texts, {texts[1]:,} of other tables held out; at most "
                f"{options.epochs} epochs, the best one is kept",
                batch_size=options.batch_size,
                learning_rates=[options.learning_rate],
                seed=options.seed,
                results=[result],
                max_tokens=options.max_tokens,
            ),
            "Mean average precision on held-out texts": markdown_table(("", "mAP"), rows),
        },
    )
