"""The verdict on one example, from what the model said in both rounds."""

from collections.abc import Mapping, Sequence

from factable.metrics.ledger.audit import Audit
from factable.metrics.ledger.doubts import Doubts, uncovered_spans
from factable.metrics.ledger.features import NliAnswer, logit, rival_mentions, supporting_records
from factable.metrics.ledger.reading import CONNECTING, content_words, overlaps, word_runs
from factable.metrics.ledger.verdict import (
    Claim,
    ClaimState,
    Fact,
    FactState,
    Rules,
    Verdict,
    distinct_claims,
    label_of,
)
from factable.metrics.ledger.weights import probability
from factable.models.nli import CONTRADICTION, ENTAILMENT, NEUTRAL
from factable.text.values import Boolean, Date, Number, Relation
from factable.types import Span

# How sure the model must be that a text says something else in place of a fact.
SURE = 0.7
# Taking words away must help a sentence at least that much, in log odds, for them to be what is wrong.
MIN_GAIN = 1.0
MAX_WORDS_BETWEEN = 2
NOTES = {Relation.COARSER: "less exact", Relation.FINER: "more exact"}


def make_verdict(audit: Audit, doubts: Doubts, answers: Sequence[NliAnswer], rules: Rules) -> Verdict:
    """Settle every fact, then every claim of the text, then the verdict."""
    count = len(doubts.rivals)
    instead = _said_instead(doubts, answers[:count])
    facts = _facts(audit, rules, instead)
    claims = _claims(audit, rules, facts, _culprit_spans(audit, doubts, answers[count:]))
    required = frozenset(fact.record for fact in facts if fact.required)
    odds = audit.weights.odds("verdict", audit.verdict_features(required))
    # Without facts that must be said, only the sentences count.
    correct = audit.weights.odds("verdict", audit.verdict_features(frozenset()))
    return Verdict(
        text=audit.reading.text,
        table=audit.reading.example.table,
        label=label_of(facts, claims),
        probability=probability(odds),
        facts=facts,
        claims=claims,
        correct=probability(correct),
        opinions=audit.opinions,
    )


def _said_instead(doubts: Doubts, answers: Sequence[NliAnswer]) -> dict[int, tuple[Span, float]]:
    """For each fact the span that the text says in its place, where the model is sure of one."""
    instead: dict[int, tuple[Span, float]] = {}
    for rival, answer in zip(doubts.rivals, answers, strict=True):
        entailed = float(answer[ENTAILMENT])
        if entailed >= max(SURE, instead.get(rival.record, (rival.span, 0.0))[1]):
            instead[rival.record] = rival.span, entailed
    return instead


def _facts(audit: Audit, rules: Rules, instead: Mapping[int, tuple[Span, float]]) -> tuple[Fact, ...]:
    facts = []
    for index in audit.reading.indices:
        record = audit.reading.example.table.records[index]
        if rules.ignores(record):
            continue
        chance = probability(audit.facts[index])
        state, span, note = _settle(audit, index, chance >= rules.omission, instead)
        facts.append(Fact(index, state, span, chance, rules.selection.requires(record), note))
    return tuple(facts)


def _settle(
    audit: Audit, index: int, said: bool, instead: Mapping[int, tuple[Span, float]]
) -> tuple[FactState, Span | None, str]:
    """State, span and note of a fact."""
    reading, alignment = audit.reading, audit.alignment
    hit = alignment.hits.get(index)
    if said:
        if hit:
            return "supported", hit.span, NOTES.get(hit.relation, "")
        return "supported", _sentence_for(audit, index), "in other words"
    if index in instead:
        return "contradicted", instead[index][0], "the text says something else"
    if isinstance(reading.values[index][0], Number | Date) and hit is None:
        # A number for a number: no model is needed to tell them apart.
        rivals = rival_mentions(reading, index)
        if rivals:
            return "contradicted", rivals[0], "the text says something else"
    if index in alignment.misplaced:
        return "contradicted", alignment.misplaced[index], "said of another"
    denials = [each.span for each in reading.hits[index] if each.relation is Relation.DIFFERENT]
    if denials:
        return "contradicted", denials[0], "denied"
    answer = audit.fact_answers.get(index)
    if answer is not None and hit and answer[CONTRADICTION] > answer[NEUTRAL]:
        return "contradicted", hit.span, "the text says otherwise"
    # A yes or no has no value to look for.
    if answer is not None and isinstance(reading.values[index][0], Boolean) and answer[CONTRADICTION] > SURE:
        return "contradicted", _words_against(audit), "the text says otherwise"
    return "omitted", None, ""


def _words_against(audit: Audit) -> Span:
    """What in the most doubtful sentence the data does not have, or its gist."""
    sentence = min(audit.sentences, key=audit.sentences.__getitem__)
    uncovered = uncovered_spans(audit, sentence)
    return max(uncovered, key=lambda span: span[1] - span[0]) if uncovered else gist(audit, sentence)


def _sentence_for(audit: Audit, index: int) -> Span | None:
    """The sentence that shares most words with a fact that is said in other words."""
    reading = audit.reading
    words = {*reading.attribute_words[index], *reading.value_words(index)}

    def shared(span: Span) -> int:
        return sum(word.folded in words for word in reading.read.words if span[0] <= word.start < span[1])

    return max(reading.sentence_spans, key=shared, default=None)


