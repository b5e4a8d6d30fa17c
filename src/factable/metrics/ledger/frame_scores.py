"""How much a text speaks of each frame of the data: from the frames that it names to those inside of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from factable.structure import Structure

# The score of a frame that is not named, and that cannot be taken for another.
ONLY_ONE = 0.5


@dataclass(eq=False)
class FrameScores:
    """Scores of frames by the frames that the text names at a place, and how surely it means each."""

    structure: Structure
    _scope: tuple[tuple[int, float], ...] = ()
    _named: dict[int, float] = field(default_factory=dict)

    def score(self, frame: int, scope: Mapping[int, float]) -> float:
        """Up to 1 if the text speaks of a frame or one around it, 0.5 if there is only one such, else 0."""
        return self.named(scope).get(frame, ONLY_ONE if frame in self.only else 0.0)

    def named(self, scope: Mapping[int, float]) -> Mapping[int, float]:
        """The scores of all frames that the text names or that are inside of such."""
        key = tuple(scope.items())
        if self._scope != key:
            named: dict[int, float] = {}
            for outer, score in key:
                for frame in self._within[outer]:
                    named[frame] = max(score, named.get(frame, 0.0))
            # Mentions of one sentence, which come one after another, often have the same scope.
            self._scope, self._named = key, named
        return self._named

    def possible(self, scope: Mapping[int, float]) -> frozenset[int]:
        """All frames whose score is not 0."""
        return self.only.union(self.named(scope))

    @cached_property
    def only(self) -> frozenset[int]:
        """The frames that have no others like them."""
        groups = self.structure.groups
        return frozenset(frame.index for frame in self.structure.frames if len(groups[frame.group]) == 1)

    @cached_property
    def _within(self) -> list[list[int]]:
        """For each frame it and the frames inside."""
        within: list[list[int]] = [[] for _ in self.structure.frames]
        for frame in self.structure.frames:
            for outer in self.structure.ancestors(frame):
                within[outer.index].append(frame.index)
        return within
