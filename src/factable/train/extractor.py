"""Training the extractor, a pointer-generator network that writes the records a text states."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from factable.errors import DataError, Fault, UsageError
from factable.io.files import open_input
from factable.metrics.extraction.extractors import (
    FORMAT,
    STATED,
    TABLE,
    TARGET,
    VOCABULARY,
    ValueExtractor,
    load_extractor,
)
from factable.metrics.extraction.pairs import NORMALISED, Overlap, distinct, pair_up
from factable.metrics.extraction.pointer import (
    CELL,
    END,
    MAX_LINE,
    ROW,
    SPECIAL,
    START,
    UNKNOWN,
    linearise_records,
    lowercase_tokens,
)
from factable.models.runtime.arrays import write_tensors
from factable.text.values import find_value
from factable.train.checkpoint import Validation
from factable.train.options import ExtractorOptions
from factable.train.trainer import (
    Log,
    Schedule,
    group_by_length,
    pad_rows,
    plan_batches,
    require_torch,
    train_model,
    work_folder,
)
from factable.types import Example, Record, Table

if TYPE_CHECKING:
    import torch

    from factable.train.networks import PointerBatch, PointerNetwork

# Tokens in fewer texts and tables are not in the vocabulary; tokens of the text can still be copied.
MIN_COUNT = 3
MAX_VOCABULARY = 50_000
MAX_TEXT_TOKENS = 100
MAX_GRADIENT_NORM = 2.0
# Held-out texts from which pairs are extracted at the end.
MAX_MEASURED = 300


class TextAndLine(NamedTuple):
    """The tokens of a text, and those of the line of records it states."""

    text: list[str]
    line: list[str]


def train_extractor(
    examples: Sequence[Example],
    held_out: Sequence[Example],
    out: Path,
    options: ExtractorOptions,
    *,
    threads: int = 1,
    log: Log,
) -> Overlap:
    """Write the extractor of the best epoch; returns how well it does on held-out texts.

    Checkpoints are beside it, in `OUT.work`; a stopped training resumes from the last one.
    """
    require_torch()
    import torch

    from factable.train.networks import PointerNetwork

    pairs, validation_pairs = (make_lines(part, options.target) for part in (examples, held_out))
    if not pairs or not validation_pairs:
        raise UsageError(
            "no text states a record of its data; give training and held-out sets with references"
        )
    vocabulary = make_vocabulary(pairs)
    log(f"{len(pairs):,} texts, {len(validation_pairs):,} held out, {len(vocabulary):,} tokens")
    torch.manual_seed(options.seed)
    vectors = read_vectors(options.embeddings, vocabulary) if options.embeddings else {}
    network = PointerNetwork(
        len(vocabulary),
        width=len(next(iter(vectors.values()))) if vectors else options.width,
        hidden=options.hidden,
        dropout=options.dropout,
        only_outputs=options.target == TABLE,
    )
    if vectors:
        log(f"{len(vectors):,} tokens start from {options.embeddings}")
        with torch.no_grad():
            for number, vector in vectors.items():
                network.embedding.weight[number] = torch.from_numpy(vector)
    _train_network(
        network, vocabulary, pairs, validation_pairs, options, work_folder(out), threads=threads, log=log
    )
    content = orjson.dumps(vocabulary).decode()
    write_tensors(out, network.weights(), {"format": FORMAT, VOCABULARY: content, TARGET: options.target})
    measure = measure_against_tables if options.target == TABLE else measure_extractor
    overlap = measure(held_out, str(out))
    log(f"held out: precision {overlap.precision:.3f}, recall {overlap.recall:.3f}, F {overlap.f:.3f}")
    return overlap


def _train_network(
    network: "PointerNetwork",
    vocabulary: Sequence[str],
    pairs: Sequence[TextAndLine],
    validation_pairs: Sequence[TextAndLine],
    options: ExtractorOptions,
    work: Path,
    *,
    threads: int,
    log: Log,
) -> None:
    encoder = BatchEncoder(vocabulary)

    def batches(epoch: int) -> list[list[int]]:
        return plan_batches([len(pair.line) for pair in pairs], options.batch_size, options.seed + epoch)

    def loss(indices: list[int]) -> "torch.Tensor":
        result: torch.Tensor = network(encoder.encode([pairs[index] for index in indices]))
        return result

    def validate() -> Validation:
        value = _validation_loss(network, encoder, validation_pairs, options.batch_size)
        return Validation(-value, f"held-out loss {value:.4f}")

    train_model(
        network,
        batches,
        loss,
        Schedule.of(options, warm_up=None, weight_decay=0.0, max_gradient_norm=MAX_GRADIENT_NORM),
        work,
        settings={
            **options._asdict(),
            "vocabulary": hashlib.sha256("\n".join(vocabulary).encode()).hexdigest(),
        },
        threads=threads,
        log=log,
        validate=validate,
    )


def _validation_loss(
    network: "PointerNetwork", encoder: "BatchEncoder", pairs: Sequence[TextAndLine], batch_size: int
) -> float:
    import torch

    network.eval()
    groups = group_by_length([len(pair.line) for pair in pairs], batch_size)
    with torch.no_grad():
        losses = [float(network(encoder.encode([pairs[index] for index in group]))) for group in groups]
    return float(np.mean(losses))


def read_vectors(path: str, vocabulary: Sequence[str]) -> dict[int, NDArray[np.float32]]:
    """The vectors of tokens, by their numbers, from lines of a word and its numbers, as GloVe has them."""
    number = {token: index for index, token in enumerate(vocabulary)}
    vectors: dict[int, NDArray[np.float32]] = {}
    width = 0
    with open_input(path) as stream:
        for line_number, line in enumerate(stream, 1):
            word, *numbers = line.decode("utf-8", "replace").rstrip().split(" ")
            if len(numbers) < 2:
                # The first line of some files has the number of words and the width.
                continue
            width = width or len(numbers)
            try:
                if len(numbers) != width:
                    raise ValueError
                vector = np.array(numbers, dtype=np.float32)
            except ValueError:
                problem = f"not a word and {width} numbers"
                raise DataError(
                    [Fault(path, line_number, problem, "give vectors as GloVe has them")]
                ) from None
            if word in number:
                vectors[number[word]] = vector
    if not vectors:
        raise DataError(
            [Fault(path, None, "no vector of a word of the texts", "give vectors of their language")]
        )
    return vectors


def make_lines(examples: Iterable[Example], target: str = STATED) -> list[TextAndLine]:
    """Each reference (or text where there are none) with the line to write.

    That has the records that it states, in its words and order, or all records of its table.
    """
    pairs = []
    for example in examples:
        for text in example.references or (example.text,):
            tokens = lowercase_tokens(text)
            records = example.table.records if target == TABLE else stated_records(text, example.table)
            line = linearise_records(records)
            if target == TABLE:
                # Long tables are cut, as in the paper.
                line = line[: MAX_LINE - 1]
            if tokens and len(tokens) <= MAX_TEXT_TOKENS and len(line) < MAX_LINE:
                pairs.append(TextAndLine(tokens, line))
    return pairs


def stated_records(text: str, table: Table) -> list[Record]:
    """The records whose value a text states, with subject and value in the words of the text."""
    (extracted,) = ValueExtractor().extract([(text, table)])
    return [
        record._replace(subject=_in_words_of(text, record.subject))
        for record, _ in extracted
        if record.attribute
    ]


def _in_words_of(text: str, name: str) -> str:
    hits = find_value(name, text) if name else []
    return text[slice(*hits[0].span)] if hits else name


def make_vocabulary(pairs: Sequence[TextAndLine]) -> list[str]:
    """All tokens that a network knows, special ones first, then separators, attributes and words."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        counts.update({*pair.text, *pair.line})
    first = (*SPECIAL, CELL, ROW)
    frequent = counts.most_common(MAX_VOCABULARY)
    return [*first, *sorted(token for token, count in frequent if count >= MIN_COUNT and token not in first)]


