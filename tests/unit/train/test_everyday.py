"""Everyday records with texts: parts apart, paths and spans that lead somewhere, faults that are faults."""

import json
import re
from itertools import pairwise
from random import Random

import pytest
from click.testing import CliRunner

import factable
from factable.cli.main import cli
from factable.train.everyday import make_examples
from factable.train.everyday.derived import superlative
from factable.train.everyday.domains import load_part, wordings_of
from factable.train.everyday.fault_kinds import FAULTS
from factable.train.everyday.records import make_record
from factable.train.everyday.values import Value, another_number, say_money, say_rounded, say_value

PARTS = ("train", "test")


@pytest.fixture(scope="module", params=PARTS)
def examples(request):
    return list(make_examples(request.param, 1500, seed=5))


def look_up(data, path):
    for step in re.findall(r"[^.\[\]]+|\[\d+\]", path):
        data = data[int(step[1:-1])] if step.startswith("[") else data[step]
    return data


def test_parts_share_neither_domains_nor_wordings():
    names = {part: {domain.name for domain in load_part(part).domains} for part in PARTS}
    assert len(names["train"]) >= 20
    assert len(names["test"]) >= 10
    assert not names["train"] & names["test"]
    assert not wordings_of("train") & wordings_of("test")
    people = {part: set(load_part(part).names["surname"]) for part in PARTS}
    assert not people["train"] & people["test"]


@pytest.mark.parametrize("part", PARTS)
def test_every_attribute_can_be_said_in_more_than_one_way(part):
    for domain in load_part(part).domains:
        for entity in (domain.entity, domain.rows):
            for attribute in entity.attributes if entity else ():
                if attribute.kind != "hours":
                    assert len(attribute.say) > 1, (domain.name, attribute.name)


def test_a_seed_gives_the_same_examples():
    assert list(make_examples("train", 30, seed=3)) == list(make_examples("train", 30, seed=3))
    assert list(make_examples("train", 30, seed=3)) != list(make_examples("train", 30, seed=4))


def test_paths_of_sentences_lead_to_leaves(examples):
    for example in examples:
        assert example.sentences
        for sentence in example.sentences:
            for path in sentence.paths:
                assert not isinstance(look_up(example.data, path), dict | list), path


def test_sentences_follow_one_another(examples):
    for example in examples:
        end = 0
        for sentence in example.sentences:
            assert end <= sentence.span[0] < sentence.span[1] <= len(example.text)
            end = sentence.span[1]
        assert not re.search(r"[{}\[\]|\0]|  |\.\.|\bthe the\b", example.text), example.text


def test_wrong_words_are_whole_words_of_one_sentence(examples):
    for example in examples:
        if example.fault is None:
            continue
        assert bool(example.fault.spans) == (example.fault.kind != "omission")
        for start, end in example.fault.spans:
            assert example.text[start:end].strip() == example.text[start:end] != ""
            assert any(each.span[0] <= start and end <= each.span[1] for each in example.sentences)


def test_every_kind_of_fault_occurs(examples):
    found = {example.fault.kind for example in examples if example.fault}
    assert found >= set(FAULTS) - {"currency", "trend", "comparison"}
    assert 0.45 < sum(example.fault is None for example in examples) / len(examples) < 0.55


def test_faults_say_what_the_data_does_not(examples):
    for example in examples:
        fault = example.fault
        if fault is None:
            continue
        said = [example.text[start:end] for start, end in fault.spans]
        match fault.kind:
            case "null_claim":
                assert look_up(example.data, fault.path) is None
            case "negation":
                assert look_up(example.data, fault.path) in (True, False, "yes", "no", "Yes", "No")
            case "made_up_value":
                value = re.sub(r"^an? ", "", said[0])
                assert f'"{value}"' not in json.dumps(example.data, ensure_ascii=False)
            case "outside" | "made_up_feature":
                assert fault.path == ""
            case "omission":
                assert example.complete
                assert all(fault.path not in sentence.paths for sentence in example.sentences)
            case "exchanged_entities" | "exchanged_attributes":
                assert len(said) == 2


def test_complete_texts_are_about_every_known_fact(examples):
    technical = re.compile(r"^(id|url|image|updated|uuid|slug|source|version|external)", re.IGNORECASE)
    complete = [example for example in examples if example.complete and example.fault is None]
    assert complete
    for example in complete:
        said = {path for sentence in example.sentences for path in sentence.paths}
        for key, value in list(example.data.items())[1:]:
            if not isinstance(value, dict | list) and value is not None and not technical.match(key):
                assert key in said, (key, example.text)


