"""The paper on PARENT (Dhingra et al. 2019): every figure that can be measured on published data.

python -m studies.parent [--data ../shared/data] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/parent.md and its picture, docs/pictures/parent.svg. METEOR needs Java;
with --max-texts it is left out where there is none.
"""

import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from factable.core.metric import Metric
from factable.core.registry import parse
from factable.io.formats import open_format
from factable.report.plots.figures import draw_distributions
from factable.report.plots.style import Look, save
from factable.study.panel import Estimate, Panel, score_panel
from factable.study.ratings import RatingStudy, study_ratings
from factable.types import Example, Record, Table
from studies.page import PAGES, run, sample, table
from studies.published import SUMMARY, Comparison
from studies.webnlg2017 import DRAWS, FOLDER, REFERENCES, count_training_set, read_ratings

RATINGS = ("grammar", "fluency", "semantics")
AVERAGE = "average"
# Table 4: correlation by system on WebNLG 2017 and the ± of each cell, over 500 draws, then the average.
TABLE_4: dict[str, tuple[float, ...]] = {
    "METEOR": (0.788, 0.04, 0.792, 0.04, 0.576, 0.06, 0.719),
    "ROUGE": (0.788, 0.04, 0.792, 0.04, 0.576, 0.06, 0.719),
    "CIDEr": (0.804, 0.03, 0.753, 0.04, 0.860, 0.02, 0.806),
    "BLEU": (0.858, 0.02, 0.811, 0.03, 0.775, 0.03, 0.815),
    "BLEU-T": (0.849, 0.02, 0.801, 0.03, 0.816, 0.02, 0.822),
    "CIDErD": (0.838, 0.04, 0.796, 0.04, 0.853, 0.02, 0.829),
    "PARENT-W": (0.821, 0.03, 0.768, 0.04, 0.887, 0.02, 0.825),
    "PARENT-C": (0.851, 0.03, 0.809, 0.04, 0.877, 0.02, 0.846),
}
METRICS = {
    "ROUGE": 'rouge(kind="4")',
    "ROUGE-L": "rouge",
    "CIDEr": "cider",
    "BLEU": "bleu",
    "BLEU-T": 'bleu_t(compat="paper")',
    "CIDErD": "cider_d",
    "PARENT-W": 'parent(compat="paper")',
    "our default": "parent",
}
# Figure 1: the reference, the table and three candidates, with BLEU, ROUGE and PARENT of each.
FIGURE_1 = {
    "in the california band grateful dead .": (0.79, 0.77, 0.76),
    ".": (0.71, 0.79, 0.82),
    "from seattle , washington .": (0.73, 0.70, 0.84),
}
BEGINNING = "michael dahlquist ( december 22 , 1965 -- july 14 , 2005 ) was a drummer"
FIGURE_1_REFERENCE = f"{BEGINNING} in the seattle band silkworm ."
FIGURE_1_TABLE = Table(
    (
        Record("", "birth name", "michael dahlquist"),
        Record("", "born", "december 22 , 1965"),
        Record("", "birth place", "seattle , washington"),
        Record("", "died", "july 14 , 2005"),
        Record("", "death place", "skokie , illinois"),
        Record("", "genres", "male"),
        Record("", "occupation(s)", "drummer"),
        Record("", "instruments", "drums"),
    )
)
FIGURE_1_METRICS = (
    "bleu",
    'rouge(kind="4", tokens="whitespace")',
    'parent(compat="paper", mix=0.5, tokens="whitespace")',
)
ABLATIONS = {
    "PARENT-W": ('parent(compat="paper")', 0.838),
    "without w(g)": ('parent(compat="paper", entailment="none")', 0.168),
    "λ = 0": ('parent(compat="paper", mix=0.0)', 0.328),
}
MEAN_MIX = 0.6
# Table 5: exact match of attribute and value against the true tables of WikiBio.
TABLE_5 = {"precision": 0.428, "recall": 0.310, "F": 0.351}
EXTRACTED = "seen categories"
PICTURE = PAGES.parent / "pictures" / "parent.svg"


