"""Every metric with every parameter varied."""

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from importlib.util import find_spec

import pytest
from contract_examples import OTHER, WHOLE, documentation

from factable.core.metric import Metric
from factable.core.registry import load, names
from factable.errors import MissingExtraError, MissingProgramError, UsageError
from factable.metrics.cider import Cider
from factable.metrics.ledger.weights import load_ledger_weights
from factable.metrics.parent.counts import save_counts
from factable.metrics.slots.fact_classifier import FactClassifier, write_classifier
from factable.models.language_model import LANGUAGE_MODEL_VARIABLE
from factable.models.runtime.folders import CONFIG
from factable.models.runtime.manifest import MANIFEST, embedded_folder
from factable.train.counts import CountsBuilder
from helpers.gpt2 import make_gpt2
from helpers.t5 import make_t5_folder


@pytest.fixture(autouse=True)
def _installed(request):
    """Skip a metric whose extra or program is missing here; under CI nothing may be missing."""
    if "name" in request.fixturenames and os.environ.get("CI") != "true":
        reason = _what_is_missing(request.getfixturevalue("name"))
        if reason:
            pytest.skip(reason)


@cache
def _what_is_missing(name: str) -> str:
    try:
        if name in names():
            load(name)().score([WHOLE])
    except (MissingExtraError, MissingProgramError) as error:
        return str(error)
    return ""


@pytest.fixture(scope="session")
def counts_file(tmp_path_factory) -> str:
    builder = CountsBuilder()
    for example in (WHOLE, replace(WHOLE, references=("Ada liked poetry in 1815.",))):
        builder.add(example)
    path = tmp_path_factory.mktemp("counts") / "small.counts"
    save_counts(builder.finish(), path)
    return str(path)


@pytest.fixture(scope="session")
def idf_file(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("idf") / "small.idf")
    return Cider().prepare([WHOLE, OTHER], path).idf


@pytest.fixture(scope="session")
def nli_folder(tmp_path_factory) -> str:
    """The embedded model, less sure of itself."""
    folder = tmp_path_factory.mktemp("nli") / "unsure"
    shutil.copytree(embedded_folder("nli"), folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["temperature"] *= 2
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return str(folder)


@pytest.fixture(scope="session")
def pool_file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("pool") / "pool.jsonl"
    rows = [
        {"id": one.item, "data": list(map(list, one.table.records)), "references": one.references}
        for one in (WHOLE, OTHER)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture(scope="session")
def patterns_file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("patterns") / "small.toml"
    path.write_text("[fieldOfWork]\nmathematics = ['maths', 'mathematics']\npoetry = []\n")
    return str(path)


@pytest.fixture(scope="session")
def classifier_file(tmp_path_factory) -> str:
    known = {"fieldOfWork": ("mathematics", "poetry")}
    weights = {"mathematics": {0: 5.0}, "poetry": {1: 5.0}}
    path = tmp_path_factory.mktemp("classifier") / "small.json"
    path.write_bytes(write_classifier(FactClassifier(known, ("born",), (-2.0, -2.0), weights, 0.2)))
    return str(path)


@pytest.fixture(scope="session")
def weights_file(tmp_path_factory) -> str:
    """The weights of the ledger, harder to please."""
    weights = {part: dict(found) for part, found in load_ledger_weights("").by_part.items()}
    weights["fact"]["bias"] -= 1
    path = tmp_path_factory.mktemp("weights") / "weights.json"
    path.write_text(json.dumps({"weights": weights}))
    return str(path)


@pytest.fixture(scope="session")
def encoder_folder(tmp_path_factory) -> str:
    """The embedded encoder, with a shorter window."""
    folder = tmp_path_factory.mktemp("encoder") / "short"
    shutil.copytree(embedded_folder("embed"), folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["window"] //= 4
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return str(folder)


@pytest.fixture(scope="session")
def baseline_file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("baseline") / "baseline.csv"
    path.write_text("LAYER,P,R,F\n3,0.1,0.1,0.1\n6,0.1,0.2,0.15\n")
    return str(path)


@pytest.fixture(scope="session", autouse=True)
def language_model(tmp_path_factory) -> Iterator[str]:
    """A language model for whoever names none, and another to be named."""
    folders = [tmp_path_factory.mktemp("language_model") for _ in range(2)]
    if find_spec("torch"):
        make_gpt2(folders[0])
        make_gpt2(folders[1], beginnings=False)
    for folder in folders:
        # Enough of a model for the missing extra to be named.
        (folder / CONFIG).touch()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(LANGUAGE_MODEL_VARIABLE, str(folders[0]))
        yield str(folders[1])


@pytest.fixture(scope="session")
def asking_files(tmp_path_factory) -> dict[str, object]:
    """An unsure reader, other questions, a tiny writer and a pipeline that knows one name."""
    folder = tmp_path_factory.mktemp("asking")
    shutil.copytree(embedded_folder("qa"), folder / "qa")
    manifest = json.loads((folder / "qa" / MANIFEST).read_text())
    manifest["temperature"] *= 2
    (folder / "qa" / MANIFEST).write_text(json.dumps(manifest))
    (folder / "questions.json").write_text(json.dumps({"fieldOfWork": ["What did <subject> do?"]}))
    if find_spec("torch"):
        make_t5_folder(folder / "writer", [WHOLE.text])
    if find_spec("spacy"):
        make_pipeline(folder / "spacy", "Ada Lovelace")
    return {
        "qa": str(folder / "qa"),
        "questions": str(folder / "questions.json"),
        "writer": str(folder / "writer"),
        "answers": str(folder / "spacy"),
    }


def make_pipeline(folder, name: str) -> None:
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "NAME", "pattern": name}])
    pipeline.to_disk(folder)


