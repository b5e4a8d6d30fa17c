import pytest

from factable.io.data import make_table
from factable.metrics.ledger import reading as reading_module
from factable.metrics.ledger.alignment import align_records
from factable.metrics.ledger.features import rival_mentions
from factable.metrics.ledger.reading import Reading
from factable.models.templates import load_templates
from factable.types import Example


def read(data, text):
    return Reading.of(Example("", "", text, make_table(data)), load_templates("default"))


JOBS = {"jobs": [{"company": "Acme", "year": 2010}, {"company": "Globex", "year": 2015}]}
LIFE = [["See", "birthPlace", "Dallas"], ["See", "deathPlace", "St. Louis"]]
DEGREES = [["Oslo", "temperature", "12"], ["Rome", "temperature", "25"]]
AGES = [["Bob", "age", "25"], ["Ann", "age", "30"]]


@pytest.mark.parametrize(
    ("data", "text", "misplaced"),
    [
        (AGES, "Bob is 25 and Ann is 30.", []),
        (AGES, "Ann is 25 and Bob is 30.", [0, 1]),
        (AGES, "Bob and Ann are 25 and 30 respectively.", []),
        (AGES, "Ann and Bob are 25 and 30 respectively.", [0, 1]),
        (AGES, "Bob likes chess. He is 25. Ann is 30.", []),
        (AGES, "Ann likes chess. She is 25. Bob is 30.", [0, 1]),
        # The value comes before its subject.
        (DEGREES, "It is 12 in Oslo and 25 in Rome.", []),
        (DEGREES, "It is 25 in Oslo and 12 in Rome.", [0, 1]),
        # One subject only is named: nobody else can be meant.
        (AGES, "Bob is 25.", []),
        # Other attributes do not compete.
        ([["Bob", "age", "25"], ["Ann", "score", "30"]], "Ann is 25 and Bob is 30.", []),
        # Members of a list of objects are about the first value of their object.
        (LIFE, "See was born in Dallas and died in St. Louis.", []),
        (LIFE, "See was born in St. Louis and died in Dallas.", [0, 1]),
        (LIFE, "See died in St. Louis; born in Dallas, he was a pilot.", []),
        (LIFE, "See lived in St. Louis and Dallas.", []),
        (JOBS, "Acme in 2015, then Globex in 2010.", [1, 3]),
    ],
)
def test_a_value_said_of_something_else_is_misplaced(data, text, misplaced):
    assert sorted(align_records(read(data, text)).misplaced) == misplaced


def test_facts_are_told_in_the_words_of_the_text():
    reading = read([["Berlin", "population", "3645000"]], "About 3.6 million people live in Berlin.")
    assert align_records(reading).sentences == {0: "The population of Berlin is About 3.6 million."}


def test_a_value_that_the_text_does_not_say_stays_as_it_is():
    reading = read([["Berlin", "population", "3645000"]], "About 4.6 million people live in Berlin.")
    assert align_records(reading).sentences == {0: "The population of Berlin is 3645000."}


def test_the_support_of_each_mention_is_looked_for_once(monkeypatch):
    """However many facts ask for it: a box score has hundreds."""
    looked = []

    def count(span, hits, best=reading_module._best_support):
        looked.append(span)
        return best(span, hits)

    monkeypatch.setattr(reading_module, "_best_support", count)
    reading = read([[f"Player {n}", "points", str(n + 20)] for n in range(50)], "Ann had 5 and Bob 7.")
    rivals = [rival_mentions(reading, index) for index in reading.indices]
    assert rivals == [rivals[0]] * 50
    assert sorted(looked) == sorted(reading.mentions)
