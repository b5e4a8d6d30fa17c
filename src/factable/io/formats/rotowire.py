"""RotoWire (Wiseman et al. 2017): basketball box scores with their reports."""

from collections.abc import Iterator, Sequence

from factable.io.faults import Faults, Malformed, kind_of
from factable.io.formats import require_sources
from factable.io.objects import get_field, make_examples
from factable.types import Example, Record, Table

ID_FIELDS = ("id", "example_id", "game_id", "shared_task_text_id")
NO_VALUE = "N/A"
PLAYER = "PLAYER_NAME"
# Already in the subject.
NAMES_OF_PLAYERS = frozenset((PLAYER, "FIRST_NAME", "SECOND_NAME"))
NAMES_OF_TEAMS = frozenset(("TEAM-NAME", "TEAM-CITY"))


def read_rotowire(sources: Sequence[str]) -> Iterator[Example]:
    """One example for each game of a JSON list or of JSON lines."""
    require_sources("rotowire", sources, 1, 1)
    faults = Faults()
    for _, example in make_examples(sources[0], _make, faults):
        yield example
    faults.check()


def _make(source: object, number: int) -> Example:
    teams = {side: _team_name(source, side) for side in ("vis", "home")}
    records = [
        *_team_records(teams["home"], get_field(source, "home_line", dict)),
        *_team_records(teams["vis"], get_field(source, "vis_line", dict)),
        *_player_records(get_field(source, "box_score", dict)),
    ]
    day = get_field(source, "day", str, "")
    title = f"{teams['vis']} at {teams['home']}" + (f", {day}" if day else "")
    return Example(_item(source, number), "", "", Table(tuple(records), title), _references(source))


def _team_name(source: object, side: str) -> str:
    name = f"{get_field(source, f'{side}_city', str, '')} {get_field(source, f'{side}_name', str)}"
    return name.strip()


def _team_records(team: str, line: dict[str, object]) -> Iterator[Record]:
    for stat, value in line.items():
        if stat not in NAMES_OF_TEAMS:
            yield from _record(team, stat, value)


def _player_records(box: dict[str, object]) -> Iterator[Record]:
    """Facts of the players, in the order of the rows, not of the keys."""
    players = get_field(box, PLAYER, dict)
    stats = {stat: get_field(box, stat, dict) for stat in box if stat not in NAMES_OF_PLAYERS}
    for row in sorted(players, key=lambda key: (len(key), key)):
        name = get_field(players, row, str)
        for stat, values in stats.items():
            yield from _record(name, stat, values.get(row))


def _record(subject: str, stat: str, value: object) -> Iterator[Record]:
    if value is None or value in (NO_VALUE, ""):
        return
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise Malformed(f'"{stat}" of {subject} is {kind_of(value)}', "give a string or a number")
    yield Record(subject, stat, str(value))


def _references(source: object) -> tuple[str, ...]:
    summary = source.get("summary") if isinstance(source, dict) else None
    if isinstance(summary, list) and all(isinstance(token, str) for token in summary):
        summary = " ".join(summary)
    if summary is not None and not isinstance(summary, str):
        raise Malformed(f'"summary" is {kind_of(summary)}', "give a list of tokens")
    return (summary.strip(),) if summary and summary.strip() else ()


def _item(source: object, number: int) -> str:
    for field in ID_FIELDS:
        value = source.get(field) if isinstance(source, dict) else None
        if type(value) in (int, str):
            return str(value)
    return str(number)
