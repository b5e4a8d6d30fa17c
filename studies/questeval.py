"""The paper on Data-QuestEval (Rebuffel et al. 2021): agreement with people on WebNLG 2017, its table 1.

python -m studies.questeval [--data ../shared/data] [--elsewhere FOLDER] [--writer FOLDER]
                            [--writer-elsewhere FOLDER] [--causal FOLDER] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/questeval.md. --elsewhere is a model that answers and has seen no WebNLG,
made by `sh recipes/qa.sh` with ONLY=e2e. --writer is a model that asks and answers, made by `sh
recipes/questeval.sh`, --writer-elsewhere one made by it with ONLY=e2e, and --causal a language model, such as
`python recipes/smollm2.py` makes: they are slow, and score every ninth text. Rows of models that are not
given are left out. Answers of models are kept on disk, so a second run is quick. With --max-texts only so
many texts are used, evenly spaced, and the tables are printed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.registry import parse
from factable.models.language_model import likelihoods
from factable.stats.correlation import pearson, spearman
from factable.study.levels import sign_of
from factable.study.panel import Panel, score_panel
from factable.types import Example
from studies.page import run, sample, table
from studies.published import SUMMARY, Comparison
from studies.webnlg2017 import FIRST_REFERENCE_BLEU, REFERENCES, read_ratings

# What is measured, under the name of the page, and the row of table 1 that it belongs to.
SPECS = {
    "questeval": ("questeval", "data-QuestEval"),
    'questeval(questions="learnt")': ('questeval(questions="learnt")', ""),
    'questeval(similarity="f1")': ('questeval(similarity="f1")', ""),
    'questeval(similarity="bertscore")': ('questeval(similarity="bertscore")', ""),
    'questeval(unanswerable="ignore")': ('questeval(unanswerable="ignore")', ""),
    'questeval(compat="questeval")': ('questeval(compat="questeval")', ""),
    'questeval(source="references")': ('questeval(source="references")', "text-QuestEval"),
    'questeval(source="both")': ('questeval(source="both")', ""),
    "bertscore": ("bertscore", "BERTScore"),
    "parent": ("parent", "PARENT"),
}
RATINGS = ("fluency", "grammar", "semantics")
# Table 1, WebNLG: Pearson's r by text with fluency, grammar and semantics.
TABLE_1 = {
    "BLEU": (0.410, 0.418, 0.514),
    "PARENT": (0.4733, 0.5033, 0.6399),
    "BERTScore": (0.585, 0.638, 0.608),
    "perplexity": (0.494, 0.561, 0.487),
    "text-QuestEval": (0.550, 0.599, 0.710),
    "data-QuestEval": (0.576, 0.604, 0.735),
    "OOD-data-QuestEval": (0.5727, 0.611, 0.7152),
}
# How far figures may differ: the paper has no ±.
ALLOWED = 0.03
PERPLEXITY = "perplexity of SmolLM2-135M"
LIKELIHOOD = "log-likelihood of the whole text by the same model"
WRITER = 'questeval(compat="paper"), questions by a model'
WRITER_ELSEWHERE = f"{WRITER} trained on E2E"
# Models that write take a second or more for a text: they score one of so many.
SLOW_STRIDE = 9
Agree = Callable[..., NDArray[np.float64]]
ELSEWHERE = "questeval, its model trained on E2E"
HUMAN = "semantics"
HEADER = [
    "metric",
    "row of the paper",
    *(head for human in RATINGS for head in (human, "published")),
    "semantics, Spearman",
    "semantics, reference texts included",
]


class Column(NamedTuple):
    """The row of the paper, or nothing, and the value of each text."""

    published: str
    values: NDArray[np.float64]


def measure(
    panel: Panel, columns: Mapping[str, Column], system_texts: NDArray[np.bool_], comparison: Comparison
) -> list[list[str]]:
    """A row for each metric: each rating over systems' texts beside the published one, then semantics."""
    rows = []
    for name, (published, values) in columns.items():
        kept = system_texts & ~np.isnan(values)
        row = [name, published or "–"]
        for human, figure in zip(RATINGS, TABLE_1.get(published, (None,) * 3), strict=True):
            correlation = _agree(panel, values, human, kept, pearson)
            row += comparison.cells(f"{name} {human}", correlation, figure, allowed=ALLOWED)
        row += [f"{_agree(panel, values, HUMAN, kept, spearman):.3f}"]
        row += [f"{_agree(panel, values, HUMAN, ~np.isnan(values), pearson):.3f}"]
        rows.append(row)
    return rows