@pytest.fixture(scope="session")
def files_of_metrics(
    encoder_folder, pool_file, baseline_file, language_model, asking_files
) -> dict[str, dict[str, object]]:
    """What a parameter stands for in one metric alone."""
    encoder = {"model": encoder_folder, "idf": pool_file, "baseline": baseline_file, "layer": 3}
    return {"bertscore": encoder, "perplexity": {"model": language_model}, "questeval": asking_files}


@pytest.fixture(scope="session")
def variants(
    counts_file,
    idf_file,
    nli_folder,
    pool_file,
    patterns_file,
    classifier_file,
    weights_file,
    files_of_metrics,
):
    """A function: metric name -> the default metric, and metrics that differ from it in each parameter.

    Values are found by trying: words that the parameter's documentation has in quotes, a few numbers, and
    files. A parameter of which no second value is found fails `test_every_parameter_can_vary`.
    """

    def vary(name: str) -> list[Metric]:
        kind = load(name)
        files = {"counts": counts_file, "idf": idf_file, "model": nli_folder, "pool": pool_file}
        files |= {"patterns": patterns_file, "classifier": classifier_file, "weights": weights_file}
        files |= files_of_metrics.get(name, {})
        candidates = _candidates(kind, files)
        found: dict[Metric, None] = {kind(): None}
        for parameter in candidates:
            found.update(dict.fromkeys(_accepted(kind, parameter, candidates)))
        return list(found)

    return vary


def _candidates(kind, files: dict[str, object]) -> dict[str, list[object]]:
    numbers: list[object] = [0, 0.25, 0.5, 1, 2, 3, 10, 100, True, False]
    return {
        field.name: [files[field.name]]
        if field.name in files
        else [*re.findall(r'"([^"]*)"', documentation(kind, field.name)), *numbers]
        for field in fields(kind)
    }


def _accepted(kind, parameter: str, candidates: dict[str, list[object]]) -> Iterator[Metric]:
    """The metric with each value, where need be with one of another parameter that goes with it."""
    for value in candidates[parameter]:
        alone = _try(kind, {parameter: value})
        if alone is not None:
            yield alone
            continue
        for other, values in candidates.items():
            together = [_try(kind, {parameter: value, other: word}) for word in values]
            yield from (metric for metric in together if metric is not None and other != parameter)


def _try(kind, arguments: dict[str, object]) -> Metric | None:
    try:
        return kind(**arguments)
    except UsageError:
        return None
