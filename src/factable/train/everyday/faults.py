"""Faults: ways to make one statement of a text wrong, none of which can be true of the data by accident."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from factable.train.everyday.derived import derive
from factable.train.everyday.domains import Wordings
from factable.train.everyday.records import Entity, Fact, Record, draw_value
from factable.train.everyday.statements import (
    Piece,
    Statement,
    fill,
    mention,
    possessive,
    state,
    state_fact,
    state_yes_no,
    subject_paths,
)
from factable.train.everyday.values import (
    CURRENCIES,
    NUMERIC,
    UNITS,
    Value,
    another_digit,
    another_moment,
    another_number,
    article,
    join_words,
    plain_number,
    same_value,
    say_value,
)

# What leads on from a predicate to its subject, as in "are welcome at the hotel".
PREPOSITION = re.compile(
    r" (?:at|between|by|during|for|from|in|inside|into|of|on|to|with|under)(?: the building at)? $"
)
DERIVE_TRIES = 8
TOLD = frozenset({"fact", "joint", "series"})


@dataclass(slots=True)
class Plan:
    """What a text is going to say, in order."""

    record: Record
    shared: Wordings
    statements: list[Statement]
    complete: bool

    def places(self, kinds: frozenset[str], rng: Random) -> Iterator[tuple[Statement, int, Piece]]:
        """The pieces of all statements of some kinds, in random order of statements."""
        chosen = [statement for statement in self.statements if statement.kind in kinds]
        for statement in rng.sample(chosen, len(chosen)):
            for index, piece in enumerate(statement.pieces):
                yield statement, index, piece

    def insert(self, statement: Statement, rng: Random) -> None:
        """Add a statement about an entity after the last one about the same entity."""
        same = [index for index, each in enumerate(self.statements) if each.subject is statement.subject]
        self.statements.insert(rng.choice(same) + 1 if same else len(self.statements), statement)


# A fault changes a plan and gives the path of the data that was told wrongly, or None if it does not apply.
FaultRule = Callable[[Plan, Random], str | None]


def spoil(statement: Statement, index: int, text: str) -> str:
    """Put wrong words in the place of a piece."""
    piece = statement.pieces[index]
    if statement.said is not None and piece.role == "value":
        statement.said = replace(piece, text=text, wrong=True)
    if (
        piece.value is not None
        and piece.value.kind == "word"
        and piece.text == article(str(piece.value.content))
    ):
        text = article(text)
    statement.pieces[index] = replace(piece, text=text, wrong=True)
    return fact_path(statement, piece)


def fact_path(statement: Statement, piece: Piece) -> str:
    """The path of the fact that a piece states."""
    for fact in statement.facts:
        if piece.value is not None and fact.value is piece.value and fact.paths:
            return fact.paths[0]
    return main_path(statement)


def main_path(statement: Statement) -> str:
    """The path of what a statement is about: of its fact, or of the last of several."""
    if statement.kind in ("fact", "yes_no", "zero", "joint"):
        return statement.facts[0].paths[0]
    last = statement.facts[-1]
    return statement.paths[-1] if last.parts else last.paths[0]


def mark_predicate(statement: Statement) -> None:
    """Mark all but a subject at the beginning as wrong."""
    statement.pieces = [
        piece if index == 0 and piece.role in ("subject", "possessive") else replace(piece, wrong=True)
        for index, piece in enumerate(statement.pieces)
    ]


def mark_relation(statement: Statement, *, flip: bool) -> None:
    """Mark a relation and the words it governs as wrong, after turning it into its opposite if asked."""
    pieces = statement.pieces
    index = next(place for place, piece in enumerate(pieces) if piece.role == "relation")
    pieces[index] = replace(
        pieces[index], text=pieces[index].other if flip else pieces[index].text, wrong=True
    )
    if index == 1 and pieces[0].role == "text":
        pieces[0] = replace(pieces[0], wrong=True)
    after = index + 1
    if after < len(pieces) and pieces[after].role == "text":
        pieces[after] = replace(pieces[after], wrong=True)
        preposition = PREPOSITION.search(pieces[after].text)
        if preposition and after + 1 < len(pieces):
            start = preposition.start()
            pieces[after : after + 1] = [
                replace(pieces[after], text=pieces[after].text[:start]),
                Piece(pieces[after].text[start:]),
            ]


def numeric_places(
    plan: Plan, rng: Random, kinds: frozenset[str] = TOLD
) -> Iterator[tuple[Statement, int, Value]]:
    """Where numbers stand."""
    for statement, index, piece in plan.places(kinds, rng):
        if piece.value is not None and piece.role == "value" and piece.value.kind in NUMERIC:
            yield statement, index, piece.value


def wrong_number(plan: Plan, rng: Random) -> str | None:
    """Another number."""
    for statement, index, value in numeric_places(plan, rng):
        return spoil(statement, index, say_value(another_number(value, rng), rng))
    for statement, index, piece in plan.places(frozenset({"hours"}), rng):
        if piece.value is not None:
            return spoil(statement, index, say_value(another_moment(piece.value, rng), rng))
    return None


def wrong_digit(plan: Plan, rng: Random) -> str | None:
    """One digit changed."""
    for statement, index, value in numeric_places(plan, rng):
        number = another_digit(value, rng)
        if number is None or value.kind == "rating":
            continue
        match value.kind:
            case "quantity":
                return spoil(statement, index, number + UNITS[value.unit].words[0])
            case "money":
                return spoil(statement, index, CURRENCIES[value.unit][0] + number)
            case "percent":
                return spoil(statement, index, f"{number}%")
        return spoil(statement, index, number)
    return None


def wrong_unit(plan: Plan, rng: Random) -> str | None:
    """The right number with another unit."""
    for statement, index, value in numeric_places(plan, rng):
        if value.kind == "quantity" and value.content:
            number = plain_number(value.content, value.decimals)
            path = spoil(statement, index, rng.choice(UNITS[value.unit].mistaken_for))
            right = Piece(number, "value", value=value)
            unit = statement.pieces[index]
            statement.pieces[index : index + 1] = [right, unit]
            statement.said = None
            return path
    return None


def wrong_currency(plan: Plan, rng: Random) -> str | None:
    """The right amount in another currency."""
    for statement, index, value in numeric_places(plan, rng):
        if value.kind == "money" and value.content:
            other = rng.choice([unit for unit in CURRENCIES if unit != value.unit])
            return spoil(statement, index, say_value(replace(value, unit=other), rng))
    return None


def wrong_moment(plan: Plan, rng: Random) -> str | None:
    """Another date, year or time."""
    for statement, index, piece in plan.places(TOLD | {"hours"}, rng):
        if piece.value is not None and piece.value.kind in ("date", "year", "time"):
            return spoil(statement, index, say_value(another_moment(piece.value, rng), rng))
    return None


def other_attribute(plan: Plan, rng: Random) -> str | None:
    """The value of another attribute of the same kind and unit."""
    return take_value(plan, rng, compatible=True)


def incompatible_attribute(plan: Plan, rng: Random) -> str | None:
    """The value of another attribute, of another kind."""
    return take_value(plan, rng, compatible=False)


def take_value(plan: Plan, rng: Random, *, compatible: bool) -> str | None:
    """Say the value of another attribute of the same entity in the place of the right one."""
    for statement, index, piece in plan.places(frozenset({"fact"}), rng):
        value, subject = piece.value, statement.subject
        if piece.role != "value" or value is None or subject is None:
            continue
        others = [
            fact.value
            for fact in subject.facts.values()
            if fact.value is not None
            and fact.value is not value
            and (same_sort(fact.value, value) if compatible else differs(fact.value, value))
            and not same_value(fact.value, value)
        ]
        if others:
            return spoil(statement, index, say_value(rng.choice(others), rng))
    return None


def same_sort(one: Value, other: Value) -> bool:
    """Whether two values could stand in each other's place: numbers of the same unit, dates, times, years."""
    return one.kind == other.kind and one.unit == other.unit and one.kind not in ("yes_no", "list", "word")


