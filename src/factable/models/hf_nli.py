"""NLI models of Hugging Face, for who wants the paper's own: needs the extra hf."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.models.hf_files import import_torch, load_tokenizer, load_weights, loading, window_of
from factable.models.manifest import model_fault
from factable.models.onnx_nli import softmax
from factable.models.protocols import LABELS, Advance, TextPair
from factable.models.threads import thread_count

PAIRS_ON_A_GPU = 32


class HfNli:
    """A sequence-classification model in a folder; on a GPU where there is one.

    On a CPU each pair is run on its own, so that no answer depends on its neighbours; on a GPU, which is slow
    at that, pairs of like length are run together, and the last digits may differ.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        torch = import_torch(str(folder))
        config, self._tokenizer, self._model = _load(folder)
        self.identity = identity
        self.window = window_of(folder, self._tokenizer.model_max_length, config)
        self._order = label_order(folder, config.id2label)
        on_gpu = torch.cuda.is_available()
        self._device = "cuda" if on_gpu else "cpu"
        self._pairs_at_once = PAIRS_ON_A_GPU if on_gpu else 1
        self._model.to(self._device)
        if not on_gpu:
            torch.set_num_threads(thread_count())

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        return [len(tokens) for tokens in self._encode(pairs)["input_ids"]] if pairs else []

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        import torch

        sizes = self.count_tokens(pairs)
        # Long ones first: what does not fit the memory shows at once.
        order = sorted(range(len(pairs)), key=lambda place: -sizes[place])
        found = np.empty((len(pairs), len(LABELS)))
        for start in range(0, len(order), self._pairs_at_once):
            places = order[start : start + self._pairs_at_once]
            inputs = self._encode([pairs[place] for place in places], padding=True, return_tensors="pt")
            with torch.inference_mode():
                scores = self._model(**inputs.to(self._device)).logits.double().cpu().numpy()
            found[places] = softmax(scores)[:, self._order]
            advance(len(places))
        return found

    def _encode(self, pairs: Sequence[TextPair], **options: Any) -> Any:
        premises, hypotheses = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        return self._tokenizer(premises, hypotheses, verbose=False, **options)


def _load(folder: Path) -> tuple[Any, Any, Any]:
    """The configuration, tokeniser and weights in a folder, without running anything that is in it."""
    from transformers import AutoConfig, AutoModelForSequenceClassification

    tokenizer = load_tokenizer(folder)
    with loading(folder):
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    # Before the weights: they may take long.
    label_order(folder, config.id2label)
    return config, tokenizer, load_weights(folder, AutoModelForSequenceClassification)


def label_order(folder: Path, labels: Mapping[int, str]) -> list[int]:
    """The places of entailment, neutral and contradiction among a model's outputs."""
    place_of = {label.lower(): place for place, label in labels.items()}
    if sorted(place_of) != sorted(LABELS):
        remedy = "take a model that was trained on natural language inference"
        raise model_fault(folder, f"labels {', '.join(labels.values())}, not {', '.join(LABELS)}", remedy)
    return [place_of[label] for label in LABELS]
