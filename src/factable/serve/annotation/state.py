"""What one annotator says about one text: marks on words, labels of facts, decisions on suggestions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from factable.io.faults import Malformed, kind_of, shorten
from factable.serve.annotation.categories import Category
from factable.types import ERRORS, OK

FactLabel = Literal["said", "not said", "wrong"]
FACT_LABELS: tuple[FactLabel, ...] = ("said", "not said", "wrong")
# What a label of a fact means for the verdict on the text.
ERROR_OF_FACT = {"not said": "omission", "wrong": "contradiction"}
MAX_MARKS = 1000
MAX_COMMENT = 5000


class Mark(NamedTuple):
    """Marked characters of a text; `suggestion` is the number of the suggestion that it accepts."""

    start: int
    end: int
    category: str
    comment: str = ""
    suggestion: int | None = None


class Suggestion(NamedTuple):
    """What a metric says: words with a category of errors, or a record with a label of facts."""

    label: str
    span: tuple[int, int] | None = None
    record: int | None = None
    score: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class AnnotationState:
    """All that an annotator says about a text; `decisions` has True for each suggestion accepted."""

    marks: tuple[Mark, ...] = ()
    facts: Mapping[int, FactLabel] = field(default_factory=dict)
    decisions: Mapping[int, bool] = field(default_factory=dict)
    comment: str = ""
    done: bool = False

    def to_object(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "marks": [mark._asdict() for mark in self.marks],
            "facts": {str(record): label for record, label in sorted(self.facts.items())},
            "decisions": {str(number): accepted for number, accepted in sorted(self.decisions.items())},
            "comment": self.comment,
            "done": self.done,
        }


def restore_state(fields: Mapping[str, Any]) -> AnnotationState:
    """The state whose `to_object` gave these fields, which were checked when they were saved."""
    return AnnotationState(
        tuple(Mark(**mark) for mark in fields["marks"]),
        {int(record): label for record, label in fields["facts"].items()},
        {int(number): accepted for number, accepted in fields["decisions"].items()},
        fields["comment"],
        fields["done"],
    )


@dataclass(frozen=True, slots=True)
class Frame:
    """What a state has to fit: the length of the text, its facts, suggestions and the categories."""

    length: int
    records: int
    suggestions: int
    categories: Sequence[Category]


def make_state(fields: object, frame: Frame) -> AnnotationState:
    """Check an object from outside; raises Malformed."""
    if not isinstance(fields, dict):
        raise Malformed(f"{kind_of(fields)} instead of an object", 'give {"marks": […], "facts": {…}}')
    for name in fields:
        if name not in AnnotationState.__dataclass_fields__:
            raise Malformed(
                f"unknown field {shorten(str(name))}",
                f"fields are {', '.join(AnnotationState.__dataclass_fields__)}",
            )
    marks = fields.get("marks", [])
    if not isinstance(marks, list) or len(marks) > MAX_MARKS:
        raise Malformed('"marks" is no list, or too long', f"give a list of up to {MAX_MARKS} marks")
    done = fields.get("done", False)
    if not isinstance(done, bool):
        raise Malformed(f'"done" is {kind_of(done)}', "give true or false")
    return AnnotationState(
        tuple(sorted({_make_mark(mark, frame) for mark in marks}, key=lambda mark: mark[:3])),
        _make_facts(fields.get("facts", {}), frame),
        _make_decisions(fields.get("decisions", {}), frame),
        _make_comment(fields.get("comment", "")),
        done,
    )


def _make_mark(mark: object, frame: Frame) -> Mark:
    if not isinstance(mark, dict) or not {"start", "end", "category"} <= mark.keys() <= {*Mark._fields}:
        remedy = 'give {"start": 0, "end": 5, "category": "wrong"}'
        raise Malformed(f"a mark is {kind_of(mark)}, or its fields are others", remedy)
    made = Mark(**mark)
    if type(made.start) is not int or type(made.end) is not int:
        raise Malformed("a mark starts or ends at no whole number", "count characters from 0")
    if not 0 <= made.start < made.end <= frame.length:
        problem = f"a mark from {made.start} to {made.end}"
        raise Malformed(problem, f"the text has {frame.length} characters; count them from 0")
    if made.category not in {category.name for category in frame.categories}:
        raise Malformed(f"unknown category {shorten(str(made.category))}", "use one of the campaign")
    if made.suggestion is not None and not _is_index(made.suggestion, frame.suggestions):
        raise Malformed("a mark accepts a suggestion that does not exist", "reload the text")
    return made._replace(comment=_make_comment(made.comment))


def _is_index(value: object, length: int) -> bool:
    return type(value) is int and 0 <= value < length


def _make_comment(comment: object) -> str:
    if not isinstance(comment, str):
        raise Malformed(f'"comment" is {kind_of(comment)}', "give a string")
    if len(comment) > MAX_COMMENT:
        raise Malformed(f"a comment of {len(comment)} characters", f"use up to {MAX_COMMENT}")
    return comment


def _numbered(field_name: str, given: object, length: int) -> dict[int, object]:
    """An object whose names are indices."""
    if not isinstance(given, dict):
        raise Malformed(f'"{field_name}" is {kind_of(given)}', 'give an object such as {"0": …}')
    numbered = {int(name): value for name, value in given.items() if name.isascii() and name.isdecimal()}
    if len(numbered) != len(given) or any(not _is_index(number, length) for number in numbered):
        raise Malformed(f'"{field_name}" names something that does not exist', f"there are {length} of them")
    return numbered


def _make_facts(given: object, frame: Frame) -> dict[int, FactLabel]:
    facts = _numbered("facts", given, frame.records)
    for label in facts.values():
        if label not in FACT_LABELS:
            raise Malformed(f"a fact is {shorten(str(label))}", f"give {', '.join(FACT_LABELS)}")
    return cast(dict[int, FactLabel], facts)


def _make_decisions(given: object, frame: Frame) -> dict[int, bool]:
    decisions = _numbered("decisions", given, frame.suggestions)
    if not all(isinstance(accepted, bool) for accepted in decisions.values()):
        raise Malformed("a decision is neither true nor false", "give true for accepted, false for rejected")
    return cast(dict[int, bool], decisions)


def errors_in(state: AnnotationState, categories: Sequence[Category]) -> tuple[str, ...]:
    """What is wrong with a text by the marks and facts of one annotator, in the order of labels."""
    error_of = {category.name: category.error for category in categories}
    found = {error_of.get(mark.category, "") for mark in state.marks}
    found |= {ERROR_OF_FACT.get(label, "") for label in state.facts.values()}
    return tuple(error for error in ERRORS if error in found)


def label_of(state: AnnotationState, categories: Sequence[Category]) -> str:
    """OK, or what is wrong, such as `omission+contradiction`."""
    return "+".join(errors_in(state, categories)) or OK
