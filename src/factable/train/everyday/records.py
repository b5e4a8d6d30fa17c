"""Everyday records: entities with drawn values, laid out as nested JSON in the styles that APIs use."""

import datetime
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from factable.text.values.dates import MONTHS, WEEKDAYS
from factable.train.everyday.domains import Attribute, Domain, EntityType, Wordings, fill_words
from factable.train.everyday.values import (
    CURRENCIES,
    UNITS,
    Value,
    capitalized,
    plain_number,
)

SMALL_RECORD = 6
NULL_SHARE = 0.12
TECHNICAL_KEYS = ("id", "url", "image_url", "updated_at", "uuid", "slug", "source", "version", "external_ref")


@dataclass(slots=True)
class Fact:
    """An attribute of an entity with its value (none if null) and where it stands in the data.

    Opening hours and series have a value for each day or period instead, in `parts`.
    """

    attribute: Attribute
    value: Value | None
    paths: tuple[str, ...] = ()
    parts: dict[str, Value | None] = field(default_factory=dict)
    part_paths: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Entity:
    """A thing with a name and facts."""

    type: EntityType
    name: str
    short: str
    pronoun: str
    facts: dict[str, Fact] = field(default_factory=dict)
    name_path: str = ""


@dataclass(slots=True)
class Record:
    """The data of one example, and the entities and facts it was made from."""

    domain: Domain
    data: dict[str, Any]
    root: Entity
    rows: list[Entity]
    absent: list[Attribute]
    small: bool

    def all_facts(self) -> list[tuple[Entity, Fact]]:
        """Every fact of every entity."""
        return [(entity, fact) for entity in (self.root, *self.rows) for fact in entity.facts.values()]


def make_record(domain: Domain, shared: Wordings, rng: Random) -> Record:
    """A random record of a domain."""
    small = (domain.rows is None and rng.random() < 0.45) or rng.random() < 0.2
    count = rng.randint(2, SMALL_RECORD) if small else len(domain.entity.attributes)
    chosen = pick_attributes(domain.entity, count, 1 if small else 0.75, rng)
    layout = Layout(rng)
    currency = rng.choice(list(CURRENCIES))
    root = make_entity(domain.entity, chosen, shared, rng, set(), currency)
    rows: list[Entity] = []
    if domain.rows is not None and not small:
        columns = pick_attributes(domain.rows, len(domain.rows.attributes), 0.8, rng)
        taken: set[str] = set()
        count = rng.randint(*domain.rows.size)
        rows = [make_entity(domain.rows, columns, shared, rng, taken, currency) for _ in range(count)]
        align_series(rows)
        if domain.rows.ordered:
            rows.sort(key=lambda row: domain.rows.names.index(row.name) if domain.rows else 0)
    data = layout.place(root, domain.groups, "")
    if domain.rows is not None and rows:
        key = layout.style(rng.choice(domain.rows.keys))
        data[key] = [layout.place(row, {}, f"{key}[{index}].") for index, row in enumerate(rows)]
    absent = [each for each in domain.entity.attributes if each.name not in root.facts]
    return Record(domain, data, root, rows, absent, small)


def pick_attributes(entity: EntityType, count: int, share: float, rng: Random) -> list[Attribute]:
    """Some attributes of an entity type, in their order."""
    names = [each.name for each in entity.attributes if rng.random() < share]
    chosen = set(rng.sample(names, min(count, len(names))))
    if not chosen:
        chosen = {entity.attributes[0].name}
    return [each for each in entity.attributes if each.name in chosen]


def make_entity(
    kind: EntityType,
    attributes: list[Attribute],
    shared: Wordings,
    rng: Random,
    taken: set[str],
    currency: str,
) -> Entity:
    """An entity with a name that is not taken and a random value for each attribute."""
    pronoun, words = kind.pronoun, {**shared.names, **kind.words}
    while True:
        pattern = rng.choice(kind.names)
        if kind.pronoun == "person":
            pronoun = rng.choice(("he", "she"))
            pattern = f"{{{'male' if pronoun == 'he' else 'female'}}} {{surname}}"
        name, _, short = fill_words(pattern, words, rng).partition("|")
        short = name.split()[1] if kind.pronoun == "person" else short or name
        if name not in taken and short not in taken:
            taken.update((name, short))
            break
    entity = Entity(kind, name, short, pronoun)
    for attribute in attributes:
        entity.facts[attribute.name] = make_fact(attribute, words, currency, rng)
    return entity


