"""PARENT: precision and recall of n-grams that the table entails.

Dhingra, Faruqui, Parikh, Chang, Das and Cohen: Handling Divergent Reference Texts when Evaluating
Table-to-Text Generation. ACL 2019.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from factable.core.metric import Field, make_scores
from factable.core.params import is_number, require, require_choice, require_whole
from factable.errors import UsageError
from factable.kernels import score_parent
from factable.kernels.parent import (
    EMPTY_VALUE,
    MIXED_RECORDS,
    NO_RECORDS,
    NO_REFERENCES,
    PARTS,
    Options,
    table_entailment,
)
from factable.kernels.sequences import common_indices
from factable.kernels.tokens import TOKENIZERS, is_word, token_spans, tokenize
from factable.metrics.parent.counts import Counts, counts_checksum, load_counts
from factable.metrics.references import Spans, runs_without
from factable.types import Example, Finding, Record, Scores

# A record counts as mentioned if the text has more than half of its value's words, in order.
MENTIONED = 0.5
# A word is without support if the table entails it with less than this.
SUPPORTED = 0.5


def explain_example(example: Example, options: Options, counts: Counts | None) -> tuple[Finding, ...]:
    """Findings of one example: its records in order, then the words without support in order."""
    words = token_spans(example.text, options.tokenizer)
    about_records = [
        _find_record(index, record, words, options.tokenizer)
        for index, record in enumerate(example.table.records)
    ]
    return (*about_records, *_find_unsupported(example, words, options, counts))


def _find_record(index: int, record: Record, words: Spans, tokenizer: str) -> Finding:
    # PARENT's table recall counts the subject and punctuation too, but a text that only has those does not
    # state the fact, and a full stop far away is no part of it.
    wanted = tokenize(record.value, tokenizer)
    if not wanted:
        return Finding("supported", index, score=1.0, note="an empty value has nothing to mention")
    if spoken := list(filter(is_word, wanted)):
        wanted = spoken
        words = [word for word in words if is_word(word[0])]
    indices = [position for _, position in common_indices(wanted, [word for word, _, _ in words])]
    share = len(indices) / len(wanted)
    note = f"{len(indices)} of {len(wanted)} words of the value"
    if share <= MENTIONED:
        return Finding("omitted", index, score=share, note=note)
    return Finding("supported", index, (words[indices[0]][1], words[indices[-1]][2]), share, note)


def _find_unsupported(
    example: Example, words: Spans, options: Options, counts: Counts | None
) -> list[Finding]:
    """Runs of words that neither the table entails nor any reference has; punctuation is no claim."""
    entails = table_entailment(example, options, counts)
    referred = {word for reference in example.references for word in tokenize(reference, options.tokenizer)}
    runs = runs_without(words, lambda word: word in referred or entails((word,)) >= SUPPORTED)
    return [
        Finding(
            "unsupported",
            None,
            (run[0][1], run[-1][2]),
            max(entails((word,)) for word, _, _ in run),
            "in neither data nor references",
        )
        for run in runs
    ]


ENTAILMENTS = ("overlap", "cooccurrence", "none")
# The tokeniser of each program that `compat` reproduces; "" is factable's own default.
TOKENS_OF = {"": "words", "google": "whitespace", "kaiju": "whitespace-cased"}
MAX_ORDERS = 20
REASONS = {
    NO_REFERENCES: "no references",
    NO_RECORDS: "no records in its data",
    EMPTY_VALUE: "an empty value, on which the original program stops",
    MIXED_RECORDS: "records with and without a subject, on which the original program stops",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """Precision and recall of n-grams that the table entails (Dhingra et al. 2019).

    entailment  how the table entails an n-gram: "overlap" (PARENT-W), "cooccurrence" (PARENT-C) or "none"
    counts      for "cooccurrence": a file made by `factable train counts`
    mix         lambda, the weight of table recall: 0 to 1, or "auto" for the paper's heuristic
    orders      the longest n-grams counted
    smoothing   stands in for zero precision and recall of longer n-grams
    tokens      the tokeniser: "words", "whitespace" or "whitespace-cased"; follows from compat if not given
    compat      "google" or "kaiju" reproduce those programs, quirks included
    """

    name: ClassVar[str] = "parent"
    version: ClassVar[int] = 1
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[frozenset[Field]] = frozenset({"table", "references"})
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = PARTS[1:]
    shard_by: ClassVar[Literal["example", "item", "corpus"]] = "example"

    entailment: str = "overlap"
    counts: str = ""
    mix: float | str = "auto"
    orders: int = 4
    smoothing: float = 1e-5
    tokens: str = ""
    compat: str = ""

    def __post_init__(self) -> None:
        """Check every parameter."""
        require_choice(self, "entailment", ENTAILMENTS)
        require_choice(self, "compat", TOKENS_OF)
        if self.tokens == "":
            object.__setattr__(self, "tokens", TOKENS_OF[self.compat])
        require_choice(self, "tokens", TOKENIZERS)
        mixes = self.mix == "auto" or is_number(self.mix, 0, 1)
        require(self, "mix", mixes, '"auto" or a number from 0 to 1')
        if not isinstance(self.mix, str):
            # One spec and one signature for 1 and 1.0.
            object.__setattr__(self, "mix", float(self.mix))
        require_whole(self, "orders", 1, MAX_ORDERS)
        require(self, "smoothing", is_number(self.smoothing, 0, 1), "a number from 0 to 1")
        require(self, "counts", isinstance(self.counts, str), "a file name")
        if (self.entailment == "cooccurrence") != bool(self.counts):
            raise UsageError(
                'parent: entailment="cooccurrence" and counts="FILE" go together; '
                "make the file with: factable train counts TRAIN.jsonl FILE"
            )

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the counts file."""
        return {"counts": counts_checksum(self.counts)} if self.counts else {}

    def score(self, examples: Sequence[Example]) -> Scores:
        """F per example, with precision and recall; examples without records or references are unscored."""
        columns, codes = score_parent(examples, self._options(), self._counts())
        values = columns.pop("value")
        reasons = {index: REASONS[code] for index, code in enumerate(codes) if code} if any(codes) else {}
        return make_scores(self, examples, values, columns, reasons)

    def explain(self, examples: Sequence[Example]) -> tuple[tuple[Finding, ...], ...]:
        """Which records the text mentions, and which words neither table nor references support."""
        return tuple(explain_example(example, self._options(), self._counts()) for example in examples)

    def _counts(self) -> Counts | None:
        return load_counts(self.counts) if self.counts else None

    def _options(self) -> Options:
        return Options(
            tokenizer=self.tokens,
            entailment=self.entailment,
            mix=None if isinstance(self.mix, str) else float(self.mix),
            orders=self.orders,
            smoothing=self.smoothing,
            strict=self.compat != "",
            separate_best=self.compat == "kaiju",
        )
