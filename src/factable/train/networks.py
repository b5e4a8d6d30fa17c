"""The networks in torch: an encoder with a head, and a pointer-generator.

Imported by the functions that train, because importing torch takes long.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

DROPOUT = 0.1


class EncoderModel(nn.Module):  # type: ignore[misc, unused-ignore]
    """An encoder whose states, or their mean, go through a linear layer (none if `outputs` is 0)."""

    def __init__(self, encoder: nn.Module, *, outputs: int, mean: bool, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.encoder = encoder
        self.mean = mean
        self.dropout = nn.Dropout(DROPOUT)
        self.head = nn.Linear(encoder.config.hidden_size, outputs) if outputs else None

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any = None) -> Any:
        """A row of outputs per text, or per token if states are not averaged."""
        states = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        if self.mean:
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            states = (states * mask).sum(1) / mask.sum(1)
        return states if self.head is None else self.head(self.dropout(states))


class PointerBatch(NamedTuple):
    """Texts and the lines to write as numbers, padded with 0.

    `source` and `target` also number tokens of a text that are not in the vocabulary, so that they can be
    copied.
    """

    text: torch.Tensor
    source: torch.Tensor
    line: torch.Tensor
    target: torch.Tensor


class PointerNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """A bidirectional LSTM reads a text; an LSTM with attention writes a line, or copies from the text.

    The decoder is as wide as both directions of the encoder together. Dropout is applied to embeddings and
    before the output or, as in the paper on PARENT, to the outputs of both LSTMs only.
    """

    def __init__(
        self, words: int, *, width: int, hidden: int, dropout: float, only_outputs: bool = False
    ) -> None:
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
        self._drop_inputs = nn.Identity() if only_outputs else self.dropout
        self._drop_outputs = self.dropout if only_outputs else nn.Identity()

    def forward(self, batch: PointerBatch) -> Any:
        """The mean loss per token."""
        encoded, state = self._encode(batch.text)
        inputs = self.embedding(batch.line)
        decoded, _ = self.decoder(self._drop_inputs(inputs), (state, torch.zeros_like(state)))
        decoded = self._drop_outputs(decoded)
        scores = decoded @ self.attention(encoded).transpose(1, 2)
        attention = scores.masked_fill((batch.text == 0)[:, None], -1e9).softmax(-1)
        combined = torch.cat((decoded, attention @ encoded), -1)
        output = torch.tanh(self.output(self._drop_inputs(combined)))
        probabilities = (output @ self.embedding.weight.T + self.words).softmax(-1)
        generate = torch.sigmoid(self.switch(torch.cat((combined, inputs), -1)))
        # A token is written from the vocabulary, or copied from wherever it is in the text.
        words, target = len(self.words), batch.target
        known = target.clamp(max=words - 1)
        written = probabilities.gather(-1, known[..., None]) * (target < words)[..., None]
        is_source = batch.source[:, None] == target[..., None]
        copied = (attention * is_source).sum(-1, keepdim=True)
        probability = generate * written + (1 - generate) * copied
        losses = -torch.log(probability[..., 0].clamp(min=1e-9))
        return losses[target != 0].mean()

    def _encode(self, text: Any) -> tuple[Any, Any]:
        """The encoder's states of each token, and the first state of the decoder."""
        packed = nn.utils.rnn.pack_padded_sequence(
            self._drop_inputs(self.embedding(text)),
            (text != 0).sum(1),
            batch_first=True,
            enforce_sorted=False,
        )
        encoded, (last, _) = self.encoder(packed)
        encoded, _ = nn.utils.rnn.pad_packed_sequence(encoded, batch_first=True)
        encoded = self._drop_outputs(encoded)
        return encoded, torch.tanh(self.bridge(torch.cat((last[0], last[1]), 1)))[None]

    def weights(self) -> dict[str, NDArray[np.float16]]:
        """The weights under the names that the extractor uses; the two biases of an LSTM become one."""
        state = {name: value.detach().numpy() for name, value in self.state_dict().items()}
        weights = {"words": state["words"]}
        weights |= {name: state[f"{name}.weight"] for name in ("embedding", "attention")}
        for layer in ("bridge", "output", "switch"):
            weights |= {f"{layer}.{part}": state[f"{layer}.{part}"] for part in ("weight", "bias")}
        for name, layer, suffix in (
            ("forth", "encoder", "l0"),
            ("back", "encoder", "l0_reverse"),
            ("decoder", "decoder", "l0"),
        ):
            weights[f"{name}.input"] = state[f"{layer}.weight_ih_{suffix}"]
            weights[f"{name}.hidden"] = state[f"{layer}.weight_hh_{suffix}"]
            weights[f"{name}.bias"] = state[f"{layer}.bias_ih_{suffix}"] + state[f"{layer}.bias_hh_{suffix}"]
        return {name: np.ascontiguousarray(value, dtype=np.float16) for name, value in weights.items()}
