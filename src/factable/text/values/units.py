"""Units and currencies: how they are written, and how they convert."""

import re
from fractions import Fraction
from typing import NamedTuple

from factable.text.patterns import lazy_pattern


class Unit(NamedTuple):
    """A unit: a value times `factor` plus `offset` is in the base unit of its dimension."""

    name: str
    dimension: str
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


# Dimension, name, factor to the base unit of the dimension, further words, symbols. Words match in any case
# and in the plural, symbols exactly. Units with several definitions (ton, gallon, calorie) are dimensions of
# their own, so they never convert.
_UNITS = """
length       | millimetre     | 1/1000         | millimeter          | mm
length       | centimetre     | 1/100          | centimeter          | cm
length       | metre          | 1              | meter               | m
length       | kilometre      | 1000           | kilometer           | km
length       | micrometre     | 1/1000000      | micrometer, micron  | µm, μm
length       | nanometre      | 1/1000000000   | nanometer           | nm
length       | inch           | 127/5000       |                     | ″
length       | foot           | 381/1250       |                     | ft
length       | yard           | 1143/1250      |                     | yd
length       | mile           | 201168/125     |                     | mi
length       | nautical mile  | 1852           |                     | nmi
light years  | light year     | 1              |                     | ly
mass         | milligram      | 1/1000         | milligramme         | mg
mass         | gram           | 1              | gramme              | g
mass         | kilogram       | 1000           | kilogramme, kilo    | kg
mass         | tonne          | 1000000        | metric ton          | t
mass         | ounce          | 28349523125/1000000000 |             | oz
mass         | pound (mass)   | 45359237/100000 |                    | lb, lbs
mass         | stone          | 635029318/100000 |                   |
tons         | ton            | 1              |                     |
volume       | millilitre     | 1/1000         | milliliter          | ml, mL
volume       | centilitre     | 1/100          | centiliter          | cl
volume       | litre          | 1              | liter               | l, L
volume       | US gallon      | 473176473/125000000 | gallon         | gal
volume       | imperial gallon | 454609/100000 | gallon, UK gallon   | gal
pints        | pint           | 1              |                     |
cups         | cup            | 1              |                     |
spoons       | tablespoon     | 1              |                     | tbsp
teaspoons    | teaspoon       | 1              |                     | tsp
area         | hectare        | 10000          |                     | ha
area         | acre           | 316160658/78125 |                    |
time         | millisecond    | 1/1000         |                     | ms
time         | second         | 1              |                     | s, sec, secs
time         | minute         | 60             |                     | min, mins
time         | hour           | 3600           |                     | h, hr, hrs
time         | day            | 86400          |                     |
time         | week           | 604800         |                     |
calendar     | month          | 1              |                     |
calendar     | year           | 12             |                     | yrs
calendar     | decade         | 120            |                     |
calendar     | century        | 1200           |                     |
speed        | metre per second | 1            | meter per second    | m/s
speed        | kilometre per hour | 5/18       | kilometer per hour  | km/h, kph, kmh, km an hour
speed        | mile per hour  | 1397/3125      |                     | mph, miles an hour
speed        | knot           | 463/900        |                     | kn
temperature  | degree Celsius | 1              | degree centigrade, degree C, Celsius | °C, ° C, ºC, ℃
temperature  | degree Fahrenheit | 5/9         | degree F, Fahrenheit | °F, ° F, ºF, ℉
temperature  | kelvin         | 1              |                     | K
degrees      | degree         | 1              |                     | °
data         | bit            | 1/8            |                     |
data         | byte           | 1              |                     |
data         | kilobyte       | 1000           |                     | kB, KB, Kb
data         | megabyte       | 1000000        |                     | MB, Mb
data         | gigabyte       | 1000000000     |                     | GB, Gb
data         | terabyte       | 1000000000000  |                     | TB
data         | kibibyte       | 1024           |                     | KiB
data         | mebibyte       | 1048576        |                     | MiB
data         | gibibyte       | 1073741824     |                     | GiB
energy       | joule          | 1              |                     | J
energy       | kilojoule      | 1000           |                     | kJ
energy       | kilocalorie    | 4184           |                     | kcal
energy       | watt hour      | 3600           |                     | Wh
energy       | kilowatt hour  | 3600000        |                     | kWh
energy       | megawatt hour  | 3600000000     |                     | MWh
energy       | gigawatt hour  | 3600000000000  |                     | GWh
calories     | calorie        | 1              |                     | cal
power        | watt           | 1              |                     | W
power        | kilowatt       | 1000           |                     | kW
power        | megawatt       | 1000000        |                     | MW
power        | gigawatt       | 1000000000     |                     | GW
power        | horsepower     | 37284993579113511/50000000000000 |   | hp, bhp
power        | metric horsepower | 73549875/100000 | horsepower      | hp, PS
frequency    | hertz          | 1              |                     | Hz
frequency    | kilohertz      | 1000           |                     | kHz
frequency    | megahertz      | 1000000        |                     | MHz
frequency    | gigahertz      | 1000000000     |                     | GHz
rotation     | revolution per minute | 1       |                     | rpm
charge       | milliampere hour | 1            | milliamp hour       | mAh
charge       | ampere hour    | 1000           | amp hour            | Ah
voltage      | millivolt      | 1/1000         |                     | mV
voltage      | volt           | 1              |                     | V
voltage      | kilovolt       | 1000           |                     | kV
current      | milliampere    | 1/1000         | milliamp            | mA
current      | ampere         | 1              | amp                 |
pressure     | pascal         | 1              |                     | Pa
pressure     | hectopascal    | 100            | millibar            | hPa, mbar
pressure     | kilopascal     | 1000           |                     | kPa
pressure     | bar            | 100000         |                     |
pressure     | psi            | 8896443230521/1290320000 |           |
light        | lumen          | 1              |                     | lm
illuminance  | lux            | 1              |                     | lx
luminance    | nit            | 1              |                     | cd/m2, cd/m²
sound        | decibel        | 1              |                     | dB
resolution   | pixel          | 1              |                     | px
resolution   | megapixel      | 1000000        |                     | MP, Mpx, Mpix
density      | pixel per inch | 1              |                     | ppi, dpi
frames       | frame per second | 1            |                     | fps
data rate    | kilobit per second | 1          |                     | kbps, kbit/s
data rate    | megabit per second | 1000       |                     | Mbps, Mbit/s
data rate    | gigabit per second | 1000000    |                     | Gbps, Gbit/s
concentration | part per million | 1          |                     | ppm
emission     | gram per kilometre | 1          | gram per kilometer  | g/km
consumption  | litre per 100 km | 1            | liter per 100 km    | l/100km, l/100 km, L/100km, L/100 km
torque       | newton metre   | 1              | newton meter        | Nm
per area     | per square kilometre | 1 | per square kilometer, per sq km, per km2 | /km², /km2, per km²
per area     | per square mile | 15625000000/40468564224 | per sq mi, per sq mile |
percent      | percent        | 1              | per cent, pct       | %
points       | percentage point | 1            |                     | pp
score points | point          | 1              |                     | pts
rating       | star           | 1              |                     |
"""
# Code, a name shared with other currencies, and the signs and words that mean exactly this currency.
_CURRENCIES = """
USD | dollar | US$, U.S.$  | US dollar, U.S. dollar, American dollar, United States dollar
AUD | dollar | A$, AU$     | Australian dollar
CAD | dollar | C$, CA$     | Canadian dollar
NZD | dollar | NZ$         | New Zealand dollar
HKD | dollar | HK$         | Hong Kong dollar
SGD | dollar | S$          | Singapore dollar
GBP | pound (money) | £    | pound sterling, British pound
EUR |        | €           | euro
JPY |        | ¥           | yen, Japanese yen
CNY |        | RMB         | yuan, renminbi
INR | rupee  | ₹           | Indian rupee
CHF |        |             | Swiss franc
KRW |        | ₩           | South Korean won
RUB |        | ₽           | rouble, ruble
BRL |        | R$          |
SEK |        |             | Swedish krona
NOK |        |             | Norwegian krone
DKK |        |             | Danish krone
PLN |        | zł          | zloty, złoty
MXN |        | MX$         | Mexican peso
ZAR |        |             | South African rand
TRY |        | ₺           | Turkish lira
"""
# Hundredths of currencies.
_CENTS = {"cent": ("dollar", "EUR"), "¢": ("dollar",), "penny": ("GBP",), "pence": ("GBP",)}
# The unit on the right is less specific: "5 dollars" may be of any country, "5 stars" out of any number.
_VAGUER = {"degree Celsius": "degree", "degree Fahrenheit": "degree"}
_IRREGULAR = {"inch": "inches", "foot": "feet", "century": "centuries", "hertz": "hertz", "stone": "stone"}
_IRREGULAR |= {"bar": "bar", "psi": "psi", "lux": "lux", "horsepower": "horsepower", "celsius": "celsius"}
_IRREGULAR |= {"fahrenheit": "fahrenheit"}
_NO_PLURAL = ("percent", "per cent", "pct", "yen", "yuan", "renminbi", "won")


