"""Hugging Face models: real ones with random weights, their own label order, and clear refusals."""

import json
import os
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from factable.errors import DataError
from factable.models.nli import LABELS, HfNli, TextPair, entailment, load_nli, nli_identity
from factable.models.runtime.folders import hf_identity
from factable.models.runtime.progress import no_progress
from helpers.nli_models import WORDS, make_hf_folder

pytestmark = pytest.mark.packages

# As roberta-large-mnli and others have them.
ORDER = ("CONTRADICTION", "NEUTRAL", "ENTAILMENT")
PAIRS = [TextPair("ada was born", "ada was"), TextPair("a b c d e f", "paris ."), TextPair("", "")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_hf_folder(tmp_path_factory.mktemp("hf") / "model", ORDER)


def load(folder):
    return HfNli(folder)


def by_hand(folder, pair):
    """What the model says of a pair, by its own labels, without our code."""
    import torch
    from transformers import BertForSequenceClassification

    # [CLS] premise [SEP] hypothesis [SEP], both as type 0: that is how this tokenizer was saved.
    tokens = ["[CLS]", *pair.premise.split(), "[SEP]", *pair.hypothesis.split(), "[SEP]"]
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        scores = model(torch.tensor([[WORDS.index(token) for token in tokens]])).logits[0].double()
    return dict(zip(ORDER, scores.softmax(0).tolist(), strict=True))


def test_the_order_of_labels_is_that_of_the_config(folder):
    answers = load(folder).probabilities(PAIRS, no_progress)
    assert answers.sum(axis=1) == pytest.approx(1)
    for pair, answer in zip(PAIRS, answers, strict=True):
        expected = by_hand(folder, pair)
        assert answer == pytest.approx([expected[label.upper()] for label in LABELS])
    # Otherwise any order would do.
    assert np.ptp(answers[0]) > 0.01


def test_a_permuted_config_permutes_the_answers(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    config["id2label"] = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    (other / "config.json").write_text(json.dumps(config))
    here, there = load(folder), load(other)
    assert there.probabilities(PAIRS, no_progress).tolist() == (
        here.probabilities(PAIRS, no_progress)[:, ::-1].tolist()
    )
    assert nli_identity(str(folder)) != nli_identity(str(other))


def test_answers_do_not_depend_on_neighbours(folder):
    model = load(folder)
    together = model.probabilities([*PAIRS, *PAIRS[::-1]], no_progress)
    alone = np.concatenate([model.probabilities([pair], no_progress) for pair in PAIRS])
    assert together.tobytes() == np.concatenate([alone, alone[::-1]]).tobytes()
    assert model.probabilities([], no_progress).shape == (0, 3)


def test_long_pairs_are_split(folder, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    model = load_nli(str(folder))
    assert model.window == 64
    (answer,) = entailment(str(folder), [TextPair("ada was born . " * 40, "paris . " * 100)])
    assert answer.sum() == pytest.approx(1)


def test_one_of_each_per_process_however_it_is_named(folder, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(folder)
    monkeypatch.chdir(folder.parent)
    names = [str(folder), f"{folder}/", "model", "./model", str(tmp_path / "link")]
    assert len({id(load_nli(name)) for name in names}) == 1
    assert len({nli_identity(name) for name in names}) == 1


def test_the_identity_follows_the_files_that_are_read(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    assert hf_identity(other) == hf_identity(folder)
    (other / "README.md").write_text("not read")
    assert hf_identity(other) == hf_identity(folder)
    weights = (other / "model.safetensors").read_bytes()
    (other / "model.safetensors").write_bytes(weights[:-1] + bytes([weights[-1] ^ 1]))
    assert hf_identity(other) != hf_identity(folder)


def refusal(name):
    with pytest.raises(DataError) as caught:
        load_nli(str(name))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(name))
    return str(caught.value)


@pytest.mark.parametrize(
    "labels",
    [
        ("entailment", "not_entailment"),
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("neutral", "contradiction", "other"),
        (*LABELS, "other"),
    ],
    ids=len,
)
def test_other_labels_are_refused(tmp_path, labels):
    folder = make_hf_folder(tmp_path / "model", labels)
    assert f"labels {', '.join(labels)}, not entailment, neutral, contradiction" in refusal(folder)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def test_weights_that_could_run_code_are_refused(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    (other / "model.safetensors").unlink()
    (other / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    message = refusal(other)
    assert "this model cannot be loaded (" in message
    assert "safetensors" in message


def test_code_in_the_folder_is_never_run(folder, tmp_path):
    other = shutil.copytree(folder, tmp_path / "other")
    config = json.loads((other / "config.json").read_text())
    config["model_type"] = "of_my_own"
    config["auto_map"] = {"AutoConfig": "mine.Mine", "AutoModelForSequenceClassification": "mine.Mine"}
    (other / "config.json").write_text(json.dumps(config))
    (other / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Mine: pass\n")
    assert "this model cannot be loaded (" in refusal(other)
    assert not (tmp_path / "ran").exists()


def test_damaged_folders_are_refused(folder, tmp_path):
    truncated = shutil.copytree(folder, tmp_path / "truncated")
    weights = (truncated / "model.safetensors").read_bytes()
    (truncated / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    assert "this model cannot be loaded (" in refusal(truncated)
    no_json = shutil.copytree(folder, tmp_path / "no json")
    (no_json / "config.json").write_text("{")
    assert "this model cannot be loaded (" in refusal(no_json)
    no_tokenizer = shutil.copytree(folder, tmp_path / "no tokenizer")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (no_tokenizer / name).unlink()
    assert "this model cannot be loaded (no tokenizer: none of tokenizer.json, " in refusal(no_tokenizer)


def test_weights_without_a_head_are_refused(tmp_path):
    folder = make_hf_folder(tmp_path / "model", ORDER, head=False)
    assert "no weights of classifier.bias, classifier.weight" in refusal(folder)


def test_a_narrow_model_is_refused(tmp_path):
    folder = make_hf_folder(tmp_path / "model", ORDER, positions=32)
    assert "reads 32 tokens at once; use a model that reads 64 or more" in refusal(folder)


def in_a_fresh_process(script, *arguments, **environment):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_name_on_the_hub(folder, tmp_path):
    # As the hub's own cache has it, so that no network is needed.
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--owner--small-nli"
    shutil.copytree(folder, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    script = (
        "import sys\n"
        "from factable.models.nli import load_nli as load, nli_identity\n"
        "load('owner/small-nli')\n"
        "print(nli_identity('owner/small-nli') == nli_identity(sys.argv[1]))\n"
        "try:\n    load('owner/other-nli')\nexcept Exception as error:\n    print(error)\n"
    )
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(tmp_path / "hub")}
    run = in_a_fresh_process(script, folder, **offline)
    assert run.stderr == ""
    same, refused = run.stdout.splitlines()
    assert same == "True"
    assert refused.startswith("owner/other-nli: not a folder, and not available on the hub (")


def test_without_the_extra_its_install_line_is_named(folder):
    script = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from factable.models.nli import load_nli as load\n"
        "for name in (sys.argv[1], 'owner/model'):\n"
        "    try:\n        load(name)\n    except Exception as error:\n        print(error)\n"
    )
    run = in_a_fresh_process(script, folder)
    assert run.stderr == ""
    for name, line in zip((str(folder), "owner/model"), run.stdout.splitlines(), strict=True):
        assert line == (f"model {name!r} needs the extra 'hf'; install it with: pip install 'factable[hf]'")


def test_threads_are_those_of_the_user(folder, monkeypatch):
    import torch

    before = torch.get_num_threads()
    for number in (1, 2):
        monkeypatch.setenv("FACTABLE_THREADS", str(number))
        load(folder)
        assert torch.get_num_threads() == number
    torch.set_num_threads(before)
