"""Training of a fact classifier: which facts a text expresses, learnt from texts and their data."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.metrics.slots.fact_classifier import FactClassifier, features
from factable.metrics.slots.mentions import find_slots
from factable.metrics.slots.patterns import Patterns, squeeze
from factable.types import Example, Record

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]
# A slot with more values holds names, which are looked for and not learnt.
MAX_VALUES = 12
# N-grams of fewer texts are left out.
RAREST = 25
HELD_OUT = 0.1
BATCH, RATE, DECAY, EPOCHS = 256, 0.2, 1e-5, 8
# Weights below are dropped.
SMALLEST = 0.2
CUTS = np.linspace(0.02, 0.5, 25)


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as places of features, one after the other, and the number of each slot's value (0 for none)."""

    features: Indices
    starts: Indices
    answers: NDArray[np.int64]


def train_classifier(
    examples: Sequence[Example], patterns: Patterns | None, *, seed: int, log: Callable[[str], None]
) -> FactClassifier:
    """A classifier from the references of examples (or their texts where there are none)."""
    slots, names = slots_of(examples)
    pairs = [
        (text, _facts(text, example.table.records, patterns))
        for example in examples
        for text in example.references or (example.text,)
        if text.strip()
    ]
    if not slots or len(pairs) < 2 * RAREST:
        found = f"{len(pairs)} texts with {len(slots)} slots"
        raise UsageError(f"{found}; give a closed-domain corpus of {2 * RAREST} texts or more")
    random = np.random.default_rng(seed)
    held = random.random(len(pairs)) < HELD_OUT
    grams = [features(text, [one for one in facts if one.attribute in names]) for text, facts in pairs]
    vocabulary = _vocabulary(grams, held)
    training, rest = (
        _pack(
            [grams[index] for index in np.flatnonzero(which)],
            [pairs[index][1] for index in np.flatnonzero(which)],
            vocabulary,
            slots,
        )
        for which in (~held, held)
    )
    log(f"{len(training.starts):,} texts, {len(vocabulary):,} n-grams, {len(slots)} slots")
    weights, bias = _fit(training, len(vocabulary), slots, random, log)
    rows = {gram: _row(weights[index]) for gram, index in vocabulary.items()}
    return FactClassifier(slots, names, bias.tolist(), rows, _choose_cut(rest, weights, bias, slots, log))


def _facts(text: str, records: Sequence[Record], patterns: Patterns | None) -> list[Record]:
    """The facts that a text is taken to express: those it was given, or those that patterns find in it."""
    if patterns is None:
        return [record for record in records if record.value.strip()]
    return [Record("", said.fact.slot, said.fact.value) for said in find_slots(text, records, patterns)]


def _vocabulary(grams: Sequence[Sequence[str]], held: NDArray[np.bool_]) -> dict[str, int]:
    """The n-grams of enough training texts, numbered."""
    often = Counter(gram for some, out in zip(grams, held, strict=True) if not out for gram in some)
    kept = sorted(gram for gram, times in often.items() if times >= RAREST)
    return {gram: index for index, gram in enumerate(kept)}


def slots_of(examples: Sequence[Example]) -> tuple[dict[str, tuple[str, ...]], tuple[str, ...]]:
    """The slots of a corpus with their values, and the slots whose values are names."""
    values: dict[str, Counter[str]] = {}
    written: dict[str, str] = {}
    for example in examples:
        for record in example.table.records:
            if record.value.strip():
                key = squeeze(record.value)
                written[key] = min(written.get(key, record.value), record.value, key=len)
                values.setdefault(record.attribute, Counter())[key] += 1
    names = tuple(slot for slot, found in values.items() if len(found) > MAX_VALUES)
    closed = [slot for slot in values if slot not in names]
    return {slot: tuple(written[key] for key in sorted(values[slot])) for slot in closed}, names


def _pack(
    grams: Sequence[Sequence[str]],
    tables: Sequence[Sequence[Record]],
    vocabulary: dict[str, int],
    slots: dict[str, tuple[str, ...]],
) -> Texts:
    known = [[vocabulary[gram] for gram in some if gram in vocabulary] or [0] for some in grams]
    lengths = np.array([len(some) for some in known], dtype=np.int64)
    return Texts(
        features=np.array([index for some in known for index in some], dtype=np.int64),
        starts=np.concatenate(([0], np.cumsum(lengths)[:-1])),
        answers=np.array([_answers(records, slots) for records in tables], dtype=np.int64),
    )


