"""The everyday pairs keep the promises of their README."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "everyday"


def read_pairs(name: str) -> list[dict]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def look_up(data: object, path: str) -> object:
    for key in path.split("."):
        data = data[key]
    return data


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.jsonl")))
def test_every_fault_is_known(name):
    for pair in read_pairs(name):
        assert pair["faithful"] == (not pair["wrong"] and not pair["missing"]), pair["id"]
        for words, fault in pair["wrong"]:
            assert pair["text"].count(words) == 1, pair["id"]
            assert fault in {"contradiction", "made up"}, pair["id"]
        for path in pair["missing"]:
            assert look_up(pair["data"], path) is not None, pair["id"]


def test_the_files_are_balanced_and_share_no_domain():
    dev, held = read_pairs("dev.jsonl"), read_pairs("held.jsonl")
    for pairs in (dev, held):
        assert len({pair["id"] for pair in pairs}) == len(pairs)
        assert abs(sum(pair["faithful"] for pair in pairs) / len(pairs) - 0.5) < 0.02
    assert not {pair["domain"] for pair in dev} & {pair["domain"] for pair in held}
