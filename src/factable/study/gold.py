"""How far a metric can go: texts that people wrote for the data, scored as if a system had written them.

Two tests of Garneau and Lamontagne (2021): a gold text among its own references,
which is the best a text can get; and the same text against other references of the same table only,
paraphrases that say the same in other words.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factable.core.metric import Metric
from factable.core.results import Scores
from factable.engine.score import score_files
from factable.errors import DataError, Fault
from factable.text.documents import RECORDS, units_of
from factable.types import Example

GOLD, PARAPHRASE = "gold", "paraphrase"


@dataclass(frozen=True, slots=True)
class Reach:
    """What a metric gives to gold texts among their own references, and against paraphrases only.

    `kept` is the share of the first that the second still has, undefined for a metric that begins at 0.
    """

    metric: str
    gold: float
    paraphrase: float
    kept: float
    parts: Mapping[str, tuple[float, float]]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GoldStudy:
    """All metrics; `tables` have two references or more, `left_out` have not."""

    signatures: Mapping[str, str]
    tables: int
    left_out: int
    reached: tuple[Reach, ...]


def study_gold(examples: Iterable[Example], metrics: Sequence[Metric], *, jobs: int = 1) -> GoldStudy:
    """Score the first reference of each table, with all references and with all but itself."""
    gold, left_out = gold_texts(examples)
    if not gold:
        raise DataError([Fault("data", None, "no table has two references", "give a data set with more")])
    others = [replace(example, system=PARAPHRASE, references=example.references[1:]) for example in gold]
    scored = [score_files([some], metrics, jobs=jobs).scores for some in (gold, others)]
    return GoldStudy(
        signatures={scores.metric: scores.signature for scores in scored[0]},
        tables=len(gold),
        left_out=left_out,
        reached=tuple(map(_reach, *scored)),
    )


def gold_texts(examples: Iterable[Example]) -> tuple[list[Example], int]:
    """The first reference of each table that has two, with all of them; and how many tables have not.

    Tables with the same facts are one, whatever their items are called.
    """
    first: dict[frozenset[str], Example] = {}
    references: dict[frozenset[str], dict[str, None]] = {}
    for example in examples:
        key = frozenset(units_of(example.table, RECORDS))
        if key:
            first.setdefault(key, example)
            texts = filter(str.strip, example.references)
            references.setdefault(key, {}).update(dict.fromkeys(texts))
    found = [
        replace(first[key], system=GOLD, text=next(iter(texts)), references=tuple(texts), human={})
        for key, texts in references.items()
        if len(texts) > 1
    ]
    return found, len(references) - len(found)


def _reach(gold: Scores, others: Scores) -> Reach:
    both = ~np.isnan(np.frombuffer(gold.values)) & ~np.isnan(np.frombuffer(others.values))
    reason = "" if both.all() else f"{int((~both).sum())} texts are unscored"
    kept = others.corpus / gold.corpus if gold.corpus else math.nan
    parts = {part: (value, others.corpus_parts[part]) for part, value in gold.corpus_parts.items()}
    return Reach(gold.metric, gold.corpus, others.corpus, kept, parts, reason)
