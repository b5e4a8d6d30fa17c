"""What each choice of the ranking metric is worth on WebNLG 2017: ranker, form of facts, mean, decoys, pool.

python -m studies.ranking_choices [--data ../shared/data] [--jobs 1] [--max-texts N]

Rewrites the table of docs/studies/ranking_choices.md. Embeddings are kept on disk, so a second run is quick.
With --max-texts every part uses only so many texts, evenly spaced, and the table is printed.
"""

import lzma
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import orjson

from factable.core.registry import parse
from factable.io.formats import open_format
from factable.stats.correlation import pearson
from factable.study.panel import Panel, choose_systems, score_panel
from factable.study.ratings import study_ratings
from factable.types import Example
from studies.page import run, sample, table
from studies.webnlg2017 import FOLDER, REFERENCES, read_ratings

HUMAN = "semantics"
RANKERS = ("bm25", "embed", "trained")
READINGS = ("records", "values")
DECOYS = (3, 10)
MEANS = ("arithmetic", "harmonic")
PAPER = 'mean="arithmetic", decoys=0'
BOTH = "facts and references"
COLUMNS = ("pool", "ranker", "rank", "found by the text", "mean", "decoys")


def read_test_set(data: Path, work: Path) -> list[Example]:
    """The test set of the challenge."""
    path = work / "test.xml"
    path.write_bytes(lzma.decompress((data / FOLDER / "testdata_with_lex.xml.xz").read_bytes()))
    return list(open_format("webnlg")([str(path)]))


def write_pool(examples: Sequence[Example], path: Path) -> None:
    """The test set as a file that the metric can name."""
    rows = [
        {"id": example.item, "data": list(map(list, example.table.records)), "references": example.references}
        for example in examples
    ]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def make_specs(pool: Path) -> dict[tuple[str, ...], str]:
    """A metric for each pool, ranker, reading, direction, mean and number of decoys."""
    specs: dict[tuple[str, ...], str] = {}
    for name, argument in (("rated", ""), ("test set", f', pool="{pool}"')):
        for ranker in RANKERS:
            for reading in READINGS:
                arguments = f'ranker="{ranker}", rank="{reading}", {PAPER}'
                specs[name, ranker, reading, BOTH, "arithmetic", "0"] = f"ranking({arguments}{argument})"
        for mean in MEANS:
            for decoys in DECOYS if mean == "arithmetic" else (0, *DECOYS):
                arguments = f'mean="{mean}", decoys={decoys}'
                specs[name, "trained", "records", BOTH, mean, str(decoys)] = f"ranking({arguments}{argument})"
        for decoys in (0, *DECOYS):
            arguments = f'direction="table", decoys={decoys}'
            specs[name, "trained", "records", "facts", "", str(decoys)] = f"ranking({arguments}{argument})"
    return specs


def by_ranker(panel: Panel, names: Sequence[tuple[str, ...]]) -> str:
    """What gold texts get, and Pearson's r with the rating by system and by text."""
    gold = choose_systems(panel, [REFERENCES], [])
    systems = choose_systems(panel, [], [REFERENCES])
    study = study_ratings(panel, humans=[HUMAN], level="system", draws=500, seed=0, excluded=[REFERENCES])
    rating, once = systems.ratings[HUMAN], np.ones((1, len(systems.items)))
    rows = []
    for number, name in enumerate(names):
        column = np.frombuffer(systems.result.scores[number].values)
        (by_text,) = pearson(column, rating, systems.item_of, once)
        by_system = study.agreements[number].statistics["pearson"]
        shown = f"{by_system.value:.3f} [{by_system.low:.3f}, {by_system.high:.3f}]"
        best = np.nanmean(np.frombuffer(gold.result.scores[number].values))
        rows.append([*name, f"{best:.3f}", shown, f"{by_text:.3f}"])
    rows.append(["published", "trained", "", BOTH, "arithmetic", "", "0.88", "0.92", "0.47"])
    return table([*COLUMNS, "gold texts", "r by system", "r by text"], rows)


def make_tables(data: Path, jobs: int, max_texts: int) -> Mapping[str, str]:
    """The only table of the page."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        test_set = sample(read_test_set(data, work), max_texts)
        write_pool(test_set, work / "pool.jsonl")
        specs = make_specs(work / "pool.jsonl")
        panel = score_panel(
            [sample(read_ratings(data), max_texts)], [parse(spec) for spec in specs.values()], jobs=jobs
        )
    return {"rankers": by_ranker(panel, list(specs))}


if __name__ == "__main__":
    run("ranking_choices", __doc__, make_tables)
