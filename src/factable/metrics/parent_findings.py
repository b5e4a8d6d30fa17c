"""What is behind a PARENT value: mentioned and missing records, words without support."""

from factable.kernels.parent import Counts, Options, table_entailment
from factable.kernels.sequences import common_places
from factable.kernels.tokens import is_word, token_spans, tokenize
from factable.metrics.spans import Spans, runs_without
from factable.types import Example, Finding, Record

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
    places = [place for _, place in common_places(wanted, [word for word, _, _ in words])]
    share = len(places) / len(wanted)
    note = f"{len(places)} of {len(wanted)} words of the value"
    if share <= MENTIONED:
        return Finding("omitted", index, score=share, note=note)
    return Finding("supported", index, (words[places[0]][1], words[places[-1]][2]), share, note)


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
