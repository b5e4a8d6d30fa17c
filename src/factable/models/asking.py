"""Questions to models, each asked once: answers are remembered, and kept on disk."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from factable.models.answers import cache_file, keep, key_of, recall
from factable.models.protocols import Advance

ASKED_PER_SAVE = 4096
# A few dozen megabytes.
MOST_REMEMBERED = 100_000
_remembered: dict[bytes, bytes] = {}
Asked = TypeVar("Asked", bound=tuple[str, ...])


def ask_once(
    kind: str,
    identity: str,
    asked: Sequence[Asked],
    ask: Callable[[Sequence[Asked]], Sequence[bytes]],
    *,
    size: int = 0,
    remember: bool = True,
    advance: Advance,
) -> list[bytes]:
    """The answer to each thing asked, as bytes; equal ones are asked once, and known ones not at all.

    `kind` names the file that answers are kept in, `identity` the model. Kept answers of another `size`, if
    one is given, are not used.
    """
    keys = {one: key_of(identity, one) for one in dict.fromkeys(asked)}
    path = cache_file(kind)
    known = {key: _remembered[key] for key in keys.values() if key in _remembered}
    kept = recall(path, [key for key in keys.values() if key not in known]) if path else {}
    known |= {key: answer for key, answer in kept.items() if not size or len(answer) == size}
    unknown = [one for one, key in keys.items() if key not in known]
    advance(len(keys) - len(unknown))
    for start in range(0, len(unknown), ASKED_PER_SAVE):
        some = unknown[start : start + ASKED_PER_SAVE]
        answers = dict(zip((keys[one] for one in some), ask(some), strict=True))
        known |= answers
        if remember:
            _remember(answers)
        if path:
            keep(path, answers)
    return [known[keys[one]] for one in asked]


def _remember(answers: dict[bytes, bytes]) -> None:
    """Keep answers in memory, so that nothing is asked twice soon even where nothing is kept on disk."""
    if len(_remembered) + len(answers) > MOST_REMEMBERED:
        _remembered.clear()
    _remembered.update(answers)
