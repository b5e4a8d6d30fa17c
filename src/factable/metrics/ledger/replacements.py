"""What a text says in place of a fact of a small record: "coffee shop" where the data has a pub."""

from collections.abc import Mapping, Sequence

from factable.metrics.ledger.coverage import Said
from factable.metrics.ledger.derived.wording import GLUE
from factable.metrics.ledger.replies import AskQuestions
from factable.metrics.ledger.rules.statuses import is_status
from factable.metrics.ledger.structured import StructuredReading
from factable.metrics.ledger.value_index import COMPASS
from factable.models.qa import QuestionInText
from factable.structure import Leaf
from factable.text.questions import Questions
from factable.text.stems import beginning
from factable.text.values.words import split_words
from factable.types import Record, Span

# What is noted of a fact in whose place the text says something else.
INSTEAD = "the text has other words in its place"
MAX_WORDS_INSTEAD = 4
MIN_ANSWERABLE = 0.9
_COMPASS_WORDS = frozenset(word for names in COMPASS.values() for name in names for word in name.split("-"))


def said_instead(
    reading: StructuredReading, said: Mapping[int, Said], leaves: Sequence[Leaf], ask: AskQuestions
) -> dict[int, Said]:
    """The facts of a plain record that a text leaves out, and for which it says what the data does not have.

    The words must be new to the data: "coffee shop" where the data has a pub. Of `leaves`, which the text
    must say, any may be asked for; of others those that are plain words, of what the text speaks of.
    """
    required = {leaf.index for leaf in leaves}
    missing = [
        leaf
        for leaf in reading.structure.leaves
        if reading.is_plain and leaf.index in said and said[leaf.index].state == "omitted"
        if (leaf.index in required and any(map(str.isalpha, leaf.value))) or _is_word(reading, leaf)
    ]
    questions = [
        QuestionInText(
            Questions().ask(Record(reading.structure.subject_of(leaf), leaf.label, leaf.value)), reading.text
        )
        for leaf in missing
    ]
    replaced = {}
    for leaf, answer in zip(missing, ask(questions) if questions else (), strict=True):
        if answer.span is not None and answer.answerable >= MIN_ANSWERABLE and _is_new(reading, answer.span):
            replaced[leaf.index] = Said("contradicted", answer.span, 1 - answer.answerable, INSTEAD)
    return replaced


def _is_word(reading: StructuredReading, leaf: Leaf) -> bool:
    """Whether a value is a word or a few, of the whole record or of an object that the text names."""
    words = split_words(leaf.value)
    if leaf.kind != "value" or not 0 < len(words) <= MAX_WORDS_INSTEAD or is_status(leaf):
        return False
    frames = reading.structure.ancestors(reading.structure.frame_of(leaf))
    is_named = all(frame.parent is None or frame.index in _named(reading) for frame in frames)
    return is_named and all(word.folded.isalpha() for word in words)


def _named(reading: StructuredReading) -> frozenset[int]:
    return frozenset().union(*(naming.frames for naming in reading.matcher.namings))


def _is_new(reading: StructuredReading, span: Span) -> bool:
    """Whether words are few, and none but little ones occur in the data."""
    words = [word.folded for word in split_words(reading.text[slice(*span)])]
    told = [word for word in words if word not in GLUE]
    known = reading.matcher.data_words
    return (
        0 < len(told) <= MAX_WORDS_INSTEAD
        and all(word.isalpha() for word in told)
        and not any(beginning(word) in known or word in _COMPASS_WORDS for word in told)
    )