def columns_of(panel: Panel, rows_of: Mapping[str, str]) -> dict[str, Column]:
    """The values of each metric of a panel, higher ones better, by the names on the page."""
    return {
        name: Column(published, sign_of(parse(scores.metric)) * np.frombuffer(scores.values))
        for (name, published), scores in zip(rows_of.items(), panel.result.scores, strict=True)
    }


def likelihood_of(ratings: Sequence[Example], causal: Path) -> Column:
    """The log-likelihood of each text as a whole, which short texts have higher; NaN for an empty one."""
    texts = [example.text.strip() for example in ratings]
    found = likelihoods(str(causal), texts)
    return Column("", np.array([-one.surprise if one.tokens else np.nan for one in found]))


def _agree(
    panel: Panel, values: NDArray[np.float64], human: str, kept: NDArray[np.bool_], statistic: Agree
) -> float:
    ratings, once = panel.ratings[human], np.ones((1, len(panel.items)))
    return float(statistic(values[kept], ratings[kept], panel.item_of[kept], once)[0])


def make_tables(
    data: Path,
    jobs: int,
    max_texts: int,
    elsewhere: Path | None = None,
    writer: Path | None = None,
    writer_elsewhere: Path | None = None,
    causal: Path | None = None,
) -> dict[str, str]:
    """Every table of the page."""
    ratings = sample(read_ratings(data), max_texts)
    specs = dict(SPECS)
    if elsewhere:
        specs[ELSEWHERE] = f'questeval(qa="{elsewhere}")', "OOD-data-QuestEval"
    slow = {"questeval": ("questeval", ""), "bertscore": ("bertscore", "")}
    if writer:
        slow[WRITER] = f'questeval(compat="paper", writer="{writer}")', "data-QuestEval"
    if writer_elsewhere:
        slow[WRITER_ELSEWHERE] = (
            f'questeval(compat="paper", writer="{writer_elsewhere}")',
            "OOD-data-QuestEval",
        )
    if causal:
        slow[PERPLEXITY] = f'perplexity(model="{causal}")', "perplexity"
    comparison, of_slow = (
        Comparison("table 1, WebNLG"),
        Comparison("table 1, models that write, every ninth text"),
    )
    rows = _score(ratings, specs, jobs, comparison)
    rows_of_slow = _score(ratings[::SLOW_STRIDE], slow, jobs, of_slow, causal)
    first_reference = [replace(example, references=example.references[:1]) for example in ratings]
    bleu = score_panel([first_reference], [parse('bleu(smoothing="floor")')])
    rows += measure(bleu, columns_of(bleu, {FIRST_REFERENCE_BLEU: "BLEU"}), _by_systems(ratings), comparison)
    return {
        "ratings": table(HEADER, rows),
        "slow": table(HEADER, rows_of_slow),
        "summary": table(
            SUMMARY,
            [
                comparison.row("other models and questions; see the notes"),
                of_slow.row("much smaller models, the writers trained for minutes"),
            ],
        ),
    }


def _score(
    ratings: Sequence[Example],
    specs: Mapping[str, tuple[str, str]],
    jobs: int,
    comparison: Comparison,
    causal: Path | None = None,
) -> list[list[str]]:
    """A row for each metric, by its name on the page, and one for a language model."""
    panel = score_panel([ratings], [parse(spec) for spec, _ in specs.values()], jobs=jobs)
    columns = columns_of(panel, {name: row for name, (_, row) in specs.items()})
    if causal:
        columns[LIKELIHOOD] = likelihood_of(ratings, causal)
    return measure(panel, columns, _by_systems(ratings), comparison)


def _by_systems(ratings: Sequence[Example]) -> NDArray[np.bool_]:
    return np.array([example.system != REFERENCES for example in ratings])


if __name__ == "__main__":
    folders = ("elsewhere", "writer", "writer-elsewhere", "causal")
    run("questeval", __doc__, make_tables, arguments=dict.fromkeys(folders, Path))
