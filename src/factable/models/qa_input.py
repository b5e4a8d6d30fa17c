"""How a question and its context become tokens, in training and in use."""

from typing import TYPE_CHECKING, NamedTuple

from factable.text.questions import BLANK

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# The encoder knows this token from its own first training: a word is missing here.
MASK = "[MASK]"


class QaInput(NamedTuple):
    """Tokens of a question and its context; `first` and `last` are the tokens of the context."""

    ids: list[int]
    types: list[int]
    first: int
    last: int
    offsets: list[tuple[int, int]]


def encode_question(tokenizer: "Tokenizer", question: str, context: str) -> QaInput:
    """A question, with a mask for its blank, and a context."""
    encoding: Encoding = tokenizer.encode(question.replace(BLANK, MASK), context)
    places = [place for place, number in enumerate(encoding.sequence_ids) if number == 1]
    first, last = (places[0], places[-1]) if places else (0, -1)
    return QaInput(encoding.ids, encoding.type_ids, first, last, encoding.offsets)
