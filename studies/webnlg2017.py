"""How far metrics can be trusted on the human ratings of the WebNLG challenge 2017.

python -m studies.webnlg2017 [--data ../shared/data] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/webnlg2017.md. METEOR, which the page has, needs Java; with --max-texts it
is left out where there is none.
"""

import shutil
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.io.formats import open_format
from factable.metrics.parent.counts import save_counts
from factable.study.panel import Estimate, Panel, score_panel
from factable.study.ratings import study_ratings
from factable.train.counts import CountsBuilder
from factable.types import Example
from studies.page import run, sample, table

FOLDER = "webnlg2017"
REFERENCES = "webnlg"
DRAWS = 500
HUMANS = ("semantics", "grammar", "fluency")
PLAIN = ("bleu", "bleu_t", "chrf", "nist", "rouge", "cider", "cider_d", "ter")
# They look for facts; nli and ranking ask models, whose answers are kept on disk.
OF_FACTS = ("nli", "ranking", "rg_f", "rg", "cs")
PARENT_C = "PARENT-C"
# Published: Dhingra et al. (2019), table 4, by system, the mean over 500 draws.
PUBLISHED_BY_SYSTEM = {
    ("parent", "semantics"): 0.887,
    (PARENT_C, "semantics"): 0.877,
    ("bleu", "semantics"): 0.775,
    ("bleu", "grammar"): 0.858,
    ("bleu", "fluency"): 0.811,
}
# Published: Rebuffel et al. (2021), by example; their BLEU has one reference.
FIRST_REFERENCE_BLEU = 'bleu(smoothing="floor"), first reference'
PUBLISHED_BY_EXAMPLE = {
    (FIRST_REFERENCE_BLEU, "fluency"): 0.410,
    (FIRST_REFERENCE_BLEU, "grammar"): 0.418,
    (FIRST_REFERENCE_BLEU, "semantics"): 0.514,
    ("parent", "fluency"): 0.4733,
    ("parent", "grammar"): 0.5033,
    ("parent", "semantics"): 0.6399,
}


def make_metrics(data: Path, work: Path) -> dict[str, Metric]:
    """Every metric of the page by the name it has there."""
    counts = work / "webnlg-train.counts"
    count_training_set(data / FOLDER / "challenge_data_train_dev.tar.xz", work, counts)
    specs = {"parent": "parent", PARENT_C: f'parent(entailment="cooccurrence", counts="{counts}")'}
    specs |= {name: name for name in (*PLAIN, *OF_FACTS)}
    if shutil.which("java"):
        specs["meteor"] = "meteor"
    return {name: parse(spec) for name, spec in specs.items()}


def count_training_set(archive: Path, work: Path, out: Path) -> None:
    """Count the words of the training set for the co-occurrence model."""
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    builder = CountsBuilder("words")
    for example in open_format("webnlg")([str(work / "challenge_data_train_dev" / "train")]):
        builder.add(example)
    save_counts(builder.finish(), str(out))


def read_ratings(data: Path) -> list[Example]:
    """The 2,230 rated texts."""
    return list(open_format("webnlg-human")([str(data / FOLDER / "human-evaluation")]))


def correlations(panel: Panel, names: Sequence[str], **choices: object) -> dict[tuple[str, str], Estimate]:
    """Pearson's r of each metric, by its name, with each rating."""
    study = study_ratings(panel, humans=HUMANS, **choices)  # type: ignore[arg-type]
    name_of = dict(zip(study.signatures, names, strict=True))
    return {
        (name_of[agreement.metric], agreement.human): agreement.statistics["pearson"]
        for agreement in study.agreements
    }


def beside(value: str, published: float | None) -> str:
    """A value, with the published one in brackets."""
    return value if published is None else f"{value} ({published:.3f})"


def by_system(panel: Panel, names: Sequence[str]) -> str:
    """Means over the draws, with their intervals, as in the paper's table 4."""
    pearson = correlations(panel, names, level="system", draws=DRAWS, seed=0, excluded=[REFERENCES])
    rows = []
    for name in sorted(names, key=lambda name: -pearson[name, HUMANS[0]].mean):
        cells = [pearson[name, human] for human in HUMANS]
        shown = [f"{cell.mean:.3f} [{cell.low:.3f}, {cell.high:.3f}]" for cell in cells]
        published = [PUBLISHED_BY_SYSTEM.get((name, human)) for human in HUMANS]
        rows.append([name, *map(beside, shown, published)])
    return table(["metric", *HUMANS], rows)


def by_example(panel: Panel, names: Sequence[str], first_reference: Panel) -> str:
    """Over all texts that systems wrote; and, for one rating, with the reference texts among them."""
    pearson = correlations(panel, names, level="example", draws=0, excluded=[REFERENCES])
    pearson |= correlations(
        first_reference, [FIRST_REFERENCE_BLEU], level="example", draws=0, excluded=[REFERENCES]
    )
    everything = correlations(panel, names, level="example", draws=0)
    everything |= correlations(first_reference, [FIRST_REFERENCE_BLEU], level="example", draws=0)
    rows = []
    for name in sorted([*names, FIRST_REFERENCE_BLEU], key=lambda name: -pearson[name, HUMANS[0]].value):
        shown = [f"{pearson[name, human].value:.3f}" for human in HUMANS]
        published = [PUBLISHED_BY_EXAMPLE.get((name, human)) for human in HUMANS]
        rows.append([name, *map(beside, shown, published), f"{everything[name, HUMANS[0]].value:.3f}"])
    return table(["metric", *HUMANS, f"{HUMANS[0]}, reference texts included"], rows)


def make_tables(data: Path, jobs: int, max_texts: int) -> dict[str, str]:
    """Every table of the page."""
    if not max_texts and not shutil.which("java"):
        sys.exit("METEOR, which the page has, needs Java; on Debian: apt-get install default-jre-headless")
    examples = sample(read_ratings(data), max_texts)
    with_first = [replace(example, references=example.references[:1]) for example in examples]
    first_reference = score_panel([with_first], [parse('bleu(smoothing="floor")')])
    with tempfile.TemporaryDirectory() as work:
        metrics = make_metrics(data, Path(work))
        panel = score_panel([examples], list(metrics.values()), jobs=jobs)
    names = list(metrics)
    return {
        "by system": by_system(panel, names),
        "by example": by_example(panel, names, first_reference),
    }


if __name__ == "__main__":
    run("webnlg2017", __doc__, make_tables)