class BatchEncoder:
    """Turns texts and lines into numbers."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {token: index for index, token in enumerate(vocabulary)}

    def encode(self, pairs: Sequence[TextAndLine]) -> "PointerBatch":
        """A batch, padded to the longest text and line."""
        from factable.train.networks import PointerBatch

        number, unknown = self._number, self._number[UNKNOWN]
        text, source, line, target = [], [], [], []
        for pair in pairs:
            own = dict.fromkeys(token for token in pair.text if token not in number)
            extended = {token: len(number) + index for index, token in enumerate(own)}
            text.append([number.get(token, unknown) for token in pair.text])
            source.append([number.get(token, extended.get(token, 0)) for token in pair.text])
            line.append([number[START], *(number.get(token, unknown) for token in pair.line)])
            answers = [number.get(token, extended.get(token, unknown)) for token in pair.line]
            target.append([*answers, number[END]])
        return PointerBatch(*(pad_rows(rows, multiple=1) for rows in (text, source, line, target)))


def measure_extractor(examples: Sequence[Example], extractor: str, max_texts: int = MAX_MEASURED) -> Overlap:
    """How many pairs an extractor shares with those that texts state, over at most `max_texts` texts."""
    texts = [(text, example.table) for example in examples for text in example.references or (example.text,)]
    if len(texts) > max_texts:
        texts = [texts[index * len(texts) // max_texts] for index in range(max_texts)]
    counts = np.zeros(3, dtype=np.int64)
    loaded = load_extractor(extractor)
    for text, table in texts:
        extracted = distinct(loaded.extract([(text, Table(()))])[0])
        stated = list(dict.fromkeys(stated_records(text, table)))
        counts += (len(pair_up(stated, extracted, NORMALISED)), len(extracted), len(stated))
    return Overlap(*counts.tolist())


def measure_against_tables(
    examples: Sequence[Example], extractor: str, max_texts: int = MAX_MEASURED
) -> Overlap:
    """How many pairs of attribute and value an extractor shares with the true tables, by exact match.

    Texts and tables are compared in the tokens that the network writes.
    """
    texts = [(text, example.table) for example in examples for text in example.references or (example.text,)]
    if len(texts) > max_texts:
        texts = [texts[index * len(texts) // max_texts] for index in range(max_texts)]
    counts = np.zeros(3, dtype=np.int64)
    loaded = load_extractor(extractor)
    for text, table in texts:
        extracted = {_pair(pair.record) for pair in loaded.extract([(text, Table(()))])[0]}
        known = {_pair(record) for record in table.records}
        counts += (len(extracted & known), len(extracted), len(known))
    return Overlap(*counts.tolist())


def _pair(record: Record) -> tuple[str, str]:
    return record.attribute, " ".join(lowercase_tokens(record.value))
