"""A trained T5 as two graphs of int8 ONNX: an encoder, and a decoder that takes one step at a time."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from factable.models.runtime.manifest import DECODER, ENCODER, SEQ2SEQ
from factable.train.export import describe_model, write_onnx

if TYPE_CHECKING:
    import torch

# The second layer of each feed-forward network: its inputs are too uneven for eight bits.
PRECISE = r"/wo(_\d+)?/MatMul"
# Of the examples with which the graphs are traced; any other number works as well.
TOKENS_READ, TOKENS_WRITTEN = 16, 3


def export_t5(model: Any, tokenizer: Any, folder: Path, *, about: str) -> None:
    """Write the folder of a T5ForConditionalGeneration, all but its card."""
    import torch

    folder.mkdir(parents=True, exist_ok=True)
    config = model.config
    shape = config.num_decoder_layers, 2, config.num_heads
    with torch.no_grad():
        write_onnx(
            _encoder(model),
            {"input_ids": torch.ones((1, TOKENS_READ), dtype=torch.int64)},
            folder / ENCODER,
            outputs=["attended"],
            precise=PRECISE,
            axes={"input_ids": {1: "read"}, "attended": {3: "read"}},
        )
        write_onnx(
            _decoder(model),
            {
                "token": torch.ones((1, 1), dtype=torch.int64),
                "kept": torch.ones((*shape, TOKENS_WRITTEN, config.d_kv)),
                "attended": torch.ones((*shape, TOKENS_READ, config.d_kv)),
            },
            folder / DECODER,
            outputs=["scores", "kept_now"],
            precise=PRECISE,
            axes={"kept": {3: "written"}, "attended": {3: "read"}, "kept_now": {3: "written_now"}},
        )
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    describe_model(folder, kind=SEQ2SEQ, about=about)


def _encoder(model: Any) -> "torch.nn.Module":
    """From the tokens of one text to the keys and values for each layer of the decoder."""
    import torch

    class Encoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any) -> Any:
            read = self.model.encoder(input_ids=input_ids).last_hidden_state
            layers = [block.layer[1].EncDecAttention for block in self.model.decoder.block]
            return torch.stack(
                [
                    torch.stack([_split_heads(part(read), layer) for part in (layer.k, layer.v)])
                    for layer in layers
                ]
            )

    return Encoder()


def _decoder(model: Any) -> "torch.nn.Module":
    """From a token, the keys and values of those before and those of the text to scores of the next token."""
    import torch

    class Decoder(torch.nn.Module):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, token: Any, kept: Any, attended: Any) -> Any:
            stack = self.model.decoder
            hidden = self.model.shared(token)
            positions = _position_bias(stack.block[0].layer[0].SelfAttention, kept.shape[3])
            kept_now = []
            for number, block in enumerate(stack.block):
                own, other, forward = block.layer
                attention, states = own.SelfAttention, own.layer_norm(hidden)
                keys, values = (
                    torch.cat([before, _split_heads(part(states), attention)], 1)
                    for before, part in zip(kept[number], (attention.k, attention.v), strict=True)
                )
                hidden = hidden + _attend(attention, states, keys, values, positions)
                kept_now.append(torch.stack([keys, values]))
                states = other.layer_norm(hidden)
                hidden = hidden + _attend(other.EncDecAttention, states, *attended[number])
                hidden = forward(hidden)
            hidden = stack.final_layer_norm(hidden)
            # The first T5, whose output weights are its embeddings, scales what it multiplies by them.
            if getattr(self.model.config, "scale_decoder_outputs", self.model.config.tie_word_embeddings):
                hidden = hidden * self.model.model_dim**-0.5
            return self.model.lm_head(hidden)[0, 0], torch.stack(kept_now)

    return Decoder()


def _split_heads(states: Any, attention: Any) -> Any:
    """From (1, tokens, width) to (heads, tokens, width of a head)."""
    return states.view(-1, attention.n_heads, attention.key_value_proj_dim).transpose(0, 1)


def _attend(attention: Any, states: Any, keys: Any, values: Any, bias: Any = 0.0) -> Any:
    """What one token gets from others; T5 does not scale the products."""
    weights = (_split_heads(attention.q(states), attention) @ keys.transpose(1, 2) + bias).softmax(-1)
    return attention.o((weights @ values).transpose(0, 1).reshape(1, 1, -1))


def _position_bias(attention: Any, before: Any) -> Any:
    """How much the token after `before` others attends to each of them and to itself, by distance."""
    import torch

    distances = torch.arange(before + 1) - before
    buckets = attention._relative_position_bucket(
        distances,
        bidirectional=False,
        num_buckets=attention.relative_attention_num_buckets,
        max_distance=attention.relative_attention_max_distance,
    )
    return attention.relative_attention_bias(buckets).transpose(0, 1).unsqueeze(1)
