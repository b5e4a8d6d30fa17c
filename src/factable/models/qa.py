"""Models that answer questions, by name, one of each per process, asked without asking twice."""

import math
import struct
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.protocols import Advance, Answer, AskedText, Qa, no_progress
from factable.models.runtime.cache import cached_inference, mend_surrogates
from factable.models.runtime.folders import folder_identity, has_manifest, model_folder
from factable.models.runtime.manifest import MODEL, QA, QA_MODELS, check_files, read_manifest
from factable.models.runtime.session import load_session, load_tokenizer, not_loaded, per_process_cache
from factable.models.runtime.threads import thread_count
from factable.models.seq2seq import load_seq2seq
from factable.text.questions import BETWEEN_PARTS, BLANK

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
    indices = [index for index, number in enumerate(encoding.sequence_ids) if number == 1]
    first, last = (indices[0], indices[-1]) if indices else (0, -1)
    return QaInput(encoding.ids, encoding.type_ids, first, last, encoding.offsets)


QUESTIONS_AT_ONCE = 512
MAX_ANSWER_TOKENS = 40
BAR = BETWEEN_PARTS.strip()
# A longer question is cut to so many words around its blank.
MAX_QUESTION_WORDS = 60


class _Best(NamedTuple):
    """The best span of one window, and by how much it is better than none."""

    margin: float
    span: tuple[int, int]


class OnnxQa:
    """The model in a folder; `threads` questions are run at a time, as FACTABLE_THREADS says if not given."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        self._manifest = read_manifest(folder, QA)
        check_files(self._manifest)
        self.identity = self._manifest.identity
        self._threads = threads or thread_count()
        self._tokenizer = load_tokenizer(self._manifest)
        self._session = load_session(self._manifest)
        self._try()

    def answers(self, asked: Sequence[AskedText], advance: Advance) -> list[Answer]:
        """The best span for each question, with the probability that it is an answer."""
        found: list[Answer] = []
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(asked), QUESTIONS_AT_ONCE):
                some = asked[start : start + QUESTIONS_AT_ONCE]
                found += pool.map(self._answer, some)
                advance(len(some))
        return found

    def _answer(self, asked: AskedText) -> Answer:
        question = _shorten(asked.question)
        windows = self._windows(question, asked.context)
        best = max((self._read(window, asked.context, start) for window, start in windows), key=_by_margin)
        start, end = best.span
        answerable = 1 / (1 + math.exp(-max(-500.0, best.margin / self._manifest.temperature)))
        return Answer(asked.context[start:end], best.span, answerable if start < end else 0.0)

    def _windows(self, question: str, context: str) -> Iterator[tuple[QaInput, int]]:
        """The question with the context, or with pieces of it that share half of their tokens."""
        whole = encode_question(self._tokenizer, question, context)
        room = self._manifest.window - (len(whole.ids) - (whole.last - whole.first + 1))
        if len(whole.ids) <= self._manifest.window:
            yield whole, 0
            return
        room = max(room, self._manifest.window // 4)
        for first in range(whole.first, whole.last + 1, max(1, room // 2)):
            last = min(first + room - 1, whole.last)
            start, end = whole.offsets[first][0], whole.offsets[last][1]
            yield encode_question(self._tokenizer, question, context[start:end]), start
            if last == whole.last:
                return

    def _read(self, window: QaInput, context: str, start: int) -> _Best:
        """The best answer in a window, whose piece of the context begins at `start`."""
        if window.last < window.first:
            return _Best(-math.inf, (0, 0))
        scores = self._scores(window)
        inside = scores[window.first : window.last + 1]
        spans = [(start + one[0], start + one[1]) for one in window.offsets[window.first : window.last + 1]]
        sums = inside[:, None, 0] + inside[None, :, 1]
        # An answer ends where it begins or later, is not long, and is no more than one part of a fact.
        sums[np.tri(len(inside), k=-1, dtype=bool)] = -np.inf
        sums[~np.tri(len(inside), k=MAX_ANSWER_TOKENS - 1, dtype=bool)] = -np.inf
        bars = np.array([context[first:last] == BAR for first, last in spans])
        parts = np.cumsum(bars)
        sums[(parts[:, None] != parts[None, :]) | bars[:, None]] = -np.inf
        first, last = divmod(int(sums.argmax()), len(inside))
        best = float(sums[first, last]) - float(scores[0].sum())
        return _Best(best, (spans[first][0], spans[last][1]))

    def _scores(self, window: QaInput) -> NDArray[np.float64]:
        inputs = {
            "input_ids": window.ids,
            "attention_mask": [1] * len(window.ids),
            "token_type_ids": window.types,
        }
        arrays = {name: np.array([numbers], dtype=np.int64) for name, numbers in inputs.items()}
        ((scores,),) = self._session.run(None, arrays)
        return np.asarray(scores, dtype=np.float64)

    def _try(self) -> None:
        """Refuse a model that takes something else than pairs, or does not give two scores for each token."""
        window = encode_question(self._tokenizer, "a", "b")
        try:
            scores = self._scores(window)
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(self._manifest, MODEL, error) from None
        if scores.shape != (len(window.ids), 2) or not np.isfinite(scores).all():
            raise not_loaded(self._manifest, MODEL, "it does not give two numbers for each token")


def _by_margin(best: _Best) -> float:
    return best.margin


def _shorten(question: str) -> str:
    """The words of a long question around its blank, or its first ones."""
    words = question.split()
    if len(words) <= MAX_QUESTION_WORDS:
        return question
    blank = next((index for index, word in enumerate(words) if BLANK in word), 0)
    start = max(0, min(blank - MAX_QUESTION_WORDS // 2, len(words) - MAX_QUESTION_WORDS))
    return " ".join(words[start : start + MAX_QUESTION_WORDS])


# The probability that there is an answer, and where it stands (nowhere: -1); then its text.
_KEPT = struct.Struct("<dqq")


def load_qa(name: str) -> Qa:
    """The model of that name: an embedded one, a folder made by `factable train qa`, or Hugging Face's.

    With the extra `hf` any sequence-to-sequence model works: a local folder, or a name on the hub.
    """
    folder = _folder(name)
    if not has_manifest(folder):
        return load_seq2seq(folder)
    return _load(folder, qa_identity(name))


@per_process_cache
def _load(folder: Path, _identity: str) -> Qa:
    return OnnxQa(folder)


def qa_identity(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    folder = _folder(name)
    return read_manifest(folder, QA).identity if has_manifest(folder) else folder_identity(folder)


def writes_answers(name: str) -> bool:
    """Whether a model writes its answers, rather than find them in the context."""
    return not has_manifest(_folder(name))


def _folder(name: str) -> Path:
    return model_folder(name, embedded=QA_MODELS, made_by="factable train qa")


def answer(name: str, asked: Sequence[AskedText], advance: Advance = no_progress) -> list[Answer]:
    """The answer to each question; equal questions are asked once, and known ones not at all."""
    asked = [AskedText(*map(mend_surrogates, one)) for one in asked]

    def ask(some: Sequence[AskedText]) -> list[bytes]:
        return list(map(_to_bytes, load_qa(name).answers(some, advance)))

    return list(map(_from_bytes, cached_inference("qa", qa_identity(name), asked, ask, advance=advance)))


def _to_bytes(found: Answer) -> bytes:
    return _KEPT.pack(found.answerable, *(found.span or (-1, -1))) + found.text.encode()


def _from_bytes(kept: bytes) -> Answer:
    answerable, start, end = _KEPT.unpack_from(kept)
    return Answer(kept[_KEPT.size :].decode(), (start, end) if start >= 0 else None, answerable)