def differs(one: Value, other: Value) -> bool:
    """Whether two values are of kinds that nobody would mistake for each other."""
    return (
        one.kind != other.kind
        and "yes_no" not in (one.kind, other.kind)
        and "list" not in (one.kind, other.kind)
    )


def exchanged_attributes(plan: Plan, rng: Random) -> str | None:
    """The values of two attributes of an entity, exchanged."""
    for statement, index, piece in plan.places(frozenset({"fact"}), rng):
        value, subject = piece.value, statement.subject
        if piece.role != "value" or value is None or subject is None:
            continue
        others = [
            fact
            for fact in subject.facts.values()
            if fact.value is not None
            and fact is not statement.facts[0]
            and same_sort(fact.value, value)
            and not same_value(fact.value, value)
            and not (fact.value.content == 0 and fact.attribute.zero)
        ]
        if others and value.content:
            return exchange(plan, statement, index, subject, rng.choice(others), rng)
    return None


def exchanged_entities(plan: Plan, rng: Random) -> str | None:
    """The values of an attribute of two entities, exchanged."""
    for statement, index, piece in plan.places(frozenset({"fact"}), rng):
        value, subject = piece.value, statement.subject
        if piece.role != "value" or value is None or subject is None or subject is plan.record.root:
            continue
        for row in rng.sample(plan.record.rows, len(plan.record.rows)):
            fact = row.facts.get(statement.facts[0].attribute.name)
            if row is subject or fact is None or fact.value is None or same_value(fact.value, value):
                continue
            if not (fact.value.content == 0 and fact.attribute.zero):
                return exchange(plan, statement, index, row, fact, rng)
    return None


