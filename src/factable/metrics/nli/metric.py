"""The NLI check: does the text entail each fact, and do the facts entail the text.

Dušek and Kasner: Evaluating Semantic Accuracy of Data-to-Text Generation with Natural Language Inference.
INLG 2020.
"""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.core.metric import Field, make_scores
from factable.core.params import require, require_choice
from factable.metrics.nli.check import (
    Answer,
    Check,
    Decision,
    Selection,
    decide,
    explain_check,
    names_in,
    questions_of,
    sentence_pairs,
)
from factable.models.nli import ask_in_groups, identity_of
from factable.models.protocols import TextPair
from factable.models.templates import load_templates, templates_checksum
from factable.types import Example, Finding, Scores

DIRECTIONS = ("both", "omission", "hallucination")
COMPATS = ("", "nlgi")
PARTS_OF = {
    "omission": ("text_to_facts", "omission"),
    "hallucination": ("facts_to_text", "hallucination"),
}
NO_FACTS = "no records with a value in its data"


@dataclass(frozen=True, slots=True, kw_only=True)
class NliCheck:
    """Entailment of each fact by the text, and of the text by the facts (Dušek and Kasner 2020).

    model      "nli", which is embedded, a folder made by `factable train nli`, or a Hugging Face model
    templates  how facts become sentences: "default", "webnlg", "e2e", "backoff" (one for all) or a JSON file
    direction  what is looked for: "both", "omission" or "hallucination"
    required   the only facts that must be said, such as "food,area=riverside"; all if not given
    optional   facts that may be left out, such as "near,eatType=restaurant"
    compat     "nlgi" decides as that program does; its value is the confidence
    """

    name: ClassVar[str] = "nli"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"table"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"
    slow: ClassVar[bool] = True

    model: str = "nli"
    templates: str = "default"
    direction: str = "both"
    required: str = ""
    optional: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "direction", DIRECTIONS)
        require_choice(self, "compat", COMPATS)
        for parameter in ("model", "templates", "required", "optional"):
            require(self, parameter, isinstance(getattr(self, parameter), str), "a text")
        whole = not self.compat or self.direction == "both"
        require(self, "direction", whole, '"both" with compat="nlgi", whose decision takes both')

    @property
    def parts(self) -> tuple[str, ...]:
        """The confidence, and for each direction its probability and whether it was found."""
        directions = ("omission", "hallucination") if self.direction == "both" else (self.direction,)
        return ("confidence", *(part for direction in directions for part in PARTS_OF[direction]))

    def checksums(self) -> dict[str, str]:
        """Checksums of the model and of the templates."""
        return {"model": identity_of(self.model), "templates": templates_checksum(self.templates)}

    def score(self, examples: Sequence[Example]) -> Scores:
        """One value per example, NaN for one without facts."""
        decisions = self._decide(examples)
        values = array("d", [decision.value for decision in decisions])
        parts = {part: array("d", [getattr(decision, part) for decision in decisions]) for part in self.parts}
        reasons = {index: NO_FACTS for index, value in enumerate(values) if math.isnan(value)}
        return make_scores(self, examples, values, parts, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Each fact with what the text says of it, and the sentences that the facts do not entail."""
        decisions = self._decide(examples)
        answers = self._ask([sentence_pairs(decision) for decision in decisions])
        return tuple(map(explain_check, decisions, answers))

    def _decide(self, examples: Sequence[Example]) -> list[Decision]:
        """What the model says of each example."""
        templates = load_templates(self.templates)
        selection = Selection(names_in(self.required), names_in(self.optional))
        checks = [
            Check.of(example, templates, selection, direction=self.direction, compat=self.compat)
            for example in examples
        ]
        answers = self._ask([[question.pair for question in questions_of(check)] for check in checks])
        return list(map(decide, checks, answers))

    def _ask(self, groups: Sequence[Sequence[TextPair]]) -> list[list[Answer]]:
        return ask_in_groups(self.model, groups)
