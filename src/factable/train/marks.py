"""Training the model that marks words: evidence and a sentence in, a probability per token out."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import orjson

from factable.io.marked_texts import MarkedText, Spans, read_marked_texts
from factable.metrics.ledger.evidence import MAX_EVIDENCE_WORDS, EvidenceIndex
from factable.models.marks import OnnxMarks, encode_sentence
from factable.models.runtime.manifest import MARKS, read_manifest
from factable.models.runtime.progress import no_progress
from factable.stats.classification import auc
from factable.structure import Structure
from factable.text.markdown import segments
from factable.train.card import describe_training, markdown_table, write_card
from factable.train.encoder import (
    EncodedPairs,
    copy_weights,
    find_base,
    load_base_tokenizer,
    load_encoder,
    train_on_pairs,
)
from factable.train.export import export_model
from factable.train.options import MarksOptions
from factable.train.trainer import Log, Schedule, TrainingResult, work_folder
from factable.types import Span, Table

if TYPE_CHECKING:
    import torch

# What judges marked counts for this share of a target, where a file has judges beside people.
JUDGES_SHARE = 0.25
# One input in five, by its data, is left out of the training and measured.
HELD_OUT_OF = 5
# Of sentences without a mark so many of ten are learnt from: most sentences have none.
CLEAN_OF_TEN = 6
# The lowest layers keep their weights, which saves time and loses nothing.
FROZEN_LAYERS = 2
# Tokens that are not of the sentence have no target.
NO_TARGET = -1.0


class MarkedExample(NamedTuple):
    """A sentence with its evidence, and what people (and judges) marked in it."""

    source: str
    evidence: str
    sentence: str
    human: tuple[Span, ...]
    judges: tuple[tuple[Span, ...], ...]
    held_out: bool


class MarksFigures(NamedTuple):
    """How well marks tell the characters and the sentences that people marked."""

    sentences: int
    marked: int
    auc_tokens: float
    auc_sentences: float


def read_marked(path: str) -> Iterator[MarkedExample]:
    """The sentences of texts with error spans; texts of the same data are all held out, or none."""
    indexes: dict[Table, EvidenceIndex] = {}
    for text in read_marked_texts([path]).rows:
        table = text.example.table
        if table not in indexes:
            indexes[table] = EvidenceIndex(Structure.of(table))
        yield from _sentences(Path(path).name, text, indexes[table], is_held_out(table))


def is_held_out(table: Table) -> bool:
    """Whether the data of a text is left out of the training."""
    data = [list(record) for record in table.records] if table.source is None else table.source
    digest = hashlib.sha256(orjson.dumps(data)).digest()
    return int.from_bytes(digest[:8], "big") % HELD_OUT_OF == 0


def _sentences(
    source: str, text: MarkedText, index: EvidenceIndex, held_out: bool
) -> Iterator[MarkedExample]:
    judges = [spans for spans in text.judges.values() if not isinstance(spans, bool)]
    for segment in segments(text.example.text):
        sentence = text.example.text[segment.start : segment.end]
        yield MarkedExample(
            source,
            index.evidence_for(sentence, MAX_EVIDENCE_WORDS),
            sentence,
            _inside(text.spans or (), segment.span),
            tuple(_inside(spans, segment.span) for spans in judges),
            held_out,
        )


def _is_learnt(example: MarkedExample) -> bool:
    """Whether to learn from a sentence: if it has marks, or is drawn."""
    if example.human or any(example.judges):
        return True
    return int.from_bytes(hashlib.sha256(example.sentence.encode()).digest()[:8], "big") % 10 < CLEAN_OF_TEN


def _inside(spans: Spans, within: Span) -> tuple[Span, ...]:
    """The parts of spans inside another span, counted from its start."""
    cut = ((max(span.start, within[0]), min(span.end, within[1])) for span in spans)
    return tuple((start - within[0], end - within[0]) for start, end in cut if start < end)


def token_targets(example: MarkedExample, offsets: Sequence[Span]) -> list[float]:
    """For each token the share of a marked word: 1 if people marked it, a little if only judges did."""
    human = _overlaps(offsets, example.human)
    if not example.judges:
        return [float(share) for share in human]
    judges = np.mean([_overlaps(offsets, spans) for spans in example.judges], axis=0)
    return [float(share) for share in (1 - JUDGES_SHARE) * human + JUDGES_SHARE * judges]


def _overlaps(offsets: Sequence[Span], spans: Sequence[Span]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    return np.array([float(any(a < end and start < b for start, end in spans)) for a, b in offsets])


def encode_marked(base: Path, examples: Sequence[MarkedExample], max_tokens: int) -> EncodedPairs:
    """Sentences as token numbers with a target for each token."""
    tokenizer = load_base_tokenizer(base)
    tokens, types, labels = [], [], []
    for example in examples:
        encoded = encode_sentence(tokenizer, example.evidence, example.sentence, max_tokens)
        if encoded.first > encoded.last:
            continue
        targets = token_targets(example, encoded.offsets)
        tokens.append(encoded.ids)
        types.append(encoded.types)
        labels.append([NO_TARGET] * encoded.first + targets + [NO_TARGET])
    return EncodedPairs(tokens, types, labels)


def _binary_loss(scores: "torch.Tensor", labels: Sequence[Sequence[float]]) -> "torch.Tensor":
    """The mean loss of all tokens that have a target."""
    import torch

    targets = torch.full(scores.shape[:2], NO_TARGET)
    for row, values in enumerate(labels):
        targets[row, : len(values)] = torch.tensor(values)
    known = targets >= 0
    return torch.nn.functional.binary_cross_entropy_with_logits(scores[..., 0][known], targets[known])


def train_marks(
    files: Sequence[str],
    base: Path | None,
    start: Path | None,
    out: Path,
    options: MarksOptions,
    *,
    about: str,
    threads: int,
    log: Log,
) -> None:
    """Train a model and write its folder; `start` is a model folder whose encoder to start from."""
    base = find_base(base)
    examples = [example for name in files for example in read_marked(name)]
    train = [example for example in examples if not example.held_out and _is_learnt(example)]
    held_out = [example for example in examples if example.held_out]
    log(f"{len(train):,} sentences to learn from, {len(held_out):,} held out")
    model = load_encoder(base, outputs=1, mean=False, seed=options.seed)
    if start is not None:
        copy_weights(start, model, head=read_manifest(start).kind == MARKS)
    for name, parameter in model.named_parameters():
        if any(f"encoder.layer.{layer}." in name for layer in range(FROZEN_LAYERS)):
            parameter.requires_grad_(False)
    result = train_on_pairs(
        model,
        encode_marked(base, train, options.max_tokens),
        _binary_loss,
        Schedule.of(options),
        work_folder(out),
        batch_size=options.batch_size,
        settings={"rate": options.learning_rate, "seed": options.seed},
        threads=threads,
        log=log,
    )
    export_model(model, base, out, kind=MARKS, about=about)
    figures = measure_marks(out, held_out)
    for name, row in figures.items():
        log(f"{name}: AUC of tokens {row.auc_tokens:.3f}, of sentences {row.auc_sentences:.3f}")
    _write_card(out, options, train, figures, result)


def measure_marks(folder: Path, examples: Sequence[MarkedExample]) -> dict[str, MarksFigures]:
    """How well an exported model marks held-out sentences, by file."""
    marked = OnnxMarks(folder).mark([(each.evidence, each.sentence) for each in examples], no_progress)
    figures = {}
    for source in dict.fromkeys(example.source for example in examples):
        pairs = [
            (example, marks)
            for example, marks in zip(examples, marked, strict=True)
            if example.source == source and marks.spans
        ]
        tokens = [chance for _, marks in pairs for chance in marks.probabilities]
        wrong = [value > 0 for example, marks in pairs for value in _overlaps(marks.spans, example.human)]
        worst = [max(marks.probabilities) for _, marks in pairs]
        has_human = [bool(example.human) for example, _ in pairs]
        figures[source] = MarksFigures(
            len(pairs), sum(has_human), _auc(tokens, wrong), _auc(worst, has_human)
        )
    return figures


def _auc(scores: Sequence[float], labels: Sequence[bool]) -> float:
    """The chance that a marked one scores higher than another; NaN without both."""
    once = np.zeros(len(scores), dtype=np.int64), np.ones((1, 1))
    return float(auc(np.array(scores), np.array(labels, dtype=bool), *once)[0])


def _write_card(
    folder: Path,
    options: MarksOptions,
    train: Sequence[MarkedExample],
    figures: Mapping[str, MarksFigures],
    result: TrainingResult,
) -> None:
    by_source = {
        source: [example for example in train if example.source == source]
        for source in dict.fromkeys(example.source for example in train)
    }
    write_card(
        folder,
        title="Marks",
        summary=(
            "Reads data and a sentence together and gives each word a probability that the data does not "
            "support it: a small encoder and one score per token."
        ),
        command="factable train marks",
        sections={
            "Data": markdown_table(
                ("file", "sentences", "with marks"),
                [
                    (name, f"{len(rows):,}", f"{sum(bool(row.human) for row in rows):,}")
                    for name, rows in by_source.items()
                ],
            ),
            "Training": describe_training(
                f"{options.epochs} passes over sentences with marks and {CLEAN_OF_TEN} of ten without",
                batch_size=options.batch_size,
                learning_rates=[options.learning_rate],
                seed=options.seed,
                results=[result],
                max_tokens=options.max_tokens,
            ),
            "Held-out inputs": markdown_table(
                ("file", "sentences", "with marks", "AUC of tokens", "AUC of sentences"),
                [
                    (
                        name,
                        f"{row.sentences:,}",
                        f"{row.marked:,}",
                        f"{row.auc_tokens:.3f}",
                        f"{row.auc_sentences:.3f}",
                    )
                    for name, row in figures.items()
                ],
            ),
        },
    )
