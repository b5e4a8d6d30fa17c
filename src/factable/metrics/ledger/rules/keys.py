"""What yes/no keys are called: the words of a key, what means the same, and what it must stand near."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

from factable.structure import NO, YES, Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.polarity import Polarity
from factable.text.stems import singular
from factable.text.templates import split_identifier
from factable.types import Span


def words_in(text: str) -> frozenset[str]:
    """The words of a list in one string."""
    return frozenset(text.split())


# Words of keys that a text need not repeat.
_NOISE = words_in(
    """restaurant restaurants business businesses has have is are was allow allows allowed accept accepts
    accepted good for available availability offer offers offered support supports supported include
    includes included can enabled enable flag provides provided permitted the a an of to and with by
    option options service services feature friendly suitable eligible status does it contain
    contains ok successful"""
)
# Keys that hold yes/no keys together; a text need not name them with each.
_HOLDERS = words_in(
    """amenity amenities feature features facility facilities option options service services policy policies
    attribute attributes detail details info property properties extra extras perk perks highlight
    highlights spec specs flag flags setting settings capability capabilities inclusion inclusions
    equipment rule rules house general other accessibility benefits benefit"""
)
_PREPOSITIONS = words_in("on in at per during from")
_YES_VALUES = YES | words_in("free paid available included allowed permitted complimentary enabled")
_NO_VALUES = NO | {
    *("none", "unavailable", "not available", "not included", "excluded", "not allowed", "disabled", "off"),
    *("not permitted", "not supported", "not offered", "not provided"),
}

# Phrases that mean the same in everyday English; those after the bar mean the opposite.
_SAME = """
wifi, wi fi, wireless internet, internet access
take out, takeout, takeaway, take away, carry out, carryout, to go order, order to go
delivery, deliver, delivers
reservation, reserve a table, book a table, booking, reserve, table booking, book in advance
outdoor seating, outside seating, patio seating, outdoor dining, al fresco, alfresco, patio, \
terrace seating, seating outdoors, seating outside, dine outdoors, outdoor table, outdoor area
parking, can park, car park
valet, valet parking, valet service
pet, dog, pet friendly, dog friendly, furry friend
pool, swimming pool
wheelchair accessible, wheelchair access, wheelchair, step free, barrier free, accessible entrance
kid, kid friendly, family friendly, child friendly, for child, for children, for family, children
group, large party
music, live music, live band, live entertainment, musical entertainment
dj, disc jockey
alcohol, alcoholic drink, alcoholic beverage, liquor, full bar | alcohol free
gym, fitness center, fitness centre, fitness room, workout room
elevator, lift
air conditioning, air conditioned, ac, air con, air conditioner
tv, television
laundry, washing machine, washer
furnished, comes furnished, fully furnished | unfurnished
smoking, smoker, smoke | smoke free, non smoking, nonsmoking
refundable, refund, money back | non refundable, nonrefundable, not refundable
in stock, available to order | out of stock, sold out, unavailable
waterproof
warranty
recurring, recurrent | one time, one off, nonrecurring
active | inactive, deactivated
verified | unverified
winner, won, victorious | lost, loser, was defeated, were defeated
catering, caterer
credit card, card payment
drive thru, drive through
breakfast
gluten free
subscription
free trial
required, needed, necessary, mandatory, compulsory, must | optional
auto, automatic, automatically | manually
ambience, ambiance, atmosphere, vibe, mood
street, on street, roadside, curbside
garage, car park
lot, parking lot
validated, validation, validate
public | private
online | offline, in person, face to face
remote, remotely, from home | on site, onsite, in the office, in person
incumbent | challenger
automatic | manual
renewable | fossil
organic | conventional
smart | conventional
paid | unpaid, outstanding
insured | uninsured
new | used, second hand, pre owned
toxic, poisonous, harmful | nontoxic, non toxic, harmless
open | closed, shut
locked | unlocked
full | empty
occupied, taken | vacant, unoccupied
wireless, cordless | wired, corded
late, delayed | on time, punctual, on schedule
passed | failed
completed, finished | incomplete, unfinished
approved, accepted | rejected, declined, refused
indoor | outdoor
married | unmarried
sweet | savoury
hipster, hip
touristy, touristic
divey, dive bar, dive
"""
# Words that mean something else together.
OTHER_MEANINGS = {
    *(("hot", "dog"), ("corn", "dog"), ("pool", "table"), ("street", "food"), ("street", "art")),
    *(
        ("breakfast", food)
        for food in ("burrito", "sandwich", "item", "dish", "bowl", "plate", "taco", "menu")
    ),
}
# Things that a record has or has not; of others ("nice ambience") the mere word says nothing.
_THINGS = words_in(
    "parking wifi music pet delivery seating insurance warranty shipping laundry breakfast pool"
)
# Objects whose keys are kinds of them, and mean little without them: a street is not street parking.
_OF_KINDS = words_in("parking ambience music payment style entertainment seating")
# What everything of its kind has; only what it is like can be told.
_ABSTRACT = words_in("ambience ambiance atmosphere quality style condition rating")
# What costs money or is free; free of accidents is another thing.
_CHARGED = words_in(
    """bus shuttle parking wifi entry admission shipping delivery return cancellation trial breakfast
    transfer transport ticket coffee drink service repair installation"""
)
# "price: free" is no yes to a price.
_PRICES = words_in("price cost fee charge admission entry ticket rate deposit")
# What an adjective of a field may describe, beside the words of the field itself.
_FIELD_NOUNS: Mapping[str, frozenset[str]] = {
    "ambience": words_in(
        """setting environment decor feel dining experience spot place restaurant eatery space establishment
        venue interior bar cafe joint"""
    ),
    "music": words_in("entertainment performance band venue"),
}
_FIELD_WORDS: Mapping[str, frozenset[str]] = {"parking": words_in("park parked")}
_PIECE = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|,|[^\W\d_]+")


class Piece(NamedTuple):
    """A part of a word, stemmed: `OutdoorSeating` has two."""

    stem: str
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Phrase:
    """One way to say a key: stems in a row; `is_opposite` if it says no."""

    stems: tuple[str, ...]
    is_opposite: bool = False


@dataclass(frozen=True, eq=False)
class YesNoKey:
    """What yes/no leaves of one column are called: parts that must all be said, the head last.

    `field` has words of the object that the key is in, one of which must be near, `weak_field` words that
    may follow instead; `is_adjective` tells that the key is said of something, `is_noun` that it may also be
    something that one has, `is_whole` that it is an object and its leaves are kinds of it.
    """

    leaves: tuple[Leaf, ...]
    parts: tuple[tuple[Phrase, ...], ...]
    field: frozenset[str] = frozenset()
    weak_field: frozenset[str] = frozenset()
    is_adjective: bool = False
    is_noun: bool = False
    is_whole: bool = False
    label: str = ""

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The words that the head of the key can begin with, negating prefixes included."""
        return frozenset(form for phrase in self.parts[-1] for form in forms_of(phrase.stems[0]))

    @property
    def is_of_need(self) -> bool:
        """Whether the key itself tells what is required."""
        return any(phrase.stems == ("required",) for part in self.parts for phrase in part)


