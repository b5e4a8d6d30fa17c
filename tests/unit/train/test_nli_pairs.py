"""Pairs for the NLI model: true where they say so, false where they say so, the same for the same seed."""

import hashlib
import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import factable
from factable.errors import DataError, UsageError
from factable.models.nli import CONTRADICTION, ENTAILMENT, NEUTRAL
from factable.text.templates import Templates
from factable.train.corruptions import Knowledge, add_generation_noise, change_number, negate
from factable.train.e2e_slots import SYNONYMS, stated_slots, states_nothing_else
from factable.train.nli_kinds import FIRST_PASS, SECOND_PASS, write_pairs
from factable.train.nli_pairs import NliPair, PairWriter, read_pairs, read_passages
from factable.train.nli_recipe import make_pairs, open_infobox, read_recipe
from factable.train.relation_kinds import RELATIONS
from factable.types import Record

PEOPLE = ["Ann Lee", "Bob Ray", "Cy Fox", "Dee Poe", "Eve Orr", "Flo Kay"]
TOWNS = ["Aden", "Bonn", "Cork", "Dole", "Eger", "Faro"]


def corpus():
    """Six people, each born somewhere in some year; two texts each."""
    rows = []
    for number, (person, town) in enumerate(zip(PEOPLE, TOWNS, strict=True)):
        year = str(1901 + 7 * number)
        rows.append(
            {
                "id": person,
                "data": [[person, "birthPlace", town], [person, "arrival", year]],
                "references": [
                    f"{person} was born in {town} in {year}.",
                    f"{town} is where {person} was born. The year was {year}.",
                ],
            }
        )
    return factable.read(rows, need_text=False)


def write(per_text, seed=0, kinds=FIRST_PASS):
    passages = read_passages(corpus(), lambda records, _: (records, True))
    knowledge = Knowledge(record for passage in passages for record in passage.records)
    return list(write_pairs(PairWriter(passages, knowledge, Templates(), seed), per_text, kinds))


def group_by_kind(pairs):
    groups = {}
    for pair in pairs:
        groups.setdefault(pair.kind, []).append(pair)
    return groups


@pytest.fixture(scope="module")
def by_kind():
    return group_by_kind(write(200))


def words(text):
    return set(text.lower().replace(".", " ").replace("|", " ").replace(";", " ").split())


def names(text, among):
    return {name for name in among if name.lower() in text.lower()}


def test_every_kind_is_made(by_kind):
    # The texts of this corpus say two facts each, so none is the denial of one.
    assert set(by_kind) == {
        *("said", "said_together", "value_swapped", "value_distorted", "subject_and_value_exchanged"),
        *("other_attribute", "one_fact_wrong", "value_removed", "other_subject", "facts_say_text"),
        *("fact_dropped", "fact_changed", "text_value_swapped", "text_number_changed", "text_negated"),
        *("text_extended", "one_of_several_sentences", "text_garbled", "paraphrased"),
    }


@pytest.mark.parametrize(
    "kind", ["said", "said_together", "facts_say_text", "one_of_several_sentences", "paraphrased"]
)
def test_entailed_pairs_name_nothing_else(by_kind, kind):
    for pair in by_kind[kind]:
        assert pair.label == ENTAILMENT
        assert names(pair.hypothesis, TOWNS) <= names(pair.premise, TOWNS)
        assert names(pair.hypothesis, PEOPLE) <= names(pair.premise, PEOPLE)


def test_a_swapped_value_is_another_one(by_kind):
    for pair in by_kind["value_swapped"]:
        assert pair.label == CONTRADICTION
        numbers = {word for word in words(pair.hypothesis) if word.isdigit()}
        said = {word for word in words(pair.premise) if word.isdigit()}
        assert not (names(pair.hypothesis, TOWNS) & names(pair.premise, TOWNS))
        assert not (numbers & said)


def test_a_dropped_fact_is_only_in_the_text(by_kind):
    for pair in by_kind["fact_dropped"]:
        assert pair.label == NEUTRAL
        assert words(pair.hypothesis) - words(pair.premise)
        assert (
            len(names(pair.premise, TOWNS))
            + len(words(pair.premise) & words("1901 1908 1915 1922 1929 1936"))
            == 1
        )


def test_a_changed_number_is_nowhere_in_the_facts(by_kind):
    for pair in by_kind["text_number_changed"]:
        assert pair.label == CONTRADICTION
        changed = {word for word in words(pair.hypothesis) if word.isdigit()}
        assert not changed & words(pair.premise)


