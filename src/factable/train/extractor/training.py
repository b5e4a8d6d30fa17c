"""Training of the extractor: checkpoints, early stopping on held-out texts, and what it finds in them."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from factable.errors import MissingExtraError, UsageError
from factable.metrics.extraction.extractors import FORMAT, VOCABULARY, load_extractor
from factable.metrics.extraction.pairs import NORMALISED, Overlap, distinct, pair_up
from factable.models.runtime.arrays import write_tensors
from factable.train.extractor.network import Batches, Pair, make_pairs, make_vocabulary, said_records
from factable.types import Example, Table

Log = Callable[[str], None]
STEPS_PER_LINE = 50
# Gradients longer than this are shortened.
LONGEST_GRADIENT = 2.0
# Held-out texts from which pairs are extracted at the end.
MEASURED = 300


class Settings(NamedTuple):
    """How to train: at most so many epochs, fewer if `patience` of them bring nothing on held-out texts.

    Rate, hidden and dropout follow the PARENT paper.
    """

    epochs: int = 25
    batch: int = 64
    rate: float = 3e-4
    width: int = 128
    hidden: int = 200
    dropout: float = 0.2
    patience: int = 3
    seed: int = 0


def train_extractor(
    examples: Sequence[Example],
    held_out: Sequence[Example],
    out: Path,
    settings: Settings,
    *,
    threads: int = 1,
    log: Log,
) -> Overlap:
    """Write the extractor of the best epoch; how many pairs it shares with those of held-out texts.

    Stopped, it goes on from its last epoch when called again; `OUT.state` holds what that needs.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("training an extractor", "train") from None
    torch.set_num_threads(threads)
    torch.manual_seed(settings.seed)
    pairs, others = make_pairs(examples), make_pairs(held_out)
    if not pairs or not others:
        raise UsageError("no text says a record of its data; give training and held-out sets with references")
    vocabulary = make_vocabulary(pairs)
    log(f"{len(pairs):,} texts, {len(others):,} held out, {len(vocabulary):,} tokens")
    _Training(vocabulary, out, settings, log).run(pairs, others)
    found = measure(held_out, str(out))
    log(f"held out: precision {found.precision:.3f}, recall {found.recall:.3f}, F {found.f:.3f}")
    return found


class _Training:
    """Network, optimiser, and the best of what was."""

    def __init__(self, vocabulary: list[str], out: Path, settings: Settings, log: Log) -> None:
        import torch

        from factable.train.extractor.network import Network

        self._vocabulary, self._out, self._settings, self._log = vocabulary, out, settings, log
        self._network = Network(
            len(vocabulary), width=settings.width, hidden=settings.hidden, dropout=settings.dropout
        )
        self._optimiser = torch.optim.Adam(self._network.parameters(), lr=settings.rate)
        self._state = out.with_name(f"{out.name}.state")
        self._best, self._epoch, self._waited = float("inf"), 0, 0

    def run(self, pairs: Sequence[Pair], others: Sequence[Pair]) -> None:
        """Epoch after epoch, until nothing more is learnt."""
        self._resume()
        batches = Batches(pairs, self._vocabulary, self._settings.batch)
        held_out = Batches(others, self._vocabulary, self._settings.batch)
        while self._epoch < self._settings.epochs and self._waited < self._settings.patience:
            self._epoch += 1
            # A generator for each epoch, so that one that goes on draws what it would have drawn.
            random = np.random.default_rng([self._settings.seed, self._epoch])
            self._learn(batches, random)
            lost = self._validation_loss(held_out)
            self._waited = 0 if lost < self._best else self._waited + 1
            self._log(f"epoch {self._epoch}: held-out loss {lost:.4f}")
            if lost < self._best:
                self._best = lost
                self._write()
            self._keep()
        self._state.unlink(missing_ok=True)

    def _learn(self, batches: Batches, random: np.random.Generator) -> None:
        import torch

        self._network.train()
        began, losses = time.monotonic(), []
        for step, batch in enumerate(batches.draw(random), 1):
            loss = self._network(batch)
            self._optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._network.parameters(), LONGEST_GRADIENT)
            self._optimiser.step()
            losses.append(float(loss.detach()))
            if step % STEPS_PER_LINE == 0:
                pace = (time.monotonic() - began) / step
                recent = float(np.mean(losses[-STEPS_PER_LINE:]))
                self._log(
                    f"epoch {self._epoch}, step {step} of {len(batches)}: loss {recent:.4f}, {pace:.2f} s"
                )

    def _validation_loss(self, batches: Batches) -> float:
        import torch

        self._network.eval()
        with torch.no_grad():
            return float(
                np.mean([float(self._network(one)) for one in batches.draw(np.random.default_rng(0))])
            )

    def _write(self) -> None:
        from factable.train.extractor.network import weights_of

        vocabulary = orjson.dumps(self._vocabulary).decode()
        write_tensors(self._out, weights_of(self._network), {"format": FORMAT, VOCABULARY: vocabulary})

    def _keep(self) -> None:
        import torch

        told: dict[str, Any] = {
            "network": self._network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "run": [self._best, self._epoch, self._waited],
            "vocabulary": self._vocabulary,
        }
        torch.save(told, self._state)

    def _resume(self) -> None:
        import torch

        if not self._state.is_file():
            return
        told = torch.load(self._state, weights_only=True)
        if told["vocabulary"] != self._vocabulary:
            raise UsageError(f"{self._state} is of other training texts; delete it to begin anew")
        self._network.load_state_dict(told["network"])
        self._optimiser.load_state_dict(told["optimiser"])
        self._best, self._epoch, self._waited = told["run"]
        self._log(f"goes on after epoch {self._epoch}")


def measure(examples: Sequence[Example], extractor: str, most: int = MEASURED) -> Overlap:
    """How many pairs an extractor shares with those that texts say, over at most so many texts."""
    texts = [(text, example.table) for example in examples for text in example.references or (example.text,)]
    chosen = [texts[index * len(texts) // most] for index in range(most)] if len(texts) > most else texts
    counts = np.zeros(3, dtype=np.int64)
    loaded = load_extractor(extractor)
    for text, table in chosen:
        said = distinct(loaded.extract([(text, Table(()))])[0])
        known = list(dict.fromkeys(said_records(text, table)))
        counts += (len(pair_up(known, said, NORMALISED)), len(said), len(known))
    return Overlap(*counts.tolist())
