"""Models that answer questions, by name, one of each per process, asked without asking twice."""

import struct
from collections.abc import Sequence
from pathlib import Path

from factable.models.answers import mend_surrogates
from factable.models.asking import ask_once
from factable.models.embedded import QA_MODELS
from factable.models.folders import has_manifest, model_folder
from factable.models.hf_files import folder_identity
from factable.models.manifest import QA, read_manifest
from factable.models.one_each import one_each
from factable.models.onnx_qa import OnnxQa
from factable.models.protocols import Advance, Answer, AskedText, Qa, tell_nobody
from factable.models.seq2seq import load_seq2seq

# The probability that there is an answer, and where it stands (nowhere: -1); then its text.
_KEPT = struct.Struct("<dqq")


def load_qa(name: str) -> Qa:
    """The model of that name: an embedded one, a folder made by `factable train qa`, or Hugging Face's.

    With the extra `hf` any sequence-to-sequence model works: a local folder, or a name on the hub.
    """
    folder = _folder(name)
    if not has_manifest(folder):
        return load_seq2seq(folder)
    return _load(folder, qa_identity(name))


@one_each
def _load(folder: Path, _identity: str) -> Qa:
    return OnnxQa(folder)


def qa_identity(name: str) -> str:
    """The checksum of all that can move a model's answers, without loading it."""
    folder = _folder(name)
    return read_manifest(folder, QA).identity if has_manifest(folder) else folder_identity(folder)


def writes_answers(name: str) -> bool:
    """Whether a model writes its answers, rather than find them in the context."""
    return not has_manifest(_folder(name))


def _folder(name: str) -> Path:
    return model_folder(name, embedded=QA_MODELS, made_by="factable train qa")


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
