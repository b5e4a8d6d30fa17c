"""PARENT: precision and recall of n-grams that the table entails.

Dhingra, Faruqui, Parikh, Chang, Das and Cohen: Handling Divergent Reference Texts when Evaluating
Table-to-Text Generation. ACL 2019.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from factable.core.metric import REFERENCES, TABLE, Metric, metric, param
from factable.core.results import VALUE, Analysis, Findings
from factable.errors import UsageError
from factable.kernels import score_parent
from factable.kernels.parent import (
    EMPTY_VALUE,
    MIXED_RECORDS,
    NO_RECORDS,
    NO_REFERENCES,
    PARTS,
    ParentOptions,
    table_entailment,
)
from factable.kernels.sequences import common_indices
from factable.kernels.tokens import TOKENIZERS, is_word, token_spans, tokenize
from factable.metrics.references import MAX_ORDERS, Spans, runs_without
from factable.types import Example, Finding, Record

if TYPE_CHECKING:
    from factable.metrics.parent.counts import Counts

ENTAILMENTS = ("overlap", "cooccurrence", "none")
# The tokenizer of the paper's definition and of each program that `compat` reproduces; "" is our own default.
TOKENS_OF = {"": "words", "paper": "words", "google": "whitespace", "kaiju": "whitespace-cased"}
PROGRAMS = ("google", "kaiju")
REASONS = {
    NO_REFERENCES: "no references",
    NO_RECORDS: "no records in its data",
    EMPTY_VALUE: "an empty value, on which the original program stops",
    MIXED_RECORDS: "records with and without a subject, on which the original program stops",
}
# A record counts as mentioned if the text has more than half of its value's words, in order.
MENTIONED = 0.5
# A word is without support if the table entails it with less than this.
SUPPORTED = 0.5


@metric
class Parent(Metric):
    """Precision and recall of n-grams that the table entails (Dhingra et al. 2019)."""

    name = "parent"
    needs = TABLE | REFERENCES
    parts = PARTS[1:]

    entailment: str = param(
        "overlap",
        'how the table entails an n-gram: "overlap" of words (PARENT-W), "cooccurrence" counts (PARENT-C) or '
        '"none" (not at all)',
        choices=ENTAILMENTS,
    )
    counts: str = param("", 'for "cooccurrence": a file made by `factable train counts`', file=True)
    mix: float | str = param(
        "auto",
        "lambda, the weight of table recall; auto: the paper's heuristic",
        choices=("auto",),
        range=(0.0, 1.0),
    )
    orders: int = param(4, "the longest n-grams counted", range=(1, MAX_ORDERS))
    smoothing: float = param(
        1e-5, "stands in for zero precision and recall of longer n-grams", range=(0.0, 1.0)
    )
    tokens: str = param(
        "",
        "the tokenizer; follows from compat if not given",
        choices=TOKENIZERS,
        follows=("compat", TOKENS_OF),
    )
    compat: str = param(
        "",
        '"paper": as the paper defines it, attribute names among the words of the table and `smoothing` for '
        'every zero; "google" or "kaiju" reproduce those programs, quirks included',
        choices=TOKENS_OF,
    )

    def check(self) -> None:
        """Co-occurrence and its counts go together."""
        if (self.entailment == "cooccurrence") != bool(self.counts):
            raise UsageError(
                'parent: entailment="cooccurrence" and counts="FILE" go together; '
                "make the file with: factable train counts TRAIN.jsonl FILE"
            )

    def checksums(self) -> Mapping[str, str]:
        """The checksum of the counts file."""
        if not self.counts:
            return {}
        from factable.metrics.parent.counts import counts_checksum

        return {"counts": counts_checksum(self.counts)}

    def analyse(self, examples: Sequence[Example], state: None = None) -> Analysis:
        """F, precision and recall; records mentioned or not, and words that nothing supports."""
        options = self._options()
        counts = self._load_counts()
        columns, codes = score_parent(examples, options, counts)
        reasons = {index: REASONS[code] for index, code in enumerate(codes) if code}
        values = columns.pop(VALUE)
        return Analysis(
            values, columns, reasons, find=lambda: [_find(example, options, counts) for example in examples]
        )

    def _load_counts(self) -> "Counts | None":
        if not self.counts:
            return None
        from factable.metrics.parent.counts import load_counts

        return load_counts(self.counts)

    def _options(self) -> ParentOptions:
        return ParentOptions(
            tokenizer=self.tokens,
            entailment=self.entailment,
            mix=None if isinstance(self.mix, str) else self.mix,
            orders=self.orders,
            smoothing=self.smoothing,
            strict=self.compat in PROGRAMS,
            separate_best=self.compat == "kaiju",
            paper=self.compat == "paper",
        )


def _find(example: Example, options: ParentOptions, counts: "Counts | None") -> Findings:
    """The records in order, then the words without support in order."""
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
    example: Example, words: Spans, options: ParentOptions, counts: "Counts | None"
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
