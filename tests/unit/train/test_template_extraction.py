"""Templates extracted from texts that say one fact each."""

import pytest

from factable.train.templates import delexicalise, extract_templates, pick_templates, reads_well
from factable.types import Example, Record, Table

ADA = Record("Ada_Lovelace", "birthPlace", '"London"')


@pytest.mark.parametrize(
    ("text", "record", "template"),
    [
        ("Ada Lovelace was born in London.", ADA, "<subject> was born in <object>."),
        ("London is where ada  lovelace was born", ADA, "<object> is where <subject> was born."),
        # Much alike is enough, and accents do not matter.
        ("Ada Lovlace was born in Londôn.", ADA, "<subject> was born in <object>."),
        (
            "Ada was born on December 10th, 1815.",
            Record("Ada", "birthDate", "1815-12-10"),
            "<subject> was born on <object>.",
        ),
        (
            "Aarhus has 273,077 people.",
            Record("Aarhus", "population", "273077"),
            "<subject> has <object> people.",
        ),
        ("Bo (band) plays pop.", Record("Bo (band)", "genre", "pop"), "<subject> plays <object>."),
        ("The price is £20.", Record("", "price", "£20"), "The price is <object>."),
        # Not there, or something of the one fact left over.
        ("Ada Lovelace was born in Paris.", ADA, None),
        ("London is a city.", ADA, None),
        ("Ada Lovelace, a Lovelace, was born in London.", ADA, None),
        ("Ada Lovelace was born in London in 1815.", ADA, None),
        ("Ada Lovelace of Babbage fame was born in London.", ADA, None),
        ("", ADA, None),
        ("Ada Lovelace was born in London." + " So they say." * 10, ADA, None),
        ("Ada Lovelace was born.", Record("Ada Lovelace", "birthPlace", ""), None),
    ],
)
def test_delexicalise(text, record, template):
    assert delexicalise(text, record) == template


def example(number, record, *references, text=""):
    return Example(str(number), "", text, Table((record,)), references)


def test_extracted_per_attribute_the_most_shared_first():
    others = [Record("Bo Li", "birthPlace", "Rome"), Record("Cy Ray", "birthPlace", "Oslo")]
    corpus = [
        example(1, ADA, "Ada Lovelace was born in London.", "London saw Ada Lovelace first."),
        example(2, others[0], "Bo Li was born in Rome.", "Bo Li was born in Rome."),
        example(3, others[1], text="Cy Ray comes from Oslo."),
        Example("4", "", "", Table((ADA, others[0])), ("Ada Lovelace was born in London, Bo Li in Rome.",)),
    ]
    assert extract_templates(corpus) == {
        "birthPlace": [
            "<subject> was born in <object>.",
            "<subject> comes from <object>.",
            "<object> saw <subject> first.",
        ]
    }


def test_plain_data_is_about_what_names_it():
    table = Table((Record("", "name", "Aromi"), Record("", "food", "French")))
    corpus = [Example("1", "", "", table, ("Aromi has French food.",))]
    assert extract_templates(corpus) == {"food": ["<subject> has <object> food."]}


@pytest.mark.parametrize(
    "template",
    [
        "<subject> was born in <object>.",
        "The capital of <subject> is <object>.",
        'The motto of <subject> is "<object>".',
        "There are <object> floors in <subject>.",
        "<subject> (the book) won the <object>!",
    ],
)
def test_templates_that_read_well(template):
    assert reads_well(template)


@pytest.mark.parametrize(
    "template",
    [
        "the capital of <subject> is <object>.",
        "The capital of <subject> is <object>",
        "The capital of of <subject> is <object>.",
        "The capital of <subject>) is <object>.",
        'The motto of <subject> is <object>".',
        "It is <object> in <subject>.",
        "And <subject> is in <object>.",
        "<subject> in <object>.",
        "The capital of <subject>, is <object>,.",
        "The capital of <subject> , is <object>.",
    ],
)
def test_templates_that_do_not(template):
    assert not reads_well(template)


def test_the_best_come_first_and_none_is_lost():
    templates = {
        "birthPlace": [
            "<subject> was born in <object>",
            "<object> was never seen by <subject>.",
            "<subject> was born in <object>.",
        ]
    }
    texts = ["Ada Lovelace was born in London.", "The birth place of Ada Lovelace is London."]
    picked = pick_templates(templates, [example(1, ADA, *texts)], "nli")
    assert picked["birthPlace"] == [
        "<subject> was born in <object>.",
        "<object> was never seen by <subject>.",
        "<subject> was born in <object>",
    ]


def test_nothing_to_pick_from():
    assert extract_templates([]) == {}
    assert pick_templates({}, [], "nli") == {}
