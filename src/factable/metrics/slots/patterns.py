"""Pattern files: how texts of a closed domain say the values of its slots."""

import hashlib
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from factable.errors import DataError, Fault
from factable.io.files import read_whole
from factable.io.toml import parse_toml
from factable.models.runtime.manifest import read_shipped

SHIPPED = ("e2e", "rotowire")
PIECES, COMPAT = "pieces", "compat"
REMEDY = "write a section for each slot with lines such as pub = ['pub', 'inn']"
_PIECE = re.compile(r"(?<!\(\?P)<(\w+)>")
# A space of a pattern: texts have "family friendly", "family-friendly" and "family - friendly".
_GAP = r"(?:[\s\-–]+)"
# Letters that texts write with and without their accents.
_PLAIN = str.maketrans(
    {"é": "[ée]", "è": "[èe]", "á": "[áa]", "í": "[íi]", "ó": "[óo]", "ü": "[üu]", "ñ": "[ñn]"}
)


@dataclass(frozen=True, slots=True)
class Patterns:
    """What may stand in a text for each value of each slot."""

    by_slot: Mapping[str, Mapping[str, re.Pattern[str]]]

    def known(self, slot: str, value: str) -> str | None:
        """The value as the file writes it, whatever the spaces and capitals; None if the file lacks it."""
        values = self.by_slot.get(slot, {})
        if value in values:
            return value
        wanted = squeeze(value)
        return next((written for written in values if squeeze(written) == wanted), None)


def squeeze(value: str) -> str:
    """A value without spaces and capitals: tokenised data has "£ 20 - 25"."""
    return "".join(value.split()).casefold()


def load_patterns(name: str, *, compat: bool = False) -> Patterns:
    """Patterns of a shipped data set or of a TOML file; with `compat` those of the original program."""
    return _parse(name, _content(name), compat)


def patterns_checksum(name: str) -> str:
    """A checksum of the patterns of that name."""
    return hashlib.sha256(_content(name)).hexdigest()


def _content(name: str) -> bytes:
    if name in SHIPPED:
        return read_shipped(f"data/patterns/{name}.toml")
    return read_whole(name)


def verbatim(value: str) -> str:
    """A pattern of the value as it stands."""
    return " ".join(re.escape(word).translate(_PLAIN) for word in value.split())


@lru_cache(maxsize=8)
def _parse(name: str, content: bytes, compat: bool) -> Patterns:
    sections = parse_toml(name, content, REMEDY)
    pieces = _read_pieces(name, sections.pop(PIECES, {}))
    compat_sections = sections.pop(COMPAT, {})
    by_slot = _read_slots(name, sections, pieces)
    replacements = _read_slots(name, compat_sections, pieces)
    if compat:
        by_slot |= {slot: by_slot.get(slot, {}) | values for slot, values in replacements.items()}
    return Patterns(by_slot)


def _read_slots(
    name: str, sections: object, pieces: Mapping[str, str]
) -> dict[str, dict[str, re.Pattern[str]]]:
    if not isinstance(sections, dict):
        raise DataError([Fault(name, None, f"{COMPAT!r} is no section", REMEDY)])
    by_slot = {}
    for slot, values in sections.items():
        if not isinstance(values, dict):
            raise DataError([Fault(name, None, f"{slot!r} is no section", REMEDY)])
        by_slot[slot] = {
            value: _pattern(name, f"{slot}, {value}", value, forms, pieces) for value, forms in values.items()
        }
    return by_slot


def _read_pieces(name: str, section: object) -> dict[str, str]:
    """The named pieces of patterns; each may use those before it."""
    if not isinstance(section, dict) or not all(isinstance(form, str) for form in section.values()):
        raise DataError([Fault(name, None, f"{PIECES!r} is no section of texts", REMEDY)])
    pieces: dict[str, str] = {}
    for piece, form in section.items():
        pieces[piece] = f"(?:{_fill(name, form, pieces)})"
    return pieces


def _pattern(
    name: str, where: str, value: str, forms: Sequence[str], pieces: Mapping[str, str]
) -> re.Pattern[str]:
    if not isinstance(forms, list) or not all(isinstance(form, str) for form in forms):
        raise DataError([Fault(name, None, f"{where}: no list of patterns", REMEDY)])
    try:
        return _compile("|".join(_fill(name, form, pieces) for form in forms) or verbatim(value))
    except (re.error, OverflowError, RecursionError, Warning) as error:
        problem = f"{where}: not a regular expression ({error})"
        remedy = r"correct the pattern, and write \[ for a bracket that is meant as such"
        raise DataError([Fault(name, None, problem, remedy)]) from None


def _fill(name: str, form: str, pieces: Mapping[str, str]) -> str:
    """A pattern with its named pieces filled in."""
    unknown = [piece for piece in _PIECE.findall(form) if piece not in pieces]
    if unknown:
        problem = f"no piece <{unknown[0]}> before its use"
        raise DataError([Fault(name, None, problem, f"add it to the section {PIECES}")])
    return _PIECE.sub(lambda match: pieces[match[1]], form)


def _compile(pattern: str) -> re.Pattern[str]:
    """A pattern that ignores case and matches whole words; dubious syntax, such as `[[`, raises a Warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return re.compile(rf"(?<!\w)(?:{pattern.replace(' ', _GAP)})(?!\w)", re.IGNORECASE)
