"""Model folders: a manifest that says what a model is, with a checksum of each of its files."""

import hashlib
import math
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from factable.errors import DataError, Fault
from factable.io.files import read_whole, sha256_of
from factable.models.protocols import LABELS, LEAST_WINDOW
from factable.models.runtime.checksums import CHECKSUMS

MANIFEST = "manifest.json"
CARD = "CARD.md"
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
NLI, EMBEDDER, QA = KINDS = ("nli", "embedder", "qa")
REMEDY = "install factable again, or take another folder"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model folder holds; `labels` is the order of the outputs of an NLI model."""

    folder: Path
    kind: str
    about: str
    labels: tuple[str, ...]
    window: int
    temperature: float
    files: dict[str, str]

    @property
    def identity(self) -> str:
        """A checksum of the manifest's content, and so of every file."""
        told = [self.kind, self.labels, self.window, self.temperature, sorted(self.files.items())]
        return hashlib.sha256(orjson.dumps(told)).hexdigest()


def read_manifest(folder: Path, kind: str = "") -> Manifest:
    """The manifest of a model folder, which must be of that kind if one is given."""
    path = folder / MANIFEST
    if not path.is_file():
        found = f"no model folder: {MANIFEST} is missing" if folder.is_dir() else "no model folder"
        raise model_fault(folder, found, "name a folder made by factable train")
    try:
        manifest = _manifest(folder, orjson.loads(read_whole(path)))
    except KeyError as error:
        raise model_fault(path, f"no manifest of a model: it lacks {error}", REMEDY) from None
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        raise model_fault(path, f"no manifest of a model ({error})", REMEDY) from None
    _check(manifest, path)
    if kind and manifest.kind != kind:
        raise model_fault(path, f"a model of kind {manifest.kind!r}", f"name one of kind {kind!r}")
    return manifest


def _manifest(folder: Path, found: Any) -> Manifest:
    return Manifest(
        folder=folder,
        kind=str(found["kind"]),
        about=str(found["about"]),
        labels=tuple(map(str, found["labels"])),
        window=int(found["window"]),
        temperature=float(found["temperature"]),
        files={str(name): str(checksum) for name, checksum in found["files"].items()},
    )


def _check(manifest: Manifest, path: Path) -> None:
    """Refuse a manifest that speaks of something else than one model in its own folder."""
    if manifest.kind not in KINDS:
        raise model_fault(path, f"a model of kind {manifest.kind!r}", f"known kinds are {', '.join(KINDS)}")
    if manifest.kind == NLI and sorted(manifest.labels) != sorted(LABELS):
        found = f"labels {', '.join(manifest.labels) or 'missing'}"
        raise model_fault(path, found, f"an NLI model has {', '.join(LABELS)}")
    if manifest.window < LEAST_WINDOW:
        raise model_fault(path, f"window is {manifest.window}", f"it has to be {LEAST_WINDOW} or more")
    if not 0 < manifest.temperature < math.inf:
        raise model_fault(path, f"temperature is {manifest.temperature}", "it has to be above 0")
    for name in (MODEL, TOKENIZER):
        if name not in manifest.files:
            raise model_fault(path, f"no checksum of {name}", REMEDY)
    for name in manifest.files:
        if Path(name).name != name:
            raise model_fault(path, f"speaks of {name!r}, a file outside of its folder", REMEDY)


def check_files(manifest: Manifest) -> None:
    """Refuse a model whose files are missing or not those that the manifest speaks of."""
    for name, wanted in manifest.files.items():
        path = manifest.folder / name
        if not path.is_file():
            raise model_fault(path, "a file of the model is missing", REMEDY)
        found = sha256_of(path)
        if found != wanted:
            raise model_fault(path, f"damaged: its sha256 is {found[:12]}…, not {wanted[:12]}…", REMEDY)


def model_fault(path: Path | str, found: str, remedy: str) -> DataError:
    """Says what is wrong with a model."""
    return DataError([Fault(str(path), None, found, remedy)])


NLI_MODELS = ("nli",)
# Encoders: as it came, and trained to rank.
EMBEDDERS = ("embed", "trained")
QA_MODELS = ("qa",)
EMBEDDED = (*NLI_MODELS, *EMBEDDERS, *QA_MODELS)


def embedded_folder(name: str) -> Path:
    """Where an embedded model is."""
    return Path(str(files("factable") / "data" / "models" / name))


def read_shipped(name: str) -> bytes:
    """A data file of the package, by its path in there; refused if it is not the one that was shipped."""
    try:
        content = files("factable").joinpath(name).read_bytes()
    except OSError as error:
        raise DataError([Fault(name, None, error.strerror or str(error), "install factable again")]) from None
    found = hashlib.sha256(content).hexdigest()
    if found != CHECKSUMS[name]:
        damage = f"damaged: its sha256 is {found[:12]}…, not {CHECKSUMS[name][:12]}…"
        remedy = "install factable again, or run tools/update_checksums.py if you changed it"
        raise DataError([Fault(name, None, damage, remedy)])
    return content
