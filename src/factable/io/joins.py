"""References and ratings from files of their own, joined to texts by id."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, isfinite

from factable.errors import DataError, Fault
from factable.io.examples import FIELDS
from factable.io.faults import Faults, Malformed, kind_of, shorten
from factable.io.files import source_name
from factable.io.judgements import Cells, Fields, get_name, open_judgements
from factable.io.rows import JSON_START, RATING_PREFIX, REFERENCE, parse_cell
from factable.types import Example

Path = str | os.PathLike[str]
Key = tuple[str, str | None]
Ratings = dict[str, float]
NO_RATINGS = frozenset((*FIELDS, "annotator"))


@dataclass(frozen=True, slots=True)
class Joins:
    """References by item, and ratings by item and system; without a system, of the texts of every system."""

    references: Mapping[str, tuple[str, ...]]
    ratings: Mapping[Key, Mapping[str, float]]
    sources: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether there is anything to join."""
        return bool(self.sources)

    def matches(self, example: Example) -> bool:
        """Whether an example gets anything."""
        return example.item in self.references or self._ratings_of(example) is not None

    def apply(self, examples: Sequence[Example]) -> list[Example]:
        """The examples with what belongs to them, besides what they have."""
        return list(map(self._apply, examples))

    def _apply(self, example: Example) -> Example:
        more = self.references.get(example.item, ())
        ratings = self._ratings_of(example)
        if not more and not ratings:
            return example
        references = tuple(dict.fromkeys((*example.references, *more)))
        return replace(example, references=references, human={**example.human, **(ratings or {})})

    def _ratings_of(self, example: Example) -> Mapping[str, float] | None:
        return self.ratings.get((example.item, example.system)) or self.ratings.get((example.item, None))

    def refuse_strangers(self, first: Example) -> None:
        """Say that no example has an id of these files; `first` is one of them."""
        problem = f"has none of the ids of the texts, such as {first.item!r}"
        remedy = "give the same id to a text and to what belongs to it"
        raise DataError([Fault(" and ".join(self.sources), None, problem, remedy)])


def read_joins(references: Path | None = None, ratings: Path | None = None) -> Joins:
    """Read references and ratings from JSON lines, a JSON list, CSV or TSV."""
    paths = [path for path in (references, ratings) if path]
    return Joins(
        _read_references(references) if references else {},
        _read_ratings(ratings) if ratings else {},
        tuple(map(source_name, paths)),
    )


def _read_references(path: Path) -> dict[str, tuple[str, ...]]:
    """All references of each item; a file may have several rows of one."""
    faults = Faults()
    found: dict[str, list[str]] = {}
    rows = open_judgements(path, _make_references, faults, needed=("id",), arrange=_arrange_references)[1]
    for _, (item, texts) in rows:
        found.setdefault(item, []).extend(texts)
    faults.check()
    return {item: tuple(dict.fromkeys(texts)) for item, texts in found.items()}


def _arrange_references(cells: Cells) -> Fields:
    names = [name for name in cells if name == "references" or REFERENCE.fullmatch(name)]
    if not names:
        raise Malformed("no column of references", "name it reference, or reference_1, reference_2 …")
    texts: list[object] = []
    for cell in (cells[name] for name in sorted(names, key=_number_in)):
        listed = parse_cell(cell) if cell is not None and JSON_START.match(cell) else cell
        texts += listed if isinstance(listed, list) else [listed]
    return {"id": cells["id"], "references": texts}


def _number_in(name: str) -> int:
    match = REFERENCE.fullmatch(name)
    return int(match[1]) if match and match[1] else 0


def _make_references(fields: Fields) -> tuple[str, list[str]]:
    given = fields.get("references", fields.get("reference"))
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list):
        problem = 'no "references" field' if given is None else f'"references" is {kind_of(given)}'
        raise Malformed(problem, 'give a list of strings, such as ["…"]')
    for text in texts:
        if text is not None and not isinstance(text, str):
            raise Malformed(f'"references" holds {kind_of(text)}', "give strings only")
    return get_name(fields, "id"), [text for text in texts if text]


def _read_ratings(path: Path) -> dict[Key, Ratings]:
    """The ratings of each text; of several people, their mean."""
    faults = Faults()
    found: dict[Key, dict[str, list[float]]] = {}
    rows = open_judgements(path, _make_ratings, faults, needed=("id",), arrange=dict)[1]
    for _, (key, ratings) in rows:
        for name, rating in ratings.items():
            found.setdefault(key, {}).setdefault(name, []).append(rating)
    faults.check()
    return {
        key: {name: fsum(numbers) / len(numbers) for name, numbers in ratings.items()}
        for key, ratings in found.items()
    }


def _make_ratings(fields: Fields) -> tuple[Key, Ratings]:
    system = get_name(fields, "system", "")
    given = {name: _number(name, value) for name, value in _rating_fields(fields).items()}
    ratings = {name: rating for name, rating in given.items() if rating is not None}
    return (get_name(fields, "id"), system or None), ratings


def _rating_fields(fields: Fields) -> Mapping[str, object]:
    """Ratings by name: those in `human` and named `human.…`, or, where there are none, all other fields."""
    human = fields.get("human")
    human = parse_cell(human) if isinstance(human, str) else human
    if human is not None and not isinstance(human, dict):
        raise Malformed(f'"human" is {kind_of(human)}', 'give an object such as {"semantics": 2.3}')
    marked = {
        name.removeprefix(RATING_PREFIX): value
        for name, value in fields.items()
        if name.startswith(RATING_PREFIX)
    }
    if human is not None or marked:
        return {**(human or {}), **marked}
    return {
        name: value
        for name, value in fields.items()
        if name not in NO_RATINGS and not REFERENCE.fullmatch(name)
    }


def _number(name: str, value: object) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value) if isinstance(value, str | int | float) else float("nan")
    except ValueError:
        number = float("nan")
    if isinstance(value, bool) or not isfinite(number):
        shown = shorten(value) if isinstance(value, str) else kind_of(value)
        remedy = f"give numbers; if it is no rating, name those that are {RATING_PREFIX}NAME"
        raise Malformed(f'{shown} as rating "{name}"', remedy)
    return number
