"""Files for closed domains, made from texts and their data: a draft of patterns, and a fact classifier.

A slot with few values is closed: how texts express each value can be learnt. Slots with many hold names.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factable.errors import UsageError
from factable.metrics.slots.fact_classifier import FactClassifier, features
from factable.metrics.slots.mentions import find_slots
from factable.metrics.slots.patterns import Patterns, squeeze, verbatim
from factable.text.templates import FALSE, TRUE
from factable.types import Example, Record

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]
Slots = dict[str, tuple[str, ...]]
# A slot with more values holds names, which are looked up and not learnt.
MAX_VALUES = 12


def closed_slots(examples: Sequence[Example]) -> tuple[Slots, tuple[str, ...]]:
    """The closed slots of a corpus with their values, and the slots whose values are names."""
    values: dict[str, Counter[str]] = {}
    shortest: dict[str, str] = {}
    for example in examples:
        for record in example.table.records:
            if record.value.strip():
                key = squeeze(record.value)
                shortest[key] = min(shortest.get(key, record.value), record.value, key=len)
                values.setdefault(record.attribute, Counter())[key] += 1
    names = tuple(slot for slot, counts in values.items() if len(counts) > MAX_VALUES)
    closed = [slot for slot in values if slot not in names]
    return {slot: tuple(shortest[key] for key in sorted(values[slot])) for slot in closed}, names


# Drafts of pattern files.

HEADER = """\
# A draft from {texts:,} texts: read it, and delete what is wrong.
#
# A section is a slot, a line is a value with the regular expressions that express it, case ignored.
# A space matches any spaces and hyphens. An empty list stands for the value itself.
"""
# A paraphrase is in this many texts, and this many times as frequent with the value as without it.
MIN_PARAPHRASE_TEXTS = 10
MIN_LIFT = 5.0
# It is in this share of the texts with the value that do not have it verbatim.
MIN_SHARE = 0.02
MAX_PARAPHRASES = 8
Facts = frozenset[tuple[str, str]]


class _CorpusTexts:
    """The texts of a corpus with their n-grams and facts."""

    def __init__(self, examples: Iterable[Example], names: Sequence[str]) -> None:
        self.grams: list[frozenset[str]] = []
        self.texts: list[str] = []
        self.facts: list[Facts] = []
        for example in examples:
            named = [record for record in example.table.records if record.attribute in names]
            facts = frozenset((record.attribute, squeeze(record.value)) for record in example.table.records)
            for text in example.references or (example.text,):
                self.texts.append(text)
                self.facts.append(facts)
                self.grams.append(frozenset(filter(_is_plain, features(text, named))))


def draft_patterns(examples: Sequence[Example]) -> tuple[str, int]:
    """The content of a pattern file, and how many slots it has."""
    closed, names = closed_slots(examples)
    texts = _CorpusTexts(examples, names)
    counts = Counter(gram for grams in texts.grams for gram in grams)
    frequent = {gram: count for gram, count in counts.items() if count >= MIN_PARAPHRASE_TEXTS}
    sections = [HEADER.format(texts=len(texts.texts))]
    for slot in (*closed, *names):
        lines = [f"[{_quote(slot)}]"]
        for value in closed.get(slot) or _values_of(examples, slot):
            paraphrases = _paraphrases(slot, value, texts, frequent) if slot in closed else []
            # Texts do not say "yes" or "no" but name what it is about.
            own = [] if value.lower() in TRUE | FALSE else [verbatim(value)]
            escaped = [re.escape(gram).replace(r"\ ", " ") for gram in paraphrases]
            patterns = [*own, *escaped] if paraphrases else []
            lines.append(f"{_quote(value)} = [{', '.join(map(_literal, patterns))}]")
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections), len(closed) + len(names)


def _paraphrases(slot: str, value: str, texts: _CorpusTexts, frequent: dict[str, int]) -> list[str]:
    """N-grams that together cover most texts with a value that do not have it verbatim, greedily chosen."""
    fact = (slot, squeeze(value))
    own = [index for index, facts in enumerate(texts.facts) if fact in facts]
    pattern = re.compile(rf"(?<!\w){verbatim(value)}(?!\w)", re.IGNORECASE)
    uncovered = {index for index in own if not pattern.search(texts.texts[index])}
    min_texts = max(MIN_PARAPHRASE_TEXTS, MIN_SHARE * len(uncovered))
    with_value = Counter(gram for index in own for gram in texts.grams[index] if gram in frequent)
    others = max(len(texts.texts) - len(own), 1)
    typical = {
        gram
        for gram, count in with_value.items()
        if count / len(own) >= MIN_LIFT * (frequent[gram] - count) / others
    }
    chosen: list[str] = []
    while len(chosen) < MAX_PARAPHRASES:
        covered = Counter(gram for index in uncovered for gram in texts.grams[index] & typical)
        # Of equals the shortest; the n-gram itself makes the choice the same in every process.
        best = max(covered, key=lambda gram: (covered[gram], -len(gram), gram), default="")
        if covered[best] < min_texts:
            break
        chosen.append(best)
        uncovered = {index for index in uncovered if best not in texts.grams[index]}
    return chosen


def _is_plain(gram: str) -> bool:
    """Whether an n-gram has only words, no placeholder of a name and no punctuation."""
    return all(word.isalnum() or word in "£$€%" for word in gram.split())


def _values_of(examples: Iterable[Example], slot: str) -> list[str]:
    records: Iterable[Record] = (record for example in examples for record in example.table.records)
    return sorted({record.value for record in records if record.attribute == slot and record.value.strip()})


def _quote(name: str) -> str:
    """A TOML key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _literal(pattern: str) -> str:
    """A TOML string, in single quotes if possible, as they leave backslashes alone."""
    if "'" not in pattern and pattern.isprintable():
        return f"'{pattern}'"
    return json.dumps(pattern, ensure_ascii=False)


