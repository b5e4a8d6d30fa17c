"""Putting units together: whatever the units, the same scores, faults and reports."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factable
from factable.core.registry import parse
from factable.engine.collect import collect
from factable.engine.plan import Batch, Plan, by_line, score_unit
from factable.engine.score import parse_all, score_files
from factable.engine.sources import check_needs, iter_units
from factable.errors import DataError, Fault, UsageError
from factable.types import Example, Record, Table

PARENT = parse("parent")


def example(item, system="s", references=("a c",), text="a b c"):
    return Example(str(item), system, text, Table((Record("a", "b", "c"),)), tuple(references))


def batches(examples, size, source="x.jsonl"):
    for start in range(0, len(examples), size):
        part = examples[start : start + size]
        yield Batch(source, "line", list(range(start + 1, start + 1 + len(part))), part, [])


def gather(units, *, metrics=(PARENT,), skip_bad=False, listener=len):
    plan = Plan(tuple(metrics))
    return collect(
        plan, (score_unit(plan, unit) for unit in units), "x.jsonl", skip_bad=skip_bad, listener=listener
    )


items = st.lists(
    st.tuples(st.integers(0, 5), st.sampled_from("st"), st.integers(0, 3), st.sampled_from(["a", "b c", ""])),
    min_size=1,
    max_size=12,
)


@given(items, st.integers(1, 5))
@settings(max_examples=150)
def test_units_of_any_size_give_what_unique_examples_give(drawn, size):
    examples = [example(item, system, ["a c"] * count, text) for item, system, count, text in drawn]
    unique = list({(each.item, each.system): each for each in reversed(examples)}.values())[::-1]
    unique.sort(key=examples.index)
    if not any(each.references for each in unique):
        return
    heard = []
    result = gather(batches(examples, size), skip_bad=True, listener=lambda unit: heard.extend(unit.items))
    (scores,) = result.scores
    expected = PARENT.score(unique)
    assert (scores.signature, scores.corpus) == (expected.signature, expected.corpus)
    assert scores.values.tobytes() == expected.values.tobytes()
    assert scores.findings == expected.findings
    assert [result.systems[index] for index in result.system_of] == [each.system for each in unique]
    assert heard == [each.item for each in unique]
    assert result.skipped.total == len(examples) - len(unique)
    assert [fault.line for fault in result.skipped.faults] == [
        index
        for index, each in enumerate(examples, 1)
        if (each.item, each.system) in {(other.item, other.system) for other in examples[: index - 1]}
    ][:10]


def test_a_unit_of_nothing_but_faults_moves_nothing():
    fault = Fault("x.jsonl", 1, "bad", "mend it")
    units = [Batch("x.jsonl", "line", [], [], [fault]), *batches([example(1), example(2)], 1)]
    result = gather(units, skip_bad=True)
    assert "|refs:1|unscored:0|" in result.scores[0].signature
    assert result.skipped == (1, (fault,))
    heard = []
    with pytest.raises(DataError) as caught:
        gather(units, listener=heard.append)
    assert caught.value.faults == (fault,)
    assert not heard


def test_the_tenth_fault_ends_the_run():
    asked = []

    def units():
        for number in range(1, 100):
            asked.append(number)
            yield Batch("x.jsonl", "line", [], [], [Fault("x.jsonl", number, "bad", "mend it")])

    with pytest.raises(DataError) as caught:
        gather(units())
    assert [fault.line for fault in caught.value.faults] == list(range(1, 11))
    assert asked[-1] == 10


def test_faults_and_repeats_of_one_unit_in_line_order():
    faults = [Fault("x.jsonl", line, "bad", "mend it") for line in (2, 5)]
    unit = Batch("x.jsonl", "line", [1, 3, 4, 6], [example(1), example(1), example(2), example(2)], faults)
    with pytest.raises(DataError) as caught:
        gather([unit])
    assert [fault.line for fault in caught.value.faults] == [2, 3, 5, 6]
    named = [Fault(f"x.json: element {number}", None, "bad", "mend it") for number in (11, 2, 1)]
    assert by_line(named) == named[::-1]


def test_what_no_example_has_is_refused_before_scoring_whatever_the_units():
    bare = [example(number, references=()) for number in range(3)]
    for size in (1, 2, 3):
        with pytest.raises(DataError, match=r"x\.jsonl:1: no references, but metric parent needs them"):
            next(check_needs(batches(bare, size), [PARENT]))
        units = list(batches([*bare, example(9), example(10)], size))
        assert list(check_needs(iter(units), [PARENT])) == units
        result = gather(units)
        assert sum(map(math.isnan, result.scores[0].values)) == 3


def test_needs_are_settled_by_the_first_unit_that_has_them():
    asked = []

    def units():
        for unit in batches([example(number) for number in range(5)], 1):
            asked.append(unit)
            yield unit

    next(check_needs(units(), [PARENT]))
    assert len(asked) == 1


def test_lists_are_cut_into_batches_of_bounded_size():
    examples = [example(number) for number in range(2500)]
    units = list(iter_units([examples]))
    assert [len(unit.examples) for unit in units] == [1024, 1024, 452]
    assert [line for unit in units for line in unit.lines] == list(range(1, 2501))


@pytest.mark.parametrize("jobs", [1, 2])
def test_score_in_python(tmp_path, jobs):
    examples = [example(number, text="a " * number) for number in range(2000)]
    scores = factable.score(examples, ["parent", PARENT, "parent(mix=0.5)"], jobs=jobs)
    assert list(scores) == ["parent", "parent(mix=0.5)"]
    assert scores["parent"].values.tobytes() == PARENT.score(examples).values.tobytes()
    names = {"items": tuple(map(str, range(2000))), "systems": ("s",) * 2000}
    assert scores["parent"] == replace(PARENT.score(examples), **names)
    path = tmp_path / "x.jsonl"
    path.write_text('{"id": "1", "text": "a", "data": {"b": "c"}, "references": ["c"]}\n')
    assert factable.score(path, ["parent"], jobs=jobs) == factable.score(str(path), ["parent"])


def test_misuse_in_python():
    with pytest.raises(UsageError, match="jobs is 0; give 1 or more"):
        score_files([[example(1)]], [PARENT], jobs=0)
    with pytest.raises(UsageError, match="no metric 'nothing'"):
        factable.score([example(1)], ["nothing"])
    with pytest.raises(DataError, match="nowhere: No such file"):
        factable.score(Path("nowhere"), ["parent"])
    with pytest.raises(DataError, match="list: holds no examples"):
        factable.score([], ["parent"])


def test_metrics_are_taken_once_and_in_order():
    assert parse_all(["parent(mix=0.5)", "parent", PARENT, "parent( mix=0.5 )"]) == [
        parse("parent(mix=0.5)"),
        PARENT,
    ]


def test_explaining_adds_to_reasons():
    scores = factable.score([example(1), example(2, references=())], ["parent"], explain=True)["parent"]
    assert [finding.kind for finding in scores.findings[0]] == ["supported", "unsupported"]
    assert scores.findings[1][0].kind == "unscored"
    assert len(scores.findings[1]) > 1
