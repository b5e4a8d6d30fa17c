"""NLI models by name, one of each per process, asked without asking twice."""

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.models.answers import cache_file, keep, key_of, recall
from factable.models.embedded import EMBEDDED, embedded_folder
from factable.models.manifest import MANIFEST, read_manifest
from factable.models.protocols import LABELS, Advance, Nli, TextPair
from factable.models.windows import ask

PAIRS_PER_SAVE = 4096
_loading = threading.Lock()


def load_nli(name: str) -> Nli:
    """The model of that name: an embedded one, a folder made by `factable train nli`, or Hugging Face's.

    With the extra `hf` any sequence-classification model works: a local folder, or a name on the hub.
    """
    with _loading:
        return _load(name)


@cache
def _load(name: str) -> Nli:
    from factable.models.onnx_nli import OnnxNli

    if name in EMBEDDED:
        return OnnxNli(embedded_folder(name))
    folder = Path(name)
    if (folder / MANIFEST).is_file():
        return OnnxNli(folder)
    if folder.is_dir() and not (folder / "config.json").is_file():
        # Says what is missing in the folder.
        read_manifest(folder)
    if not folder.is_dir() and "/" not in name and not _looks_like_a_hub_name(name):
        known = ", ".join(EMBEDDED)
        raise UsageError(f"no model {name!r}; embedded models are {known}; or name a folder or a hub model")
    from factable.models.hf_nli import HfNli

    return HfNli(name)


def _looks_like_a_hub_name(name: str) -> bool:
    return "-" in name and not name.startswith((".", "-"))


def identity_of(name: str) -> str:
    """The checksum of a model's answers, without loading it where that can be helped."""
    folder = embedded_folder(name) if name in EMBEDDED else Path(name)
    if (folder / MANIFEST).is_file():
        return read_manifest(folder).identity
    return load_nli(name).identity


def entailment(name: str, pairs: Sequence[TextPair], advance: Advance | None = None) -> NDArray[np.float64]:
    """Probabilities of entailment, neutral and contradiction, a row per pair.

    Equal pairs are asked once, and answers that are on disk not at all.
    """
    advance = advance or _tell_nobody
    identity = identity_of(name)
    different = dict.fromkeys(pairs)
    keys = {pair: key_of(identity, pair) for pair in different}
    path = cache_file()
    known = recall(path, list(keys.values())) if path else {}
    unknown = [pair for pair in different if keys[pair] not in known]
    advance(len(different) - len(unknown))
    for start in range(0, len(unknown), PAIRS_PER_SAVE):
        some = unknown[start : start + PAIRS_PER_SAVE]
        answers = dict(zip((keys[pair] for pair in some), ask(load_nli(name), some, advance), strict=True))
        known |= answers
        if path:
            keep(path, answers)
    if not pairs:
        return np.empty((0, len(LABELS)))
    return np.stack([known[keys[pair]] for pair in pairs])


def _tell_nobody(_: int) -> None:
    """Nobody waits for progress."""
