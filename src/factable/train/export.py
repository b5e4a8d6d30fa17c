"""Model folders: a trained encoder as int8 ONNX, with its tokenizer and a manifest."""

import re
import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from factable.io.files import sha256_of
from factable.models.runtime.manifest import MANIFEST, MODEL, TOKENIZER, graphs_of
from factable.models.runtime.session import import_onnxruntime
from factable.train.attention_fusion import fuse_attention

if TYPE_CHECKING:
    import torch

OPSET = 17
WINDOW = 256
TEXT_INPUTS = ("input_ids", "attention_mask")
PAIR_INPUTS = (*TEXT_INPUTS, "token_type_ids")


def export_model(
    model: "torch.nn.Module",
    base: Path,
    folder: Path,
    *,
    kind: str,
    about: str,
    labels: Sequence[str] = (),
    inputs: Sequence[str] = PAIR_INPUTS,
) -> None:
    """Write a model folder, all but its card; `kind` and `about` go into the manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_encoder(model, inputs, folder / MODEL)
    shutil.copyfile(base / TOKENIZER, folder / TOKENIZER)
    describe_model(folder, kind=kind, about=about, labels=labels)


def describe_model(folder: Path, *, kind: str, about: str, labels: Sequence[str] = ()) -> None:
    """Write the manifest of a model folder that has all its other files."""
    manifest = {
        "kind": kind,
        "about": about,
        "labels": labels,
        "temperature": 1.0,
        "window": WINDOW,
        "files": {name: sha256_of(folder / name) for name in (*graphs_of(kind), TOKENIZER)},
    }
    _write_manifest(folder, manifest)


def set_temperature(folder: Path, temperature: float) -> None:
    """Change the temperature in the manifest of a model folder."""
    manifest = orjson.loads((folder / MANIFEST).read_bytes())
    _write_manifest(folder, {**manifest, "temperature": temperature})


def _write_manifest(folder: Path, manifest: dict[str, object]) -> None:
    (folder / MANIFEST).write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n")


def _write_encoder(model: "torch.nn.Module", inputs: Sequence[str], path: Path) -> None:
    """Write the model as int8 ONNX for any number of rows and tokens."""
    import torch

    # Two rows, so that no size is taken for a constant.
    ones = torch.ones((2, 16), dtype=torch.int64)
    examples = {name: torch.zeros_like(ones) if name == "token_type_ids" else ones for name in inputs}
    axes = {name: {0: "rows", 1: "tokens"} for name in inputs} | {"output": {0: "rows"}}
    write_onnx(model, examples, path, outputs=["output"], axes=axes)
    fuse_attention(path)


def write_onnx(
    model: "torch.nn.Module",
    inputs: "Mapping[str, torch.Tensor]",
    path: Path,
    *,
    outputs: Sequence[str],
    axes: Mapping[str, Mapping[int, str]],
    precise: str = "",
) -> None:
    """Write a model as int8 ONNX; `inputs` are examples, `axes` names those that vary.

    Products whose name has the pattern `precise` stay as they are.
    """
    import torch

    import_onnxruntime()
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    fp32 = path.with_name("fp32.onnx")
    model.eval()
    with warnings.catch_warnings():
        # Of constants in the trace: no size is one, as tests with other sizes show.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            tuple(inputs.values()),
            str(fp32),
            dynamo=False,
            opset_version=OPSET,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=dict(axes),
        )
    kept = [node.name for node in onnx.load(fp32).graph.node if precise and re.search(precise, node.name)]
    # Seven bits for weights: with eight, CPUs without VNNI overflow and give other answers.
    quantize_dynamic(
        fp32,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        reduce_range=True,
        nodes_to_exclude=kept,
    )
    fp32.unlink()
