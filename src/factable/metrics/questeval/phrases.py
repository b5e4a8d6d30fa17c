"""What in a text can be an answer: by rules of our own, or by a pipeline of spaCy (extra spacy)."""

import hashlib
import os
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from factable.errors import MissingExtraError, UsageError
from factable.io.files import sha256_of
from factable.models.runtime.cache import mend_surrogates
from factable.models.runtime.manifest import model_fault
from factable.text.answers import answer_spans

LIGHT = "light"
MAX_REMEMBERED = 4096
Spans = list[tuple[int, int]]


def phrase_finder(name: str) -> Callable[[str], Spans]:
    """Finds what can be an answer: "light" is our own, any other text names a pipeline or its folder.

    A pipeline gives entities, then noun chunks; what is both is there twice.
    """
    if name == LIGHT:
        return answer_spans
    identity = phrases_identity(name)
    return lambda text: _find(name, identity, os.getpid(), text)


@lru_cache(MAX_REMEMBERED)
def _find(name: str, identity: str, process: int, text: str) -> Spans:
    pipeline = _load(name, identity, process)
    found = pipeline(mend_surrogates(text))
    # Chunks stand on a parse, and on rules that not every language has.
    has_chunks = found.has_annotation("DEP") and pipeline.vocab.get_noun_chunks is not None
    spans = [*found.ents, *(found.noun_chunks if has_chunks else ())]
    return [(span.start_char, span.end_char) for span in spans]


@cache
def _load(name: str, _identity: str, _process: int) -> Any:
    import spacy

    try:
        return spacy.load(name)
    except Exception as error:  # whatever the components of a pipeline raise
        reason = " ".join(str(error).split())[:200]
        raise model_fault(name, f"no pipeline that can be loaded ({reason})", "name another") from None


def phrases_identity(name: str) -> str:
    """A checksum of what can move the answers: versions of spaCy and of a pipeline, or files of a folder."""
    told = [_version_of_spacy(name)]
    folder = Path(name)
    if folder.is_dir():
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        states = [(path, path.stat()) for path in files]
        told.append(_checksum(folder, tuple((path, one.st_mtime_ns, one.st_size) for path, one in states)))
    elif name.isidentifier() and find_spec(name) is not None:
        told.append(f"{name} {version(name)}")
    else:
        remedy = "name a folder, or install one: python -m spacy download en_core_web_sm"
        raise UsageError(f"no pipeline {name!r} of spaCy; {remedy}")
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def _version_of_spacy(name: str) -> str:
    try:
        return version("spacy")
    except PackageNotFoundError:
        raise MissingExtraError(f"pipeline {name!r}", "spacy") from None


@cache
def _checksum(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    told = [f"{path.relative_to(folder)} {sha256_of(path)}" for path, _, _ in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()
