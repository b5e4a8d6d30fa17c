"""How much two answers are alike: by their words, or as values."""

import re
import string
from collections import Counter

from factable.text.values import Boolean, Date, Number, Relation, find_value, parse_value

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
