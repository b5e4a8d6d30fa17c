"""Data-QuestEval against people, as in table 1 of its paper.

python -m studies.questeval [--data ../shared/data] [--elsewhere FOLDER] [--jobs 1] [--max-texts N]

Rewrites the table of docs/studies/questeval.md. --elsewhere is a model that was trained on other data than
WebNLG, as `sh recipes/qa.sh` says; its rows are left out without it. Answers of models are kept on disk, so a
second run is quick. With --max-texts only so many texts are used, evenly spaced, and the table is printed.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from factable.core.registry import parse
from factable.stats.correlation import pearson, spearman
from factable.study.panel import Panel, score_panel
from studies.page import run, sample, table
from studies.webnlg2017 import FIRST_REFERENCE_BLEU, HUMANS, PUBLISHED_BY_EXAMPLE, REFERENCES, read_ratings

SPECS = {
    "questeval": "questeval",
    'questeval(questions="learnt")': 'questeval(questions="learnt")',
    'questeval(similarity="f1")': 'questeval(similarity="f1")',
    'questeval(similarity="bertscore")': 'questeval(similarity="bertscore")',
    'questeval(unanswerable="ignore")': 'questeval(unanswerable="ignore")',
    'questeval(compat="questeval")': 'questeval(compat="questeval")',
    'questeval(source="references")': 'questeval(source="references")',
    'questeval(source="both")': 'questeval(source="both")',
    "bertscore": "bertscore",
    "parent": "parent",
}
# Semantics only: Data-QuestEval without references, and QuestEval against references.
PUBLISHED = PUBLISHED_BY_EXAMPLE | {
    ("questeval", "semantics"): 0.735,
    ('questeval(source="references")', "semantics"): 0.710,
}
Agree = Callable[..., NDArray[np.float64]]
ELSEWHERE = "questeval, its model trained on E2E"


def measure(panel: Panel, names: Sequence[str], system_texts: NDArray[np.bool_]) -> list[list[str]]:
    """A row of Pearson's r for each metric: each rating over systems' texts, semantics over all texts."""
    rows = []
    for name, scores in zip(names, panel.result.scores, strict=True):
        values = np.frombuffer(scores.values)
        row = [name]
        for human in HUMANS:
            correlation = _agree(panel, values, human, system_texts, pearson)
            published = PUBLISHED.get((name, human))
            row.append(f"{correlation:.3f}" + (f" ({published:.3f})" if published else ""))
        row += [f"{_agree(panel, values, HUMANS[0], system_texts, spearman):.3f}"]
        row += [f"{_agree(panel, values, HUMANS[0], np.ones_like(system_texts), pearson):.3f}"]
        rows.append(row)
    return rows


def _agree(
    panel: Panel, values: NDArray[np.float64], human: str, kept: NDArray[np.bool_], statistic: Agree
) -> float:
    ratings, once = panel.ratings[human], np.ones((1, len(panel.items)))
    return float(statistic(values[kept], ratings[kept], panel.item_of[kept], once)[0])


def make_tables(data: Path, jobs: int, max_texts: int, elsewhere: Path | None = None) -> dict[str, str]:
    """The only table of the page."""
    ratings = sample(read_ratings(data), max_texts)
    specs = dict(SPECS)
    if elsewhere:
        specs[ELSEWHERE] = f'questeval(qa="{elsewhere}")'
    system_texts = np.array([example.system != REFERENCES for example in ratings])
    panel = score_panel([ratings], [parse(spec) for spec in specs.values()], jobs=jobs)
    rows = measure(panel, list(specs), system_texts)
    first_reference = [replace(example, references=example.references[:1]) for example in ratings]
    bleu = score_panel([first_reference], [parse('bleu(smoothing="floor")')])
    rows += measure(bleu, [FIRST_REFERENCE_BLEU], system_texts)
    header = ["metric", *HUMANS, "semantics, Spearman", "semantics, reference texts included"]
    return {"ratings": table(header, rows)}


if __name__ == "__main__":
    run("questeval", __doc__, make_tables, arguments={"elsewhere": Path})