@pytest.mark.parametrize("number", [1023, 1999, 23_477, 149_600, 998_400, 1_187_233, 64_875_979])
def test_rounded_numbers_hold(number):
    rng = Random(1)
    for _ in range(60):
        words, digits, scale = re.fullmatch(r"(\D*)([\d.,]+)( million)?", say_rounded(number, rng)).groups()
        said = float(digits.replace(",", "")) * (1e6 if scale else 1)
        assert said == pytest.approx(number, rel=0.05)
        if words.strip() in ("nearly", "just under"):
            assert said > number
        if words.strip() in ("over", "more than"):
            assert said < number


def test_values_in_the_words_of_people():
    rng = Random(0)

    def all_wordings(value):
        return {say_value(value, rng) for _ in range(300)}

    assert {"14:30", "2:30 pm", "2:30 p.m."} <= all_wordings(Value("time", "14:30"))
    assert {"noon", "12:00"} <= all_wordings(Value("time", "12:00"))
    assert {"00:15", "12:15 am"} <= all_wordings(Value("time", "00:15"))
    assert {"95 minutes", "1h 35m", "an hour and 35 minutes"} <= all_wordings(Value("quantity", 95, "min"))
    assert {"10 km", "about 6.2 miles"} <= all_wordings(Value("quantity", 10, "km"))
    assert {"20°C", "68°F"} <= all_wordings(Value("quantity", 20, "C"))
    assert {"three kilograms", "3 kg"} <= all_wordings(Value("quantity", 3, "kg"))
    assert {"$12.50", "12.50 dollars"} <= {say_money(Value("money", 12.5, "USD", 2), rng) for _ in range(99)}


def test_another_number_is_no_rounding_of_the_right_one():
    rng = Random(0)
    for number in (2, 9, 14, 77, 480, 12_345, 3_400_000):
        for _ in range(40):
            other = another_number(Value("number", number), rng).content
            assert abs(other - number) >= max(1, 0.19 * number)


def test_the_superlative_is_the_extreme_of_the_rows():
    shared, rng = load_part("train"), Random(0)
    hotel = next(domain for domain in shared.domains if domain.name == "hotel")
    checked = 0
    for _ in range(200):
        record = make_record(hotel, shared, rng)
        facts = [row.facts["size"] for row in record.rows if "size" in row.facts]
        statement = superlative(record, facts, shared, rng) if len(facts) > 2 else None
        if statement is not None:
            said = "".join(piece.text for piece in statement.pieces)
            named = next(piece.entity for piece in statement.pieces if piece.role == "entity")
            extreme = min if re.search("lower|lowest|smallest", said) else max
            assert named.facts["size"].value.content == extreme(fact.value.content for fact in facts), said
            checked += 1
    assert checked > 50


def test_the_command_writes_rows_that_factable_reads(tmp_path):
    out = tmp_path / "everyday.jsonl"
    options = ["--count", "40", "--seed", "2", "--part", "test"]
    assert CliRunner().invoke(cli, ["train", "everyday", *options, str(out)]).exit_code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(factable.read(str(out))) == len(rows) == 40
    made = list(make_examples("test", 40, seed=2))
    assert [row["text"] for row in rows] == [example.text for example in made]
    for row, example in zip(rows, made, strict=True):
        spans = () if example.fault is None else example.fault.spans
        assert [tuple(span[:2]) for span in row["spans"]] == list(spans)


def numbers_at(example, sentence):
    """The numbers a sentence of a series is about, in order."""
    return [look_up(example.data, path) for path in sentence.paths]


def test_changes_and_trends_follow_from_the_series():
    """Derived again from the data; wrong exactly where a fault says so."""
    checked = {True: 0, False: 0}
    for example in make_examples("train", 3000, seed=8):
        for sentence in example.sentences:
            start, end = sentence.span
            said = example.text[start:end]
            change = re.search(
                r"(grew|shrank|increased|decreased) by (?:about )?([\d.]+)(?:%| percent)", said
            )
            trend = re.search(r"(rose|fell) every|(grew|shrank) steadily|kept (rising|falling)", said)
            if change and re.search("from|[Bb]etween", said):
                before, after = numbers_at(example, sentence)
                percent = 100 * (after / before - 1) * (1 if change[1] in ("grew", "increased") else -1)
                right = abs(percent - float(change[2])) <= (0.051 if "." in change[2] else 0.501)
            elif trend:
                values = numbers_at(example, sentence)
                sign = 1 if any(word in ("rose", "grew", "rising") for word in trend.groups()) else -1
                right = all(sign * (later - earlier) > 0 for earlier, later in pairwise(values))
            else:
                continue
            spans = example.fault.spans if example.fault else ()
            assert right != any(start <= first < end for first, _ in spans), said
            checked[right] += 1
    assert checked[True] > 50
    assert checked[False] > 15
