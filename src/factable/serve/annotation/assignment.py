"""Who annotates which text."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations


def assign(
    kept: Mapping[int, Sequence[int]], annotators: Sequence[int], overlap: int
) -> Iterator[tuple[int, int]]:
    """Pairs of annotator and text, so that each text has `overlap` annotators and all have as much to do.

    `kept` holds, for every text in order, the annotators who have begun it. Among those with the least to do,
    who has fewest texts in common with the others of a text comes first, so that everybody meets everybody.
    """
    load = Counter(dict.fromkeys(annotators, 0))
    shared: Counter[frozenset[int]] = Counter()
    for chosen in kept.values():
        load.update(annotator for annotator in chosen if annotator in load)
        shared.update(map(frozenset, combinations(chosen, 2)))
    for text, begun in kept.items():
        chosen = list(begun)
        while len(chosen) < overlap:
            free = [annotator for annotator in annotators if annotator not in chosen]
            if not free:
                break
            best = min(
                free,
                key=lambda one: (load[one], sum(shared[frozenset((one, other))] for other in chosen)),
            )
            shared.update(frozenset((best, other)) for other in chosen)
            load[best] += 1
            chosen.append(best)
            yield best, text
