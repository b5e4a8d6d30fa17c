"""Models by name: one of each per process, each process its own, and clear words for names that are none."""

import os
import shutil

import pytest

from factable.errors import DataError, UsageError
from factable.models.nli import load_nli, nli_identity
from factable.models.runtime.manifest import embedded_folder, read_manifest
from helpers.nli_models import make_onnx_folder, write_manifest


def test_the_embedded_model_is_loaded_once():
    model = load_nli("nli")
    assert load_nli("nli") is model
    assert load_nli(str(embedded_folder("nli"))) is model
    assert nli_identity("nli") == read_manifest(embedded_folder("nli")).identity


def test_a_folder_is_loaded_once_however_it_is_named(tmp_path, monkeypatch):
    folder = make_onnx_folder(tmp_path / "my-model")
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    names = [str(folder), "my-model", "./my-model/", "link", "../" + tmp_path.name + "/my-model"]
    assert len({id(load_nli(name)) for name in names}) == 1


def test_a_name_means_what_is_there_now(tmp_path, monkeypatch):
    for index, temperature in (("a", 0.5), ("b", 2.0)):
        write_manifest(make_onnx_folder(tmp_path / index / "model"), temperature=temperature)
    monkeypatch.chdir(tmp_path / "a")
    first, identity = load_nli("model"), nli_identity("model")
    monkeypatch.chdir(tmp_path / "b")
    assert load_nli("model") is not first
    assert nli_identity("model") != identity
    shutil.rmtree(tmp_path / "b" / "model")
    shutil.copytree(tmp_path / "a" / "model", tmp_path / "b" / "model")
    assert nli_identity("model") == identity


# Newer versions of Python warn of forking where a library has threads.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_loads_its_own():
    here = load_nli("nli")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, b"own" if load_nli("nli") is not here else b"ours")
        finally:
            os._exit(0)
    os.close(writer)
    message = os.read(reader, 10)
    os.close(reader)
    assert (os.waitpid(child, 0)[1], message) == (0, b"own")


@pytest.mark.parametrize(
    "name", ["nlii", "roberta", "./no-folder", "/no/folder", "a/b/c", "~/x", "-x", "a b/c"]
)
def test_names_of_nothing_are_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        load_nli(name)
    hint = "did you mean 'nli'? " if name == "nlii" else ""
    assert str(caught.value) == (
        f"no model {name!r}; {hint}embedded ones are nli, nli-open; or name a folder or a hub model"
    )


def test_what_is_there_but_no_model_is_refused(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, shown in (("file", "file"), ("folder", "folder"), ("./folder/", "folder"), ("", ".")):
        with pytest.raises(DataError) as caught:
            load_nli(name)
        assert str(caught.value) == (
            f"{shown}: not a model folder: it has no manifest.json and no config.json; "
            "name a folder made by factable train nli, or a Hugging Face model"
        )
