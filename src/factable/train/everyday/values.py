"""Values of everyday records: how they are drawn, stored in JSON and worded by people."""

import datetime
import math
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Literal

from factable.text.values.dates import MONTHS, WEEKDAYS

ValueKind = Literal[
    "number", "quantity", "money", "percent", "rating", "date", "time", "year", "yes_no", "word", "list"
]
NUMERIC = frozenset({"number", "quantity", "money", "percent", "rating"})


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its kind, its content, and the unit, currency or scale of a number."""

    kind: ValueKind
    content: Any
    unit: str = ""
    decimals: int = 0


@dataclass(frozen=True, slots=True)
class Unit:
    """How a unit is written in keys and in texts, and which unit people convert it to."""

    suffix: str
    words: tuple[str, ...]
    mistaken_for: tuple[str, ...]
    converted: tuple[float, float, str] | None = None  # factor, offset, words of the other unit


UNITS = {
    "kg": Unit("kg", (" kg", " kilograms"), (" grams", " tonnes", " pounds"), (2.20462, 0, " pounds")),
    "g": Unit("g", (" g", " grams"), (" kg", " ounces"), (0.035274, 0, " ounces")),
    "km": Unit("km", (" km", " kilometres", " kilometers"), (" miles", " metres"), (0.621371, 0, " miles")),
    "m": Unit("m", (" m", " metres", " meters"), (" km", " feet", " cm"), (3.28084, 0, " feet")),
    "cm": Unit("cm", (" cm", " centimetres"), (" mm", " inches", " m"), (0.393701, 0, " inches")),
    "mm": Unit("mm", (" mm", " millimetres"), (" cm", " inches")),
    "C": Unit("c", ("°C", " °C", " degrees Celsius"), ("°F", " degrees Fahrenheit"), (1.8, 32, "°F")),
    "km/h": Unit("kmh", (" km/h", " kilometres per hour"), (" mph", " m/s"), (0.621371, 0, " mph")),
    "l": Unit("l", (" litres", " liters", " l"), (" ml", " gallons"), (0.264172, 0, " gallons")),
    "ml": Unit("ml", (" ml", " millilitres"), (" litres", " cl")),
    "min": Unit("min", (" minutes", " min"), (" hours", " seconds")),
    "h": Unit("hours", (" hours",), (" minutes", " days", " weeks")),
    "days": Unit("days", (" days",), (" weeks", " months", " hours")),
    "months": Unit("months", (" months",), (" years", " weeks")),
    "years": Unit("years", (" years",), (" months", " decades")),
    "W": Unit("w", (" W", " watts"), (" kW", " volts")),
    "kW": Unit("kw", (" kW", " kilowatts"), (" W", " MW")),
    "kWh": Unit("kwh", (" kWh", " kilowatt hours"), (" MWh", " Wh")),
    "MW": Unit("mw", (" MW", " megawatts"), (" kW", " GW")),
    "mAh": Unit("mah", (" mAh",), (" Wh", " Ah")),
    "GB": Unit("gb", (" GB", " gigabytes"), (" MB", " TB")),
    "MP": Unit("mp", (" MP", " megapixels"), (" GB", " mm")),
    "in": Unit("in", (" inches", "-inch"), (" cm", " feet"), (2.54, 0, " cm")),
    "m2": Unit(
        "sqm", (" m²", " square metres", " square meters"), (" square feet",), (10.7639, 0, " square feet")
    ),
    "ha": Unit("ha", (" ha", " hectares"), (" acres", " square kilometres"), (2.47105, 0, " acres")),
    "kcal": Unit("kcal", (" kcal", " kilocalories"), (" kJ", " grams")),
    "hPa": Unit("hpa", (" hPa",), (" bar",)),
    "Mbps": Unit("mbps", (" Mbps", " Mbit/s"), (" kbps", " Gbps")),
    "dB": Unit("db", (" dB", " decibels"), (" Hz",)),
    "bpm": Unit("bpm", (" bpm", " beats per minute"), (" per hour",)),
    "lm": Unit("lm", (" lumens", " lm"), (" watts",)),
}
CURRENCIES = {"USD": ("$", "dollars"), "EUR": ("€", "euros"), "GBP": ("£", "pounds")}
NUMBER_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)


def article(word: str) -> str:
    """The word with "a" or "an"."""
    return (
        f"an {word}"
        if word[:1].lower() in "aeiou" and not word.lower().startswith(("uni", "eu", "one"))
        else f"a {word}"
    )


def capitalized(words: str) -> str:
    """Words with a capital at the beginning."""
    return words[:1].upper() + words[1:]


def join_words(words: list[str]) -> str:
    """Words as a list in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def plain_number(number: float, decimals: int = 0, *, separator: bool = True) -> str:
    """A number with its decimals, trailing zeros of fractions left out."""
    text = f"{number:,.{decimals}f}" if separator else f"{number:.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-0", "0") if text == "-0" else text


