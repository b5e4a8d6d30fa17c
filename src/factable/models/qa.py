"""Models that answer questions from a text, by name, and their cached answers."""

import math
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import ModelLoader
from factable.models.runtime.manifest import QA, QA_MODELS, SEQ2SEQ, has_manifest, read_manifest
from factable.models.runtime.progress import Advance, no_progress
from factable.models.runtime.session import OnnxModel
from factable.models.seq2seq import ANSWER, SEPARATOR, UNANSWERABLE, OnnxSeq2Seq, Seq2Seq, Seq2SeqModel
from factable.text.linearise import PART_SEPARATOR
from factable.text.questions import BLANK
from factable.types import Span

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# The encoder knows this token from its pretraining: a word is missing here.
MASKED_WORD = "[MASK]"
MAX_ANSWER_TOKENS = 40
BAR = PART_SEPARATOR.strip()
# A longer question is cut to so many words around its blank.
MAX_QUESTION_WORDS = 60
# How an answer is stored: `answerable` and the span (-1, -1 for none), then the text.
_STORED = struct.Struct("<dqq")


class QuestionInText(NamedTuple):
    """A question, perhaps a sentence with a blank, and the text that may answer it."""

    question: str
    context: str


class QaAnswer(NamedTuple):
    """An answer and its span in the context (None if it does not occur there).

    `answerable` is the probability that the context answers the question at all.
    """

    text: str
    span: Span | None
    answerable: float

    @property
    def probability(self) -> float:
        """That of an answer: 0 where a model that writes its answers says in words that there is none."""
        says_none = self.span is None and self.text.lower() == UNANSWERABLE
        return 0.0 if says_none else self.answerable


class QaModel(Protocol):
    """A model that answers questions, from ONNX or from Hugging Face."""

    def answers(self, questions: Sequence[QuestionInText], advance: Advance) -> list[QaAnswer]:
        """The best answer to each question, however likely it is that there is one."""
        ...


class EncodedQuestion(NamedTuple):
    """Tokens of a question and its context; `first` and `last` are the tokens of the context."""

    ids: list[int]
    types: list[int]
    first: int
    last: int
    offsets: list[Span]


def encode_question(tokenizer: "Tokenizer", question: str, context: str) -> EncodedQuestion:
    """A question, with a mask for its blank, and a context."""
    encoding: Encoding = tokenizer.encode(question.replace(BLANK, MASKED_WORD), context)
    indices = [index for index, number in enumerate(encoding.sequence_ids) if number == 1]
    first, last = (indices[0], indices[-1]) if indices else (0, -1)
    return EncodedQuestion(encoding.ids, encoding.type_ids, first, last, encoding.offsets)


class _Best(NamedTuple):
    """The best span of one window, and by how much it scores above "no answer"."""

    margin: float
    span: Span


