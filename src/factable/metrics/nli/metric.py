"""The NLI check: does the text entail each fact, and do the facts entail the text.

Dušek and Kasner: Evaluating Semantic Accuracy of Data-to-Text Generation with Natural Language Inference.
INLG 2020.
"""

from collections.abc import Mapping, Sequence

from factable.core.metric import Metric, metric, param
from factable.core.results import Analysis, Findings
from factable.metrics.nli.check import (
    COMPATS,
    NLGI,
    Check,
    Decision,
    decide,
    explain_check,
    questions_of,
    sentence_pairs,
)
from factable.metrics.selection import Selection, names_in
from factable.metrics.tables import NO_FACTS, columns_of
from factable.models.nli import entailment_of_groups, nli_identity
from factable.models.templates import load_templates, templates_checksum
from factable.types import Example

DIRECTIONS = ("both", "omission", "hallucination")
PARTS_OF = {
    "omission": ("text_to_facts", "omission"),
    "hallucination": ("facts_to_text", "hallucination"),
}


@metric
class NliCheck(Metric):
    """Entailment of each fact by the text, and of the text by the facts (Dušek and Kasner 2020)."""

    name = "nli"
    version = 2
    slow = True

    model: str = param(
        "nli",
        '"nli", which is embedded, a folder made by `factable train nli`, or a Hugging Face model',
        file=True,
    )
    templates: str = param(
        "default",
        'how facts become sentences: "default", "webnlg", "e2e", "backoff" (one for all) or a JSON file',
        example="backoff",
    )
    direction: str = param("both", "which errors to look for", choices=DIRECTIONS)
    required: str = param(
        "", "only these facts must be stated, such as food,area=riverside; default: all", example="born"
    )
    optional: str = param("", "facts that may be left out, such as near,eatType=restaurant", example="born")
    compat: str = param(
        "",
        '"paper": only the questions of the paper; "nlgi": decides as that program does; the value of both '
        "is the confidence",
        choices=COMPATS,
    )

    def check(self) -> None:
        """Refuse what does not go together."""
        if self.compat == NLGI and self.direction != "both":
            raise self.bad("direction", '"both" with compat="nlgi", whose decision takes both')

    @property
    def parts(self) -> tuple[str, ...]:
        """The confidence, and for each direction its probability and whether it was found."""
        directions = ("omission", "hallucination") if self.direction == "both" else (self.direction,)
        return ("confidence", *(part for direction in directions for part in PARTS_OF[direction]))

    @property
    def fact_names(self) -> Mapping[str, frozenset[str]]:
        """Those that must be stated, and those that may."""
        return {"required": names_in(self.required), "optional": names_in(self.optional)}

    def checksums(self) -> Mapping[str, str]:
        """Checksums of the model and of the templates."""
        return {"model": nli_identity(self.model), "templates": templates_checksum(self.templates)}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """How far text and facts entail each other; the facts left out and the sentences made up."""
        decisions = self._decide(examples)
        values, parts, reasons = columns_of(decisions, self.parts, NO_FACTS)
        return Analysis(values, parts, reasons, find=lambda: self._find(decisions))

    def _decide(self, examples: Sequence[Example]) -> list[Decision]:
        templates = load_templates(self.templates)
        selection = Selection(names_in(self.required), names_in(self.optional))
        checks = [
            Check.of(example, templates, selection, direction=self.direction, compat=self.compat)
            for example in examples
        ]
        pairs = [[question.pair for question in questions_of(check)] for check in checks]
        return list(map(decide, checks, entailment_of_groups(self.model, pairs)))

    def _find(self, decisions: Sequence[Decision]) -> list[Findings]:
        answers = entailment_of_groups(self.model, [sentence_pairs(decision) for decision in decisions])
        return list(map(explain_check, decisions, answers))
