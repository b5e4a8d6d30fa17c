"""What the name of an attribute and the attributes beside it tell of a value: unit, scale, share, period."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.dates import MONTHS, WEEKDAYS
from factable.text.values.units import HUNDREDTH, is_money, unit_of, units_by_symbol, units_named


@dataclass(frozen=True, slots=True)
class Hint:
    """How a value of the data is to be read.

    `unit` is a name in `units.UNITS`, and the value counts `scale` of it. A `ratio` is a share from 0 to 1
    that may be written as a percentage. `period` is the time that the name of the attribute contains, such as
    "2024" or "Q3 2025". `words` are the other words of the attribute.
    """

    unit: str = ""
    scale: int = 1
    ratio: bool = False
    period: str = ""
    words: str = ""


# Characters of a name that are read, from its end, where units stand; the words are looked at several times.
_MAX_NAME = 1000


def hint_of(attribute: str, siblings: Mapping[str, str]) -> Hint:
    """What an attribute and the attributes of the same object tell of a value.

    Siblings are given by their names, or by paths such as `units.temperature`.
    """
    attribute = attribute[-_MAX_NAME:]
    hint = _hint_of_name(attribute)
    unit, scale = _from_siblings(attribute, siblings)
    if not hint.unit:
        hint = replace(hint, unit=unit, scale=hint.scale if hint.scale > 1 else scale)
        hint = replace(hint, ratio=hint.ratio and not unit)
    return replace(hint, period=_period_beside(siblings)) if not hint.period else hint


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


#: Words of attributes that are amounts of money.
MONEY_WORDS = _set_of("""
amount price prices cost costs fee fees revenue revenues sales turnover profit income earnings salary
wage wages pay payment budget spend spending expense expenses ebit ebitda cash debt balance total
subtotal tax taxes rent deposit value worth valuation gdp funding loan discount charge fare tariff ticket
bill invoice donation donations capital market cap dividend margin loss net gross assets liabilities deduction
deductions refund refunds premium premiums savings grant grants bonus commission subsidy fine fines toll
""")
_COUNTED = _set_of("""
population people users subscribers customers viewers views visitors followers downloads passengers
members inhabitants residents units copies plays streams listeners votes streaming sold shipments
""")
_TEMPERATURE = _set_of(
    "temp temps temperature temperatures dew dewpoint feels heat chill oven air water high low min max avg "
    "threshold"
)
_LENGTH = _set_of("""
distance length height width depth elevation altitude radius diameter perimeter ascent descent climb gain
drop visibility size level range reach clearance ceiling wingspan draught thickness jump throw tide snow
snowfall wave pool track race run swim walk summit peak waist inseam display screen diagonal rain
rainfall precipitation
""")
_TIME = _set_of("""
duration time runtime length wait delay cook cooking prep preparation travel walk walking drive driving
session video song interval playing total elapsed flight journey uptime downtime latency battery life
response lap
""")
_SPEED = _set_of("speed wind gust gusts velocity pace")
_SINGLE_LETTERS: dict[str, tuple[tuple[frozenset[str], str], ...]] = {
    "c": ((_TEMPERATURE, "degree Celsius"),),
    "f": ((_TEMPERATURE, "degree Fahrenheit"),),
    "k": ((_TEMPERATURE, "kelvin"),),
    "m": ((_LENGTH, "metre"),),
    "s": ((_TIME, "second"),),
    "h": ((_TIME, "hour"),),
    "g": (
        (
            _set_of("weight mass protein fat carbs carbohydrates sugar sugars fibre fiber salt portion"),
            "gram",
        ),
    ),
    "l": ((_set_of("volume capacity tank boot trunk fuel content water"), "litre"),),
    "t": ((_set_of("weight mass emissions production cargo load"), "tonne"),),
    "w": ((_set_of("power output consumption charging load wattage"), "watt"),),
    "v": ((_set_of("voltage battery supply input output"), "volt"),),
}
# After an underscore, these letters are units beside any other words: `first_crack_s`, `yield_t`.
_AFTER_UNDERSCORE = {"s": "second", "h": "hour", "t": "tonne", "g": "gram", "l": "litre", "m": "metre"}
_MASSES = _set_of("mg ug g ng kg mcg mmol")
# Unless they tell one of several things from the others: `group_h`, `vitamin_g`.
_LETTERED = _set_of(
    "group team player class grade type plan option part section series vitamin hall gate zone"
)
# A span of time in the plural is the unit wherever it stands: `max_days_without_doctor`.
_SPANS = {f"{unit}s": unit for unit in ("second", "minute", "hour", "day", "week", "month", "year")}
# Abbreviations that are units only beside words of their kind: `duration_min` and `temp_min`.
_DOUBTFUL: dict[str, tuple[tuple[frozenset[str], str], ...]] = {
    "min": ((_TIME, "minute"),),
    "in": ((_LENGTH, "inch"),),
    "ms": ((_SPEED, "metre per second"), (_TIME, "millisecond")),
    "mps": ((_SPEED, "metre per second"),),
    "pounds": ((MONEY_WORDS, "pound (money)"), (frozenset(), "pound (mass)")),
    "gallons": ((frozenset(), "US gallon"),),
} | _SINGLE_LETTERS
_SCALES = {"k": 10**3, "thousand": 10**3, "thousands": 10**3, "tsd": 10**3, "lakh": 10**5, "lakhs": 10**5}
_SCALES |= dict.fromkeys(("m", "mn", "mio", "mln", "million", "millions"), 10**6)
_SCALES |= dict.fromkeys(("crore", "crores"), 10**7)
_SCALES |= dict.fromkeys(("b", "bn", "mrd", "billion", "billions"), 10**9)
_SCALES |= dict.fromkeys(("tn", "trillion", "trillions"), 10**12)
# `usdm`, `keur`, `€m`
_SCALED_CURRENCY = lazy_pattern(r"([a-z]{3}|[€$£¥₹])(k|mm|mn|m|bn|b)|(k|m|t)([a-z]{3}|[€$£])", re.IGNORECASE)
_QUALIFIERS = _set_of("""
max min avg average mean median total minimum maximum value high low current last sum each yesterday today
tomorrow previous prev prior before after now start end initial final planned actual estimated forecast target
""")
_RATIO = _set_of("""
margin rate ratio share percentage percent pct proportion fraction probability chance growth change yield
accuracy utilisation utilization occupancy precision recall humidity turnout conversion churn likelihood
confidence
""")
_NO_RATIO = _set_of(
    "exchange frame heart birth bit sample refresh hourly daily nightly room interest price aspect"
)
_GENERIC = _set_of(
    "amount value quantity number reading measurement size result level target threshold count"
) | (_QUALIFIERS)
_UNIT_KEY = _set_of("unit units uom currency")
_BARE_UNIT = lazy_pattern(
    r"units?(?: (?:of )?(?:measure|measurement|code|text|name|symbol))?|uom|measure unit"
)
_BARE_CURRENCY = lazy_pattern(r"(?:price |amount |local |base )?currency(?: (?:code|symbol|iso))?")
_BARE_SCALE = lazy_pattern(r"scale|multiplier|magnitude|(?:units? )?scale")
_DIMENSION_WORDS = {
    "length": _LENGTH,
    "time": _TIME,
    "speed": _SPEED,
    "temperature": _TEMPERATURE,
    "mass": _set_of("weight mass load"),
    "volume": _set_of("volume capacity"),
    "money": MONEY_WORDS,
}
_MAX_UNIT_WORDS = 4
_COUNTS = frozenset(_SPANS) | _set_of("nights quantity qty count pieces bottles items people persons guests")
# Symbols that are nothing but a unit, even as a whole key.
_WHOLE_KEYS = frozenset(
    symbol for symbol in ("km", "kg", "cm", "mm", "kcal", "ml", "mg") if units_named(symbol)
)
_LAST_LETTER = lazy_pattern(r"_(c|f)\Z", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def _hint_of_name(attribute: str) -> Hint:
    """The hint of a name alone: the last step of a path that has a unit decides."""
    # With spaces, a full stop marks an abbreviation, as in "No.of seats".
    steps = re.split(r"\[\d+\]\.?" if " " in attribute else r"\[\d+\]\.?|(?<=\w)\.(?=\w)", attribute)
    hints = [_hint_of_step(step) for step in steps if step]
    if not hints:
        return Hint()
    if not hints[-1].unit and steps[-1].lower() in _WHOLE_KEYS:
        hints[-1] = replace(hints[-1], unit=units_named(steps[-1].lower())[0])
    last = _LAST_LETTER.search(steps[-1])
    if (
        last
        and not hints[-1].unit
        and {word for hint in hints[:-1] for word in hint.words.lower().split()} & _TEMPERATURE
    ):
        # temperature.valley_c
        unit = {"c": "degree Celsius", "f": "degree Fahrenheit"}[last[1].lower()]
        hints[-1] = replace(hints[-1], unit=unit, words=hints[-1].words[:-2])
    measured = next((hint for hint in reversed(hints) if hint.unit or hint.scale > 1), hints[-1])
    period = next((hint.period for hint in reversed(hints) if hint.period), "")
    words = " ".join(hint.words for hint in hints if hint.words)
    ratio = hints[-1].ratio and measured.unit in ("", "percent") and measured.scale == 1
    return Hint(measured.unit, measured.scale, ratio, period, words)


def _hint_of_step(step: str) -> Hint:
    inside = re.search(r"[(\[](?:in[\s_])?([^()\[\]]+)[)\]]\s*\Z", step)
    unit, scale = parse_unit(inside[1].replace("_", " ")) if inside else ("", 1)
    if inside and (unit or scale > 1):
        step = step[: inside.start()]
    if step.strip() == "%":
        return Hint("percent", words="%")
    period, step = _period(step)
    words = split_identifier(step).split()
    if not unit and scale == 1:
        unit, scale, words = _from_words(words)
    if not unit and scale == 1:
        unit, words = _from_mark(step, words)
    low = {word.lower() for word in words}
    ratio = (not unit and scale == 1 and bool(low & _RATIO) and not low & _NO_RATIO) or (
        unit == "percent" and "pct" in split_identifier(step).lower().split()
    )
    return Hint(unit, scale, ratio, period, " ".join(words))


def _from_words(words: list[str]) -> tuple[str, int, list[str]]:
    """The unit and the scale that the words of a name contain, and the other words."""
    if words and words[-1].lower() == "age":
        return "year", 1, words
    rest = list(words)
    after = len(rest)
    while after > 1 and rest[after - 1].lower() in _QUALIFIERS and not _doubtful(rest[:after]):
        after -= 1
    rest, tail = rest[:after], rest[after:]
    scale, rest = _scale_of(rest)
    unit, kept = _unit_of(rest)
    if not unit:
        # "price per kilogram": what it is divided by is no unit of the value.
        per = next((at for at, word in enumerate(rest) if word.lower() == "per" and at), len(rest))
        unit, before = _unit_of(rest[:per])
        kept = before + rest[per:]
    if not unit:
        unit, kept = _currency_anywhere(rest)
    if unit and scale == 1 and is_money(unit):
        scale, kept = _scale_of(kept, money=True)
    return unit, scale, kept + tail


def _from_mark(step: str, words: list[str]) -> tuple[str, list[str]]:
    """A unit that is written as a letter after an underscore, or as a span of time inside a name."""
    low = [word.lower() for word in words]
    if len(words) > 1 and step.islower() and step.endswith(f"_{words[-1]}") and not _LETTERED & set(low):
        # `nitrate_mg_l` are no litres.
        unit = "" if low[-2] in _MASSES else _AFTER_UNDERSCORE.get(words[-1], "")
        if unit and not (unit == "metre" and set(low) & (MONEY_WORDS | _COUNTED)):
            return unit, words[:-1]
    spans = [_SPANS[word] for word in low[:-1] if word in _SPANS]
    return (spans[0], words) if len(spans) == 1 and "per" not in low and "_" in step else ("", words)


def _scale_of(words: list[str], *, money: bool = False) -> tuple[int, list[str]]:
    """The scale that a name contains; a single letter counts only beside words for money or people."""
    for at in range(len(words) - 1, 0, -1):
        word = words[at].lower()
        others = {other.lower() for other in words[:at]}
        if word not in _SCALES:
            continue
        known = money or others & (MONEY_WORDS | _COUNTED) or any(_is_currency(other) for other in others)
        if len(word) > 1 or (known and at == len(words) - 1):
            before = words[: at - 1] if words[at - 1].lower() == "in" and at > 1 else words[:at]
            return _SCALES[word], before + words[at + 1 :]
    return 1, words


def _unit_of(words: list[str]) -> tuple[str, list[str]]:
    """The unit at the end of the words of a name, and the words before it."""
    if len(words) > 1 and (doubtful := _doubtful(words)):
        return doubtful, words[:-1]
    for count in range(min(_MAX_UNIT_WORDS, len(words) - 1), 0, -1):
        last = words[-count:]
        marked = words[-count - 1].lower() == "in"
        if last[0].lower() == "per" or words[-count - 1].lower() != "per":
            unit = _unit_in_name(last, marked=marked)
            if unit:
                return unit, words[: -count - marked] or words
    return "", words


def _unit_in_name(words: Sequence[str], *, marked: bool) -> str:
    """The unit that words at the end of a name mean; a word in the singular may mean anything: "day"."""
    written = " ".join(words)
    if len(words) == 1 and words[0].lower() in _DOUBTFUL and not marked:
        return ""
    forms = dict.fromkeys((written, written.lower(), "/".join(words), "".join(words)))
    for form in forms:
        short = len(form) <= 4 or "/" in form or form.startswith("per ")
        if (
            marked
            or form.endswith(("s", "feet", "percent", "celsius", "fahrenheit"))
            or (short and len(form) > 1)
        ):
            units = tuple(
                unit for unit in units_named(form) or units_by_symbol(form) if not unit.startswith(HUNDREDTH)
            )
            word = short and units and form.lower() == unit_of(units[0]).name
            if units and (marked or not word):
                return units[0]
    return ""


def _doubtful(words: Sequence[str]) -> str:
    """The unit that the last word means beside the words before it."""
    others = {form for word in words[:-1] for form in (word.lower(), word.lower().removesuffix("s"))}
    for beside, unit in _DOUBTFUL.get(words[-1].lower(), ()):
        if others & beside or not beside:
            return unit
    return ""


def _currency_anywhere(words: list[str]) -> tuple[str, list[str]]:
    for at, word in enumerate(words):
        if len(words) > 1 and _is_currency(word):
            return units_named(word.upper())[0], words[:at] + words[at + 1 :]
    return "", words


def _is_currency(word: str) -> bool:
    units = units_named(word.upper()) if len(word) == 3 else ()
    return bool(units) and units[0] == word.upper() and is_money(units[0])


def parse_unit(written: str) -> tuple[str, int]:
    """A unit as the value of an attribute or in parentheses: "°C", "km", "EUR million", "in thousands"."""
    alone = {"C": "degree Celsius", "F": "degree Fahrenheit", "K": "kelvin", "in": "inch", '"': "inch"}
    plain = written.strip()
    if plain in alone:
        return alone[plain], 1
    units = units_named(plain) or units_by_symbol(plain)
    if units:
        return units[0], 1
    scale, rest = 1, []
    for word in re.split(r"[\s,]+", plain.replace(".", "")):
        joined = _SCALED_CURRENCY.fullmatch(word)
        if word.lower() in _SCALES:
            scale = _SCALES[word.lower()]
        elif joined and units_named((joined[1] or joined[4]).upper()):
            letters = (joined[2] or joined[3]).lower()
            scale = _SCALES["k" if letters in ("k", "t") else "m" if letters == "mm" else letters]
            rest.append(joined[1] or joined[4])
        elif word.lower() not in ("in", "of", "the"):
            rest.append(word)
    units = units_named(" ".join(rest)) or units_named(" ".join(rest).upper())
    return (units[0], scale) if units else ("", 1 if rest else scale)


_YEAR = r"(?:19|20)\d\d"
_MONTH = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
_FROM, _TO = r"(?:(?<=[_\s.(-])|(?<=[a-z])(?=[A-Z12])|\A)", r"(?=[_\s.)-]|[A-Z]|\Z)"
_PERIODS = [
    lazy_pattern(f"{_FROM}(?:{pattern}){_TO}", re.IGNORECASE if any_case else 0)
    for pattern, any_case in (
        (rf"(?P<day>{_YEAR}-\d\d-\d\d)", True),
        (rf"(?P<season>{_YEAR}[-/–](?:{_YEAR}|\d\d))", True),
        (
            rf"[Qq](?P<quarter>[1-4])[_\s-]?(?P<year>{_YEAR})|(?P<year2>{_YEAR})[_\s-]?[Qq](?P<quarter2>[1-4])",
            False,
        ),
        (rf"(?P<month>{_MONTH})[_\s-]?(?P<year>{_YEAR})|(?P<year2>{_YEAR})[_\s-](?P<month2>{_MONTH})", True),
        (rf"(?:FY|fy)?(?P<year>{_YEAR})", False),
        (r"(?:FY|fy)(?P<short>\d\d)", False),
        (r"[Qq](?P<quarter>[1-4])", False),
    )
]
_ALONE = lazy_pattern(
    rf"{'|'.join(MONTHS)}|{'|'.join(f'{day}|{day[:3]}' for day in WEEKDAYS)}", re.IGNORECASE
)


def _period(step: str) -> tuple[str, str]:
    """The time that a name contains, and the name without it; a weekday or a month only if it is all."""
    if _ALONE.fullmatch(step):
        names = [name for name in (*MONTHS, *WEEKDAYS) if name.lower().startswith(step.lower())]
        return names[0], ""
    for pattern in _PERIODS:
        match = pattern.search(step)
        if match:
            return _period_of(match), f"{step[: match.start()]} {step[match.end() :]}".strip(" _-.")
    return "", step


def _period_of(match: re.Match[str]) -> str:
    parts = {name: text for name, text in match.groupdict().items() if text}
    year = parts.get("year") or parts.get("year2") or (f"20{parts['short']}" if "short" in parts else "")
    if quarter := parts.get("quarter") or parts.get("quarter2"):
        return f"Q{quarter} {year}".strip()
    if month := parts.get("month") or parts.get("month2"):
        return f"{next(name for name in MONTHS if name.lower().startswith(month.lower()))} {year}"
    return year or parts.get("day") or parts["season"]


def _period_beside(siblings: Mapping[str, str]) -> str:
    """The quarter, month or period that stands beside a value."""
    keys = {split_identifier(key).lower(): value.strip() for key, value in siblings.items() if "." not in key}
    year = keys.get("year", keys.get("fiscal year", ""))
    year = year if re.fullmatch(_YEAR, year) else ""
    quarter = re.fullmatch(r"[Qq]?([1-4])", keys.get("quarter", ""))
    if quarter:
        return f"Q{quarter[1]} {year}".strip()
    return _period(keys.get("quarter") or keys.get("period") or keys.get("fiscal year") or "")[0]


def _from_siblings(attribute: str, siblings: Mapping[str, str]) -> tuple[str, int]:
    """The unit and scale that other attributes give; the one that names this attribute goes first."""
    words = _last_words(attribute)
    if words & _UNIT_KEY:
        return "", 1
    bare: list[tuple[str, int]] = []
    for key, value in siblings.items():
        steps = [step for step in re.split(r"\[\d+\]\.?|\.", key) if step]
        if not steps or not value or len(value) > 20:
            continue
        own, parents = _last_words(steps[-1]), _last_words(steps[-2]) if len(steps) > 1 else frozenset()
        if (own & _UNIT_KEY and own - _UNIT_KEY == words) or (
            parents & {"unit", "units"} and _names_alike(own, words)
        ):
            found = parse_unit(value)
            if found != ("", 1):
                return found
        bare += _bare_unit(split_identifier(steps[-1]).lower(), value, words | _of_money(attribute), siblings)
    unit = next((unit for unit, _ in bare if unit), "")
    return unit, next((scale for _, scale in bare if scale > 1), 1)


def _of_money(path: str) -> frozenset[str]:
    """The words of money in a path: what is under `income` is money, too, but no days or what is per unit."""
    words = frozenset(split_identifier(path.replace(".", " ")).lower().split())
    is_counted = not _last_words(path.rpartition(".")[2]).isdisjoint(_COUNTS)
    return frozenset() if "per" in words or is_counted else words & MONEY_WORDS


def money_around(telling: Iterable[tuple[str, str]]) -> tuple[str, int]:
    """The currency and the scale that an object tells of its amounts: `currency: USD`, `unit: million`."""
    unit, scale = "", 1
    for key, value in telling:
        words = split_identifier(key).lower()
        if _BARE_CURRENCY.fullmatch(words) and is_money(parse_unit(value)[0]):
            unit = parse_unit(value)[0]
        elif _BARE_UNIT.fullmatch(words) or _BARE_SCALE.fullmatch(words):
            named, told = parse_unit(value)
            scale, unit = max(scale, told), named if is_money(named) else unit
    return unit, scale


def _bare_unit(
    key: str, value: str, words: frozenset[str], siblings: Mapping[str, str]
) -> list[tuple[str, int]]:
    """The unit or scale of an attribute that is called just "unit", "currency" or "scale"."""
    # `avg` says nothing of what is averaged: a rating is no money, nor is a quantity.
    about_money = bool(words & MONEY_WORDS) or (words <= _GENERIC and words.isdisjoint(_COUNTS))
    if _BARE_CURRENCY.fullmatch(key) and about_money:
        unit, scale = parse_unit(value)
        return [(unit, scale)] if is_money(unit) else []
    if _BARE_SCALE.fullmatch(key) and about_money:
        return [("", int(value) if re.fullmatch("10*", value) else _SCALES.get(value.lower(), 1))]
    if _BARE_UNIT.fullmatch(key):
        unit, scale = parse_unit(value)
        kind = _DIMENSION_WORDS.get(unit_of(unit).dimension, frozenset())
        numbers = sum(any(char.isdecimal() for char in other) for other in siblings.values())
        if words & (kind | _GENERIC) or numbers <= 1:
            return [(unit, scale)]
    return []


def _last_words(path: str) -> frozenset[str]:
    step = re.split(r"\[\d+\]\.?|(?<=[\w\]])\.(?=\w)", path.rstrip("[]0123456789") or path)[-1]
    return frozenset(split_identifier(step).lower().split())


def _names_alike(short: Iterable[str], words: Iterable[str]) -> bool:
    """Whether a name stands for another: temp for temperature_max."""
    return all(
        any(word.startswith(one) or one.startswith(word) for word in words if len(word) > 2) for one in short
    )
