"""What is used of sacrebleu: its tokenisers and its signatures."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from factable.kernels import separate
from factable.kernels.mteval import clean

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as SacrebleuMetric

# Those of sacrebleu that need no download and no further package.
TOKENIZERS = ("13a", "intl", "char", "zh", "none")


@cache
def reader(tokens: str, lowercase: bool) -> Callable[[str], str]:
    """A function that tokenises a text as sacrebleu's BLEU does: words with white space between them."""
    tokenize = tokenize_13a if tokens == "13a" else _tokenizer(tokens)
    if lowercase:
        return lambda text: tokenize(text.lower().rstrip())
    return lambda text: tokenize(text.rstrip())


def tokenize_13a(text: str) -> str:
    """What sacrebleu's 13a gives, compiled: its own takes most of the time of BLEU."""
    return separate(clean(text)).strip()


def _tokenizer(tokens: str) -> Callable[[str], str]:
    from sacrebleu.metrics.bleu import BLEU

    # One tokeniser for the whole process: it remembers what it tokenised, and references come again.
    tokenize: Callable[[str], str] = BLEU(tokenize=tokens).tokenizer
    return tokenize


def signature_pieces(metric: "SacrebleuMetric") -> list[str]:
    """The pieces of sacrebleu's own signature; the number of references varies."""
    metric.num_refs = -1
    pieces = str(metric.get_signature()).split("|")
    return [f"sacrebleu:{pieces[0]}", *pieces[1:]]