def exchange(
    plan: Plan, statement: Statement, index: int, entity: Entity, fact: Fact, rng: Random
) -> str | None:
    """Say the value of a fact in a statement, and the value of the statement for the fact."""
    value = statement.pieces[index].value
    other = state_fact(plan.record, entity, fact, rng)
    if other is None or value is None or fact.value is None or other.kind != "fact":
        return None
    place = next(position for position, piece in enumerate(other.pieces) if piece.role == "value")
    spoil(other, place, say_value(value, rng))
    path = spoil(statement, index, say_value(fact.value, rng))
    repeated = [
        each
        for each in plan.statements
        if each is not statement and each.kind in TOLD and any(told is fact for told in each.facts)
    ]
    plan.complete = plan.complete and all(len(each.facts) == 1 for each in repeated)
    plan.statements = [each for each in plan.statements if all(each is not other for other in repeated)]
    plan.statements.insert(plan.statements.index(statement) + 1, other)
    return path


def wrong_subject(plan: Plan, rng: Random) -> str | None:
    """Something true said of another entity."""
    for statement, index, piece in plan.places(TOLD | {"yes_no"}, rng):
        subject = statement.subject
        if piece.role not in ("subject", "possessive", "object") or subject in (None, plan.record.root):
            continue
        rivals = [row for row in plan.record.rows if row is not subject and told_apart(row, statement)]
        if rivals:
            rival = rng.choice(rivals)
            name = possessive(mention(rival)) if piece.role == "possessive" else mention(rival)
            statement.pieces[index] = Piece(name, "entity", wrong=True, entity=rival)
            statement.subject = None
            statement.said = None
            return main_path(statement)
    return None


def told_apart(entity: Entity, statement: Statement) -> bool:
    """Whether what a statement says is not also true of another entity."""
    for fact in statement.facts:
        other = entity.facts.get(fact.attribute.name)
        if other is None or fact.parts:
            return False
        if other.value is None or fact.value is None or not same_value(other.value, fact.value):
            return True
    return False


def wrong_relation(plan: Plan, rng: Random) -> str | None:
    """A word of the relation replaced by its opposite."""
    for statement, index, piece in plan.places(TOLD | {"zero", "arithmetic"}, rng):
        if piece.role == "relation" and piece.other:
            return spoil(statement, index, piece.other)
    return None


def negated(plan: Plan, rng: Random) -> str | None:
    """Yes said as no, or no as yes."""
    for statement, _, _ in plan.places(frozenset({"yes_no"}), rng):
        assert statement.said is not None
        mark_relation(statement, flip=True)
        statement.said = Piece("no" if statement.said.text == "yes" else "yes", "value", wrong=True)
        return main_path(statement)
    return None


def claim_on_null(plan: Plan, rng: Random) -> str | None:
    """Something said of a key whose value is null."""
    known = [
        (entity, fact) for entity, fact in plan.record.all_facts() if fact.value is None and not fact.parts
    ]
    if not known:
        return None
    entity, fact = rng.choice(known)
    paths = (*subject_paths(plan.record, entity), *fact.paths)
    if claim(plan, entity, fact, paths, rng) is None:
        return None
    return fact.paths[0]


