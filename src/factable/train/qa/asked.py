"""Questions with the context in which their answers are looked for."""

from typing import NamedTuple


class Asked(NamedTuple):
    """A question, a context, and where the answer stands in it, if it does; `kind` says how it was made."""

    question: str
    context: str
    answer: tuple[int, int] | None
    kind: str
