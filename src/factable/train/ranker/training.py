"""The bi-encoder: a text becomes the mean of an encoder's states."""

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.models.encoder import OnnxEmbedder
from factable.models.protocols import no_progress
from factable.models.runtime.manifest import CARD, EMBEDDER
from factable.train.export import load_base, write_manifest, write_onnx
from factable.train.nli.training import find_base
from factable.train.ranker.batches import Batch, BatchMaker, relevance
from factable.train.ranker.corpus import DECOYS, MAX_HELD_OUT, Corpus, Figures, corpus_of, measure, split
from factable.train.trainer import TrainingState
from factable.types import Example

if TYPE_CHECKING:
    import torch


def load_encoder(folder: Path) -> "torch.nn.Module":
    """The encoder in a folder (config.json and model.safetensors), with mean pooling."""
    encoder = load_base(folder)
    import torch

    class Embedder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            there = attention_mask.unsqueeze(-1).to(states.dtype)
            return (states * there).sum(1) / there.sum(1)

    return Embedder()


# Shapes are compiled once each, so there should be few.
LENGTH_STEP = 16
# Cosines are divided by it before softmax.
TEMPERATURE = 0.05
WARM_UP = 0.1
MAX_TOKENS = 128
ROWS_AT_ONCE = 16
STEPS_PER_LINE = 20
STEPS_PER_CHECKPOINT = 100
BEST = "best.safetensors"
Log = Callable[[str], None]


class Settings(NamedTuple):
    """How to train."""

    epochs: int = 4
    batch: int = 48
    rate: float = 1e-4
    seed: int = 0


class Trained(NamedTuple):
    """The encoder after its best epoch, or as it came; figures before training and of each epoch."""

    model: "torch.nn.Module"
    figures: Sequence[Figures]
    minutes: float


class Tokens:
    """The tokenizer of a base."""

    def __init__(self, base: Path) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

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
    corpus: Corpus, held_out: Corpus, base: Path, settings: Settings, work: Path, *, threads: int, log: Log
) -> Trained:
    """Train an encoder; what is in `work` is gone on with."""
    import torch

    torch.set_flush_denormal(True)
    torch.set_num_threads(threads)
    training = _Training(corpus, base, settings, work, log)
    model, tokens = training.model, training.tokens
    embed = partial(embed_with, model, tokens)
    if not training.figures:
        training.note(measure(embed, held_out))
    maker, step = BatchMaker(corpus, settings.batch, settings.seed), 0
    for epoch in range(1, settings.epochs + 1):
        for batch in maker.epoch(epoch):
            # Those before a stop are drawn again, but not learned from.
            if step >= training.done:
                training.learn(batch)
            step += 1
        if len(training.figures) == epoch:
            training.note(measure(embed, held_out))
    return training.finish()


class _Training:
    """A training under way: how many steps were taken, and how good each epoch was."""

    def __init__(self, corpus: Corpus, base: Path, settings: Settings, work: Path, log: Log) -> None:
        self._base, self._seed, self._work, self._log = base, settings.seed, work, log
        self.model, self.tokens = load_encoder(base), Tokens(base)
        self.model.encoder.embeddings.requires_grad_(False)  # type: ignore[union-attr, unused-ignore]
        maker = BatchMaker(corpus, settings.batch, settings.seed)
        steps = sum(1 for epoch in range(1, settings.epochs + 1) for _ in maker.epoch(epoch))
        told = {**settings._asdict(), "texts": len(corpus.texts)}
        self._state = TrainingState(
            self.model, work, rate=settings.rate, warm_up=WARM_UP, steps=steps, settings=told
        )
        self.done, self._minutes, notes = self._state.load()
        self.figures = [Figures(*one) for one in notes.get("figures", ())]
        self._began, self._losses = time.monotonic(), list[float]()
        log(f"{steps:,} steps, from step {self.done:,}")

    def learn(self, batch: Batch) -> None:
        """Take one step."""
        import torch

        # Drawn anew in each step, so that a run that goes on equals one that was never stopped.
        torch.manual_seed(self._seed + self.done)
        self.model.train()
        texts = self._embed([one.text for one in batch.texts])
        units = self._embed(batch.units)
        told, alike = relevance(batch)
        loss = _told_loss(texts @ units.T, torch.from_numpy(told))
        loss = loss + _alike_loss(texts @ texts.T, torch.from_numpy(alike))
        self._losses.append(self._state.take_step(loss, self.done))
        self.done += 1
        if self.done % STEPS_PER_LINE == 0:
            self._log(f"step {self.done:,}: loss {np.mean(self._losses):.4f}, {self._passed():.1f} minutes")
            self._losses.clear()
        if self.done % STEPS_PER_CHECKPOINT == 0:
            self._save()

    def note(self, figures: Figures) -> None:
        """What the encoder reaches now; it is kept if it is the best so far."""
        from safetensors.torch import save_file

        self.figures.append(figures)
        epoch = len(self.figures) - 1
        self._log(f"epoch {epoch}: {figures}" if epoch else f"before training: {figures}")
        if not epoch:
            return
        if best_of(self.figures) == epoch:
            self._work.mkdir(parents=True, exist_ok=True)
            weights = {name: value.contiguous() for name, value in self.model.state_dict().items()}
            save_file(weights, self._work / BEST)
        self._save()

    def finish(self) -> Trained:
        """The encoder after its best epoch."""
        from safetensors.torch import load_file

        model = self.model if best_of(self.figures) else load_encoder(self._base)
        if best_of(self.figures):
            model.load_state_dict(load_file(self._work / BEST))
        return Trained(model, self.figures, self._passed())

    def _passed(self) -> float:
        return self._minutes + (time.monotonic() - self._began) / 60

    def _save(self) -> None:
        self._state.save(self.done, self._passed(), {"figures": [list(one) for one in self.figures]})

    def _embed(self, texts: Sequence[str]) -> "torch.Tensor":
        """Rows of length 1, made in groups of like length, so that little is padded."""
        import torch

        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        groups = [order[start : start + ROWS_AT_ONCE] for start in range(0, len(order), ROWS_AT_ONCE)]
        with torch.autocast("cpu", torch.bfloat16):
            rows = [self.model(*self.tokens.tensors([texts[index] for index in some])) for some in groups]
        back = torch.tensor(order).argsort()
        return torch.nn.functional.normalize(torch.cat(rows).float(), dim=1)[back]