_ADJECTIVE_ENDINGS = ("able", "ible", "ive", "ed", "al", "ous", "ful", "proof")


def forms_of(word: str) -> tuple[str, ...]:
    """A word, and if it is an adjective, its opposites: `unverified`, `inactive`."""
    return (word, f"un{word}", f"in{word}", f"non{word}") if word.endswith(_ADJECTIVE_ENDINGS) else (word,)


_ENDINGS = (
    *("ships", "ship", "ments", "ment", "ations", "ation", "ions", "ion", "ances", "ance", "ences", "ence"),
    *("ability", "able", "ible", "ing", "ed", "er", "or", "al", "e"),
)
_MIN_ROOT = 4


@lru_cache(maxsize=1 << 12)
def related_forms(word: str) -> tuple[str, ...]:
    """A word and others of its root: sponsorship, sponsor, sponsored."""
    ending = next((end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) >= _MIN_ROOT), "")
    root = word.removesuffix(ending)
    if not ending or not word.isalpha():
        return (word, f"{word}ed", f"{word}ing") if len(word) > _MIN_ROOT and word.isalpha() else (word,)
    doubled = [f"{root}{root[-1]}{end}" for end in ("ed", "ing")]
    return tuple(dict.fromkeys((word, root, *(f"{root}{end}" for end in _ENDINGS), *doubled)))


