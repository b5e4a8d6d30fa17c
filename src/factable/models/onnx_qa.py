"""A model that finds answers, as int8 ONNX, run by onnxruntime on the CPU.

Each question is run on its own, as in onnx_nli.
"""

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.models.manifest import MODEL, QA, check_files, read_manifest
from factable.models.onnx_session import load_session, load_tokenizer, not_loaded
from factable.models.protocols import Advance, Answer, AskedText
from factable.models.qa_input import QaInput, encode_question
from factable.models.threads import thread_count
from factable.text.questions import BETWEEN_PARTS, BLANK

QUESTIONS_AT_ONCE = 512
MOST_ANSWER_TOKENS = 40
BAR = BETWEEN_PARTS.strip()
# A longer question is cut to so many words around its blank.
MOST_QUESTION_WORDS = 60


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
        sums[~np.tri(len(inside), k=MOST_ANSWER_TOKENS - 1, dtype=bool)] = -np.inf
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
    if len(words) <= MOST_QUESTION_WORDS:
        return question
    blank = next((place for place, word in enumerate(words) if BLANK in word), 0)
    start = max(0, min(blank - MOST_QUESTION_WORDS // 2, len(words) - MOST_QUESTION_WORDS))
    return " ".join(words[start : start + MOST_QUESTION_WORDS])