def _culprit_spans(audit: Audit, doubts: Doubts, answers: Sequence[NliAnswer]) -> dict[Span, list[Span]]:
    """For each doubtful sentence the words without which it is clean, or much cleaner."""
    gains: dict[Span, list[tuple[float, Span]]] = {}
    order = dict(zip(audit.reading.sentence_spans, audit.sentence_answers, strict=True))
    for words, answer in zip(doubts.suspects, answers, strict=True):
        before = logit(float(order[words.sentence][ENTAILMENT]))
        gains.setdefault(words.sentence, []).append((logit(float(answer[ENTAILMENT])) - before, words.span))
    culprits = {}
    for sentence, of_spans in gains.items():
        best = max(of_spans)[0]
        culprits[sentence] = [span for gain, span in of_spans if gain >= max(MIN_GAIN, best / 2)]
    return culprits


def _claims(
    audit: Audit, rules: Rules, facts: Sequence[Fact], culprits: Mapping[Span, list[Span]]
) -> tuple[Claim, ...]:
    """Every claim of the text, in order, without overlaps; doubtful ones go first where two compete."""
    against = {fact.span: fact for fact in facts if fact.state == "contradicted" and fact.span}
    bad = [
        Claim(*span, "contradicted", (fact.record,), fact.probability, fact.note)
        for span, fact in against.items()
    ]
    for sentence, odds in audit.sentences.items():
        if probability(odds) < rules.hallucination:
            bad += _bad_in(audit, sentence, culprits.get(sentence, []), bad)
    bad = _joined(audit, bad)
    good = [
        Claim(*fact.span, "supported", (fact.record,), fact.probability, fact.note)
        for fact in facts
        if fact.state == "supported" and fact.span and fact.note != "in other words"
    ]
    good += [
        Claim(*span, "supported", supporting_records(audit.reading, span), probability(odds))
        for span, odds in audit.mentions.items()
    ]
    kept = distinct_claims([*bad, *good])
    clean = [
        sentence for sentence, odds in audit.sentences.items() if probability(odds) >= rules.hallucination
    ]
    phrases = [claim for sentence in clean for claim in _phrases(audit, sentence, kept)]
    return tuple(sorted([*kept, *phrases]))


def _phrases(audit: Audit, sentence: Span, claims: Sequence[Claim]) -> list[Claim]:
    """What else a clean sentence says: runs of words that are no value, by the records named in it."""
    inside = [claim for claim in claims if overlaps(claim.span, sentence)]
    words = [
        word
        for word in content_words(audit.reading, sentence)
        if not any(overlaps((word.start, word.end), claim.span) for claim in inside)
    ]
    records = tuple(
        sorted({index for claim in inside if claim.state == "supported" for index in claim.records})
    )
    chance = probability(audit.sentences[sentence])
    return [Claim(*span, "supported", records, chance) for span in word_runs(audit.reading, words)]


def _bad_in(audit: Audit, sentence: Span, culprits: Sequence[Span], known: Sequence[Claim]) -> list[Claim]:
    """What is wrong with a doubtful sentence: values, else words the data does not have, else its gist."""
    chance = probability(audit.sentences[sentence])
    values = [span for span in audit.mentions_in(sentence) if audit.mentions[span] < 0]
    claims = [Claim(*span, "unsupported", (), probability(audit.mentions[span])) for span in values]
    claims += [Claim(*span, "unsupported", (), chance) for span in culprits]
    if claims or any(overlaps(claim.span, sentence) for claim in known):
        return claims
    uncovered = uncovered_spans(audit, sentence)
    answer = audit.sentence_answers[audit.reading.sentence_spans.index(sentence)]
    state: ClaimState = "contradicted" if answer[CONTRADICTION] > answer[NEUTRAL] else "unsupported"
    return [Claim(*span, state, (), chance) for span in uncovered or [gist(audit, sentence)]]


def gist(audit: Audit, sentence: Span) -> Span:
    """The longest stretch of a sentence between values of the data: what it says of them."""
    reading = audit.reading
    hits = [hit.span for hits in [*reading.hits.values(), *reading.subjects.values()] for hit in hits]
    stretches, start = [], None
    for word in reading.read.words:
        if not sentence[0] <= word.start < sentence[1]:
            continue
        if any(overlaps((word.start, word.end), hit) for hit in hits):
            start = None
            continue
        start = word.start if start is None else start
        stretches.append((start, word.end))
    return max(stretches, key=lambda span: span[1] - span[0], default=sentence)


def _joined(audit: Audit, claims: Sequence[Claim]) -> list[Claim]:
    """Doubtful claims with hardly a word between them as one: "California band Grateful Dead"."""
    text = audit.reading.text
    joined: list[Claim] = []
    for claim in sorted(claims):
        last = joined[-1] if joined else None
        if last and claim.start <= last.end:
            joined[-1] = last._replace(end=max(last.end, claim.end))
            continue
        between = text[last.end : claim.start].split() if last else []
        near = last is not None and len(between) <= MAX_WORDS_BETWEEN
        plain = near and not any(mark in word for word in between for mark in ",.;:!?()")
        alone = plain and last is not None and last.state == claim.state == "unsupported"
        supported = alone and any(
            word.lower() not in CONNECTING and _is_said(audit, word) for word in between
        )
        if last and alone and not supported:
            joined[-1] = last._replace(end=claim.end, probability=min(last.probability, claim.probability))
        else:
            joined.append(claim)
    return joined


def _is_said(audit: Audit, word: str) -> bool:
    return word.lower() in audit.reading.data_words
