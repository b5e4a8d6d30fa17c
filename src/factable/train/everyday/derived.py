"""Statements that follow from a record by comparing, counting or computing."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from random import Random

from factable.train.everyday.domains import Wordings
from factable.train.everyday.records import Entity, Fact, Record
from factable.train.everyday.statements import Piece, Statement, fill, named, value_piece
from factable.train.everyday.values import (
    NUMBER_WORDS,
    NUMERIC,
    Value,
    article,
    plain_number,
    say_value,
    singular_unit,
)

APPROXIMATE = ("about", "approximately", "around", "just", "more", "nearly", "over", "roughly")


def derive(record: Record, shared: Wordings, rng: Random) -> Statement | None:
    """A random derived statement that is true of a record, or none if the one drawn does not apply."""
    series = [
        (entity, fact)
        for entity, fact in record.all_facts()
        if fact.attribute.kind == "series" and len(fact.parts) > 2
    ]
    if series and (not record.rows or rng.random() < 0.4):
        return derive_from_series(*rng.choice(series), shared, rng)
    if not record.rows:
        return None
    attribute = rng.choice(record.domain.rows.attributes if record.domain.rows else ())
    facts = [row.facts.get(attribute.name) for row in record.rows]
    if any(fact is None or fact.value is None for fact in facts):
        return None
    known = [fact for fact in facts if fact is not None]
    if attribute.kind in NUMERIC:
        return rng.choice(NUMERIC_RULES)(record, known, shared, rng)
    if attribute.many:
        return count_rows(record, known, shared, rng)
    return None


def numbers(facts: list[Fact]) -> list[float]:
    """The numbers of facts."""
    return [fact.value.content for fact in facts if fact.value is not None]


def like(fact: Fact, number: float, rng: Random, *, decimals: int | None = None) -> Piece:
    """A number in the words of a fact's kind and unit."""
    assert fact.value is not None
    places = fact.value.decimals if decimals is None else decimals
    rounded = round(number, places)
    value = replace(fact.value, content=rounded if places else round(rounded), decimals=places)
    if value.kind == "rating":
        return Piece(plain_number(value.content, 2), "value", value=replace(value, kind="number"))
    if value.kind == "quantity" and value.unit == "C":
        # A difference in degrees cannot be converted as a temperature.
        return Piece(singular_unit(plain_number(value.content, places), " degrees"), "value", value=value)
    return value_piece(value, rng)


def all_paths(record: Record, facts: list[Fact]) -> tuple[str, ...]:
    """The paths of facts of all rows, with the names of the rows."""
    names = tuple(row.name_path for row in record.rows)
    return (*names, *(path for fact in facts for path in fact.paths))


def shared_slots(record: Record, fact: Fact) -> dict[str, Piece]:
    """Placeholders that wordings of derived statements about rows can use."""
    rows = record.rows[0].type
    label = fact.attribute.label
    return {
        "label": Piece(label),
        "a label": Piece(article(label)),
        "rows": Piece(rows.plural),
        "row": Piece(rows.noun),
        "total": Piece(count_word(len(record.rows))),
    }


def count_word(count: int) -> str:
    """A small count in words."""
    return NUMBER_WORDS[count] if count < len(NUMBER_WORDS) else str(count)


