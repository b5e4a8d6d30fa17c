"""Manifests: what is in a model folder is what its manifest says, or the model is refused in one line."""

import json
import shutil

import pytest

from factable.errors import DataError
from factable.io.files import sha256_of
from factable.models.encoder import load_embedder
from factable.models.nli import LABELS
from factable.models.runtime import manifest as manifest_module
from factable.models.runtime.manifest import (
    CARD,
    EMBEDDED,
    embedded_folder,
    read_manifest,
    read_shipped,
    verify_files,
)
from factable.models.runtime.progress import no_progress
from helpers.nli_models import make_onnx_folder, write_manifest

GOOD = {
    "kind": "nli",
    "about": "a model",
    "labels": ["neutral", "entailment", "contradiction"],
    "window": 128,
    "temperature": 1.5,
    "files": {"model.onnx": "0" * 64, "tokenizer.json": "1" * 64},
}


def write(folder, **changed):
    folder.mkdir(exist_ok=True)
    content = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    (folder / "manifest.json").write_text(json.dumps(content))
    return folder


def refusal(folder):
    with pytest.raises(DataError) as caught:
        read_manifest(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_models_are_whole_and_have_a_card(name):
    manifest = read_manifest(embedded_folder(name))
    verify_files(manifest)
    assert set(manifest.labels) == set(LABELS if manifest.kind == "nli" else ())
    assert (manifest.folder / CARD).read_text(encoding="utf-8").startswith("# ")


def test_a_manifest_is_read(tmp_path):
    manifest = read_manifest(write(tmp_path))
    assert manifest.labels == ("neutral", "entailment", "contradiction")
    assert (manifest.window, manifest.temperature) == (128, 1.5)


def test_the_identity_follows_everything_that_moves_answers(tmp_path):
    identity = read_manifest(write(tmp_path)).identity
    assert read_manifest(write(tmp_path, about="other words")).identity == identity
    for changed in (
        {"window": 256},
        {"temperature": 1.0},
        {"labels": [*LABELS]},
        {"files": {**GOOD["files"], "model.onnx": "2" * 64}},
    ):
        assert read_manifest(write(tmp_path, **changed)).identity != identity


BAD = {
    "no kind": ({"kind": None}, "it lacks 'kind'"),
    "other kind": ({"kind": "ear"}, "a model of kind 'ear'; known kinds are nli, embedder, qa"),
    "labels no list": ({"labels": 3}, "not the manifest of a model ("),
    "no window": ({"window": 0}, "window is 0; it must be 64 or more"),
    "window no number": ({"window": "wide"}, "not the manifest of a model ("),
    "temperature 0": ({"temperature": 0}, "temperature is 0.0; it must be above 0"),
    "temperature below 0": ({"temperature": -1}, "temperature is -1.0;"),
    "temperature no number": ({"temperature": "nan"}, "temperature is nan;"),
    "no files": ({"files": {}}, "no checksum of model.onnx"),
    "files no object": ({"files": ["model.onnx"]}, "not the manifest of a model ("),
    "no tokenizer": ({"files": {"model.onnx": "0" * 64}}, "no checksum of tokenizer.json"),
    "file elsewhere": (
        {"files": {**GOOD["files"], "../../etc/passwd": "0" * 64}},
        "lists '../../etc/passwd', a file outside its folder",
    ),
    "file at the root": ({"files": {**GOOD["files"], "/etc/passwd": "0" * 64}}, "lists '/etc/passwd'"),
    "hidden characters": ({"kind": "a\nb\x1b[1m"}, r"a model of kind 'a\nb\x1b[1m'"),
}


@pytest.mark.parametrize(("changed", "words"), BAD.values(), ids=BAD)
def test_bad_manifests_are_refused(tmp_path, changed, words):
    folder = write(tmp_path / "model", **changed)
    message = refusal(folder)
    assert message.startswith(str(folder / "manifest.json"))
    assert words in message


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\x80\x04K\x01.", b'"text"', b"3"])
def test_what_is_no_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    assert "not the manifest of a model" in refusal(tmp_path)


def test_what_is_no_model_folder_is_refused(tmp_path):
    assert "not a model folder: manifest.json is missing" in refusal(tmp_path)
    assert "nowhere: not a model folder; name a folder" in refusal(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    assert "file: not a model folder" in refusal(tmp_path / "file")


def test_damaged_and_missing_files_are_refused(tmp_path):
    folder = shutil.copytree(embedded_folder("nli"), tmp_path / "nli")
    manifest = read_manifest(folder)
    model = folder / "model.onnx"
    original = model.read_bytes()
    for damaged in (
        original[:-1],
        original[: len(original) // 2],
        b"",
        original[:100] + bytes([original[100] ^ 1]) + original[101:],
    ):
        model.write_bytes(damaged)
        checksum = sha256_of(model)[:12]
        with pytest.raises(DataError, match=rf"model\.onnx: damaged: its sha256 is {checksum}…, not \w+…;"):
            verify_files(manifest)
    model.unlink()
    with pytest.raises(DataError, match=r"model\.onnx: a file of the model is missing"):
        verify_files(manifest)


@pytest.mark.parametrize(
    "change", [{"temperature": 9.0}, {"labels": ["contradiction", "neutral", "entailment"]}]
)
def test_an_embedded_model_changed_together_with_its_manifest_is_refused(tmp_path, monkeypatch, change):
    (tmp_path / "data" / "models").mkdir(parents=True)
    folder = shutil.copytree(embedded_folder("nli"), tmp_path / "data" / "models" / "nli")
    monkeypatch.setattr(manifest_module, "_EMBEDDED_FOLDER", folder.parent)
    monkeypatch.setattr(manifest_module, "files", lambda _: tmp_path)
    read_shipped.cache_clear()
    try:
        assert read_manifest(folder).kind == "nli"
        read_shipped.cache_clear()
        manifest_module._read_embedded.cache_clear()
        path = folder / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
        with pytest.raises(DataError, match=r"data/models/nli/manifest\.json: damaged: its sha256 is"):
            read_manifest(folder)
    finally:
        read_shipped.cache_clear()


def test_a_window_that_no_model_reads_is_refused(tmp_path):
    folder = make_onnx_folder(tmp_path / "model")
    write_manifest(folder, window=10**9)
    assert "window is 1000000000; it must be 64 or more, up to 8192" in refusal(folder)


def test_a_window_that_this_model_does_not_read_is_told_in_one_line(tmp_path):
    """The positions of the embedded encoder end at 512."""
    folder = shutil.copytree(embedded_folder("embed"), tmp_path / "embed")
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "window": 4096}))
    with pytest.raises(DataError, match=r"model\.onnx: cannot be loaded \(") as caught:
        load_embedder(str(folder)).embed(["word " * 2000], no_progress)
    assert len(str(caught.value)) < 1000
