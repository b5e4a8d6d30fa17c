"""How readers say that a piece of outside data is wrong, before file and line are known."""


class Malformed(Exception):  # noqa: N818 - not an error of its own: a reader turns it into a Fault
    """What is wrong and what to do about it; a reader that knows file and line makes a Fault of it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy


MAX_SHOWN = 60
JSON_NAMES = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}


def kind_of(value: object) -> str:
    """The JSON word for the type of a value, for messages."""
    return JSON_NAMES.get(type(value), "a number" if isinstance(value, int | float) else type(value).__name__)


def show(value: object) -> str:
    """Any value, short enough for a one-line message."""
    try:
        shown = repr(value)
    except ValueError:
        # Python writes no number of more than 4300 digits.
        return "a number of too many digits"
    return shown if len(shown) <= MAX_SHOWN else shown[: MAX_SHOWN - 1] + "…"


def shorten(text: str, most: int = MAX_SHOWN) -> str:
    """A piece of outside text, quoted and short enough for a one-line message."""
    return repr(text if len(text) <= most else text[: most - 1] + "…")
