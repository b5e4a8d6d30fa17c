"""Puts a trained model folder into the package, without the word embeddings that embedded models share.

python tools/embed_model.py FOLDER NAME

The embeddings of the base are frozen in training, so that all models have the same table. A folder with
another table (its embeddings were trained) goes in as it is; a few entries may be rounded otherwise.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import orjson
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper

from factable.io.files import sha256_of
from factable.models.runtime.manifest import (
    CARD,
    MANIFEST,
    MODEL,
    TOKENIZER,
    WORD_EMBEDDINGS,
    WORD_EMBEDDINGS_TENSOR,
)
from factable.train.attention_fusion import fuse_attention

# Of 12 million.
MAX_ROUNDED = 12
PACKAGE = Path(__file__).parents[1] / "src" / "factable"


def main(source: Path, name: str) -> None:
    """Copy a folder and share its embeddings."""
    folder = PACKAGE / "data" / "models" / name
    folder.mkdir(exist_ok=True)
    for file in (CARD, MANIFEST, MODEL, TOKENIZER):
        if source.resolve() != folder.resolve():
            shutil.copyfile(source / file, folder / file)
    fuse_attention(folder / MODEL)
    shared = share_embeddings(folder / MODEL)
    manifest = orjson.loads((folder / MANIFEST).read_bytes())
    manifest["files"] = {file: sha256_of(folder / file) for file in manifest["files"]}
    if shared:
        manifest["shared"] = shared
    (folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")
    print(f"{name}: {'shares the word embeddings' if shared else 'has word embeddings of its own'}")


def share_embeddings(path: Path) -> str:
    """Take the table out of an ONNX file if it is the package's; its sha256, or nothing."""
    model = onnx.load(str(path), load_external_data=False)
    (tensor,) = (item for item in model.graph.initializer if item.name == WORD_EMBEDDINGS_TENSOR)
    table = PACKAGE / WORD_EMBEDDINGS
    if tensor.data_location == TensorProto.EXTERNAL:
        return sha256_of(table)
    own = numpy_helper.to_array(tensor)
    if not table.exists():
        table.write_bytes(own.tobytes())
    shared = np.frombuffer(table.read_bytes(), own.dtype)
    if shared.size != own.size or not _is_same(own.ravel(), shared):
        return ""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", table.name), ("offset", "0"), ("length", str(own.nbytes))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
    return sha256_of(table)


def _is_same(own: NDArray[np.uint8], shared: NDArray[np.uint8]) -> bool:
    """Whether two tables are the same but for a few entries that one machine rounds up and another down."""
    differences = np.abs(own.astype(np.int16) - shared)
    return bool(differences.max() <= 1 and differences.sum() <= MAX_ROUNDED)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
