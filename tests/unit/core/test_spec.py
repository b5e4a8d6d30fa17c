"""Spec text, signatures and errors, as values that travel."""

import pickle
from array import array
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factable.core.metric import make_scores
from factable.core.registry import BUILT_IN, load, parse
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy:
    """A metric of every kind of parameter."""

    name: ClassVar[str] = "toy"
    version: ClassVar[int] = 3
    higher_is_better: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    parts: ClassVar[tuple[str, ...]] = ()
    shard_by: ClassVar[str] = "example"
    needs: ClassVar[frozenset[str]] = frozenset()

    word: str = "default"
    number: float = 1.0
    flag: bool = False
    several: tuple[str, ...] = ()
    maybe: int | None = None

    def checksums(self):
        return {}

    def score(self, examples):
        return make_scores(self, examples, array("d", [0.0] * len(examples)), {}, {})

    def explain(self, examples):
        return tuple(() for _ in examples)


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
        "number": st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "several": st.lists(st.text(), max_size=2).map(tuple),
        "maybe": st.one_of(st.none(), st.integers()),
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
    assert sign(metric).count("|") == 7


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("word", ODD)
def test_odd_words_come_back(word):
    assert parse(spec(Toy(word=word))) == Toy(word=word)


def test_spec_leaves_defaults_out():
    assert spec(Toy()) == "toy"
    assert spec(Toy(flag=True)) == "toy(flag=True)"
    assert spec(Toy(word='say "so"', maybe=3)) == r'toy(word="say \"so\"", maybe=3)'


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
        "toy|word:default|number:1.0|flag:False|several:()|maybe:None|v:3|factable:"
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
    assert (str(copied), copied.exit_code) == (str(error), error.exit_code)
    assert getattr(copied, "faults", None) == getattr(error, "faults", None)


def test_a_report_has_ten_lines():
    lines = str(DataError(FAULTS)).split("\n")
    assert len(lines) == 10
    assert lines[:2] == [r"file0: found 0\n; do this", r"file1:1: found 1\n; do this"]


def test_exit_codes():
    assert (DataError([]).exit_code, UsageError("").exit_code) == (1, 2)
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
