"""Things that a text adds to those of a small record: "86 rooms, a pool and a spa"."""

from collections.abc import Sequence

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.derived.wording import synonyms_of
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.rules.keys import yes_no_keys
from factable.text.patterns import lazy_pattern
from factable.text.stems import beginning, singular
from factable.text.stems import stem as base_form
from factable.text.values.words import split_words
from factable.types import Span

# Beside more values than these, what a thing may be called is not known well enough.
MAX_LEAVES = 20
_HAVING = (
    r"\b(?:has|have|had|offers?|features?|includes?|including|comes? with|boasts?|provides?|with|equipped)\b"
)
# A thing of the record, then another one; what the record says of itself stands before.
_ADDED = lazy_pattern(
    rf"{_HAVING}(?P<before>[^.;:!?\n]{{2,80}}?)(?:,\s(?:and\s)?|\s(?:and|plus|as well as)\s)"
    r"(?P<thing>(?:an?|two|three|four|five)\s(?:(?!(?:is|are|was|were|has|have|had|will|can)\s)[a-z-]+\s){0,2}?(?P<noun>[a-z-]{3,}))(?=[,.;)]|\Z)"
)
# What one is given besides: "customers receive a free pair of earbuds".
_GIVEN = lazy_pattern(
    r"\b(?:receives?|gets?|enjoys?|given|plus|includes?|including|comes? with)\s"
    r"(?P<thing>(?:an?\s)?(?:free|complimentary)\s(?:pair\sof\s|set\sof\s)?(?:[a-z-]+\s){0,2}?(?P<noun>[a-z-]{3,}))"
    r"(?=[,.;)]|\s(?:and|on|for|with|every|each|at|in)\b|\Z)"
)
_VAGUE_WORDS = """
bit few lot total range variety choice selection mix number amount couple pair dozen day week month year hour
minute half quarter third average rate score price cost value way time part piece person guest customer place
point star option kind type set series
"""
_VAGUE = frozenset(_VAGUE_WORDS.split())


def additions(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every thing that follows things of the record in an enumeration, and that the data does not know."""
    structure = matcher.structure
    if len(structure.leaves) > MAX_LEAVES or any(leaf.kind == "prose" for leaf in structure.leaves):
        return []
    known = _known_words(matcher)
    found = []
    for sentence in sentence_spans:
        found += [
            Checked(match.span("thing"), "unsupported", (), "the data does not have it")
            for match in _GIVEN.finditer(matcher.parsed.text, *sentence)
            if singular(match["noun"]) not in _VAGUE
            and not _is_known(matcher, known, singular(match["noun"]))
        ]
        for match in _ADDED.finditer(matcher.parsed.text, *sentence):
            noun = singular(match["noun"])
            if noun in _VAGUE or _is_known(matcher, known, noun):
                continue
            if any(_is_known(matcher, known, word.folded) for word in split_words(match["before"])[-4:]):
                found.append(Checked(match.span("thing"), "unsupported", (), "the data does not have it"))
    return found


def _known_words(matcher: Matcher) -> frozenset[str]:
    """Other words for keys, and for what yes/no keys are about."""
    labels = frozenset().union(*matcher.labels)
    phrases = [phrase for key in yes_no_keys(matcher.structure) for phrase in key.parts[-1]]
    same = [synonyms_of(base_form(label)) for label in labels]
    return frozenset().union(labels, *same, *(phrase.stems for phrase in phrases))


def _is_known(matcher: Matcher, known: frozenset[str], word: str) -> bool:
    """Whether the data has a word, in a key, in a value, or in other words for a key."""
    if beginning(word) in matcher.data_words or not known.isdisjoint((word, base_form(word))):
        return True
    return any(stands_for(word, label) for labels in matcher.labels for label in labels)
