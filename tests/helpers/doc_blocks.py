"""The code blocks of the documentation, and a folder with the files that they name."""

import csv
import gzip
import json
import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from helpers.paths import RESTAURANTS, ROOT, SOURCE
from tools import update_docs

BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"<!-- output of:.*?<!-- end -->", re.DOTALL)


class Block(NamedTuple):
    """A block of code: the page it is on, its language, its text, and what is printed below it."""

    page: Path
    language: str
    code: str
    printed: str

    @property
    def id(self) -> str:
        """A name for it among the tests."""
        first = self.code.strip().partition("\n")[0]
        return f"{self.page.relative_to(ROOT)} {first[:60]}"


def all_blocks() -> list[Block]:
    """Every block of every page, but what programs printed there."""
    blocks = []
    for page in (*update_docs.pages(), ROOT / "CONTRIBUTING.md"):
        text = OUTPUT.sub("", page.read_text(encoding="utf-8"))
        for found in BLOCK.finditer(text):
            below = re.match(r"\s*```text\n(.*?)^```$", text[found.end() :], re.DOTALL | re.MULTILINE)
            code = "\n".join(line.removeprefix(found[1]) for line in found[3].splitlines())
            blocks.append(Block(page, found[2], code, below[1] if below else ""))
    return blocks


def commands(block: Block) -> list[str]:
    """The commands of a block for a shell, each with the lines that continue it, without comments."""
    lines = block.code.replace("\\\n", " ").splitlines()
    return [command for line in lines if (command := re.sub(r"(^|\s+)#\s.*", "", line).strip())]


