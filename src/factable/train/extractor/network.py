"""The pointer-generator network in torch: one LSTM reads both ways, one with attention writes and copies.

Imported by the function that trains, because importing torch takes long.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from factable.train.extractor.corpus import Batch


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
