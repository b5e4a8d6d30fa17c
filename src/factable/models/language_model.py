"""Causal language models of Hugging Face by name: how likely a text is, token by token. Needs the extra hf.

A model has a window of tokens. A longer text is read in windows that overlap by half: each token is scored
once, with half a window before it at least. Every window is run on its own: nothing is padded, and no number
depends on neighbours.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.models.protocols import Advance, no_progress
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

VARIABLE = "FACTABLE_LANGUAGE_MODEL"
MAX_TOKENS = 1024
# Two numbers of eight bytes.
STORED_BYTES = 16


class Likelihood(NamedTuple):
    """How unlikely a text is: the sum over its scored tokens of −ln p, and how many they are."""

    surprise: float
    tokens: int


class LanguageModel:
    """A causal language model in a folder, on a GPU where there is one."""

    def __init__(self, folder: Path, name: str) -> None:
        torch = import_torch(name)
        from transformers import AutoModelForCausalLM

        self._tokenizer = load_hf_tokenizer(folder)
        self._model = load_weights(folder, AutoModelForCausalLM)
        longest = self._tokenizer.model_max_length
        self._window = window_of(folder, longest, self._model.config, limit=MAX_TOKENS)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        if self._device == "cpu":
            torch.set_num_threads(thread_count())

    def likelihood(self, text: str) -> Likelihood:
        """The likelihood of a text; its first token counts where the tokeniser has a mark of beginnings."""
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        beginning = self._tokenizer.bos_token_id
        if beginning is not None:
            ids = [beginning, *ids]
        if len(ids) < 2:
            return Likelihood(0.0, 0)
        windows = split_windows(len(ids), self._window)
        return Likelihood(
            sum(self._surprise(ids[start:end], scored - start) for start, scored, end in windows),
            len(ids) - 1,
        )

    def _surprise(self, ids: Sequence[int], scored: int) -> float:
        """The sum of −ln p over tokens from a place on, each given all before it."""
        import torch

        with torch.inference_mode():
            tokens = torch.tensor([ids], device=self._device)
            logits = self._model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).logits[0]
            losses = torch.nn.functional.cross_entropy(
                logits[scored - 1 : -1].float(), tokens[0, scored:], reduction="none"
            )
            return float(losses.double().sum())


def split_windows(length: int, window: int) -> Iterator[tuple[int, int, int]]:
    """Windows of a text of two tokens or more: where each begins, is scored from, and ends."""
    start, scored = 0, 1
    while scored < length:
        end = min(start + window, length)
        yield start, scored, end
        start, scored = start + window // 2, end


def load_language_model(name: str) -> LanguageModel:
    """The model of that name, one of each per process: a local folder, or a name on the hub."""
    folder = _folder(name)
    return _load(folder, name, folder_identity(folder))


@per_process_cache
def _load(folder: Path, name: str, _identity: str) -> LanguageModel:
    return LanguageModel(folder, name)


def language_model_identity(name: str) -> str:
    """The checksum of all files of a model, without loading it."""
    return folder_identity(_folder(name))


def _folder(name: str) -> Path:
    chosen = name or os.environ.get(VARIABLE, "")
    if not chosen:
        raise UsageError(
            "no language model; none is embedded: name the folder or the hub name of a causal one as model, "
            f'such as perplexity(model="openai-community/gpt2"), or in the environment variable {VARIABLE}'
        )
    return model_folder(chosen)


def likelihoods(name: str, texts: Sequence[str], advance: Advance = no_progress) -> list[Likelihood]:
    """The likelihood of each text; equal texts are read once, and what is on disk not at all."""
    asked = [(mend_surrogates(text),) for text in texts]

    def answer(some: Sequence[tuple[str]]) -> list[bytes]:
        model = load_language_model(name)
        return [np.array(model.likelihood(text)).tobytes() for (text,) in some]

    identity = language_model_identity(name)
    found = cached_inference("likelihoods", identity, asked, answer, size=STORED_BYTES, advance=advance)
    pairs = (np.frombuffer(one).tolist() for one in found)
    return [Likelihood(surprise, int(tokens)) for surprise, tokens in pairs]
