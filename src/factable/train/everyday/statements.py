"""Statements about a record: wordings filled with subjects and values, as pieces that can be made wrong."""

import re
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import Literal

from factable.text.values.dates import WEEKDAYS
from factable.train.everyday.domains import Wordings
from factable.train.everyday.records import Entity, Fact, Record
from factable.train.everyday.values import Value, article, same_value, say_time, say_value

TOKEN = re.compile(r"\{([^}]+)\}|\[([^|\]]*)\|([^\]]*)\]")
PLURAL = re.compile(r"^( (?:\w+ )?\w+[^s\W])s\b")
Role = Literal["text", "subject", "possessive", "object", "value", "relation", "entity", "period", "count"]
SUBJECT_ROLES: dict[str, Role] = {"s": "subject", "s's": "possessive", "o": "object"}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words of a statement: what they stand for, and whether they are wrong."""

    text: str
    role: Role = "text"
    # Of a relation: the words that would make it false.
    other: str = ""
    wrong: bool = False
    value: Value | None = None
    entity: Entity | None = None


@dataclass(slots=True)
class Statement:
    """One thing said about an entity or several, with the paths of the data it is about."""

    kind: str
    pieces: list[Piece]
    subject: Entity | None
    paths: tuple[str, ...]
    facts: list[Fact] = field(default_factory=list)
    # The value alone, for "- label: value".
    said: Piece | None = None
    # Whom else the statement could be about, or what else could be said; used to make it wrong.
    rivals: list[Entity] = field(default_factory=list)
    wrong_values: list[str] = field(default_factory=list)


@cache
def parse_wording(wording: str) -> tuple[tuple[str, str, str], ...]:
    """The parts of a wording: ("text", words, ""), ("slot", name, "") or ("choice", words, others)."""
    parts: list[tuple[str, str, str]] = []
    end = 0
    for found in TOKEN.finditer(wording):
        if found.start() > end:
            parts.append(("text", wording[end : found.start()], ""))
        if found[1] is not None:
            parts.append(("slot", found[1], ""))
        else:
            parts.append(("choice", found[2], found[3]))
        end = found.end()
    if end < len(wording):
        parts.append(("text", wording[end:], ""))
    return tuple(parts)


def fill(
    wording: str, subject: Entity | None, slots: dict[str, Piece], *, flipped: bool = False
) -> list[Piece]:
    """The pieces of a wording; `flipped` takes the second of two words, as for a yes/no value that is no."""
    pieces: list[Piece] = []
    for kind, text, other in parse_wording(wording):
        if kind == "text":
            single = (
                bool(pieces) and pieces[-1].role in ("value", "count") and pieces[-1].text in ("1", "one")
            )
            pieces.append(Piece(PLURAL.sub(r"\1", text) if single else text))
        elif kind == "choice":
            said, unsaid = (other, text) if flipped else (text, other)
            pieces.append(Piece(said, "relation", unsaid))
        elif text in SUBJECT_ROLES:
            pieces.append(Piece("", SUBJECT_ROLES[text], entity=subject))
        else:
            pieces.append(slots[text])
    return pieces


def slot_names(wording: str) -> list[str]:
    """The placeholders of a wording that stand for values."""
    return [text for kind, text, _ in parse_wording(wording) if kind == "slot" and text not in SUBJECT_ROLES]


def mention(entity: Entity) -> str:
    """The name of an entity as it stands in a sentence."""
    return entity.type.called.replace("{name}", entity.name)


def possessive(words: str) -> str:
    """The genitive of a name."""
    if words.endswith("'s"):
        return words
    return f"{words}'" if words.endswith("s") else f"{words}'s"


def value_piece(value: Value, rng: Random) -> Piece:
    """A value in words."""
    return Piece(say_value(value, rng), "value", value=value)


def named(entity: Entity) -> Piece:
    """An entity by its name, never by a pronoun."""
    return Piece(mention(entity), "entity", entity=entity)


def subject_paths(record: Record, entity: Entity) -> tuple[str, ...]:
    """Where the name of a member of a list stands; the record's own name goes without saying."""
    return () if entity is record.root else (entity.name_path,)


def state_fact(record: Record, entity: Entity, fact: Fact, rng: Random) -> Statement | None:
    """A true statement of one fact, or none if there is nothing to say."""
    attribute, value = fact.attribute, fact.value
    if value is None or not attribute.say:
        return None
    paths = (*subject_paths(record, entity), *fact.paths)
    if value.kind == "yes_no":
        return state_yes_no(entity, fact, value.content, paths, rng)
    if value.content == 0 and attribute.zero:
        piece = Piece("", "value", value=value)
        pieces = fill(rng.choice(attribute.zero), entity, {"v": piece})
        return Statement("zero", pieces, entity, paths, [fact])
    piece = value_piece(value, rng)
    pieces = fill(rng.choice(attribute.say), entity, {"v": piece, "av": with_article(piece)})
    return Statement("fact", pieces, entity, paths, [fact], piece)


