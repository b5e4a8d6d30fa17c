"""Causal language models of Hugging Face by name: how likely a text is, token by token. Needs the extra hf.

A model reads a window of tokens. A longer text is read in windows that overlap by half: each token is scored
once, with at least half a window before it. Every window is run on its own: nothing is padded, and no number
depends on neighbours.
"""

import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.models.runtime.cache import cached_inference, replace_surrogates
from factable.models.runtime.folders import (
    ModelLoader,
    hf_window,
    import_torch,
    load_hf_tokenizer,
    load_hf_weights,
    use_best_device,
)
from factable.models.runtime.progress import Advance, no_progress

LANGUAGE_MODEL_VARIABLE = "FACTABLE_LANGUAGE_MODEL"
MAX_TOKENS = 1024
# Two numbers of eight bytes.
STORED_BYTES = 16


class Likelihood(NamedTuple):
    """How unlikely a text is: the sum of −ln p over its scored tokens, and their number."""

    surprise: float
    tokens: int


class LanguageModel:
    """A causal language model in a folder, on a GPU if there is one."""

    def __init__(self, folder: Path) -> None:
        import_torch(str(folder))
        from transformers import AutoModelForCausalLM

        self._tokenizer = load_hf_tokenizer(folder)
        self._model = load_hf_weights(folder, AutoModelForCausalLM)
        max_length = self._tokenizer.model_max_length
        self._window = hf_window(folder, max_length, self._model.config, limit=MAX_TOKENS)
        self._device = use_best_device(self._model)

    def likelihood(self, text: str) -> Likelihood:
        """The likelihood of a text; its first token counts if the tokenizer has a start token."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        start_token = self._tokenizer.bos_token_id
        if start_token is not None:
            ids = [start_token, *ids]
        if len(ids) < 2:
            return Likelihood(0.0, 0)
        windows = split_windows(len(ids), self._window)
        return Likelihood(
            sum(self._surprise(ids[start:end], scored - start) for start, scored, end in windows),
            len(ids) - 1,
        )

    def _surprise(self, ids: Sequence[int], scored: int) -> float:
        """The sum of −ln p over the tokens from index `scored` on, each given all before it."""
        import torch

        with torch.inference_mode():
            tokens = torch.tensor([ids], device=self._device)
            logits = self._model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits[0]
            losses = torch.nn.functional.cross_entropy(
                logits[scored - 1 : -1].float(), tokens[0, scored:], reduction="none"
            )
            return float(losses.double().sum())


def split_windows(length: int, window: int) -> Iterator[tuple[int, int, int]]:
    """Windows of a text of two tokens or more: where each starts, is scored from, and ends."""
    start, scored = 0, 1
    while scored < length:
        end = min(start + window, length)
        yield start, scored, end
        start, scored = start + window // 2, end


_MODELS: ModelLoader[LanguageModel] = ModelLoader(hf=LanguageModel)


def load_language_model(name: str) -> LanguageModel:
    """The model of that name, or of that in FACTABLE_LANGUAGE_MODEL: a folder, or a name on the hub."""
    return _MODELS.load(_name_or_default(name))


def language_model_identity(name: str) -> str:
    """The checksum of all files of a model, without loading it."""
    return _MODELS.identity(_name_or_default(name))


def _name_or_default(name: str) -> str:
    chosen = name or os.environ.get(LANGUAGE_MODEL_VARIABLE, "")
    if not chosen:
        raise UsageError(
            "no language model; none is embedded: name a folder or a model on the hub, "
            'such as perplexity(model="openai-community/gpt2"), or set the environment variable '
            f"{LANGUAGE_MODEL_VARIABLE}"
        )
    return chosen


def likelihoods(name: str, texts: Sequence[str], advance: Advance = no_progress) -> list[Likelihood]:
    """The likelihood of each text; cached on disk."""

    def predict_bytes(batch: Sequence[tuple[str]]) -> list[bytes]:
        model = load_language_model(name)
        return [np.array(model.likelihood(text)).tobytes() for (text,) in batch]

    inputs = [(replace_surrogates(text),) for text in texts]
    identity = language_model_identity(name)
    stored = cached_inference(
        "likelihoods", identity, inputs, predict_bytes, is_valid=_is_likelihood, advance=advance
    )
    pairs = (np.frombuffer(content).tolist() for content in stored)
    return [Likelihood(surprise, int(tokens)) for surprise, tokens in pairs]


def _is_likelihood(stored: bytes) -> bool:
    if len(stored) != STORED_BYTES:
        return False
    surprise, tokens = np.frombuffer(stored).tolist()
    return bool(0 <= surprise < math.inf and 0 <= tokens < math.inf and tokens == int(tokens))
