"""What a metric suggests to annotators: its findings, in their categories and labels."""

from collections.abc import Callable, Sequence

import orjson

from factable.core.metric import Metric
from factable.core.results import Scores
from factable.engine.plan import Scored
from factable.engine.score import score_files
from factable.serve.annotation.categories import Category, category_for
from factable.serve.annotation.state import Suggestion
from factable.serve.annotation.store import NewText
from factable.types import Example, Finding, Kind

# The error that words with a finding of this kind are marked as, and the label of a record.
ERROR_OF: dict[Kind, str] = {"contradicted": "contradiction", "unsupported": "hallucination"}
LABEL_OF: dict[Kind, str] = {"supported": "said", "omitted": "not said", "contradicted": "wrong"}


def suggest(
    examples: Sequence[Example],
    metric: Metric,
    categories: Sequence[Category],
    *,
    asks_facts: bool = True,
    listener: Callable[[int], None] | None = None,
) -> tuple[list[NewText], str]:
    """The examples with the findings of a metric as suggestions, and the metric's signature.

    The listener is called with the number of examples after each unit of work.
    """
    listed: list[bytes] = []

    def take(unit: Scored) -> None:
        listed.extend(unit.listed)
        if listener:
            listener(len(unit.items))

    result = score_files([list(examples)], [metric], listing=_finding_rows, listener=take)
    texts = []
    for example, row in zip(examples, listed, strict=True):
        findings = [_load_finding(fields) for fields in orjson.loads(row)]
        texts.append(NewText(example, suggestions_of(findings, categories, asks_facts=asks_facts)))
    return texts, result.scores[0].signature


def _finding_rows(examples: Sequence[Example], pieces: Sequence[Scores]) -> list[bytes]:
    """The findings of each example, as the bytes that workers hand over."""
    (piece,) = pieces
    return [orjson.dumps([_dump_finding(each) for each in piece.findings[i]]) for i in range(len(examples))]


def _dump_finding(finding: Finding) -> tuple[object, ...]:
    return finding.kind, finding.record, finding.span, finding.score, finding.note, finding.claim


def _load_finding(fields: Sequence[object]) -> Finding:
    kind, record, span, score, note, claim = fields
    return Finding(kind, record, tuple(span) if span else None, score, note, claim)  # type: ignore[arg-type]


def suggestions_of(
    findings: Sequence[Finding], categories: Sequence[Category], *, asks_facts: bool = True
) -> list[Suggestion]:
    """Each wrong piece of text once, and a label for each record that the metric speaks of."""
    names = [category.name for category in categories if category.error != "omission"]
    on_words: dict[tuple[int, int], Suggestion] = {}
    on_facts: dict[int, Suggestion] = {}
    for finding in findings:
        if finding.span and finding.kind in ERROR_OF:
            # A file of categories need not have one for every error.
            category = category_for(categories, ERROR_OF[finding.kind]) or names[0]
            made = Suggestion(category, finding.span, None, finding.score, finding.note)
            on_words.setdefault(finding.span, made)
        if finding.record is not None and not finding.claim and finding.kind in LABEL_OF and asks_facts:
            label = LABEL_OF[finding.kind]
            on_facts.setdefault(
                finding.record, Suggestion(label, None, finding.record, finding.score, finding.note)
            )
    return [*(on_words[span] for span in sorted(on_words)), *(on_facts[index] for index in sorted(on_facts))]
