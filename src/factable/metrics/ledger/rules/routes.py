"""Where something starts and ends: "from A to B", against keys such as `from` and `destination`."""

from collections.abc import Iterable, Sequence

from factable.metrics.ledger.matching import Checked, Matcher
from factable.metrics.ledger.reading import Spans
from factable.text.patterns import lazy_pattern
from factable.text.templates import split_identifier
from factable.types import Span

_STARTS = frozenset(["from", "origin", "departure", "departs", "source", "start", "pickup"])
_ENDS = frozenset(["to", "destination", "arrival", "arrives", "target", "end", "dropoff"])
_FROM = lazy_pattern(r"\bfrom\s(?:the\s)?\Z")
_LONGEST_FROM = len(" from the ")
_TO = lazy_pattern(r"\s(?:\([^()]{1,20}\)\s)?to\s(?:the\s)?")


def routes(matcher: Matcher, sentence_spans: Sequence[Span]) -> list[Checked]:
    """Every "from A to B" whose ends are known: right, or the wrong way round."""
    text = matcher.parsed.text
    sentences = Spans(sentence_spans)
    found = []
    # A code may stand between: "from New York (JFK) to Frankfurt".
    pairs = [(one, other) for at, one in enumerate(matcher.found) for other in matcher.found[at + 1 : at + 3]]
    for (first, starts), (second, ends) in pairs:
        span = first.start, second.end
        if not _FROM.search(text[max(0, first.start - _LONGEST_FROM) : first.start]) or not _TO.fullmatch(
            text, first.end, second.start
        ):
            continue
        if not sentences.contain(span):
            continue
        if _are_all(matcher, starts, _STARTS) and _are_all(matcher, ends, _ENDS):
            found.append(Checked(span, "supported", (*starts, *ends), ""))
        elif _are_all(matcher, starts, _ENDS) and _are_all(matcher, ends, _STARTS):
            note = f"from {text[second.start : second.end]} to {text[first.start : first.end]}"
            found.append(Checked(span, "contradicted", (*starts, *ends), note))
    return found


def _are_all(matcher: Matcher, leaves: Iterable[int], side: frozenset[str]) -> bool:
    """Whether values belong to one end of the way, and not to the other."""
    other = _ENDS if side is _STARTS else _STARTS
    paths = [
        set(split_identifier(matcher.structure.leaves[leaf].path.replace(".", " ")).lower().split())
        for leaf in leaves
    ]
    return bool(paths) and all(path & side and not path & other for path in paths)