def with_article(piece: Piece) -> Piece:
    """A value with "a" or "an"."""
    return replace(piece, text=article(piece.text))


def state_yes_no(
    entity: Entity, fact: Fact, says_yes: bool, paths: tuple[str, ...], rng: Random
) -> Statement:
    """A statement that something is or is not so."""
    pieces = fill(rng.choice(fact.attribute.say), entity, {}, flipped=not says_yes)
    return Statement("yes_no", pieces, entity, paths, [fact], Piece("yes" if says_yes else "no", "value"))


def state_joint(record: Record, entity: Entity, rng: Random) -> Statement | None:
    """A statement of several facts in one clause, if there is a wording whose facts are all known."""
    usable = [
        wording
        for wording in entity.type.joint
        if all(
            (fact := entity.facts.get(name.removeprefix("a "))) is not None
            and fact.value is not None
            and not (fact.value.content == 0 and fact.attribute.zero)
            for name in slot_names(wording)
        )
    ]
    if not usable:
        return None
    wording = rng.choice(usable)
    slots, facts = {}, []
    for name in slot_names(wording):
        fact = entity.facts[name.removeprefix("a ")]
        assert fact.value is not None
        piece = value_piece(fact.value, rng)
        slots[name] = with_article(piece) if name.startswith("a ") else piece
        facts.append(fact)
    paths = (*subject_paths(record, entity), *(path for fact in facts for path in fact.paths))
    return Statement("joint", fill(wording, entity, slots), entity, paths, facts)


def state_hours(record: Record, entity: Entity, fact: Fact, shared: Wordings, rng: Random) -> Statement:
    """A statement about opening hours: of working days, of a day, or of a day on which it is closed."""
    runs = same_hours(fact)
    first, last, value = rng.choice(runs)
    days = WEEKDAYS[WEEKDAYS.index(first) : WEEKDAYS.index(last) + 1]
    if first == last:
        spoken = rng.choice((f"on {first}", f"on {first}s"))
    elif (first, last) == ("Monday", "Friday") and rng.random() < 0.4:
        spoken = "on weekdays"
    else:
        spoken = rng.choice((f"from {first} to {last}", f"{first} to {last}", f"{first} through {last}"))
    period = Piece(spoken, "period")
    paths = tuple(path for day in days for path in fact.part_paths[day])
    wrong_days = [
        rng.choice((f"on {day}", f"on {day}s"))
        for day in WEEKDAYS
        if fact.parts[day] != value and day not in days
    ]
    paths = (*subject_paths(record, entity), *paths)
    if value is None:
        pieces = fill(rng.choice(shared.hours["closed"]), entity, {"days": period})
    else:
        opens, closes = value.content.split("-")
        slots = {
            "days": period,
            "open": Piece(say_time(opens, rng), "value", value=Value("time", opens)),
            "close": Piece(say_time(closes, rng), "value", value=Value("time", closes)),
        }
        pieces = fill(rng.choice(shared.hours["open"]), entity, slots)
    return Statement("hours", pieces, entity, paths, [fact], wrong_values=wrong_days)


def same_hours(fact: Fact) -> list[tuple[str, str, Value | None]]:
    """Runs of days with the same hours: first day, last day, hours."""
    runs: list[tuple[str, str, Value | None]] = []
    for day, value in fact.parts.items():
        if runs and runs[-1][2] == value:
            runs[-1] = (runs[-1][0], day, value)
        else:
            runs.append((day, day, value))
    return runs


def state_period(record: Record, entity: Entity, fact: Fact, rng: Random) -> Statement:
    """A statement of one value of a series."""
    period, value = rng.choice(list(fact.parts.items()))
    assert value is not None
    others = [
        each for each, other in fact.parts.items() if other is not None and not same_value(other, value)
    ]
    slots = {"v": value_piece(value, rng), "p": Piece(period, "period")}
    paths = (*subject_paths(record, entity), *fact.part_paths[period])
    pieces = fill(rng.choice(fact.attribute.say), entity, slots)
    return Statement("series", pieces, entity, paths, [fact], wrong_values=others)


def state(record: Record, entity: Entity, fact: Fact, shared: Wordings, rng: Random) -> Statement | None:
    """A true statement about a fact of any kind."""
    if fact.attribute.kind == "hours":
        return state_hours(record, entity, fact, shared, rng)
    if fact.attribute.kind == "series":
        return state_period(record, entity, fact, rng)
    return state_fact(record, entity, fact, rng)
