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
from factable.models.runtime.cache import replace_surrogates
from factable.models.runtime.manifest import model_fault
from factable.text.answers import answer_spans
from factable.types import Span

LIGHT = "light"
MAX_CACHED_TEXTS = 4096


def phrase_finder(name: str) -> Callable[[str], list[Span]]:
    """A function that finds what can be an answer: "light" by our own rules, else by a spaCy pipeline.

    A pipeline gives entities, then noun chunks; what is both is there twice.
    """
    if name == LIGHT:
        return answer_spans
    identity = phrases_identity(name)
    return lambda text: _find(name, identity, os.getpid(), text)


@lru_cache(MAX_CACHED_TEXTS)
def _find(name: str, identity: str, process: int, text: str) -> list[Span]:
    pipeline = _load(name, identity, process)
    parsed = pipeline(replace_surrogates(text))
    # Noun chunks need a parse, and rules that not every language has.
    has_chunks = parsed.has_annotation("DEP") and pipeline.vocab.get_noun_chunks is not None
    spans = [*parsed.ents, *(parsed.noun_chunks if has_chunks else ())]
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
    versions = [_version_of_spacy(name)]
    folder = Path(name)
    if folder.is_dir():
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        states = [(path, path.stat()) for path in files]
        versions.append(
            _checksum(folder, tuple((path, state.st_mtime_ns, state.st_size) for path, state in states))
        )
    elif name.isidentifier() and find_spec(name) is not None:
        versions.append(f"{name} {version(name)}")
    else:
        remedy = "name a folder, or install one: python -m spacy download en_core_web_sm"
        raise UsageError(f"no pipeline {name!r} of spaCy; {remedy}")
    return hashlib.sha256("\n".join(versions).encode()).hexdigest()


def _version_of_spacy(name: str) -> str:
    try:
        return version("spacy")
    except PackageNotFoundError:
        raise MissingExtraError(f"pipeline {name!r}", "spacy") from None


@lru_cache(maxsize=8)
def _checksum(folder: Path, files: tuple[tuple[Path, int, int], ...]) -> str:
    lines = [f"{path.relative_to(folder)} {sha256_of(path)}" for path, _, _ in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
