"""Nothing that is read can run: no reader of ours executes data, and files that try are refused by name."""

import ast
import hashlib
import io
import json
import os
import pickle
import shutil
import zipfile
from pathlib import Path

import numpy
import pytest

import factable
from factable.errors import FactableError
from factable.gate.baseline import read_baseline
from factable.gate.config import read_config
from factable.metrics.cider import load_idf
from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.ledger.weights import load_ledger_weights
from factable.metrics.parent.counts import load_counts
from factable.metrics.slots.fact_classifier import load_classifier
from factable.metrics.slots.patterns import load_patterns
from factable.models.encoder import load_embedder
from factable.models.nli import load_nli
from factable.models.runtime.checksums import CHECKSUMS
from factable.models.runtime.manifest import embedded_folder, read_shipped
from factable.models.templates import load_templates
from tools import update_checksums

SOURCE = Path(factable.__file__).parent
RUNS_DATA = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "tarfile"}
RUNS_CODE = {"eval", "exec", "compile", "__import__"}


def offences(path):
    """What in a module could run data: such a module or function, or a loader that was not told not to."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.partition(".")[0] in RUNS_DATA)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in RUNS_DATA:
            yield node.module
        elif isinstance(node, ast.Call):
            yield from offending_call(node)


def offending_call(call):
    options = {word.arg: getattr(word.value, "value", None) for word in call.keywords}
    if isinstance(call.func, ast.Name) and call.func.id in RUNS_CODE:
        yield call.func.id
    name = ast.unparse(call.func)
    if name == "torch.load" and options.get("weights_only") is not True:
        yield name
    if name in ("np.load", "numpy.load") and options.get("allow_pickle") is not False:
        yield name
    if name.endswith((".extract", ".extractall")) and "archive" in name:
        yield name
    if options.get("trust_remote_code") or options.get("allow_pickle") or options.get("shell"):
        yield name
    if name == "AutoModel.from_pretrained" and options.get("use_safetensors") is not True:
        yield name


def test_no_module_runs_data():
    found = {str(path): list(offences(path)) for path in SOURCE.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}


def test_the_search_finds_what_it_looks_for(tmp_path):
    bad = "import pickle\nfrom yaml import load\neval('1')\ntorch.load(f)\nnp.load(f)\nrun(x, shell=True)\n"
    (tmp_path / "bad.py").write_text(bad)
    assert len(list(offences(tmp_path / "bad.py"))) == 6


class Payload:
    """Makes a folder when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def zipped(names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in names.items():
            archive.writestr(name, content)
    return stream.getvalue()


def hostile_files(folder):
    """Content that does harm where it is trusted; `folder` would be made by it."""
    payload = pickle.dumps(Payload(str(folder)))
    objects = io.BytesIO()
    numpy.savez(objects, format=numpy.array([Payload(str(folder))], dtype=object))
    array = io.BytesIO()
    numpy.save(array, numpy.array([Payload(str(folder))], dtype=object))
    header = json.dumps({"a": {"dtype": "F16", "shape": [1 << 40], "data_offsets": [0, 1 << 50]}}).encode()
    return {
        "pickle": payload,
        "npz of objects": objects.getvalue(),
        "npy of objects": array.getvalue(),
        "torch": zipped({"archive/data.pkl": payload, "archive/version": "3"}),
        "zip that climbs": zipped({"../../climbed": b"x", "/absolute": b"x"}),
        "tensors": len(header).to_bytes(8, "little") + header,
        "tensors of nothing": (1 << 63).to_bytes(8, "little") + b"{}",
        "deep JSON": b"[" * 100_000,
        "long number": b"9" * 100_000,
        "deep TOML": b"a = " + b"[" * 100_000,
        "code": f"__import__('os').mkdir({str(folder)!r})".encode(),
        "zeros": b"\0" * 1000,
        "nothing": b"",
    }


LOADERS = {
    "counts": load_counts,
    "idf": load_idf,
    "extractor": load_extractor,
    "patterns": load_patterns,
    "templates": load_templates,
    "fact classifier": load_classifier,
    "ledger weights": load_ledger_weights,
    "gate config": read_config,
    "gate baseline": read_baseline,
    "examples": factable.read,
}


@pytest.mark.parametrize("name", LOADERS)
def test_hostile_files_are_refused_and_never_run(tmp_path, name):
    for kind, content in hostile_files(tmp_path / "harm").items():
        path = tmp_path / kind.replace(" ", "-")
        path.write_bytes(content)
        # An empty file of TOML is one without settings.
        if kind == "nothing" and name in ("patterns", "gate config"):
            continue
        with pytest.raises(FactableError) as caught:
            LOADERS[name](str(path))
        assert all(line.startswith(str(path)) for line in str(caught.value).split("\n")), kind
    assert not (tmp_path / "harm").exists()
    assert not (tmp_path.parent / "climbed").exists()


@pytest.fixture
def model_folder(tmp_path):
    """A copy of an embedded model, whose files can be changed; they are linked, for they are large."""

    def copy(name):
        folder = tmp_path / name
        folder.mkdir()
        for path in embedded_folder(name).iterdir():
            os.link(path, folder / path.name) if same_disk(path, folder) else shutil.copy(path, folder)
        return folder

    return copy


def same_disk(one, other):
    return one.stat().st_dev == other.stat().st_dev


def put(path, content):
    """Another file under that name; the one that was linked stays as it is."""
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize(("name", "load"), [("nli", load_nli), ("embed", load_embedder)])
def test_hostile_files_in_a_model_folder(tmp_path, model_folder, name, load):
    folder = model_folder(name)
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for file in ("model.onnx", "tokenizer.json"):
        kept = (folder / file).read_bytes()
        for kind, content in hostile_files(tmp_path / "harm").items():
            put(folder / file, content)
            put(folder / "manifest.json", json.dumps(manifest).encode())
            with pytest.raises(FactableError, match="damaged: its sha256 is"):
                load(str(folder))
            # Nor does a manifest help that speaks of it truly.
            told = {**manifest["files"], file: hashlib.sha256(content).hexdigest()}
            put(folder / "manifest.json", json.dumps({**manifest, "files": told}).encode())
            with pytest.raises(FactableError, match="cannot be loaded") as caught:
                load(str(folder))
            assert "\n" not in str(caught.value), kind
        put(folder / file, kept)
    assert not (tmp_path / "harm").exists()


def test_a_manifest_that_speaks_of_files_elsewhere(model_folder):
    folder = model_folder("nli")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for name in ("../nli/model.onnx", "/etc/passwd", ".."):
        told = {**manifest, "files": {**manifest["files"], name: "0"}}
        put(folder / "manifest.json", json.dumps(told).encode())
        with pytest.raises(FactableError, match=r"outside its folder|is missing"):
            load_nli(str(folder))


# What browsers load comes from the package as it is, and is no data of a metric.
PAGES = {"page", "static"}


def test_every_data_file_that_ships_has_its_checksum():
    told = update_checksums.OUT.read_text()
    assert told == update_checksums.content(), "run: python tools/update_checksums.py"
    covered = {SOURCE / name for name in CHECKSUMS}
    for path in SOURCE.rglob("*"):
        if path.suffix in (".safetensors", ".onnx", ".toml", ".json", ".npz") and not PAGES & {*path.parts}:
            assert path in covered or (path.parent / "manifest.json") in covered, path


def test_a_damaged_data_file_is_refused(monkeypatch):
    monkeypatch.setitem(CHECKSUMS, "data/ledger/weights.json", "0" * 64)
    read_shipped.cache_clear()
    with pytest.raises(
        FactableError, match=r"^data/ledger/weights.json: damaged: its sha256 is .* install factable"
    ):
        read_shipped("data/ledger/weights.json")
