"""Attention as one operation: the answers are the same to the last bit, padded rows included."""

import numpy as np
import pytest

from factable.models.runtime.manifest import NLI
from factable.models.runtime.session import import_onnxruntime
from factable.train import export
from factable.train.attention_fusion import fuse_attention
from factable.train.nli import load_nli_model

pytest.importorskip("torch")
pytest.importorskip("transformers")


def outputs(path):
    session = import_onnxruntime().InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = np.arange(24).reshape(2, 12) % 20
    mask = np.ones_like(ids)
    mask[1, 7:] = 0
    return session.run(
        None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    )[0]


def test_answers_stay_the_same(tiny_encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "fuse_attention", lambda _: 0)
    model = load_nli_model(tiny_encoder)
    export.export_model(model, tiny_encoder, tmp_path, kind=NLI, about="", labels=("a", "b", "c"))
    path = tmp_path / "model.onnx"
    before, size = outputs(path), path.stat().st_size
    assert fuse_attention(path) == model.encoder.config.num_hidden_layers
    assert np.array_equal(outputs(path), before)
    assert path.stat().st_size < size
    # What is fused stays as it is.
    assert fuse_attention(path) == 0
