"""METEOR against what the authors' program prints, on WebNLG 2017 outputs.

The peer is pycocoevalcap's own wrapper, which many papers used: a second Java process, which computes segment
scores and the corpus score by itself (its EVAL command).
"""

import os
import tarfile

import pytest

from factable.errors import MissingExtraError, MissingProgramError
from factable.io.formats import open_format
from factable.metrics.meteor.metric import Meteor
from factable.metrics.meteor.program import MeteorOptions, command
from factable.types import Example, Table
from helpers.paths import WEBNLG


def what_is_missing() -> str:
    try:
        command(MeteorOptions())
    except (MissingExtraError, MissingProgramError) as error:
        return str(error)
    return ""


# Under CI nothing may be missing.
pytestmark = [
    pytest.mark.java,
    pytest.mark.skipif(bool(what_is_missing()) and os.environ.get("CI") != "true", reason=what_is_missing()),
]


@pytest.fixture(scope="module")
def peer():
    """A function: examples -> segment scores and corpus score as Java computes them."""
    from pycocoevalcap.meteor.meteor import Meteor as Wrapper

    wrapper = Wrapper()

    def ask(examples: list[Example]) -> tuple[list[float], float]:
        references = {number: list(example.references) for number, example in enumerate(examples)}
        texts = {number: [example.text] for number, example in enumerate(examples)}
        corpus, segments = wrapper.compute_score(references, texts)
        return segments, corpus

    yield ask
    wrapper.meteor_p.stdout.close()
    wrapper.meteor_p.stderr.close()


def check(examples: list[Example], peer) -> None:
    scores = Meteor().score(examples)
    segments, corpus = peer(examples)
    assert list(scores.values) == pytest.approx(segments, abs=1e-12)
    assert scores.corpus == pytest.approx(corpus, abs=1e-12)


@pytest.mark.data("webnlg2017")
@pytest.mark.parametrize("system", ["ADAPTcentreWebNLGsubmission.txt", "UPF_All_sent_final.txt"])
def test_webnlg_outputs(system: str, peer) -> None:
    with tarfile.open(WEBNLG / "submissions.tar.xz") as archive:
        texts = archive.extractfile(f"submissions/{system}").read().decode().splitlines()
    entries = list(open_format("webnlg")([str(WEBNLG / "testdata_with_lex.xml.xz")]))
    assert len(texts) == len(entries)
    examples = [
        Example(entry.item, system, text, entry.table, entry.references)
        for entry, text in list(zip(entries, texts, strict=True))[::9]
    ]
    assert len(examples) == 207
    assert len({len(example.references) for example in examples}) > 2
    check(examples, peer)


def test_hand_made_cases(peer) -> None:
    cases = [
        ("the cat sat on the mat", ["the cat sat on the mat"]),
        ("the cat sat on the mat", ["the cat sat on the mat.", "a dog"]),
        ("on the mat sat the cat", ["the cat sat on the mat"]),
        ("The feline was sitting on a rug!", ["the cat sat on the mat", "a cat sits on the rug"]),
        ("nothing in common", ["Aarhus Airport serves Denmark"]),
        ("the the the the", ["the"]),
        ("Aarhus", ["Aarhus"]),
        ("", ["Aarhus"]),
        ("Zürich's café – 3,200 m²", ["3200 m² café in Zürich", "Zurich"]),
    ]
    examples = [
        Example(str(number), "", text, Table(()), tuple(references))
        for number, (text, references) in enumerate(cases)
    ]
    check(examples, peer)
    for example in examples:
        check([example], peer)


def test_value_of_a_fixed_case() -> None:
    """As printed by `java -jar meteor-1.5.jar text reference -l en -norm`."""
    example = Example(
        "1",
        "",
        "Ada Lovelace was born in December 1815 and liked poetry.",
        Table(()),
        ("Ada Lovelace, born on 10 December 1815, worked in mathematics.",),
    )
    assert Meteor().score([example]).corpus == pytest.approx(0.2628104670170987, abs=1e-12)
