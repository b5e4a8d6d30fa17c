"""What a text says in place of a fact of a small record: "coffee shop" where the data has a pub."""

from collections.abc import Mapping, Sequence

from factable.metrics.ledger.coverage import Said
from factable.metrics.ledger.derived.wording import GLUE
from factable.metrics.ledger.replies import AskQuestions
from factable.metrics.ledger.structured import StructuredReading
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


def said_instead(
    reading: StructuredReading, said: Mapping[int, Said], leaves: Sequence[Leaf], ask: AskQuestions
) -> dict[int, Said]:
    """The facts of a plain record that a text leaves out, and for which it says what the data does not have.

    The words must be new to the data: "coffee shop" where the data has a pub. No text is called wrong by
    this alone, as a fact is missing anyhow.
    """
    missing = [
        leaf
        for leaf in leaves
        if reading.is_plain and said[leaf.index].state == "omitted" and any(map(str.isalpha, leaf.value))
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


def _is_new(reading: StructuredReading, span: Span) -> bool:
    """Whether words are few, and none but little ones occur in the data."""
    words = [word.folded for word in split_words(reading.text[slice(*span)])]
    told = [word for word in words if word not in GLUE]
    known = reading.matcher.data_words
    return 0 < len(told) <= MAX_WORDS_INSTEAD and not any(beginning(word) in known for word in told)
