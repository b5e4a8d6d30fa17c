"""CS, RG, RG-F and CO on worked examples."""

import pytest

from factable.core.registry import parse
from factable.types import Example, Record, Table

TABLE = Table(
    (
        Record("James Watson", "born", "1838-01-28"),
        Record("James Watson", "birthPlace", "Fingal, Ontario"),
        Record("James Watson", "field", "astronomy"),
    )
)
BORN, PLACE, FIELD = TABLE.records


def example(text, *references, table=TABLE):
    return Example("1", "", text, table, references)


def test_relation_generation_by_hand():
    # Two of three pairs are in the data: Paris is not.
    text = "James Watson was born on January 28, 1838 and worked in astronomy in Paris."
    scores = parse("rg").score([example(text)])
    assert scores.values[0] == pytest.approx(2 / 3)
    assert (scores.parts["correct"][0], scores.parts["extracted"][0]) == (2, 3)
    f = parse("rg_f").score([example(text)])
    assert f.values[0] == pytest.approx(2 / 3)
    assert (f.parts["precision"][0], f.parts["recall"][0]) == pytest.approx((2 / 3, 2 / 3))


def test_a_corpus_counts_pairs_not_texts():
    texts = [
        "James Watson, an astronomy man.",
        "James Watson, born in 1838 in Rome, met Ada Lovelace in Paris.",
    ]
    scores = parse("rg").score([example(text) for text in texts])
    assert list(scores.values) == pytest.approx([1, 1 / 4])
    assert scores.corpus == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    ("matching", "share"),
    [("value", 1.0), ("normalised", 2 / 3), ("exact", 1 / 3)],
)
def test_when_values_are_the_same(matching, share):
    text = "James Watson was born on January 28, 1838 in Fingal Ontario, and did astronomy."
    assert parse(f'rg(matching="{matching}")').score([example(text)]).values[0] == pytest.approx(share)


def test_content_selection_by_hand():
    text = "James Watson was born in 1838 and did astronomy."
    reference = "James Watson was born in Fingal on January 28, 1838."
    scores = parse("cs").score([example(text, reference)])
    # One pair of two is that of the reference (a year says less than a day, and is right).
    assert (scores.parts["precision"][0], scores.parts["recall"][0]) == (0.5, 0.5)
    # The best reference counts.
    better = parse("cs").score([example(text, reference, "He did astronomy in 1838.")])
    assert better.values[0] == 1


def test_content_selection_compares_what_no_data_has():
    scores = parse("cs").score([example("He met Ada Lovelace.", "They met Ada Lovelace in Paris.")])
    assert scores.values[0] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("In 1838, in Fingal, astronomy.", 1.0),
        # Neighbours swapped: one edit of three.
        ("In Fingal, in 1838, astronomy.", 2 / 3),
        # The first is last: dropped and added, two edits.
        ("In Fingal, astronomy, 1838.", 1 / 3),
        ("In 1838, in Fingal.", 2 / 3),
        ("Nothing.", 0.0),
    ],
)
def test_content_ordering_by_hand(text, value):
    scores = parse("co").score([example(text, "In 1838, in Fingal, he did astronomy.")])
    assert scores.values[0] == pytest.approx(value)


def test_texts_without_pairs():
    assert parse("rg").score([example("Nothing at all.")]).values[0] == 0
    assert parse("co").score([example("Nothing.", "nothing either")]).values[0] == 1
    # A reference in which nothing is found does not count beside one in which something is.
    both = example("", "nothing", "In 1838 in Fingal.")
    assert parse("cs").score([both]).values[0] == parse("co").score([both]).values[0] == 0


def test_a_repeated_record_counts_once():
    table = Table((FIELD, FIELD))
    scores = parse("rg_f").score([example("He did astronomy, yes, astronomy.", table=table)])
    assert scores.values[0] == 1


def test_findings_name_the_pairs():
    text = "James Watson did astronomy in Paris."
    (findings,) = parse("rg_f").score([example(text)], explain=True).findings
    said = [
        (finding.kind, finding.record, text[slice(*finding.span)] if finding.span else None, finding.note)
        for finding in findings
    ]
    assert said == [
        ("supported", 2, "astronomy", "James Watson | field | astronomy"),
        ("unsupported", None, "Paris", "Paris"),
        ("omitted", 0, None, "James Watson | born | 1838-01-28"),
        ("omitted", 1, None, "James Watson | birthPlace | Fingal, Ontario"),
    ]
    reference = "He was born in 1838 and did astronomy."
    (findings,) = parse("cs").score([example(text, reference)], explain=True).findings
    assert [(finding.kind, finding.record) for finding in findings] == [
        ("supported", 2),
        ("unsupported", None),
        ("omitted", 0),
    ]


def test_slots_of_a_closed_domain():
    table = Table((Record("", "name", "Aromi"), Record("", "food", "French")))
    text = "Aromi serves Indian food by the river."
    scores = parse('rg_f(extractor="e2e")').score([example(text, table=table)])
    assert (scores.parts["precision"][0], scores.parts["recall"][0]) == (pytest.approx(1 / 3), 0.5)