def by_figure_1(comparison: Comparison) -> str:
    """The three candidates under three metrics."""
    examples = [
        Example(str(number), "", f"{BEGINNING} {end}", FIGURE_1_TABLE, (FIGURE_1_REFERENCE,))
        for number, end in enumerate(FIGURE_1)
    ]
    columns = [parse(spec).score(examples).values for spec in FIGURE_1_METRICS]
    rows = []
    for number, (end, published) in enumerate(FIGURE_1.items()):
        row = [f"… {end}"]
        for spec, column, figure in zip(FIGURE_1_METRICS, columns, published, strict=True):
            value = column[number] / (100 if spec == "bleu" else 1)
            row += comparison.cells(f"{spec} of candidate {number + 1}", value, figure, digits=2)
        rows.append(row)
    header = ["a drummer …", "BLEU", "published", "ROUGE-4", "published", "PARENT, λ = 0.5", "published"]
    return table(header, rows)


def make_metrics(counts: Path, *, with_meteor: bool) -> dict[str, Metric]:
    """The metrics of table 4 by their names there."""
    specs = {"METEOR": "meteor"} if with_meteor else {}
    specs |= METRICS
    specs["PARENT-C"] = f'parent(compat="paper", entailment="cooccurrence", counts="{counts}")'
    return {name: parse(spec) for name, spec in specs.items()}


def study_systems(panel: Panel) -> RatingStudy:
    """The study of table 4: nine systems, 500 draws."""
    return study_ratings(
        panel, humans=RATINGS, level="system", draws=DRAWS, seed=0, excluded=[REFERENCES], alpha=0.1
    )


def correlate(study: RatingStudy, names: Sequence[str]) -> dict[str, list[Estimate]]:
    """Pearson's r by system with each rating, of each metric; then the average of all three."""
    name_of = dict(zip(study.signatures, names, strict=True))
    found: dict[str, list[Estimate]] = {name: [] for name in names}
    for human in RATINGS:
        for agreement in study.agreements:
            if agreement.human == human:
                found[name_of[agreement.metric]].append(agreement.statistics["pearson"])
    for estimates in found.values():
        estimates.append(Estimate(float(np.mean([estimate.mean for estimate in estimates]))))
    return found


def draw_samples(study: RatingStudy, names: Sequence[str], path: Path) -> None:
    """Figure 3 in form: how r varies over the draws."""
    name_of = dict(zip(study.signatures, names, strict=True))
    with path.open("wb") as stream:
        save(
            draw_distributions(study, Look(rename=lambda name: name_of.get(name, name))),
            stream,
            path.suffix[1:],
        )


def by_metric(found: Mapping[str, Sequence[Estimate]], comparison: Comparison) -> str:
    """Table 4: each rating, ours beside the published one."""
    rows = []
    for name in [*TABLE_4, *(name for name in found if name not in TABLE_4)]:
        if name not in found:
            continue
        published = TABLE_4.get(name)
        row = [name]
        for number, (human, estimate) in enumerate(zip((*RATINGS, AVERAGE), found[name], strict=True)):
            figure = published[2 * number] if published else None
            if not published or human == AVERAGE:
                # Averages are published without ±; the largest of their parts stands in.
                row += comparison.cells(
                    f"{name} {human}",
                    estimate,
                    figure,
                    allowed=max((published or (0.0,))[1:6:2], default=0.0),
                )
            else:
                row += comparison.cells(f"{name} {human}", estimate, figure, spread=published[2 * number + 1])
        rows.append(row)
    header = ["metric", *(head for human in (*RATINGS, AVERAGE) for head in (human, "published"))]
    return table(header, rows)