#: Before the name of a currency, a hundredth of it.
HUNDREDTH = "hundredth of "


def _fields(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


def _several(cell: str) -> list[str]:
    return [part.strip() for part in cell.split(",") if part.strip()]


def _forms(word: str) -> list[str]:
    """A word with its plurals."""
    if word.startswith(("per ", "/")) or word.endswith(_NO_PLURAL):
        return [word]
    head, per, rest = word.partition(" per ")
    first, space, kind = head.partition(" ") if head.startswith("degree ") else (head, "", "")
    last = first.rpartition(" ")[2]
    many = first.removesuffix(last) + _IRREGULAR.get(last.lower(), f"{last}s")
    return [f"{form}{space}{kind}{per}{rest}" for form in (first, many)]


class _Tables(NamedTuple):
    units: dict[str, Unit]
    words: dict[str, list[str]]
    symbols: dict[str, list[str]]


def _powers(tables: _Tables) -> None:
    """Add square and cubic units of every length."""
    lengths = [unit for unit in tables.units.values() if unit.dimension == "length"]
    for prefix, short, marks, power in (("square", "sq", "²2", 2), ("cubic", "cu", "³3", 3)):
        for unit in lengths:
            name = f"{prefix} {unit.name}"
            # A litre is a cubic decimetre.
            factor = unit.factor**power * (1 if power == 2 else 1000)
            tables.units[name] = Unit(name, "area" if power == 2 else "volume", factor)
            for form in [word for word, names in tables.words.items() if names == [unit.name]]:
                tables.words.setdefault(f"{prefix} {form}", []).append(name)
                tables.words.setdefault(f"{short} {form}", []).append(name)
            for symbol in [symbol for symbol, names in tables.symbols.items() if names == [unit.name]]:
                for form in (
                    f"{short} {symbol}",
                    f"{short}. {symbol}",
                    f"{short}{symbol}",
                    *(symbol + mark for mark in marks),
                ):
                    tables.symbols.setdefault(form, []).append(name)


def _build() -> _Tables:
    tables = _Tables({}, {}, {})
    for dimension, name, factor, words, symbols in _fields(_UNITS):
        # °F = °C · 9/5 + 32; the base is degree Celsius.
        offset = {"degree Fahrenheit": Fraction(-160, 9), "kelvin": Fraction(-27315, 100)}.get(name)
        tables.units[name] = Unit(name, dimension, Fraction(factor), offset or Fraction(0))
        for word in (name.partition(" (")[0], *_several(words)):
            for form in _forms(word):
                tables.words.setdefault(form.lower(), []).append(name)
        for symbol in _several(symbols):
            tables.symbols.setdefault(symbol, []).append(name)
    for code, vaguer, signs, words in _fields(_CURRENCIES):
        tables.units[code] = Unit(code, "money")
        for word in _several(words):
            for form in _forms(word):
                tables.words.setdefault(form.lower(), []).append(code)
        for sign in (code, *_several(signs)):
            tables.symbols.setdefault(sign, []).append(code)
        if vaguer:
            _VAGUER[code] = vaguer
            if vaguer not in tables.units:
                tables.units[vaguer] = Unit(vaguer, "money")
                for form in _forms(vaguer.partition(" (")[0]):
                    tables.words.setdefault(form, []).append(vaguer)
    tables.symbols["$"] = ["dollar"]
    for word, currencies in _CENTS.items():
        names = [f"{HUNDREDTH}{currency}" for currency in currencies]
        for form in (word, "cents") if word == "cent" else (word,):
            tables.words.setdefault(form, []).extend(names)
    _powers(tables)
    return tables


UNITS, _WORDS, _SYMBOLS = _build()
_FOLDED_SYMBOLS: dict[str, list[str]] = {}
for _symbol, _names in _SYMBOLS.items():
    if len(_symbol) > 1:
        _FOLDED_SYMBOLS.setdefault(_symbol.lower(), _names)


def _any_of(forms: list[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True))


_END = r"(?:(?<=[%°$€£¥₹₩₽₺℃℉″])|(?![^\W_]))"
# After a number with a decimal, a quotation mark is the sign of inches; "in" is their symbol after feet only.
_UNIT = lazy_pattern(
    rf"[\s-]?((?i:{_any_of([*_WORDS])})|{_any_of([*_SYMBOLS])}){_END}|(?<=\.\d)[\"”]"
    r"|(?:(?<=ft \d)|(?<=ft \d\d)|(?<=feet \d)|(?<=feet \d\d))\sin(?![^\W_])"
)
_MONEY = [form for form, names in _SYMBOLS.items() if UNITS[names[0]].dimension == "money"]
#: A currency before its number, as a part of a pattern.
CURRENCY_BEFORE = _any_of(_MONEY)
# What may stand between a number and "per square kilometre".
_COUNTED = lazy_pattern(r"\s(?:inhabitants|people|persons|residents)(?=\sper\s|/)", re.IGNORECASE)
_OUT_OF = lazy_pattern(r"\sout\sof\s(?:a\spossible\s)?(\d{1,3}|five|ten)(?![^\W_])(?:[\s-]stars?(?![^\W_]))?")


def units_named(form: str) -> tuple[str, ...]:
    """The units that a symbol or word may mean."""
    return tuple(_SYMBOLS.get(form) or _WORDS.get(form.lower()) or ())


def unit_forms() -> list[str]:
    """Every word and symbol of a unit."""
    return [*_SYMBOLS, *_WORDS]


def units_by_symbol(form: str) -> tuple[str, ...]:
    """The units that a symbol may mean in upper or lower case, as in names of attributes."""
    return tuple(_FOLDED_SYMBOLS.get(form.lower(), ()))


def unit_at(text: str, index: int) -> tuple[tuple[str, ...], int]:
    """The units that the words at an index may mean, and where they end (the index if there are none)."""
    scale = _OUT_OF.match(text, index)
    if scale:
        return (rating_unit({"five": "5", "ten": "10"}.get(scale[1], scale[1])),), scale.end()
    counted = _COUNTED.match(text, index)
    unit = _UNIT.match(text, counted.end() if counted else index)
    return (units_named(unit[1] or "inch"), unit.end()) if unit else ((), index)


def rating_unit(highest: str) -> str:
    """The unit of a rating, such as "out of 5"."""
    return f"out of {highest}"


def currency_words(code: str) -> frozenset[str]:
    """Every word of the names of a currency: swiss and franc of CHF; none for what is no currency."""
    if code not in UNITS or UNITS[code].dimension != "money":
        return frozenset()
    names = {code, vaguer_unit(code)}
    return frozenset(
        word for form, units in _WORDS.items() if names.intersection(units) for word in form.split()
    )


def unit_of(name: str) -> Unit:
    """A unit by its name; an unknown one is a dimension of its own."""
    return UNITS.get(name) or Unit(name, name)


def vaguer_unit(name: str) -> str:
    """A less specific unit, such as dollar for USD and star for a rating out of 5; empty if there is none."""
    return _VAGUER.get(name, "star" if name.startswith("out of ") else "")


def is_money(name: str) -> bool:
    """Whether a unit is a currency."""
    return unit_of(name).dimension == "money"
