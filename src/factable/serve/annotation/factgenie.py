"""Campaigns of factgenie: a zip file of what it reads out, its annotations in."""

import io
import os
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from factable.errors import DataError, Fault
from factable.io.examples import to_object
from factable.io.faults import Faults, Malformed, make_each, shorten
from factable.io.files import source_name
from factable.io.limits import MAX_DOCUMENT_BYTES
from factable.io.objects import load_json
from factable.serve.annotation.store import Annotated, Campaign, Imported, Texts, make_imported

# factgenie needs a colour for each category.
COLORS = ("#ffb3b3", "#ffd9a0", "#fff3a0", "#d9f0a3", "#a8e6cf", "#a8d8ff", "#c8b6ff", "#ffc2e8", "#d0d0d0")
SPLIT = "all"


def slug(name: str) -> str:
    """A name as factgenie writes it in files: lower case, ASCII, hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "none"


def factgenie_archive(texts: Sequence[Annotated], campaign: Campaign) -> bytes:
    """A zip of inputs, outputs and the campaign, to be unpacked in the folder of factgenie."""
    name = slug(campaign.name)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, rows in {
            f"data/inputs/{name}/{SPLIT}.jsonl": _inputs(texts),
            f"data/outputs/{name}/outputs.jsonl": (_output(text, name) for text in texts),
            f"campaigns/{name}/files/annotations.jsonl": _records(texts, campaign),
        }.items():
            content = b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
            archive.writestr(path, content)
        archive.writestr(
            f"campaigns/{name}/metadata.json",
            orjson.dumps(_metadata(campaign), option=orjson.OPT_INDENT_2),
        )
    return packed.getvalue()


def _inputs(texts: Sequence[Annotated]) -> Iterator[object]:
    by_number = {text.number: to_object(text.example)["data"] for text in texts}
    return (by_number[number] for number in sorted(by_number))


def _output(text: Annotated, dataset: str) -> dict[str, object]:
    return {**_key(text, dataset), "output": text.example.text}


def _key(text: Annotated, dataset: str) -> dict[str, object]:
    return {
        "dataset": dataset,
        "split": SPLIT,
        "setup_id": slug(text.example.system),
        "example_idx": text.number,
    }


def _records(texts: Sequence[Annotated], campaign: Campaign) -> Iterator[dict[str, object]]:
    numbers = {category.name: number for number, category in enumerate(campaign.categories)}
    for text in texts:
        for name, state in text.states.items():
            yield {
                "metadata": {
                    "campaign_id": slug(campaign.name),
                    "annotator_id": name,
                    "annotator_group": 0,
                    "item": text.example.item,
                    "system": text.example.system,
                },
                **_key(text, slug(campaign.name)),
                "annotations": [
                    {
                        "type": numbers[mark.category],
                        "start": mark.start,
                        "text": text.example.text[mark.start : mark.end],
                        "reason": mark.comment,
                    }
                    for mark in state.marks
                ],
                "flags": [],
                "options": [],
                "sliders": [],
                "text_fields": [{"label": "comment", "value": state.comment}] if state.comment else [],
            }


def _metadata(campaign: Campaign) -> dict[str, object]:
    return {
        "id": slug(campaign.name),
        "mode": "external",
        "created": campaign.created[:19].replace("T", " "),
        "config": {
            "annotation_granularity": "char",
            "annotation_overlap_allowed": True,
            "annotator_instructions": campaign.instructions,
            "annotation_span_categories": [
                {"name": category.name, "color": color, "description": category.description}
                for category, color in zip(campaign.categories, COLORS, strict=False)
            ],
        },
    }


def read_factgenie(
    path: str | os.PathLike[str], campaign: Campaign, texts: Texts, faults: Faults
) -> Iterator[Imported]:
    """The annotations of every campaign in a zip file; the folder `files` lies beside `metadata.json`."""
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if info.file_size > MAX_DOCUMENT_BYTES:
                problem = f"{info.filename} is larger than {MAX_DOCUMENT_BYTES >> 20} MB"
                raise DataError([Fault(source_name(path), None, problem, "split the campaign")])
        names = archive.namelist()
        for name in names:
            folder, _, file_name = name.rpartition("metadata.json")
            if file_name or not name.endswith("metadata.json"):
                continue
            categories = _categories(f"{source_name(path)}: {name}", archive.read(name), campaign)
            make = _maker(texts, campaign, categories)
            for member in names:
                if member.startswith(f"{folder}files/") and member.endswith(".jsonl"):
                    lines = enumerate(archive.read(member).split(b"\n"), 1)
                    filled = ((number, line) for number, line in lines if line.strip())
                    source = f"{source_name(path)}: {member}"
                    yield from (row for _, row in make_each(source, filled, make, faults))


def _categories(source: str, content: bytes, campaign: Campaign) -> list[str]:
    """The campaign's category for each number that factgenie uses."""
    try:
        metadata = load_json(content)
        assert isinstance(metadata, dict)
        config = metadata.get("config", metadata)
        names = [str(each["name"]) for each in config["annotation_span_categories"]]
    except (Malformed, AssertionError, KeyError, TypeError, AttributeError):
        problem = "no annotation_span_categories"
        raise DataError([Fault(source, None, problem, "give a campaign as factgenie exports it")]) from None
    ours = {slug(category.name): category.name for category in campaign.categories}
    for name in names:
        if slug(name) not in ours:
            known = ", ".join(ours.values())
            problem = f"the category {shorten(name)} is none of the campaign ({known})"
            raise DataError([Fault(source, None, problem, "create a campaign with the same categories")])
    return [ours[slug(name)] for name in names]


def _maker(texts: Texts, campaign: Campaign, categories: Sequence[str]) -> Callable[[bytes], Imported]:
    by_slug = {(item, slug(system)): (item, system) for item, system in texts}

    def make(line: bytes) -> Imported:
        record = load_json(line)
        try:
            assert isinstance(record, dict)
            metadata = record.get("metadata") or {}
            annotator = str(metadata.get("annotator_id") or record.get("annotator_id") or "factgenie")
            key = _text(record, metadata, by_slug)
            marks = [_mark(mark, categories, texts[key].example.text) for mark in record["annotations"]]
            comments = [str(field["value"]) for field in record.get("text_fields") or []]
        except (AssertionError, KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise Malformed("no annotation of factgenie", "give the file as factgenie exports it") from None
        state = {"marks": marks, "comment": "\n".join(comments), "done": True}
        return make_imported(texts, campaign, key, annotator, state)

    return make


def _text(
    record: Mapping[str, Any], metadata: Mapping[str, Any], by_slug: Mapping[tuple[str, str], tuple[str, str]]
) -> tuple[str, str]:
    """Which text a record is about: by our own names if it has them, else by dataset and number."""
    number, dataset = int(record["example_idx"]), str(record["dataset"])
    system = slug(str(record["setup_id"]))
    items = (str(metadata.get("item") or ""), str(number), f"{dataset}-{number}")
    for item in items:
        if (item, system) in by_slug:
            return by_slug[item, system]
    names = " or ".join(shorten(item) for item in items if item)
    raise Malformed(f"the campaign has no text with id {names} of system {shorten(system)}", "leave it out")


def _mark(mark: Mapping[str, Any], categories: Sequence[str], text: str) -> dict[str, object]:
    start, words = int(mark["start"]), str(mark["text"])
    if text[start : start + len(words)] != words:
        raise Malformed(f"{shorten(words)} is not at character {start} of the text", "give the same texts")
    category = categories[int(mark["type"])]
    comment = str(mark.get("reason") or "")
    return {"start": start, "end": start + len(words), "category": category, "comment": comment}
