"""Language models of a few thousand random numbers, which read any text."""

MARK = "<|endoftext|>"
WINDOW = 64


def make_gpt2(folder, *, beginnings=True):
    """A GPT-2 with a tokenizer of single bytes, in which a word of many x is a few tokens."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    runs = ["x" * 2**power for power in range(8)]
    pieces = [MARK, *sorted(pre_tokenizers.ByteLevel.alphabet()), *runs[1:]]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[(run, run) for run in runs[:-1]]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    marks = {"bos_token": MARK, "eos_token": MARK} if beginnings else {"eos_token": MARK}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=WINDOW, **marks).save_pretrained(
        folder
    )
    torch.manual_seed(0)
    config = GPT2Config(
        vocab_size=len(vocabulary),
        n_positions=WINDOW,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=0,
        eos_token_id=0,
        # Larger than usual, so that tokens are not all as likely.
        initializer_range=0.5,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return str(folder)
