"""The ledger: every fact of the data and every claim of the text accounted for, with spans."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from factable.core.metric import VALUE, Field, make_scores
from factable.core.params import require, require_choice
from factable.errors import DataError, Fault
from factable.io.data import make_table
from factable.io.faults import Malformed
from factable.metrics.ledger.audit import audit
from factable.metrics.ledger.decide import decide
from factable.metrics.ledger.doubts import doubts_of
from factable.metrics.ledger.features import Answer
from factable.metrics.ledger.reading import Reading
from factable.metrics.ledger.verdict import Rules, Verdict
from factable.metrics.ledger.weights import load_weights, weights_checksum
from factable.metrics.nli.check import Selection, names_in
from factable.models.nli import ask_in_groups, identity_of
from factable.models.protocols import TextPair
from factable.models.templates import load_templates, templates_checksum
from factable.types import Example, Finding, Scores

NO_FACTS = "no records with a value in its data"
VALUES = ("soft", "ok")
PARTS = ("ok", "probability", "omission", "hallucination", "omitted", "unsupported")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Every fact of the data and every claim of the text: said or not, supported or not, and where.

    model          "nli", which is embedded, a folder made by `factable train nli`, or a Hugging Face model
    templates      how facts become sentences: "default", "webnlg", "e2e", "backoff" or a JSON file
    required       the only facts that must be said, such as "food,area=riverside"; all if not given
    optional       facts that may be left out, such as "near,eatType=restaurant"
    ignore         facts that are not looked at, said or not, such as "near"
    omission       how probable it must be that a fact is said
    hallucination  how probable it must be that a sentence is clean
    value          "soft", a score that tells degrees, or "ok": 1 for a text that is OK, else 0
    weights        a file made by `factable train ledger`; those that ship if not given
    """

    name: ClassVar[str] = "ledger"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"
    parts: ClassVar[tuple[str, ...]] = PARTS
    slow: ClassVar[bool] = True
    always_explains: ClassVar[bool] = True

    model: str = "nli"
    templates: str = "default"
    required: str = ""
    optional: str = ""
    ignore: str = ""
    omission: float = 0.5
    hallucination: float = 0.5
    value: str = "soft"
    weights: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        for parameter in ("model", "templates", "required", "optional", "ignore", "weights"):
            require(self, parameter, isinstance(getattr(self, parameter), str), "a text")
        require_choice(self, "value", VALUES)
        for parameter in ("omission", "hallucination"):
            value = getattr(self, parameter)
            require(self, parameter, isinstance(value, float | int) and 0 <= value <= 1, "from 0 to 1")

    def checksums(self) -> dict[str, str]:
        """Checksums of the model, the templates and the weights."""
        return {
            "model": identity_of(self.model),
            "templates": templates_checksum(self.templates),
            "weights": weights_checksum(self.weights),
        }

    @property
    def rules(self) -> Rules:
        """What counts as a fault."""
        selection = Selection(names_in(self.required), names_in(self.optional))
        return Rules(selection, names_in(self.ignore), self.omission, self.hallucination)

    def verdicts(self, examples: Sequence[Example]) -> list[Verdict]:
        """The ledger of each text."""
        templates, weights = load_templates(self.templates), load_weights(self.weights)
        readings = [Reading.of(example, templates) for example in examples]
        audits = audit(readings, weights, self._ask)
        doubts = [doubts_of(each, self.rules, templates) for each in audits]
        answers = self._ask([each.pairs for each in doubts])
        return [decide(*each, self.rules) for each in zip(audits, doubts, answers, strict=True)]

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, NaN for one without facts; findings hold the whole ledger."""
        verdicts = self.verdicts(examples)
        rows = [self._row(verdict) for verdict in verdicts]
        stats = array("d", [number for row in rows for number in row])
        finished = [
            self.finish(row) if verdict.facts else {} for row, verdict in zip(rows, verdicts, strict=True)
        ]
        values = array("d", [each.get(VALUE, math.nan) for each in finished])
        parts = {part: array("d", [each.get(part, math.nan) for each in finished]) for part in PARTS}
        reasons = {index: NO_FACTS for index, value in enumerate(values) if math.isnan(value)}
        scores = make_scores(self, examples, values, parts, reasons, stats)
        findings = [
            verdict.findings if verdict.facts else found
            for verdict, found in zip(verdicts, scores.findings, strict=True)
        ]
        return replace(scores, findings=tuple(findings))

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Every fact and every claim."""
        return tuple(verdict.findings for verdict in self.verdicts(examples))

    def finish(self, totals: Sequence[float]) -> dict[str, float]:
        """Rates of one or many texts, from sums of their counts."""
        texts, value, ok, chance, omission, hallucination, facts, omitted, words, unsupported = totals
        return {
            VALUE: value / texts,
            "ok": ok / texts,
            "probability": chance / texts,
            "omission": omission / texts,
            "hallucination": hallucination / texts,
            "omitted": 100 * omitted / facts if facts else 0.0,
            "unsupported": 100 * unsupported / words if words else 0.0,
        }

    def _row(self, verdict: Verdict) -> tuple[float, ...]:
        """What is counted about one text, in the order of `finish`."""
        required = [fact for fact in verdict.facts if fact.required]
        return (
            1.0,
            value_of(verdict) if self.value == "soft" else float(verdict.is_ok),
            float(verdict.is_ok),
            verdict.probability,
            float("omission" in verdict.label),
            float("hallucination" in verdict.label),
            float(len(required)),
            float(sum(fact.state != "supported" for fact in required)),
            float(len(verdict.text.split())),
            float(sum(span.state != "supported" for span in verdict.spans)),
        )

    def _ask(self, groups: Sequence[Sequence[TextPair]]) -> list[list[Answer]]:
        return ask_in_groups(self.model, groups)


def value_of(verdict: Verdict) -> float:
    """The soft score: two thirds for the facts, one third for the text as a whole; 0 for an empty text."""
    if not verdict.text.strip():
        return 0.0
    chances = [fact.probability for fact in verdict.facts if fact.required] or [1.0]
    return (2 * math.fsum(chances) / len(chances) + verdict.probability) / 3


def check(data: object, text: str, *, subject: str = "", title: str = "", **options: Any) -> Verdict:
    """The ledger of one text: `data` in any form that files may have it, `options` those of the metric."""
    try:
        table = make_table(data, subject=subject, title=title)
    except Malformed as fault:
        raise DataError([Fault("data", None, fault.problem, fault.remedy)]) from None
    return Ledger(**options).verdicts([Example("", "", text, table)])[0]
