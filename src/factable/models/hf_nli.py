"""NLI models of Hugging Face, for who wants the paper's own: needs the extra hf."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, Fault, MissingExtraError
from factable.models.manifest import file_checksum
from factable.models.onnx_nli import softmax
from factable.models.protocols import LABELS, Advance, TextPair

PAIRS_AT_ONCE = 16
MOST_TOKENS = 512


class HfNli:
    """A sequence-classification model, by local folder or hub name; on a GPU where there is one."""

    def __init__(self, name: str) -> None:
        try:
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
        except ImportError:
            raise MissingExtraError(f"model {name!r}", "hf") from None
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(name)
            # Weights as safetensors only: other files run code when they are read.
            self._model = AutoModelForSequenceClassification.from_pretrained(name, use_safetensors=True)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            raise _fault(name, f"no model that can be loaded ({reason})") from None
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model.eval().to(self._device)
        self._order = label_order(name, self._model.config.id2label)
        self.window = min(self._tokenizer.model_max_length, MOST_TOKENS)
        self.identity = _identity(name, self._model.config)

    def count_tokens(self, pairs: Sequence[TextPair]) -> list[int]:
        """The length of each pair."""
        encoded = self._encode(pairs)
        return [len(tokens) for tokens in encoded["input_ids"]]

    def probabilities(self, pairs: Sequence[TextPair], advance: Advance) -> NDArray[np.float64]:
        """Of entailment, neutral and contradiction, a row per pair."""
        import torch

        sizes = self.count_tokens(pairs)
        order = sorted(range(len(pairs)), key=lambda place: -sizes[place])
        found = np.empty((len(pairs), len(LABELS)))
        for start in range(0, len(order), PAIRS_AT_ONCE):
            places = order[start : start + PAIRS_AT_ONCE]
            inputs = self._encode([pairs[place] for place in places], padding=True, return_tensors="pt")
            with torch.inference_mode():
                scores = self._model(**inputs.to(self._device)).logits.double().cpu().numpy()
            found[places] = softmax(scores)[:, self._order]
            advance(len(places))
        return found

    def _encode(self, pairs: Sequence[TextPair], **options: Any) -> Any:
        premises, hypotheses = [pair.premise for pair in pairs], [pair.hypothesis for pair in pairs]
        return self._tokenizer(premises, hypotheses, verbose=False, **options)


def label_order(name: str, labels: dict[int, str]) -> list[int]:
    """The places of entailment, neutral and contradiction among a model's outputs."""
    place_of = {label.lower(): place for place, label in labels.items()}
    missing = [label for label in LABELS if label not in place_of]
    if missing:
        found = ", ".join(labels.values())
        raise _fault(name, f"labels {found}; {' and '.join(missing)} missing")
    return [place_of[label] for label in LABELS]


def _identity(name: str, config: Any) -> str:
    """A checksum of local weights, or the commit of a model on the hub."""
    folder = Path(name)
    if folder.is_dir():
        files = sorted(path for path in folder.iterdir() if path.is_file())
        told = [f"{path.name} {file_checksum(path)}" for path in files]
    else:
        told = [name, str(getattr(config, "_commit_hash", ""))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _fault(name: str, found: str) -> DataError:
    remedy = "take a model that was trained on natural language inference, with safetensors weights"
    return DataError([Fault(name, None, found, remedy)])
