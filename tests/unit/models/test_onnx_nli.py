"""ONNX models: answers in the order of labels, the same whatever runs beside them, and clear refusals."""

import pickle
import shutil

import numpy as np
import pytest

from factable.errors import DataError, UsageError
from factable.models.nli import LABELS, OnnxNli, TextPair, softmax
from factable.models.runtime.manifest import embedded_folder, read_manifest
from factable.models.runtime.progress import no_progress
from factable.models.runtime.threads import core_count, share_cores, thread_count
from helpers.nli_models import make_onnx_folder, write_manifest

PAIRS = [
    TextPair("Ada was born in London.", "Ada was born in London."),
    TextPair("Ada was born in London.", "Nobody was ever born."),
    TextPair("", ""),
    TextPair("愛 " * 20, "\N{PILE OF POO}\0\u202e" + "x" * 300),
    TextPair("word " * 100, "word " * 100),
]


@pytest.fixture(scope="module")
def embedded():
    return OnnxNli(embedded_folder("nli"))


@pytest.fixture(scope="module")
def tiny_folder(tmp_path_factory):
    return make_onnx_folder(tmp_path_factory.mktemp("tiny") / "model")


def test_answers_are_probabilities(embedded):
    answers = embedded.probabilities(PAIRS, no_progress)
    assert answers.shape == (len(PAIRS), len(LABELS))
    assert (answers >= 0).all()
    assert answers.sum(axis=1) == pytest.approx(1)
    assert embedded.probabilities([], no_progress).shape == (0, len(LABELS))


def test_a_text_entails_itself_more_than_its_opposite(embedded):
    same, other = embedded.probabilities(PAIRS[:2], no_progress)[:, 0]
    assert same > 0.5 > other


def test_answers_do_not_depend_on_neighbours_or_threads(embedded):
    together = embedded.probabilities(PAIRS * 3, no_progress)
    embedded._remembered.clear()
    alone = np.concatenate([embedded.probabilities([pair], no_progress) for pair in PAIRS])
    assert together.tobytes() == np.tile(alone, (3, 1)).tobytes()
    for threads in (1, 3):
        model = OnnxNli(embedded_folder("nli"), threads=threads)
        assert model.probabilities(PAIRS[::-1], no_progress)[::-1].tobytes() == alone.tobytes()


def test_other_case_and_white_space_are_not_asked_again(monkeypatch):
    model = OnnxNli(embedded_folder("nli"))
    (expected,) = model.probabilities(PAIRS[:1], no_progress)
    monkeypatch.setattr(model, "_run", None)
    (again,) = model.probabilities(
        [TextPair("ADA was  born in london.", " Ada was born in London. ")], no_progress
    )
    assert again.tobytes() == expected.tobytes()


def test_progress_counts_every_pair(tiny_folder):
    heard = []
    OnnxNli(tiny_folder).probabilities(PAIRS * 300, heard.append)
    assert sum(heard) == 1500
    assert len(heard) > 1


def test_labels_and_temperature_come_from_the_manifest(tiny_folder, tmp_path):
    (pair,) = pairs = [TextPair("Ada", "Ada")]
    model = OnnxNli(tiny_folder)
    assert model.count_tokens(pairs) == [5]
    # Scores of a pair of n tokens: 0, n / 10 and 2n / 10.
    expected = softmax(np.array([0, 0.5, 1.0]))
    assert model.probabilities([pair], no_progress)[0] == pytest.approx(expected)
    folder = shutil.copytree(tiny_folder, tmp_path / "other")
    write_manifest(folder, labels=["contradiction", "entailment", "neutral"], temperature=0.5)
    other = OnnxNli(folder)
    assert other.probabilities([pair], no_progress)[0] == pytest.approx(
        softmax(np.array([0, 1, 2]))[[1, 2, 0]]
    )
    assert read_manifest(folder).identity != read_manifest(tiny_folder).identity


def test_a_folder_moved_elsewhere_is_the_same_model(embedded, tmp_path):
    folder = shutil.copytree(embedded_folder("nli"), tmp_path / "moved")
    assert read_manifest(folder).identity == read_manifest(embedded_folder("nli")).identity
    pairs = [TextPair("Ada was born.", "Ada lived.")]
    assert OnnxNli(folder).probabilities(pairs, no_progress).tolist() == (
        embedded.probabilities(pairs, no_progress).tolist()
    )


def refusal(folder):
    with pytest.raises(DataError) as caught:
        OnnxNli(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "labels", [[], ["entailment", "neutral"], ["entailment"] * 3, [1, None, "neutral"]], ids=repr
)
def test_other_labels_are_refused(tiny_folder, tmp_path, labels):
    folder = shutil.copytree(tiny_folder, tmp_path / "other")
    write_manifest(folder, labels=labels)
    shown = ", ".join(map(str, labels)) or "missing"
    assert refusal(folder) == (
        f"{folder / 'manifest.json'}: labels {shown}, not entailment, neutral, contradiction; "
        "use a model that was trained on natural language inference"
    )


def test_truncated_weights_are_refused(tmp_path):
    folder = shutil.copytree(embedded_folder("nli"), tmp_path / "nli")
    content = (folder / "model.onnx").read_bytes()
    (folder / "model.onnx").write_bytes(content[: len(content) // 2])
    assert "model.onnx: damaged: its sha256 is" in refusal(folder)
    # Even a manifest that agrees with them does not make them a model.
    write_manifest(folder)
    assert "model.onnx: cannot be loaded (" in refusal(folder)


class Bomb:
    def __reduce__(self):
        return pytest.fail, ("unpickled",)


def test_a_pickle_is_never_run(tiny_folder, tmp_path):
    for name in ("model.onnx", "tokenizer.json"):
        folder = shutil.copytree(tiny_folder, tmp_path / name)
        (folder / name).write_bytes(pickle.dumps(Bomb()))
        assert f"{name}: damaged" in refusal(folder)
        write_manifest(folder)
        assert f"{name}: cannot be loaded (" in refusal(folder)


def test_models_of_something_else_are_refused(tmp_path):
    inputs = ("pixels", "attention_mask")
    assert "model.onnx: cannot be loaded (" in refusal(make_onnx_folder(tmp_path / "inputs", inputs=inputs))
    for outputs in (1, 2, 4):
        folder = make_onnx_folder(tmp_path / str(outputs), outputs=outputs)
        assert "model.onnx: cannot be loaded (it does not give 3 numbers)" in refusal(folder)


def test_threads_are_those_of_the_user_or_all_cores(monkeypatch):
    monkeypatch.delenv("FACTABLE_THREADS", raising=False)
    assert thread_count() == core_count() >= 1
    monkeypatch.setenv("FACTABLE_THREADS", "3")
    assert thread_count() == 3
    share_cores(2)
    assert thread_count() == 3
    for wrong in ("0", "-1", "two", "1.5", "²"):
        monkeypatch.setenv("FACTABLE_THREADS", wrong)
        with pytest.raises(UsageError, match=f"FACTABLE_THREADS is '{wrong}'; give a whole number from 1"):
            thread_count()


@pytest.mark.parametrize("processes", [1, 2, 1000])
def test_processes_share_the_cores(monkeypatch, processes):
    # Set and deleted, so that it is deleted again after the test.
    monkeypatch.setenv("FACTABLE_THREADS", "")
    monkeypatch.delenv("FACTABLE_THREADS")
    share_cores(processes)
    assert thread_count() == max(1, core_count() // processes)
