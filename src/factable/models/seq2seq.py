"""Models that read a text and write another, such as T5, and questions written by them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import (
    ModelLoader,
    hf_window,
    import_torch,
    load_hf_tokenizer,
    load_hf_weights,
    use_best_device,
)
from factable.models.runtime.manifest import DECODER, ENCODER, SEQ2SEQ, TOKENIZER, has_manifest
from factable.models.runtime.progress import Advance, no_progress
from factable.models.runtime.session import OnnxModel, load_session, not_loaded

# Between a question or an answer and its text.
SEPARATOR = " </s> "
# What a model that answers questions has learnt to write if there is no answer.
UNANSWERABLE = "unanswerable"
# What a model of factable does is told by the words in front of its input.
ASK, ANSWER = "ask: ", "answer: "
MAX_NEW_TOKENS = 64
TEXTS_ON_A_GPU = 32


class Generated(NamedTuple):
    """A generated text, and the probability that its first token was that of UNANSWERABLE."""

    text: str
    unanswerable: float


class Seq2SeqModel(Protocol):
    """A model from ONNX or from Hugging Face; always writes the likeliest token next."""

    def generate(self, task: str, texts: Sequence[str], advance: Advance) -> list[Generated]:
        """What the model writes for each text."""
        ...


class OnnxSeq2Seq(OnnxModel):
    """A model in a folder with a manifest, made by `factable train questeval`.

    Its encoder gives the keys and values that the decoder attends to; its decoder reads one token, and what
    it kept of those before. Long texts are cut.
    """

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        super().__init__(folder, SEQ2SEQ, threads=threads, file=ENCODER)
        self._decoder = load_session(self._manifest, file=DECODER)
        start, end = (self._tokenizer.token_to_id(token) for token in ("<pad>", "</s>"))
        if start is None or end is None:
            raise not_loaded(self._manifest, TOKENIZER, "it has no <pad> or no </s>")
        self._start, self._end = start, end
        self._no_answer: int = self._tokenizer.encode(UNANSWERABLE, add_special_tokens=False).ids[0]
        self._generate("")

    def generate(self, task: str, texts: Sequence[str], advance: Advance) -> list[Generated]:
        """What the model writes for each text; the task is told by the words in front of it."""
        return self._map(self._generate, [task + text for text in texts], advance)

    def _generate(self, text: str) -> Generated:
        ids: list[int] = self._tokenizer.encode(text).ids
        if len(ids) > self._manifest.window:
            ids = [*ids[: self._manifest.window - 1], self._end]
        try:
            (attended,) = self._session.run(None, {"input_ids": np.array([ids], np.int64)})
            written, first = self._decode(attended)
        except Exception as error:  # onnxruntime has no common base class
            raise not_loaded(self._manifest, DECODER, error) from None
        probabilities = np.exp(first - first.max())
        unanswerable = float(probabilities[self._no_answer] / probabilities.sum())
        return Generated(self._tokenizer.decode(written).strip(), unanswerable)

    def _decode(self, attended: NDArray[np.float32]) -> tuple[list[int], NDArray[np.float64]]:
        """The likeliest tokens, one after the other, and the scores of all for the first one."""
        layers, two, heads, _, width = attended.shape
        kept: Any = np.zeros((layers, two, heads, 0, width), np.float32)
        token, written, first = self._start, list[int](), np.zeros(0)
        for number in range(MAX_NEW_TOKENS):
            inputs = {"token": np.array([[token]], np.int64), "kept": kept, "attended": attended}
            scores, kept = self._decoder.run(None, inputs)
            if number == 0:
                first = np.asarray(scores, np.float64)
            token = int(scores.argmax())
            if token == self._end:
                break
            written.append(token)
        return written, first


class Seq2Seq:
    """A model of Hugging Face (extra hf), on a GPU if there is one.

    On a CPU each text is read on its own, so that nothing depends on its neighbours; on a GPU, where that
    would be slow, texts of similar length are read together.
    """

    def __init__(self, folder: Path) -> None:
        import_torch(str(folder))
        from transformers import AutoModelForSeq2SeqLM, GenerationConfig

        self._tokenizer = load_hf_tokenizer(folder)
        self._model = load_hf_weights(folder, AutoModelForSeq2SeqLM)
        self._window = hf_window(folder, self._tokenizer.model_max_length, self._model.config)
        # Some models need a few words in front of every text.
        self._prefix: str = getattr(self._model.config, "prefix", None) or ""
        self._no_answer: int = self._tokenizer(UNANSWERABLE, add_special_tokens=False)["input_ids"][0]
        settings = self._model.generation_config
        special_tokens = {
            name: getattr(settings, name)
            for name in ("decoder_start_token_id", "eos_token_id", "pad_token_id")
        }
        # Other settings of the folder, such as beams or penalties, would not give the likeliest token.
        self._model.generation_config = GenerationConfig(max_new_tokens=MAX_NEW_TOKENS, **special_tokens)
        self._device = use_best_device(self._model)
        self._batch_size = TEXTS_ON_A_GPU if self._device == "cuda" else 1

    def generate(self, _task: str, texts: Sequence[str], advance: Advance) -> list[Generated]:
        """What the model writes for each text; it was trained for one task."""
        # Long ones first: if they do not fit into memory, it shows at once.
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        results: dict[int, Generated] = {}
        for start in range(0, len(order), self._batch_size):
            indices = order[start : start + self._batch_size]
            batch = self._generate_batch([texts[index] for index in indices])
            results.update(zip(indices, batch, strict=True))
            advance(len(indices))
        return [results[index] for index in range(len(texts))]

    def _generate_batch(self, texts: Sequence[str]) -> list[Generated]:
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
            output = self._model.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                return_dict_in_generate=True,
                output_logits=True,
            )
        written = self._tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
        unanswerable = output.logits[0].double().softmax(-1)[:, self._no_answer].tolist()
        return [
            Generated(text.strip(), probability)
            for text, probability in zip(written, unanswerable, strict=True)
        ]


class AnswerInText(NamedTuple):
    """An answer and the text it is taken from, about which a question is to be written."""

    answer: str
    text: str


_MODELS: ModelLoader[Seq2SeqModel] = ModelLoader(
    made_by="factable train questeval", onnx={SEQ2SEQ: OnnxSeq2Seq}, hf=Seq2Seq
)
load_seq2seq = _MODELS.load
seq2seq_identity = _MODELS.identity
seq2seq_folder = _MODELS.folder


def writes_and_answers(name: str) -> bool:
    """Whether a model both writes and answers questions: those made by factable do."""
    return has_manifest(seq2seq_folder(name))


def write_questions(name: str, answers: Sequence[AnswerInText], advance: Advance = no_progress) -> list[str]:
    """A question for each answer; cached on disk."""

    def predict_bytes(batch: Sequence[tuple[str, str, str]]) -> list[bytes]:
        texts = [SEPARATOR.join((answer, text)) for _, answer, text in batch]
        return [question.text.encode() for question in load_seq2seq(name).generate(ASK, texts, advance)]

    # "write" is part of the key: the same model may also answer questions, whose inputs look the same.
    inputs = [("write", replace_surrogates(answer), replace_surrogates(text)) for answer, text in answers]
    questions = cached_inference(
        "seq2seq", seq2seq_identity(name), inputs, predict_bytes, is_valid=_is_text, advance=advance
    )
    return [question.decode() for question in questions]


def _is_text(stored: bytes) -> bool:
    try:
        stored.decode()
    except UnicodeDecodeError:
        return False
    return True
