"""The paper on ranking (Garneau and Lamontagne 2021): its figures on WebNLG 2017, and its tables in form.

python -m studies.ranking [--data ../shared/data] [--pairs FOLDER] [--jobs 1] [--max-texts N]

Rewrites the tables of docs/studies/ranking.md. --pairs names two encoders that were trained as in the paper,
by `sh recipes/ranker_pairs.sh`; their rows are left out without it. Embeddings and answers of models are kept
on disk, so a second run is quick. With --max-texts every part uses only so many texts, evenly spaced, and the
tables are printed.
"""

import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.study.gold import GoldScore, study_gold
from factable.study.panel import Panel, score_panel
from factable.types import Example
from studies.page import run, sample, table
from studies.published import SUMMARY, Comparison
from studies.ranking_choices import read_test_set, write_pool
from studies.webnlg2017 import FOLDER, REFERENCES, read_ratings

HUMAN, MOST = "semantics", 3
TRAINED, PAIRS, NLI, DEFAULT = "trained", "two encoders trained on pairs", "NLI", "our default"
# Gold texts, r by team, mean difference by team, r by text.
PUBLISHED = {
    "people": (0.92, None, None, None),
    TRAINED: (0.88, 0.92, 0.09, 0.47),
    PAIRS: (0.88, 0.92, 0.09, 0.47),
    NLI: (0.73, 0.92, 0.26, 0.59),
}
METRIC_WITH_NLI = 0.43
POOL, TRAINING = "pool.jsonl", "training.jsonl"
# Table 6: omission and hallucination rates by team.
TABLE_6 = {
    REFERENCES: (0.41, 0.37),
    "adapt": (0.55, 0.47),
    "baseline": (0.65, 0.61),
    "melbourne": (0.44, 0.38),
    "pkuwriter": (0.53, 0.50),
    "tilburg-nmt": (0.43, 0.36),
    "tilburg-pipe": (0.45, 0.38),
    "tilburg-smt": (0.40, 0.35),
    "upf-forge": (0.41, 0.35),
    "vietnam": (0.33, 0.33),
}
# Table 2, on Plum2Text: h→t, h→r and their mean.
TABLE_2 = {
    "bm25": (0.588, 0.596, 0.592),
    "embed": (0.274, 0.584, 0.429),
    TRAINED: (0.831, 0.871, 0.851),
    PAIRS: (0.831, 0.871, 0.851),
}
# Table 5, PARENT on Plum2Text: precision, recall and F.
TABLE_5 = {"itself": (1.0, 0.565, 0.673), "a paraphrase": (0.355, 0.24, 0.191)}
# How far figures without ± may differ: the paper gives two digits.
ALLOWED = 0.05


class Team(NamedTuple):
    """Mean of people (0 to 1) and of a metric over the outputs of a team."""

    people: float
    metric: float


def make_specs(work: Path, pairs: Path | None) -> dict[str, str]:
    """The paper's metric with each ranker, our default, and the NLI check; the pool is the test set."""
    pool = f'pool="{work / POOL}"'
    arguments = f'compat="paper", training="{work / TRAINING}", {pool}'
    specs = {name: f'ranking(ranker="{ranker}", {arguments})' for name, ranker in rankers_of(pairs).items()}
    return {**specs, DEFAULT: f"ranking({pool})", NLI: 'nli(compat="paper")'}


def rankers_of(pairs: Path | None) -> dict[str, str]:
    """The rankers by their names on the page; those trained on pairs only if there are some."""
    return {name: str(pairs) if name == PAIRS else name for name in TABLE_2 if pairs or name != PAIRS}


def shown(name: str) -> str:
    """The name of a row; that of a ranker is code."""
    return name if name in (PAIRS, NLI, DEFAULT) else f"`{name}`"


def teams_of(panel: Panel, values: NDArray[np.float64]) -> list[Team]:
    """People and a metric by team, the gold texts included."""
    rating = panel.ratings[HUMAN] / MOST
    members = [panel.system_of == number for number in range(len(panel.result.systems))]
    return [Team(float(rating[chosen].mean()), float(np.nanmean(values[chosen]))) for chosen in members]