def by_ablation(examples: Sequence[Example], jobs: int) -> str:
    """The average correlation without parts of PARENT; the paper has it on WikiBio."""
    panel = score_panel([examples], [parse(spec) for spec, _ in ABLATIONS.values()], jobs=jobs)
    found = correlate(study_systems(panel), list(ABLATIONS))
    rows = []
    for name, (_, published) in ABLATIONS.items():
        *ratings, average = found[name]
        numbers = (*(estimate.mean for estimate in ratings), average.value, published)
        rows.append([name, *(f"{number:.3f}" for number in numbers)])
    return table(["form", *RATINGS, AVERAGE, "published average, WikiBio"], rows)


def read_wikibio(data: Path) -> list[Example]:
    """The 300 shared boxes of WikiBio with their first sentences as texts."""
    examples: list[Example] = []
    for part in ("train", "valid", "test"):
        paths = [str(data / "wikibio" / f"{part}.{kind}") for kind in ("box", "summary")]
        examples += open_format("wikibio")(paths)
    return examples


def by_mix(data: Path, max_texts: int, comparison: Comparison) -> str:
    """The mean λ of WikiBio."""
    examples = sample(read_wikibio(data), max_texts)
    rows = []
    for spec in ("parent", 'parent(compat="paper")', 'parent(compat="google")'):
        with_texts = [
            Example(example.item, "", example.references[0], example.table, example.references)
            for example in examples
        ]
        mix = np.nanmean(np.frombuffer(parse(spec).score(with_texts).parts["mix"]))
        rows.append([f"`{spec}`", *comparison.cells(spec, float(mix), MEAN_MIX, allowed=0.05, digits=1)])
    return table(["metric", f"mean λ of {len(examples)} boxes", "published"], rows)


def by_extraction() -> str:
    """Table 5: an extractor of WebNLG, as the page on extraction has it, beside that of WikiBio."""
    page = (PAGES / "extraction.md").read_text()
    found = re.search(rf"^\| {EXTRACTED} \| (.+) \|$", page, re.MULTILINE)
    assert found
    ours = found[1].split(" | ")[-len(TABLE_5) :]
    cells = [
        cell
        for pair in zip(ours, (f"{figure:.3f}" for figure in TABLE_5.values()), strict=True)
        for cell in pair
    ]
    header = [head for name in TABLE_5 for head in (name, "published")]
    return table(["references of", *header], [[f"WebNLG, {EXTRACTED}; published: WikiBio", *cells]])


def make_tables(data: Path, jobs: int, max_texts: int) -> dict[str, str]:
    """Every table of the page."""
    with_meteor = bool(shutil.which("java"))
    if not max_texts and not with_meteor:
        sys.exit("METEOR, which the page has, needs Java; on Debian: apt-get install default-jre-headless")
    figure_1, table_4, mix = (Comparison(name) for name in ("figure 1", "table 4", "mean λ, footnote 7"))
    examples = sample(read_ratings(data), max_texts)
    with tempfile.TemporaryDirectory() as work:
        counts = Path(work, "train.counts")
        count_training_set(data / FOLDER / "challenge_data_train_dev.tar.xz", Path(work), counts)
        metrics = make_metrics(counts, with_meteor=with_meteor)
        panel = score_panel([examples], list(metrics.values()), jobs=jobs)
    study = study_systems(panel)
    if not max_texts:
        draw_samples(study, list(metrics), PICTURE)
    tables = {
        "figure 1": by_figure_1(figure_1),
        "table 4": by_metric(correlate(study, list(metrics)), table_4),
        "ablations": by_ablation(examples, jobs),
        "mix": by_mix(data, max_texts, mix),
        "table 5": by_extraction(),
    }
    why = "see the notes below table 4"
    rows = [figure_1.row(""), table_4.row(why), mix.row("100 boxes of each part only")]
    return {**tables, "summary": table(SUMMARY, rows)}


if __name__ == "__main__":
    run("parent", __doc__, make_tables)
