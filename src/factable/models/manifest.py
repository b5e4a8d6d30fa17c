"""Model folders: a manifest that says what a model is, with a checksum of each of its files."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import orjson

from factable.errors import DataError, Fault
from factable.models.protocols import LABELS

MANIFEST = "manifest.json"
CARD = "CARD.md"
KINDS = ("nli",)
REMEDY = "install factable again, or take another folder"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model folder holds; `labels` is the order of the model's outputs."""

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


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a model folder."""
    path = folder / MANIFEST
    if not path.is_file():
        raise _fault(
            folder, f"no model folder: {MANIFEST} is missing", "name a folder made by factable train"
        )
    try:
        found = orjson.loads(path.read_bytes())
        labels = tuple(found["labels"])
        manifest = Manifest(
            folder=folder,
            kind=str(found["kind"]),
            about=str(found["about"]),
            labels=labels,
            window=int(found["window"]),
            temperature=float(found["temperature"]),
            files={str(name): str(checksum) for name, checksum in found["files"].items()},
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _fault(path, f"no manifest of a model ({error!r})", REMEDY) from None
    if manifest.kind not in KINDS:
        raise _fault(path, f"a model of kind {manifest.kind!r}", f"known kinds are {', '.join(KINDS)}")
    if sorted(labels) != sorted(LABELS):
        raise _fault(path, f"labels {', '.join(labels)}", f"an NLI model has {', '.join(LABELS)}")
    return manifest


def check_files(manifest: Manifest) -> None:
    """Refuse a model whose files are missing or not those that the manifest speaks of."""
    for name, wanted in manifest.files.items():
        path = manifest.folder / name
        # A manifest speaks of its own folder only.
        if Path(name).name != name or not path.is_file():
            raise _fault(path, "a file of the model is missing", REMEDY)
        found = file_checksum(path)
        if found != wanted:
            raise _fault(path, f"damaged: its sha256 is {found[:12]}…, not {wanted[:12]}…", REMEDY)


def file_checksum(path: Path) -> str:
    """The sha256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _fault(path: Path, found: str, remedy: str) -> DataError:
    return DataError([Fault(str(path), None, found, remedy)])
