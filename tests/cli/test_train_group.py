"""`factable train`: commands load only what they use, and their options reach the trainings."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from factable.cli.main import cli
from factable.cli.train import EXAMPLES_PER_STEP, TrainGroup, iter_with_progress
from factable.metrics.parent.counts import load_counts
from factable.train.options import ExtractorOptions, QaOptions, QuestevalOptions, RankerOptions


def write_corpus(path, size, first=0):
    rows = (
        {"id": str(number), "data": [["Ada", "age", str(number)]], "references": [f"Ada is {number}."]}
        for number in range(first, first + size)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("name", sorted(TrainGroup.modules))
def test_help_of_a_command_loads_no_training(name):
    script = (
        "import sys\nfrom click.testing import CliRunner\nfrom factable.cli.main import cli\n"
        f"assert CliRunner().invoke(cli, ['train', {name!r}, '--help']).exit_code == 0\n"
        "print(*sys.modules)"
    )
    if name not in ("counts", "nli"):  # One of each module; a process takes long.
        result = CliRunner().invoke(cli, ["train", name, "--help"])
        assert result.exit_code == 0
        assert f"Usage: cli train {name}" in result.output
        return
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = [module for module in run.stdout.split() if module.startswith("factable")]
    assert {module for module in modules if module.startswith("factable.train.")} <= {
        "factable.train.options"
    }
    assert not [module for module in modules if module.startswith("factable.metrics.")]
    assert "torch" not in run.stdout.split()


def test_every_example_of_several_files_counts_once(tmp_path):
    files = [
        write_corpus(tmp_path / "a.jsonl", 2 * EXAMPLES_PER_STEP + 3),
        write_corpus(tmp_path / "b.jsonl", EXAMPLES_PER_STEP),
        write_corpus(tmp_path / "c.jsonl", 5),
    ]
    steps = []
    examples = [
        example
        for file in files
        for example in iter_with_progress(file, lambda size, number: steps.append((size, number)))
    ]
    assert sum(number for _, number in steps) == len(examples) == 3 * EXAMPLES_PER_STEP + 8
    assert {size for size, _ in steps} == {0}


@pytest.mark.parametrize(
    ("command", "module", "expected"),
    [
        (
            "qa a.jsonl OUT --rate 0.1 --batch 3 --max-questions 5 --per-text 2 --seed 4",
            "factable.train.qa.train_qa",
            QaOptions(per_text=2, max_questions=5, batch_size=3, learning_rate=0.1, seed=4),
        ),
        (
            "questeval a.jsonl OUT --writer w --base b --epochs 5 --batch 3 --max-answers 7 --rate 0.1",
            "factable.train.questeval.train_questeval",
            QuestevalOptions(max_answers=7, epochs=5, batch_size=3, learning_rate=0.1),
        ),
        (
            "ranker a.jsonl OUT --epochs 2 --batch 3 --rate 0.1 --seed 4",
            "factable.train.ranker.train_ranker",
            RankerOptions(epochs=2, batch_size=3, learning_rate=0.1, seed=4),
        ),
        (
            "ranker a.jsonl OUT --objective pairs",
            "factable.train.ranker_pairs.train_pairs",
            RankerOptions(),
        ),
        (
            "extractor a.jsonl a.jsonl OUT --epochs 2 --batch 3 --rate 0.1 --hidden 7 --dropout 0.5",
            "factable.train.extractor.train_extractor",
            ExtractorOptions(epochs=2, batch_size=3, learning_rate=0.1, hidden=7, dropout=0.5),
        ),
    ],
)
def test_flags_become_options(command, module, expected, tmp_path, monkeypatch):
    write_corpus(tmp_path / "a.jsonl", 3)
    monkeypatch.chdir(tmp_path)
    calls = []
    monkeypatch.setattr(module, lambda *args, **named: calls.append((args, named)))
    result = CliRunner().invoke(cli, ["train", *command.split(), "--threads", "6"], catch_exceptions=False)
    assert result.exit_code == 0
    ((args, named),) = calls
    # What belongs together comes as one argument.
    given = [part for argument in (*args, named) for part in _parts(argument)]
    assert expected in given
    assert Path("OUT") in given
    assert 6 in given


def _parts(argument):
    if isinstance(argument, dict):
        return argument.values()
    return [argument, *argument] if isinstance(argument, tuple) else [argument]


def test_counts_and_questions_are_written(tmp_path):
    corpus, out = write_corpus(tmp_path / "a.jsonl", 3), str(tmp_path / "a.counts")
    result = CliRunner().invoke(cli, ["train", "counts", corpus, out], catch_exceptions=False)
    assert result.stderr == f"3 texts, 7 words and 24 pairs written to {out}\n"
    assert len(load_counts(out).vocabulary) == 7
    asked = tmp_path / "asked.jsonl"
    rows = [
        {"question": f"Where was {name} born?", "entity": name, "predicate": "birthPlace"}
        for name in ("Ada", "Bob")
    ]
    asked.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "questions.json"
    result = CliRunner().invoke(cli, ["train", "questions", str(asked), str(out)], catch_exceptions=False)
    assert result.stderr == f"questions for 1 attributes written to {out}\n"
    assert json.loads(out.read_text()) == {"birth place": ["Where was <subject> born?"]}
