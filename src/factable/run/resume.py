"""Going on where a run was stopped: scored units are kept on disk as they come, and not scored again."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain
from typing import NamedTuple

from factable.errors import DataError, Fault, UsageError
from factable.run.collect import refuse_mixture
from factable.run.resume_entries import Entry, decode_words, encode_words, pack, unpack
from factable.run.resume_file import ANOTHER, ResumeFile
from factable.run.resume_header import describe_run, digest_of, find_difference
from factable.run.sources import Corpus
from factable.run.units import AnyUnit, Plan, Scored
from factable.signature import settings_of

# Units in, scored units out in the same order.
Engine = Callable[[Iterable[AnyUnit]], Generator[Scored]]
Path = str | os.PathLike[str]


class Kept(NamedTuple):
    """The results of a run so far, on disk."""

    name: str
    file: ResumeFile
    settings: list[list[str]]


@contextmanager
def open_kept(path: Path, corpus: Corpus, plan: Plan) -> Iterator[Kept]:
    """The results kept in a file, new or of the same run; those of any other are refused."""
    name = os.fspath(path)
    asked = describe_run(corpus, plan)
    with ResumeFile(name) as file:
        known = file.read_header()
        if known is None:
            file.begin(encode_words(asked))
        else:
            _refuse_other_run(name, known, asked)
        yield Kept(name, file, [settings_of(signature) for _, signature in asked["metrics"]])
        file.sync()


def go_on(kept: Kept, run: Engine, units: Iterator[AnyUnit]) -> Generator[Scored]:
    """What was kept, held against the data unit by unit; then the rest, scored and kept as it comes."""
    for entry in _read_entries(kept):
        unit = next(units, None)
        if unit is None or digest_of(unit) != entry.digest:
            raise _other_data(kept.name, entry.scored)
        yield entry.scored
    first = next(units, None)
    if first is None:
        return
    digests: deque[bytes] = deque()
    with closing(run(_noting_digests(chain([first], units), digests))) as rest:
        for scored in rest:
            # What was made with other files would be found among the others by every later run.
            for settings, piece in zip(kept.settings, scored.pieces, strict=True):
                refuse_mixture(settings, piece)
            kept.file.append(pack(Entry(digests.popleft(), scored)))
            yield scored


def _noting_digests(units: Iterable[AnyUnit], digests: deque[bytes]) -> Iterator[AnyUnit]:
    """The units as an engine takes them, which may be some ahead of what it gives back."""
    for unit in units:
        digests.append(digest_of(unit))
        yield unit


def _read_entries(kept: Kept) -> Iterator[Entry]:
    for packed in kept.file.read_entries():
        try:
            entry = unpack(packed)
        except ValueError:
            raise _damaged(kept.name) from None
        if [settings_of(piece.signature) for piece in entry.scored.pieces] != kept.settings:
            raise _damaged(kept.name)
        yield entry


def _refuse_other_run(name: str, known: bytes, asked: dict[str, object]) -> None:
    try:
        difference = find_difference(decode_words(known), asked)
    except (ValueError, TypeError, KeyError):
        raise _damaged(name) from None
    if difference:
        raise UsageError(str(Fault(name, None, difference, f"give the same data and options, or {ANOTHER}")))


def _other_data(name: str, scored: Scored) -> UsageError:
    place = f"{scored.source} from {scored.unit} {scored.lines[0]} on" if scored.lines else scored.source
    found = f"holds results of other data than {place}"
    return UsageError(str(Fault(name, None, found, f"give the same data, or {ANOTHER}")))


def _damaged(name: str) -> DataError:
    return DataError([Fault(name, None, "is damaged", f"delete it, or give {ANOTHER}")])
