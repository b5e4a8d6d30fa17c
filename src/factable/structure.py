"""Data as people see it: objects with names and attributes, rows, yes/no keys, prose, technical fields.

`Structure.of(table)` reads the data of an example once. A *leaf* is one value in its place, a *frame* the
object that it describes: the whole record, a member of a list, a row, or an object inside that has a name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from factable.io.data import is_missing
from factable.text.patterns import lazy_pattern
from factable.text.schema_hints import NO_HINTS, SchemaHints
from factable.text.templates import clean_value, split_identifier
from factable.types import Record, Table

LeafKind = Literal["value", "flag", "unknown", "prose", "technical"]

YES, NO = frozenset(("true", "yes")), frozenset(("false", "no"))
UNKNOWN = frozenset(("", "-", "–", "—", "?", "n/a", "na", "<na>", "null", "unknown", "tbd", "nan"))
# Keys of objects that are one attribute: {"name": "Weight", "value": "174 g"}.
_ENTRY_NAMES = (
    "name",
    "key",
    "label",
    "attribute",
    "property",
    "field",
    "title",
    "parameter",
    "metric",
    "test",
)
_ENTRY_VALUES = ("value", "val", "content", "text", "result")
_ENTRY_EXTRAS = frozenset(("unit", "units", "id", "type"))
# Keys that hold data together and say nothing of it.
_CONTAINER_KEYS = """
attributes attribute details detail info information data list items item entries properties specs spec
specifications specification meta metadata result results fields values main record records content payload
response body extra additional detailspec quickspec rows
"""
_CONTAINERS = frozenset(_CONTAINER_KEYS.split())
# Keys whose words say less than those of the object they are in.
_GENERIC_KEYS = "name value text display all long title label amount total full number val"
_GENERIC = frozenset(_GENERIC_KEYS.split())
NAMING = ("name", "title", "full name", "fullname", "display name", "label", "headline")
_TECHNICAL_KEY = lazy_pattern(
    r"\b(?:ids?|uuid|guid|urls?|uri|href|links?|img|images?|logo|icon|thumbnail|photo|picture|avatar|timestamp|"
    r"hash|checksum|etag|slug|lat|lon|lng|latitude|longitude|coord|coords|coordinates|token|schema|"
    r"last modified|request)\b|"
    r"(?:\b(?:sku|ean|barcode|codes?|ref|units?|uom|currency|timezone|locale)|\w at)\Z",
    re.IGNORECASE,
)
_TECHNICAL_VALUE = lazy_pattern(
    r"(?:https?|ftp|s3|file)://\S+|www\.\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|"
    r"\S*/\S+\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|json)|\S+@\S+\.\w+",
    re.IGNORECASE,
)
_STAMP_KEY = lazy_pattern(r"\b(?:time|stamp|timestamp|dt|epoch|date|first|second|start|end)\b", re.IGNORECASE)
_STAMP_VALUE = lazy_pattern(r"1[0-9]{9}(?:[0-9]{3})?")
# When a program last wrote or read a record.
_LOG_KEY = lazy_pattern(
    r"\b(?:sync(?:ed)?|updated|modified|created|fetched|indexed|generated|seen|refreshed|exported)\b",
    re.IGNORECASE,
)
_ISO_STAMP = lazy_pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_SENTENCE_END = lazy_pattern(r"[.!?](?:\s|\Z)")
MIN_PROSE_WORDS = 9
MAX_NAME_WORDS = 8
MIN_PROSE_WORDS_WITHOUT_STOP = 16
_INDEX = lazy_pattern(r"\[\d+\]")


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """One value of the data in its place.

    `keys` are the names between the frame and the value, `record` the index of its record in the table (None
    for a row's header and for what is unknown), `column` its path without indexes, the same for all rows.
    """

    index: int
    path: str
    keys: tuple[str, ...]
    value: str
    kind: LeafKind
    frame: int
    record: int | None = None
    column: str = ""

    @property
    def label(self) -> str:
        """What the value is, in words: `wind speed`, `player`, `business parking garage`."""
        return label_of(self.keys)

    @property
    def key_words(self) -> frozenset[str]:
        """The words of its own key, in lower case: `unit_price` has unit and price."""
        return frozenset(split_identifier(self.keys[-1]).lower().split())

    @property
    def is_yes(self) -> bool:
        """Whether a yes/no value is yes."""
        return self.value.strip().lower() in YES


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """What some values are about: the whole record, a row, a member of a list, or a named object inside.

    `name` is what tells it from its siblings, `identifiers` are all leaves that do; `group`, which siblings
    share, is the path without indexes (or without the last key, for objects of one shape under several keys).
    """

    index: int
    path: str
    label: str
    group: str
    parent: int | None
    name: str
    leaves: tuple[int, ...]
    identifiers: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Structure:
    """The data of one example as leaves and frames."""

    leaves: tuple[Leaf, ...]
    frames: tuple[Frame, ...]
    title: str = ""

    @classmethod
    def of(cls, table: Table, hints: SchemaHints = NO_HINTS) -> "Structure":
        """Read the data of a table; of triples and slots, each subject is a frame."""
        builder = _Builder(hints)
        if isinstance(table.source, dict | list):
            builder.read(table.source)
        else:
            builder.read_records(table.records)
        # The caller may say whom an object is about; its records then all have that subject.
        subjects = {record.subject for record in table.records} if isinstance(table.source, dict) else set()
        return builder.finish(table.title, subjects.pop() if len(subjects) == 1 else "")

    @cached_property
    def columns(self) -> Mapping[str, tuple[Leaf, ...]]:
        """The leaves of each column, in order: all prices, all names."""
        columns: dict[str, list[Leaf]] = defaultdict(list)
        for leaf in self.leaves:
            columns[leaf.column].append(leaf)
        return {column: tuple(leaves) for column, leaves in columns.items()}

    @cached_property
    def comparable(self) -> tuple[tuple[Leaf, ...], ...]:
        """Values that may be added or compared: those of a column, and those of one object."""
        groups: dict[str, list[Leaf]] = defaultdict(list)
        for leaf in self.leaves:
            if leaf.kind == "value":
                groups[leaf.column].append(leaf)
                groups[f"{leaf.path.rpartition('.')[0]}.*"].append(leaf)
        return tuple(map(tuple, groups.values()))

    @cached_property
    def groups(self) -> Mapping[str, tuple[Frame, ...]]:
        """The frames that are members of the same list, or rows of one table."""
        groups: dict[str, list[Frame]] = defaultdict(list)
        for frame in self.frames:
            groups[frame.group].append(frame)
        return {group: tuple(frames) for group, frames in groups.items()}

    @cached_property
    def by_record(self) -> Mapping[int, Leaf]:
        """The leaf of each record of the table."""
        return {leaf.record: leaf for leaf in self.leaves if leaf.record is not None}

    def frame_of(self, leaf: Leaf) -> Frame:
        """What a value is about."""
        return self.frames[leaf.frame]

    def ancestors(self, frame: Frame) -> Iterator[Frame]:
        """A frame and all frames that it is in, from the inside out."""
        current: Frame | None = frame
        while current is not None:
            yield current
            current = None if current.parent is None else self.frames[current.parent]

    def subject_of(self, leaf: Leaf) -> str:
        """The name of what a value is about, from the nearest frame that has one; the title if none has."""
        for frame in self.ancestors(self.frame_of(leaf)):
            if frame.name and frame.name != leaf.value:
                return frame.name
        return self.title


def label_of(keys: Sequence[str]) -> str:
    """Names of keys as words, without those that say nothing."""
    words = [split_identifier(key).strip() for key in keys]
    useful = [part for part in words if part and not _is_container(part)] or words[-1:]
    if len(useful) > 1 and useful[-1].lower() in _GENERIC:
        useful.pop()
    return " ".join(useful)


def is_prose(value: str) -> bool:
    """Whether a value is free text: a review, a description."""
    count = len(value.split())
    if count < MIN_PROSE_WORDS:
        return False
    return count >= MIN_PROSE_WORDS_WITHOUT_STOP or bool(_SENTENCE_END.search(value))


def is_technical(key: str, value: str) -> bool:
    """Whether a field is for programs: an id, a URL, an image, a timestamp in seconds."""
    words = split_identifier(key).replace("-", " ")
    if _TECHNICAL_VALUE.fullmatch(value.strip()):
        return True
    if _STAMP_VALUE.fullmatch(value) and _STAMP_KEY.search(words):
        return True
    if _ISO_STAMP.fullmatch(value) and _LOG_KEY.search(words):
        return True
    return bool(_TECHNICAL_KEY.search(words)) and len(value.split()) < MIN_PROSE_WORDS


@dataclass(slots=True)
class _Node:
    """A frame that is being read."""

    path: str
    label: str
    group: str
    parent: int | None
    name: str = ""
    leaves: list[int] = field(default_factory=list)


class _Builder:
    """Walks the data in the order in which the table's records were made, and counts them."""

    def __init__(self, hints: SchemaHints) -> None:
        self.hints = hints
        self.nodes: list[_Node] = []
        self.leaves: list[Leaf] = []
        self.records = 0

    def read(self, data: dict[str, object] | list[object]) -> None:
        if isinstance(data, dict):
            self._object(data, self._frame("", "", "", None), "", ())
        elif all(isinstance(row, dict) for row in data):
            for number, row in enumerate(data):
                assert isinstance(row, dict)
                self._row(row, number)

    def read_records(self, records: Sequence[Record]) -> None:
        frames: dict[str, int] = {}
        for record in records:
            frame = frames.get(record.subject)
            if frame is None:
                frame = frames[record.subject] = self._frame("", "", "*", None, clean_value(record.subject))
            key = self.hints.label(record.attribute, record.attribute)
            self._leaf(record.attribute, (key,), record.value, frame)

    def _frame(self, path: str, label: str, group: str, parent: int | None, name: str = "") -> int:
        self.nodes.append(_Node(path, label, group, parent, name))
        return len(self.nodes) - 1

    def _row(self, row: dict[str, object], number: int) -> None:
        frame = self._frame(f"[{number}]", "", "[*]", None)
        columns = list(row.items())
        header = columns[0][1] if len(columns) > 1 else None
        if header is not None and not isinstance(header, dict | list):
            # The first column is the subject of the others, and no record of its own.
            path = f"[{number}].{columns[0][0]}"
            key = self.hints.label(path, columns[0][0])
            self._leaf(path, (key,), header, frame, is_record=False)
            columns = columns[1:]
        self._object(dict(columns), frame, f"[{number}]", ())

    def _object(
        self, data: dict[str, object], frame: int, path: str, keys: tuple[str, ...], heading: str = ""
    ) -> None:
        entry = _entry_of(data)
        if entry is not None:
            self._entry(data, entry, frame, path, keys)
            return
        inner = [value for value in data.values() if isinstance(value, dict)]
        alike = len(inner) > 1 and len(inner) == len(data) and _same_shape(inner)
        for key, value in data.items():
            inner_path = f"{path}.{key}" if path else key
            name = self.hints.label(inner_path, key)
            if heading and value == heading:
                self._leaf(inner_path, (*keys, name), value, frame, technical=True)
            else:
                self._value(name, value, frame, inner_path, (*keys, name), alike)

    def _value(
        self, key: str, value: object, frame: int, path: str, keys: tuple[str, ...], alike: bool = False
    ) -> None:
        if isinstance(value, dict):
            if alike or (_is_entity(value) and not _is_container(key)):
                group = f"{_INDEX.sub('[*]', path.rsplit('.', 1)[0])}.*" if alike else _INDEX.sub("[*]", path)
                name = split_identifier(key) if alike else ""
                self._object(value, self._frame(path, label_of(keys), group, frame, name), path, ())
            else:
                self._object(value, frame, path, keys)
        elif isinstance(value, list | tuple):
            if not value:
                # An empty list tells that there are none.
                self._leaf(path, keys, "none", frame, is_record=False, flag=True)
            for number, member in enumerate(value):
                if len(value) == 1 and isinstance(member, dict):
                    # A list of one is no list: `weather[0].description`.
                    self._value(key, member, frame, f"{path}[0]", keys)
                else:
                    self._member(key, member, frame, f"{path}[{number}]", keys)
        else:
            self._leaf(path, keys, value, frame)

    def _member(self, key: str, member: object, frame: int, path: str, keys: tuple[str, ...]) -> None:
        """A member of a list: a frame of its own, unless it is an attribute, a heading or a scalar."""
        if not isinstance(member, dict):
            self._value(key, member, frame, path, keys)
        elif _entry_of(member) is not None:
            self._object(member, frame, path, keys)
        elif (heading := _heading_of(member)) is not None:
            self._object(member, frame, path, (*keys, heading), heading)
        else:
            group = _INDEX.sub("[*]", path)
            self._object(member, self._frame(path, label_of(keys), group, frame), path, ())

    def _entry(
        self, data: dict[str, object], entry: tuple[str, str], frame: int, path: str, keys: tuple[str, ...]
    ) -> None:
        name, value = entry
        unit = data.get("unit") or data.get("units") or ""
        for key, inner in data.items():
            if key == value and not isinstance(inner, dict | list):
                joined = f"{_text(inner)} {unit}" if unit and inner is not None else inner
                self._leaf(f"{path}.{key}", (*keys, str(data[name])), joined, frame)
            elif inner is not None:
                # The name of an attribute, and its unit, are records of the table and no facts of their own.
                self._leaf(f"{path}.{key}", (*keys, key), inner, frame, technical=True)

    def _leaf(
        self,
        path: str,
        keys: tuple[str, ...],
        value: object,
        frame: int,
        *,
        is_record: bool = True,
        technical: bool = False,
        flag: bool = False,
    ) -> None:
        text = _text(value)
        keys = (*keys[:-1], self.hints.name(path, keys[-1]))
        record = None
        if is_record and not is_missing(value):
            record = self.records
            self.records += 1
        kind: LeafKind = "value"
        if technical or self.hints.is_technical(path):
            kind = "technical"
        elif clean_value(text).lower() in UNKNOWN:
            kind = "unknown"
        elif flag or isinstance(value, bool) or text.strip().lower() in YES | NO:
            kind = "flag"
        elif is_technical(keys[-1], text):
            kind = "technical"
        elif is_prose(text):
            kind = "prose"
        index = len(self.leaves)
        column = _INDEX.sub("[*]", path)
        self.leaves.append(Leaf(index, path, keys, text, kind, frame, record, column))
        self.nodes[frame].leaves.append(index)

    def finish(self, title: str, subject: str = "") -> Structure:
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for leaf in self.leaves:
            counts[leaf.column][leaf.value] += 1
        frames = []
        for index, node in enumerate(self.nodes):
            unique = [
                leaf
                for leaf in (self.leaves[number] for number in node.leaves)
                if leaf.kind == "value" and counts[leaf.column][leaf.value] == 1
            ]
            words = [leaf for leaf in unique if _is_words(leaf.value)]
            identifiers = [leaf.index for leaf in unique if leaf in words[:1] or _can_name(leaf)]
            identifiers.sort(key=lambda number: _naming_rank(self.leaves[number]))
            named = [number for number in identifiers if _naming_rank(self.leaves[number])[0] < len(NAMING)]
            # The whole record is named by its name or its first value, not by any value that occurs once.
            is_whole = node.parent is None and node.path == ""
            others = identifiers[:1] if not is_whole or identifiers[:1] == node.leaves[:1] else []
            naming = named or ([] if node.name else others)
            name = clean_value(self.leaves[naming[0]].value) if naming else node.name
            frames.append(
                Frame(
                    index,
                    node.path,
                    node.label,
                    node.group,
                    node.parent,
                    name,
                    tuple(node.leaves),
                    tuple(identifiers),
                )
            )
        if subject and frames:
            frames[0] = replace(frames[0], name=clean_value(subject))
        return Structure(tuple(self.leaves), tuple(frames), clean_value(title))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _entry_of(data: Mapping[str, object]) -> tuple[str, str] | None:
    """The keys of name and value of an object that is one attribute."""
    if not 2 <= len(data) <= 4:
        return None
    lower = {str(key).lower(): key for key in data}
    value = next((lower[name] for name in _ENTRY_VALUES if name in lower), None)
    name = next((lower[name] for name in _ENTRY_NAMES if name in lower and lower[name] != value), None)
    if name is None or value is None or not isinstance(data[name], str):
        return None
    others = set(lower) - {str(name).lower(), str(value).lower()}
    return (name, value) if others <= _ENTRY_EXTRAS else None


def _heading_of(data: Mapping[str, object]) -> str | None:
    """The only plain value of an object that holds attributes: {"category": "Display", …}."""
    scalars = [value for value in data.values() if not isinstance(value, dict | list)]
    lists = [value for value in data.values() if isinstance(value, list)]
    if len(scalars) != 1 or len(lists) != 1 or len(data) != 2 or not isinstance(scalars[0], str):
        return None
    entries = [member for member in lists[0] if isinstance(member, dict) and _entry_of(member)]
    return scalars[0] if entries and len(entries) == len(lists[0]) else None


def _is_entity(data: Mapping[str, object]) -> bool:
    """Whether an object inside another is a thing of its own: it has a name and other attributes."""
    names = [key for key in data if split_identifier(str(key)).lower() in NAMING]
    if not names or _entry_of(data) is not None:
        return False
    return any(
        key not in names and value is not None and not is_technical(str(key), _text(value))
        for key, value in data.items()
    )


def _is_container(key: str) -> bool:
    return split_identifier(key).lower().replace(" ", "") in _CONTAINERS


def _same_shape(objects: Sequence[Mapping[str, object]]) -> bool:
    """Whether objects have mostly the same keys, and so are alike: home and away, 2024 and 2025."""
    shared = set(objects[0]).intersection(*objects[1:])
    return bool(shared) and 2 * len(shared) >= max(map(len, objects))


_MEASURE = lazy_pattern(r"[^\w\s]{0,2}\s?\d[\d.,\s]*(?:[^\W\d]{1,3}\b|\W*)[\w/°%²³]*")
_MOMENT = lazy_pattern(r"\d[-/:]\d|\b(?:1[5-9]|20)\d\d\b")


def _is_words(value: str) -> bool:
    """Whether a value is made of a few words, and no amount or moment."""
    few = len(value.split()) <= MAX_NAME_WORDS and any(map(str.isalpha, value))
    return few and not _MEASURE.fullmatch(value.strip()) and not _MOMENT.search(value)


def _can_name(leaf: Leaf) -> bool:
    """Whether a value can tell an object from others: a name, a date or a time, but no amount."""
    value = leaf.value.strip()
    if len(value.split()) > MAX_NAME_WORDS or not _MOMENT.search(value):
        is_named = any(map(str.isupper, value)) or _naming_rank(leaf)[0] < len(NAMING)
        return is_named and _is_words(value)
    return True


def _naming_rank(leaf: Leaf) -> tuple[int, int]:
    words = split_identifier(leaf.keys[-1]).lower()
    depth = len(leaf.keys)
    for rank, name in enumerate(NAMING):
        if words == name:
            return rank, depth
    if words.endswith((" name", " title")):
        return len(NAMING) - 1, depth
    # Names written large name a thing better than dates and times, and those as well as other words.
    is_proper = _is_words(leaf.value) and any(map(str.isupper, leaf.value))
    return len(NAMING) + (not is_proper), leaf.index
