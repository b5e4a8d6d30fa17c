"""Slot errors by hand: counts, labels, findings, and what the default does better than the original."""

import pytest

from factable.core.registry import parse
from factable.io.data import parse_e2e
from factable.types import Example, Record, Table

METRIC = parse("slot_error")


def example(data, text):
    records = parse_e2e(data) if isinstance(data, str) else data
    return Example("1", "", text, Table(tuple(records)))


def counts(data, text, metric=METRIC):
    parts = metric.score([example(data, text)]).parts
    return {name: column[0] for name, column in parts.items() if column[0]}


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        ("name[Aromi], food[French]", "Aromi serves French food.", {}),
        ("name[Aromi], food[French]", "Aromi is nice.", {"missing": 1, "omission": 1}),
        ("name[Aromi]", "Aromi serves French food.", {"added": 1, "hallucination": 1}),
        (
            "name[Aromi], food[French]",
            "Aromi serves Indian food.",
            {"wrong": 1, "omission": 1, "hallucination": 1},
        ),
        (
            "name[Aromi], food[French], area[riverside]",
            "Aromi serves French food. It is a French place.",
            {"missing": 1, "omission": 1, "repeated": 1},
        ),
        # A name is no repetition, nor is what one sentence says twice.
        ("name[Aromi], customer rating[low]", "Aromi has a low rating of 1 out of 5. Aromi!", {}),
        # A food in a name is none.
        ("name[Aromi], near[Raja Indian Cuisine]", "Aromi is near Raja Indian Cuisine.", {}),
        # What a word means depends on the data.
        ("name[Aromi], priceRange[less than £20]", "Aromi is cheap.", {}),
        ("name[Aromi], priceRange[cheap]", "Aromi is cheap.", {}),
        ("name[Aromi], priceRange[£ 20 - 25]", "Aromi is a mid-priced place.", {}),
        ("name[Aromi], familyFriendly[no]", "Aromi is not a place for kids.", {}),
        ("name[Aromi], familyFriendly[no]", "Aromi: children are not welcome.", {}),
        ("name[Aromi], familyFriendly[no]", "Aromi: kids are prohibited.", {}),
        ("name[Aromi]", "Aromi is adult free.", {}),
        # Words of the rating are no price, and a price is no average.
        ("name[Aromi], customer rating[high]", "Aromi is priced well and has high ratings.", {}),
        ("name[Aromi], priceRange[cheap]", "The average cost of a meal at Aromi is less than £20.", {}),
        ("name[Aromi], priceRange[high]", "At Aromi prices tend to be high.", {}),
        ("name[Aromi], priceRange[moderate]", "Aromi is moderately expensive.", {}),
        # "The pub" speaks of what was said; "a pub" says it again, and so does the predicate of "the price".
        ("name[Aromi], eatType[pub]", "Aromi is a pub. This old little pub is nice. The pub is old.", {}),
        ("name[Aromi], eatType[pub]", "Aromi is a pub. It is a nice pub.", {"repeated": 1}),
        ("name[Aromi], priceRange[cheap]", "Aromi is cheap. The food is cheap.", {"repeated": 1}),
    ],
)
def test_counts_by_hand(data, text, expected):
    assert counts(data, text) == expected


def test_values_that_no_pattern_knows_are_looked_for_as_values():
    data = [Record("", "name", "Watson"), Record("", "born", "1838-01-28")]
    assert counts(data, "Watson was born on January 28, 1838.") == {}
    assert counts(data, "Watson was born on January 29, 1838.") == {"missing": 1, "omission": 1}


def test_the_rate_of_a_corpus_is_all_errors_by_all_slots():
    scores = METRIC.score(
        [
            example("name[Aromi], food[French], area[riverside], eatType[pub]", "Aromi is a pub."),
            example("name[Aromi]", "Aromi."),
        ]
    )
    assert list(scores.values) == [0.5, 0.0]
    assert scores.corpus == pytest.approx(2 / 5)
    assert scores.corpus_parts["missing"] == 1


def test_the_original_program_counts_repeats_of_one_value_only():
    original = parse('slot_error(compat="e2e")')
    twice = "Aromi has a low rating. It has a low rating. It serves French food. It serves French food."
    data = "name[Aromi], food[French], customer rating[low]"
    assert counts(data, twice, original) == {"repeated": 1, "hallucination": 1}
    assert counts(data, twice) == {"repeated": 2}
    assert counts("name[Aromi]", "Aromi: low rating, low rating", original)["added"] == 1


def test_findings_name_records_and_words():
    text = "Aromi serves Indian food. Aromi is a pub in the city centre, a pub."
    data = "name[Aromi], food[French], eatType[pub], near[Ranch]"
    (findings,) = METRIC.score([example(data, text)], explain=True).findings
    said = [
        (finding.kind, finding.record, text[slice(*finding.span)] if finding.span else None, finding.note)
        for finding in findings
    ]
    assert said == [
        ("supported", 0, "Aromi", ""),
        ("contradicted", 1, "Indian", "says Indian"),
        ("supported", 2, "pub", ""),
        ("omitted", 3, None, ""),
        ("unsupported", None, "city centre", "says area: city centre"),
    ]
