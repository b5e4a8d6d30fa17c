"""Values of objects beside each other that have the same key: the price of the frame told of the lenses."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from factable.metrics.ledger.cues import stands_for
from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.rules.row_conflicts import split_clauses
from factable.structure import Leaf, Structure
from factable.text.templates import split_identifier
from factable.text.values import Number, Relation
from factable.types import Span

_MAX_TWINS = 8


def twins_of(structure: Structure) -> Mapping[int, tuple[Leaf, ...]]:
    """For each leaf all leaves with its key in objects that lie beside its own, itself among them."""
    groups: dict[tuple[int, str, int], list[Leaf]] = defaultdict(list)
    for leaf in structure.leaves:
        if leaf.kind == "value" and len(leaf.keys) > 1 and not leaf.path.endswith("]"):
            groups[leaf.frame, leaf.keys[-1], len(leaf.keys)].append(leaf)
    return {
        leaf.index: tuple(leaves)
        for leaves in groups.values()
        if 1 < len(leaves) <= _MAX_TWINS
        for leaf in leaves
    }


def twins(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every number that belongs to one object in a clause that names only another one."""
    of_leaf = twins_of(matcher.structure) if matcher.is_plain else {}
    found: list[Checked] = []
    for sentence in sentence_spans if of_leaf else ():
        for clause in split_clauses(matcher.parsed.text, sentence):
            for mention, leaves in matcher.found:
                exact = [leaf for leaf, relation in leaves.items() if relation is not Relation.COARSER]
                inside = clause[0] <= mention.start and mention.end <= clause[1]
                if inside and isinstance(mention.value, Number) and len(leaves) == len(exact) == 1:
                    found += _check(
                        matcher, clause, (mention.start, mention.end), of_leaf.get(exact[0], ()), exact[0]
                    )
    return found


def _check(matcher: Matcher, clause: Span, span: Span, alike: Sequence[Leaf], own: int) -> Iterator[Checked]:
    words = [word.folded for word in matcher.parsed.words if clause[0] <= word.start < clause[1]]
    named = [leaf for leaf in alike if _is_named(leaf, words)]
    numbers = [mention for mention, _ in matcher.found if clause[0] <= mention.start < clause[1]]
    amounts = [mention for mention in numbers if isinstance(mention.value, Number)]
    if (
        len(named) == 1
        and named[0].index != own
        and len(amounts) == 1
        and not matcher.asks_for_arithmetic(span)
    ):
        yield Checked(span, "contradicted", (named[0].index,), f"{named[0].label}: {named[0].value}")


def _is_named(leaf: Leaf, words: Sequence[str]) -> bool:
    """Whether a clause has a word of the object that a value is in."""
    parts = split_identifier(leaf.keys[-2]).lower().split()
    return any(stands_for(word, part) for part in parts if len(part) > 2 for word in words)
