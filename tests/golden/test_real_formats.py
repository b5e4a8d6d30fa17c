"""The formats on published data: counts as their authors state them, and samples read by hand."""

import csv
import lzma
import tarfile

import pytest

from factable.io.formats import open_format
from factable.types import Record
from helpers.paths import DATA

pytestmark = pytest.mark.data("webnlg2017", "e2e", "rotowire", "wikibio")


def examples(format_name, *sources):
    return list(open_format(format_name)([str(DATA / source) for source in sources]))


def test_webnlg_test_set():
    found = examples("webnlg", "webnlg2017/testdata_with_lex.xml.xz")
    assert len(found) == 1862
    assert sum(len(example.references) for example in found) == 4928
    assert sum(len(example.table.records) for example in found) == 5378
    assert found[2].table.records == (
        Record("Adolfo Suárez Madrid–Barajas Airport", "runwayName", "18L/36R"),
    )


def test_webnlg_folders(tmp_path):
    with tarfile.open(DATA / "webnlg2017/challenge_data_train_dev.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    found = examples("webnlg", tmp_path)
    # 6,940 inputs to train on and 872 to develop with.
    assert len(found) == len({example.item for example in found}) == 7812
    assert all(example.references for example in found)


def test_webnlg_human_ratings():
    found = examples("webnlg-human", "webnlg2017/human-evaluation")
    assert len(found) == len({(example.item, example.system) for example in found}) == 2230
    assert len({example.item for example in found}) == 223
    assert len({example.system for example in found}) == 10
    assert sum(not example.text for example in found) == 168 + 25
    assert all(1 <= rating <= 3 for example in found for rating in example.human.values())
    assert all(set(example.human) == {"fluency", "grammar", "semantics"} for example in found)


def test_webnlg_human_items_are_those_of_the_test_set():
    test = {
        example.item: example.table for example in examples("webnlg", "webnlg2017/testdata_with_lex.xml.xz")
    }
    rated = {
        example.item: example.table for example in examples("webnlg-human", "webnlg2017/human-evaluation")
    }
    assert {f"Id{item}": table for item, table in rated.items()}.items() <= test.items()


@pytest.mark.parametrize(
    ("source", "inputs", "references"),
    [
        ("e2e/devset.csv.xz", 547, 4672),
        ("e2e/testset_w_refs.csv.xz", 630, 4693),
        ("e2e/trainset_tokenised.tsv.gz", 4862, 42061),
    ],
)
def test_e2e(source, inputs, references):
    found = examples("e2e", source)
    assert len(found) == inputs
    assert sum(len(example.references) for example in found) == references


def test_e2e_outputs_have_the_items_of_the_test_set():
    found = examples("e2e-outputs", "e2e/primary_slot_error.tsv.xz")
    assert len(found) == 21 * 630
    assert len({example.item for example in found}) == 630
    with lzma.open(DATA / "e2e/primary_slot_error.tsv.xz", "rt", encoding="utf-8", newline="") as stream:
        outputs = [row["output"].strip() for row in csv.DictReader(stream, delimiter="\t")]
    assert [example.text for example in found] == outputs


@pytest.mark.parametrize("part", ["train", "valid", "test"])
def test_wikibio(part):
    found = examples("wikibio", f"wikibio/{part}.box", f"wikibio/{part}.summary")
    assert len(found) == 100
    for example in found:
        values = [
            *(record.value for record in example.table.records),
            *example.references,
            example.table.title,
        ]
        assert example.table.title
        assert not any(
            mark in value for value in values for mark in ("-lrb-", "-rrb-", "-lsb-", "-rsb-", "<none>")
        )


def test_rotowire():
    found = examples("rotowire", "rotowire/accuracySharedTask/shared_task.jsonl")
    assert [example.item for example in found] == [f"S{number:03}" for number in range(1, 61)]
    assert Record("Isaiah Thomas", "PTS", "38") in found[0].table.records
    assert Record("Boston Celtics", "TEAM-PTS", "113") in found[0].table.records
    assert not any(record.value == "N/A" for example in found for record in example.table.records)
    assert found[0].references[0].startswith("This win pulled Boston ahead")
