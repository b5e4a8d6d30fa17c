"""Who is what: a key right before a name, "host Amara Obi", against the name that the data has for it."""

from collections.abc import Iterator, Sequence

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.structure import Leaf
from factable.text.patterns import lazy_pattern
from factable.text.values import Name, Relation
from factable.text.values.words import split_words
from factable.types import Span

# As far before a name as its role is looked for.
_NEAR = 40
_BEFORE_NAME = lazy_pattern(r"(?P<role>[\w-]+)(?:\s|,\s|:\s|\s(?:is|was|by)\s)\Z")


def roles(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every name right after the word of a key whose value is another name of the same object."""
    found: list[Checked] = []
    sentences = Spans(sentence_spans)
    for mention, leaves in matcher.found:
        if not isinstance(mention.value, Name):
            continue
        exact = [leaf for leaf, relation in leaves.items() if relation is Relation.EQUAL]
        if exact and sentences.contain((mention.start, mention.start + 1)):
            found += _check(matcher, (mention.start, mention.end), exact)
    return found


def _check(matcher: Matcher, span: Span, leaves: Sequence[int]) -> Iterator[Checked]:
    before = _BEFORE_NAME.search(matcher.parsed.text[max(0, span[0] - _NEAR) : span[0]])
    if before is None:
        return
    role = before["role"].lower()
    own = [matcher.structure.leaves[leaf] for leaf in leaves]
    if any(_is_called(matcher, leaf, role) for leaf in own):
        return
    for leaf in own:
        frames = list(matcher.structure.ancestors(matcher.structure.frames[leaf.frame]))
        # "Hosted by" tells who did it, whatever object the name stands in.
        around = frames if before[0].endswith(" by ") else frames[:1]
        for index in [index for frame in around for index in frame.leaves]:
            other = matcher.structure.leaves[index]
            is_name = other.kind == "value" and other.value[:1].isupper()
            if index not in leaves and is_name and _is_called(matcher, other, role):
                yield Checked(span, "contradicted", (index,), f"{other.label}: {other.value}")
                return


def _is_called(matcher: Matcher, leaf: Leaf, role: str) -> bool:
    """Whether a word alone is what the key of a value is called."""
    words = [word.folded for word in split_words(leaf.keys[-1])]
    return len(words) == 1 and stands_for(role, words[0]) and bool(matcher.labels[leaf.index])
