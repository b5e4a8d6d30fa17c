"""Models that read a text and write another, such as T5: they answer questions or write them; extra hf."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from factable.models.protocols import Advance, Answer, AskedText, TextWithAnswer, no_progress
from factable.models.runtime.cache import cached_inference, mend_surrogates
from factable.models.runtime.folders import (
    folder_identity,
    import_torch,
    load_hf_tokenizer,
    load_weights,
    model_folder,
    window_of,
)
from factable.models.runtime.session import per_process_cache
from factable.models.runtime.threads import thread_count

# Stands between a question or an answer and its text.
MARK = " </s> "
# What a model that answers questions has learnt to write where there is no answer.
UNANSWERABLE = "unanswerable"
MAX_NEW_TOKENS = 64
TEXTS_ON_A_GPU = 32


class _Made(NamedTuple):
    """A text that was written, and how likely its first token was that of UNANSWERABLE."""

    text: str
    unanswerable: float


class Seq2Seq:
    """A model in a folder, on a GPU where there is one; always the likeliest token is written next.

    On a CPU each text is read on its own, so that nothing depends on its neighbours; on a GPU, which is slow
    at that, texts of like length are read together.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        torch = import_torch(str(folder))
        from transformers import AutoModelForSeq2SeqLM, GenerationConfig

        self._tokenizer = load_hf_tokenizer(folder)
        self._model = load_weights(folder, AutoModelForSeq2SeqLM)
        self.identity = identity
        self._window = window_of(folder, self._tokenizer.model_max_length, self._model.config)
        # Some models want a few words in front of everything.
        self._prefix: str = getattr(self._model.config, "prefix", None) or ""
        self._no_answer: int = self._tokenizer(UNANSWERABLE, add_special_tokens=False)["input_ids"][0]
        own = self._model.generation_config
        marks = {
            name: getattr(own, name) for name in ("decoder_start_token_id", "eos_token_id", "pad_token_id")
        }
        # Whatever else the folder asks for, such as beams or penalties, would not be the likeliest token.
        self._model.generation_config = GenerationConfig(max_new_tokens=MAX_NEW_TOKENS, **marks)
        on_gpu = torch.cuda.is_available()
        self._device = "cuda" if on_gpu else "cpu"
        self._at_once = TEXTS_ON_A_GPU if on_gpu else 1
        self._model.to(self._device)
        if not on_gpu:
            torch.set_num_threads(thread_count())

    def answers(self, asked: Sequence[AskedText], advance: Advance) -> list[Answer]:
        """What the model writes for each question, and the first place in the context where that stands."""
        made = self._write([MARK.join(one) for one in asked], advance)
        return [
            Answer(one.text, position_of(one.text, question.context), 1 - one.unanswerable)
            for one, question in zip(made, asked, strict=True)
        ]

    def write(self, answered: Sequence[TextWithAnswer], advance: Advance) -> list[str]:
        """A question for each answer."""
        return [one.text for one in self._write([MARK.join(one) for one in answered], advance)]

    def _write(self, texts: Sequence[str], advance: Advance) -> list[_Made]:
        # Long ones first: what does not fit the memory shows at once.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        made: dict[int, _Made] = {}
        for start in range(0, len(order), self._at_once):
            indices = order[start : start + self._at_once]
            made.update(zip(indices, self._write_together([texts[index] for index in indices]), strict=True))
            advance(len(indices))
        return [made[index] for index in range(len(texts))]

    def _write_together(self, texts: Sequence[str]) -> list[_Made]:
        import torch

        inputs = self._tokenizer(
            [self._prefix + text for text in texts],
            truncation=True,
            max_length=self._window,
            padding=len(texts) > 1,
            return_tensors="pt",
            verbose=False,
        ).to(self._device)
        with torch.inference_mode():
            found = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                return_dict_in_generate=True,
                output_logits=True,
            )
        written = self._tokenizer.batch_decode(found.sequences, skip_special_tokens=True)
        first = found.logits[0].double().softmax(-1)[:, self._no_answer].tolist()
        return [_Made(text.strip(), chance) for text, chance in zip(written, first, strict=True)]


def position_of(text: str, context: str) -> tuple[int, int] | None:
    """The first place where a text stands in a context, however it is written there."""
    found = re.search(re.escape(text), context, re.IGNORECASE) if text else None
    return found.span() if found else None


def load_seq2seq(folder: Path) -> Seq2Seq:
    """The model in a folder, one of each per process."""
    return _load(folder, folder_identity(folder))


@per_process_cache
def _load(folder: Path, identity: str) -> Seq2Seq:
    return Seq2Seq(folder, identity)


def writer_identity(name: str) -> str:
    """The checksum of all that can move the questions that a model writes, without loading it."""
    return folder_identity(model_folder(name))


def write_questions(
    name: str, answered: Sequence[TextWithAnswer], advance: Advance = no_progress
) -> list[str]:
    """A question for each answer; equal ones are written once, and known ones not at all."""
    # The kind is in what is asked: the same model may also answer questions, which look the same.
    asked = [("write", mend_surrogates(one.answer), mend_surrogates(one.text)) for one in answered]

    def ask(some: Sequence[tuple[str, str, str]]) -> list[bytes]:
        pairs = [TextWithAnswer(answer, text) for _, answer, text in some]
        return [question.encode() for question in load_seq2seq(model_folder(name)).write(pairs, advance)]

    found = cached_inference("seq2seq", writer_identity(name), asked, ask, advance=advance)
    return [question.decode() for question in found]
