"""A recipe for an NLI model: which data, in which amounts, and how to train on it; read from a TOML file."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from factable.errors import DataError, Fault, UsageError
from factable.io.files import read_whole
from factable.io.read import iter_examples
from factable.io.toml import parse_toml
from factable.models.nli import CONTRADICTION, ENTAILMENT
from factable.models.templates import load_templates
from factable.text.templates import Templates
from factable.train.corruptions import Knowledge
from factable.train.e2e_slots import SYNONYMS, stated_slots, states_nothing_else
from factable.train.marks import read_marked
from factable.train.nli_kinds import FIRST_PASS, SECOND_PASS, PairKind, write_pairs
from factable.train.nli_pairs import NliPair, PairWriter, read_pairs, read_passages
from factable.train.relation_kinds import RELATIONS
from factable.types import Record

# The others stay lists of keys and values, so that the model learns to read those too.
SHARE_OF_SENTENCES = 0.6


@dataclass(frozen=True, slots=True)
class NliSource:
    """A file of NLI pairs (`pairs`), of marked texts (`marked`), or a corpus to make pairs from (`corpus`).

    `times` repeats pairs, `most` limits their number, at random, `per_text` pairs are made from each
    reference, of the `kinds` "first", "harder" or "relations"; `infobox` turns premises that are lists of
    keys and values into sentences. `style` says how to read a corpus: "webnlg" if references state all
    records and a fact of one table holds in all, "e2e" if they state only what is found in them and every
    table stands alone.
    """

    name: str
    pairs: str = ""
    corpus: str = ""
    marked: str = ""
    infobox: bool = False
    times: int = 1
    most: int = 0
    per_text: int = 4
    templates: str = "backoff"
    style: str = "webnlg"
    kinds: str = "first"


@dataclass(frozen=True, slots=True)
class NliRecipe:
    """Everything that makes a model except the data and the base; `about` and `conditions` go into its card.

    `then` is a second pass over other pairs, at the learning rate `then_rate`; the final weights are
    `then_share` of those after it plus the rest of those before, so that the first pass is not forgotten.
    A checkpoint is saved every `every` steps.
    """

    train: tuple[NliSource, ...]
    held_out: tuple[NliSource, ...]
    then: tuple[NliSource, ...] = ()
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


def read_recipe(path: Path) -> NliRecipe:
    """The recipe in a TOML file."""
    names = ", ".join(field.name for field in (*fields(NliRecipe), *fields(NliSource)))
    remedy = f"known settings are {names}"
    content = parse_toml(str(path), read_whole(path), remedy)
    try:
        train, held_out, then = (
            tuple(NliSource(**row) for row in content.pop(part, [])) for part in ("train", "held_out", "then")
        )
        return NliRecipe(train=train, held_out=held_out, then=then, **content)
    except TypeError as error:
        raise DataError([Fault(str(path), None, f"not a recipe ({error})", remedy)]) from None


def make_pairs(sources: Sequence[NliSource], folder: Path, seed: int) -> dict[str, list[NliPair]]:
    """The pairs of each source, by its name; files are relative to `folder`."""
    return {source.name: _make_pairs(source, folder, seed) for source in sources}


def _make_pairs(source: NliSource, folder: Path, seed: int) -> list[NliPair]:
    # Seeded by name, so that adding a source to the recipe changes nothing for the others.
    draw = random.Random(f"{seed} {source.name}")  # noqa: S311
    if source.corpus:
        pairs = _pairs_from_corpus(source, folder, draw.randrange(1 << 30))
    elif source.marked:
        pairs = _pairs_from_marked(str(folder / source.marked), draw)
    else:
        pairs = list(read_pairs(str(folder / source.pairs), source.name))
        if source.infobox:
            pairs = [open_infobox(pair, draw) for pair in pairs]
    if source.most and len(pairs) > source.most:
        pairs = draw.sample(pairs, source.most)
    return pairs * source.times


def _pairs_from_corpus(source: NliSource, folder: Path, seed: int) -> list[NliPair]:
    examples = list(iter_examples(str(folder / source.corpus), need_text=False))
    for setting, known in (("style", STYLES), ("kinds", KINDS)):
        given = getattr(source, setting)
        if given not in known:
            raise UsageError(f"{setting} is {given!r}; it must be one of {', '.join(known)}")
    passages = read_passages(examples, STYLES[source.style])
    records = (record for passage in passages for record in passage.records)
    if source.style == "e2e":
        knowledge = Knowledge(records, one_world=False, synonyms=SYNONYMS)
    else:
        knowledge = Knowledge(records)
    writer = PairWriter(passages, knowledge, load_templates(source.templates), seed)
    return list(write_pairs(writer, source.per_text, KINDS[source.kinds]))


def _pairs_from_marked(path: str, draw: random.Random) -> list[NliPair]:
    """Does the data about a sentence entail it? Not if words of it are marked; at most half are not."""
    pairs = [
        NliPair(each.evidence, each.sentence, CONTRADICTION if each.human else ENTAILMENT, "marked")
        for each in read_marked(path)
        if each.evidence
    ]
    wrong = [pair for pair in pairs if pair.label == CONTRADICTION]
    right = [pair for pair in pairs if pair.label == ENTAILMENT]
    return wrong + draw.sample(right, min(len(right), len(wrong)))


def _all_stated(records: list[Record], text: str) -> tuple[list[Record], bool]:  # noqa: ARG001
    return records, True


def _stated_in_e2e(records: list[Record], text: str) -> tuple[list[Record], bool]:
    stated = stated_slots(records, text)
    return stated, len(stated) == len(records) and states_nothing_else(records, text)


KINDS: Mapping[str, Mapping[PairKind, float]] = {
    "first": FIRST_PASS,
    "harder": SECOND_PASS,
    "relations": RELATIONS,
}
STYLES = {"webnlg": _all_stated, "e2e": _stated_in_e2e}


def open_infobox(pair: NliPair, draw: random.Random) -> NliPair:
    """The pair, usually with its premise, a list of keys and values, as sentences."""
    if draw.random() >= SHARE_OF_SENTENCES:
        return pair
    title, _, rows = pair.premise.partition(" | ")
    cells = [row.partition(": ") for row in rows.split(" ; ")]
    if not all(separator for _, separator, _ in cells):
        return pair
    sentences = [Templates().sentence(Record(title, key, " ".join(value.split()))) for key, _, value in cells]
    return pair._replace(premise=" ".join(sentences))