# The fact classifier.

# N-grams in fewer texts are left out.
MIN_TEXTS = 25
SHARE_HELD_OUT = 0.1
BATCH_SIZE, LEARNING_RATE, WEIGHT_DECAY, EPOCHS = 256, 0.2, 1e-5, 8
# Smaller weights are dropped.
MIN_WEIGHT = 0.2
THRESHOLDS = np.linspace(0.02, 0.5, 25)


@dataclass(frozen=True, slots=True)
class ClassifierTexts:
    """The features of all texts as indices, the start of each text, and the number of each slot's value.

    A slot without a value has the number 0.
    """

    features: Indices
    starts: Indices
    values: Indices


def train_classifier(
    examples: Sequence[Example], patterns: Patterns | None, *, seed: int, log: Callable[[str], None]
) -> FactClassifier:
    """A classifier from the references of examples (or their texts where there are none).

    The facts of a text are those of its data or, with `patterns`, those that the patterns find in it.
    """
    slots, names = closed_slots(examples)
    pairs = [
        (text, _expressed_facts(text, example.table.records, patterns))
        for example in examples
        for text in example.references or (example.text,)
        if text.strip()
    ]
    if not slots or len(pairs) < 2 * MIN_TEXTS:
        problem = f"{len(pairs)} texts with {len(slots)} slots"
        raise UsageError(f"{problem}; give a closed-domain corpus of {2 * MIN_TEXTS} texts or more")
    generator = np.random.default_rng(seed)
    is_held_out = generator.random(len(pairs)) < SHARE_HELD_OUT
    grams = [features(text, [fact for fact in facts if fact.attribute in names]) for text, facts in pairs]
    vocabulary = _make_vocabulary(grams, is_held_out)
    training, held_out = (
        _encode(
            [grams[index] for index in np.flatnonzero(chosen)],
            [pairs[index][1] for index in np.flatnonzero(chosen)],
            vocabulary,
            slots,
        )
        for chosen in (~is_held_out, is_held_out)
    )
    log(f"{len(training.starts):,} texts, {len(vocabulary):,} n-grams, {len(slots)} slots")
    weights, bias = _fit_weights(training, len(vocabulary), slots, generator, log)
    rows = {gram: _large_weights(weights[index]) for gram, index in vocabulary.items()}
    threshold = _choose_threshold(held_out, weights, bias, slots, log)
    return FactClassifier(slots, names, bias.tolist(), rows, threshold)


def _expressed_facts(text: str, records: Sequence[Record], patterns: Patterns | None) -> list[Record]:
    if patterns is None:
        return [record for record in records if record.value.strip()]
    return [Record("", hit.fact.slot, hit.fact.value) for hit in find_slots(text, records, patterns)]


def _make_vocabulary(grams: Sequence[Sequence[str]], is_held_out: NDArray[np.bool_]) -> dict[str, int]:
    """The n-grams of enough training texts, numbered."""
    counts = Counter(gram for own, out in zip(grams, is_held_out, strict=True) if not out for gram in own)
    frequent = sorted(gram for gram, count in counts.items() if count >= MIN_TEXTS)
    return {gram: index for index, gram in enumerate(frequent)}


def _encode(
    grams: Sequence[Sequence[str]],
    facts: Sequence[Sequence[Record]],
    vocabulary: dict[str, int],
    slots: Slots,
) -> ClassifierTexts:
    known = [[vocabulary[gram] for gram in own if gram in vocabulary] or [0] for own in grams]
    lengths = np.array([len(own) for own in known], dtype=np.int64)
    return ClassifierTexts(
        features=np.array([index for own in known for index in own], dtype=np.int64),
        starts=np.concatenate(([0], np.cumsum(lengths)[:-1])),
        values=np.array([_value_numbers(records, slots) for records in facts], dtype=np.int64),
    )


