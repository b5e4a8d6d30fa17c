"""NLI models by name, one of each per process, asked without asking twice."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.models.answers import mend_surrogates
from factable.models.asking import ask_once
from factable.models.embedded import NLI_MODELS
from factable.models.folders import has_manifest, model_folder
from factable.models.hf_files import folder_identity
from factable.models.hf_nli import HfNli
from factable.models.manifest import NLI, read_manifest
from factable.models.one_each import one_each
from factable.models.onnx_nli import OnnxNli
from factable.models.protocols import LABELS, Advance, Nli, TextPair, tell_nobody
from factable.models.windows import ask


def load_nli(name: str) -> Nli:
    """The model of that name: an embedded one, a folder made by `factable train nli`, or Hugging Face's.

    With the extra `hf` any sequence-classification model works: a local folder, or a name on the hub.
    """
    folder = _folder(name)
    return _load(folder, _identity(folder))


@one_each
def _load(folder: Path, identity: str) -> Nli:
    return OnnxNli(folder) if has_manifest(folder) else HfNli(folder, identity)


def identity_of(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    return _identity(_folder(name))


def _identity(folder: Path) -> str:
    return read_manifest(folder, NLI).identity if has_manifest(folder) else folder_identity(folder)


def _folder(name: str) -> Path:
    return model_folder(name, embedded=NLI_MODELS, made_by="factable train nli")


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
