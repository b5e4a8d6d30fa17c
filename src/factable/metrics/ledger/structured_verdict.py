"""The verdict on a text beside structured data: which words are wrong, which facts are said, the label."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from factable.metrics.ledger.coverage import OMITTED, Said, fact_sentence, facts_said
from factable.metrics.ledger.features import NliAnswer
from factable.metrics.ledger.reading import Spans, overlaps
from factable.metrics.ledger.replacements import INSTEAD, said_instead
from factable.metrics.ledger.replies import AskQuestions
from factable.metrics.ledger.required import required_leaves
from factable.metrics.ledger.structured import Item, StructuredReading, items_of, without_overlaps
from factable.metrics.ledger.verdict import Claim, Fact, Rules, Verdict, label_of
from factable.metrics.ledger.weights import LedgerWeights, probability
from factable.models.marks import MarkedSentence
from factable.models.nli import ENTAILMENT
from factable.structure import Leaf
from factable.text.templates import Templates
from factable.types import Span

MAX_ODDS = 12.0
# In a text that is wrong somewhere, parts with at least these log odds are marked.
MIN_ODDS = -0.7

Ask = Callable[[Sequence[Sequence[tuple[str, str]]]], Sequence[Sequence[NliAnswer]]]


@dataclass(frozen=True, eq=False)
class Weighed:
    """A text with the log odds of each of its parts to be wrong, and of the whole to be right."""

    items: tuple[Item, ...]
    wrong: tuple[float, ...]
    correct: float

    @classmethod
    def of(
        cls, reading: StructuredReading, marked: Sequence[MarkedSentence], weights: LedgerWeights
    ) -> "Weighed":
        """Weigh every part of a text, then the text."""
        items = tuple(items_of(reading, marked))
        wrong = tuple(_odds(weights, item) for item in items)
        features = text_features(items, wrong, len(reading.sentences), reading.is_small)
        return cls(items, wrong, weights.odds("text", features))

    def flagged(self, threshold: float) -> list[tuple[Item, float]]:
        """What is wrong in a text that is not right: parts that are likely wrong, at least the worst."""
        if probability(self.correct) >= threshold or not self.items:
            return []
        ranked = sorted(zip(self.items, self.wrong, strict=True), key=lambda pair: -pair[1])
        chosen = [pair for pair in ranked if pair[1] >= MIN_ODDS] or ranked[:1]
        kept = without_overlaps(item for item, _ in chosen)
        odds = {item.span: wrong for item, wrong in reversed(chosen)}
        return [(item, odds[item.span]) for item in kept]


def _odds(weights: LedgerWeights, item: Item) -> float:
    return max(-MAX_ODDS, min(MAX_ODDS, weights.odds(item.kind, item.features)))


def text_features(
    items: Sequence[Item], wrong: Sequence[float], sentences: int, small: bool
) -> dict[str, float]:
    """What the parts of a text tell of the whole; beside small data, a doubt weighs otherwise."""
    chances = sorted((probability(odds) for odds in wrong), reverse=True)
    rules = [item for item in items if item.kind == "statement" and item.state != "supported"]
    worst = chances[0] if chances else 0.0
    expected = math.log1p(sum(chances))
    strays = sum(map(is_stray, items))
    shares = {"rules": min(3, len(rules)) / 3, "stray": float(strays > 0), "strays": min(3, strays) / 3}
    return {
        "worst": worst,
        "second": chances[1] if len(chances) > 1 else 0.0,
        "expected": expected,
        "sentences": math.log1p(sentences),
        **shares,
        "small data": float(small),
        "worst, small data": small * worst,
        "expected, small data": small * expected,
        "rules, small data": small * shares["rules"],
        "stray, small data": small * shares["stray"],
    }


def is_stray(item: Item) -> bool:
    """Whether rules alone speak against a part of the text."""
    features = item.features
    if item.kind == "number":
        missing = features["missing"] and not (features["missing in arithmetic"] or features["missing small"])
        asked = features["another is asked for"]
        return bool((asked or missing) and not features["in a supported statement"])
    if item.kind == "name":
        return bool(features["of another"])
    return item.kind == "statement" and item.state != "supported"


def structured_verdicts(
    readings: Sequence[StructuredReading],
    marked: Sequence[Sequence[MarkedSentence]],
    rules: Rules,
    weights: LedgerWeights,
    templates: Templates,
    ask: Ask,
    ask_questions: AskQuestions | None = None,
) -> list[Verdict]:
    """The verdicts on texts; the NLI model is asked about facts that must be said and were not found.

    `ask_questions` has a second model read what a text says in place of a fact that it leaves out.
    """
    said = [facts_said(reading) for reading in readings]
    required = [required_leaves(reading.structure, reading.example.table, rules) for reading in readings]
    doubtful = [
        [
            leaf
            for leaf in reading.structure.leaves
            if leaf.index in must and of_text[leaf.index].state == "omitted"
        ]
        for reading, of_text, must in zip(readings, said, required, strict=True)
    ]
    answers = ask(
        [
            [(reading.text, fact_sentence(reading, leaf, templates)) for leaf in leaves]
            for reading, leaves in zip(readings, doubtful, strict=True)
        ]
    )
    for of_text, leaves, of_leaves in zip(said, doubtful, answers, strict=True):
        for leaf, answer in zip(leaves, of_leaves, strict=True):
            chance = max(OMITTED.probability, float(answer[ENTAILMENT]))
            is_said = chance >= rules.omission
            of_text[leaf.index] = (
                Said("supported", None, chance, "in other words")
                if is_said
                else Said("omitted", None, chance)
            )
    if ask_questions is not None:
        for reading, of_text, leaves in zip(readings, said, doubtful, strict=True):
            of_text.update(said_instead(reading, of_text, leaves, ask_questions))
    return [
        _verdict(reading, Weighed.of(reading, marks, weights), of_text, must, rules)
        for reading, marks, of_text, must in zip(readings, marked, said, required, strict=True)
    ]


def _ignores(reading: StructuredReading, leaf: Leaf, rules: Rules) -> bool:
    assert leaf.record is not None
    return rules.ignores(reading.example.table.records[leaf.record])


def _verdict(
    reading: StructuredReading,
    weighed: Weighed,
    said: Mapping[int, Said],
    required: frozenset[int],
    rules: Rules,
) -> Verdict:
    flagged = weighed.flagged(rules.hallucination)
    wrong = [item.span for item, _ in flagged]
    facts = tuple(
        _fact(leaf, said[leaf.index], leaf.index in required, wrong)
        for leaf in reading.structure.leaves
        if leaf.index in required
        or (leaf.index in said and _is_listed(reading, leaf, said[leaf.index], rules))
    )
    claims = _claims(reading, weighed, flagged)
    instead = [_claim_instead(reading, fact) for fact in facts if fact.note == INSTEAD]
    others = [claim for claim in claims if not any(overlaps(claim.span, each.span) for each in instead)]
    claims = tuple(sorted((*others, *instead)))
    complete = min((fact.probability for fact in facts if fact.required), default=1.0)
    correct = probability(weighed.correct)
    return Verdict(
        text=reading.text,
        table=reading.example.table,
        label=label_of(facts, claims),
        probability=min(correct, complete),
        facts=facts,
        claims=claims,
        correct=correct,
    )


def _is_listed(reading: StructuredReading, leaf: Leaf, said: Said, rules: Rules) -> bool:
    """Whether a fact is in the ledger: technical fields are if the text says them."""
    if leaf.record is None or _ignores(reading, leaf, rules):
        return False
    return leaf.kind != "technical" or said.state == "supported"


def _fact(leaf: Leaf, said: Said, required: bool, wrong: Sequence[Span]) -> Fact:
    """A fact as it is shown: contradicted only by words that are marked as wrong."""
    assert leaf.record is not None
    in_wrong = said.span is not None and any(overlaps(said.span, span) for span in wrong)
    if said.state == "contradicted" and not in_wrong and said.note != INSTEAD:
        return Fact(leaf.record, "omitted", None, said.probability, required)
    if said.state == "supported" and in_wrong and said.span is not None:
        return Fact(
            leaf.record, "contradicted", said.span, 1 - said.probability, required, "in doubtful words"
        )
    return Fact(leaf.record, said.state, said.span, said.probability, required, said.note)


def _claim_instead(reading: StructuredReading, fact: Fact) -> Claim:
    """The words that stand in place of a fact."""
    assert fact.span is not None
    leaf = reading.structure.by_record[fact.record]
    note = f"{leaf.label}: {leaf.value}"
    return Claim(*fact.span, "contradicted", (fact.record,), fact.probability, note)


def _claims(
    reading: StructuredReading, weighed: Weighed, flagged: Sequence[tuple[Item, float]]
) -> tuple[Claim, ...]:
    """The claims of the text: what is wrong, and values and statements that the data supports."""
    claims = [
        Claim(
            *item.span,
            "contradicted" if item.state == "contradicted" else "unsupported",
            _records(reading, item),
            1 - probability(odds),
            item.note,
        )
        for item, odds in flagged
    ]
    flagged_spans = Spans(claim.span for claim in claims)
    right = [
        (item, odds)
        for item, odds in zip(weighed.items, weighed.wrong, strict=True)
        if item.state == "supported" and item.leaves and not flagged_spans.overlap(item.span)
    ]
    odds_of = {item.span: odds for item, odds in right}
    for item in without_overlaps(
        sorted((item for item, _ in right), key=lambda each: each.span[0] - each.span[1])
    ):
        chance = max(0.5, 1 - probability(odds_of[item.span]))
        claims.append(Claim(*item.span, "supported", _records(reading, item), chance, item.note))
    return tuple(sorted(claims))


def _records(reading: StructuredReading, item: Item) -> tuple[int, ...]:
    leaves = (reading.structure.leaves[leaf] for leaf in item.leaves)
    return tuple(sorted({leaf.record for leaf in leaves if leaf.record is not None}))
