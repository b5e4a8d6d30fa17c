"""Equal to the package bert_score 0.3.13 on the same models: small ones with random weights, made here."""

import sys
from dataclasses import replace
from itertools import product

import pytest

from factable.metrics.bertscore import Bertscore
from factable.models.token_encoder import BEST_LAYERS
from factable.types import Example, Table

pytestmark = pytest.mark.packages

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdef.", "##s", "ada", "was", "born", "in", "london", "paris"]
LAYERS = 3
TOLERANCE = 1e-5
EXAMPLES = [
    Example(str(number), "", text, Table(()), references)
    for number, (text, references) in enumerate(
        [
            ("ada was born in london .", ("ada was born in paris .", "in london was ada born")),
            ("ada was born in paris .", ("ada was born in paris .",)),
            ("a b c unknown", ("d e f", "a", "ada b cs", "a b c unknown words .")),
            ("", ("ada was born", "paris")),
            ("paris", ("", "london .")),
            ("London LONDON londons " * 40, ("london . " * 60, "a")),
            ("  ada \n was born ", ("ada was born",)),
        ]
    )
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordPiece({word: at for at, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=64,
        # Larger than usual, so that tokens differ.
        initializer_range=0.5,
    )
    marks = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **marks)
    return save(tmp_path_factory.mktemp("bert"), BertModel, config, fast)


@pytest.fixture(scope="module")
def roberta(tmp_path_factory):
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizer

    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    letters = sorted("abcdefghijklmnopqrstuvwxyzLNOD.ĠĊ")
    pieces = [*marks, *letters, "ad", "ada", "Ġada", "Ġw", "Ġb"]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    merges = [("a", "d"), ("ad", "a"), ("Ġ", "ada"), ("Ġ", "w"), ("Ġ", "b")]
    tokenizer = RobertaTokenizer(vocab=vocabulary, merges=merges, model_max_length=64)
    config = RobertaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=LAYERS,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=66,
        initializer_range=0.5,
    )
    return save(tmp_path_factory.mktemp("roberta"), RobertaModel, config, tokenizer)


def save(folder, kind, config, tokenizer):
    import torch

    torch.manual_seed(0)
    kind(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    path = tmp_path_factory.mktemp("baseline") / "baseline.tsv"
    path.write_text("LAYER,P,R,F\n0,0.1,0.2,0.3\n1,0.2,0.3,0.25\n2,0.3,0.35,0.4\n3,0.5,0.4,0.45\n")
    return str(path)


@pytest.fixture
def package(monkeypatch):
    """The package's `score`; what two of its calls did before transformers 5 is given back here.

    It asks for a space before the first word, of which newer tokenizers take no notice when they are called,
    and for the tokens of an empty text by a method that is gone.
    """
    import bert_score
    from transformers import AutoTokenizer

    module = sys.modules["bert_score.score"]

    def load(model, _):
        tokenizer = AutoTokenizer.from_pretrained(model, add_prefix_space=True)
        tokenizer.build_inputs_with_special_tokens = lambda _: [
            tokenizer.cls_token_id,
            tokenizer.sep_token_id,
        ]
        return tokenizer

    monkeypatch.setattr(module, "get_tokenizer", load)

    def score(examples, model, **options):
        texts, references = [one.text for one in examples], [list(one.references) for one in examples]
        # One pair at a time: where texts are padded, the package lets no cosine be below 0.
        options = {"num_layers": LAYERS, "batch_size": 1, "device": "cpu", "nthreads": 0} | options
        return [
            column.tolist() for column in bert_score.score(texts, references, model_type=model, **options)
        ]

    return score


def ours(examples, model, **options):
    parts = Bertscore(**{"model": model, "compat": "bert_score"} | options).score(examples).parts
    return [list(parts[part]) for part in ("precision", "recall", "f")]


# Of pandas and torch, about an array that the package only reads.
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
@pytest.mark.parametrize(("layer", "idf", "rescaled"), [*product([1, LAYERS], [False, True], [False, True])])
def test_equal_to_the_package(package, bert, baseline, layer, idf, rescaled):
    theirs = {"rescale_with_baseline": True, "baseline_path": baseline, "lang": "en"} if rescaled else {}
    expected = package(EXAMPLES, bert, num_layers=layer, idf=idf, **theirs)
    options = {"idf": "references" if idf else "", "baseline": baseline if rescaled else ""}
    found = ours(EXAMPLES, bert, layer=layer, **options)
    for mine, other in zip(found, expected, strict=True):
        assert mine == pytest.approx(other, abs=TOLERANCE)
    # Otherwise anything would do.
    assert len({round(value, 3) for value in found[2]}) >= 5


def test_equal_to_the_package_where_tokens_begin_with_spaces(package, roberta):
    for options in ({}, {"idf": True}):
        expected = package(EXAMPLES, roberta, **options)
        found = ours(EXAMPLES, roberta, idf="references" if options else "")
        for mine, other in zip(found, expected, strict=True):
            assert mine == pytest.approx(other, abs=TOLERANCE)


def test_the_best_reference_is_one_reference(package, bert):
    """By default precision and recall are those of one reference; the package takes the best of any."""
    several = replace(EXAMPLES[2], references=("a b", "a b c unknown d e f a b c d e f", "b c unknown f f"))
    apart = [replace(several, references=(reference,)) for reference in several.references]
    alone = list(zip(*ours(apart, bert, compat=""), strict=True))
    ((precision,), (recall,), (f,)) = ours([several], bert, compat="")
    assert (precision, recall, f) == max(alone, key=lambda found: found[2])
    together = [max(column) for column in ours(apart, bert)]
    assert [column[0] for column in ours([several], bert)] == together
    assert [column[0] for column in package([several], bert)] == pytest.approx(together, abs=TOLERANCE)


def test_layers_that_are_known_to_be_good_are_those_of_the_package():
    from bert_score.utils import model2layers

    known = {name.rpartition("/")[2]: layer for name, layer in model2layers.items()}
    assert {name: known[name] for name in BEST_LAYERS} == BEST_LAYERS
