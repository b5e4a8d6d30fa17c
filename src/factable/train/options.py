"""Options of the trainings, with their defaults; light to import, because the command line shows them."""

from typing import NamedTuple


class QaOptions(NamedTuple):
    """How many questions to make, from each reference and per file, and how to train on them."""

    per_text: int = 3
    max_questions: int = 48_000
    relations: bool = False
    batch_size: int = 32
    learning_rate: float = 1.5e-4
    seed: int = 0
    warm_up: float = 0.05
    max_tokens: int = 160
    save_every: int = 250


class RankerOptions(NamedTuple):
    """How to train a ranker; `epochs` is a maximum, as the best one is kept."""

    epochs: int = 4
    batch_size: int = 48
    learning_rate: float = 1e-4
    seed: int = 0
    warm_up: float = 0.1
    max_tokens: int = 128
    save_every: int = 100


class QuestevalOptions(NamedTuple):
    """How many questions of SQuAD and answers per data set to learn from, and how.

    What is longer than `max_tokens` is left out.
    """

    max_squad: int = 20_000
    max_answers: int = 20_000
    epochs: int = 1
    batch_size: int = 16
    learning_rate: float = 3e-4
    seed: int = 0
    warm_up: float = 0.05
    max_tokens: int = 128
    save_every: int = 100


class MarksOptions(NamedTuple):
    """How to train the model that marks words."""

    epochs: int = 2
    batch_size: int = 16
    learning_rate: float = 1e-4
    seed: int = 0
    warm_up: float = 0.1
    max_tokens: int = 192
    save_every: int = 250


# What an extractor can learn to write; metrics/extraction/extractors.py reads it in the file.
EXTRACTOR_TARGETS = ("stated", "table")


class ExtractorOptions(NamedTuple):
    """How to train an extractor; it stops after `patience` epochs without a better one.

    Learning rate, hidden units and dropout follow the PARENT paper. `target` "table" follows it in the rest,
    too: the whole table is written, by probability without a length penalty, and dropout is applied to the
    outputs of the LSTMs only. `embeddings` is a file of word vectors to start from; they give the width.
    """

    epochs: int = 25
    batch_size: int = 64
    learning_rate: float = 3e-4
    width: int = 128
    hidden: int = 200
    dropout: float = 0.2
    patience: int = 3
    seed: int = 0
    target: str = "stated"
    embeddings: str = ""


TrainingOptions = QaOptions | RankerOptions | QuestevalOptions | MarksOptions | ExtractorOptions
