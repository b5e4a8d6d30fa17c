"""Preferences as arrays, by the places of items, systems and examples in a panel."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from factable.errors import UsageError
from factable.io.preferences import Preferences
from factable.study.panel import Column, Panel, Places


class Ballots(NamedTuple):
    """Votes of people: `choice` is 1 for the first system, -1 for the second, 0 for neither.

    `item_of` counts the items that have votes, which `items` gives as places in the panel.
    """

    items: Places
    item_of: Places
    first: Places
    second: Places
    choice: Places


class Contests(NamedTuple):
    """Two texts of one item that people compared: places of the examples, and 1, -1 or 0 for who won."""

    item_of: Places
    first: Places
    second: Places
    winner: Places


def systems_of_items(panel: Panel) -> Mapping[str, set[str]]:
    """Which systems have a text for each item."""
    found: dict[str, set[str]] = {item: set() for item in panel.items}
    for item, system in zip(panel.item_of.tolist(), panel.system_of.tolist(), strict=True):
        found[panel.items[item]].add(panel.result.systems[system])
    return found


def cast_ballots(panel: Panel, preferences: Preferences) -> Ballots:
    """The votes on systems of the panel, which may have fewer than the preferences."""
    item_number = {item: number for number, item in enumerate(panel.items)}
    system_number = {system: number for number, system in enumerate(panel.result.systems)}
    votes = [
        (
            item_number[row.item],
            *(system_number[system] for system in row.systems),
            0 if row.winner is None else 1 if row.winner == row.systems[0] else -1,
        )
        for row in preferences.rows
        if all(system in system_number for system in row.systems)
    ]
    if not votes:
        raise UsageError("no preference is between the systems that are left; exclude fewer")
    item, first, second, choice = np.array(votes, dtype=np.int64).T
    items, item_of = np.unique(item, return_inverse=True)
    return Ballots(items, item_of.astype(np.int64), first, second, choice)


def count_wins(ballots: Ballots, systems: int) -> Column:
    """How often one system beats another (items x systems x systems); a tie is half a win for each."""
    wins = np.zeros((len(ballots.items), systems, systems))
    share = (1 + ballots.choice) / 2
    np.add.at(wins, (ballots.item_of, ballots.first, ballots.second), share)
    np.add.at(wins, (ballots.item_of, ballots.second, ballots.first), 1 - share)
    return wins


def hold_contests(panel: Panel, ballots: Ballots) -> Contests:
    """Every two texts that were compared, in which order ever, with what most people said.

    A text wins if more people chose it than chose the other, and than saw no difference.
    """
    turned = ballots.first > ballots.second
    first = np.where(turned, ballots.second, ballots.first)
    second = np.where(turned, ballots.first, ballots.second)
    choice = np.where(turned, -ballots.choice, ballots.choice)
    pairs, pair_of = np.unique(
        np.stack([ballots.item_of, first, second], axis=1), axis=0, return_inverse=True
    )
    votes = np.zeros((len(pairs), 3), dtype=np.int64)
    np.add.at(votes, (pair_of.ravel(), choice + 1), 1)
    winner = np.zeros(len(pairs), dtype=np.int64)
    for place, sign in ((0, -1), (2, 1)):
        winner[votes[:, place] > np.delete(votes, place, axis=1).max(axis=1)] = sign
    example_at = np.full((len(panel.items), len(panel.result.systems)), -1)
    example_at[panel.item_of, panel.system_of] = np.arange(len(panel.item_of))
    item_of, first, second = pairs.T
    whole_item = ballots.items[item_of]
    return Contests(item_of, example_at[whole_item, first], example_at[whole_item, second], winner)
