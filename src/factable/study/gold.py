"""How far a metric can go: references, scored as if a system had written them.

Two tests of Garneau and Lamontagne (2021): a gold text against all references of its table, its own wording
included, which is the best a text can get; and the same text against the other references only, paraphrases
that say the same in other words.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from factable.core.metric import Metric
from factable.core.results import Scores
from factable.engine.score import parse_all, score_files
from factable.errors import DataError, Fault
from factable.io.read import Source, iter_examples
from factable.study.panel import as_sources
from factable.text.documents import RECORDS, table_documents
from factable.types import Example

GOLD, PARAPHRASE = "gold", "paraphrase"


@dataclass(frozen=True, slots=True)
class GoldScore:
    """What a metric gives to gold texts against all their references, and against paraphrases only.

    `kept` is the second divided by the first, undefined where the first is 0.
    """

    metric: str
    gold: float
    paraphrase: float
    kept: float
    parts: Mapping[str, tuple[float, float]]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class GoldStudy:
    """All metrics; `tables` have two references or more, `left_out` have fewer."""

    signatures: Mapping[str, str]
    tables: int
    left_out: int
    scores: tuple[GoldScore, ...]


def study_gold(
    data: Source | Sequence[Source],
    metrics: Iterable[str | Metric],
    *,
    jobs: int | None = None,
    engine: str = "local",
) -> GoldStudy:
    """Score the first reference of each table, with all references and with all but itself."""
    examples = (example for source in as_sources(data) for example in iter_examples(source, need_text=False))
    gold, left_out = gold_texts(examples)
    if not gold:
        raise DataError([Fault("data", None, "no table has two references", "give a data set with more")])
    others = [replace(example, system=PARAPHRASE, references=example.references[1:]) for example in gold]
    parsed = parse_all(metrics)
    of_gold, of_others = (
        score_files([texts], parsed, jobs=jobs, engine=engine).scores for texts in (gold, others)
    )
    return GoldStudy(
        signatures={scores.metric: scores.signature for scores in of_gold},
        tables=len(gold),
        left_out=left_out,
        scores=tuple(map(_compare, of_gold, of_others)),
    )


def gold_texts(examples: Iterable[Example]) -> tuple[list[Example], int]:
    """The first reference of each table that has two, with all of them; and how many tables have fewer.

    Tables with the same facts are one, whatever their items are called.
    """
    first: dict[frozenset[str], Example] = {}
    references: dict[frozenset[str], dict[str, None]] = {}
    for example in examples:
        key = frozenset(table_documents(example.table, RECORDS))
        if key:
            first.setdefault(key, example)
            texts = filter(str.strip, example.references)
            references.setdefault(key, {}).update(dict.fromkeys(texts))
    gold = [
        replace(first[key], system=GOLD, text=next(iter(texts)), references=tuple(texts), human={})
        for key, texts in references.items()
        if len(texts) > 1
    ]
    return gold, len(references) - len(gold)


def _compare(gold: Scores, others: Scores) -> GoldScore:
    scored = ~np.isnan(np.frombuffer(gold.values)) & ~np.isnan(np.frombuffer(others.values))
    reason = "" if scored.all() else f"{int((~scored).sum())} texts are unscored"
    kept = others.corpus / gold.corpus if gold.corpus else math.nan
    parts = {part: (value, others.corpus_parts[part]) for part, value in gold.corpus_parts.items()}
    return GoldScore(gold.metric, gold.corpus, others.corpus, kept, parts, reason)
