"""Training a ranker, an encoder that puts texts near their facts and near texts about similar tables."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.metrics.ranking.evaluator import average_precision, graded_precision
from factable.models.encoder import OnnxEmbedder
from factable.models.runtime.manifest import EMBEDDER
from factable.models.runtime.progress import no_progress
from factable.text.documents import RECORDS, make_decoys
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.checkpoint import Validation
from factable.train.encoder import find_base, load_base_tokenizer, load_encoder
from factable.train.export import TEXT_INPUTS, export_model
from factable.train.options import RankerOptions
from factable.train.ranker_batches import (
    BatchMaker,
    RankerBatch,
    RankerCorpus,
    make_corpus,
    relevance,
    split_tables,
    table_overlap,
)
from factable.train.trainer import (
    Log,
    Schedule,
    TrainingResult,
    group_by_length,
    half_precision,
    pad_rows,
    train_model,
    work_folder,
)
from factable.types import Example, Table

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

SHARE_TRAINED = 0.8
# Cosines are divided by it before softmax.
TEMPERATURE = 0.05
ROWS_AT_ONCE = 16
# Held-out texts to rank.
MAX_HELD_OUT = 600
DECOYS_PER_FACT = 5
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class RankingFigures(NamedTuple):
    """Mean average precision of the rankings on held-out texts."""

    table: float
    with_decoys: float
    references: float

    def __str__(self) -> str:
        """In words."""
        return (
            f"held-out mAP of the table {self.table:.4f}, with decoys {self.with_decoys:.4f}, "
            f"of references {self.references:.4f}"
        )


class RankerTraining(NamedTuple):
    """What to train from, how, and where to; checkpoints are beside the folder `out`, in `OUT.work`.

    Without a `base` it is the default encoder. The references of 20 % of the tables are held out; the best
    epoch on them is kept.
    """

    base: Path | None
    out: Path
    options: RankerOptions
    about: str
    threads: int
    log: Log

    def split(self, examples: Iterable[Example]) -> tuple[RankerCorpus, RankerCorpus]:
        """The texts to train on, and those of other tables, which are held out."""
        corpus, held_out = split_tables(make_corpus(examples), SHARE_TRAINED, self.options.seed)
        for part, purpose in ((corpus, "to train on"), (held_out, "to hold out")):
            if len(part.texts) < 2:
                problem = f"too few texts {purpose} ({len(part.texts)})"
                raise DataError([Fault("training set", None, problem, "give more tables with references")])
        self.log(f"{len(corpus.texts):,} texts to train on, {len(held_out.texts):,} held out")
        return corpus, held_out

    def export(self, model: "torch.nn.Module", base: Path, folder: Path) -> "Embed":
        """Write the folder of an encoder, all but its card; what it makes of texts."""
        export_model(model, base, folder, kind=EMBEDDER, about=self.about, inputs=TEXT_INPUTS)
        exported = OnnxEmbedder(folder, threads=self.threads)
        return lambda texts: exported.embed(texts, no_progress)


def train_ranker(examples: Iterable[Example], training: RankerTraining) -> None:
    """Train an encoder and write its model folder."""
    base, (corpus, held_out) = find_base(training.base), training.split(examples)
    out, options, log = training.out, training.options, training.log
    ranker = RankerModel(base, options.max_tokens)
    result = ranker.train(corpus, held_out, options, work_folder(out), threads=training.threads, log=log)
    int8 = measure_ranking(training.export(ranker.model, base, out), held_out)
    log(f"as int8: {int8}")
    _write_card(out, options, (len(corpus.texts), len(held_out.texts)), result, int8)


class RankerModel:
    """The encoder in a folder with its tokenizer; a text becomes the mean of the encoder's states."""

    def __init__(self, base: Path, max_tokens: int) -> None:
        self.model: torch.nn.Module = load_encoder(base, outputs=0, mean=True)
        self._tokenizer: Tokenizer = load_base_tokenizer(base)
        self._tokenizer.enable_truncation(max_tokens)

    def train(
        self,
        corpus: RankerCorpus,
        held_out: RankerCorpus,
        options: RankerOptions,
        work: Path,
        *,
        threads: int,
        log: Log,
    ) -> TrainingResult:
        """Train the encoder in place, resuming from the checkpoint in `work`; the best epoch is kept."""
        maker = BatchMaker(corpus, options.batch_size, options.seed)

        def validate() -> Validation:
            figures = measure_ranking(self.embed, held_out)
            return Validation(sum(figures), str(figures), tuple(figures))

        settings = {
            "epochs": options.epochs,
            "batch": options.batch_size,
            "rate": options.learning_rate,
            "seed": options.seed,
            "texts": len(corpus.texts),
        }
        return train_model(
            self.model,
            maker.epoch,
            self._loss,
            Schedule.of(options),
            work,
            settings=settings,
            threads=threads,
            log=log,
            validate=validate,
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length 1 for each text."""
        import torch

        self.model.eval()
        with torch.no_grad():
            rows: NDArray[np.float32] = self.embed_for_training(texts).numpy()
        return rows

    def _loss(self, batch: RankerBatch) -> "torch.Tensor":
        import torch

        texts = self.embed_for_training([stated.text for stated in batch.texts])
        units = self.embed_for_training(batch.units)
        stated, similar = relevance(batch)
        return _unit_loss(texts @ units.T, torch.from_numpy(stated)) + _text_loss(
            texts @ texts.T, torch.from_numpy(similar)
        )

    def embed_for_training(self, texts: Sequence[str]) -> "torch.Tensor":
        """Rows of length 1 with gradients, computed in groups of similar length, so that little is padded."""
        import torch

        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        groups = group_by_length([len(row) for row in tokens], ROWS_AT_ONCE)
        rows = []
        for indices in groups:
            ids = [tokens[index] for index in indices]
            with half_precision():
                rows.append(self.model(pad_rows(ids), pad_rows([[1] * len(row) for row in ids])))
        order = torch.tensor([index for indices in groups for index in indices]).argsort()
        return torch.nn.functional.normalize(torch.cat(rows).float(), dim=1)[order]


def _unit_loss(cosines: "torch.Tensor", stated: "torch.Tensor") -> "torch.Tensor":
    """Each unit of a text against all units that are not the text's, by softmax."""
    import torch

    scores = cosines / TEMPERATURE
    others = torch.logsumexp(scores.masked_fill(stated, -torch.inf), dim=1, keepdim=True)
    losses = torch.nn.functional.softplus(others - scores)
    return losses[stated].mean()


def _text_loss(cosines: "torch.Tensor", similar: "torch.Tensor") -> "torch.Tensor":
    """Softmax over all other texts against their shares of similarity, for texts that have a similar one."""
    import torch

    itself = torch.eye(len(similar), dtype=torch.bool)
    target = similar.masked_fill(itself, 0.0)
    has_similar = target.sum(1) > 0
    log_shares = torch.log_softmax((cosines / TEMPERATURE).masked_fill(itself, -1e9), dim=1)[has_similar]
    target = target[has_similar] / target[has_similar].sum(1, keepdim=True)
    return -(target * log_shares).sum(1).mean() if len(target) else cosines.sum() * 0.0


def measure_ranking(embed: Embed, corpus: RankerCorpus) -> RankingFigures:
    """Rank all facts and all other texts of a corpus by each of its texts (by some, if it is large)."""
    stride = -(-len(corpus.texts) // MAX_HELD_OUT)
    texts, tables = corpus.texts[::stride], corpus.table_of[::stride]
    attributes = sorted({fact.attribute for table in tables for fact in corpus.facts[table]})
    units = {table: corpus.units(table, (RECORDS,)) for table in tables}
    true_units = sorted(frozenset().union(*units.values()))
    decoys = {table: make_decoys(Table(corpus.facts[table]), attributes, DECOYS_PER_FACT) for table in tables}
    all_decoys = sorted({unit for table in decoys for unit in decoys[table]}.difference(true_units))
    index_of = {unit: index for index, unit in enumerate([*true_units, *all_decoys])}
    queries = embed(texts)
    to_units, to_texts = queries @ embed([*true_units, *all_decoys]).T, queries @ queries.T
    precisions = []
    for row, table in enumerate(tables):
        relevant = np.array(sorted(index_of[unit] for unit in units[table]))
        own_decoys = sorted({index_of[unit] for unit in decoys[table]}.difference(range(len(true_units))))
        scores = to_units[row, : len(true_units)]
        with_decoys = np.concatenate([scores, to_units[row, own_decoys]])
        similar = np.array([table_overlap(units[table], units[other]) for other in tables])
        precisions.append(
            (
                average_precision(scores, relevant),
                average_precision(with_decoys, relevant),
                text_precision(row, to_texts[row].copy(), similar),
            )
        )
    return RankingFigures(*map(float, np.nanmean(precisions, axis=0)))


def text_precision(row: int, scores: NDArray[np.float32], similar: NDArray[np.float64]) -> float:
    """Precision of the ranking of all other texts by one text; NaN if none is similar."""
    scores[row], similar[row] = -np.inf, 0.0
    relevant = np.flatnonzero(similar)
    return graded_precision(scores, relevant, similar[relevant]) if len(relevant) else np.nan


def _write_card(
    folder: Path, options: RankerOptions, texts: tuple[int, int], result: TrainingResult, int8: RankingFigures
) -> None:
    names = ["untrained", *(f"epoch {epoch}" for epoch in range(1, len(result.history))), "best, as int8"]
    rows = [*(validation.figures for validation in result.history), int8]
    figures = markdown_table(
        ("", "facts of the table", "with decoys", "similar texts"),
        [(name, *(f"{value:.4f}" for value in row)) for name, row in zip(names, rows, strict=True)],
    )
    write_card(
        folder,
        title="Ranker",
        summary=(
            "A sentence encoder (mean pooling) that puts texts near the facts they state and near texts "
            "about similar tables."
        ),
        command="factable train ranker",
        sections={
            "Training": describe_training(
                f"{texts[0]:,} texts to train on, {texts[1]:,} of other tables held out; at most "
                f"{options.epochs} epochs, the best one is kept",
                batch_size=options.batch_size,
                learning_rates=[options.learning_rate],
                seed=options.seed,
                results=[result],
                max_tokens=options.max_tokens,
            ),
            "Mean average precision on held-out texts": (
                f"At most {MAX_HELD_OUT} texts; {DECOYS_PER_FACT} decoys for each fact.\n\n{figures}"
            ),
        },
    )
