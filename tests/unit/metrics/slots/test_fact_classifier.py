"""The fact classifier: the embedded one on plain texts, one trained here, and files that are none."""

import pytest

from factable.core.registry import parse
from factable.errors import DataError, UsageError
from factable.io.data import parse_e2e
from factable.metrics.slots.fact_classifier import load_classifier, write_classifier
from factable.train.slots import train_classifier
from factable.types import Example, Record, Table


def parts(data, text, spec="fact_classifier"):
    scores = parse(spec).score([Example("1", "", text, Table(tuple(parse_e2e(data))))])
    return {name: column[0] for name, column in scores.parts.items() if column[0]}


@pytest.mark.parametrize(
    ("data", "text", "expected"),
    [
        ("name[Aromi], food[French], area[riverside]", "Aromi serves French food by the riverside.", {}),
        ("name[Aromi], food[French]", "Aromi is a place.", {"missing": 1, "omission": 1}),
        (
            "name[Aromi], food[French], area[riverside]",
            "Aromi serves Italian food in the riverside area.",
            {"wrong": 1, "omission": 1, "hallucination": 1},
        ),
        (
            "name[Aromi], food[French]",
            "Aromi serves French food in the city centre.",
            {"added": 1, "hallucination": 1},
        ),
        ("name[Aromi], food[French]", "Strada serves French food.", {"missing": 1, "omission": 1}),
        # What it was not taught is looked for.
        ("name[Aromi], seats[40]", "Aromi has forty seats.", {}),
        ("name[Aromi], seats[40]", "Aromi has fifty seats.", {"missing": 1, "omission": 1}),
        # Two names of one slot; one is there, so the slot is filled.
        ("name[Aromi], name[- ...], food[French]", "Aromi serves French food.", {}),
    ],
)
def test_the_embedded_classifier(data, text, expected):
    assert parts(data, text) == expected


def corpus():
    """Ten names times two sizes and two colours, each in three wordings."""
    wordings = ("The {} is {} and {}.", "{}: a {}, {} thing.", "Here is the {}, {} and very {}.")
    return [
        Example(
            f"{name} {size} {colour}",
            "",
            "",
            Table((Record("", "name", name), Record("", "size", size), Record("", "colour", colour))),
            tuple(wording.format(name, said, colour) for wording in wordings),
        )
        for name in (f"Thing{letter}" for letter in "ABCDEFGHIJKLMNOP")
        for size, said in (("big", "huge"), ("small", "tiny"))
        for colour in ("red", "blue")
    ]


def test_training_learns_paraphrases_and_the_file_comes_back(tmp_path):
    lines = []
    trained = train_classifier(corpus(), None, seed=0, log=lines.append)
    assert trained.names == ("name",)
    assert trained.slots == {"size": ("big", "small"), "colour": ("blue", "red")}
    assert any("epoch 1" in line for line in lines)
    path = tmp_path / "own.json"
    path.write_bytes(write_classifier(trained))
    assert write_classifier(load_classifier(str(path))) == path.read_bytes()
    spec = f'fact_classifier(classifier="{path}")'
    data = "name[ThingA], size[big], colour[red]"
    assert parts(data, "The ThingA is huge and red.", spec) == {}
    assert parts(data, "The ThingA is tiny and red.", spec)["wrong"] == 1
    again = train_classifier(corpus(), None, seed=0, log=lines.append)
    assert write_classifier(again) == path.read_bytes()


def test_too_little_to_learn_from():
    with pytest.raises(UsageError, match="give a closed-domain corpus"):
        train_classifier(corpus()[:3], None, seed=0, log=print)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{}", "it lacks 'format'"),
        ("[]", "no fact classifier"),
        ('{"format": "factable fact classifier 1"}', "it lacks 'slots'"),
        ("nothing", "no fact classifier"),
    ],
)
def test_files_that_are_no_classifier(tmp_path, content, said):
    path = tmp_path / "bad.json"
    path.write_text(content)
    with pytest.raises(DataError) as caught:
        load_classifier(str(path))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
