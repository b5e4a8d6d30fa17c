"""Spans of a text that can be answers (names, numbers, dates, noun phrases), and how answers are compared."""

import re
import string
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.text.values import (
    Boolean,
    Date,
    Number,
    Relation,
    find_mentions,
    find_value,
    parse_text,
    parse_value,
)
from factable.text.values.words import same_word, split_words
from factable.types import Record, Span

_WORD = lazy_pattern(r"[^\W_]+(?:[-'’./,&][^\W_]+)*")
# Words that are not part of a noun phrase, or begin one.
_OTHER_WORDS = """
a an the and or but nor so as at by for from in into near of off on onto out over than through to under until
up upon with within without after before between during since about around across along behind beside below
above against among like per via is are was were be been being has have had having do does did can could will
would shall should may might must who whom whose which that this these those where when while if because
although however also it its he his she her him they their them there here not no very most more less such own
same other each every both all any some several many too just only still then now one you we our us i my
serves serve served serving located located called named known known built born made found founded led run
owned based situated offers offer offering provides provide provided belongs belong includes include including
comes come came died works work worked plays play played won wins created written wrote published produced
releases released opened started began ended became become used uses using leads designed held stands stand
lies lie lived lives live married retired attended graduated spoken speaks contains contain consists
"""
_NO_NOUNS = frozenset(_OTHER_WORDS.split())
_BEGINNING = "a an the its his her their this these no some several many"
_DETERMINERS = frozenset(_BEGINNING.split())
# A capitalised word that does not begin a sentence; words in all capitals do not show how names are written.
_NAME = lazy_pattern(r"(?<![.!?]\s)(?<!\A)\b[A-Z][a-z]")
_MAX_WORDS = 6
_POSSESSIVE = ("'s", "’s")
# Between two words of a phrase: spaces, and a full stop only after an initial.
_JOINING = lazy_pattern(r"(?s:.*)(?<=\w)\s+|(?:.*\W)?\w{1,2} ?\.\s*")


def answer_spans(text: str) -> list[Span]:
    """Names, numbers, dates and noun phrases, in order, each once.

    In a text without capitalised names every run of possible nouns is a phrase; in others only those after a
    determiner.
    """
    values = {(mention.start, mention.end) for mention in find_mentions(text)}
    in_values = bytearray(len(text))
    for start, end in values:
        in_values[start:end] = b"\x01" * (end - start)
    has_names = bool(_NAME.search(text))
    runs = _noun_runs(text, in_values if has_names else bytearray(len(text)), need_determiner=has_names)
    phrases = [span for span in runs if _has_letter(text, span)]
    # A number inside a phrase, as in "1950 da", is not an answer of its own.
    alone = values if has_names else {span for span in values if not _inside(span, phrases)}
    return sorted({*alone, *phrases})


def _noun_runs(text: str, excluded: bytearray, *, need_determiner: bool) -> Iterator[Span]:
    """Runs of words that can be nouns, with only spaces between them."""
    start = end = -1
    count = 0
    after_determiner = False
    for word in _WORD.finditer(text):
        stop = word.end() - 2 if word[0].endswith(_POSSESSIVE) else word.end()
        apart = end >= 0 and not _JOINING.fullmatch(text, max(0, end - 3), word.start())
        other = word[0].lower() in _NO_NOUNS or excluded[word.start()]
        if start >= 0 and (apart or other or count == _MAX_WORDS):
            yield start, end
            start = -1
        if other:
            after_determiner = word[0].lower() in _DETERMINERS
            end = word.end()
            continue
        if start < 0 and (after_determiner or not need_determiner):
            start, count = word.start(), 0
        after_determiner = False
        count += 1
        end = stop
        if stop < word.end() and start >= 0:
            yield start, stop
            start, end = -1, word.end()
    if start >= 0:
        yield start, end


def _has_letter(text: str, span: Span) -> bool:
    return any(letter.isalpha() for letter in text[span[0] : span[1]])


def _inside(span: Span, spans: Sequence[Span]) -> bool:
    """Whether one of several spans, which are in order and do not overlap, contains a span."""
    index = bisect_right(spans, (span[0], sys.maxsize)) - 1
    return index >= 0 and span[1] <= spans[index][1]


def answers_beside(text: str, spans: Sequence[Span], facts: Mapping[int, Record]) -> list[Span]:
    """Answers in a text about these facts: their names as a whole, and no words of their attributes.

    Without capitals a name such as "American Journal of Mathematics" falls apart; and "the leader" is not a
    value but an attribute.
    """
    names = _names_of(text, facts)
    in_names = bytearray(len(text))
    for start, end in names:
        in_names[start:end] = b"\x01" * (end - start)
    others = [span for span in spans if not any(in_names[span[0] : span[1]])]
    attributes = {
        word.folded for record in facts.values() for word in split_words(split_identifier(record.attribute))
    }
    values = [span for span in others if not _all_alike(text[span[0] : span[1]], attributes)]
    return sorted({*names, *values})


def _names_of(text: str, facts: Mapping[int, Record]) -> set[Span]:
    """The spans of subjects and values; of two nested ones the longer."""
    parsed = parse_text(text)
    parts = {
        part
        for record in facts.values()
        for part in ((record.subject, ""), (record.value, record.attribute))
        # A yes or no is expressed by the words of its attribute.
        if part[0].strip() and not isinstance(parse_value(*part), Boolean)
    }
    hits = {
        hit.span
        for part in parts
        for hit in find_value(part[0], parsed, part[1])
        if hit.relation is Relation.EQUAL
    }
    longest: set[Span] = set()
    furthest = -1
    # A span is inside another if one before it in this order ends after it.
    for start, end in sorted(hits, key=lambda span: (span[0], -span[1])):
        if end > furthest:
            longest.add((start, end))
            furthest = end
    return longest


def _all_alike(text: str, words: set[str]) -> bool:
    return all(any(same_word(word.folded, other) for other in words) for word in split_words(text))


_ARTICLES = lazy_pattern(r"\b(a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)
_DENIAL = lazy_pattern(r"\b(?:not?|non|never|without|isn['’]t|doesn['’]t|un\w+)\b", re.IGNORECASE)
# The similarity of an answer that is less or more exact than the value.
LESS_EXACT = 0.75


def token_f1(first: str, second: str) -> float:
    """The F-measure of common words as in SQuAD: case, punctuation and articles do not count."""
    first_tokens, second_tokens = _tokens(first), _tokens(second)
    if not first_tokens or not second_tokens:
        return float(first_tokens == second_tokens)
    common = (Counter(first_tokens) & Counter(second_tokens)).total()
    return 2 * common / (len(first_tokens) + len(second_tokens))


def _tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_MARKS)).split()


def value_similarity(value: str, answer: str, attribute: str = "") -> float:
    """1 if an answer states a value of the data, less if it is less exact; otherwise by common words.

    Different numbers or dates have similarity 0, even if they share words.
    """
    parsed = parse_value(value, attribute)
    if isinstance(parsed, Boolean):
        return float(parsed.value != bool(_DENIAL.search(answer)))
    relations = {hit.relation for hit in find_value(value, answer, attribute)}
    if Relation.EQUAL in relations:
        return 1.0
    if relations & {Relation.COARSER, Relation.FINER}:
        return LESS_EXACT
    return 0.0 if isinstance(parsed, Number | Date) else token_f1(value, answer)
