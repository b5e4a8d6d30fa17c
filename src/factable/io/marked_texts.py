"""Texts in which people marked errors: examples with spans, and what other judges say of them, from JSON."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from factable.errors import DataError, Fault
from factable.io.examples import make_example
from factable.io.faults import Faults, Malformed, RowKind, check_size, fault_at, kind_of
from factable.io.files import plain_suffix, source_name
from factable.io.judgements import SPANS, AnnotatedSpan, make_spans
from factable.io.objects import make_elements, open_objects
from factable.io.read import describe_key
from factable.io.rows import to_json_types
from factable.types import Example

Spans = tuple[AnnotatedSpan, ...]
# What a judge says: where the errors are, or only whether there is one.
Judgement = Spans | bool
# A file, or rows as a file has them.
MarkedSource = str | os.PathLike[str] | Sequence[Mapping[str, object]]
JUDGEMENT_FORM = "give a list of spans, or true for a text with an error and false for one without"


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with the error spans of one person, or None if nobody looked for any.

    `others` are the spans of further people; `judges` are programs, or anybody else, by their names.
    """

    example: Example
    spans: Spans | None
    others: tuple[Spans, ...] = ()
    judges: Mapping[str, Judgement] = field(default_factory=dict)
    domain: str = ""


@dataclass(frozen=True, slots=True)
class MarkedTexts:
    """The texts of all sources, and the faults of the lines that were skipped."""

    rows: tuple[MarkedText, ...]
    skipped: tuple[Fault, ...] = ()


def read_marked_texts(sources: Sequence[MarkedSource], *, skip_bad: bool = False) -> MarkedTexts:
    """Read texts with error spans from JSON files or lists of dicts; bad lines are refused or skipped."""
    faults = Faults(skip_bad=skip_bad)
    rows: dict[tuple[str, str], MarkedText] = {}
    for source in sources:
        row_kind, numbered = _open(source, faults)
        for number, row in numbered:
            example = row.example
            if rows.setdefault((example.item, example.system), row) is not row:
                problem = f"repeats {describe_key(example)}"
                remedy = "make each pair of id and system unique"
                faults.add(fault_at(_name(source), row_kind, number, problem, remedy))
    if not skip_bad or not rows:
        faults.check()
    if not rows:
        names = ", ".join(map(_name, sources))
        raise DataError([Fault(names, None, "holds no texts", "give at least one")])
    return MarkedTexts(tuple(rows.values()), tuple(faults.pop_all()))


def _name(source: MarkedSource) -> str:
    return source_name(source) if isinstance(source, str | os.PathLike) else "list"


def _open(source: MarkedSource, faults: Faults) -> tuple[RowKind, Iterator[tuple[int, MarkedText]]]:
    if not isinstance(source, str | os.PathLike):
        return "element", make_elements("list", [*source], _make_element, faults, row_kind="element")
    if plain_suffix(source) in (".csv", ".tsv", ".parquet"):
        problem = "texts with spans are read from JSON only"
        raise DataError([Fault(source_name(source), None, problem, "write JSON lines")])
    return open_objects(source, _make_text, faults)


def _make_element(element: object, number: int) -> MarkedText:
    return _make_text(to_json_types(element), number)


def _make_text(fields: object, number: int) -> MarkedText:
    example = check_size(make_example(fields, number))
    assert isinstance(fields, dict)
    spans = fields.get(SPANS)
    marked = None if spans is None else _spans_on(example.text, spans, SPANS)
    return MarkedText(
        example,
        marked,
        _make_others(fields.get("golds"), marked, example.text),
        _make_judges(fields, example.text),
        _make_domain(fields.get("meta")),
    )


def _spans_on(text: str, spans: object, field_name: str) -> Spans:
    made = make_spans(spans, field_name)
    for span in made:
        if span.end > len(text):
            problem = f'"{field_name}" has a span that ends at {span.end}'
            raise Malformed(problem, f"the text has {len(text)} characters; count them from 0")
    return made


def _make_others(golds: object, first: Spans | None, text: str) -> tuple[Spans, ...]:
    """The spans of all people but the first, whose spans are those of the text."""
    if golds is None:
        return ()
    if not isinstance(golds, list):
        raise Malformed(f'"golds" is {kind_of(golds)}', "give a list with the spans of each person")
    people = [_spans_on(text, spans, "golds") for spans in golds]
    if people and people[0] != first:
        raise Malformed('"golds" does not begin with "spans"', "give the same person's spans in both")
    return tuple(people[1:])


def _make_judges(fields: Mapping[str, object], text: str) -> dict[str, Judgement]:
    judges = fields.get("judges")
    if judges is None:
        return {}
    if not isinstance(judges, dict):
        raise Malformed(f'"judges" is {kind_of(judges)}', 'give an object such as {"gpt-4": [[0, 5]]}')
    return {
        str(name): _make_judgement(str(name), said, text) for name, said in judges.items() if said is not None
    }


def _make_judgement(name: str, said: object, text: str) -> Judgement:
    if isinstance(said, bool):
        return said
    if not isinstance(said, list):
        raise Malformed(f'"judges" has {kind_of(said)} for "{name}"', JUDGEMENT_FORM)
    return _spans_on(text, said, f"judges.{name}")


def _make_domain(meta: object) -> str:
    domain = meta.get("domain") if isinstance(meta, dict) else None
    if domain is None or isinstance(domain, str):
        return domain or ""
    raise Malformed(f'"meta" has {kind_of(domain)} for "domain"', "give a string")
