"""What is behind a PARENT value: mentioned and missing records, words without support."""

from itertools import groupby

from factable.kernels.parent import Counts, Options, table_entailment
from factable.kernels.tokens import token_spans, tokenize
from factable.types import Example, Finding, Record

# A record counts as mentioned if the text has more than half of its value's words, in order.
MENTIONED = 0.5
# A word is without support if the table entails it with less than this.
SUPPORTED = 0.5

Spans = list[tuple[str, int, int]]


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
    if spoken := list(filter(_is_word, wanted)):
        wanted = spoken
        words = [word for word in words if _is_word(word[0])]
    places = _common_places(wanted, [word for word, _, _ in words])
    share = len(places) / len(wanted)
    note = f"{len(places)} of {len(wanted)} words of the value"
    if share <= MENTIONED:
        return Finding("omitted", index, score=share, note=note)
    return Finding("supported", index, (words[places[0]][1], words[places[-1]][2]), share, note)


def _is_word(token: str) -> bool:
    return any(map(str.isalnum, token))


def _common_places(wanted: list[str], words: list[str]) -> list[int]:
    """Where in `words` one longest common subsequence stands."""
    lengths = [[0] * (len(words) + 1) for _ in range(len(wanted) + 1)]
    for row, left in enumerate(wanted, 1):
        for column, right in enumerate(words, 1):
            if left == right:
                lengths[row][column] = lengths[row - 1][column - 1] + 1
            else:
                lengths[row][column] = max(lengths[row - 1][column], lengths[row][column - 1])
    places: list[int] = []
    row, column = len(wanted), len(words)
    while row and column:
        if wanted[row - 1] == words[column - 1]:
            row, column = row - 1, column - 1
            places.append(column)
        elif lengths[row - 1][column] >= lengths[row][column - 1]:
            row -= 1
        else:
            column -= 1
    return places[::-1]


def _find_unsupported(
    example: Example, words: Spans, options: Options, counts: Counts | None
) -> list[Finding]:
    """Runs of words that neither the table entails nor any reference has; punctuation is no claim."""
    entails = table_entailment(example, options, counts)
    referred = {word for reference in example.references for word in tokenize(reference, options.tokenizer)}
    claims = [word for word in words if _is_word(word[0])]
    runs = groupby(claims, key=lambda word: word[0] in referred or entails((word[0],)) >= SUPPORTED)
    findings = []
    for supported, group in runs:
        if not supported:
            run = list(group)
            score = max(entails((word,)) for word, _, _ in run)
            span = (run[0][1], run[-1][2])
            findings.append(Finding("unsupported", None, span, score, "in neither data nor references"))
    return findings
