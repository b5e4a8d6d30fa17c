"""Every metric with every declared parameter varied, and small files for parameters that name one."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from contract_examples import OTHER, WHOLE

from factable.core.metric import Metric
from factable.core.params import Param
from factable.core.registry import load
from factable.errors import UsageError
from factable.metrics.cider import Cider
from factable.metrics.ledger.weights import load_ledger_weights
from factable.metrics.parent.counts import save_counts
from factable.metrics.slots.fact_classifier import FactClassifier, write_classifier
from factable.models.runtime.manifest import MANIFEST, embedded_folder
from factable.train.counts import CountsBuilder
from helpers.gpt2 import make_gpt2
from helpers.paths import SOURCE
from helpers.t5 import make_t5_folder

NUMBERS = (0, 0.25, 1, 3)
# Other values than the declaration gives: the embedded encoder has six layers.
VALUES: dict[tuple[str, str], tuple[object, ...]] = {("bertscore", "layer"): (3,)}
# Variants that need a package of the extra test-all, by parameter: Porter stems, torch, spaCy.
NEED_PACKAGES = {"stem", "writer", "answers"}
# Metrics of which every variant needs something that the default run does without, and its marker.
NEEDY = {"meteor": "java", "perplexity": "packages"}


class Files:
    """Makes a file or folder for a parameter of a metric when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def make(self, metric: str, parameter: str) -> str | None:
        """The path, or None where no file is made for this parameter."""
        maker = MAKERS.get((metric, parameter)) or MAKERS.get(("", parameter))
        if maker is None:
            return None
        path = self._folder / f"{metric}-{parameter}"
        if not path.exists():
            maker(path)
        return str(path)


def make_counts(path: Path) -> None:
    builder = CountsBuilder()
    for example in (WHOLE, replace(WHOLE, references=("Ada liked poetry in 1815.",))):
        builder.add(example)
    save_counts(builder.finish(), path)


def make_idf(path: Path) -> None:
    Cider().prepare([WHOLE, OTHER], str(path))


def make_pool(path: Path) -> None:
    rows = [
        {"id": example.item, "data": list(map(list, example.table.records)), "references": example.references}
        for example in (WHOLE, OTHER)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def make_patterns(path: Path) -> None:
    path.write_text("[fieldOfWork]\nmathematics = ['maths', 'mathematics']\npoetry = []\n")


def make_classifier(path: Path) -> None:
    known = {"fieldOfWork": ("mathematics", "poetry")}
    weights = {"mathematics": {0: 5.0}, "poetry": {1: 5.0}}
    path.write_bytes(write_classifier(FactClassifier(known, ("born",), (-2.0, -2.0), weights, 0.2)))


def make_weights(path: Path) -> None:
    """The weights of the ledger, harder to please."""
    weights = {part: dict(numbers) for part, numbers in load_ledger_weights("").by_part.items()}
    weights["fact"]["bias"] -= 1
    path.write_text(json.dumps({"weights": {"best": weights}}))


def make_baseline(path: Path) -> None:
    path.write_text("LAYER,P,R,F\n3,0.1,0.1,0.1\n6,0.1,0.2,0.15\n")


def make_questions(path: Path) -> None:
    path.write_text(json.dumps({"fieldOfWork": ["What did <subject> do?"]}))


def make_prompts(path: Path) -> None:
    shutil.copy(SOURCE / "factable/data/prompts/judge-1.toml", path)
    path.write_text(path.read_text() + "\n# Of one's own.\n")


def copy_model(name: str, entry: str, factor: float) -> Callable[[Path], None]:
    """A maker of an embedded model with one number of its manifest multiplied."""

    def make(path: Path) -> None:
        shutil.copytree(embedded_folder(name), path)
        manifest = json.loads((path / MANIFEST).read_text())
        manifest[entry] = type(manifest[entry])(manifest[entry] * factor)
        (path / MANIFEST).write_text(json.dumps(manifest))

    return make


def make_pipeline(path: Path) -> None:
    """A spaCy pipeline that knows one name."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "NAME", "pattern": "Ada Lovelace"}])
    pipeline.to_disk(path)


MAKERS: dict[tuple[str, str], Callable[[Path], object]] = {
    ("", "counts"): make_counts,
    ("", "idf"): make_idf,
    ("", "model"): copy_model("nli", "temperature", 2),
    ("", "patterns"): make_patterns,
    ("", "classifier"): make_classifier,
    ("", "weights"): make_weights,
    ("", "pool"): make_pool,
    ("ranking", "training"): make_pool,
    ("bertscore", "model"): copy_model("embed", "window", 0.25),
    ("bertscore", "idf"): make_pool,
    ("bertscore", "baseline"): make_baseline,
    ("perplexity", "model"): lambda path: make_gpt2(path, beginnings=False),
    ("judge", "prompts"): make_prompts,
    ("questeval", "qa"): copy_model("qa", "temperature", 2),
    ("questeval", "questions"): make_questions,
    ("questeval", "writer"): lambda path: make_t5_folder(path, [WHOLE.text]),
    ("questeval", "answers"): make_pipeline,
}


class Variants:
    """For a metric: the default, then one that differs from it in each parameter and value."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.of = cache(self._vary)

    def _vary(self, name: str, packages: bool = False) -> tuple[Metric, ...]:
        """All variants; without `packages`, those that need no package of the extra test-all."""
        kind = load(name)
        params = [param for param in kind.params if packages or param.name not in NEED_PACKAGES]
        values = {param.name: list(self._values(name, param)) for param in params}
        variants: dict[Metric, None] = {kind(): None}
        for param in params:
            for value in values[param.name]:
                variants.update(dict.fromkeys(islice(_together(kind, param.name, value, values), 1)))
        return tuple(variants)

    def _values(self, name: str, param: Param) -> Iterator[object]:
        """Values beside the default that the declaration allows."""
        file = self._files.make(name, param.name)
        flag = not param.choices and param.range is None and param.accepts(True)
        numbers = NUMBERS if param.range else ()
        candidates = VALUES.get((name, param.name)) or (
            *param.choices,
            *((True, False) if flag else ()),
            *numbers,
            *([param.example] if param.example else []),
            *([file] if file else []),
        )
        default = getattr(load(name)(), param.name)
        yield from (value for value in candidates if value != default and param.accepts(value))


def _together(
    kind: type[Metric], parameter: str, value: object, values: dict[str, list[object]]
) -> Iterator[Metric]:
    """The metric with the value: alone, or with a value of another parameter where it is refused alone."""
    others = ({name: other} for name, choices in values.items() if name != parameter for other in choices)
    for other in ({}, *others):
        try:
            yield kind(**{parameter: value}, **other)
        except UsageError:
            continue
