"""What the NLI model need not be asked: facts and sentences on which its answer would change nothing.

Where a question for the value of a fact is answered with that value, the model nearly always agrees that the
text says the fact. So it does about a sentence whose values and words are all in the data, if each of its
facts was read in it. Such facts and sentences get the usual answer. Sentences with a negation are asked about
in any case: a question finds the value that a sentence denies.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from factable.metrics.ledger.alignment import Alignment
from factable.metrics.ledger.features import NliAnswer, about_fact, about_mention, about_sentence
from factable.metrics.ledger.reading import Reading, inside, uncovered_words
from factable.metrics.ledger.replies import FactReply
from factable.metrics.ledger.weights import LedgerWeights
from factable.text.patterns import lazy_pattern
from factable.text.values import Relation
from factable.types import Span

# What the model says on average of such facts and sentences.
USUAL: NliAnswer = np.array([0.83, 0.14, 0.03])
# How similar to the value, times how sure, the reply to a question must be.
SURELY_READ = 0.8
# The least log odds, with the usual answer, of a fact or a sentence that is settled.
MIN_ODDS = 3.1
_NEGATION = lazy_pattern(r"(?i)\b(?:no|not|none|never|neither|nor|without|cannot|\w+n['’]t)\b")


class Settled(NamedTuple):
    """Facts, by index, and sentences that need not be asked about."""

    facts: frozenset[int]
    sentences: frozenset[Span]


NOTHING_SETTLED = Settled(frozenset(), frozenset())


def settle(
    reading: Reading, alignment: Alignment, replies: Mapping[int, FactReply], weights: LedgerWeights
) -> Settled:
    """What the replies to questions about the facts of one text settle."""
    facts: set[int] = set()
    sentences: set[Span] = set()
    for sentence in reading.sentence_spans:
        if _NEGATION.search(reading.text, *sentence):
            continue
        said = [
            index
            for index, hit in alignment.hits.items()
            if index in reading.facts and inside([hit.span], sentence)
        ]
        read = [index for index in said if _is_read(reading, alignment, index, replies.get(index), weights)]
        facts.update(read)
        if said and read == said and _is_plain(reading, alignment, sentence, weights):
            sentences.add(sentence)
    return Settled(frozenset(facts), frozenset(sentences))


def _is_read(
    reading: Reading, alignment: Alignment, index: int, reply: FactReply | None, weights: LedgerWeights
) -> bool:
    """Whether a text has exactly the value of a fact, and a question for it is surely answered with it."""
    return (
        is_surely_read(reply)
        and alignment.hits[index].relation is Relation.EQUAL
        and weights.odds("fact", about_fact(reading, alignment, index, USUAL, reply)) >= MIN_ODDS
    )


def is_surely_read(reply: FactReply | None) -> bool:
    """Whether a question for a value is answered with it beyond doubt."""
    return reply is not None and reply.similarity * reply.answerable >= SURELY_READ


def _is_plain(reading: Reading, alignment: Alignment, sentence: Span, weights: LedgerWeights) -> bool:
    """Whether a sentence has no value and no word that the data does not have."""
    if uncovered_words(reading, sentence):
        return False
    mentions = {
        span: weights.odds("value", about_mention(reading, span, USUAL))
        for span in inside(list(reading.mentions), sentence)
    }
    misplaced = list(alignment.misplaced.values())
    features = about_sentence(reading, sentence, USUAL, mentions, misplaced)
    return weights.odds("sentence", features) >= MIN_ODDS
