"""The systems of the WebNLG challenge 2017 with the real references of each text, 1 to 8 of them."""

import tarfile
from functools import cache
from itertools import zip_longest

from factable.io.formats import open_format
from factable.types import Example
from helpers.paths import WEBNLG

ITEMS = WEBNLG / "testdata_with_lex.xml.xz"
SUBMISSIONS = WEBNLG / "submissions.tar.xz"
SYSTEMS = {
    "adapt": "ADAPTcentreWebNLGsubmission.txt",
    "baseline": "baseline_sorted.txt",
    "melbourne": "final_result.txt",
    "pkuwriter": "PKUWriter_results.txt",
    "tilburg-nmt": "nmt_test.out.ordered",
    "tilburg-smt": "smt_test.out.ordered",
    "tilburg-template": "template_test.out.ordered",
    # Covers part of the items; a missing text is the word "null", scored here as it stands.
    "uit": "Submission-UIT-DANGNT-CLNLP.txt",
    "upf": "UPF_All_sent_final.txt",
}


@cache
def system_texts(system: str) -> tuple[str, ...]:
    with tarfile.open(SUBMISSIONS) as archive:
        return tuple(archive.extractfile(f"submissions/{SYSTEMS[system]}").read().decode().splitlines())


@cache
def items() -> tuple[Example, ...]:
    return tuple(open_format("webnlg")([str(ITEMS)]))


def examples_of(system: str) -> list[Example]:
    texts = system_texts(system)
    return [
        Example(item.item, system, text, item.table, item.references)
        for item, text in zip(items(), texts, strict=True)
    ]


def streams(examples: list[Example], fill: str | None = None) -> list[list[str | None]]:
    """References as sacrebleu takes them: the first of every text, the second of every text, and so on."""
    columns = zip_longest(*(example.references for example in examples), fillvalue=fill)
    return list(map(list, columns))