def round_significant(number: float, digits: int) -> float:
    """A number rounded to significant digits."""
    if not number:
        return 0.0
    return round(number, digits - 1 - math.floor(math.log10(abs(number))))


def say_scaled(number: float) -> str:
    """A round number, in millions or billions if it is that large."""
    for size, word in ((1e9, " billion"), (1e6, " million")):
        if abs(number) >= size:
            return plain_number(number / size, 2) + word
    return plain_number(number, 0 if abs(number) >= 10 else 1)


def say_number(number: float, decimals: int, rng: Random) -> str:
    """A number as people write it: exactly, in words, or rounded in a way that holds."""
    if decimals == 0 and 2 <= number <= 12 and number == int(number):
        return NUMBER_WORDS[int(number)] if rng.random() < 0.5 else str(int(number))
    if abs(number) >= 1000 and number != round_significant(number, 2) and rng.random() < 0.35:
        return say_rounded(number, rng)
    return plain_number(number, decimals, separator=rng.random() < 0.93)


def say_rounded(number: float, rng: Random) -> str:
    """A number rounded to two or three digits, with a word that fits the direction."""
    rounded = round_significant(number, rng.choice((2, 3)) if abs(number) >= 1e5 else 2)
    if abs(rounded - number) > 0.02 * abs(number):
        rounded = round_significant(number, 3)
    if rounded == number:
        return say_scaled(rounded)
    directed = ("nearly", "just under") if rounded > number else ("more than", "over")
    return f"{rng.choice(('about', 'around', 'approximately', *directed))} {say_scaled(rounded)}"


def say_quantity(value: Value, rng: Random) -> str:
    """A number with its unit, sometimes in another unit."""
    number, unit = value.content, UNITS[value.unit]
    draw = rng.random()
    if unit.converted and draw < 0.15 and number:
        factor, offset, words = unit.converted
        converted = number * factor + offset
        if value.unit == "C":
            return f"{plain_number(round(converted))}{words}"
        rounded = round_significant(converted, 3)
        rounded = round(rounded, 0 if rounded >= 100 else 1)
        if abs(rounded - converted) < 0.02 * converted:
            return singular_unit(f"{rng.choice(('about', 'roughly'))} {plain_number(rounded, 1)}", words)
    if value.unit == "min" and number >= 60 and number == int(number) and draw < 0.5:
        return say_minutes(int(number), rng)
    if value.unit == "days" and number in (7, 14, 21, 28) and draw < 0.5:
        weeks = int(number) // 7
        return "a week" if weeks == 1 else f"{NUMBER_WORDS[weeks]} weeks"
    if value.unit == "months" and number in (12, 24, 36) and draw < 0.5:
        return "a year" if number == 12 else f"{NUMBER_WORDS[int(number) // 12]} years"
    words = rng.choice(unit.words)
    if words.startswith("-"):
        words = unit.words[0]
    if len(words) < 5 or not words[1:].replace(" ", "").isalpha() or words[0] != " ":
        # Nobody writes "eight GB".
        return plain_number(number, value.decimals) + words
    return singular_unit(say_number(number, value.decimals, rng), words)


def singular_unit(number: str, words: str) -> str:
    """A number and the words of a unit, in the singular for 1."""
    if number.split()[-1] in ("1", "one") and words.endswith("s") and len(words) > 4:
        words = {" feet": " foot", " inches": " inch"}.get(words, words[:-1])
    return number + words


def say_minutes(minutes: int, rng: Random) -> str:
    """A duration in hours and minutes."""
    hours, rest = divmod(minutes, 60)
    if rng.random() < 0.3:
        return f"{hours}h {rest:02d}m" if rest else f"{hours}h"
    hour_words = "an hour" if hours == 1 and rng.random() < 0.5 else f"{hours} hour{'s' if hours > 1 else ''}"
    if rest == 30 and hours > 1 and rng.random() < 0.5:
        return f"{NUMBER_WORDS[hours] if hours < 13 else hours} and a half hours"
    return hour_words + (f" and {rest} minute{'s' if rest > 1 else ''}" if rest else "")


def say_money(value: Value, rng: Random) -> str:
    """An amount with its currency."""
    amount = value.content
    symbol, words = CURRENCIES[value.unit]
    if abs(amount) >= 10_000 and amount != round_significant(amount, 2) and rng.random() < 0.4:
        rounded = say_rounded(amount, rng)
        start = next(index for index, char in enumerate(rounded) if char.isdigit())
        return f"{rounded[:start]}{symbol}{rounded[start:]}"
    if abs(amount) >= 1e6 and amount == round_significant(amount, 3) and rng.random() < 0.7:
        return symbol + say_scaled(amount)
    text = f"{amount:,.2f}" if amount != int(amount) else f"{int(amount):,}"
    return rng.choices(
        (f"{symbol}{text}", f"{text} {words}", f"{value.unit} {text}", f"{text} {value.unit}"), (6, 2, 1, 1)
    )[0]


