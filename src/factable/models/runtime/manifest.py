"""Model folders and data files of the package, checked against their checksums."""

import hashlib
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole, sha256_of
from factable.models.runtime.checksums import CHECKSUMS

MANIFEST = "manifest.json"
CARD = "CARD.md"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
ENCODER, DECODER = "encoder.onnx", "decoder.onnx"
NLI, EMBEDDER, QA, MARKS, SEQ2SEQ = MODEL_KINDS = ("nli", "embedder", "qa", "marks", "seq2seq")
# The table of word embeddings that all embedded models share, and its name in their graphs.
WORD_EMBEDDINGS = "data/models/word_embeddings.bin"
WORD_EMBEDDINGS_TENSOR = "encoder.embeddings.word_embeddings.weight_quantized"
WORD_EMBEDDINGS_WIDTH = 384
# Fewer tokens do not hold two sentences; and half of it holds any single character in any tokenizer.
MIN_WINDOW = 64
# No model here reads more, and memory grows with its square.
MAX_WINDOW = 8192
# The second was trained without data that forbids commercial use.
NLI_MODELS = ("nli", "nli-open")
# Encoders: as published, and trained to rank.
EMBEDDERS = ("embed", "trained")
# The second was trained further on who did what, for the ledger.
QA_MODELS = ("qa", "qa-relations")
MARKS_MODELS = ("marks",)
EMBEDDED = (*NLI_MODELS, *EMBEDDERS, *QA_MODELS, *MARKS_MODELS)
_EMBEDDED_FOLDER = Path(str(files("factable") / "data" / "models"))
MODEL_REMEDY = "install factable again, or take another folder"


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a model folder; `labels` is the order of the outputs of an NLI model.

    `shared` is the sha256 of the table of word embeddings if the model takes it from the package, else empty.
    """

    folder: Path
    kind: str
    about: str
    labels: tuple[str, ...]
    window: int
    temperature: float
    files: dict[str, str]
    shared: str = ""

    @property
    def identity(self) -> str:
        """A checksum of everything that can change the predictions, and so of every file."""
        content = [self.kind, self.labels, self.window, self.temperature, sorted(self.files.items())]
        content += [self.shared] if self.shared else []
        return hashlib.sha256(orjson.dumps(content)).hexdigest()


def embedded_folder(name: str) -> Path:
    """The folder of an embedded model."""
    return _EMBEDDED_FOLDER / name


def has_manifest(folder: Path) -> bool:
    """Whether a folder was made by factable."""
    return (folder / MANIFEST).is_file()


def graphs_of(kind: str) -> tuple[str, ...]:
    """The ONNX files of a model."""
    return (ENCODER, DECODER) if kind == SEQ2SEQ else (MODEL,)


def read_manifest(folder: Path, *kinds: str) -> Manifest:
    """The manifest of a model folder, which must be of one of the kinds if any are given.

    That of an embedded model is read once per process; a user's folder may change at any time.
    """
    manifest = _read_embedded(folder) if folder.parent == _EMBEDDED_FOLDER else _read(folder)
    if kinds and manifest.kind not in kinds:
        wanted = " or ".join(map(repr, kinds))
        raise model_fault(
            folder / MANIFEST, f"a model of kind {manifest.kind!r}", f"name one of kind {wanted}"
        )
    return manifest


def _read(folder: Path) -> Manifest:
    path = folder / MANIFEST
    if not path.is_file():
        problem = f"not a model folder: {MANIFEST} is missing" if folder.is_dir() else "not a model folder"
        raise model_fault(folder, problem, "name a folder made by factable train")
    return _parse_checked(folder, read_whole(path))


def _parse_checked(folder: Path, content: bytes) -> Manifest:
    path = folder / MANIFEST
    try:
        manifest = _parse(folder, orjson.loads(content))
    except KeyError as error:
        raise model_fault(path, f"not the manifest of a model: it lacks {error}", MODEL_REMEDY) from None
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise model_fault(path, f"not the manifest of a model ({error})", MODEL_REMEDY) from None
    _check(manifest, path)
    return manifest


@cache
def _read_embedded(folder: Path) -> Manifest:
    """The manifest of an embedded model, whose own checksum is in the code: nobody can change both files."""
    return _parse_checked(folder, read_shipped(f"data/models/{folder.name}/{MANIFEST}"))


def _parse(folder: Path, content: Any) -> Manifest:
    return Manifest(
        folder=folder,
        kind=str(content["kind"]),
        about=str(content["about"]),
        labels=tuple(map(str, content["labels"])),
        window=int(content["window"]),
        temperature=float(content["temperature"]),
        files={str(name): str(checksum) for name, checksum in content["files"].items()},
        shared=str(content.get("shared", "")),
    )


def _check(manifest: Manifest, path: Path) -> None:
    """Refuse a manifest that does not describe one model in its own folder."""
    if manifest.kind not in MODEL_KINDS:
        kinds = ", ".join(MODEL_KINDS)
        raise model_fault(path, f"a model of kind {manifest.kind!r}", f"known kinds are {kinds}")
    if not MIN_WINDOW <= manifest.window <= MAX_WINDOW:
        remedy = f"it must be {MIN_WINDOW} or more, up to {MAX_WINDOW}"
        raise model_fault(path, f"window is {manifest.window}", remedy)
    if not 0 < manifest.temperature < math.inf:
        raise model_fault(path, f"temperature is {manifest.temperature}", "it must be above 0")
    for name in (*graphs_of(manifest.kind), TOKENIZER):
        if name not in manifest.files:
            raise model_fault(path, f"no checksum of {name}", MODEL_REMEDY)
    if manifest.shared and manifest.shared != CHECKSUMS[WORD_EMBEDDINGS]:
        raise model_fault(path, "made for other word embeddings than the package's", MODEL_REMEDY)
    for name in manifest.files:
        if Path(name).name != name:
            raise model_fault(path, f"lists {name!r}, a file outside its folder", MODEL_REMEDY)


def verify_files(manifest: Manifest) -> None:
    """Refuse a model whose files are missing or differ from their checksums in the manifest."""
    for name, checksum in manifest.files.items():
        path = manifest.folder / name
        if not path.is_file():
            raise model_fault(path, "a file of the model is missing", MODEL_REMEDY)
        actual = sha256_of(path)
        if actual != checksum:
            raise model_fault(path, _damage(actual, checksum), MODEL_REMEDY)


def _damage(actual: str, expected: str) -> str:
    return f"damaged: its sha256 is {actual[:12]}…, not {expected[:12]}…"


def model_fault(path: Path | str, problem: str, remedy: str) -> DataError:
    """The error for a model that cannot be used."""
    return DataError([Fault(str(path), None, problem, remedy)])


@cache
def read_shipped(name: str) -> bytes:
    """A data file of the package, by its path there; read and checked against its sha256 once per process."""
    try:
        content = files("factable").joinpath(name).read_bytes()
    except OSError as error:
        raise DataError([Fault(name, None, error.strerror or str(error), "install factable again")]) from None
    actual, expected = hashlib.sha256(content).hexdigest(), CHECKSUMS.get(name, "")
    if actual != expected:
        remedy = "install factable again, or run tools/update_checksums.py if you changed it"
        raise DataError([Fault(name, None, _damage(actual, expected), remedy)])
    return content
