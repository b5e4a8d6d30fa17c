"""The pointer-generator network in torch: one LSTM reads both ways, one with attention writes and copies.

Imported by the function that trains, because importing torch takes long.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from factable.metrics.extraction.extractors import ValueExtractor
from factable.metrics.extraction.pointer import (
    CELL,
    END,
    MAX_LINE,
    ROW,
    SPECIAL,
    START,
    UNKNOWN,
    linearise_records,
    lowercase_tokens,
)
from factable.text.values import find_value
from factable.types import Example, Record, Table

# Tokens of fewer texts and tables are not in the vocabulary; a text's own tokens can be copied.
RAREST = 3
LONGEST_TEXT = 100
MAX_WORDS = 50_000
Numbers = NDArray[np.int64]


class Pair(NamedTuple):
    """A text and its table as tokens."""

    text: list[str]
    line: list[str]


class Batch(NamedTuple):
    """Pairs as numbers, padded; `copied` and `wanted` number tokens of a text that no vocabulary has, too."""

    text: Numbers
    copied: Numbers
    line: Numbers
    wanted: Numbers


def make_pairs(examples: Iterable[Example]) -> list[Pair]:
    """A pair for each reference (or text where there are none): what it says, in its own words and order."""
    pairs = []
    for example in examples:
        for text in example.references or (example.text,):
            tokens = lowercase_tokens(text)
            line = linearise_records(said_records(text, example.table))
            if tokens and len(tokens) <= LONGEST_TEXT and len(line) < MAX_LINE:
                pairs.append(Pair(tokens, line))
    return pairs


def said_records(text: str, table: Table) -> list[Record]:
    """The records whose value a text says, subject and value in its own words."""
    ((*found,),) = ValueExtractor().extract([(text, table)])
    return [
        record._replace(subject=_in_words(record.subject, text)) for record, _ in found if record.attribute
    ]


def _in_words(name: str, text: str) -> str:
    hits = find_value(name, text) if name else []
    return text[slice(*hits[0].span)] if hits else name


def make_vocabulary(pairs: Sequence[Pair]) -> list[str]:
    """All tokens that a network knows, special ones first, then separators, attributes and words."""
    often: Counter[str] = Counter()
    for pair in pairs:
        often.update({*pair.text, *pair.line})
    first = (*SPECIAL, CELL, ROW)
    return [
        *first,
        *sorted(
            token for token, times in often.most_common(MAX_WORDS) if times >= RAREST and token not in first
        ),
    ]


class Batches:
    """Pairs in batches of like lengths, in another order each time."""

    def __init__(self, pairs: Sequence[Pair], vocabulary: Sequence[str], size: int) -> None:
        self._pairs = sorted(pairs, key=lambda pair: (len(pair.line), len(pair.text)))
        self._number = {token: index for index, token in enumerate(vocabulary)}
        self._size = size

    def __len__(self) -> int:
        return -(-len(self._pairs) // self._size)

    def draw(self, random: np.random.Generator) -> Iterator[Batch]:
        """Every pair once."""
        for index in random.permutation(len(self)):
            yield self._make(self._pairs[index * self._size : (index + 1) * self._size])

    def _make(self, pairs: Sequence[Pair]) -> Batch:
        words = len(self._number)
        width, length = (max(len(pair[side]) for pair in pairs) for side in (0, 1))
        text, copied = (np.zeros((len(pairs), width), np.int64) for _ in range(2))
        line, wanted = (np.zeros((len(pairs), length + 1), np.int64) for _ in range(2))
        line[:, 0] = self._number[START]
        for row, pair in enumerate(pairs):
            own = dict.fromkeys(token for token in pair.text if token not in self._number)
            extended = {token: words + index for index, token in enumerate(own)}
            unknown = self._number[UNKNOWN]
            text[row, : len(pair.text)] = [self._number.get(token, unknown) for token in pair.text]
            copied[row, : len(pair.text)] = [self._number.get(t, extended.get(t, 0)) for t in pair.text]
            line[row, 1 : len(pair.line) + 1] = [self._number.get(token, unknown) for token in pair.line]
            answers = [self._number.get(token, extended.get(token, unknown)) for token in pair.line]
            wanted[row, : len(pair.line) + 1] = [*answers, self._number[END]]
        return Batch(text, copied, line, wanted)


class Network(nn.Module):  # type: ignore[misc, unused-ignore]
    """Says how improbable the lines of a batch are; the decoder is as wide as both ways of the encoder."""

    def __init__(self, words: int, *, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=0.1)
        self.encoder = nn.LSTM(width, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, 2 * hidden)
        self.decoder = nn.LSTM(width, 2 * hidden, batch_first=True)
        self.attention = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.output = nn.Linear(4 * hidden, width)
        self.words = nn.Parameter(torch.zeros(words))
        self.switch = nn.Linear(4 * hidden + width, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> Any:
        """The mean loss of a token."""
        text, copied, line, wanted = (torch.from_numpy(part) for part in batch)
        encoded, state = self._encode(text)
        inputs = self.embedding(line)
        decoded, _ = self.decoder(self.dropout(inputs), (state, torch.zeros_like(state)))
        scores = decoded @ self.attention(encoded).transpose(1, 2)
        attention = scores.masked_fill((text == 0)[:, None], -1e9).softmax(-1)
        both = torch.cat((decoded, attention @ encoded), -1)
        output = torch.tanh(self.output(self.dropout(both)))
        shares = (output @ self.embedding.weight.T + self.words).softmax(-1)
        generate = torch.sigmoid(self.switch(torch.cat((both, inputs), -1)))
        # A token is written from the vocabulary, or copied from wherever it stands in the text.
        words = len(self.words)
        known = wanted.clamp(max=words - 1)
        written = shares.gather(-1, known[..., None]) * (wanted < words)[..., None]
        stands = copied[:, None] == wanted[..., None]
        share = generate * written + (1 - generate) * (attention * stands).sum(-1, keepdim=True)
        lost = -torch.log(share[..., 0].clamp(min=1e-9))
        return lost[wanted != 0].mean()

    def _encode(self, text: Any) -> tuple[Any, Any]:
        """What is made of each token of the texts, and the first state of the decoder."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self.dropout(self.embedding(text)), (text != 0).sum(1), batch_first=True, enforce_sorted=False
        )
        encoded, (last, _) = self.encoder(packed)
        encoded, _ = nn.utils.rnn.pad_packed_sequence(encoded, batch_first=True)
        return encoded, torch.tanh(self.bridge(torch.cat((last[0], last[1]), 1)))[None]


def weights_of(network: Network) -> dict[str, NDArray[np.float16]]:
    """The weights under the names that the extractor uses; the two biases of an LSTM are one."""
    state = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    found = {name: state[name] for name in ("words",)}
    found |= {name: state[f"{name}.weight"] for name in ("embedding", "attention")}
    for layer in ("bridge", "output", "switch"):
        found |= {f"{layer}.{part}": state[f"{layer}.{part}"] for part in ("weight", "bias")}
    for name, layer, suffix in (
        ("forth", "encoder", "l0"),
        ("back", "encoder", "l0_reverse"),
        ("decoder", "decoder", "l0"),
    ):
        found[f"{name}.input"] = state[f"{layer}.weight_ih_{suffix}"]
        found[f"{name}.hidden"] = state[f"{layer}.weight_hh_{suffix}"]
        found[f"{name}.bias"] = state[f"{layer}.bias_ih_{suffix}"] + state[f"{layer}.bias_hh_{suffix}"]
    return {name: np.ascontiguousarray(value, dtype=np.float16) for name, value in found.items()}
