"""A trained torch model as int8 ONNX, in the form of a model folder."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from factable.errors import MissingExtraError
from factable.io.files import sha256_of
from factable.models.runtime.manifest import MANIFEST, MODEL, TOKENIZER

if TYPE_CHECKING:
    import torch


OPSET = 17
WINDOW = 256


def write_onnx(
    model: "torch.nn.Module", inputs: Sequence["torch.Tensor"], names: Sequence[str], base: Path, folder: Path
) -> None:
    """Write the model as int8 ONNX, with the tokenizer of its base; rows and tokens may be any number."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "fp32.onnx"
    model.eval()
    torch.onnx.export(
        model,
        tuple(inputs),
        str(whole),
        dynamo=False,
        opset_version=OPSET,
        input_names=list(names),
        output_names=["output"],
        dynamic_axes={name: {0: "rows", 1: "tokens"} for name in names} | {"output": {0: "rows"}},
    )
    # Seven bits for weights: with eight, CPUs without VNNI overflow and give other answers.
    quantize_dynamic(whole, folder / MODEL, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    whole.unlink()
    shutil.copyfile(base / TOKENIZER, folder / TOKENIZER)


def write_manifest(folder: Path, told: Mapping[str, object]) -> None:
    """Say what the model is, with checksums of its files."""
    files = {name: sha256_of(folder / name) for name in (MODEL, TOKENIZER)}
    manifest = {**told, "window": WINDOW, "files": files}
    (folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")


def load_base(folder: Path) -> "torch.nn.Module":
    """The encoder in a folder (config.json and model.safetensors), without what pools its states."""
    try:
        from transformers import AutoModel
    except ImportError:
        raise MissingExtraError("training", "train") from None
    encoder: torch.nn.Module = AutoModel.from_pretrained(
        folder,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
        attn_implementation="eager",
    )
    if hasattr(encoder, "pooler"):
        encoder.pooler = None  # type: ignore[assignment, unused-ignore]
    return encoder
