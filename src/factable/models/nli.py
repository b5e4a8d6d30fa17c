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
from factable.models.answers import cache_file, keep, key_of, mend_surrogates, recall
from factable.models.embedded import NLI_MODELS, embedded_folder
from factable.models.hf_nli import CONFIG, HfNli, folder_identity, hub_folder
from factable.models.manifest import MANIFEST, NLI, model_fault, read_manifest
from factable.models.onnx_nli import OnnxNli
from factable.models.protocols import LABELS, Advance, Nli, TextPair, tell_nobody
from factable.models.windows import ask

PAIRS_PER_SAVE = 4096
# A few dozen megabytes.
MOST_REMEMBERED = 100_000
# "roberta-large-mnli" or "owner/model"; a plain word is rather a misspelt name of ours.
_HUB_NAME = re.compile(r"(?=.*[-/])\w[\w.-]*(/\w[\w.-]*)?")
_loading = threading.Lock()
_remembered: dict[bytes, NDArray[np.float64]] = {}


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
    identity = identity_of(name)
    pairs = [TextPair(*map(mend_surrogates, pair)) for pair in pairs]
    keys = {pair: key_of(identity, pair) for pair in dict.fromkeys(pairs)}
    path = cache_file()
    known = {key: _remembered[key] for key in keys.values() if key in _remembered}
    known |= recall(path, [key for key in keys.values() if key not in known]) if path else {}
    unknown = [pair for pair, key in keys.items() if key not in known]
    advance(len(keys) - len(unknown))
    for start in range(0, len(unknown), PAIRS_PER_SAVE):
        some = unknown[start : start + PAIRS_PER_SAVE]
        answers = dict(zip((keys[pair] for pair in some), ask(load_nli(name), some, advance), strict=True))
        known |= answers
        _remember(answers)
        if path:
            keep(path, answers)
    found = np.empty((len(pairs), len(LABELS)))
    for place, pair in enumerate(pairs):
        found[place] = known[keys[pair]]
    return found


def ask_in_groups(name: str, groups: Sequence[Sequence[TextPair]]) -> list[list[NDArray[np.float64]]]:
    """The answers to all pairs, asked together, group by group."""
    answers = iter(entailment(name, [pair for pairs in groups for pair in pairs]))
    return [list(islice(answers, len(pairs))) for pairs in groups]


def _remember(answers: dict[bytes, NDArray[np.float64]]) -> None:
    """Keep answers in memory, so that nothing is asked twice soon even where nothing is kept on disk."""
    if len(_remembered) + len(answers) > MOST_REMEMBERED:
        _remembered.clear()
    _remembered.update(answers)