def pieces_of(text: str, span: Span) -> list[Piece]:
    """The parts of words in a span, and commas."""
    return [Piece(singular(match[0]), match.start(), match.end()) for match in _PIECE.finditer(text, *span)]


def _parse_groups() -> dict[tuple[str, ...], tuple[Phrase, ...]]:
    groups: dict[tuple[str, ...], tuple[Phrase, ...]] = {}
    for line in _SAME.replace("\\\n", "").strip().splitlines():
        same, _, opposite = line.partition("|")
        phrases = tuple(
            Phrase(tuple(singular(word) for word in phrase.split()), is_opposite)
            for part, is_opposite in ((same, False), (opposite, True))
            for phrase in part.split(",")
            if phrase.strip()
        )
        opposites = tuple(Phrase(phrase.stems, not phrase.is_opposite) for phrase in phrases)
        for phrase in phrases:
            groups.setdefault(phrase.stems, opposites if phrase.is_opposite else phrases)
    return groups


_GROUPS = _parse_groups()
_LONGEST = max(map(len, _GROUPS))


def _parts_of(stems: Sequence[str]) -> tuple[tuple[Phrase, ...], ...]:
    """The words of a key as parts, each with all that means the same."""
    parts: list[tuple[Phrase, ...]] = []
    index = 0
    while index < len(stems):
        for length in range(min(_LONGEST, len(stems) - index), 0, -1):
            group = _GROUPS.get(tuple(stems[index : index + length]))
            if group is not None:
                parts.append(group)
                index += length
                break
        else:
            parts.append(tuple(Phrase((form,)) for form in related_forms(stems[index])))
            index += 1
    return tuple(parts)


def _stems_of(key: str) -> list[str]:
    stems = [piece.stem for piece in pieces_of(split_identifier(key), (0, len(key) * 2)) if piece.stem != ","]
    useful = [each for each in stems if each not in _NOISE]
    # Pets on board are pets.
    cut = next((at for at, each in enumerate(useful[:-1]) if at and each in _PREPOSITIONS), len(useful))
    return useful[:cut] or stems


def value_of(leaf: Leaf) -> Polarity | None:
    """Whether the value of a leaf is yes, no or not known; None for a value of another kind."""
    value = leaf.value.strip().lower().replace("_", " ")
    if leaf.kind == "unknown":
        return "unknown"
    if value in _YES_VALUES:
        return "yes"
    return "no" if value in _NO_VALUES else None


def yes_no_keys(structure: Structure) -> list[YesNoKey]:
    """The yes/no keys of the data, those of one column together."""
    columns: dict[str, list[Leaf]] = defaultdict(list)
    objects: dict[tuple[int, tuple[str, ...]], list[Leaf]] = defaultdict(list)
    for leaf in structure.leaves:
        if leaf.kind in ("flag", "unknown", "value"):
            objects[leaf.frame, leaf.keys[:-1]].append(leaf)
    for members in objects.values():
        answers = [value_of(leaf) for leaf in members]
        has_flags = any(answer in ("yes", "no") for answer in answers)
        for leaf, answer in zip(members, answers, strict=True):
            if answer == "unknown" and _is_of_words(leaf, structure):
                continue
            if answer is not None and (answer != "unknown" or has_flags or _is_yes_no(leaf, structure)):
                columns[leaf.column].append(leaf)
    keys = [key for leaves in columns.values() if (key := _key_of(tuple(leaves))) is not None]
    return [*keys, *_wholes(objects)]


