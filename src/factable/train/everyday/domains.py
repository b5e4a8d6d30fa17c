"""Domains of everyday records: what a record of each has, and how people say it. Read from data/everyday."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from factable.io.toml import parse_toml
from factable.models.runtime.manifest import read_shipped

Part = Literal["train", "test"]
FOLDER = Path(__file__).parents[2] / "data" / "everyday"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of an entity: names of its key, what values it has, and wordings.

    In `say`, {s}, {s's} and {o} stand for the subject, {v} for the value, and [this|that] for a word and
    the one that makes the sentence false; of a yes/no attribute, the words for yes and for no.
    """

    name: str
    kind: str
    keys: tuple[str, ...]
    label: str
    say: tuple[str, ...]
    zero: tuple[str, ...] = ()
    group: str = ""
    low: float = 0
    high: float = 0
    step: float = 1
    decimals: int = 0
    unit: str = ""
    choices: tuple[str, ...] = ()
    additive: bool = False
    most: str = ""
    least: str = ""
    one: str = ""
    many: str = ""
    versus: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntityType:
    """A kind of thing that has a name and attributes."""

    noun: str
    plural: str
    names: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    name_keys: tuple[str, ...]
    pronoun: str
    called: str
    attributes: tuple[Attribute, ...]
    joint: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    size: tuple[int, int] = (3, 5)
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Domain:
    """A kind of record: one entity, and perhaps a list of others inside it."""

    name: str
    entity: EntityType
    rows: EntityType | None
    groups: Mapping[str, tuple[str, ...]]
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wordings:
    """What all domains of a part share: names of people and places, wordings of derived statements."""

    names: Mapping[str, tuple[str, ...]]
    derived: Mapping[str, tuple[str, ...]]
    hours: Mapping[str, tuple[str, ...]]
    preambles: tuple[str, ...]
    domains: tuple[Domain, ...] = field(default=())


@cache
def load_part(part: Part) -> Wordings:
    """The domains and wordings of a part."""
    shared = read_toml(FOLDER / f"{part}.toml")
    domains = tuple(read_domain(path) for path in sorted((FOLDER / part).glob("*.toml")))
    return Wordings(
        tuples(shared["names"]),
        tuples(shared["derived"]),
        tuples(shared["hours"]),
        tuple(shared["preambles"]),
        domains,
    )


def read_domain(path: Path) -> Domain:
    """The domain described in a file."""
    content = read_toml(path)
    rows = content.get("rows")
    return Domain(
        path.stem,
        read_entity_type(content),
        read_entity_type(rows) if rows else None,
        tuples(content.get("groups", {})),
        tuple(content["outside"]),
    )


def read_entity_type(content: Mapping[str, Any]) -> EntityType:
    """An entity type as described in a file."""
    noun = content["noun"]
    return EntityType(
        noun,
        content.get("plural", noun + "s"),
        tuple(content["names"]),
        tuples(content.get("words", {})),
        tuple(content.get("name_keys", ("name", "title"))),
        content.get("pronoun", "it"),
        content.get("called", "{name}"),
        tuple(read_attribute(name, each) for name, each in content["attributes"].items()),
        tuple(content.get("joint", ())),
        tuple(content.get("keys", ())),
        tuple(content.get("size", (3, 5))),
        content.get("ordered", False),
    )


def read_attribute(name: str, content: Mapping[str, Any]) -> Attribute:
    """An attribute as described in a file."""
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
    }
    low, high = given.pop("range", (0, 0))
    given.setdefault("label", name.replace("_", " "))
    given.setdefault("keys", (name,))
    given.setdefault("say", ())
    return Attribute(name=name, low=low, high=high, **given)


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file of this package, whose checksum is known."""
    name = path.relative_to(FOLDER.parents[1]).as_posix()
    return parse_toml(name, read_shipped(name), "install factable again")


def tuples(lists: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """A mapping of lists as one of tuples."""
    return {key: tuple(each) for key, each in lists.items()}


def fill_words(pattern: str, words: Mapping[str, tuple[str, ...]], rng: Random) -> str:
    """A pattern with a random word in each placeholder, the same one wherever the placeholder is repeated."""
    if "{" not in pattern:
        return pattern
    drawn = {name: rng.choice(words[name]) for name in dict.fromkeys(PLACEHOLDER.findall(pattern))}
    return PLACEHOLDER.sub(lambda found: drawn[found[1]], pattern)


def wordings_of(part: Part) -> frozenset[str]:
    """All sentence wordings of a part."""
    shared = load_part(part)
    found = {*shared.preambles}
    for lists in (shared.derived, shared.hours):
        found.update(wording for each in lists.values() for wording in each)
    for domain in shared.domains:
        found.update(domain.outside)
        for entity in (domain.entity, domain.rows):
            if entity is not None:
                found.update(entity.joint)
                for attribute in entity.attributes:
                    found.update((*attribute.say, *attribute.zero, *attribute.versus))
    return frozenset(found)