def shell_environment(folder: Path) -> dict[str, str]:
    """The variables of a shell that finds this factable and this Python."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    for name, module in (("factable", "-m factable "), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec {sys.executable} {module}"$@"\n')
        (tools / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{tools}:{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE),
        "COLUMNS": "200",
    }


AREAS, FOODS = ("riverside", "city centre"), ("Italian", "French", "Chinese", "Indian")
SYSTEMS = ("mine", "theirs", "old", "reference")
SLOTS = "system\tMR\toutput\tadded\tmissing\tvalerr\trepeated"
WEBNLG_ENTRY = """<entry category="Astronaut" eid="Id{n}" size="1"><modifiedtripleset>
<mtriple>{subject} | birthPlace | {place}</mtriple></modifiedtripleset>
<lex comment="good" lid="Id1">{subject} was born in {place}.</lex>
<lex comment="good" lid="Id2">{place} is where {subject} was born.</lex></entry>"""


def _restaurant(number: int) -> dict[str, str]:
    area, food = AREAS[number % 2], FOODS[number % 4]
    return {"name": f"The Place {number}", "eatType": "pub", "food": food, "area": area}


def _texts(systems: tuple[str, ...], items: int = 12) -> list[dict[str, object]]:
    """Texts of several systems, each a little worse than the one before."""
    rows: list[dict[str, object]] = []
    for number in range(items):
        data = _restaurant(number)
        good = f"{data['name']} is a pub with {data['food']} food in the {data['area']} area."
        for rank, system in enumerate(systems):
            words = good.split()
            text = " ".join(words[: len(words) - 2 * rank - (number % 2)])
            human = {"semantics": 3 - 0.6 * rank - 0.1 * (number % 3), "fluency": 3 - 0.2 * rank}
            human |= {"omission": float(rank > 1), "hallucination": 0.0, "entailed": float(number % 2)}
            references = [good, f"{data['name']} serves {data['food']} food by the {data['area']}."]
            row = {"id": str(number), "system": system, "data": data, "text": text}
            rows.append({**row, "references": references, "human": human})
    return rows


def make_sandbox(folder: Path) -> Path:
    """A folder with every file that a block of the documentation reads."""
    (folder / "examples").symlink_to(ROOT / "examples")
    rows = [json.loads(line) for line in RESTAURANTS.read_text().splitlines()]
    texts = _texts(SYSTEMS)
    of = {system: [row for row in texts if row["system"] == system] for system in SYSTEMS}
    plain = [{name: value for name, value in row.items() if name != "system"} for row in of["mine"]]
    lines = {
        "outputs.jsonl": rows,
        "texts.jsonl": texts,
        "all.jsonl": texts,
        "rated.jsonl": _texts(("webnlg", *SYSTEMS)),
        "labelled.jsonl": texts,
        "webnlg-test.jsonl": texts,
        "webnlg.jsonl": rows,
        "train.jsonl": texts,
        "e2e-train.jsonl": _texts(("mine",), items=30),
        "a.jsonl": plain,
        "b.jsonl": [{**row, "text": f"{row['text']} Yes."} for row in plain],
        "mine.jsonl": of["mine"],
        "theirs.jsonl": of["theirs"],
        "candidates.jsonl": [{**row, "system": ""} for row in texts],
        "pairs.jsonl": _pairs(),
        "marked.jsonl": _marked(of["theirs"]),
        "judged.jsonl": _marked(of["theirs"]),
        "ann.jsonl": _annotations("ann"),
        "bob.jsonl": _annotations("bob"),
    }
    for name, content in lines.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in content))
    others = [{**row, "id": f"b{row['id']}"} for row in lines["b.jsonl"]]
    packed = "".join(json.dumps(row) + "\n" for row in others).encode()
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(packed))
    _write_tables(folder, rows)
    _write_published_formats(folder)
    page = (ROOT / "docs" / "adding-a-metric.md").read_text()
    (folder / "mine.py").write_text(re.sub("^   ", "", BLOCK.search(page)[3], flags=re.MULTILINE))
    return folder


def _pairs() -> list[dict[str, str]]:
    pairs = [("mine", "theirs"), ("theirs", "old"), ("old", "reference")]
    return [
        {
            "id": str(number),
            "system_a": a,
            "system_b": b,
            "winner": b if number % 4 == 0 else a,
            "annotator": "ann",
        }
        for number in range(12)
        for a, b in pairs
    ]


def _marked(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    judged = {"gpt-4": [[0, 3]], "o3-mini": True}
    return [
        {
            **row,
            "spans": [[0, 3, "incorrect"]] if number % 2 else [],
            "judges": {**judged, "o3-mini": bool(number % 2)},
        }
        for number, row in enumerate(rows)
    ]


def _annotations(annotator: str) -> list[dict[str, object]]:
    start = {"system": "mine", "annotator": annotator}
    odd = annotator == "bob"
    return [
        {
            "id": str(n),
            **start,
            "human": {"semantics": (n + odd * (n % 5 == 0)) % 3},
            "spans": [[n, n + 5 + odd]],
        }
        for n in range(12)
    ]


def _write_table(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _write_tables(folder: Path, rows: list[dict[str, object]]) -> None:
    ids = dict.fromkeys(row["id"] for row in rows)
    _write_table(folder / "refs.csv", [{"id": item, "reference": "Blue Spice is a pub."} for item in ids])
    _write_table(folder / "pairs.csv", [dict(pair) for pair in _pairs()])
    _write_table(folder / "labels.csv", [{"id": n, "entailed": n % 2} for n in range(12)])
    ratings = [
        {"id": row["id"], "system": "mine", "annotator": row["annotator"], **row["human"]}
        for annotator in ("ann", "bob")
        for row in _annotations(annotator)
    ]
    _write_table(folder / "ratings.csv", ratings)


def _write_published_formats(folder: Path) -> None:
    people = [("Alan_Bean", "Wheeler"), ("Ada_Lovelace", "London"), ("Carl_Sagan", "Brooklyn")]
    entries = "".join(WEBNLG_ENTRY.format(n=n, subject=s, place=p) for n, (s, p) in enumerate(people, 1))
    for part in ("release_v3.0/en/test", "webnlg/train", "webnlg/dev"):
        (folder / part).mkdir(parents=True)
        content = f"<benchmark><entries>{entries}</entries></benchmark>"
        (folder / part / "Astronaut.xml").write_text(content)
    (folder / "system.txt").write_text("".join(f"{subject} was born.\n" for subject, _ in people))
    (folder / "texts.txt").write_text("lenny was born in long beach\n")
    (folder / "references.txt").write_text("lenny randle was born in long beach\n")
    (folder / "tables.txt").write_text("name|||lenny randle\tlenny|||born in|||long beach\n")
    slots = "name[{name}], eatType[pub], food[{food}], area[{area}]"
    outputs, train = [SLOTS], ["mr,ref"]
    for row in _texts(("mine", "theirs", "old")):
        mr = slots.format(**row["data"])
        outputs.append(
            "\t".join([row["system"], mr, row["text"], "0", str(int(row["system"] != "mine")), "0", "0"])
        )
        train.append(f'"{mr}","{row["references"][0]}"')
    for name in ("outputs.tsv", "primary_slot_error.tsv"):
        (folder / name).write_text("\n".join(outputs) + "\n")
    (folder / "e2e-train.csv").write_text("\n".join(train) + "\n")
    _write_human_evaluation(folder / "human-evaluation")


def _write_human_evaluation(folder: Path) -> None:
    """Ratings of five systems, one of which is the references themselves."""
    folder.mkdir()
    people = ["Alan_Bean", "Ada_Lovelace", "Carl_Sagan", "Ida_Holm", "Per_Lund", "Eva_Ness"]
    rows = ["id,mr,team,text,fluency,grammar,semantics"]
    for number, name in enumerate(people):
        words = f"{name.replace('_', ' ')} was born in Rome in {1900 + number} .".split()
        mr = f"{name} | birthPlace | Rome<br>{name} | birthYear | {1900 + number}"
        for rank, team in enumerate(("webnlg", "adapt", "melbourne", "tilburg", "pkuwriter")):
            rated = 3 - 0.5 * rank - 0.1 * (number % 2)
            text = " ".join(words[: len(words) - rank - (number + rank) % 2])
            rows.append(f"{len(rows)},{mr},{team},{text},{rated - 0.1:.2f},{rated:.2f},{rated:.2f}")
    (folder / "all_data_final_averaged.csv").write_text("\n".join(rows) + "\n")
    mrs = [f"{name} | birthPlace | Rome<br>{name} | birthYear | {1900 + n}" for n, name in enumerate(people)]
    (folder / "MRs.txt").write_text("\n".join(mrs) + "\n")
    (folder / "sample-ids.txt").write_text("".join(f"{n}\n" for n in range(1, 7)))
    lines = [f"{name.replace('_', ' ')} was born in Rome in {1900 + n} ." for n, name in enumerate(people)]
    (folder / "gold-sample-reference0.lex").write_text("\n".join(lines) + "\n")
