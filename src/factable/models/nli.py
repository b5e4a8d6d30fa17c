"""NLI models by name, one of each per process, asked without asking twice."""

import os
import re
import threading
from collections.abc import Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError, did_you_mean
from factable.models.answers import mend_surrogates
from factable.models.asking import ask_once
from factable.models.embedded import NLI_MODELS, embedded_folder
from factable.models.hf_files import CONFIG, folder_identity, hub_folder
from factable.models.hf_nli import HfNli
from factable.models.manifest import MANIFEST, NLI, model_fault, read_manifest
from factable.models.onnx_nli import OnnxNli
from factable.models.protocols import LABELS, Advance, Nli, TextPair, tell_nobody
from factable.models.windows import ask

# "roberta-large-mnli" or "owner/model"; a plain word is rather a misspelt name of ours.
_HUB_NAME = re.compile(r"(?=.*[-/])\w[\w.-]*(/\w[\w.-]*)?")
_loading = threading.Lock()


def load_nli(name: str) -> Nli:
    """The model of that name: an embedded one, a folder made by `factable train nli`, or Hugging Face's.

    With the extra `hf` any sequence-classification model works: a local folder, or a name on the hub.
    """
    folder = _folder(name)
    with _loading:
        # A forked process must not use what its parent loaded, and a folder may hold another model by now.
        return _load(folder, _identity(folder), os.getpid())


@cache
def _load(folder: Path, identity: str, _process: int) -> Nli:
    return OnnxNli(folder) if _has_manifest(folder) else HfNli(folder, identity)


def identity_of(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    return _identity(_folder(name))


def _identity(folder: Path) -> str:
    return read_manifest(folder, NLI).identity if _has_manifest(folder) else folder_identity(folder)


def _has_manifest(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


def _folder(name: str) -> Path:
    """Where the files of a model are."""
    if name in NLI_MODELS:
        return embedded_folder(name)
    path = Path(name)
    if path.exists():
        if not _has_manifest(path) and not (path / CONFIG).is_file():
            found = f"no model folder: it has neither {MANIFEST} nor {CONFIG}"
            raise model_fault(path, found, "name one made by factable train nli, or a Hugging Face model")
        return path.resolve()
    if not _HUB_NAME.fullmatch(name):
        hint = did_you_mean(name, NLI_MODELS)
        known = ", ".join(NLI_MODELS)
        raise UsageError(
            f"no model {name!r}; {hint}embedded models are {known}; or name a folder or a hub model"
        )
    return hub_folder(name)


def entailment(name: str, pairs: Sequence[TextPair], advance: Advance = tell_nobody) -> NDArray[np.float64]:
    """Probabilities of entailment, neutral and contradiction, a row per pair.

    Equal pairs are asked once, and answers that are on disk not at all.
    """
    pairs = [TextPair(*map(mend_surrogates, pair)) for pair in pairs]

    def answer(some: Sequence[TextPair]) -> list[bytes]:
        return [row.tobytes() for row in ask(load_nli(name), some, advance)]

    rows = ask_once("nli", identity_of(name), pairs, answer, size=8 * len(LABELS), advance=advance)
    return np.frombuffer(b"".join(rows)).reshape(len(pairs), len(LABELS))


def ask_in_groups(name: str, groups: Sequence[Sequence[TextPair]]) -> list[list[NDArray[np.float64]]]:
    """The answers to all pairs, asked together, group by group."""
    answers = iter(entailment(name, [pair for pairs in groups for pair in pairs]))
    return [list(islice(answers, len(pairs))) for pairs in groups]