def make_fact(attribute: Attribute, words: Mapping[str, tuple[str, ...]], currency: str, rng: Random) -> Fact:
    """A random value of an attribute, or null."""
    if attribute.kind == "hours":
        return Fact(attribute, None, parts=draw_hours(rng))
    if attribute.kind == "series":
        return Fact(attribute, None, parts=draw_series(attribute, currency, rng))
    if attribute.kind in ("yes_no", "word") and rng.random() < NULL_SHARE:
        return Fact(attribute, None)
    return Fact(attribute, draw_value(attribute, words, currency, rng))


def draw_value(
    attribute: Attribute, words: Mapping[str, tuple[str, ...]], currency: str, rng: Random
) -> Value:
    """A random value of an attribute."""
    match attribute.kind:
        case "number" | "quantity" | "money" | "percent" | "rating":
            zero = attribute.zero and rng.random() < 0.25
            unit = currency if attribute.kind == "money" else attribute.unit
            number = 0 if zero else draw_number(attribute, rng)
            return Value(attribute.kind, number, unit, attribute.decimals)
        case "yes_no":
            return Value("yes_no", rng.random() < 0.55)
        case "date":
            first = datetime.date(int(attribute.low), 1, 1)
            last = datetime.date(int(attribute.high), 12, 31)
            return Value("date", first + datetime.timedelta(days=rng.randint(0, (last - first).days)))
        case "year":
            return Value("year", rng.randint(int(attribute.low), int(attribute.high)))
        case "time":
            minutes = rng.randrange(
                int(attribute.low) * 60, int(attribute.high) * 60, 5 * rng.choice((1, 3, 6))
            )
            minutes -= minutes % 5
            return Value("time", f"{minutes // 60:02d}:{minutes % 60:02d}")
        case "list":
            return Value(
                "list",
                tuple(rng.sample(attribute.choices, rng.randint(2, min(4, len(attribute.choices) - 1)))),
            )
        case "person":
            return Value(
                "word", fill_words(rng.choice(("{male} {surname}", "{female} {surname}")), words, rng)
            )
        case "city" | "country" | "company":
            return Value("word", rng.choice(words[attribute.kind]))
    return Value("word", fill_words(rng.choice(attribute.choices), words, rng))


def draw_number(attribute: Attribute, rng: Random) -> float:
    """A number in the range of an attribute, small ones more often if the range is wide."""
    low, high = attribute.low, attribute.high
    drawn = low * (high / low) ** rng.random() if low > 0 and high / low > 50 else rng.uniform(low, high)
    stepped = round(drawn / attribute.step) * attribute.step if attribute.step != 1 else drawn
    number = round(min(max(stepped, low), high), attribute.decimals)
    if attribute.kind == "money" and attribute.decimals and rng.random() < 0.3:
        return float(round(number))
    return number if attribute.decimals else round(number)


def draw_hours(rng: Random) -> dict[str, Value | None]:
    """Opening hours of a week: the same on working days, others or none at the weekend."""

    def span(opens: int, closes: int) -> Value:
        return Value("word", f"{opens // 60:02d}:{opens % 60:02d}-{closes // 60:02d}:{closes % 60:02d}")

    opens, closes = (
        rng.choice((420, 480, 510, 540, 600, 660)),
        rng.choice((960, 1020, 1080, 1110, 1200, 1260)),
    )
    hours: dict[str, Value | None] = dict.fromkeys(WEEKDAYS[:5], span(opens, closes))
    hours["Saturday"] = span(opens + rng.choice((30, 60, 90)), closes - rng.choice((60, 120, 180)))
    hours["Sunday"] = None if rng.random() < 0.7 else span(opens + 120, max(closes - 210, opens + 360))
    if rng.random() < 0.2:
        hours["Monday"] = None
    return hours