def say_time(clock: str, rng: Random) -> str:
    """A time of day, in 24 or 12 hours."""
    hour, minute = int(clock[:2]), int(clock[3:])
    if rng.random() < 0.4:
        return clock
    if hour == 12 and not minute and rng.random() < 0.6:
        return "noon"
    suffix = rng.choice((" am", " a.m.", "am", " AM")).replace("a" if hour >= 12 else "\0", "p")
    if hour >= 12:
        suffix = suffix.replace("A", "P")
    return f"{(hour - 1) % 12 + 1}{f':{minute:02d}' if minute or rng.random() < 0.3 else ''}{suffix}"


def say_date(day: datetime.date, rng: Random) -> str:
    """A date in full."""
    month = MONTHS[day.month - 1]
    forms = (
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{WEEKDAYS[day.weekday()]}, {day.day} {month} {day.year}",
    )
    return rng.choices(forms, (5, 4, 1))[0]


def say_value(value: Value, rng: Random) -> str:
    """A value as people write it; every wording holds for the value."""
    content = value.content
    match value.kind:
        case "number":
            return say_number(content, value.decimals, rng)
        case "quantity":
            return say_quantity(value, rng)
        case "money":
            return say_money(value, rng)
        case "percent":
            return f"{plain_number(content, value.decimals)}{rng.choice(('%', '%', ' percent'))}"
        case "rating":
            number = plain_number(content, 1)
            return rng.choice(
                (f"{number} out of {value.unit}", f"{number}/{value.unit}", f"{number} out of {value.unit}")
            )
        case "time":
            return say_time(content, rng)
        case "date":
            return say_date(content, rng)
        case "list":
            return join_words(list(content))
    return str(content)


def same_value(one: Value, other: Value) -> bool:
    """Whether two values would be taken for the same, as numbers that one rounding could stand for."""
    if one.kind == other.kind and one.kind in NUMERIC:
        return bool(abs(one.content - other.content) <= 0.05 * max(abs(one.content), abs(other.content)))
    if one.kind == "list" and other.kind == "list":
        return set(one.content) == set(other.content)
    return str(one.content).lower() == str(other.content).lower()


def another_number(value: Value, rng: Random) -> Value:
    """The same kind of value with a number that no rounding explains."""
    number = value.content
    if value.kind == "rating":
        top = int(value.unit)
        numbers = [round(number + step / 10, 1) for step in (-14, -11, -8, -5, 5, 8, 11)]
        return replace(value, content=rng.choice([n for n in numbers if top / 5 <= n <= top]))
    factor = rng.choice((0.4, 0.5, 0.6, 0.75, 1.3, 1.5, 1.8, 2.2))
    changed = round(number * factor, value.decimals)
    if abs(changed - number) < max(1, 0.2 * abs(number)):
        changed = number + rng.choice((2, 3, 5))
    if value.kind == "percent" and abs(number) <= 100 < abs(changed):
        changed = round(number * 0.6, value.decimals)
    if value.kind == "money" and number == int(number):
        changed = round(changed)
    return replace(value, content=changed if value.decimals else round(changed))


def another_digit(value: Value, rng: Random) -> str | None:
    """The exact number with one of its digits changed, or none if it has but one."""
    number = plain_number(abs(value.content), value.decimals)
    places = [index for index, char in enumerate(number) if char.isdigit()]
    if len(places) < 2 or value.content < 0:
        return None
    place = rng.choice(places)
    digits = [digit for digit in "123456789" if digit != number[place]]
    return number[:place] + rng.choice(digits) + number[place + 1 :]


def another_moment(value: Value, rng: Random) -> Value:
    """Another date, time or year."""
    if value.kind == "year":
        return replace(value, content=value.content + rng.choice((-12, -5, -3, -2, -1, 1, 2, 4, 7)))
    if value.kind == "date":
        day = value.content
        step = rng.choice((-60, -31, -7, -2, -1, 1, 3, 7, 30, 61, 365))
        return replace(value, content=day + datetime.timedelta(days=step))
    hour, minute = int(value.content[:2]), int(value.content[3:])
    moved = (hour * 60 + minute + rng.choice((-180, -120, -60, -30, 30, 60, 120, 180))) % 1440
    return replace(value, content=f"{moved // 60:02d}:{moved % 60:02d}")