def _is_of_words(leaf: Leaf, structure: Structure) -> bool:
    """Whether other rows have values here that are neither yes nor no: without a party is no "unknown"."""
    return any(other.kind == "value" and value_of(other) is None for other in structure.columns[leaf.column])


def _is_yes_no(leaf: Leaf, structure: Structure) -> bool:
    """Whether a key without a value is known to be one that is answered with yes or no."""
    stems = tuple(_stems_of(leaf.keys[-1]))
    if not any(stems[-length:] in _GROUPS for length in range(1, _LONGEST + 1)):
        return False
    return all(value_of(other) is not None for other in structure.columns[leaf.column])


def _key_of(leaves: tuple[Leaf, ...]) -> YesNoKey | None:
    leaf = leaves[0]
    stems = _stems_of(leaf.keys[-1])
    parents = [key for key in leaf.keys[:-1] if not _is_holder(key)]
    if parents and _NOISE.issuperset(stems):
        # {"breakfast": {"included": …}}
        stems = _stems_of(parents.pop())
    if not stems or len(stems[-1]) < 2 or stems[-1] in _ABSTRACT or stems[-1] in _PRICES:
        return None
    parts = _parts_of(stems)
    label = leaf.label
    if len(stems) > 1 and stems[-1] == "free" and tuple(stems) not in _GROUPS and stems[-2] not in _CHARGED:
        # Accident-free: there was none.
        parts = _parts_of(stems[:-1])
        opposite = tuple(Phrase(phrase.stems, not phrase.is_opposite) for phrase in parts[-1])
        return YesNoKey(leaves, (*parts[:-1], opposite), label=label)
    if not parents:
        prefix = split_identifier(leaf.keys[-1]).lower().split()[:1]
        is_adjective = len(stems) == 1 and (prefix == ["is"] or stems[0].endswith(_ADJECTIVE_ENDINGS))
        return YesNoKey(leaves, parts, is_adjective=is_adjective, label=label)
    strong, weak = _field_of(parents[-1])
    if strong.isdisjoint(_OF_KINDS):
        is_known = tuple(stems) in _GROUPS or len(stems) > 1
        return YesNoKey(leaves, parts, is_adjective=not is_known, is_noun=True, label=label)
    return YesNoKey(leaves, parts, field=strong, weak_field=weak, is_adjective=True, label=label)


def _is_holder(key: str) -> bool:
    return all(
        singular(word) in _HOLDERS or word in _HOLDERS for word in split_identifier(key).lower().split()
    )


def _field_of(parent: str) -> tuple[frozenset[str], frozenset[str]]:
    """Words of the object that a key is in: its own, and those it may be said of."""
    strong = frozenset(phrase.stems[-1] for part in _parts_of(_stems_of(parent))[-1:] for phrase in part)
    strong = strong.union(*(_FIELD_WORDS.get(word, ()) for word in strong))
    weak = frozenset(noun for word in strong for noun in _FIELD_NOUNS.get(word, ()))
    return strong, weak


def _wholes(objects: Mapping[tuple[int, tuple[str, ...]], list[Leaf]]) -> Iterator[YesNoKey]:
    """Objects of yes/no keys that are a thing themselves: parking with its kinds."""
    for (_, keys), members in objects.items():
        parents = [key for key in keys if not _is_holder(key)]
        answers = [value_of(leaf) for leaf in members]
        if not parents or None in answers or len(members) < 2:
            continue
        parts = _parts_of(_stems_of(parents[-1]))
        if parts and any(phrase.stems[-1] in _THINGS for phrase in parts[-1]):
            label = split_identifier(parents[-1])
            yield YesNoKey(tuple(members), parts, is_whole=True, label=label)
