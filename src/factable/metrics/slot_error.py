"""Slot error rate: values of a closed domain that a text adds, leaves out, gets wrong or repeats.

Wen, Gašić, Mrkšić, Su, Vandyke and Young: Semantically Conditioned LSTM-based Natural Language Generation for
Spoken Dialogue Systems. EMNLP 2015. Dušek, Howcroft and Rieser: Semantic Noise Matters for Neural Natural
Language Generation. INLG 2019.
"""

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.metric import VALUE, Field, make_scores
from factable.metrics.parameters import require, require_choice
from factable.metrics.slot_counts import SlotErrors, count_errors, explain_errors
from factable.models.patterns import Patterns, load_patterns, patterns_checksum
from factable.types import Example, Finding, Scores

COMPATS = ("", "e2e")
NO_SLOTS = "no records with a value in its data"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotError:
    """Values that a text adds, leaves out, gets wrong or repeats, per slot of its data.

    patterns  how texts say values: "e2e", or a TOML file such as `factable train patterns` drafts
    compat    "e2e" reads and counts as the slot error script of the E2E challenge, quirks included
    """

    name: ClassVar[str] = "slot_error"
    version: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, math.inf)
    parts: ClassVar[tuple[str, ...]] = (
        "added",
        "missing",
        "wrong",
        "repeated",
        "omission",
        "hallucination",
    )
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    patterns: str = "e2e"
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require(self, "patterns", isinstance(self.patterns, str) and self.patterns != "", "a file name")
        require_choice(self, "compat", COMPATS)

    def ingredients(self) -> Mapping[str, str]:
        """The checksum of the patterns."""
        return {"patterns": patterns_checksum(self.patterns)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """Errors per slot of each example; an example without slots is unscored."""
        patterns = self._patterns()
        rows = [self._row(example, patterns) for example in examples]
        reasons = {place: NO_SLOTS for place, row in enumerate(rows) if not row[-2]}
        values = array("d", [sum(row[:4]) / row[-2] if row[-2] else math.nan for row in rows])
        parts = {
            part: array("d", [row[column] if row[-2] else math.nan for row in rows])
            for column, part in enumerate(self.parts)
        }
        stats = array("d", [number for row in rows for number in row])
        return make_scores(self, examples, values, parts, reasons, stats)

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """The slot error rate of a corpus: all errors by all slots; its parts are means over texts."""
        *counts, slots, texts = totals
        means = {part: count / texts for part, count in zip(self.parts, counts, strict=True)}
        return {VALUE: math.fsum(counts[:4]) / slots, **means}

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Each record with where it is said, and what is said instead, again or beyond."""
        patterns = self._patterns()
        return tuple(self._explain(example, patterns) for example in examples)

    def _row(self, example: Example, patterns: Patterns) -> tuple[float, ...]:
        """Counts, labels, slots and 1; zeros where there are no slots."""
        if not _has_slots(example):
            return (0.0,) * (len(self.parts) + 2)
        errors, _ = count_errors(example, patterns, compat=bool(self.compat))
        counts = len(errors.added), len(errors.missing), len(errors.wrong), len(errors.repeated)
        return tuple(map(float, (*counts, *self._labels(errors), len(errors.facts), 1)))

    def _labels(self, errors: SlotErrors) -> tuple[bool, bool]:
        """Omission and hallucination; for the original program what is only repeated is only added."""
        omission = bool(errors.missing or errors.wrong)
        hallucination = bool(errors.added or errors.wrong)
        if self.compat and errors.repeated and not hallucination:
            return False, True
        return omission, hallucination

    def _explain(self, example: Example, patterns: Patterns) -> tuple[Finding, ...]:
        if not _has_slots(example):
            return ()
        errors, said = count_errors(example, patterns, compat=bool(self.compat))
        return explain_errors(example, errors, said, patterns)

    def _patterns(self) -> Patterns:
        return load_patterns(self.patterns, compat=bool(self.compat))


def _has_slots(example: Example) -> bool:
    return any(record.value.strip() for record in example.table.records)
