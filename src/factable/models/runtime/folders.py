"""Models by name: embedded, made by factable, or of Hugging Face, whose own code is never run."""

import hashlib
import os
import re
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from factable.errors import DataError, MissingExtraError, UsageError, did_you_mean
from factable.io.files import sha256_of
from factable.models.runtime.cache import forget_answers
from factable.models.runtime.manifest import (
    MANIFEST,
    MIN_WINDOW,
    Manifest,
    embedded_folder,
    has_manifest,
    model_fault,
    read_manifest,
)
from factable.models.runtime.threads import thread_count

M = TypeVar("M")
CONFIG = "config.json"
# The only files read of a Hugging Face model; other formats of weights can run code when they are loaded.
FILES = ("*.json", "*.model", "*.safetensors", "*.txt")
VOCABULARIES = ("tokenizer.json", "vocab.json", "vocab.txt", "*.model")
MAX_WINDOW = 512
# "t5-small" or "owner/model"; a plain word is more likely a misspelt name of ours.
_HUB_NAME = re.compile(r"(?=.*[-/])\w[\w.-]*(/\w[\w.-]*)?")


# All loaders of this process, one for each role.
_LOADERS: "list[ModelLoader[Any]]" = []


class ModelLoader(Generic[M]):
    """Loads models of one role by name, each once per process, and again when its files change.

    A name is that of an embedded model, a folder with a manifest (`made_by` is the command that makes them,
    `onnx` loads them, by kind), or a Hugging Face model, a folder or a name on the hub (`hf` loads them).
    """

    def __init__(
        self,
        *,
        embedded: Sequence[str] = (),
        made_by: str = "",
        onnx: Mapping[str, Callable[..., M]] | None = None,
        hf: Callable[..., M] | None = None,
    ) -> None:
        self._embedded, self._made_by = tuple(embedded), made_by
        self._onnx, self._hf = onnx or {}, hf
        self._models: dict[tuple[Hashable, ...], tuple[str, M]] = {}
        self._lock = threading.Lock()
        _LOADERS.append(self)

    def load(self, name: str, *options: Hashable) -> M:
        """The model of that name; options go to the loading function after the folder."""
        folder = self.folder(name)
        # A forked process must not use what its parent loaded.
        key = (os.getpid(), folder, *options)
        identity = self._folder_identity(folder)
        with self._lock:
            loaded = self._models.get(key)
            if loaded is None or loaded[0] != identity:
                load = self._onnx[self._manifest(folder).kind] if has_manifest(folder) else self._hf
                assert load is not None
                self._models[key] = loaded = identity, load(folder, *options)
            return loaded[1]

    def close(self) -> None:
        """Free all models of this loader; they are loaded again when they are needed."""
        with self._lock:
            self._models.clear()

    def unlock(self) -> None:
        """Called in a forked process: a thread of the parent, which is not here, may hold the lock."""
        self._lock = threading.Lock()

    def identity(self, name: str) -> str:
        """A checksum of everything that can change the predictions of a model, without loading it."""
        return self._folder_identity(self.folder(name))

    def folder(self, name: str) -> Path:
        """The folder of the model of that name."""
        if name in self._embedded:
            return embedded_folder(name)
        path = Path(name)
        if path.exists():
            self._check_folder(path)
            return path.resolve()
        if not self._hf or not _HUB_NAME.fullmatch(name):
            hint = did_you_mean(name, self._embedded)
            ours = f"embedded ones are {', '.join(self._embedded)}; or " if self._embedded else ""
            hub = " or a hub model" if self._hf else ""
            raise UsageError(f"no model {name!r}; {hint}{ours}name a folder{hub}")
        return hub_folder(name)

    def _check_folder(self, path: Path) -> None:
        required = [MANIFEST] * bool(self._onnx) + [CONFIG] * bool(self._hf)
        if not any((path / file).is_file() for file in required):
            allowed = [f"a folder made by {self._made_by}"] * bool(self._onnx)
            allowed += ["a Hugging Face model"] * bool(self._hf)
            problem = f"not a model folder: it has no {' and no '.join(required)}"
            raise model_fault(path, problem, f"name {', or '.join(allowed)}")

    def _folder_identity(self, folder: Path) -> str:
        return self._manifest(folder).identity if has_manifest(folder) else hf_identity(folder)

    def _manifest(self, folder: Path) -> Manifest:
        return read_manifest(folder, *self._onnx)


