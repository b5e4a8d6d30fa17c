"""NLI models of Hugging Face, for who wants the paper's own: needs the extra hf."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import DataError, MissingExtraError
from factable.models.manifest import file_checksum, model_fault
from factable.models.onnx_nli import softmax
from factable.models.protocols import LABELS, LEAST_WINDOW, Advance, TextPair
from factable.models.threads import thread_count

CONFIG = "config.json"
# All that is read of a model; other files of weights run code when they are read.
FILES = ("*.json", "*.model", "*.safetensors", "*.txt")
VOCABULARIES = ("tokenizer.json", "vocab.json", "vocab.txt", "*.model")
MOST_TOKENS = 512
PAIRS_ON_A_GPU = 32


class HfNli:
    """A sequence-classification model in a folder; on a GPU where there is one.

    On a CPU each pair is run on its own, so that no answer depends on its neighbours; on a GPU, which is slow
    at that, pairs of like length are run together, and the last digits may differ.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        torch = _import_torch(str(folder))
        config, self._tokenizer, self._model = _load(folder)
        self.identity = identity
        self.window = window_of(folder, self._tokenizer.model_max_length, config)
        self._order = label_order(folder, config.id2label)
        on_gpu = torch.cuda.is_available()
        self._device = "cuda" if on_gpu else "cpu"
        self._pairs_at_once = PAIRS_ON_A_GPU if on_gpu else 1
        self._model.eval().to(self._device)
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


def _import_torch(name: str) -> Any:
    try:
        import torch
        import transformers  # noqa: F401 (whether it is there)
    except ImportError:
        raise MissingExtraError(f"model {name!r}", "hf") from None
    return torch


def _load(folder: Path) -> tuple[Any, Any, Any]:
    """The configuration, tokeniser and weights in a folder, without running anything that is in it."""
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    # transformers would make up a tokeniser that knows no word.
    if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
        raise _not_loaded(folder, f"no tokenizer: none of {', '.join(VOCABULARIES)}")
    try:
        with _quietly():
            config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
            # Before the weights: they may take long.
            label_order(folder, config.id2label)
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            model, report = AutoModelForSequenceClassification.from_pretrained(
                folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
    except DataError:
        raise
    except Exception as error:  # whatever the packages below transformers raise
        raise _not_loaded(folder, error) from None
    if report["missing_keys"]:
        raise _not_loaded(folder, f"no weights of {', '.join(sorted(report['missing_keys']))}")
    return config, tokenizer, model


@contextmanager
def _quietly() -> Iterator[None]:
    """Without the bars and reports that transformers writes to stderr."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def label_order(folder: Path, labels: Mapping[int, str]) -> list[int]:
    """The places of entailment, neutral and contradiction among a model's outputs."""
    place_of = {label.lower(): place for place, label in labels.items()}
    if sorted(place_of) != sorted(LABELS):
        remedy = "take a model that was trained on natural language inference"
        raise model_fault(folder, f"labels {', '.join(labels.values())}, not {', '.join(LABELS)}", remedy)
    return [place_of[label] for label in LABELS]


def window_of(folder: Path, most: int, config: Any) -> int:
    """How many tokens a model reads at once: what tokeniser and model can do, up to a sensible number."""
    window = min(most, getattr(config, "max_position_embeddings", MOST_TOKENS), MOST_TOKENS)
    if window < LEAST_WINDOW:
        found = f"reads {window} tokens at once"
        raise model_fault(folder, found, f"take a model that reads {LEAST_WINDOW} or more")
    return window


@cache
def hub_folder(name: str) -> Path:
    """Where the files of a model on the Hugging Face hub are, once they are here."""
    _import_torch(name)
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(name, allow_patterns=list(FILES), ignore_patterns=["*/*"])
    except Exception as error:  # of the hub, of the network, of the disk
        raise _not_loaded(name, error, "no folder, and no model that the hub gives") from None
    return Path(folder)


def folder_identity(folder: Path) -> str:
    """A checksum of all files that are read, computed again when one of them changes."""
    paths = sorted(path for pattern in FILES for path in folder.glob(pattern))
    states = [(path, path.stat()) for path in paths]
    return _checksum(tuple((path, state.st_mtime_ns, state.st_size) for path, state in states))


@cache
def _checksum(files: tuple[tuple[Path, int, int], ...]) -> str:
    told = [f"{path.name} {file_checksum(path)}" for path, _, _ in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _not_loaded(
    name: Path | str, error: Exception | str, what: str = "no model that can be loaded"
) -> DataError:
    reason = " ".join(str(error).split())[:200]
    return model_fault(name, f"{what} ({reason})", "name a folder or a hub model with safetensors weights")
