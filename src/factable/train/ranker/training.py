"""Training the bi-encoder: both rankings learned at once, the best epoch kept."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.ranking_precision import average_precision, graded_precision
from factable.text.units import RECORDS
from factable.train.ranker.corpus import Batch, BatchMaker, Corpus, overlap, relevance
from factable.train.ranker.model import load_encoder

if TYPE_CHECKING:
    import torch

# Shapes are compiled once each, so there should be few.
LENGTH_STEP = 16
# Cosines are divided by it before softmax.
TEMPERATURE = 0.05
WARM_UP = 0.1
MOST_TOKENS = 128
ROWS_AT_ONCE = 16
# Held-out texts that are ranked after an epoch.
MOST_HELD_OUT = 1200
STEPS_PER_LINE = 20
Log = Callable[[str], None]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class Settings(NamedTuple):
    """How to train."""

    epochs: int = 4
    batch: int = 48
    rate: float = 1e-4
    seed: int = 0


class Figures(NamedTuple):
    """Mean average precision of both rankings on held-out texts."""

    table: float
    references: float


class Tokens:
    """The tokenizer of a base."""

    def __init__(self, base: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)

    def tensors(self, texts: Sequence[str]) -> tuple["torch.Tensor", "torch.Tensor"]:
        """Numbers of tokens and where they are, padded to few different lengths."""
        import torch

        rows = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        width = -(-max(map(len, rows)) // LENGTH_STEP) * LENGTH_STEP
        ids, mask = (np.zeros((len(rows), width), np.int64) for _ in range(2))
        for row, numbers in enumerate(rows):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        return torch.from_numpy(ids), torch.from_numpy(mask)


def train(
    corpus: Corpus, held_out: Corpus, base: Path, settings: Settings, *, threads: int, log: Log
) -> tuple["torch.nn.Module", list[Figures]]:
    """The encoder as it was after its best epoch, or as it came; figures before training and of each."""
    import torch

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    torch.manual_seed(settings.seed)
    model, tokens = load_encoder(base), Tokens(base)
    model.encoder.embeddings.requires_grad_(False)  # type: ignore[union-attr, unused-ignore]
    maker = BatchMaker(corpus, settings.batch, settings.seed)
    embed = partial(embed_with, model, tokens)
    figures = [measure(embed, held_out)]
    log(f"before training: {_say(figures[0])}")
    per_epoch = sum(1 for _ in BatchMaker(corpus, settings.batch, settings.seed).epoch())
    learner = _Learner(model, tokens, settings, steps=settings.epochs * per_epoch)
    best = _copy(model)
    for epoch in range(1, settings.epochs + 1):
        began, losses = time.monotonic(), []
        for step, batch in enumerate(maker.epoch(), 1):
            losses.append(learner.learn(corpus, batch))
            if step % STEPS_PER_LINE == 0:
                rate = (time.monotonic() - began) / step
                log(f"epoch {epoch}, step {step}: loss {np.mean(losses[-STEPS_PER_LINE:]):.4f}, {rate:.2f} s")
        figures.append(measure(embed, held_out))
        log(f"epoch {epoch}: {_say(figures[-1])}")
        if sum(figures[-1]) >= max(map(sum, figures)):
            best = _copy(model)
    model.load_state_dict(best)
    return model, figures


def _say(figures: Figures) -> str:
    return f"held-out mAP of the table {figures.table:.4f}, of references {figures.references:.4f}"


def _copy(model: "torch.nn.Module") -> dict[str, Any]:
    return {name: value.clone() for name, value in model.state_dict().items()}


class _Learner:
    """Model, optimiser and learning rate."""

    def __init__(self, model: "torch.nn.Module", tokens: Tokens, settings: Settings, *, steps: int) -> None:
        import torch

        self._model, self._tokens, self._rate = model, tokens, settings.rate
        self._steps, self._step = max(1, steps), 0
        self._trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self._optimiser = torch.optim.AdamW(self._trained, lr=settings.rate, weight_decay=0.01, fused=True)

    def learn(self, corpus: Corpus, batch: Batch) -> float:
        """Take one step."""
        import torch

        self._model.train()
        texts = self._embed([corpus.texts[place] for place in batch.texts])
        units = self._embed(batch.units)
        told, alike = relevance(corpus, batch)
        loss = _told_loss(texts @ units.T, torch.from_numpy(told))
        loss = loss + _alike_loss(texts @ texts.T, torch.from_numpy(alike))
        share = min((self._step + 1) / (WARM_UP * self._steps), 1 - self._step / self._steps)
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * max(0.0, share)
        self._step += 1
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._trained, 1.0)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        return float(loss.detach())

    def _embed(self, texts: Sequence[str]) -> "torch.Tensor":
        """Rows of length 1, made in groups of like length, so that little is padded."""
        import torch

        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        groups = [order[start : start + ROWS_AT_ONCE] for start in range(0, len(order), ROWS_AT_ONCE)]
        with torch.autocast("cpu", torch.bfloat16):
            rows = [self._model(*self._tokens.tensors([texts[place] for place in some])) for some in groups]
        back = torch.tensor(order).argsort()
        return torch.nn.functional.normalize(torch.cat(rows).float(), dim=1)[back]


def _told_loss(cosines: "torch.Tensor", told: "torch.Tensor") -> "torch.Tensor":
    """Each unit of a text against all units that are not the text's, by softmax."""
    import torch

    scores = cosines / TEMPERATURE
    others = torch.logsumexp(scores.masked_fill(told, -torch.inf), dim=1, keepdim=True)
    surprise = torch.nn.functional.softplus(others - scores)
    return surprise[told].mean()


