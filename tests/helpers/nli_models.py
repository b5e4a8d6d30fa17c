"""Model folders for tests: tiny ONNX models next to the embedded tokenizer, tiny Hugging Face models."""

import json
import shutil

from factable.io.files import sha256_of
from factable.models.nli import LABELS
from factable.models.runtime.manifest import embedded_folder

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdef.", "ada", "was", "born", "in", "london", "paris"]


def write_manifest(folder, **changed):
    """Say truly what is in a folder."""
    files = {name: sha256_of(folder / name) for name in ("model.onnx", "tokenizer.json")}
    told = {"kind": "nli", "about": "made for a test", "labels": LABELS, "window": 64, "temperature": 1.0}
    (folder / "manifest.json").write_text(json.dumps({**told, "files": files, **changed}))
    return folder


def make_onnx_folder(folder, *, inputs=("input_ids", "attention_mask", "token_type_ids"), outputs=3):
    """A model whose scores are 0, n, 2n … where n is the number of tokens / 10, with the real tokenizer."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper, save_model

    mask = inputs[1]
    nodes = [
        helper.make_node("Cast", [mask], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["numbers", "axis"], ["lengths"], keepdims=1),
        helper.make_node("Mul", ["lengths", "steps"], ["scores"]),
    ]
    constants = [
        numpy_helper.from_array(np.array([1], dtype=np.int64), "axis"),
        numpy_helper.from_array(np.arange(outputs, dtype=np.float32) / 10, "steps"),
    ]
    graph = helper.make_graph(
        nodes,
        "steps",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"]) for name in inputs],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["pairs", outputs])],
        constants,
    )
    folder.mkdir(parents=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    save_model(model, folder / "model.onnx")
    shutil.copyfile(embedded_folder("nli") / "tokenizer.json", folder / "tokenizer.json")
    return write_manifest(folder)


def make_hf_folder(folder, labels, *, positions=64, head=True):
    """A BERT of a few thousand random numbers with a tokenizer of a few words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(
        models.WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    marks = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **marks).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        # Larger than usual, so that answers to different pairs differ.
        initializer_range=1.0,
        id2label=dict(enumerate(labels)),
        label2id={label: index for index, label in enumerate(labels)},
    )
    model = BertForSequenceClassification(config) if head else BertModel(config)
    model.save_pretrained(folder)
    return folder
