"""A T5 of a few thousand random numbers, with a tokenizer that knows the words of some texts."""


def make_t5_folder(folder, texts, *, seed=0, size=32, dropout=0.1, varied=True):
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

    marks = ["<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    words = sorted({word for text in texts for word in text.split()} | {"unanswerable"})
    tokenizer.train_from_iterator(words, trainers.WordLevelTrainer(special_tokens=marks, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", marks.index("</s>"))]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=128,
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    config = T5Config(
        vocab_size=tokenizer.get_vocab_size(),
        d_model=size,
        d_kv=size // 4,
        d_ff=2 * size,
        num_layers=1,
        num_heads=4,
        dropout_rate=dropout,
        decoder_start_token_id=0,
    )
    model = T5ForConditionalGeneration(config)
    if varied:
        # Without training a model repeats the last token, and so the first one, unless that is nothing.
        model.shared.weight.data[0] = 0
    model.save_pretrained(folder)
    return folder