def draw_series(attribute: Attribute, currency: str, rng: Random) -> dict[str, Value | None]:
    """Numbers for successive years, quarters or months."""
    count = rng.randint(3, 5)
    match rng.choice(attribute.choices or ("years",)):
        case "quarters":
            year = rng.randint(2021, 2026)
            periods = [f"Q{quarter} {year}" for quarter in range(1, min(count, 4) + 1)]
        case "months":
            first = rng.randint(0, 12 - count)
            periods = [MONTHS[first + index] for index in range(count)]
        case _:
            first = rng.randint(2016, 2026 - count)
            periods = [str(first + index) for index in range(count)]
    direction = rng.choice((0.88, 1.0, 1.0, 1.15))
    kind, unit = ("money", currency) if attribute.unit == "money" else ("quantity", attribute.unit)
    number = draw_number(attribute, rng)
    values: dict[str, Value | None] = {}
    for period in periods:
        values[period] = Value(kind if unit else "number", number, unit, attribute.decimals)  # type: ignore[arg-type]
        wobble = rng.uniform(1.02, 1.2) if direction > 1 else rng.uniform(0.8, 0.97)
        factor = rng.uniform(0.8, 1.25) if direction == 1 else wobble
        number = round(number * factor, attribute.decimals)
        number = number if attribute.decimals else round(number)
    return values


def align_series(rows: list[Entity]) -> None:
    """Give the series of all rows the periods of the first row."""
    for row in rows[1:]:
        for name, fact in row.facts.items():
            if fact.attribute.kind == "series":
                periods, values = list(rows[0].facts[name].parts), list(fact.parts.values())
                while len(values) < len(periods):
                    values.append(values[-1])
                fact.parts = dict(zip(periods, values, strict=False))


