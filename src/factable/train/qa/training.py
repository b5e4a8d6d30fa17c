"""Training the reader on questions and the places of their answers."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from factable.models.qa_input import QaInput, encode_question
from factable.train.qa.asked import Asked
from factable.train.steps import Encoded

if TYPE_CHECKING:
    import torch

# Where there is no answer, the first token, which is no word, is to be pointed at.
NO_ANSWER = (0, 0)


def encode(base: Path, questions: Sequence[Asked], most_tokens: int) -> Encoded:
    """Questions as token numbers, with first and last token of their answers; long ones are left out."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokens, types, labels = [], [], []
    for asked in questions:
        one = encode_question(tokenizer, asked.question, asked.context)
        label = tokens_of(one, asked.answer)
        if len(one.ids) <= most_tokens and label is not None:
            tokens.append(one.ids)
            types.append(one.types)
            labels.append(label)
    return Encoded(tokens, types, labels)


def tokens_of(encoded: QaInput, answer: tuple[int, int] | None) -> tuple[int, int] | None:
    """The first and last token of an answer; None where no token of the context is in it."""
    if answer is None:
        return NO_ANSWER
    inside = [
        place
        for place in range(encoded.first, encoded.last + 1)
        if encoded.offsets[place][0] < answer[1] and answer[0] < encoded.offsets[place][1]
    ]
    return (inside[0], inside[-1]) if inside else None


def loss_of(scores: "torch.Tensor", labels: Sequence[tuple[int, int]]) -> "torch.Tensor":
    """How far the two pointers are from the answers."""
    import torch

    wanted = torch.tensor(labels)
    # Tokens are the classes: batch, tokens, pointer.
    return torch.nn.functional.cross_entropy(scores, wanted)
