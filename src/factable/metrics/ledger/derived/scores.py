"""Who won, who lost, and by what score."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from weakref import WeakKeyDictionary

from factable.metrics.ledger.derived.clauses import Derived
from factable.metrics.ledger.derived.wording import stems_of
from factable.structure import Leaf, Structure
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values.words import fold
from factable.types import Span

_SIDES = (
    ("home", "away"),
    ("host", "guest"),
    ("host", "visitor"),
    ("team1", "team2"),
    ("team 1", "team 2"),
    ("team a", "team b"),
)
_SCORE_WORDS = frozenset(["score", "goal", "point", "result"])
_PARTS = lazy_pattern(
    r"\b(?:half|halftime|half time|period|quarter|penalty|penalties|overtime|extra|extratime|set|inning|"
    r"first|second|ht|et|pen|q)\b|\d",
    re.IGNORECASE,
)
_NAME_KEYS = frozenset(["team", "name", "club", "side", "player", "match", "game", "fixture"])
_WON = lazy_pattern(
    r"\b(?:defeat(?:ed|s|ing)|beat(?:s|ing)?|won|wins?|winning|victor(?:y|ious)|triumph(?:ed|s|ant)?|overc[ao]me|overpowered|"
    r"edged out|edged|outscored|secured (?:a|the) (?:win|victory)|thrashed)\b"
)
_LOST = lazy_pattern(
    r"\b(?:lost (?:to|against|the)|was defeated by|were defeated by|were beaten by|was beaten by|fell to)\b"
)
_DRAW = lazy_pattern(r"\b(?:drew|drawn|draw|(?:ended|finished) (?:in a |as a )?tied?|tied (?:game|match))\b")
_SCORELINE = lazy_pattern(r"(?<![\d-])(\d{1,3})\s?[-–:]\s?(\d{1,3})(?![\d-])")
_PART_WORDS = lazy_pattern(
    r"\b(?:half|halftime|half-time|period|quarter|penalt\w+|shoot-?out|overtime|extra time|aggregate|"
    r"series|set|inning|previous|last|season|record|if|would|could|unable|failed|chance|tried|attempt\w*|hop\w+|lead|led|toss)\b"
)


_HALF_KEY = lazy_pattern(r"\b(?:half ?time|half|ht)\b")
_HALF = lazy_pattern(
    r"\b(?:(?P<level>level|tied|all square|drawing)|(?P<led>led|leading|ahead|in front|lead)|"
    r"(?P<behind>behind|trailed|trailing))\b[^.,;]{0,20}\bat (?:half[\s-]?time|the break|the interval)\b"
)
# What the two sides are called beside their names.
_SIDE_WORDS = (r"\b(?:hosts|home (?:side|team))\b", r"\b(?:visitors|guests|away (?:side|team))\b")


class _Game(NamedTuple):
    names: tuple[str, str]
    points: tuple[int, int]
    leaves: tuple[int, int]

    @property
    def told(self) -> str:
        (first, second), (a, b) = self.names, self.points
        return f"{first} {a}, {second} {b}" if a >= b else f"{second} {b}, {first} {a}"


_GAMES: "WeakKeyDictionary[Structure, _Game | None]" = WeakKeyDictionary()


def check_scores(structure: Structure, text: str, sentence: Span) -> Iterator[Derived]:
    """Who is said to have won, lost or drawn, against the score of the only game in the data."""
    if structure not in _GAMES:
        _GAMES[structure] = _game(structure)
    game = _GAMES[structure]
    if game is None:
        return
    words = text[slice(*sentence)].lower()
    if len(words) != sentence[1] - sentence[0]:
        return
    yield from _half_time(structure, game, words, sentence)
    if _PART_WORDS.search(words):
        return
    places = [_place(words, name, by) for name, by in zip(game.names, _SIDE_WORDS, strict=True)]
    a, b = game.points
    for pattern, gain in ((_LOST, -1), (_DRAW, 0), (_WON, 1)):
        match = pattern.search(words)
        if not match or text[sentence[0] + match.start()].isupper():
            continue
        if re.search(r"\b(?:not|no|never)\b|n['’]t\b", words[max(0, match.start() - 20) : match.start()]):
            return
        span = sentence[0] + match.start(), sentence[0] + match.end()
        subject = _subject(places, match.start())
        real = (a > b) - (a < b)
        if gain == 0:
            if any(place is None for place in places) and "match" not in words and "game" not in words:
                return
            is_right = real == 0
            right = "" if is_right else game.names[0] if real > 0 else game.names[1]
        else:
            if subject is None:
                return
            outcome = real if subject == 0 else -real
            is_right = outcome == gain
            right = "" if is_right else game.names[0] if real > 0 else game.names[1] if real < 0 else "draw"
        state = "supported" if is_right else "contradicted"
        yield Derived(span, state, game.told, game.leaves, right, None, "winner")  # type: ignore[arg-type]
        if is_right:
            yield from _scoreline(words, sentence, game)
        return


def _half_time(structure: Structure, game: _Game, words: str, sentence: Span) -> Iterator[Derived]:
    """Who is said to have been ahead at half-time, against the only score of the first half."""
    match = _HALF.search(words)
    if match is None or re.search(r"\b(?:not|no|never)\b|n['’]t\b", words):
        return
    half = _half_game(structure, game)
    if half is None:
        return
    lead = (half.points[0] > half.points[1]) - (half.points[0] < half.points[1])
    if match["level"]:
        is_right = lead == 0
    else:
        subject = _subject([_place(words, name) for name in game.names], match.start())
        if subject is None:
            return
        wanted = 1 if match["led"] else -1
        is_right = (lead if subject == 0 else -lead) == wanted
    span = sentence[0] + match.start(), sentence[0] + match.end()
    state = "supported" if is_right else "contradicted"
    yield Derived(span, state, f"half-time: {half.told}", half.leaves, "", None, "winner")  # type: ignore[arg-type]


def _half_game(structure: Structure, game: _Game) -> _Game | None:
    """The score at half-time."""
    found = [
        leaf
        for leaf in structure.leaves
        if leaf.kind == "value"
        and "[" not in leaf.path
        and re.fullmatch(r"\d{1,3}", leaf.value)
        and _HALF_KEY.search(" ".join(_words(leaf)))
    ]
    for sides in _SIDES:
        leaves = [[leaf for leaf in found if side in " ".join(_words(leaf))] for side in sides]
        if all(len(of_side) == 1 for of_side in leaves):
            (first,), (second,) = leaves
            points = int(first.value), int(second.value)
            return _Game(game.names, points, (first.index, second.index))
    return None


def _scoreline(words: str, sentence: Span, game: _Game) -> Iterator[Derived]:
    lines = list(_SCORELINE.finditer(words))
    if len(lines) != 1:
        return
    match = lines[0]
    said = sorted((int(match[1]), int(match[2])))
    if said == sorted(game.points):
        span = sentence[0] + match.start(), sentence[0] + match.end()
        yield Derived(span, "supported", game.told, game.leaves, "", span, "winner")


def _place(words: str, name: str, by: str = "") -> int | None:
    """Where a name stands; in part if its first or last word is long enough; else what its side is called."""
    lower = name.lower()
    index = words.find(lower)
    parts = lower.split()
    if index < 0 and len(parts) > 1:
        for part in sorted(parts, key=len, reverse=True):
            if len(part) > 3 and (index := words.find(part)) >= 0:
                break
    if index < 0 and by and (called := re.search(by, words)):
        return called.start()
    return index if index >= 0 else None


def _subject(places: list[int | None], start: int) -> int | None:
    """Which side the verb is about: the one named last before it; the other must not be as near."""
    before = [(place, side) for side, place in enumerate(places) if place is not None and place < start]
    if not before:
        return None
    if len(before) == 2:
        # "A against B: A won" is clear only if the second is not named between subject and verb.
        return None
    return before[0][1]


def _game(structure: Structure) -> _Game | None:
    """The names and final points of two sides, if the data is about one game."""
    root = [leaf for leaf in structure.leaves if "[" not in leaf.path and leaf.kind in ("value", "technical")]
    for sides in _SIDES:
        names = [_name(root, side) for side in sides]
        points = [_points(root, side) for side in sides]
        line = next((leaf for leaf in root if _is_score_line(leaf)), None)
        if all(names) and None in points and line is not None:
            a, b = (int(number) for number in re.findall(r"\d+", line.value))
            return _Game((names[0], names[1]), (a, b), (line.index, line.index))
        if all(names) and all(point is not None for point in points):
            first, second = points
            assert first is not None
            assert second is not None
            assert names[0]
            assert names[1]
            if fold(names[0]) != fold(names[1]):
                return _Game(
                    (names[0], names[1]), (int(first.value), int(second.value)), (first.index, second.index)
                )
    return None


def _is_score_line(leaf: Leaf) -> bool:
    """Whether a value is a final score: "2-1"."""
    words = " ".join(_words(leaf))
    is_score = bool(_SCORE_WORDS.intersection(stems_of(words))) and not _PARTS.search(words)
    return is_score and bool(re.fullmatch(r"\d{1,3}\s?[-–:]\s?\d{1,3}", leaf.value.strip()))


def _words(leaf: Leaf) -> list[str]:
    return split_identifier(leaf.path.replace(".", " ")).lower().split()


def _name(leaves: list[Leaf], side: str) -> str:
    for leaf in leaves:
        words = _words(leaf)
        if side in " ".join(words) and leaf.kind == "value" and any(char.isalpha() for char in leaf.value):
            rest = [word for word in words if word not in side.split()]
            if not rest or set(stems_of(" ".join(rest))) <= _NAME_KEYS | {"team"}:
                return leaf.value
    return ""


def _points(leaves: list[Leaf], side: str) -> Leaf | None:
    """The final points of a side: the shortest path with a word for score, without parts of the game."""
    found = [
        leaf
        for leaf in leaves
        if re.fullmatch(r"\d{1,3}", leaf.value)
        and side in " ".join(_words(leaf))
        and set(stems_of(" ".join(_words(leaf)))) & _SCORE_WORDS
        and not _PARTS.search(split_identifier(leaf.path.replace(".", " ")).lower().replace(side, ""))
    ]
    return min(found, key=lambda leaf: len(leaf.path), default=None) if found else None
