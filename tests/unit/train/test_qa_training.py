"""Training a model that answers questions, for real but tiny: it learns, goes on, gives a model folder."""

import pytest

from factable.models.protocols import AskedText
from factable.models.qa import OnnxQa, encode_question
from factable.train.qa.questions import Asked
from factable.train.qa.training import (
    NO_ANSWER,
    Figures,
    Settings,
    best_temperature,
    encode,
    export,
    load_reader,
    loss_of,
    measure,
    reply,
    tokens_of,
    train_qa,
)
from factable.train.trainer import Schedule, train_steps
from helpers.encoder import make_tiny_encoder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("ignore")]


def letters(times):
    """The answer is the digit, wherever it stands; without one there is none."""
    asked = []
    for index in range(4):
        for digit in "3457":
            words = ["a", "b", "c", "d"]
            words[index] = digit
            context = " ".join(words)
            start = context.index(digit)
            asked.append(Asked("the", context, (start, start + 1), "digit"))
    nothing = [Asked("the", f"{one} b c d", None, "none") for one in "efgh"]
    return (asked + nothing) * times


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return make_tiny_encoder(tmp_path_factory.mktemp("base"))


def test_tokens_of_answers(base):
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
    encoded = encode_question(tokenizer, "the is", "a b c")
    assert tokens_of(encoded, None) == NO_ANSWER
    first, last = tokens_of(encoded, (2, 5))
    assert [encoded.offsets[index] for index in (first, last)] == [(2, 3), (4, 5)]
    assert tokens_of(encoded, (7, 9)) is None
    assert (
        len(encode(base, [Asked("the", "a b c", (0, 1), ""), Asked("the", "a " * 90, None, "")], 64).labels)
        == 1
    )


def test_it_learns_and_is_exported(base, tmp_path):
    asked = letters(60)
    trained = train_steps(
        load_reader(base),
        encode(base, asked, 64),
        loss_of,
        Schedule(1e-2, 0.05, 16, 0, 50),
        tmp_path / "work",
        threads=1,
        log=lambda _: None,
    )
    export(trained.model, base, tmp_path / "out", about="letters")
    held_out = letters(1)
    answers = reply(tmp_path / "out", held_out)
    figures = measure(held_out, answers)
    assert figures.questions == 20
    assert figures.exact > 0.9
    assert figures.answerable > 0.9
    assert best_temperature(held_out, answers) >= 0.5
    (found,) = OnnxQa(tmp_path / "out").answers([AskedText("the", "a 5 c d")], lambda _: None)
    assert (found.text, found.span) == ("5", (2, 3))


def test_figures():
    from factable.models.protocols import Answer

    asked = [Asked("q", "a b", (0, 1), ""), Asked("q", "a b", (2, 3), ""), Asked("q", "a b", None, "")]
    answers = [Answer("a", (0, 1), 0.9), Answer("a", (0, 1), 0.9), Answer("a", (0, 1), 0.6)]
    # "a" is an article, which SQuAD's F1 does not count; both sides without words are alike.
    assert measure(asked, answers) == Figures(3, 0.5, 0.5, pytest.approx(2 / 3))


def test_the_whole_command(base, tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(
        "".join(
            f'{{"id": "{number}", "data": [["Ada", "a", "{number}"], ["Ada", "b", "x{number}"]], '
            f'"references": ["Ada is {number} and x{number}."]}}\n'
            for number in range(10, 40)
        )
    )
    lines = []
    out = tmp_path / "model"
    settings = Settings(batch=8, every=5)
    for _ in range(2):
        train_qa(
            [str(corpus)],
            [str(corpus)],
            base,
            out,
            settings,
            questions="general",
            about="tiny",
            threads=1,
            log=lines.append,
        )
    starts = [line for line in lines if "from step" in line]
    assert starts[0].endswith("from step 0")
    # The second call found everything done.
    assert not starts[1].endswith("from step 0")
    card = (out / "CARD.md").read_text()
    assert "| corpus.jsonl |" in card
    assert OnnxQa(out).answers([AskedText("the", "")], lambda _: None)[0].answerable == 0
