import numpy as np
import pytest

from factable.train.ledger import LedgerCase, fit_weights
from factable.train.perturbations import FAULTS, ORIGINAL, FaithfulCorpus, make_faults, swap
from factable.types import Example, Record, Table

PEOPLE = (("Ann Lee", "Oslo", "1980"), ("Bob Roe", "Rome", "1991"), ("Cy Poe", "Bern", "1975"))
LIVES = (("Dee Fox", "Cork", "chess"), ("Eve Orr", "Lima", "golf"))


def corpus():
    births = [
        Example(
            name,
            "",
            "",
            Table(
                (
                    Record(name, "birthPlace", city),
                    Record(name, "birthYear", year),
                    Record(name, "isRich", "yes"),
                )
            ),
            references=(f"{name} was born in {city} in {year}. {name} is rich.",),
        )
        for name, city, year in PEOPLE
    ]
    lives = [
        Example(
            name,
            "",
            "",
            Table((Record(name, "home", city), Record(name, "hobby", hobby))),
            references=(f"{name} lives in {city} and plays {hobby}.",),
        )
        for name, city, hobby in LIVES
    ]
    return births + lives


def test_every_fault_is_where_it_says():
    made = make_faults(corpus(), 0)
    assert {one.kind for one in made} >= {
        ORIGINAL,
        "omit",
        "swap",
        "digit",
        "add",
        "foreign",
        "attribute",
        "deny",
    }
    originals = {one.example.item: one.example for one in made if one.kind == ORIGINAL}
    for one in made:
        before = originals[one.example.item]
        if one.kind in ("swap", "digit", "subject"):
            start, end = one.span
            assert one.example.text[start:end] not in before.text
            assert one.example.text[:start] == before.text[:start]
        if one.kind == "add":
            assert len(one.example.table.records) == len(before.table.records) - 1
        if one.kind == "omit":
            (index,) = one.unstated
            assert one.example.table.records[index].value not in one.example.text


def test_faults_depend_on_the_seed_alone():
    assert make_faults(corpus(), 3) == make_faults(corpus(), 3)
    assert set(FAULTS) >= {one.kind for one in make_faults(corpus(), 3)} - {ORIGINAL}


def test_a_fault_that_cannot_be_put_in_is_none():
    lonely = Example(
        "1", "", "Ann is here.", Table((Record("Ann", "place", "somewhere else"),)), ("Ann is here.",)
    )
    assert swap(FaithfulCorpus([lonely], 0), lonely) is None


def test_fit_finds_the_odds_of_made_up_cases():
    draw = np.random.default_rng(0)
    columns = draw.normal(size=(20_000, 2))
    chances = 1 / (1 + np.exp(-(0.5 + 2 * columns[:, 0] - 1 * columns[:, 1])))
    labels = draw.random(20_000) < chances
    cases = [
        LedgerCase({"entailed": a, "contradiction": b}, bool(label))
        for (a, b), label in zip(columns, labels, strict=True)
    ]
    weights = fit_weights(cases)
    assert weights == pytest.approx({"bias": 0.5, "entailed": 2, "contradiction": -1}, abs=0.1)


def test_fit_keeps_signs_that_make_sense():
    cases = [
        LedgerCase({"entailed": float(index % 7), "denied": float(index % 2)}, index % 2 == 1)
        for index in range(100)
    ]
    assert fit_weights(cases)["denied"] == 0.0
