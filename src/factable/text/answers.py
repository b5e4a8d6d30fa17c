"""Stretches of a text that can be answers: names, numbers, dates and noun phrases."""

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from factable.text.templates import split_identifier
from factable.text.values import (
    Boolean,
    Date,
    Number,
    Relation,
    find_mentions,
    find_value,
    parse_value,
    read_text,
)
from factable.text.values.words import alike, split_words
from factable.types import Record

_WORD = re.compile(r"[^\W_]+(?:[-'’./,&][^\W_]+)*")
# Words that are in no noun phrase, or begin one.
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
# A word written large that does not begin a sentence; all capitals tell nothing of how names are written.
_NAME = re.compile(r"(?<![.!?]\s)(?<!\A)\b[A-Z][a-z]")
_MAX_WORDS = 6
_POSSESSIVE = ("'s", "’s")
# What is between two words of a phrase: spaces, and a full stop only after an initial.
_JOINING = re.compile(r"(?s:.*)(?<=\w)\s+|(?:.*\W)?\w{1,2} ?\.\s*")


def answer_spans(text: str) -> list[tuple[int, int]]:
    """Names, numbers, dates and noun phrases, in order, each once.

    Where names are not written large, every run of words that can be nouns is taken for a phrase; elsewhere
    those after a determiner are.
    """
    values = {(mention.start, mention.end) for mention in find_mentions(text)}
    taken = bytearray(len(text))
    for start, end in values:
        taken[start:end] = b"\x01" * (end - start)
    has_names = bool(_NAME.search(text))
    runs = _runs(text, taken if has_names else bytearray(len(text)), determined=has_names)
    phrases = [span for span in runs if _has_letter(text, span)]
    # A number that belongs to a phrase, as in "1950 da", is no answer of its own.
    alone = [span for span in values if has_names or not any(_holds(phrase, span) for phrase in phrases)]
    return sorted({*alone, *phrases})


def _runs(text: str, taken: bytearray, *, determined: bool) -> Iterator[tuple[int, int]]:
    """Runs of words that can be nouns, only spaces between them."""
    start = end = -1
    count = 0
    after_determiner = False
    for word in _WORD.finditer(text):
        stop = word.end() - 2 if word[0].endswith(_POSSESSIVE) else word.end()
        apart = end >= 0 and not _JOINING.fullmatch(text, max(0, end - 3), word.start())
        other = word[0].lower() in _NO_NOUNS or taken[word.start()]
        if start >= 0 and (apart or other or count == _MAX_WORDS):
            yield start, end
            start = -1
        if other:
            after_determiner = word[0].lower() in _DETERMINERS
            end = word.end()
            continue
        if start < 0 and (after_determiner or not determined):
            start, count = word.start(), 0
        after_determiner = False
        count += 1
        end = stop
        if stop < word.end() and start >= 0:
            yield start, stop
            start, end = -1, word.end()
    if start >= 0:
        yield start, end


def _has_letter(text: str, span: tuple[int, int]) -> bool:
    return any(letter.isalpha() for letter in text[span[0] : span[1]])


def _holds(phrase: tuple[int, int], span: tuple[int, int]) -> bool:
    return phrase[0] <= span[0] and span[1] <= phrase[1]


def answers_beside(
    text: str, spans: Sequence[tuple[int, int]], facts: Mapping[int, Record]
) -> list[tuple[int, int]]:
    """Answers in a text about these facts: what they name as a whole, and no words of their attributes.

    Names such as "American Journal of Mathematics" fall apart where they are written small; and "the leader"
    says no value, but which one is meant.
    """
    names = _names_of(text, facts)
    others = [span for span in spans if not any(span[0] < end and start < span[1] for start, end in names)]
    attributes = {
        word.folded for record in facts.values() for word in split_words(split_identifier(record.attribute))
    }
    kept = [span for span in others if not _all_alike(text[span[0] : span[1]], attributes)]
    return sorted({*names, *kept})


def _names_of(text: str, facts: Mapping[int, Record]) -> set[tuple[int, int]]:
    """Where subjects and values stand, of two that overlap the longer."""
    reading = read_text(text)
    parts = {
        part
        for record in facts.values()
        for part in ((record.subject, ""), (record.value, record.attribute))
        # A yes or no is said by the words of its attribute.
        if part[0].strip() and not isinstance(parse_value(*part), Boolean)
    }
    hits = {
        hit.span
        for part in parts
        for hit in find_value(part[0], reading, part[1])
        if hit.relation is Relation.EQUAL
    }
    return {span for span in hits if not any(other != span and _holds(other, span) for other in hits)}


def _all_alike(said: str, words: set[str]) -> bool:
    return all(any(alike(word.folded, other) for other in words) for word in split_words(said))


_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)
_DENIAL = re.compile(r"\b(?:not?|non|never|without|isn['’]t|doesn['’]t|un\w+)\b", re.IGNORECASE)
# What an answer is worth that is less exact than what was expected, or more.
LESS_EXACT = 0.75


def token_f1(one: str, other: str) -> float:
    """The F-measure of common words as SQuAD counts them: no case, no punctuation, no articles."""
    mine, theirs = _tokens(one), _tokens(other)
    if not mine or not theirs:
        return float(mine == theirs)
    common = (Counter(mine) & Counter(theirs)).total()
    return 2 * common / (len(mine) + len(theirs))


def _tokens(text: str) -> list[str]:
    return _ARTICLES.sub(" ", text.lower().translate(_MARKS)).split()


def value_similarity(value: str, said: str, attribute: str = "") -> float:
    """1 where `said` says a value of the data, less where it is less exact, or else by common words.

    Numbers and dates that differ are not alike, however many words they share.
    """
    meant = parse_value(value, attribute)
    if isinstance(meant, Boolean):
        return float(meant.value != bool(_DENIAL.search(said)))
    relations = {hit.relation for hit in find_value(value, said, attribute)}
    if Relation.EQUAL in relations:
        return 1.0
    if relations & {Relation.COARSER, Relation.FINER}:
        return LESS_EXACT
    return 0.0 if isinstance(meant, Number | Date) else token_f1(value, said)