def by_team(panel: Panel, names: Sequence[str], comparison: Comparison) -> str:
    """Gold texts, r and mean difference by team, and r by text, each beside the published one."""
    gold = panel.system_of == panel.result.systems.index(REFERENCES)
    rating = panel.ratings[HUMAN] / MOST
    columns = {
        name: np.frombuffer(scores.values) for name, scores in zip(names, panel.result.scores, strict=True)
    }
    rows = [["people", *comparison.cells("people on gold texts", float(rating[gold].mean()), 0.92, digits=2)]]
    rows[0] += ["–"] * 6
    for name, values in columns.items():
        teams = teams_of(panel, values)
        people, metric = (np.array(side) for side in zip(*teams, strict=True))
        scored = ~np.isnan(values)
        numbers = (
            float(np.nanmean(values[gold])),
            float(np.corrcoef(people, metric)[0, 1]),
            float(np.abs(people - metric).mean()),
            float(np.corrcoef(values[scored], rating[scored])[0, 1]),
        )
        published = PUBLISHED.get(name, (None,) * 4)
        row = [shown(name)]
        heads = ("gold texts", "r by team", "mean difference", "r by text")
        for head, number, figure in zip(heads, numbers, published, strict=True):
            row += comparison.cells(f"{name}, {head}", number, figure, allowed=ALLOWED, digits=2)
        rows.append(row)
    both = np.corrcoef(columns[TRAINED], columns[NLI])[0, 1]
    last = comparison.cells(
        "trained with NLI, r by text", float(both), METRIC_WITH_NLI, allowed=ALLOWED, digits=2
    )
    rows.append(["`trained` with NLI", *["–"] * 6, *last])
    header = ["metric", "gold texts", "published", "r by team", "published", "mean difference by team"]
    return table([*header, "published", "r by text", "published"], rows)


def by_rate(panel: Panel, number: int, comparison: Comparison) -> str:
    """Table 6: omissions and hallucinations by team, over the outputs that are there."""
    parts = panel.result.scores[number].parts
    rows = []
    for team, published in TABLE_6.items():
        if team not in panel.result.systems:
            continue
        chosen = panel.system_of == panel.result.systems.index(team)
        row = [team, str(int(chosen.sum()))]
        for part, figure in zip(("omission", "hallucination"), published, strict=True):
            rate = float(np.nanmean(np.frombuffer(parts[part])[chosen]))
            row += comparison.cells(f"{team} {part}", rate, figure, allowed=ALLOWED, digits=2)
        rows.append(row)
    return table(["team", "texts", "omission", "published", "hallucination", "published"], rows)


def _figures(score: GoldScore, side: int, parts: Sequence[str]) -> list[float]:
    return [*(score.parts[part][side] for part in parts), (score.gold, score.paraphrase)[side]]


def by_gold(examples: Sequence[Example], pairs: Path | None, jobs: int) -> dict[str, str]:
    """Tables 2 and 5 in form: on WebNLG, beside what is published for Plum2Text."""
    rankers = rankers_of(pairs)
    specs = [*(f'ranking(ranker="{ranker}", compat="paper")' for ranker in rankers.values()), "parent"]
    *of_rankers, parent = study_gold(examples, specs, jobs=jobs).scores
    rows = []
    for ranker, score in zip(rankers, of_rankers, strict=True):
        published = [f"{number:.3f}" for number in TABLE_2[ranker]]
        for side, kind in enumerate(TABLE_5):
            numbers = [f"{number:.3f}" for number in _figures(score, side, ("table", "references"))]
            # The paper has rankers on original texts only.
            rows.append([shown(ranker), kind, *_alternate(numbers, published if side == 0 else ["–"] * 3)])
    columns = ["h→t", "published", "h→r", "published", "mean", "published"]
    of_parent = [
        [kind, *_alternate([f"{n:.3f}" for n in _figures(parent, side, ("precision", "recall"))], printed)]
        for side, (kind, figures) in enumerate(TABLE_5.items())
        for printed in [[f"{number:.3f}" for number in figures]]
    ]
    header = ["reference", "precision", "published", "recall", "published", "F", "published"]
    return {"table 2": table(["ranker", "reference", *columns], rows), "table 5": table(header, of_parent)}


def _alternate(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return [cell for pair in zip(first, second, strict=True) for cell in pair]


def read_training_set(data: Path, work: Path) -> list[Example]:
    """The training set of the challenge, whose values can be made up."""
    with tarfile.open(data / FOLDER / "challenge_data_train_dev.tar.xz") as packed:
        packed.extractall(work, filter="data")
    return list(open_format("webnlg")([str(work / "challenge_data_train_dev" / "train")]))


def make_tables(data: Path, jobs: int, max_texts: int, pairs: Path | None = None) -> Mapping[str, str]:
    """Every table of the page."""
    teams, rates = Comparison("section 4.2 and figure 2"), Comparison("table 6")
    # Like the paper, only over outputs that are there.
    present = [example for example in read_ratings(data) if example.text.strip()]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        test_set = sample(read_test_set(data, work), max_texts)
        write_pool(test_set, work / POOL)
        write_pool(read_training_set(data, work), work / TRAINING)
        specs = make_specs(work, pairs)
        panel = score_panel([sample(present, max_texts)], [parse(spec) for spec in specs.values()], jobs=jobs)
    names = list(specs)
    best = names.index(PAIRS if pairs else TRAINED)
    tables = {
        "teams": by_team(panel, names, teams),
        "table 6": by_rate(panel, best, rates),
        **by_gold(test_set, pairs, jobs),
    }
    rows = [
        teams.row("another encoder, trained otherwise; see the notes"),
        rates.row("about half of the published rates, in the same order: see the notes"),
    ]
    return {**tables, "summary": table(SUMMARY, rows)}


if __name__ == "__main__":
    run("ranking", __doc__, make_tables, arguments={"pairs": Path})
