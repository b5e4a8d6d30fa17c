"""`factable models`: lists, describes and verifies, and says in one line what is wrong."""

import json
import shutil

import pytest

from factable.models.runtime.manifest import embedded_folder


@pytest.fixture
def folder(tmp_path):
    """A copy of the embedded model, to be damaged."""
    return shutil.copytree(embedded_folder("nli"), tmp_path / "copy")


def printed(result):
    assert result.stderr == b""
    assert result.returncode == 0
    return result.stdout.decode()


def refused(result):
    assert result.stdout == b""
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    return line


def test_the_list(run_factable):
    listed = printed(run_factable("models")).splitlines()
    assert [model.split()[:2] for model in listed] == [
        ["nli", "nli"],
        ["nli-open", "nli"],
        ["embed", "embedder"],
        ["trained", "embedder"],
        ["qa", "qa"],
        ["qa-relations", "qa"],
        ["marks", "marks"],
    ]
    assert all("MB" in model for model in listed)


def test_one_model_with_its_card(run_factable, folder):
    card = (folder / "CARD.md").read_text(encoding="utf-8").rstrip()
    for name in ("nli", str(folder)):
        line, empty, *rest = printed(run_factable("models", name)).splitlines()
        assert line.startswith(f"{name}  nli  ")
        assert empty == ""
        assert "\n".join(rest) == card
    (folder / "CARD.md").unlink()
    assert printed(run_factable("models", folder)).endswith("\n\nno model card\n")


def test_what_others_wrote_cannot_move_the_terminal(run_factable, folder):
    (folder / "CARD.md").write_bytes(b"# Card \x1b[2J\nnext \xff line\n")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "about": "mine\x1b[2J\nand"}))
    text = printed(run_factable("models", folder))
    assert "\x1b" not in text
    assert r"mine\x1b[2J\nand" in text
    assert text.splitlines()[2:] == [r"# Card \x1b[2J", "next \ufffd line"]


def test_verifying(run_factable, folder):
    lines = printed(run_factable("models", "--verify")).splitlines()
    assert lines
    assert all(line.endswith("  verified") for line in lines)
    (line,) = printed(run_factable("models", folder, "--verify")).splitlines()
    assert line.startswith(str(folder))
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content[:-100])
    assert "model.onnx: damaged: its sha256 is" in refused(run_factable("models", folder, "--verify"))
    (folder / "model.onnx").unlink()
    assert "model.onnx: a file of the model is missing" in refused(run_factable("models", folder, "--verify"))
    assert printed(run_factable("models", folder)).startswith(str(folder))


def test_what_is_no_model(run_factable, folder, tmp_path):
    assert refused(run_factable("models", tmp_path / "nowhere")) == (
        f"factable: {tmp_path / 'nowhere'}: not a model folder; name a folder made by factable train"
    )
    assert "not a model folder: manifest.json is missing" in refused(run_factable("models", tmp_path))
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["../../etc/passwd"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for arguments in ((), ("--verify",)):
        assert "a file outside its folder" in refused(run_factable("models", folder, *arguments))


def test_scoring_with_models_that_are_none(run_factable, folder, tmp_path):
    data = tmp_path / "x.jsonl"
    data.write_text('{"id": "1", "text": "Ada is here.", "data": {"name": "Ada", "place": "here"}}\n')

    def score(model):
        return run_factable("score", data, "-m", f'nli(model="{model}")', FACTABLE_CACHE="off")

    (folder / "model.onnx").write_bytes(b"")
    assert "model.onnx: damaged" in refused(score(folder))
    assert "not a model folder" in refused(score(tmp_path))
    unknown = score("nothing")
    assert unknown.returncode == 2
    assert unknown.stderr.decode().startswith("factable: no model 'nothing'; embedded ones are nli")


def test_two_names_are_refused(run_factable):
    run = run_factable("models", "nli", "nli")
    assert run.returncode == 2
    assert run.stderr.decode() == (
        "factable: Got unexpected extra argument (nli); see factable models --help\n"
    )
