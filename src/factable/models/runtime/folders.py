"""Model folders by name: embedded, made by factable, or of Hugging Face; no code of theirs is ever run."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from factable.errors import DataError, MissingExtraError, UsageError, did_you_mean
from factable.io.files import sha256_of
from factable.models.protocols import LEAST_WINDOW
from factable.models.runtime.manifest import MANIFEST, embedded_folder, model_fault

CONFIG = "config.json"
# All that is read of a model; other files of weights run code when they are read.
FILES = ("*.json", "*.model", "*.safetensors", "*.txt")
VOCABULARIES = ("tokenizer.json", "vocab.json", "vocab.txt", "*.model")
MAX_TOKENS = 512


def import_torch(name: str) -> Any:
    """The package torch, where it and transformers are installed."""
    try:
        import torch
        import transformers  # noqa: F401 (whether it is there)
    except ImportError:
        raise MissingExtraError(f"model {name!r}", "hf") from None
    return torch


def load_hf_tokenizer(folder: Path) -> Any:
    """The tokeniser in a folder."""
    from transformers import AutoTokenizer

    # transformers would make up a tokeniser that knows no word.
    if not any(path for pattern in VOCABULARIES for path in folder.glob(pattern)):
        raise hf_not_loaded(folder, f"no tokenizer: none of {', '.join(VOCABULARIES)}")
    with loading(folder):
        return AutoTokenizer.from_pretrained(folder, trust_remote_code=False)


def load_weights(folder: Path, kind: Any, *, unused: tuple[str, ...] = ()) -> Any:
    """The model in a folder, as that kind of model; refused where weights that are used are missing."""
    with loading(folder):
        model, report = kind.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
        )
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(unused))
    if missing:
        raise hf_not_loaded(folder, f"no weights of {', '.join(missing)}")
    return model.eval()


@contextmanager
def loading(folder: Path) -> Iterator[None]:
    """Quietly, and with our own errors."""
    try:
        with quietly():
            yield
    except DataError:
        raise
    except Exception as error:  # whatever the packages below transformers raise
        raise hf_not_loaded(folder, error) from None


@contextmanager
def quietly() -> Iterator[None]:
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


def window_of(folder: Path, most: int, config: Any, *, limit: int = MAX_TOKENS) -> int:
    """How many tokens a model reads at once: what tokeniser and model can do, up to a sensible number."""
    window = min(most, getattr(config, "max_position_embeddings", limit), limit)
    if window < LEAST_WINDOW:
        found = f"reads {window} tokens at once"
        raise model_fault(folder, found, f"take a model that reads {LEAST_WINDOW} or more")
    return window


@cache
def hub_folder(name: str) -> Path:
    """Where the files of a model on the Hugging Face hub are, once they are here."""
    import_torch(name)
    from huggingface_hub import snapshot_download

    try:
        folder = snapshot_download(name, allow_patterns=list(FILES), ignore_patterns=["*/*"])
    except Exception as error:  # of the hub, of the network, of the disk
        raise hf_not_loaded(name, error, "no folder, and no model that the hub gives") from None
    return Path(folder)


def folder_identity(folder: Path) -> str:
    """A checksum of all files that are read, computed again when one of them changes."""
    paths = sorted(path for pattern in FILES for path in folder.glob(pattern))
    states = [(path, path.stat()) for path in paths]
    return _checksum(tuple((path, state.st_mtime_ns, state.st_size) for path, state in states))


@cache
def _checksum(files: tuple[tuple[Path, int, int], ...]) -> str:
    told = [f"{path.name} {sha256_of(path)}" for path, _, _ in files]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


def hf_not_loaded(
    name: Path | str, error: Exception | str, what: str = "no model that can be loaded"
) -> DataError:
    """Says why a model is of no use."""
    reason = " ".join(str(error).split())[:200]
    return model_fault(name, f"{what} ({reason})", "name a folder or a hub model with safetensors weights")


# "t5-small" or "owner/model"; a plain word is rather a misspelt name of ours.
_HUB_NAME = re.compile(r"(?=.*[-/])\w[\w.-]*(/\w[\w.-]*)?")


def model_folder(name: str, *, embedded: Sequence[str] = (), made_by: str = "") -> Path:
    """The folder of a model by its name; `made_by` is the command that makes folders with a manifest."""
    if name in embedded:
        return embedded_folder(name)
    path = Path(name)
    if path.exists():
        wanted = (MANIFEST, CONFIG) if made_by else (CONFIG,)
        if not any((path / file).is_file() for file in wanted):
            ours = f"one made by {made_by}, or " if made_by else ""
            found = f"no model folder: it has no {' and no '.join(wanted)}"
            raise model_fault(path, found, f"name {ours}a Hugging Face model")
        return path.resolve()
    if not _HUB_NAME.fullmatch(name):
        ours = f"embedded ones are {', '.join(embedded)}; or " if embedded else ""
        raise UsageError(
            f"no model {name!r}; {did_you_mean(name, embedded)}{ours}name a folder or a hub model"
        )
    return hub_folder(name)


def has_manifest(folder: Path) -> bool:
    """Whether a folder was made by factable."""
    return (folder / MANIFEST).is_file()
