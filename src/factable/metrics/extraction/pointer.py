"""The trained extractor: a pointer-generator network that writes a table for a text, run in NumPy.

See, Liu and Manning: Get To The Point: Summarization with Pointer-Generator Networks. ACL 2017. Dhingra et
al.: Handling Divergent Reference Texts when Evaluating Table-to-Text Generation. ACL 2019.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factable.metrics.extraction.protocol import Extracted
from factable.text.templates import clean_value
from factable.types import Record, Table

# Cells of a row and rows of a table are kept apart by these; an attribute is one token.
CELL, ROW = "⟨cell⟩", "⟨row⟩"
# Lines are cut at this length: longer ones are repetitions.
MAX_LINE = 120
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*|\w+|[^\w\s]")
_ATTRIBUTE = re.compile(r"⟨(.+)⟩")


def lowercase_tokens(text: str) -> list[str]:
    """The tokens of a text or value, in small letters."""
    return [token.lower() for token in _TOKEN.findall(clean_value(text))]


def find_tokens(wanted: str, text: str) -> tuple[int, int] | None:
    """Where a text first has these tokens, which are joined by spaces, one after the other."""
    matches = list(_TOKEN.finditer(text))
    tokens, size = [match[0].lower() for match in matches], len(wanted.split())
    for index in range(len(tokens) - size + 1) if size else ():
        if " ".join(tokens[index : index + size]) == wanted:
            return matches[index].start(), matches[index + size - 1].end()
    return None


def _attribute_token(attribute: str) -> str:
    """An attribute as a token of its own."""
    return f"⟨{attribute}⟩"


def linearise_records(records: Iterable[Record]) -> list[str]:
    """Records as tokens: subject, attribute and value of each with CELL between, ROW after each."""
    line: list[str] = []
    for subject, attribute, value in records:
        line += [
            *lowercase_tokens(subject),
            CELL,
            _attribute_token(attribute),
            CELL,
            *lowercase_tokens(value),
            ROW,
        ]
    return line


def delinearise_records(line: Sequence[str]) -> list[Record]:
    """The records of a line of tokens; rows that are no record are left out."""
    records = []
    row: list[list[str]] = [[]]
    for token in line:
        if token == ROW:
            records += _record(row)
            row = [[]]
        elif token == CELL:
            row.append([])
        else:
            row[-1].append(token)
    return records


def _record(row: Sequence[Sequence[str]]) -> list[Record]:
    if len(row) != 3 or len(row[1]) != 1 or not row[2]:
        return []
    attribute = _ATTRIBUTE.fullmatch(row[1][0])
    return [Record(" ".join(row[0]), attribute[1], " ".join(row[2]))] if attribute else []


Array = NDArray[np.float32]
BEAM = 8
PAD, UNKNOWN, START, END = SPECIAL = ("⟨pad⟩", "⟨unknown⟩", "⟨start⟩", "⟨end⟩")


class _Text(NamedTuple):
    """A text as the encoder sees it: a row for each token, and which numbers its tokens have.

    `indices` are the distinct numbers and `copies` says which token has which; `unknown` counts the tokens
    that the vocabulary lacks. `hidden` and `cell` are the first state of the decoder.
    """

    encoded: Array
    keys: Array
    copies: Array
    indices: NDArray[np.int64]
    unknown: int
    hidden: Array
    cell: Array


class _Beam(NamedTuple):
    """Lines being written: their tokens, how probable each is, and the state of the decoder."""

    lines: list[list[int]]
    scores: Array
    hidden: Array
    cell: Array


class PointerExtractor:
    """Writes the records that a text says, in the order of the text, by a trained network."""

    def __init__(
        self, weights: dict[str, Array], vocabulary: Sequence[str], *, length_penalty: bool = True
    ) -> None:
        self._weights, self._length_penalty = weights, length_penalty
        self._vocabulary = list(vocabulary)
        self._number = {token: index for index, token in enumerate(self._vocabulary)}
        # References are read again for every system.
        self._read_text = lru_cache(maxsize=1 << 14)(self._write)

    def extract(self, texts: Sequence[tuple[str, Table]]) -> list[list[Extracted]]:
        """The records of each text, where they are copied in its own words; tables are not looked at."""
        return [
            [_in_words(record, text) for record in delinearise_records(self.write(text))] for text, _ in texts
        ]

    def write(self, text: str) -> list[str]:
        """The most probable line of tokens for a text."""
        return list(self._read_text(text))

    def _write(self, text: str) -> tuple[str, ...]:
        tokens = lowercase_tokens(text)
        if not tokens:
            return ()
        unknown = list(dict.fromkeys(token for token in tokens if token not in self._number))
        extended = {token: len(self._vocabulary) + index for index, token in enumerate(unknown)}
        numbers = [self._number.get(token, extended.get(token, 0)) for token in tokens]
        best = self._search(numbers, len(unknown))
        names = [*self._vocabulary, *unknown]
        return tuple(names[number] for number in best)

    def _search(self, numbers: Sequence[int], unknown: int) -> list[int]:
        """The best line by beam search: by probability, or by probability per token."""
        text = self._encode(numbers, unknown)
        end = self._number[END]
        beam = _Beam([[self._number[START]]], np.zeros(1, np.float32), text.hidden[None], text.cell[None])
        finished: list[tuple[float, list[int]]] = []
        for _ in range(MAX_LINE):
            shares, hidden, cell = self._step(beam, text)
            beam, ended = _grow(beam, shares, hidden, cell, end)
            finished += [(self._line_score(score, len(line) + 2), line) for score, line in ended]
            open_scores = [
                self._line_score(float(score), len(line))
                for score, line in zip(beam.scores, beam.lines, strict=True)
            ]
            # Unfinished lines are worse already, and hardly become better.
            if finished and max(open_scores, default=-np.inf) <= max(finished)[0]:
                break
        else:
            finished += [(score, line[1:]) for score, line in zip(open_scores, beam.lines, strict=True)]
        return max(finished)[1]

    def _line_score(self, score: float, tokens: int) -> float:
        return score / tokens if self._length_penalty else score

    def _encode(self, numbers: Sequence[int], unknown: int) -> _Text:
        """What the encoder makes of a text, and the first state of the decoder."""
        known = [number if number < len(self._vocabulary) else self._number[UNKNOWN] for number in numbers]
        inputs = self._weights["embedding"][known]
        forth, last_forth = self._read(inputs, "forth")
        back, last_back = self._read(inputs[::-1], "back")
        encoded = np.hstack((forth, back[::-1]))
        last = np.concatenate((last_forth, last_back))
        hidden = np.tanh(self._weights["bridge.weight"] @ last + self._weights["bridge.bias"])
        indices, tokens = np.unique(numbers, return_inverse=True)
        copies = np.zeros((len(numbers), len(indices)), np.float32)
        copies[np.arange(len(numbers)), tokens] = 1
        keys = encoded @ self._weights["attention"].T
        return _Text(encoded, keys.T, copies, indices, unknown, hidden, np.zeros_like(hidden))

    def _read(self, inputs: Array, way: str) -> tuple[Array, Array]:
        """One direction of the encoder over a text."""
        gates = inputs @ self._weights[f"{way}.input"].T + self._weights[f"{way}.bias"]
        recurrent = self._weights[f"{way}.hidden"].T
        size = len(recurrent)
        hidden: Array = np.zeros(size, np.float32)
        cell: Array = np.zeros(size, np.float32)
        states = np.empty((len(inputs), size), np.float32)
        for index, gate in enumerate(gates):
            hidden, cell = _lstm(gate + hidden @ recurrent, cell)
            states[index] = hidden
        return states, hidden

    def _step(self, beam: _Beam, text: _Text) -> tuple[Array, Array, Array]:
        """Probabilities of the next token of each line, and the decoder's states."""
        weights, words = self._weights, len(self._vocabulary)
        last = [line[-1] if line[-1] < words else self._number[UNKNOWN] for line in beam.lines]
        inputs = weights["embedding"][last]
        gates = inputs @ weights["decoder.input"].T + beam.hidden @ weights["decoder.hidden"].T
        hidden, cell = _lstm(gates + weights["decoder.bias"], beam.cell)
        attention = _softmax(hidden @ text.keys)
        both = np.hstack((hidden, attention @ text.encoded))
        output = np.tanh(both @ weights["output.weight"].T + weights["output.bias"])
        generate = _sigmoid(np.hstack((both, inputs)) @ weights["switch.weight"].T + weights["switch.bias"])
        shares = np.zeros((len(last), words + text.unknown), np.float32)
        shares[:, :words] = generate * _softmax(output @ weights["embedding"].T + weights["words"])
        shares[:, text.indices] += (1 - generate) * (attention @ text.copies)
        return shares, hidden, cell


