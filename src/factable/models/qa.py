"""Models that answer questions, by name, one of each per process, asked without asking twice."""

import os
import struct
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from factable.errors import UsageError, did_you_mean
from factable.models.answers import mend_surrogates
from factable.models.asking import ask_once
from factable.models.embedded import QA_MODELS, embedded_folder
from factable.models.manifest import QA, read_manifest
from factable.models.onnx_qa import OnnxQa
from factable.models.protocols import Advance, Answer, AskedText, Qa, tell_nobody

# The probability that there is an answer, and where it stands (nowhere: -1); then its text.
_KEPT = struct.Struct("<dqq")
_loading = threading.Lock()


def load_qa(name: str) -> Qa:
    """The model of that name: an embedded one, or a folder made by `factable train qa`."""
    folder = _folder(name)
    with _loading:
        # A forked process must not use what its parent loaded, and a folder may hold another model by now.
        return _load(folder, qa_identity(name), os.getpid())


@cache
def _load(folder: Path, _identity: str, _process: int) -> Qa:
    return OnnxQa(folder)


def qa_identity(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    return read_manifest(_folder(name), QA).identity


def _folder(name: str) -> Path:
    if name in QA_MODELS:
        return embedded_folder(name)
    path = Path(name)
    if not path.exists():
        hint = did_you_mean(name, QA_MODELS)
        raise UsageError(
            f"no model {name!r}; {hint}embedded ones are {', '.join(QA_MODELS)}; or name a folder"
        )
    return path.resolve()


def answer(name: str, asked: Sequence[AskedText], advance: Advance = tell_nobody) -> list[Answer]:
    """The answer to each question; equal questions are asked once, and known ones not at all."""
    asked = [AskedText(*map(mend_surrogates, one)) for one in asked]

    def ask(some: Sequence[AskedText]) -> list[bytes]:
        return list(map(_to_bytes, load_qa(name).answers(some, advance)))

    return list(map(_from_bytes, ask_once("qa", qa_identity(name), asked, ask, advance=advance)))


def _to_bytes(found: Answer) -> bytes:
    return _KEPT.pack(found.answerable, *(found.span or (-1, -1))) + found.text.encode()


def _from_bytes(kept: bytes) -> Answer:
    answerable, start, end = _KEPT.unpack_from(kept)
    return Answer(kept[_KEPT.size :].decode(), (start, end) if start >= 0 else None, answerable)
