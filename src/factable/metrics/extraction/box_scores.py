"""Numbers of box scores in reports of games: whose they are and what they count."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from factable.metrics.extraction.protocol import Extracted
from factable.metrics.slots.patterns import Patterns
from factable.text.sentences import sentence_spans
from factable.text.values import Name, Number, find_mentions, parse_value
from factable.text.values.words import fold, split_words
from factable.types import Record, Table

# Within this many characters after a number, words may say that it is of other games.
_LOOK_AHEAD = 30
PLAYER, TEAM, SCORE = "player", "team", "score"
POINTS, CITY = "TEAM-PTS", "TEAM_CITY"
_WON = re.compile(
    r"\b(?:defeat\w*|beat|beats|top\w*|win|won|victory|edged?|past|over\w*|fell|los[st]\w*|drop\w*)\b"
)
_LOST = re.compile(r"\b(?:fell|lost|loss|loses|dropped|defeated by|beaten by)\b")
# Numbers of more games than this one.
_OTHER_GAMES = re.compile(r"\b(?:averag\w+|combined for|per game|over (?:his|their|the) last)\b")
# Words before names of places and teams.
_PLACE = re.compile(r"\b(?:the|at|of|in)\s*\Z", re.IGNORECASE)
# Words for numbers that are no numbers elsewhere.
_WORDS = {"a": 1, "an": 1, "pair of": 2, "a pair of": 2, "no": 0}


class Entity(NamedTuple):
    """A team or player named in a text; `subject` is what the table calls it, or what the text does."""

    start: int
    subject: str
    kind: str


class BoxScoreExtractor:
    """Finds numbers by phrases such as "12 points", and gives them to the entity named before."""

    def __init__(self, phrases: Patterns) -> None:
        self._phrases = phrases.by_slot

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The numbers that each text says of teams and players."""
        return [self._extract(text, table) for text, table in texts]

    def _extract(self, text: str, table: Table) -> list[Extracted]:
        entities = find_entities(text, table)
        starts = [start for start, _ in sentence_spans(text)]
        numbers = [
            *self._of_kind(text, entities, starts, PLAYER),
            *self._of_kind(text, entities, starts, TEAM),
            *self._scores(text, entities, starts),
        ]
        return sorted(numbers, key=lambda number: number.span or (0, 0))

    def _of_kind(
        self, text: str, entities: Sequence[Entity], starts: Sequence[int], kind: str
    ) -> Iterator[Extracted]:
        for attribute, pattern in self._phrases.get(kind, {}).items():
            for match in pattern.finditer(text):
                owner = _owner(match.start(1), entities, starts)
                begin = _sentence_start(match.start(), starts)
                elsewhere = _OTHER_GAMES.search(text, begin, match.end() + _LOOK_AHEAD)
                if owner and owner.kind == kind:
                    # No box score has it, and so it must not look like a number of this game.
                    yield _extracted(
                        match, owner.subject, f"{attribute} of games" if elsewhere else attribute
                    )

    def _scores(self, text: str, entities: Sequence[Entity], starts: Sequence[int]) -> Iterator[Extracted]:
        """The final score, where a sentence tells who won."""
        for role, pattern in self._phrases.get(SCORE, {}).items():
            for match in pattern.finditer(text):
                begin = _sentence_start(match.start(), starts)
                teams = [each for each in _between(entities, begin, match.start()) if each.kind == TEAM]
                before = text[begin : match.start()]
                if len(teams) < 2 or not _WON.search(before):
                    continue
                first_won = not _LOST.search(before)
                owner = teams[0] if (role == "winner") == first_won else teams[1]
                yield _extracted(match, owner.subject, POINTS)


def _extracted(match: re.Match[str], subject: str, attribute: str) -> Extracted:
    words = " ".join(match[1].lower().split())
    value = parse_value(words)
    number = _WORDS.get(words, value.value if isinstance(value, Number) else words)
    return Extracted(Record(subject, attribute, str(number)), match.span(1))


def _sentence_start(position: int, starts: Sequence[int]) -> int:
    """Where the sentence begins that a position of the text is in."""
    return starts[bisect_right(starts, position) - 1]


def _between(entities: Iterable[Entity], begin: int, end: int) -> list[Entity]:
    return [entity for entity in entities if begin <= entity.start < end]


def _owner(position: int, entities: Sequence[Entity], starts: Sequence[int]) -> Entity | None:
    """The entity named last before a number in its sentence, else the last player before ("He added …")."""
    before = _between(entities, _sentence_start(position, starts), position)
    # "The Hawks were led by Millsap, who helped Atlanta with 21 points": the player goes before the team.
    players = [entity for entity in before if entity.kind == PLAYER]
    if before and before[-1].kind == TEAM and players and not _compares_teams(before):
        return players[-1]
    earlier = [entity for entity in _between(entities, 0, position) if entity.kind == PLAYER]
    return before[-1] if before else earlier[-1] if earlier else None


def _compares_teams(before: Sequence[Entity]) -> bool:
    """Whether the last entity follows another team, as in comparisons of two teams."""
    return len(before) > 1 and before[-2].kind == TEAM


def find_entities(text: str, table: Table) -> list[Entity]:
    """The teams and players that a text names, in order; names that the table does not have are players."""
    teams = {record.subject for record in table.records if record.attribute == POINTS}
    cities = {record.value for record in table.records if record.attribute == CITY}
    known: dict[str, tuple[str, str]] = {}
    for subject in dict.fromkeys(record.subject for record in table.records):
        kind = TEAM if subject in teams else PLAYER
        for form in _forms(subject, kind, cities):
            known.setdefault(form, (subject, kind))
    entities = []
    for mention in find_mentions(text):
        if isinstance(mention.value, Name):
            subject, kind = known.get(" ".join(mention.value.words), ("", ""))
            if subject:
                entities.append(Entity(mention.start, subject, kind))
            elif (
                2 <= len(mention.value.words) <= 3
                and mention.sure
                and not _PLACE.search(text, 0, mention.start)
            ):
                entities.append(Entity(mention.start, text[mention.start : mention.end], PLAYER))
    return entities


def _forms(subject: str, kind: str, cities: Iterable[str]) -> list[str]:
    """The names of a team or player: in full, the city, the nickname, the last name."""
    full = " ".join(word.folded for word in split_words(subject))
    if not full:
        return []
    if kind == PLAYER:
        words = full.split()
        last = words[-2:-1] if words[-1] in ("jr", "sr", "iii", "ii") else words[-1:]
        return [full, *last]
    city = next((fold(city) for city in cities if full.startswith(f"{fold(city)} ")), full.split()[0])
    nickname = full.removeprefix(city).strip()
    return [full, nickname, nickname.split()[-1], city]