def _in_words(record: Record, text: str) -> Extracted:
    """A record with subject and value as the text writes them, and where it has the value."""
    subject, value = find_tokens(record.subject, text), find_tokens(record.value, text)
    if subject:
        record = record._replace(subject=text[slice(*subject)])
    return Extracted(record._replace(value=text[slice(*value)]) if value else record, value)


def _grow(
    beam: _Beam, shares: Array, hidden: Array, cell: Array, end: int
) -> tuple[_Beam, list[tuple[float, list[int]]]]:
    """The best lines one token longer, and those that have come to their end."""
    ended, kept = [], []
    for parent, token, score in _best(shares, beam.scores):
        line = [*beam.lines[parent], token]
        if token == end:
            ended.append((score, line[1:-1]))
        else:
            kept.append((parent, line, score))
    rows = [parent for parent, _, _ in kept]
    scores = np.array([score for _, _, score in kept], np.float32)
    return _Beam([line for _, line, _ in kept], scores, hidden[rows], cell[rows]), ended


def _best(shares: Array, scores: Array) -> list[tuple[int, int, float]]:
    """The best continuations of all lines: the line, the token, and how probable both are."""
    if len(shares) == BEAM:
        # The best of each line are as many as are wanted: what is below all of them is not among the best.
        bar = np.min(scores + _log(shares.max(axis=1)))
        rows, columns = np.nonzero(shares >= (np.exp(bar - scores) * 0.999)[:, None])
    else:
        # The best of all are among the best of each line.
        columns = np.sort(np.argpartition(-shares, BEAM, axis=1)[:, :BEAM], axis=1).ravel()
        rows = np.repeat(np.arange(len(shares)), BEAM)
    totals = scores[rows] + _log(shares[rows, columns])
    chosen = np.argsort(-totals, kind="stable")[:BEAM]
    return list(zip(rows[chosen].tolist(), columns[chosen].tolist(), totals[chosen].tolist(), strict=True))


def _log(shares: Array) -> Array:
    logs: Array = np.log(np.maximum(shares, np.float32(1e-12)))
    return logs


def _lstm(gates: Array, cell: Array) -> tuple[Array, Array]:
    """Hidden state and cell after a step, from gates in the order input, forget, cell, output."""
    size = cell.shape[-1]
    opened = _sigmoid(gates)
    first, forget, output = opened[..., :size], opened[..., size : 2 * size], opened[..., 3 * size :]
    after: Array = forget * cell + first * np.tanh(gates[..., 2 * size : 3 * size])
    return output * np.tanh(after), after


def _sigmoid(values: Array) -> Array:
    # Below -30, the exponential would be too large for a float.
    results: Array = np.maximum(values, np.float32(-30))
    np.exp(np.negative(results, out=results), out=results)
    results += 1
    return np.reciprocal(results, out=results)


def _softmax(values: Array) -> Array:
    shares: Array = values - values.max(axis=-1, keepdims=True)
    np.exp(shares, out=shares)
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares
