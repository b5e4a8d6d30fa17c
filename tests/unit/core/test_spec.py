"""Spec text, signatures and errors, as values that travel."""

import pickle
from array import array
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factable.core.metric import Metric, metric, param
from factable.core.registry import BUILT_IN, load, parse
from factable.core.results import Analysis
from factable.core.signature import sign, spec
from factable.errors import (
    DataError,
    FactableError,
    Fault,
    MissingExtraError,
    UsageError,
    did_you_mean,
    printable,
)

MODES = {"plain": "sweet", "strong": "sour"}
ODD = [
    "",
    "a b",
    'say "so"',
    "it's",
    "back\\slash",
    "C:\\new",
    "tab\t\n",
    "\x00\x1b[2J",
    "愛 \u202e é",
    "\udce9",
    "👩\u200d👧",
]


@metric
class Toy(Metric):
    """A metric with every kind of parameter."""

    name = "toy"
    version = 3
    higher_is_better = False
    needs = frozenset()

    word: str = param("default", "any text")
    number: float = param(1.0, "any number", range=(-1e300, 1e300))
    flag: bool = param(False, "yes or no")
    mode: str = param("", "follows from flavour", choices=("sweet", "sour"), follows=("flavour", MODES))
    flavour: str = param("plain", "a choice", choices=MODES)
    maybe: int | str = param("auto", "a choice or a whole number", choices=("auto",), range=(0, 1000))

    def analyse(self, examples, state=None):
        return Analysis(array("d", [0.0] * len(examples)))


@pytest.fixture
def toy(monkeypatch):
    """The toy metric, registered for one test."""
    monkeypatch.setitem(BUILT_IN, "toy", f"{__name__}:Toy")
    load.cache_clear()
    yield
    load.cache_clear()


PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "word": st.one_of(st.sampled_from(ODD), st.text(st.characters())),
        "number": st.floats(-1e300, 1e300),
        "flag": st.booleans(),
        "mode": st.sampled_from(["sweet", "sour"]),
        "flavour": st.sampled_from(list(MODES)),
        "maybe": st.one_of(st.just("auto"), st.integers(0, 1000)),
    },
)


@pytest.mark.usefixtures("toy")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PARAMETERS)
def test_any_parameters_come_back(arguments):
    metric = Toy(**arguments)
    text = spec(metric)
    assert parse(text) == metric
    assert parse(f"  {text}\n") == metric
    assert text.isprintable()
    assert sign(metric).isprintable()
    assert sign(metric).count("|") == 8


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("word", ODD)
def test_odd_words_come_back(word):
    assert parse(spec(Toy(word=word))) == Toy(word=word)


def test_spec_leaves_defaults_out():
    assert spec(Toy()) == "toy"
    assert spec(Toy(flag=True)) == "toy(flag=True)"
    assert spec(Toy(word='say "so"', maybe=3)) == r'toy(word="say \"so\"", maybe=3)'


def test_a_default_may_follow_from_another_parameter():
    assert Toy(flavour="strong").mode == "sour"
    assert spec(Toy(flavour="strong")) == spec(Toy(flavour="strong", mode="sour")) == 'toy(flavour="strong")'
    assert spec(Toy(mode="sour")) == 'toy(mode="sour")'


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        ({"word": 1}, "word is 1; it must be a string"),
        ({"number": "1"}, "number is '1'; it must be a number from -1e+300 to 1e+300"),
        ({"number": True}, "number is True; it must be a number from -1e+300 to 1e+300"),
        ({"flag": 1}, "flag is 1; it must be True or False"),
        ({"flavour": "hot"}, "flavour is 'hot'; it must be one of plain, strong"),
        ({"flavour": []}, "flavour is []; it must be one of plain, strong"),
        ({"mode": 3}, "mode is 3; it must be one of sweet, sour"),
        ({"maybe": 1.5}, "maybe is 1.5; it must be auto or a whole number from 0 to 1000"),
        ({"maybe": 1001}, "maybe is 1001; it must be auto or a whole number from 0 to 1000"),
    ],
)
def test_values_that_are_not_allowed(arguments, allowed):
    with pytest.raises(UsageError) as error:
        Toy(**arguments)
    assert str(error.value) == f"toy: {allowed}"


def test_a_whole_number_is_a_number():
    assert sign(Toy(number=2)) == sign(Toy(number=2.0))


def test_a_bad_default_is_refused_where_it_is_declared():
    with pytest.raises(UsageError, match="share is 2; it must be a number from 0 to 1"):

        @metric
        class Wrong(Metric):
            name = "wrong"
            share: float = param(2, "too much", range=(0.0, 1.0))


def test_a_parameter_without_declaration_is_refused():
    with pytest.raises(UsageError, match=r"parameter share is not declared; write: share = param\("):

        @metric
        class Wrong(Metric):
            name = "wrong"
            share: float = 0.5


def test_parameters_that_go_together():
    metric = parse('parent(entailment="cooccurrence", counts="x.counts")')
    assert spec(metric) == 'parent(entailment="cooccurrence", counts="x.counts")'
    assert spec(parse('parent(compat="google")')) == 'parent(compat="google")'


@pytest.mark.parametrize(
    "text",
    ["parent", " parent ", "parent()", "parent( mix = 'auto' )", "parent(mix='auto', orders=4,)", "parent\n"],
)
def test_ways_to_write_the_default(text):
    assert spec(parse(text)) == "parent"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "parent(",
        "parent)",
        "parent parent",
        "parent; import os",
        "parent(0.5)",
        "parent(*[1])",
        "parent(**{})",
        "parent(mix=1, mix=0)",
        "parent(mix=x)",
        "parent(mix=1 if 1 else 0)",
        "parent(mix=__import__('os'))",
        "parent.mix",
        "a.parent(mix=1)",
        "lambda: 0",
        "(" * 10_000,
        "parent(mix=" + "-" * 100_000 + "1)",
        "parent(mix=" + "9" * 10_000 + ")",
        "par\x00ent",
        "\udce9",
    ],
)
def test_broken_specs_are_refused_and_never_run(text):
    with pytest.raises(UsageError, match="cannot read the metric"):
        parse(text)


def test_signature_of_facts_of_the_run():
    assert sign(Toy()).startswith(
        "toy|word:default|number:1.0|flag:False|mode:sweet|flavour:plain|maybe:auto|v:3|factable:"
    )
    assert "|refs:2|unscored:0|v:3|" in sign(Toy(), references=(2, 2), unscored=0)
    assert "|refs:0-3|unscored:7|v:3|" in sign(Toy(), references=(0, 3), unscored=7)


def test_signature_moves_with_bars_and_versions():
    signatures = {sign(Toy(word=word)) for word in ("a|b", "a/b", "a", "b", "", "a\nb")}
    assert len(signatures) == 6


FAULTS = [Fault(f"file{number}", number or None, f"found {number}\n", "do this") for number in range(15)]


@pytest.mark.parametrize(
    "error",
    [
        DataError(FAULTS),
        UsageError("no metric 'x'"),
        MissingExtraError("Parquet", "parquet"),
        FactableError("x"),
    ],
)
def test_errors_travel_between_processes(error):
    copied = pickle.loads(pickle.dumps(error))
    assert type(copied) is type(error)
    assert str(copied) == str(error)
    assert getattr(copied, "faults", None) == getattr(error, "faults", None)


def test_a_report_has_ten_lines():
    lines = str(DataError(FAULTS)).split("\n")
    assert len(lines) == 10
    assert lines[:2] == [r"file0: found 0\n; do this", r"file1:1: found 1\n; do this"]


def test_a_missing_extra_says_how_to_install_it():
    assert str(MissingExtraError("reading Parquet", "parquet")) == (
        "reading Parquet needs the extra 'parquet'; install it with: pip install 'factable[parquet]'"
    )


@given(st.text(st.characters()))
def test_printable_text_is_safe_to_show(text):
    assert printable(text).isprintable()
    assert printable(text) == text or not text.isprintable()


def test_hints():
    assert did_you_mean("mx", ["mix", "orders"]) == "did you mean 'mix'? "
    assert did_you_mean("zzz", ["mix", "orders"]) == ""


def test_a_value_with_other_parameters_is_another():
    assert replace(Toy(), flag=True) != Toy()
    assert hash(Toy(word="a")) == hash(Toy(word="a"))