def claim(plan: Plan, entity: Entity, fact: Fact, paths: tuple[str, ...], rng: Random) -> Statement | None:
    """Add a statement with a made-up value of a fact that the data does not have."""
    attribute = fact.attribute
    if not attribute.say or attribute.kind in ("hours", "series"):
        return None
    if attribute.kind == "yes_no":
        statement = state_yes_no(entity, fact, rng.random() < 0.8, paths, rng)
        if paths:
            mark_relation(statement, flip=False)
        else:
            mark_predicate(statement)
        assert statement.said is not None
        statement.said = replace(statement.said, wrong=True)
    else:
        words = {**plan.shared.names, **entity.type.words}
        value = draw_value(attribute, words, rng.choice(list(CURRENCIES)), rng)
        made_up = state_fact(plan.record, entity, Fact(attribute, value), rng)
        if made_up is None or made_up.kind != "fact":
            return None
        statement = made_up
        statement.paths = paths
        index = next(place for place, piece in enumerate(statement.pieces) if piece.role == "value")
        if paths:
            statement.pieces[index] = replace(statement.pieces[index], wrong=True)
        else:
            mark_predicate(statement)
        statement.said = replace(statement.said or statement.pieces[index], wrong=True)
    plan.insert(statement, rng)
    return statement


def made_up_feature(plan: Plan, rng: Random) -> str | None:
    """Something said of an attribute that the data does not have."""
    if not plan.record.absent:
        return None
    attribute = rng.choice(plan.record.absent)
    if claim(plan, plan.record.root, Fact(attribute, None), (), rng) is None:
        return None
    return ""


def made_up_value(plan: Plan, rng: Random) -> str | None:
    """A word or name that the data does not have, in the place of the right one."""
    for statement, index, piece in plan.places(TOLD, rng):
        value = piece.value
        if piece.role != "value" or value is None or value.kind not in ("word", "list"):
            continue
        fact = next((fact for fact in statement.facts if fact.value is value), None)
        if fact is None or statement.subject is None:
            continue
        if value.kind == "list":
            return made_up_member(statement, index, fact, value, rng)
        words = {**plan.shared.names, **statement.subject.type.words}
        for _ in range(8):
            drawn = draw_value(fact.attribute, words, "USD", rng)
            if not same_value(drawn, value) and not mentioned(plan.record, str(drawn.content)):
                return spoil(statement, index, say_value(drawn, rng))
    return None


def mentioned(record: Record, content: str) -> bool:
    """Whether a value stands anywhere in a record."""
    return any(
        fact.value is not None and content == str(fact.value.content) for _, fact in record.all_facts()
    )


def made_up_member(statement: Statement, index: int, fact: Fact, value: Value, rng: Random) -> str | None:
    """A member of a list replaced by one that is not in it."""
    members = list(value.content)
    others = [each for each in fact.attribute.choices if each not in members]
    if not others:
        return None
    place, other = rng.randrange(len(members)), rng.choice(others)
    marked = [f"\0{other}\0" if position == place else member for position, member in enumerate(members)]
    before, wrong, after = join_words(marked).split("\0")
    piece = statement.pieces[index]
    statement.pieces[index : index + 1] = [
        replace(piece, text=before),
        replace(piece, text=wrong, wrong=True),
        replace(piece, text=after),
    ]
    statement.said = None
    return fact.paths[min(place, len(fact.paths) - 1)]


def derive_one(plan: Plan, kinds: tuple[str, ...], rng: Random) -> None:
    """Make sure that a plan has a derived statement of some kinds, if the record allows it."""
    if any(statement.kind in kinds for statement in plan.statements):
        return
    for _ in range(DERIVE_TRIES):
        statement = derive(plan.record, plan.shared, rng)
        if statement is not None and statement.kind in kinds:
            plan.statements.append(statement)
            return


def wrong_arithmetic(plan: Plan, rng: Random) -> str | None:
    """A wrong sum, mean, difference, change or share."""
    derive_one(plan, ("arithmetic",), rng)
    for statement, index, value in numeric_places(plan, rng, frozenset({"arithmetic"})):
        said = statement.pieces[index].text
        text = say_value(another_number(value, rng), rng)
        if said.startswith("about ") and text[:1] in "0123456789$€£":
            text = f"about {text}"
        return spoil(statement, index, text)
    return None


