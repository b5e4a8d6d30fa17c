"""The tokens of an encoder of Hugging Face, such as the paper's RoBERTa: needs the extra hf.

Windows of equal length are run together, nothing is padded, and layers above the wanted one are left out.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.hf_files import import_torch, load_tokenizer, load_weights, not_loaded, window_of
from factable.models.threads import thread_count
from factable.models.token_protocol import Window

# Layers that the authors found best on WMT16; for other models the last one.
BEST_LAYERS = {
    "bert-base-multilingual-cased": 9,
    "bert-base-uncased": 9,
    "bert-large-uncased": 18,
    "deberta-base-mnli": 9,
    "deberta-large-mnli": 18,
    "deberta-xlarge-mnli": 40,
    "distilbert-base-uncased": 5,
    "distilroberta-base": 5,
    "roberta-base": 10,
    "roberta-large": 17,
    "roberta-large-mnli": 19,
    "xlm-roberta-base": 9,
    "xlm-roberta-large": 17,
}
# Larger batches are not faster on a CPU.
TOKENS_AT_ONCE = 1024
# Only of use for sentences.
UNUSED = ("pooler.",)
TRIED_LENGTHS = (32, 16, 8, 4)
TRIED_TEXTS = (2, 8)


class HfTokenEncoder:
    """The encoder in a folder, on a GPU where there is one; of a model that also writes, its encoder."""

    def __init__(self, folder: Path, name: str, layer: int | None) -> None:
        torch = import_torch(name)
        from transformers import AutoModel

        self._tokenizer = load_tokenizer(folder)
        if not self._tokenizer.is_fast:
            raise not_loaded(folder, "no fast tokenizer")
        model = load_weights(folder, AutoModel, unused=UNUSED)
        self._window = window_of(folder, self._tokenizer.model_max_length, model.config)
        self.layer = _choose_layer(name, layer, model.config)
        self._model = model.get_encoder() if model.config.is_encoder_decoder else model
        self._all_layers_run = not _drop_upper_layers(self._model, self.layer)
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.to(self._device)
        if self._device == "cpu":
            torch.set_num_threads(thread_count())
        self._shortest_in_batches = 0 if self._device == "cuda" else self._find_shortest_in_batches()

    def read(self, text: str) -> list[Window]:
        """The tokens of a text, with marks; more than one window if it is longer than that."""
        # Where tokens begin with spaces: a word is then the same token at the start of a text as inside it.
        spaced = f" {text}" if text and getattr(self._tokenizer, "add_prefix_space", True) is False else text
        found = self._tokenizer(
            spaced,
            truncation=True,
            max_length=self._window,
            return_overflowing_tokens=True,
            return_special_tokens_mask=True,
            verbose=False,
        )
        pairs = zip(found["input_ids"], found["special_tokens_mask"], strict=True)
        return [Window(tuple(ids), tuple(map(bool, marks))) for ids, marks in pairs]

    def states(self, windows: Sequence[tuple[int, ...]]) -> list[NDArray[np.float32]]:
        """For each window a row per token."""
        # Long ones first: what does not fit the memory shows at once.
        order = sorted(range(len(windows)), key=lambda place: -len(windows[place]))
        found: dict[int, NDArray[np.float32]] = {}
        for length, group in groupby(order, key=lambda place: len(windows[place])):
            places, at_once = list(group), max(1, TOKENS_AT_ONCE // length)
            if length < self._shortest_in_batches:
                at_once = 1
            for start in range(0, len(places), at_once):
                some = places[start : start + at_once]
                found.update(zip(some, self._run([windows[place] for place in some]), strict=True))
        return [found[place] for place in range(len(windows))]

    def _run(self, windows: Sequence[tuple[int, ...]]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            tokens = torch.tensor(windows, device=self._device)
            found = self._model(
                input_ids=tokens,
                attention_mask=torch.ones_like(tokens),
                output_hidden_states=self._all_layers_run,
            )
        last = found.hidden_states[self.layer] if self._all_layers_run else found.last_hidden_state
        states: NDArray[np.float32] = last.float().cpu().numpy()
        return states

    def _find_shortest_in_batches(self) -> int:
        """The length from which on a text's numbers are the same alone and beside others.

        This machine's kernels may sum in another order where there are few tokens in all.
        """
        shortest = self._window + 1
        for length in TRIED_LENGTHS:
            if self._neighbours_matter(length):
                break
            shortest = length
        return shortest

    def _neighbours_matter(self, length: int) -> bool:
        one = tuple(place % self._model.config.vocab_size for place in range(length))
        (alone,) = self._run([one])
        beside = (self._run([*[one[::-1]] * (texts - 1), one])[-1] for texts in TRIED_TEXTS)
        return not all(np.array_equal(found, alone) for found in beside)


def _choose_layer(name: str, layer: int | None, config: Any) -> int:
    """The layer that is asked for or known to be good, else the last."""
    layers: int = config.num_hidden_layers
    if layer is None:
        return min(BEST_LAYERS.get(Path(name).name, layers), layers)
    if not 0 <= layer <= layers:
        raise UsageError(f"no layer {layer} in {name}; it has layers 0 to {layers}")
    return layer


def _drop_upper_layers(model: Any, layer: int) -> bool:
    """Leave out the layers above the wanted one; False if they do not stand in a list."""
    import torch

    for part in model.modules():
        for name, child in part.named_children():
            if isinstance(child, torch.nn.ModuleList) and len(child) == model.config.num_hidden_layers:
                setattr(part, name, child[:layer])
                return True
    return False
