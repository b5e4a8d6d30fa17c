"""A recipe: which data, in which amounts, and how to train on it; read from a TOML file."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from factable.errors import DataError, Fault, UsageError
from factable.io.files import read_whole
from factable.io.read import iter_examples
from factable.io.toml import parse_toml
from factable.models.templates import load_templates
from factable.train.nli.corpus import PairMaker, passages_of
from factable.train.nli.corruptions import Knowledge
from factable.train.nli.harder import HarderPairMaker
from factable.train.nli.pairs import Pair, read_pairs
from factable.train.nli.sources import SAME, open_infobox, said_slots, says_nothing_else
from factable.types import Record


@dataclass(frozen=True, slots=True)
class Source:
    """A file of NLI pairs (`pairs`), or a converted corpus to make pairs from (`corpus`).

    `times` repeats pairs, `most` takes so many at random, `per_text` are the pairs made from each reference;
    `style` is how a corpus is read: as "webnlg", where references say all records and what is true in one
    table is true in all, or as "e2e", where they say what is found in them and every table stands alone;
    `harder` makes the pairs of the second pass.
    """

    name: str
    pairs: str = ""
    corpus: str = ""
    infobox: bool = False
    times: int = 1
    most: int = 0
    per_text: int = 4
    templates: str = "backoff"
    style: str = "webnlg"
    harder: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that makes a model but the data and the base; `about` and `conditions` go into its card.

    `then` is a second pass over other pairs, at the rate `then_rate`; the model has `then_share` of the
    weights after it, and the rest of those before, so that what the first pass taught is not lost.
    """

    train: tuple[Source, ...]
    held_out: tuple[Source, ...]
    then: tuple[Source, ...] = ()
    about: str = "NLI"
    conditions: str = ""
    seed: int = 0
    batch: int = 32
    rate: float = 1e-4
    then_rate: float = 3e-5
    then_share: float = 1.0
    warm_up: float = 0.05
    most_tokens: int = 192
    every: int = 500


def read_recipe(path: Path) -> Recipe:
    """The recipe in a TOML file."""
    names = ", ".join(field.name for field in (*fields(Recipe), *fields(Source)))
    remedy = f"known settings are {names}"
    content = parse_toml(str(path), read_whole(path), remedy)
    try:
        train, held_out, then = (
            tuple(Source(**row) for row in content.pop(part, [])) for part in ("train", "held_out", "then")
        )
        return Recipe(train=train, held_out=held_out, then=then, **content)
    except TypeError as error:
        raise DataError([Fault(str(path), None, f"no recipe ({error})", remedy)]) from None


def make_pairs(sources: Sequence[Source], folder: Path, seed: int) -> dict[str, list[Pair]]:
    """The pairs of each source, by its name."""
    return {source.name: _pairs_of(source, folder, seed) for source in sources}


def _pairs_of(source: Source, folder: Path, seed: int) -> list[Pair]:
    # By name, so that another source in the recipe does not change what is drawn for this one.
    draw = random.Random(f"{seed} {source.name}")  # noqa: S311
    if source.corpus:
        pairs = _from_corpus(source, folder, draw.randrange(1 << 30))
    else:
        pairs = list(read_pairs(str(folder / source.pairs), source.name))
        if source.infobox:
            pairs = [open_infobox(pair, draw) for pair in pairs]
    if source.most and len(pairs) > source.most:
        pairs = draw.sample(pairs, source.most)
    return pairs * source.times


def _from_corpus(source: Source, folder: Path, seed: int) -> list[Pair]:
    examples = list(iter_examples(str(folder / source.corpus), need_text=False))
    if source.style not in TRUST:
        raise UsageError(f"style is {source.style!r}; it is one of {', '.join(TRUST)}")
    passages = passages_of(examples, TRUST[source.style])
    records = (record for passage in passages for record in passage.records)
    if source.style == "e2e":
        knowledge = Knowledge(records, one_world=False, same=SAME)
    else:
        knowledge = Knowledge(records)
    make = HarderPairMaker if source.harder else PairMaker
    maker = make(passages, knowledge, load_templates(source.templates), seed)
    return list(maker.pairs(source.per_text))


def _all(records: list[Record], text: str) -> tuple[list[Record], bool]:  # noqa: ARG001
    return records, True


def _found_in_e2e(records: list[Record], text: str) -> tuple[list[Record], bool]:
    said = said_slots(records, text)
    return said, len(said) == len(records) and says_nothing_else(records, text)


TRUST = {"webnlg": _all, "e2e": _found_in_e2e}
