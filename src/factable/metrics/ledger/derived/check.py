"""Which statements of a text are computed from the data, and whether they are right."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from factable.metrics.ledger.derived.amounts import check_amounts
from factable.metrics.ledger.derived.arithmetic import (
    check_arithmetic,
    check_stated_change,
    check_written_sums,
)
from factable.metrics.ledger.derived.asking import SUPERLATIVE
from factable.metrics.ledger.derived.clauses import Clause, Derived, known_words
from factable.metrics.ledger.derived.columns import rows_of
from factable.metrics.ledger.derived.comparisons import check_comparisons
from factable.metrics.ledger.derived.counts import check_counts
from factable.metrics.ledger.derived.directions import check_directions
from factable.metrics.ledger.derived.exchanges import check_exchanges
from factable.metrics.ledger.derived.limits import check_limits
from factable.metrics.ledger.derived.links import tokens_of
from factable.metrics.ledger.derived.opposites import check_opposites
from factable.metrics.ledger.derived.repeats import check_repeats
from factable.metrics.ledger.derived.scores import check_scores
from factable.metrics.ledger.derived.superlatives import check_superlatives
from factable.metrics.ledger.derived.times import check_times
from factable.metrics.ledger.derived.trends import TREND, check_trends
from factable.structure import Structure
from factable.text.patterns import lazy_pattern
from factable.text.values import Date, Mention, find_mentions
from factable.types import Span

_CHECKS: tuple[Callable[[Clause], Iterator[Derived]], ...] = (
    check_superlatives,
    check_comparisons,
    check_counts,
    check_amounts,
    check_trends,
    check_repeats,
    check_exchanges,
)
# Where one statement ends and another begins within a sentence.
_BOUNDARY = lazy_pattern(
    r"(?<=\d\s[a-z])\.\s+(?=[A-Z])|(?<=\d\s[a-z]{2})\.\s+(?=[A-Z])|"
    r";\s|,\sand\s(?=(?:the|it|they|there|its|their|this|these|all|none|no|both|every|each)\s)|"
    r",\sand\s(?=[A-Z][\w’'-]*\s(?:[A-Z][\w’'-]*\s){0,3}(?:is|are|was|were|will|has|have|had|would)\s)|"
    r",\sand\s(?=(?:two|three|four|five|six|seven|eight|nine|ten|\d[\d,.]*)\s\w+\s(?:\w+\s)?(?:is|are|was|were|has|have|had|\w+ed)\s)|"
    r"\s[—–]\s|,?\s(?:while|whereas|although|though)\s|,\sbut\s|,\sfollowed by\s|"
    r",\s(?=(?:mainly|mostly|largely|partly|due|because|thanks|driven|led)\b)|"
    r",\s(?=(?:indicating|showcasing|demonstrating|suggesting|highlighting|making|reflecting|showing|"
    r"as indicated|underlining|emphasi[sz]ing|illustrating|which (?:indicates|shows|suggests|highlights))\b)"
)
_MAX_WORDS = 80


def derived_statements(structure: Structure, text: str, sentence_spans: Sequence[Span]) -> list[Derived]:
    """The statements of a text that the data allows to compute, in order."""
    mentions = sorted(enumerate(find_mentions(text)), key=lambda pair: pair[1].end)
    ends = [mention.end for _, mention in mentions]
    sets = rows_of(structure)
    known = [known_words(structure, rows) for rows in sets]
    found: list[Derived] = []
    for sentence in sentence_spans:
        # A date may begin before its sentence: "-1 °C. January 5" looks like "c. January 5".
        inside = [
            m._replace(start=max(m.start, sentence[0]))
            for _, m in sorted(mentions[bisect_right(ends, sentence[0]) : bisect_right(ends, sentence[1])])
            if m.start >= sentence[0] or isinstance(m.value, Date)
        ]
        for span in _clauses(text, sentence):
            candidates: list[Derived] = []
            found += check_limits(structure, text, span)
            tokens = tuple(tokens_of(text, *span))
            if not 1 < len(tokens) <= _MAX_WORDS or not _asks(text[slice(*span)], inside):
                continue
            numbers = tuple(m for m in inside if span[0] <= m.start and m.end <= span[1])
            named = [rows for rows in sets if any(token.stem in rows.nouns for token in tokens)]
            for rows, words in zip(sets, known, strict=True):
                if rows.subject and rows.subject.lower() not in text[slice(*sentence)].lower():
                    continue
                clause = Clause(structure, rows, text, span, tokens, numbers, words)
                # What is said of "the divisions" is wrong only if it is wrong of them.
                is_of_others = bool(named) and rows not in named and not clause.links
                for check in _CHECKS:
                    candidates += [
                        one for one in check(clause) if one.state == "supported" or not is_of_others
                    ]
            found += _agreed(candidates)
        found += check_written_sums(text, sentence)
        found += check_stated_change(structure, text, sentence, inside)
        known_spans = {one.span_of_number for one in found}
        found += [
            one
            for one in check_arithmetic(structure, text, sentence, inside)
            if one.span_of_number not in known_spans
        ]
        for one in check_directions(structure, text, sentence, inside):
            # "Rose from 90 to 80" is wrong, even if 80 was first.
            found = [*(other for other in found if other.span != one.span), one]
        found += check_opposites(structure, text, sentence, inside)
        found += check_times(structure, text, sentence, inside)
        found += check_scores(structure, text, sentence)
    return sorted(found, key=lambda one: one.span)


def _clauses(text: str, sentence: Span) -> Iterator[Span]:
    start = sentence[0]
    for boundary in _BOUNDARY.finditer(text, *sentence):
        yield start, boundary.start()
        start = boundary.end()
    yield start, sentence[1]


_ASKING = lazy_pattern(
    r"\b(?:all|every|each|no|none|only|both|sole|total\w*|sum|combined|altogether|together|overall|average\w*|mean|"
    r"rang\w+|var(?:y|ies|ied|ying)|between|span\w*|fluctuat\w+|twice|double|triple|half|times|there|different|"
    r"distinct|unique|peak\w*|bottomed|than|just|ahead|behind|above|below|exceeds|surpasses|outperforms|leads|tops|"
    r"trails|beats|ranks?|ranked|comes?|came|placed|finished|best|strongest|weakest|worst|poorest|hit|reached)\b"
)


def _asks(words: str, mentions: Sequence[Mention]) -> bool:
    """Whether any word asks for an operation, or a number can be a count."""
    return bool(mentions) or any(pattern.search(words.lower()) for pattern in (_ASKING, SUPERLATIVE, TREND))


def _agreed(candidates: Sequence[Derived]) -> list[Derived]:
    """One statement for the same words: what supports them wins over what contradicts them."""
    kept: list[Derived] = []
    for one in sorted(candidates, key=lambda one: one.state != "supported"):
        if not any(_same_words(one, other) for other in kept):
            kept.append(one)
    return kept


def _same_words(one: Derived, other: Derived) -> bool:
    if one.span_of_number is not None and other.span_of_number is not None:
        return one.span_of_number == other.span_of_number
    return one.span[0] < other.span[1] and other.span[0] < one.span[1]
