"""How far a metric can go: references, scored as if a system had written them.

Two tests of Garneau and Lamontagne (2021): every reference as a text with itself as its reference, which is
the best a text can get ("fixing the metric", their table 2); and every reference with each other one of its
table, a paraphrase that says the same in other words (their "augmented" pairs, table 5).
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
    """What a metric gives to references against themselves, and against their paraphrases.

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
    """All metrics; `tables` have two references or more, `left_out` have fewer.

    `texts` references were scored against themselves, and in `pairs` against each other.
    """

    signatures: Mapping[str, str]
    tables: int
    left_out: int
    texts: int
    pairs: int
    scores: tuple[GoldScore, ...]


def study_gold(
    data: Source | Sequence[Source],
    metrics: Iterable[str | Metric],
    *,
    jobs: int | None = None,
    engine: str = "local",
) -> GoldStudy:
    """Score every reference of a table, beside itself and beside each of the others."""
    examples = (example for source in as_sources(data) for example in iter_examples(source, need_text=False))
    tables, left_out = tables_with_references(examples)
    if not tables:
        raise DataError([Fault("data", None, "no table has two references", "give a data set with more")])
    gold = [_pair(table, text, text) for table in tables for text in table.references]
    others = [
        _pair(table, text, reference)
        for table in tables
        for text in table.references
        for reference in table.references
        if text != reference
    ]
    parsed = parse_all(metrics)
    of_gold, of_others = (
        score_files([texts], parsed, jobs=jobs, engine=engine).scores for texts in (gold, others)
    )
    return GoldStudy(
        signatures={scores.metric: scores.signature for scores in of_gold},
        tables=len(tables),
        left_out=left_out,
        texts=len(gold),
        pairs=len(others),
        scores=tuple(map(_compare, of_gold, of_others)),
    )


def tables_with_references(examples: Iterable[Example]) -> tuple[list[Example], int]:
    """The tables that have two references, with all of them; and how many tables have fewer.

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
    tables = [
        replace(first[key], references=tuple(texts), human={})
        for key, texts in references.items()
        if len(texts) > 1
    ]
    return tables, len(references) - len(tables)


def _pair(table: Example, text: str, reference: str) -> Example:
    """A reference as a text beside one reference."""
    numbers = "-".join(str(table.references.index(each)) for each in (text, reference))
    system = GOLD if text == reference else PARAPHRASE
    return replace(table, item=f"{table.item} {numbers}", system=system, text=text, references=(reference,))


def _compare(gold: Scores, others: Scores) -> GoldScore:
    unscored = sum(int(np.isnan(np.frombuffer(scores.values)).sum()) for scores in (gold, others))
    reason = f"{unscored} texts are unscored" if unscored else ""
    kept = others.corpus / gold.corpus if gold.corpus else math.nan
    parts = {part: (value, others.corpus_parts[part]) for part, value in gold.corpus_parts.items()}
    return GoldScore(gold.metric, gold.corpus, others.corpus, kept, parts, reason)