def superlative(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """Who has the most or the least."""
    values, attribute = numbers(facts), facts[0].attribute
    highest = rng.random() < 0.6
    best = max(values) if highest else min(values)
    if len(values) < 3 or values.count(best) > 1:
        return None
    winner = record.rows[values.index(best)]
    special = attribute.most if highest else attribute.least
    if special and rng.random() < 0.5:
        opposite = attribute.least if highest else attribute.most
        pieces = [
            named(winner),
            Piece(" "),
            Piece(special, "relation", opposite),
            Piece(f" {record.rows[0].type.noun}"),
        ]
        if not special.startswith("is the"):
            pieces.pop()
    else:
        value = facts[values.index(best)].value
        assert value is not None
        slots = {**shared_slots(record, facts[0]), "a": named(winner), "v": value_piece(value, rng)}
        pieces = fill(rng.choice(shared.derived["superlative"]), None, slots, flipped=not highest)
    rivals = [row for row, value in zip(record.rows, values, strict=True) if value != best]
    return Statement("superlative", pieces, None, all_paths(record, facts), facts, rivals=rivals)


def ranking(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """Who comes second."""
    values = numbers(facts)
    if len(values) < 4 or len(set(values)) < len(values):
        return None
    highest = rng.random() < 0.6
    second = sorted(values, reverse=highest)[1]
    slots = {**shared_slots(record, facts[0]), "a": named(record.rows[values.index(second)])}
    pieces = fill(rng.choice(shared.derived["second"]), None, slots, flipped=not highest)
    rivals = [row for row, value in zip(record.rows, values, strict=True) if value != second]
    return Statement("superlative", pieces, None, all_paths(record, facts), facts, rivals=rivals)


def pick_two(record: Record, facts: list[Fact], rng: Random) -> tuple[Entity, Entity, Fact, Fact] | None:
    """Two rows with different values."""
    first, second = rng.sample(range(len(facts)), 2)
    if numbers([facts[first]]) == numbers([facts[second]]):
        return None
    return record.rows[first], record.rows[second], facts[first], facts[second]


def comparison(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """Which of two rows has more, and perhaps by how much."""
    two = pick_two(record, facts, rng)
    if two is None:
        return None
    one, other, fact, other_fact = two
    (x, y) = numbers([fact, other_fact])
    slots = {**shared_slots(record, fact), "a": named(one), "b": named(other)}
    paths = (one.name_path, other.name_path, *fact.paths, *other_fact.paths)
    kind = "comparison"
    if fact.attribute.versus and rng.random() < 0.7:
        high, low = max(x, y), min(x, y)
        slots |= {"x": Piece(plain_number(high), "value"), "y": Piece(plain_number(low), "value")}
        wording = rng.choice(fact.attribute.versus)
    elif rng.random() < 0.5:
        difference = like(fact, abs(x - y), rng)
        if difference.value is not None and (
            difference.value.content in (0, 1) or fact.attribute.kind == "percent"
        ):
            return None
        slots["v"] = difference
        wording, kind = rng.choice(shared.derived["difference"]), "arithmetic"
    else:
        wording = rng.choice(shared.derived["comparison"])
    pieces = fill(wording, None, slots, flipped=x < y)
    return Statement(kind, pieces, None, paths, [fact, other_fact])


def aggregate(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """The sum or the mean of all rows."""
    values = numbers(facts)
    if len(values) < 3:
        return None
    if facts[0].attribute.additive and rng.random() < 0.6:
        name, number, decimals = "sum", sum(values), facts[0].attribute.decimals
    else:
        mean = sum(values) / len(values)
        name, number, decimals = "mean", mean, 2 if facts[0].attribute.kind == "money" else 1
        if abs(round(mean, decimals) - mean) > 1e-9:
            return mean_about(record, facts, mean, shared, rng)
    result = like(facts[0], number, rng, decimals=decimals)
    slots = {**shared_slots(record, facts[0]), "v": result}
    pieces = fill(rng.choice(shared.derived[name]), None, slots)
    return Statement("arithmetic", pieces, None, all_paths(record, facts), facts)


def mean_about(
    record: Record, facts: list[Fact], mean: float, shared: Wordings, rng: Random
) -> Statement | None:
    """The mean, rounded and said to be so."""
    if abs(mean) < 20 or facts[0].attribute.kind not in ("number", "money"):
        return None
    assert facts[0].value is not None
    value = replace(facts[0].value, content=round(mean), decimals=0)
    text = say_value(value, rng)
    if not text[:1].isdigit() and not text.startswith(("$", "€", "£", "USD", "EUR", "GBP")):
        return None
    slots = {**shared_slots(record, facts[0]), "v": Piece(f"about {text}", "value", value=value)}
    pieces = fill(rng.choice(shared.derived["mean"]), None, slots)
    return Statement("arithmetic", pieces, None, all_paths(record, facts), facts)


def share(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """The share of one row in the sum of all."""
    values = numbers(facts)
    if not facts[0].attribute.additive or min(values) < 0 or not sum(values):
        return None
    index = rng.randrange(len(values))
    percent = 100 * values[index] / sum(values)
    if percent < 3:
        return None
    value = Value("percent", round(percent), "", 0)
    piece = Piece(f"about {say_value(value, rng)}", "value", value=value)
    slots = {**shared_slots(record, facts[0]), "a": named(record.rows[index]), "v": piece}
    pieces = fill(rng.choice(shared.derived["share"]), None, slots)
    return Statement("arithmetic", pieces, None, all_paths(record, facts), facts)


def threshold(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """How many rows lie above or below a value."""
    values = sorted(numbers(facts))
    if len(values) < 4 or facts[0].attribute.kind == "rating":
        return None
    above = rng.random() < 0.6
    limit = (values[1] + values[2]) / 2 if above else (values[-2] + values[-3]) / 2
    # A rounder limit, if it still lies between the two values.
    limit = round(limit, facts[0].attribute.decimals)
    count = sum(value > limit if above else value < limit for value in values)
    if count in (0, 1, len(values)) or limit in values:
        return None
    slots = {
        **shared_slots(record, facts[0]),
        "n": Piece(count_word(count), "count"),
        "v": exact(facts[0], limit, rng),
    }
    pieces = fill(rng.choice(shared.derived["threshold"]), None, slots, flipped=not above)
    wrong = [count_word(other) for other in range(2, len(values)) if other != count]
    return Statement("threshold", pieces, None, all_paths(record, facts), facts, wrong_values=wrong)


def exact(fact: Fact, number: float, rng: Random) -> Piece:
    """A number in the unit of a fact, neither rounded nor converted."""
    assert fact.value is not None
    number = number if fact.value.decimals else round(number)
    value = replace(fact.value, content=number)
    text = say_value(value, rng)
    while text.startswith(APPROXIMATE) or text.endswith("°F"):
        text = say_value(value, rng)
    return Piece(text)


def count_rows(record: Record, facts: list[Fact], shared: Wordings, rng: Random) -> Statement | None:
    """How many rows, all, none, both or only which, are of a kind."""
    attribute = facts[0].attribute
    contents = [fact.value.content for fact in facts if fact.value is not None]
    wanted = True if attribute.kind == "yes_no" else rng.choice(contents)
    having = [row for row, content in zip(record.rows, contents, strict=True) if content == wanted]
    others = [row for row in record.rows if row not in having]
    count, total = len(having), len(record.rows)
    words = {
        "have": Piece(attribute.many.replace("{v}", str(wanted))),
        "has": Piece(attribute.one.replace("{v}", str(wanted))),
    }
    slots = {**shared_slots(record, facts[0]), **words}
    wrong: list[str] = []
    rivals: list[Entity] = []
    if count in (0, total):
        name = "all_or_none"
    elif count == 1:
        name, rivals = "only", others
        slots["a"] = named(having[0])
    elif count == 2 and rng.random() < 0.5:
        name, rivals = "both", others
        slots |= {"a": named(having[0]), "b": named(having[1])}
    else:
        name = "count"
        wrong = [count_word(other) for other in range(2, total) if other != count]
        slots["n"] = Piece(count_word(count), "count")
    pieces = fill(rng.choice(shared.derived[name]), None, slots, flipped=count == 0)
    return Statement(
        "count", pieces, None, all_paths(record, facts), facts, rivals=rivals, wrong_values=wrong
    )


def derive_from_series(entity: Entity, fact: Fact, shared: Wordings, rng: Random) -> Statement | None:
    """A change, trend, extreme, total or mean of a series."""
    periods = list(fact.parts)
    values = [value.content for value in fact.parts.values() if value is not None]
    template = Fact(fact.attribute, next(iter(fact.parts.values())))
    step = "year" if periods[0].isdigit() else "quarter" if periods[0].startswith("Q") else "month"
    slots = {"label": Piece(fact.attribute.label), "step": Piece(step)}
    name = rng.choice(("change", "percent_change", "trend", "peak", "series_sum", "higher_than"))
    kind, flipped, wrong = "arithmetic", False, []
    used = periods
    match name:
        case "change" | "percent_change" | "higher_than":
            first, last = sorted(rng.sample(range(len(periods)), 2))
            before, after = values[first], values[last]
            if before == after or not before:
                return None
            flipped = after < before
            used = [periods[first], periods[last]]
            slots |= {"p": Piece(periods[first]), "q": Piece(periods[last])}
            if name == "percent_change":
                percent = 100 * abs(after / before - 1)
                decimals = 1 if percent < 10 else 0
                value = Value(
                    "percent", round(percent, decimals) if decimals else round(percent), "", decimals
                )
                if not value.content:
                    return None
                about = "" if abs(percent - value.content) < 1e-9 else "about "
                slots["v"] = Piece(about + say_value(value, rng), "value", value=value)
            elif name == "higher_than":
                kind = "comparison"
            else:
                slots["v"] = like(template, abs(after - before), rng)
                if slots["v"].value is not None and slots["v"].value.content in (0, 1):
                    return None
        case "trend":
            steps = [later - earlier for earlier, later in pairwise(values)]
            if not (all(each > 0 for each in steps) or all(each < 0 for each in steps)):
                return None
            kind, flipped = "trend", steps[0] < 0
            slots |= {"p": Piece(periods[0]), "q": Piece(periods[-1])}
        case "peak":
            flipped = rng.random() < 0.4
            best = min(values) if flipped else max(values)
            if values.count(best) > 1:
                return None
            kind = "superlative"
            wrong = [period for period, value in zip(periods, values, strict=True) if value != best]
            slots["p"] = Piece(periods[values.index(best)], "period")
        case "series_sum":
            if not fact.attribute.additive:
                return None
            slots |= {"v": like(template, sum(values), rng), "p": Piece(periods[0]), "q": Piece(periods[-1])}
    pieces = fill(rng.choice(shared.derived[name]), entity, slots, flipped=flipped)
    paths = tuple(path for period in used for path in fact.part_paths[period])
    return Statement(kind, pieces, entity, paths, [fact], wrong_values=wrong)


NUMERIC_RULES: tuple[Callable[[Record, list[Fact], Wordings, Random], Statement | None], ...] = (
    superlative,
    superlative,
    ranking,
    comparison,
    comparison,
    aggregate,
    share,
    threshold,
)