def _value_numbers(records: Sequence[Record], slots: Slots) -> list[int]:
    """The number of each slot's value, 0 for a slot without one."""
    # If a text has two values of a slot, the first counts.
    given = {record.attribute: squeeze(record.value) for record in reversed(records)}
    numbers = []
    for slot, values in slots.items():
        keys = [squeeze(value) for value in values]
        numbers.append(keys.index(given[slot]) + 1 if given.get(slot) in keys else 0)
    return numbers


def _select(texts: ClassifierTexts, rows: Indices) -> tuple[Indices, Indices]:
    """The features of some texts one after the other, and the start of each text."""
    ends = np.append(texts.starts[1:], len(texts.features))
    pieces = [texts.features[texts.starts[row] : ends[row]] for row in rows]
    return np.concatenate(pieces), np.concatenate(([0], np.cumsum([len(piece) for piece in pieces])[:-1]))


def _probabilities(scores: Matrix, slots: Slots) -> list[Matrix]:
    """For each slot the probabilities of no value and of each value."""
    probabilities, column = [], 0
    for values in slots.values():
        own = np.hstack((np.zeros((len(scores), 1)), scores[:, column : column + len(values)]))
        own = np.exp(own - own.max(axis=1, keepdims=True))
        probabilities.append(own / own.sum(axis=1, keepdims=True))
        column += len(values)
    return probabilities


def _fit_weights(
    texts: ClassifierTexts,
    width: int,
    slots: Slots,
    generator: np.random.Generator,
    log: Callable[[str], None],
) -> tuple[Matrix, Matrix]:
    """Weights of n-grams and the bias, by Adagrad."""
    columns = sum(map(len, slots.values()))
    weights, squares = np.zeros((width + 1, columns)), np.full((width + 1, columns), 1e-8)
    for epoch in range(1, EPOCHS + 1):
        order = generator.permutation(len(texts.starts))
        total = 0.0
        for start in range(0, len(order), BATCH_SIZE):
            rows = order[start : start + BATCH_SIZE]
            indices, starts = _select(texts, rows)
            scores = np.add.reduceat(weights[indices], starts) + weights[width]
            slopes, loss = _score_gradient(_probabilities(scores, slots), texts.values[rows])
            total += loss
            lengths = np.diff(np.append(starts, len(indices)))
            gradient: Matrix = np.zeros_like(weights)
            np.add.at(gradient, indices, np.repeat(slopes, lengths, axis=0))
            gradient[width] = slopes.sum(axis=0)
            gradient = gradient / len(rows) + WEIGHT_DECAY * weights
            squares += gradient**2
            weights -= LEARNING_RATE * gradient / np.sqrt(squares)
        log(f"epoch {epoch}: loss {total / len(order):.4f}")
    return weights[:width], weights[width]


def _score_gradient(probabilities: Sequence[Matrix], values: Indices) -> tuple[Matrix, float]:
    """The gradient of the loss by each score, and the loss."""
    parts, loss = [], 0.0
    rows = np.arange(len(values))
    for slot, own in enumerate(probabilities):
        loss -= float(np.log(np.maximum(own[rows, values[:, slot]], 1e-12)).sum())
        slope = own.copy()
        slope[rows, values[:, slot]] -= 1
        parts.append(slope[:, 1:])
    return np.hstack(parts), loss


def _choose_threshold(
    texts: ClassifierTexts, weights: Matrix, bias: Matrix, slots: Slots, log: Callable[[str], None]
) -> float:
    """The probability that best separates the values of held-out texts from other values of their slots."""
    indices, starts = _select(texts, np.arange(len(texts.starts)))
    probabilities = _probabilities(np.add.reduceat(weights[indices], starts) + bias, slots)
    true, false = [], []
    for slot, own in enumerate(probabilities):
        for row, value in enumerate(texts.values[:, slot]):
            if value:
                true.append(own[row, value])
                false += [own[row, other] for other in range(1, own.shape[1]) if other != value]
    accuracies = [
        (np.mean(np.array(true) >= threshold) + np.mean(np.array(false) < threshold)) / 2
        for threshold in THRESHOLDS
    ]
    best = int(np.argmax(accuracies))
    log(f"threshold {THRESHOLDS[best]:.2f}, accuracy {accuracies[best]:.3f} on values of held-out texts")
    return round(float(THRESHOLDS[best]), 4)


def _large_weights(weights: Matrix) -> dict[int, float]:
    return {int(column): float(weights[column]) for column in np.flatnonzero(np.abs(weights) >= MIN_WEIGHT)}