def _answers(records: Sequence[Record], slots: dict[str, tuple[str, ...]]) -> list[int]:
    """The number of each slot's value, 0 for a slot without one."""
    # The first mention counts where a text says two values of a slot.
    given = {record.attribute: squeeze(record.value) for record in reversed(records)}
    found = []
    for slot, values in slots.items():
        keys = [squeeze(value) for value in values]
        found.append(keys.index(given[slot]) + 1 if given.get(slot) in keys else 0)
    return found


def _batch(texts: Texts, which: Indices) -> tuple[Indices, Indices]:
    """The features of some texts one after the other, and where each text begins."""
    ends = np.append(texts.starts[1:], len(texts.features))
    pieces = [texts.features[texts.starts[index] : ends[index]] for index in which]
    return np.concatenate(pieces), np.concatenate(([0], np.cumsum([len(piece) for piece in pieces])[:-1]))


def _shares(sums: Matrix, slots: dict[str, tuple[str, ...]]) -> list[Matrix]:
    """Probabilities of the values of each slot, those of none first."""
    found, index = [], 0
    for values in slots.values():
        own = np.hstack((np.zeros((len(sums), 1)), sums[:, index : index + len(values)]))
        own = np.exp(own - own.max(axis=1, keepdims=True))
        found.append(own / own.sum(axis=1, keepdims=True))
        index += len(values)
    return found


def _fit(
    texts: Texts,
    width: int,
    slots: dict[str, tuple[str, ...]],
    random: np.random.Generator,
    log: Callable[[str], None],
) -> tuple[Matrix, Matrix]:
    """Weights of n-grams, and the bias, by gradients whose steps shrink where they were large (Adagrad)."""
    columns = sum(map(len, slots.values()))
    weights, seen = np.zeros((width + 1, columns)), np.full((width + 1, columns), 1e-8)
    for epoch in range(1, EPOCHS + 1):
        order = random.permutation(len(texts.starts))
        loss = 0.0
        for start in range(0, len(order), BATCH):
            which = order[start : start + BATCH]
            indices, begins = _batch(texts, which)
            sums = np.add.reduceat(weights[indices], begins) + weights[width]
            slopes, lost = _slopes(_shares(sums, slots), texts.answers[which])
            loss += lost
            lengths = np.diff(np.append(begins, len(indices)))
            gradient: Matrix = np.zeros_like(weights)
            np.add.at(gradient, indices, np.repeat(slopes, lengths, axis=0))
            gradient[width] = slopes.sum(axis=0)
            gradient = gradient / len(which) + DECAY * weights
            seen += gradient**2
            weights -= RATE * gradient / np.sqrt(seen)
        log(f"epoch {epoch}: loss {loss / len(order):.4f}")
    return weights[:width], weights[width]


def _slopes(shares: Sequence[Matrix], answers: Indices) -> tuple[Matrix, float]:
    """How the loss rises with each sum, and the loss."""
    parts, lost = [], 0.0
    rows = np.arange(len(answers))
    for slot, share in enumerate(shares):
        lost -= float(np.log(np.maximum(share[rows, answers[:, slot]], 1e-12)).sum())
        slope = share.copy()
        slope[rows, answers[:, slot]] -= 1
        parts.append(slope[:, 1:])
    return np.hstack(parts), lost


def _choose_cut(
    texts: Texts, weights: Matrix, bias: Matrix, slots: dict[str, tuple[str, ...]], log: Callable[[str], None]
) -> float:
    """The probability that best tells given values from others of their slots, on texts held out."""
    indices, begins = _batch(texts, np.arange(len(texts.starts)))
    shares = _shares(np.add.reduceat(weights[indices], begins) + bias, slots)
    right, other = [], []
    for slot, share in enumerate(shares):
        for row, answer in enumerate(texts.answers[:, slot]):
            if answer:
                right.append(share[row, answer])
                other += [share[row, value] for value in range(1, share.shape[1]) if value != answer]
    accuracy = [(np.mean(np.array(right) >= cut) + np.mean(np.array(other) < cut)) / 2 for cut in CUTS]
    best = int(np.argmax(accuracy))
    log(f"a fact is expressed from {CUTS[best]:.2f} on; {accuracy[best]:.3f} of values held out are right")
    return round(float(CUTS[best]), 4)


def _row(weights: Matrix) -> dict[int, float]:
    return {int(column): float(weights[column]) for column in np.flatnonzero(np.abs(weights) >= SMALLEST)}
