"""All of it: texts split in two, training, export, figures, card."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault
from factable.models.onnx_embedder import OnnxEmbedder
from factable.models.protocols import tell_nobody
from factable.train.nli.run import find_base
from factable.train.ranker.corpus import corpus_of, split
from factable.train.ranker.export import export, make_card, write_card
from factable.train.ranker.figures import measure
from factable.train.ranker.training import Log, Settings, train
from factable.types import Example

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
        return small.embed(texts, tell_nobody)

    int8 = measure(embed, held_out)
    log(f"as int8: {int8}")
    texts = len(corpus.texts), len(held_out.texts)
    write_card(out, make_card(settings, texts, trained, int8))