def test_the_same_seed_gives_the_same_pairs_in_any_process():
    script = (
        "import hashlib, test_nli_pairs as t\nprint(hashlib.sha256(repr(t.write(5)).encode()).hexdigest())"
    )
    here = hashlib.sha256(repr(write(5)).encode()).hexdigest()
    paths = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == here
    assert write(5, seed=1) != write(5, seed=0)


def test_tables_that_stand_alone():
    records = [Record("The Mill", "food", "Italian"), Record("Zizzi", "priceRange", "cheap")]
    records += [Record("Zizzi", "priceRange", "less than £20"), Record("Zizzi", "priceRange", "high")]
    knowledge = Knowledge(records, one_world=False, synonyms=SYNONYMS)
    draw = random.Random(0)
    swapped = {knowledge.swap_value(records[1], draw).value for _ in range(20)}
    assert swapped == {"high"}
    assert knowledge.is_single("food")
    invented = knowledge.other_fact(records[:1], draw)
    assert (invented.subject, invented.attribute) == ("The Mill", "priceRange")


@given(st.from_regex(r"\A[a-z ]{0,9}[0-9]{1,4}(\.[0-9])?[a-z ]{0,9}\Z"), st.integers())
def test_a_changed_number_is_another_one(text, seed):
    changed = change_number(text, random.Random(seed))
    assert changed != text
    assert len(changed) == len(text)


def test_nothing_to_change():
    assert change_number("no number here", random.Random(0)) is None
    assert negate("Nothing to deny", random.Random(0)) is None
    assert negate("It is big", random.Random(0)) == "It is not big"
    assert negate("It has doors", random.Random(0)) == "It does not have doors"


@given(st.integers())
def test_machines_write_the_same_words(seed):
    text = "The café in Aix, which opened in 1,905.5, is open."
    written = add_generation_noise(text, random.Random(seed))
    assert words(written.replace(",", " ").replace("é", "e")) - {"1", "905", "5"} <= {
        *words(text.replace(",", " ").replace("é", "e")),
        "905",
    }


@pytest.mark.parametrize(
    ("attribute", "value", "text", "stated"),
    [
        ("familyFriendly", "no", "It is not family friendly.", True),
        ("familyFriendly", "yes", "It is not family friendly.", False),
        ("familyFriendly", "yes", "Kids are welcome.", True),
        ("priceRange", "cheap", "A low cost place.", True),
        ("customer rating", "5 out of 5", "It has five stars.", True),
        ("customer rating", "5 out of 5", "It has 3 stars.", False),
        ("area", "riverside", "by the river", True),
        ("near", "Burger King", "close to Burger King", True),
        ("near", "Burger King", "close to the king", False),
    ],
)
def test_slots_of_e2e(attribute, value, text, stated):
    record = Record("Zizzi", attribute, value)
    assert bool(stated_slots([record], text)) is stated


def test_other_slots_of_e2e():
    records = [Record("Zizzi", "food", "Italian")]
    assert states_nothing_else(records, "Zizzi serves Italian dishes.")
    assert not states_nothing_else(records, "Zizzi serves cheap Italian dishes.")


def test_infoboxes_become_sentences():
    pair = NliPair(
        "In Rainbows | Genre: art rock ; Length: 42 : 39", "It is art rock.", ENTAILMENT, "infotabs"
    )
    opened = {open_infobox(pair, random.Random(seed)).premise for seed in range(20)}
    assert opened == {
        pair.premise,
        "The genre of In Rainbows is art rock. The length of In Rainbows is 42 : 39.",
    }


def test_bad_pairs_and_recipes(tmp_path):
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"premise": "a", "hypothesis": "b", "label": "entailment"}\n{"premise": "a"}\n')
    with pytest.raises(DataError, match=r"pairs.jsonl:2: not an NLI pair; write"):
        list(read_pairs(str(pairs), "mine"))
    recipe = tmp_path / "recipe.toml"
    with pytest.raises(DataError, match="No such file"):
        read_recipe(recipe)
    recipe.write_text("seed = \nbatch = 1")
    with pytest.raises(DataError, match=r"recipe.toml:1: broken TOML .*known settings are train"):
        read_recipe(recipe)
    for text in ("sed = 1", '[[train]]\nname = "a"\nfile = "b"'):
        recipe.write_text(text)
        with pytest.raises(DataError, match=r"not a recipe .*known settings are train"):
            read_recipe(recipe)
    recipe.write_text('[[train]]\nname = "a"\ncorpus = "c.jsonl"\nstyle = "x"')
    (tmp_path / "c.jsonl").write_text('{"id": "1", "data": [["a", "b", "c"]], "references": ["a b c."]}\n')
    with pytest.raises(UsageError, match="style is 'x'; it must be one of webnlg, e2e"):
        make_pairs(read_recipe(recipe).train, tmp_path, 0)
    recipe.write_text('[[train]]\nname = "a"\ncorpus = "c.jsonl"\nkinds = "x"')
    with pytest.raises(UsageError, match="kinds is 'x'; it must be one of first, harder, relations"):
        make_pairs(read_recipe(recipe).train, tmp_path, 0)