def best_of(figures: Sequence[Figures]) -> int:
    """The epoch with the best mean of its figures, the last of equal ones."""
    return max(range(len(figures)), key=lambda epoch: (sum(figures[epoch]), epoch))


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


def embed_with(model: "torch.nn.Module", tokens: Tokens, texts: Sequence[str]) -> NDArray[np.float32]:
    """A row of length 1 for each text."""
    import torch

    model.eval()
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    rows: list[Any] = [None] * len(texts)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        for start in range(0, len(order), ROWS_AT_ONCE):
            some = order[start : start + ROWS_AT_ONCE]
            found = model(*tokens.tensors([texts[index] for index in some])).float()
            for index, row in zip(some, torch.nn.functional.normalize(found, dim=1).numpy(), strict=True):
                rows[index] = row
    return np.array(rows, dtype=np.float32)


INPUTS = ("input_ids", "attention_mask")


def export(model: "torch.nn.Module", base: Path, folder: Path, *, about: str) -> None:
    """Write the model folder, all but its card."""
    import torch

    # Two texts, so that no size is taken for a constant.
    ids = torch.ones((2, 16), dtype=torch.int64)
    write_onnx(model, (ids, ids), INPUTS, base, folder)
    write_manifest(folder, {"kind": EMBEDDER, "about": about, "labels": [], "temperature": 1.0})


def write_card(folder: Path, text: str) -> None:
    """Write the model card."""
    (folder / CARD).write_text(text, encoding="utf-8")


def make_card(settings: Settings, texts: tuple[int, int], trained: Trained, int8: Figures) -> str:
    """What the model is, what it was made from and how well it does."""
    names = ["before training", *(f"epoch {epoch}" for epoch in range(1, len(trained.figures)))]
    rows = "\n".join(
        f"| {name} | {one.table:.4f} | {one.with_decoys:.4f} | {one.references:.4f} |"
        for name, one in zip([*names, "the best, as int8"], [*trained.figures, int8], strict=True)
    )
    return f"""# Ranker

A sentence encoder (mean pooling) that puts texts near the facts they tell and near texts about like tables,
as int8 ONNX with weights of seven bits. Made by `factable train ranker`.

## Training

{texts[0]:,} texts to learn from and {texts[1]:,} of other tables held out. Epochs at most: {settings.epochs};
batches of {settings.batch} texts, learning rate {settings.rate:g} with warm-up and linear decay, bf16, frozen
word embeddings, seed {settings.seed}; {trained.minutes:.0f} minutes.

## Mean average precision on held-out texts

{MAX_HELD_OUT} texts at most; {DECOYS} decoys for each fact.

| | facts of the table | beside decoys | like texts |
|---|---|---|---|
{rows}
"""


SHARE_LEARNED = 0.8


def train_ranker(
    examples: Iterable[Example],
    base: Path | None,
    out: Path,
    settings: Settings,
    *,
    about: str,
    threads: int,
    log: Log,
) -> None:
    """Train an encoder into a model folder; its checkpoints are beside it, in `OUT.work`.

    The references of 20 % of the tables are held out.
    """
    base = find_base(base)
    corpus, held_out = split(corpus_of(examples), SHARE_LEARNED, settings.seed)
    for some, use in ((corpus, "to learn from"), (held_out, "to be held out")):
        if len(some.texts) < 2:
            found = f"too few texts {use} ({len(some.texts)})"
            raise DataError([Fault("training set", None, found, "give more tables with references")])
    log(f"{len(corpus.texts):,} texts to learn from, {len(held_out.texts):,} held out")
    work = out.with_name(out.name + ".work")
    trained = train(corpus, held_out, base, settings, work, threads=threads, log=log)
    export(trained.model, base, out, about=about)
    small = OnnxEmbedder(out, threads=threads)

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        return small.embed(texts, no_progress)

    int8 = measure(embed, held_out)
    log(f"as int8: {int8}")
    texts = len(corpus.texts), len(held_out.texts)
    write_card(out, make_card(settings, texts, trained, int8))
