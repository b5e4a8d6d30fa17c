"""An encoder of a few thousand numbers, to train in seconds."""

import string


def make_tiny_encoder(folder):
    """Write config, random weights and a tokenizer that knows letters and a few words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    letters = [*string.ascii_lowercase, *string.digits, *".,;|-'"]
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        *letters,
        *(f"##{letter}" for letter in letters),
        "the",
        "is",
        "of",
    ]
    tokenizer = Tokenizer(
        models.WordPiece({word: index for index, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder, safe_serialization=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
