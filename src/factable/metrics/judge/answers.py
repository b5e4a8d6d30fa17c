"""What a model answers, read with patience: JSON in prose, other words for states, lists for objects."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from factable.errors import in_one_line
from factable.metrics.judge.material import Material
from factable.metrics.judge.quotes import find_quote
from factable.metrics.ledger.verdict import Claim, ClaimState, Fact, FactState, distinct_claims
from factable.metrics.ledger.verdict_metric import Unscored
from factable.models.llm.client import Answer, Failure
from factable.models.llm.completions import LENGTH, REFUSAL
from factable.types import Span

T = TypeVar("T")
NOT_QUOTED = "no such words in the text"
# The words that models use for a state, in lower case without blanks around.
_FACT_STATES: Mapping[str, FactState] = {
    **dict.fromkeys(("said", "stated", "supported", "correct", "yes", "true"), "supported"),
    **dict.fromkeys(("wrong", "contradicted", "incorrect", "misstated", "false"), "contradicted"),
    **dict.fromkeys(("left out", "left_out", "omitted", "missing", "not said", "no", "unsaid"), "omitted"),
}
_CLAIM_STATES: Mapping[str, ClaimState | None] = {
    **dict.fromkeys(("supported", "said", "correct", "yes", "true"), "supported"),
    **dict.fromkeys(("wrong", "contradicted", "incorrect", "false"), "contradicted"),
    **dict.fromkeys(
        ("made up", "made_up", "unsupported", "hallucinated", "not supported", "no"), "unsupported"
    ),
    **dict.fromkeys(("not checkable", "not_checkable", "uncheckable", "opinion"), None),
}
# Where models that think aloud stop doing so.
_END_OF_THOUGHTS = ("</think>", "</thinking>")
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
# Beginnings of JSON that are tried in an answer with much else in it.
MAX_BEGINNINGS = 20
MAX_REASON = 200
# No text has more claims than this for a model to list.
MAX_CLAIMS = 1000


class Sample(NamedTuple):
    """One answer held to the ledger: facts, claims, and how many of its quotes the text does not have."""

    facts: Mapping[int, Fact]
    claims: tuple[Claim, ...]
    quotes: int
    dropped: int

    @property
    def is_correct(self) -> bool:
        """Whether it finds nothing wrong in the text."""
        return all(claim.state == "supported" for claim in self.claims)


def read_answer(answer: Answer | Failure, material: Material) -> Sample | Unscored:
    """The ledger in an answer, or why there is none."""
    if isinstance(answer, Failure):
        return Unscored(f"judge: {answer.reason}")
    text, finish = answer.completion.text, answer.completion.finish
    if finish == REFUSAL:
        return Unscored(f"judge: the model refuses{_quoted(text)}")
    found = find_object(text)
    if found is None:
        if finish == LENGTH:
            return Unscored("judge: the answer is cut off; raise max_tokens")
        return Unscored(f"judge: no JSON in the answer{_quoted(text)}")
    facts = _numbered(found.get("facts"), "fact")
    unanswered = [
        number
        for number, record in enumerate(material.facts, 1)
        if record in material.required and _state_of(facts.get(number), _FACT_STATES) is _NO_STATE
    ]
    if unanswered:
        return Unscored(f"judge: no answer about {len(unanswered)} of {len(material.required)} facts")
    claims = found.get("sentences", found.get("claims"))
    if not isinstance(claims, dict | list):
        return Unscored("judge: no claims in the answer")
    return _Reader(material).read(facts, claims)


def _quoted(text: str) -> str:
    shown = in_one_line(text.strip())[:MAX_REASON]
    return f": {shown}" if shown else ""


def find_object(text: str) -> dict[str, Any] | None:
    """The JSON object in an answer that has facts; None if there is none."""
    plain = text
    for mark in _END_OF_THOUGHTS:
        plain = plain.rpartition(mark)[2]
    decoder = json.JSONDecoder()
    for candidate in (plain, _TRAILING_COMMA.sub("", plain)):
        for beginning in islice(re.finditer(r"\{", candidate), MAX_BEGINNINGS):
            try:
                found, _ = decoder.raw_decode(candidate, beginning.start())
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and _is_whole(found):
                return found
    return None


def _is_whole(found: Mapping[str, Any]) -> bool:
    """Whether an object is the answer and no claim in one that is cut off: claims name their facts, too."""
    has_claims = "sentences" in found or "claims" in found
    return "facts" in found and (has_claims or isinstance(found["facts"], dict))


class _NoState:
    """A state that cannot be read."""


_NO_STATE = _NoState()


def _state_of(entry: object, known: Mapping[str, Any]) -> Any:
    """The state in an entry, or in an entry that is nothing else; _NO_STATE if it cannot be read."""
    word = entry.get("state") if isinstance(entry, dict) else entry
    return known.get(word.strip().lower(), _NO_STATE) if isinstance(word, str) else _NO_STATE


def _numbered(given: object, key: str) -> dict[int, object]:
    """Entries by number, from an object with numbers as keys or a list of entries with their number."""
    if isinstance(given, dict):
        pairs = list(given.items())
    elif isinstance(given, list):
        pairs = [
            (entry.get(key, number) if isinstance(entry, dict) else number, entry)
            for number, entry in enumerate(given, 1)
        ]
    else:
        return {}
    return {number: entry for name, entry in pairs if (number := _number(name)) is not None}


def _number(name: object) -> int | None:
    if isinstance(name, bool):
        return None
    if isinstance(name, int):
        return name
    digits = re.search(r"\d{1,6}", name) if isinstance(name, str) else None
    return int(digits[0]) if digits else None


def _at(items: Sequence[T], number: int | None) -> T | None:
    """The item of that number, counted from 1; None if there is none."""
    return items[number - 1] if number is not None and 1 <= number <= len(items) else None


class _Reader:
    """Reads the entries of one answer, and counts quotes."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._text = material.example.text
        self._quotes = self._dropped = 0

    def read(self, facts: Mapping[int, object], claims: dict[str, Any] | list[Any]) -> Sample:
        of_records = {
            record: self._fact(record, facts.get(number))
            for number, record in enumerate(self._material.facts, 1)
        }
        listed = [
            claim
            for entry, sentence in islice(_claim_entries(claims), MAX_CLAIMS)
            for claim in self._claim(entry, sentence)
        ]
        # Wrong facts are wrong words, whether or not the model lists them twice.
        wrong = [
            Claim(*fact.span, "contradicted", (record,), fact.probability, fact.note)
            for record, fact in of_records.items()
            if fact.state == "contradicted" and fact.span
        ]
        return Sample(
            of_records, tuple(sorted(distinct_claims([*listed, *wrong]))), self._quotes, self._dropped
        )

    def _fact(self, record: int, entry: object) -> Fact:
        found = _state_of(entry, _FACT_STATES)
        state: FactState = "omitted" if found is _NO_STATE else found
        quote = str(entry.get("quote") or "") if isinstance(entry, dict) else ""
        span = None if state == "omitted" else self._find(quote, None)
        required = record in self._material.required
        if span is None:
            # Neither said nor wrong unless words of the text say so.
            note = "" if state == "omitted" else NOT_QUOTED
            return Fact(record, "omitted", None, 0.0, required, note)
        return Fact(record, state, span, float(state == "supported"), required)

    def _claim(self, entry: object, sentence: int | None) -> Iterator[Claim]:
        state = _state_of(entry, _CLAIM_STATES)
        if state is _NO_STATE or not isinstance(entry, dict):
            return
        number = sentence if sentence is not None else _number(entry.get("sentence"))
        within = _at(self._material.sentences, number)
        span = self._find(str(entry.get("quote") or ""), within)
        if span is None or state is None:
            return
        named = entry.get("facts")
        numbers = [_number(each) for each in named] if isinstance(named, list) else []
        records = [_at(self._material.facts, number) for number in numbers]
        known = tuple(dict.fromkeys(record for record in records if record is not None))
        reason = in_one_line(str(entry.get("reason") or "").strip())[:MAX_REASON]
        yield Claim(*span, state, known, float(state == "supported"), "" if state == "supported" else reason)

    def _find(self, quote: str, within: Span | None) -> Span | None:
        if not quote.strip():
            return None
        self._quotes += 1
        span = find_quote(self._text, quote, within)
        self._dropped += span is None
        return span


def _claim_entries(claims: dict[str, Any] | list[Any]) -> Iterator[tuple[object, int | None]]:
    """Claims with the number of their sentence, where they stand under it."""
    if isinstance(claims, list):
        yield from ((entry, None) for entry in claims)
        return
    for name, entries in claims.items():
        several: Sequence[object] = entries if isinstance(entries, list) else [entries]
        yield from ((entry, _number(name)) for entry in several)
