"""Files that go or change under a run: one clear line, or numbers of the files as they were; no mixture."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest

import factable
from factable.core.registry import parse
from factable.engine.score import score_files
from factable.errors import DataError, FactableError

PARENT = parse("parent")
NLI_FOLDER = Path(factable.__file__).parent / "data" / "models" / "nli"


def lines(*numbers, word="word"):
    """Examples on long lines, so that few of them make many blocks."""
    for number in range(*numbers):
        example = {"id": str(number), "data": {"b": word}, "text": "a word", "references": ["word"]}
        yield json.dumps(example) + " " * 10_000 + "\n"


@pytest.fixture
def data(tmp_path):
    """More blocks than two processes take ahead."""
    path = tmp_path / "data.jsonl"
    path.write_text("".join(lines(1400)))
    assert path.stat().st_size > 12 << 20
    return path


def score_while(change, source, metric=PARENT, **options):
    """Score, and make the change as soon as the first unit is there; return what came out."""
    heard = []

    def listen(unit):
        if not heard:
            change()
        heard.append(unit)

    return score_files([source], [metric], listener=listen, **options)


def truncate(path):
    os.truncate(path, path.stat().st_size * 3 // 4)


def replace_words(path):
    """Other content of the same size, in the same file."""
    with path.open("r+b") as stream:
        content = stream.read().replace(b'"b": "word"', b'"b": "worm"')
        stream.seek(0)
        stream.write(content)


def append(path):
    with path.open("a") as stream:
        stream.writelines(lines(1400, 1410))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("change", [truncate, replace_words, append])
def test_data_that_changes_is_noticed(data, change, jobs):
    with pytest.raises(DataError) as refused:
        score_while(lambda: change(data), data, jobs=jobs)
    assert str(refused.value) == f"{data}: changed while it was read; run again when nothing writes to it"


@pytest.mark.parametrize("jobs", [1, 2])
def test_data_that_another_file_takes_the_place_of(data, tmp_path, jobs):
    """One process still has the file as it was; others open what they find under the name."""
    expected = score_files([data], [PARENT])
    other = tmp_path / "other.jsonl"
    other.write_text("".join(lines(1400, word="worm")))
    if jobs == 1:
        assert score_while(lambda: other.replace(data), data) == expected
        return
    with pytest.raises(DataError, match=r"data\.jsonl: changed while it was read"):
        score_while(lambda: other.replace(data), data, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_data_that_is_deleted(data, jobs):
    expected = score_files([data], [PARENT])
    if jobs == 1:
        assert score_while(data.unlink, data) == expected
        return
    with pytest.raises(DataError, match=r"data\.jsonl: No such file or directory; check the path"):
        score_while(data.unlink, data, jobs=jobs)


def test_tables_and_packed_data_that_change_are_noticed(tmp_path):
    table = tmp_path / "data.csv"
    table.write_text("text,food,references\n" + "a b c,b,a c\n" * 5000)
    with pytest.raises(DataError, match=r"data\.csv: changed while it was read"):
        score_while(lambda: truncate(table), table)
    packed = tmp_path / "data.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(lines(1400)).encode(), 0))
    with pytest.raises(
        DataError, match=r"data\.jsonl\.gz: (changed while it was read|Compressed file ended)"
    ):
        score_while(lambda: truncate(packed), packed)


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A folder with a model of its own, and nothing known of its answers."""
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    folder = tmp_path / "model"
    folder.mkdir()
    for file in NLI_FOLDER.iterdir():
        shutil.copy(file, folder)
    return folder


EXAMPLES = [
    {"id": str(number), "data": {"area": f"side {number}"}, "text": f"It is at side {number}."}
    for number in range(70)
]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_model_that_is_deleted(model, tmp_path, jobs):
    """The same run goes on once the model is back."""
    metric = parse(f'nli(model="{model}", direction="omission")')
    away = tmp_path / "away"
    kept = tmp_path / "kept"
    # Which file is missed first is a matter of the moment.
    with pytest.raises(FactableError, match=r"no model|manifest\.json") as refused:
        score_while(lambda: model.rename(away), EXAMPLES, metric, resume=kept, jobs=jobs)
    assert "\n" not in str(refused.value)
    away.rename(model)
    resumed = score_files([EXAMPLES], [metric], resume=kept, jobs=jobs)
    assert resumed == score_files([EXAMPLES], [metric])


def test_the_weights_of_a_loaded_model_may_go(model):
    metric = parse(f'nli(model="{model}", direction="omission")')
    expected = score_files([EXAMPLES[:40]], [metric])
    assert score_while((model / "model.onnx").unlink, EXAMPLES[:40], metric) == expected


def test_a_model_that_becomes_another(model, tmp_path):
    metric = parse(f'nli(model="{model}", direction="omission")')
    manifest = model / "manifest.json"
    before = manifest.read_text()
    kept = tmp_path / "kept"

    def heat():
        manifest.write_text(json.dumps({**json.loads(before), "temperature": 9.0}))

    for resume in (None, kept):
        with pytest.raises(DataError, match="a file that it needs changed while it was scoring; run again"):
            score_while(heat, EXAMPLES, metric, resume=resume)
        manifest.write_text(before)
    # Nothing of the other model was kept.
    assert score_files([EXAMPLES], [metric], resume=kept) == score_files([EXAMPLES], [metric])
