"""Annotations out to files that the studies and factgenie read, and in from such files."""

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import orjson

from factable.errors import DataError, Fault
from factable.io.examples import to_object
from factable.io.faults import Faults, Malformed
from factable.io.files import source_name
from factable.io.judgements import AnnotatedSpan, Annotation, make_annotation
from factable.io.objects import open_objects
from factable.serve.annotation.categories import Category
from factable.serve.annotation.factgenie import factgenie_archive, read_factgenie
from factable.serve.annotation.state import AnnotationState, errors_in, label_of
from factable.serve.annotation.store import Annotated, Campaign, Imported, Store, Texts, make_imported
from factable.types import ERRORS

# The label of a text, and of a fact, among what people say about it.
VERDICT, FACT = "verdict", "fact"


def annotation_of(text: Annotated, name: str, categories: Sequence[Category]) -> Annotation:
    """What one annotator says about a text, as `study agreement` has it."""
    state = text.states[name]
    spans = tuple(AnnotatedSpan(*span) for span in _spans(state))
    verdict = {VERDICT: label_of(state, categories)}
    return Annotation(text.example.item, text.example.system, name, verdict, spans)


def _spans(state: AnnotationState) -> list[tuple[int, int, str]]:
    return [(mark.start, mark.end, mark.category) for mark in state.marks]


def fact_annotations(text: Annotated, name: str) -> Iterator[Annotation]:
    """What one annotator says about each fact; the number of the fact is part of the id."""
    for record, label in sorted(text.states[name].facts.items()):
        yield Annotation(f"{text.example.item}#{record}", text.example.system, name, {FACT: label}, None)


def annotation_rows(texts: Iterable[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:
    """A row per text and annotator, for `study agreement`; importing it gives the same annotations."""
    for text in texts:
        for name, state in text.states.items():
            row = annotation_of(text, name, campaign.categories)
            fields: dict[str, object] = {"id": row.item}
            if row.system:
                fields["system"] = row.system
            yield {
                **fields,
                "annotator": name,
                "human": row.human,
                "spans": _spans(state),
                "comments": [mark.comment for mark in state.marks],
                "facts": {str(record): label for record, label in state.facts.items()},
                "comment": state.comment,
            }


def fact_rows(texts: Iterable[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:  # noqa: ARG001
    """A row per fact and annotator, for `study agreement`."""
    for text in texts:
        for name in text.states:
            for row in fact_annotations(text, name):
                yield {"id": row.item, "system": row.system, "annotator": name, "human": row.human}


def marked_rows(texts: Iterable[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:
    """Texts with the spans of all annotators, and those that the metric marked, for `study spans`."""
    for text in texts:
        if text.states:
            spans = [_spans(state) for state in text.states.values()]
            # Not by the metric's own name, which the same study may measure as it is now.
            judges = {f"suggested by {campaign.metric}": suggested_spans(text)} if campaign.metric else {}
            yield {**_example_fields(text), "spans": spans[0], "golds": spans, "judges": judges}


def suggested_spans(text: Annotated) -> list[tuple[int, int, str]]:
    """The words that the metric marked as wrong."""
    return [(*each.span, each.label) for each in text.suggestions if each.span]


def verdict_rows(texts: Iterable[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:
    """Texts with omission, contradiction and hallucination as 0 or 1, for `study verdicts`.

    What at least half of the annotators found counts.
    """
    for text in texts:
        if text.states:
            found = [errors_in(state, campaign.categories) for state in text.states.values()]
            shares = {error: sum(error in errors for errors in found) / len(found) for error in ERRORS}
            human = {error: int(share >= 0.5) for error, share in shares.items()}
            yield {**_example_fields(text), "human": {**text.example.human, **human}}


def reference_rows(texts: Iterable[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:
    """Texts in which no annotator found an error, as references of their data, for `train`."""
    for text in texts:
        states = text.states.values()
        if text.states and not any(errors_in(state, campaign.categories) for state in states):
            fields = _example_fields(text)
            fields["references"] = [fields.pop("text")]
            yield fields


def _example_fields(text: Annotated) -> dict[str, object]:
    """The example without what an earlier export may have put into it."""
    fields = to_object(text.example)
    for name in ("spans", "golds", "judges"):
        fields.pop(name, None)
    return fields


Rows = Callable[[Iterable[Annotated], Campaign], Iterator[dict[str, object]]]
ROWS: Mapping[str, Rows] = {
    "annotations": annotation_rows,
    "facts": fact_rows,
    "marked": marked_rows,
    "verdicts": verdict_rows,
    "references": reference_rows,
}
FACTGENIE = "factgenie"
FORMATS = (*ROWS, FACTGENIE)


def export(store: Store, campaign: Campaign, format_name: str) -> Iterator[bytes]:
    """The content of a file in one of FORMATS, piece by piece."""
    texts = store.annotated(campaign.id)
    if format_name == FACTGENIE:
        yield factgenie_archive(list(texts), campaign)
        return
    for row in ROWS[format_name](texts, campaign):
        yield orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def import_annotations(store: Store, campaign: Campaign, path: str | os.PathLike[str]) -> int:
    """Read annotations of ours or of factgenie into a campaign; return how many rows there were.

    A zip file is a campaign of factgenie, as it exports them; anything else has rows of `study agreement`.
    """
    faults = Faults()
    texts = {(text.example.item, text.example.system): text for text in store.annotated(campaign.id)}
    if zipfile.is_zipfile(path):
        rows = list(read_factgenie(path, campaign, texts, faults))
    else:
        make = _row_maker(texts, campaign)
        rows = [row for _, row in open_objects(path, make, faults)[1]]
    faults.check()
    if not rows:
        raise DataError([Fault(source_name(path), None, "holds no annotations", "give at least one")])
    return store.import_states(campaign.id, rows)


def _row_maker(texts: Texts, campaign: Campaign) -> Callable[[object, int], Imported]:
    def make(fields: object, number: int) -> Imported:  # noqa: ARG001
        if not isinstance(fields, dict) or not {"id", "annotator", "spans"} <= fields.keys():
            raise Malformed('no "id", "annotator" or "spans"', "export annotations to see their form")
        row = make_annotation(fields)
        comments = fields.get("comments") or [""] * len(row.spans or ())
        if not isinstance(comments, list) or len(comments) != len(row.spans or ()):
            raise Malformed('"comments" and "spans" differ in number', "give a comment for each span")
        marks = [
            {"start": span.start, "end": span.end, "category": span.kind, "comment": comment}
            for span, comment in zip(row.spans or (), comments, strict=True)
        ]
        state = {
            "marks": marks,
            "facts": fields.get("facts") or {},
            "comment": fields.get("comment") or "",
            "done": True,
        }
        return make_imported(texts, campaign, (row.item, row.system), row.annotator, state)

    return make