def _alike_loss(cosines: "torch.Tensor", alike: "torch.Tensor") -> "torch.Tensor":
    """Shares of the softmax over all other texts against shares of likeness, for texts with a like one."""
    import torch

    itself = torch.eye(len(alike), dtype=torch.bool)
    wanted = alike.masked_fill(itself, 0.0)
    some = wanted.sum(1) > 0
    found = torch.log_softmax((cosines / TEMPERATURE).masked_fill(itself, -1e9), dim=1)[some]
    wanted = wanted[some] / wanted[some].sum(1, keepdim=True)
    return -(wanted * found).sum(1).mean() if len(wanted) else cosines.sum() * 0.0


def measure(embed: Embed, corpus: Corpus) -> Figures:
    """Rank all facts and all other texts of a corpus by each of its texts (some of a large one)."""
    every_so_many = -(-len(corpus.texts) // MOST_HELD_OUT)
    texts, tables = corpus.texts[::every_so_many], corpus.table_of[::every_so_many]
    units = [corpus.units(table, (RECORDS,)) for table in tables]
    every = sorted(frozenset().union(*units))
    places = {unit: place for place, unit in enumerate(every)}
    queries = embed(texts)
    to_units, to_texts = queries @ embed(every).T, queries @ queries.T
    found = []
    for row, mine in enumerate(units):
        alike = np.array([overlap(mine, other) for other in units])
        alike[row] = 0.0
        relevant = np.flatnonzero(alike)
        table = average_precision(to_units[row], np.array(sorted(places[unit] for unit in mine)))
        others = to_texts[row].copy()
        # A text is not looked for by itself.
        others[row] = -np.inf
        graded = graded_precision(others, relevant, alike[relevant]) if len(relevant) else np.nan
        found.append((table, graded))
    return Figures(*map(float, np.nanmean(found, axis=0)))


def embed_with(model: "torch.nn.Module", tokens: Tokens, texts: Sequence[str]) -> NDArray[np.float32]:
    """A row of length 1 for each text."""
    import torch

    model.eval()
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    rows: list[Any] = [None] * len(texts)
    with torch.no_grad():
        for start in range(0, len(order), ROWS_AT_ONCE):
            some = order[start : start + ROWS_AT_ONCE]
            found = model(*tokens.tensors([texts[place] for place in some]))
            for place, row in zip(some, torch.nn.functional.normalize(found, dim=1).numpy(), strict=True):
                rows[place] = row
    return np.array(rows, dtype=np.float32)