def close() -> None:
    """Free all loaded models and the answers kept in memory; they come back when they are needed."""
    for loader in _LOADERS:
        loader.close()
    forget_answers()


def _unlock_all() -> None:
    for loader in _LOADERS:
        loader.unlock()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_all)


def hf_identity(folder: Path) -> str:
    """A checksum of all files that are read of a Hugging Face model, computed again when one changes."""
    paths = sorted(path for pattern in FILES for path in folder.glob(pattern))
    states = [(path, path.stat()) for path in paths]
    return _checksum(tuple((path, state.st_mtime_ns, state.st_size) for path, state in states))


@lru_cache(maxsize=8)
def _checksum(files: tuple[tuple[Path, int, int], ...]) -> str:
    lines = [f"{path.name} {sha256_of(path)}" for path, _, _ in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@cache
def hub_folder(name: str) -> Path:
    """The local folder of a model on the Hugging Face hub, downloaded if necessary."""
    import_torch(name)
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(name, allow_patterns=list(FILES), ignore_patterns=["*/*"])
    except Exception as error:  # of the hub, of the network, of the disk
        raise hf_not_loaded(name, error, "not a folder, and not available on the hub") from None
    return Path(folder)


def import_torch(name: str) -> Any:
    """The package torch, if it and transformers are installed."""
    try:
        import torch
        import transformers  # noqa: F401 (whether it is there)
    except ImportError:
        raise MissingExtraError(f"model {name!r}", "hf") from None
    return torch


def load_hf_tokenizer(folder: Path) -> Any:
    """The tokenizer of a Hugging Face model."""
    from transformers import AutoTokenizer

    # transformers would make up a tokenizer that knows no word.
    if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
        raise hf_not_loaded(folder, f"no tokenizer: none of {', '.join(VOCABULARIES)}")
    with hf_errors(folder):
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=False)


def load_hf_weights(folder: Path, auto_model: Any, *, unused: tuple[str, ...] = ()) -> Any:
    """The model in a folder; refused if weights are missing, other than those with an `unused` prefix."""
    with hf_errors(folder):
        model, report = auto_model.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
        )
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(unused))
    if missing:
        raise hf_not_loaded(folder, f"no weights of {', '.join(missing)}")
    return model.eval()


def use_best_device(model: Any) -> str:
    """Move a model to the GPU if there is one, else limit its threads; the name of the device."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    if device == "cpu":
        torch.set_num_threads(thread_count())
    return device


@contextmanager
def hf_errors(folder: Path) -> Iterator[None]:
    """Load silently, and turn all errors of transformers into ours."""
    try:
        with quiet_transformers():
            yield
    except DataError:
        raise
    except Exception as error:  # whatever the packages below transformers raise
        raise hf_not_loaded(folder, error) from None


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Without the progress bars and reports that transformers writes to stderr."""
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


def hf_window(folder: Path, tokenizer_window: int, config: Any, *, limit: int = MAX_WINDOW) -> int:
    """How many tokens a model reads at once: what tokenizer and model allow, up to the limit."""
    window = min(tokenizer_window, getattr(config, "max_position_embeddings", limit), limit)
    if window < MIN_WINDOW:
        raise model_fault(
            folder, f"reads {window} tokens at once", f"use a model that reads {MIN_WINDOW} or more"
        )
    return window


def hf_not_loaded(
    name: Path | str, error: Exception | str, problem: str = "this model cannot be loaded"
) -> DataError:
    """The error for a Hugging Face model that cannot be loaded."""
    reason = " ".join(str(error).split())[:200]
    return model_fault(name, f"{problem} ({reason})", "name a folder or a hub model with safetensors weights")