class OnnxQa(OnnxModel):
    """A model in a folder with a manifest; it finds its answers in the context."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        super().__init__(folder, QA, threads=threads)
        self._try()

    def answers(self, questions: Sequence[QuestionInText], advance: Advance) -> list[QaAnswer]:
        """The best span for each question, with the probability that it is an answer."""
        return self._map(self._answer, questions, advance)

    def _answer(self, asked: QuestionInText) -> QaAnswer:
        windows = self._windows(_shorten(asked.question), asked.context)
        best = max(
            (self._best_span(window, asked.context, start) for window, start in windows),
            key=lambda best: best.margin,
        )
        start, end = best.span
        answerable = 1 / (1 + math.exp(-max(-500.0, best.margin / self._manifest.temperature)))
        return QaAnswer(asked.context[start:end], best.span, answerable if start < end else 0.0)

    def _windows(self, question: str, context: str) -> Iterator[tuple[EncodedQuestion, int]]:
        """The question with the context, or with pieces of it that overlap by half; and where each begins."""
        encoded = encode_question(self._tokenizer, question, context)
        if len(encoded.ids) <= self._manifest.window:
            yield encoded, 0
            return
        room = self._manifest.window - (len(encoded.ids) - (encoded.last - encoded.first + 1))
        room = max(room, self._manifest.window // 4)
        for first in range(encoded.first, encoded.last + 1, max(1, room // 2)):
            last = min(first + room - 1, encoded.last)
            start, end = encoded.offsets[first][0], encoded.offsets[last][1]
            piece = encode_question(self._tokenizer, question, context[start:end])
            yield _fit(piece, self._manifest.window), start
            if last == encoded.last:
                return

    def _best_span(self, window: EncodedQuestion, context: str, start: int) -> _Best:
        """The best answer in a window whose piece of the context begins at `start`."""
        if window.last < window.first:
            return _Best(-math.inf, (0, 0))
        scores = self._scores(window)
        inside = scores[window.first : window.last + 1]
        offsets = window.offsets[window.first : window.last + 1]
        spans = [(start + first, start + last) for first, last in offsets]
        sums = inside[:, None, 0] + inside[None, :, 1]
        # An answer ends where it begins or later, is not long, and is part of one field of one fact.
        sums[np.tri(len(inside), k=-1, dtype=bool)] = -np.inf
        sums[~np.tri(len(inside), k=MAX_ANSWER_TOKENS - 1, dtype=bool)] = -np.inf
        bars = np.array([context[first:last] == BAR for first, last in spans])
        parts = np.cumsum(bars)
        sums[(parts[:, None] != parts[None, :]) | bars[:, None]] = -np.inf
        first, last = divmod(int(sums.argmax()), len(inside))
        margin = float(sums[first, last]) - float(scores[0].sum())
        return _Best(margin, (spans[first][0], spans[last][1]))

    def _scores(self, window: EncodedQuestion) -> NDArray[np.float64]:
        return self._run(
            input_ids=window.ids, attention_mask=[1] * len(window.ids), token_type_ids=window.types
        )

    def _try(self) -> None:
        """Refuse a model that does not take pairs or does not give two scores for each token."""
        window = encode_question(self._tokenizer, "a", "b")
        try:
            scores = self._scores(window)
        except Exception as error:  # onnxruntime has no common base class
            raise self._not_loaded(error) from None
        if scores.shape != (len(window.ids), 2) or not np.isfinite(scores).all():
            raise self._not_loaded("it does not give two numbers for each token")


def _fit(encoded: EncodedQuestion, window: int) -> EncodedQuestion:
    """The first tokens: a piece that begins inside a word may have more than it had as part of the whole."""
    if len(encoded.ids) <= window:
        return encoded
    ids = [*encoded.ids[: window - 1], encoded.ids[-1]]
    last = min(encoded.last, window - 2)
    return EncodedQuestion(ids, encoded.types[:window], encoded.first, last, encoded.offsets[:window])


def _shorten(question: str) -> str:
    """The words of a long question around its blank, or its first ones."""
    words = question.split()
    if len(words) <= MAX_QUESTION_WORDS:
        return question
    blank = next((index for index, word in enumerate(words) if BLANK in word), 0)
    start = max(0, min(blank - MAX_QUESTION_WORDS // 2, len(words) - MAX_QUESTION_WORDS))
    return " ".join(words[start : start + MAX_QUESTION_WORDS])


class Seq2SeqQa:
    """A sequence-to-sequence model; it writes its answers."""

    def __init__(self, model: Seq2SeqModel) -> None:
        self._model = model

    def answers(self, questions: Sequence[QuestionInText], advance: Advance) -> list[QaAnswer]:
        """What the model writes for each question, and its first occurrence in the context."""
        texts = [SEPARATOR.join(question) for question in questions]
        generated = self._model.generate(ANSWER, texts, advance)
        return [
            QaAnswer(output.text, first_occurrence(output.text, question.context), 1 - output.unanswerable)
            for output, question in zip(generated, questions, strict=True)
        ]


def first_occurrence(text: str, context: str) -> Span | None:
    """The first span of a context that is the text, in upper or lower case."""
    match = re.search(re.escape(text), context, re.IGNORECASE) if text else None
    return match.span() if match else None


_MODELS: ModelLoader[QaModel] = ModelLoader(
    embedded=QA_MODELS,
    made_by="factable train qa or questeval",
    onnx={QA: OnnxQa, SEQ2SEQ: lambda folder: Seq2SeqQa(OnnxSeq2Seq(folder))},
    hf=lambda folder: Seq2SeqQa(Seq2Seq(folder)),
)
load_qa = _MODELS.load
qa_identity = _MODELS.identity


def writes_answers(name: str) -> bool:
    """Whether a model writes its answers, instead of finding them in the context."""
    folder = _MODELS.folder(name)
    return not has_manifest(folder) or read_manifest(folder).kind == SEQ2SEQ


def answer_questions(
    name: str, questions: Sequence[QuestionInText], advance: Advance = no_progress
) -> list[QaAnswer]:
    """The answer to each question; cached on disk."""

    def predict_bytes(batch: Sequence[QuestionInText]) -> list[bytes]:
        return list(map(_to_bytes, load_qa(name).answers(batch, advance)))

    inputs = [QuestionInText(*map(replace_surrogates, question)) for question in questions]
    stored = cached_inference(
        "qa", qa_identity(name), inputs, predict_bytes, is_valid=_is_answer, advance=advance
    )
    return list(map(_from_bytes, stored))


def _to_bytes(answer: QaAnswer) -> bytes:
    return _STORED.pack(answer.answerable, *(answer.span or (-1, -1))) + answer.text.encode()


def _is_answer(stored: bytes) -> bool:
    try:
        answer = _from_bytes(stored)
    except (struct.error, UnicodeDecodeError):
        return False
    return 0 <= answer.answerable <= 1


def _from_bytes(stored: bytes) -> QaAnswer:
    answerable, start, end = _STORED.unpack_from(stored)
    return QaAnswer(stored[_STORED.size :].decode(), (start, end) if start >= 0 else None, answerable)
