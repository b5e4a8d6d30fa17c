"""The ranking metric with BM25, whose rankings can be told by looking at the words."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import factable
from factable.errors import DataError, UsageError
from factable.metrics.ranking.metric import Ranking
from factable.metrics.ranking.pool import Pool, collect_contents
from factable.models.runtime.progress import progress_listener
from factable.text.documents import RECORDS, VALUES, make_decoys, table_documents
from factable.types import Example, Record, Table

PEOPLE = {"Ann Lee": ("Bonn", "1901"), "Bob Ray": ("Cork", "1908"), "Cy Fox": ("Dole", "1915")}


def example(person, text=None, *, town=True, year=True, system="a"):
    facts = [("birthPlace", PEOPLE[person][0], town), ("birthYear", PEOPLE[person][1], year)]
    records = tuple(Record(person, attribute, value) for attribute, value, said in facts if said)
    reference = f"{person} was born" + f" in {PEOPLE[person][0]}" * town + f" in {PEOPLE[person][1]}" * year
    return Example(f"{person} {town} {year}", system, text or reference, Table(records), (reference,))


def world():
    """Three people, each with two facts, and with one only."""
    return [
        example(person, town=town, year=year)
        for person in PEOPLE
        for town, year in ((True, True), (True, False), (False, True))
    ]


def evaluate(first, **options):
    """Scores and findings of the first example among all."""
    metric = Ranking(**{"ranker": "bm25", **options})
    examples = [first, *(other for other in world() if other.item != first.item)]
    scores = metric.score(examples, explain=True)
    parts = {part: column[0] for part, column in scores.parts.items()}
    return scores.values[0], parts, scores.findings[0]


def test_a_text_that_says_all_and_only_its_facts():
    value, parts, findings = evaluate(example("Ann Lee"))
    assert value == 1
    assert parts == {"table": 1, "references": 1, "omission": 0, "hallucination": 0}
    assert [(finding.kind, finding.record) for finding in findings[:2]] == [
        ("supported", 0),
        ("supported", 1),
    ]
    notes = [finding.note for finding in findings]
    assert sorted(notes[:2]) == ["found; rank 1 of 6", "found; rank 2 of 6"]
    assert notes[2:] == ["reference “Ann Lee was born in Bonn in 1901”: rank 1 of 9"]


def test_a_paraphrase_is_found_at_a_lower_rank():
    text = replace(example("Ann Lee", "Bob Ray was born in Cork"), references=("She comes from Bonn",))
    _, _, findings = evaluate(text)
    assert findings[0].note.startswith("by every ranking; rank ")
    ranks = [finding.note for finding in findings if finding.note.startswith("reference")]
    assert "reference “She comes from Bonn”: rank" in ranks[-1]


def test_paper_is_values_the_arithmetic_mean_and_no_decoys():
    text = example("Ann Lee", "Ann Lee was born in Cork")
    paper = Ranking(compat="paper")
    assert (paper.rank, paper.mean, paper._decoys) == ("values", "arithmetic", 0)
    assert Ranking(compat="paper", rank="records")._decoys == 0
    assert evaluate(text, compat="paper") == evaluate(text, rank="values", mean="arithmetic", decoys=0)
    with pytest.raises(UsageError, match="decoys is 3; it must be"):
        Ranking(compat="paper", rank="records", decoys=3)


def test_only_facts_of_the_training_set_are_made_up(tmp_path):
    text = example("Ann Lee", "Ann Lee was born in Cork, where Bob Ray was born")
    training = tmp_path / "training.jsonl"
    training.write_text(json.dumps({"id": "1", "data": [["Bob Ray", "birthPlace", "Cork"]], "text": "a"}))
    _, parts, findings = evaluate(text, training=str(training))
    made_up = [finding.note for finding in findings if finding.kind == "unsupported"]
    assert [note.split(":")[0] for note in made_up] == ["reads like “Bob Ray birth place Cork”"]
    assert parts["hallucination"] == 0.5
    assert evaluate(text)[1]["hallucination"] > 0.5


def test_a_folder_may_hold_an_encoder_for_each_direction(tmp_path):
    models = Path(factable.__file__).parent / "data" / "models"
    (tmp_path / "table").symlink_to(models / "embed")
    (tmp_path / "references").symlink_to(models / "trained")
    text = example("Ann Lee", "Ann Lee was born in Cork")
    of_both = evaluate(text, ranker=str(tmp_path), decoys=0)[1]
    assert of_both["table"] == evaluate(text, ranker="embed")[1]["table"]
    assert of_both["references"] == evaluate(text, ranker="trained")[1]["references"]


def test_what_is_left_out_and_made_up_is_named():
    value, parts, findings = evaluate(example("Ann Lee", "Ann Lee was born in Cork, where Bob Ray was born"))
    assert value < 1
    # Both rankings miss both facts; one of them takes two facts for made up, the other one.
    assert (parts["omission"], parts["hallucination"]) == (1, 0.75)
    assert [finding.kind for finding in findings[:2]] == ["omitted", "omitted"]
    made_up = [finding for finding in findings if finding.kind == "unsupported"]
    assert any("Bob Ray birth place Cork" in finding.note for finding in made_up)


def test_one_ranking_alone_counts_half_of_two():
    text = example("Ann Lee", "Ann Lee was born in Bonn", year=True)
    _, both, findings = evaluate(text)
    _, by_table, _ = evaluate(text, direction="table")
    _, by_references, _ = evaluate(text, direction="references")
    assert both["omission"] == (by_table["omission"] + by_references["omission"]) / 2
    assert by_references["omission"] == 0.5
    left_out = {finding.record: finding.score for finding in findings if finding.kind == "omitted"}
    assert left_out[1] in (0.5, 1.0)


def test_the_value_is_a_mean_of_both_rankings():
    text = example("Ann Lee", "Ann Lee was born in Cork")
    value, parts, _ = evaluate(text)
    table, references = parts["table"], parts["references"]
    assert 0 < table != references > 0
    assert value == pytest.approx(2 * table * references / (table + references))
    assert evaluate(text, mean="arithmetic")[0] == pytest.approx((table + references) / 2)


@pytest.mark.parametrize("jobs", [1, 2])
def test_whoever_waits_hears_of_texts_that_were_embedded(jobs):
    heard = []
    pool = collect_contents(world(), RECORDS)
    with progress_listener(lambda *progress: heard.append(progress)):
        factable.score(world(), ["ranking"], jobs=jobs)
    every = [len(pool.units), len({text for text, _ in pool.references})]
    assert heard == [("texts embedded", number, number) for number in every]


def test_values_are_ranked_bare():
    units = table_documents(example("Ann Lee").table, VALUES)
    assert units == {"Bonn": [0], "1901": [1]}
    assert list(table_documents(example("Ann Lee").table, RECORDS)) == [
        "Ann Lee birth place Bonn",
        "Ann Lee birth year 1901",
    ]
    value, _, _ = evaluate(example("Ann Lee"), rank="values", direction="table")
    assert value == 1


def test_an_empty_text_finds_nothing():
    value, parts, _ = evaluate(replace(example("Ann Lee"), text=" "))
    assert value == 0
    assert parts == {"table": 0, "references": 0, "omission": 1, "hallucination": 0}


def test_similar_tables_are_relevant_above_delta():
    pool = Pool(collect_contents(world(), RECORDS))
    units = frozenset(table_documents(example("Ann Lee").table, RECORDS))
    similar = pool.similar_references(units, 0.0)
    degrees = {pool.references[index]: degree for index, degree in zip(*similar, strict=True)}
    assert degrees == {
        "Ann Lee was born in Bonn in 1901": 1.0,
        "Ann Lee was born in Bonn": 0.5,
        "Ann Lee was born in 1901": 0.5,
    }
    assert pool.similar_references(units, 0.5).degrees.tolist() == [1.0]


def test_a_pool_of_its_own_makes_examples_independent(tmp_path):
    path = tmp_path / "pool.jsonl"
    rows = [
        {
            "id": each.item,
            "data": [list(record) for record in each.table.records],
            "references": each.references,
        }
        for each in world()[3:]
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    metric = Ranking(ranker="bm25", pool=str(path))
    assert not metric.corpus
    together = metric.score(world())
    alone = [metric.score([each]).values[0] for each in world()]
    assert list(together.values) == alone
    # Facts and references that the pool lacks are ranked beside it.
    assert together.values[0] == 1
    whole = Ranking(ranker="bm25").score(world())
    assert list(whole.values)[3:] == pytest.approx(list(together.values)[3:], abs=0.2)


def test_a_pool_that_cannot_be_read(tmp_path):
    with pytest.raises(DataError, match="name a converted data set"):
        Ranking(ranker="bm25", pool=str(tmp_path / "none.jsonl")).score(world())


def test_references_are_not_needed_for_the_table():
    bare = [replace(each, references=()) for each in world()]
    assert Ranking(ranker="bm25", direction="table").score(bare).corpus == 1
    scores = Ranking(ranker="bm25").score(bare)
    assert all(map(math.isnan, scores.values))
    assert scores.findings[0][0].note == 'no references, which direction="table" does without'


def test_systems_may_cover_different_items():
    some = [*world(), example("Ann Lee", "Ann Lee was born in Bonn in 1901", system="b")]
    scores = Ranking(ranker="bm25").score(some)
    assert scores.values[-1] == scores.values[0]


def test_decoys_are_the_right_things_told_wrong():
    attributes = ["birthPlace", "birthYear", "deathPlace"]
    decoys = make_decoys(example("Ann Lee").table, attributes, 2)
    assert sorted(decoys) == [
        "Ann Lee birth place 1901",
        "Ann Lee birth year Bonn",
        "Ann Lee death place 1901",
        "Ann Lee death place Bonn",
    ]
    assert make_decoys(example("Ann Lee").table, attributes, 0) == []
    assert len(make_decoys(example("Ann Lee").table, attributes, 1)) == 2


def test_decoys_show_a_wrong_relation():
    wrong = replace(example("Ann Lee", "Ann Lee: birth year Bonn", year=False))
    assert evaluate(wrong, direction="table")[0] == 1
    value, parts, findings = evaluate(wrong, direction="table", decoys=5)
    assert value == 0.5
    assert parts["omission"] == parts["hallucination"] == 1
    assert "Ann Lee birth year Bonn" in findings[-1].note


def test_decoys_are_for_encoders_that_were_taught_them():
    right = example("Ann Lee", "Ann Lee's town of birth is Bonn", year=False)
    others = [other for other in world() if other.item != right.item]
    wrong = replace(right, text="Bonn is the year in which Ann Lee was born")
    values = {
        decoys: Ranking(decoys=decoys).score([right, *others, replace(wrong, system="b")]).values
        for decoys in ("auto", 10, 0)
    }
    assert values["auto"] == values[10]
    assert values["auto"][0] > values["auto"][-1]
    assert values[0][0] == values[0][-1] == 1
    assert evaluate(right, decoys="auto") == evaluate(right, decoys=0)
    assert (
        Ranking(rank="values").score([right]).values == Ranking(rank="values", decoys=0).score([right]).values
    )


@pytest.mark.parametrize(
    "options",
    [
        *({"rank": "rows"}, {"direction": "up"}, {"delta": 1}, {"delta": "0"}, {"summed": "all"}),
        *({"mean": "mode"}, {"decoys": -1}, {"decoys": "some"}, {"decoys": 3, "rank": "values"}),
    ],
)
def test_parameters_out_of_range(options):
    with pytest.raises(UsageError, match=f"ranking: {next(iter(options))} is"):
        Ranking(**options)


def test_an_unknown_ranker():
    with pytest.raises(UsageError, match="no model 'trianed'; did you mean 'trained'"):
        Ranking(ranker="trianed").score(world())