def wrong_superlative(plan: Plan, rng: Random) -> str | None:
    """The wrong first or last, or most for least."""
    derive_one(plan, ("superlative",), rng)
    for statement, index, piece in plan.places(frozenset({"superlative"}), rng):
        if piece.role == "entity" and statement.rivals and rng.random() < 0.6:
            return spoil_entity(statement, index, rng.choice(statement.rivals))
        if piece.role == "period" and statement.wrong_values:
            return spoil(statement, index, rng.choice(statement.wrong_values))
        if piece.role == "relation" and piece.other:
            return spoil(statement, index, piece.other)
    return None


def spoil_entity(statement: Statement, index: int, rival: Entity) -> str:
    """Name another entity."""
    statement.pieces[index] = Piece(mention(rival), "entity", wrong=True, entity=rival)
    return main_path(statement)


def wrong_comparison(plan: Plan, rng: Random) -> str | None:
    """More for less."""
    derive_one(plan, ("comparison",), rng)
    return flip_relation(plan, "comparison", rng)


def wrong_trend(plan: Plan, rng: Random) -> str | None:
    """A rise told as a fall, or a trend where there is none."""
    derive_one(plan, ("trend",), rng)
    path = flip_relation(plan, "trend", rng)
    if path is not None:
        return path
    for entity, fact in plan.record.all_facts():
        values = [value.content for value in fact.parts.values() if value is not None]
        if fact.attribute.kind != "series" or len(values) < 3:
            continue
        rises = [later > earlier for earlier, later in pairwise(values)]
        if any(rises) and not all(rises):
            periods = list(fact.parts)
            step = "year" if periods[0].isdigit() else "quarter" if periods[0].startswith("Q") else "month"
            slots = {"label": Piece(fact.attribute.label), "step": Piece(step)}
            slots |= {"p": Piece(periods[0]), "q": Piece(periods[-1])}
            pieces = fill(rng.choice(plan.shared.derived["trend"]), entity, slots, flipped=rng.random() < 0.5)
            statement = Statement("trend", pieces, entity, fact.paths, [fact])
            mark_relation(statement, flip=False)
            plan.insert(statement, rng)
            return fact.paths[0]
    return None


def flip_relation(plan: Plan, kind: str, rng: Random) -> str | None:
    """Replace the relation of a statement of a kind by its opposite."""
    for statement, index, piece in plan.places(frozenset({kind}), rng):
        if piece.role == "relation" and piece.other:
            return spoil(statement, index, piece.other)
    return None


def wrong_count(plan: Plan, rng: Random) -> str | None:
    """A wrong count, all for none, or the wrong only one."""
    derive_one(plan, ("count", "threshold"), rng)
    for statement, index, piece in plan.places(frozenset({"count", "threshold"}), rng):
        if piece.role == "count" and statement.wrong_values:
            return spoil(statement, index, rng.choice(statement.wrong_values))
        if piece.role == "entity" and statement.rivals:
            return spoil_entity(statement, index, rng.choice(statement.rivals))
        if piece.role == "relation" and statement.kind == "count":
            return spoil(statement, index, piece.other)
    return None


def wrong_period(plan: Plan, rng: Random) -> str | None:
    """The right value at the wrong time."""
    if not any(statement.kind in ("series", "hours") for statement in plan.statements):
        timed = [(entity, fact) for entity, fact in plan.record.all_facts() if fact.parts]
        for entity, fact in timed[:1]:
            statement = state(plan.record, entity, fact, plan.shared, rng)
            if statement is not None:
                plan.insert(statement, rng)
    for statement, index, piece in plan.places(frozenset({"series", "hours"}), rng):
        if piece.role == "period" and statement.wrong_values:
            return spoil(statement, index, rng.choice(statement.wrong_values))
    return None


def outside(plan: Plan, rng: Random) -> str | None:
    """A sentence about something that is not in the data."""
    root = plan.record.root
    statement = Statement("outside", fill(rng.choice(plan.record.domain.outside), root, {}), root, ())
    mark_predicate(statement)
    plan.insert(statement, rng)
    return ""


def omitted(plan: Plan, rng: Random) -> str | None:
    """A fact left out of a text that says all others."""
    single = [each for each in plan.statements if len(each.facts) == 1]
    if not plan.complete or len(plan.statements) < 3 or not single:
        return None
    left_out = rng.choice(single)
    plan.statements = [each for each in plan.statements if each is not left_out]
    return main_path(left_out)