def test_amounts_of_a_recipe(tmp_path):
    line = '{"premise": "a%d", "hypothesis": "b", "label": "neutral"}\n'
    (tmp_path / "pairs.jsonl").write_text("".join(line % number for number in range(10)))
    (tmp_path / "recipe.toml").write_text('[[train]]\nname = "a"\npairs = "pairs.jsonl"\nmost = 4\ntimes = 2')
    (found,) = make_pairs(read_recipe(tmp_path / "recipe.toml").train, tmp_path, 0).values()
    assert len(found) == 8
    assert len(set(found)) == 4


@pytest.fixture(scope="module")
def harder():
    return group_by_kind(write(300, kinds=SECOND_PASS))


def test_exchanged_values_stand_in_each_others_place(harder):
    for pair in harder["values_exchanged"]:
        assert pair.label == CONTRADICTION
        text = (pair.premise + pair.hypothesis).lower()
        assert any(f"in 19{digits}" not in text for digits in ("01", "08"))
    texts = [pair.hypothesis for pair in harder["values_exchanged"]]
    assert any(text.startswith("Ann Lee was born in 1901 in Aden") for text in texts)


def test_a_changed_relation_is_not_entailed(harder):
    for pair in harder["relation_changed"]:
        assert pair.label == NEUTRAL


def test_names_without_a_relation_say_nothing(harder):
    for pair in harder["names_only"]:
        assert pair.label == NEUTRAL
        assert "born" not in pair.premise


def test_one_sentence_of_a_text_follows(harder):
    sentences = {pair.hypothesis.lower().replace(" .", ".") for pair in harder["any_sentence"]}
    assert "the year was 1901." in sentences
    assert all(pair.label == ENTAILMENT for pair in harder["any_sentence"])


def test_what_is_said_of_another_is_not_entailed(harder):
    for pair in harder["subject_replaced"]:
        assert pair.label == NEUTRAL


@pytest.fixture(scope="module")
def relations():
    return group_by_kind(write(300, kinds=RELATIONS))


def test_two_joined_texts_are_about_two_people(relations):
    for pair in relations["said_of_one_of_two"]:
        assert pair.label == ENTAILMENT
        assert len(names(pair.premise, PEOPLE)) == len(names(pair.premise, TOWNS)) == 2
        assert names(pair.hypothesis, PEOPLE) <= names(pair.premise, PEOPLE)


def test_what_holds_for_one_is_said_of_the_other(relations):
    homes = dict(zip(PEOPLE, TOWNS, strict=True))
    for pair in relations["said_of_the_other"]:
        assert pair.label == CONTRADICTION
        (person,) = names(pair.hypothesis, PEOPLE)
        assert homes[person] not in names(pair.hypothesis, TOWNS)


def test_exchanged_values_of_two_people_are_both_still_there(relations):
    texts = [
        pair.premise if len(names(pair.premise, TOWNS)) == 2 and "born" in pair.premise else pair.hypothesis
        for pair in relations["exchanged_between_subjects"]
    ]
    assert any("Ann Lee was born in Bonn" in text for text in texts)


def test_a_sibling_has_no_value_of_another(relations):
    for pair in relations["value_of_a_sibling"]:
        assert pair.label != ENTAILMENT
    facts = {pair.hypothesis for pair in relations["value_of_a_sibling"]}
    assert "The birth place of Ann Lee is 1901." in facts
    assert "The arrival of Ann Lee is Aden." in facts


def test_a_list_of_names_states_nothing(relations):
    for pair in relations["names_listed"]:
        assert pair.label == NEUTRAL
        assert "born" not in pair.premise


def test_sentences_of_marked_texts(tmp_path):
    data, text = {"name": "Ada Hotel", "rooms": 12}, "Ada Hotel has 12 rooms. Its rooms have 5 bars."
    row = {"id": "1", "data": data, "text": text, "spans": [[40, 46, "made_up"]]}
    (tmp_path / "marked.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "recipe.toml").write_text('[[train]]\nname = "a"\nmarked = "marked.jsonl"')
    (found,) = make_pairs(read_recipe(tmp_path / "recipe.toml").train, tmp_path, 0).values()
    assert {(pair.hypothesis, pair.label) for pair in found} == {
        ("Ada Hotel has 12 rooms.", ENTAILMENT),
        ("Its rooms have 5 bars.", CONTRADICTION),
    }
    assert "rooms: 12" in found[0].premise