class Layout:
    """How one record is written as JSON: style of keys, where units stand, what is nested."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.words = rng.choices(("snake", "camel", "pascal"), (11, 7, 1))[0]
        self.keys: dict[str, str] = {}
        self.choices: dict[str, str] = {}
        self.yes_no = rng.choice(((True, False), (True, False), (True, False), ("yes", "no"), ("Yes", "No")))
        self.noise = rng.sample(TECHNICAL_KEYS, rng.choice((0, 0, 1, 2, 3)))
        self.row_noise = self.noise[:1] if rng.random() < 0.4 else []

    def style(self, key: str) -> str:
        """A key given in snake_case, in the style of this record."""
        if self.words == "snake" or not key.islower():
            return key
        first, *others = key.split("_")
        joined = "".join(word.capitalize() for word in others)
        return (first if self.words == "camel" else first.capitalize()) + joined

    def key_of(self, attribute: Attribute) -> str:
        """The key of an attribute, the same in all rows."""
        if attribute.name not in self.keys:
            self.keys[attribute.name] = self.rng.choice(attribute.keys)
        return self.keys[attribute.name]

    def choose(self, name: str, options: tuple[str, ...]) -> str:
        """One of several ways to lay something out, the same in all rows."""
        if name not in self.choices:
            self.choices[name] = self.rng.choice(options)
        return self.choices[name]

    def place(self, entity: Entity, groups: Mapping[str, tuple[str, ...]], path: str) -> dict[str, Any]:
        """The JSON object of an entity; sets the paths of its facts."""
        name_key = self.style(self.choose(f"name of {entity.type.noun}", entity.type.name_keys))
        placed: dict[str, Any] = {name_key: entity.name}
        entity.name_path = path + name_key
        inner: dict[str, dict[str, Any]] = {}
        entries: dict[str, list[dict[str, Any]]] = {}
        for fact in entity.facts.values():
            group = fact.attribute.group
            form = self.choose(f"group {group}", ("flat", "nested", "nested", "entries")) if group else "flat"
            simple = fact.value is not None and not fact.parts
            if form == "flat" or (form == "entries" and not simple):
                self.store(fact, placed, path)
                continue
            key = self.style(self.choose(f"key of {group}", groups[group]))
            if form == "nested":
                self.store(fact, inner.setdefault(key, {}), f"{path}{key}.")
            else:
                entry = {"name": capitalized(fact.attribute.label), "value": self.entry_value(fact.value)}
                entries.setdefault(key, []).append(entry)
                fact.paths = (f"{path}{key}[{len(entries[key]) - 1}].value",)
        placed.update(inner)
        placed.update(entries)
        for key in self.row_noise if path else self.noise:
            placed[self.style(key)] = self.draw_code(key)
        return placed

    def draw_code(self, key: str) -> str | int:
        """A technical value, which no text needs to mention."""
        code = "".join(self.rng.choices(string.ascii_lowercase + string.digits, k=8))
        match key:
            case "id":
                return self.rng.randint(10_000, 9_999_999)
            case "url" | "image_url":
                return f"https://example.com/{code}" + (".jpg" if key == "image_url" else "")
            case "updated_at":
                month, day, hour = (self.rng.randint(1, last) for last in (12, 28, 23))
                return f"2026-{month:02d}-{day:02d}T{hour:02d}:12:00Z"
            case "version":
                return f"v{self.rng.randint(1, 4)}"
        return code

    def entry_value(self, value: Value | None) -> Any:
        """The value of a name/value entry, units included."""
        if value is None:
            return None
        match value.kind:
            case "quantity":
                return stored_quantity(value)
            case "money":
                return stored_money(value, self.rng.random() < 0.5)
            case "percent":
                return f"{plain_number(value.content, value.decimals)}%"
            case "rating":
                return f"{plain_number(value.content, 1)}/{value.unit}"
            case "list":
                return ", ".join(value.content)
        return self.plain(value)

    def plain(self, value: Value) -> Any:
        """The JSON form of a value without a unit."""
        match value.kind:
            case "yes_no":
                return self.yes_no[0] if value.content else self.yes_no[1]
            case "date":
                return value.content.isoformat()
            case "list":
                return list(value.content)
        return value.content

    def store(self, fact: Fact, target: dict[str, Any], path: str) -> None:
        """Put a fact into an object and remember where it stands."""
        attribute, value = fact.attribute, fact.value
        key = self.key_of(attribute)
        if attribute.kind == "hours":
            self.store_hours(fact, target, path, self.style(key))
        elif attribute.kind == "series":
            self.store_series(fact, target, path, key)
        elif value is not None and value.kind == "rating":
            self.store_rating(fact, value, target, path, key)
        elif value is None or value.kind not in ("quantity", "money", "percent"):
            styled = self.style(key)
            target[styled] = None if value is None else self.plain(value)
            fact.paths = (path + styled,)
            if value is not None and value.kind == "list":
                fact.paths = tuple(f"{path}{styled}[{index}]" for index in range(len(value.content)))
        else:
            self.store_with_unit(fact, value, target, path, key)

    def store_with_unit(self, fact: Fact, value: Value, target: dict[str, Any], path: str, key: str) -> None:
        """Put a number into an object, with its unit in the key, in an object, beside it or in the text."""
        form = self.choose(
            f"unit of {fact.attribute.name}", ("suffix", "suffix", "object", "sibling", "text")
        )
        if value.kind == "percent":
            styled = self.style(f"{key}_pct" if form in ("suffix", "object") else f"{key}_percent")
            if form == "text":
                styled = self.style(key)
            target[styled] = (
                f"{plain_number(value.content, value.decimals)}%" if form == "text" else value.content
            )
            fact.paths = (path + styled,)
            return
        money = value.kind == "money"
        unit = value.unit if money else UNITS[value.unit].words[0].strip()
        number = value.content
        styled = self.style(key)
        if form == "suffix":
            suffix = value.unit.lower() if money else UNITS[value.unit].suffix
            styled = self.style(key if key.endswith(suffix) else f"{key}_{suffix}")
            target[styled] = number
            fact.paths = (path + styled,)
        elif form == "object":
            names = ("amount", "currency") if money else ("value", "unit")
            target[styled] = {names[0]: number, names[1]: unit}
            fact.paths = tuple(f"{path}{styled}.{name}" for name in names)
        elif form == "sibling":
            beside = self.style(f"{key}_{'currency' if money else 'unit'}")
            target[styled], target[beside] = number, unit
            fact.paths = (path + styled, path + beside)
        else:
            target[styled] = stored_money(value, True) if money else stored_quantity(value)
            fact.paths = (path + styled,)

    def store_rating(self, fact: Fact, value: Value, target: dict[str, Any], path: str, key: str) -> None:
        """Put a rating into an object, with its scale unless it is out of five, as most are."""
        form = self.choose(f"scale of {fact.attribute.name}", ("text", "object", "suffix", "plain", "plain"))
        styled = self.style(key)
        fact.paths = (path + styled,)
        if form == "text":
            target[styled] = f"{plain_number(value.content, 1)}/{value.unit}"
        elif form == "object":
            target[styled] = {"score": value.content, "max": int(value.unit)}
            fact.paths = (f"{path}{styled}.score", f"{path}{styled}.max")
        elif form == "plain" and value.unit == "5":
            target[styled] = value.content
        else:
            styled = self.style(f"{key}_out_of_{value.unit}")
            target[styled] = value.content
            fact.paths = (path + styled,)

    def store_hours(self, fact: Fact, target: dict[str, Any], path: str, key: str) -> None:
        """Put opening hours into an object, by day or as a list of days."""
        form = self.choose("hours", ("days", "short", "list"))
        if form == "list":
            listed = []
            for index, (day, value) in enumerate(fact.parts.items()):
                opens, closes = value.content.split("-") if value else (None, None)
                entry = (
                    {"day": day, "open": opens, "close": closes} if value else {"day": day, "closed": True}
                )
                listed.append(entry)
                fact.part_paths[day] = tuple(f"{path}{key}[{index}].{name}" for name in list(entry)[1:])
            target[key] = listed
        else:
            days = {day: day[:3].lower() if form == "short" else day for day in fact.parts}
            target[key] = {
                days[day]: value.content if value else "closed" for day, value in fact.parts.items()
            }
            fact.part_paths = {day: (f"{path}{key}.{days[day]}",) for day in fact.parts}
        fact.paths = tuple(each for paths in fact.part_paths.values() for each in paths)

    def store_series(self, fact: Fact, target: dict[str, Any], path: str, key: str) -> None:
        """Put a series into an object: by period, as a list of periods, or a key for each."""
        first = next(iter(fact.parts.values()))
        assert first is not None
        suffix = ""
        if first.unit:
            suffix = "_" + (first.unit.lower() if first.kind == "money" else UNITS[first.unit].suffix)
        form = self.choose(f"series {fact.attribute.name}", ("object", "list", "keys"))
        listed: list[dict[str, Any]] = []
        by_period: dict[str, Any] = {}
        styled = self.style(key + suffix)
        for index, (period, value) in enumerate(fact.parts.items()):
            assert value is not None
            if form == "list":
                word = "year" if period.isdigit() else "quarter" if period.startswith("Q") else "month"
                listed.append({word: int(period) if period.isdigit() else period, "value": value.content})
                fact.part_paths[period] = (f"{path}{styled}[{index}].value",)
            elif form == "object":
                by_period[period] = value.content
                fact.part_paths[period] = (f"{path}{styled}.{period}",)
            else:
                name = self.style("_".join((key + suffix, *reversed(period.lower().split()))))
                target[name] = value.content
                fact.part_paths[period] = (path + name,)
        if form != "keys":
            target[styled] = listed or by_period
        fact.paths = tuple(each for paths in fact.part_paths.values() for each in paths)


def stored_quantity(value: Value) -> str:
    """A number with its unit as one string."""
    return plain_number(value.content, value.decimals, separator=False) + UNITS[value.unit].words[0]


def stored_money(value: Value, symbol: bool) -> str:
    """An amount with its currency as one string."""
    amount = value.content
    number = f"{amount:.2f}" if amount != int(amount) else str(int(amount))
    return CURRENCIES[value.unit][0] + number if symbol else f"{number} {value.unit}"
