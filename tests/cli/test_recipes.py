"""Every recipe of an embedded model, run whole on a handful of examples; what it makes must work."""

import gzip
import json
import lzma
import os
import runpy
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from factable.models.encoder import embed
from factable.models.marks import mark_sentences
from factable.models.nli import TextPair, entailment
from factable.models.qa import QuestionInText, answer_questions
from factable.models.seq2seq import AnswerInText, write_questions
from factable.train.questeval import read_questions
from helpers.encoder import make_tiny_encoder
from helpers.t5 import make_t5_folder

RECIPES = Path(__file__).parents[2] / "recipes"
YEARS = range(1900, 1905)
PEOPLE = {"Ann Lee": "Aden", "Bob Ray": "Bonn", "Cy Fox": "Cork", "Dee Poe": "Dole"}
ENTRY = """<entry category="{category}" eid="Id{number}" size="2">
  <modifiedtripleset><mtriple>{person} | birthPlace | {town}</mtriple>
  <mtriple>{person} | birthYear | {year}</mtriple>
  </modifiedtripleset>
  <lex comment="good" lid="Id1">{person} was born in {town} in {year}.</lex>
  <lex comment="good" lid="Id2">{town} is where {person} was born. The year was {year}.</lex>
</entry>"""
E2E = [
    ("name[Zizzi], food[Italian]", "Zizzi serves Italian food ."),
    ("name[Aromi], food[French]", "Aromi serves French food ."),
    *((f"name[Zizzi {number}], priceRange[cheap]", f"Zizzi {number} is cheap .") for number in range(40)),
]
NLI_PAIRS = [
    {"premise": "A man sleeps.", "hypothesis": "A person sleeps.", "label": "entailment"},
    {"premise": "A man sleeps.", "hypothesis": "A man dances.", "label": "contradiction"},
    {"premise": "A man sleeps.", "hypothesis": "A man is old.", "label": "neutral"},
]
INFOBOX = {
    "premise": "Aden | Country: Yemen ; Founded: 1839",
    "hypothesis": "Aden is a town.",
    "label": "neutral",
}
MARKED = {
    "data": {"name": "Ada Hotel", "rooms": 12},
    "text": "Ada Hotel has 12 rooms. Its rooms have 5 bars.",
}

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder like that of the shared data, with a few made-up examples in each file."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("nli", "webnlg2017", "e2e", "qa", "llm"):
        (folder / name).mkdir()
    for name in ("mnli_train_44k", "snli_train_100k", "mnli_dev_matched"):
        write_lines(lzma.open, folder / "nli" / f"{name}.jsonl.xz", NLI_PAIRS)
    for name in ("infotabs_train", "infotabs_dev"):
        write_lines(lzma.open, folder / "nli" / f"{name}.jsonl.xz", [INFOBOX])
    write_webnlg(folder / "webnlg2017")
    with gzip.open(folder / "e2e" / "trainset_tokenised.tsv.gz", "wt") as stream:
        stream.write("mr\tref_tokenised\n" + "".join(f"{slots}\t{text}\n" for slots, text in E2E))
    with lzma.open(folder / "e2e" / "devset.csv.xz", "wt") as stream:
        stream.write("mr,ref\n" + "".join(f'"{slots}","{text}"\n' for slots, text in E2E))
    for name in ("squad_train-v1.1", "squad_dev-v1.1"):
        write_squad(folder / "qa" / f"{name}.json.xz")
    for name in ("ragtruth", "quintd", "span_annotation", "freshtab", "rotowire_acc"):
        rows = [
            {
                "id": str(number),
                **MARKED,
                "data": {**MARKED["data"], "number": number},
                "spans": [[40, 46, "made up"]],
            }
            for number in range(12)
        ]
        write_lines(gzip.open, folder / "llm" / f"{name}.jsonl.gz", rows)
    return folder


def write_lines(opener, path, rows):
    with opener(path, "wt") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def write_webnlg(folder, people=PEOPLE):
    parts = {"train": "Astronaut", "dev": "Astronaut", "test": "Artist"}
    for part, category in parts.items():
        entries = "".join(
            ENTRY.format(category=category, number=number, person=person, town=town, year=1900 + number)
            for number, (person, town) in enumerate(people.items())
        )
        content = f"<benchmark><entries>{entries}</entries></benchmark>"
        if part == "test":
            with lzma.open(folder / "testdata_with_lex.xml.xz", "wt") as stream:
                stream.write(content)
        else:
            path = folder / "challenge_data_train_dev" / part / "2triples" / "people.xml"
            path.parent.mkdir(parents=True)
            path.write_text(content)
    with tarfile.open(folder / "challenge_data_train_dev.tar.xz", "w:xz") as archive:
        archive.add(folder / "challenge_data_train_dev", "challenge_data_train_dev")


def write_squad(path):
    context = "Ann Lee was born in Aden in 1901."
    questions = [
        {"id": "1", "question": "Where was Ann Lee born?", "answers": [{"text": "Aden", "answer_start": 20}]},
        {"id": "2", "question": "When was Ann Lee born?", "answers": [{"text": "1901", "answer_start": 28}]},
    ]
    article = {"title": "Ann Lee", "paragraphs": [{"context": context, "qas": questions}]}
    with lzma.open(path, "wt") as stream:
        json.dump({"version": "1.1", "data": [article]}, stream)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """An encoder of a few thousand numbers."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    return make_tiny_encoder(tmp_path_factory.mktemp("encoder"))


def run_recipe(name, data, base, out, *options, **settings):
    """The recipe with a dozen made-up records, by the package and the command of this environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings |= {"PATH": path, "EVERYDAY": "12", "FACTABLE_CACHE": "off"}
    command = ["sh", RECIPES / name, data, out, "--base", base, *options]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    cards = list(out.rglob("CARD.md"))
    assert cards
    assert all("Conditions of use" in card.read_text() for card in cards)
    return str(out)


@pytest.fixture(scope="module")
def nli(data, base, tmp_path_factory):
    return run_recipe("nli.sh", data, base, tmp_path_factory.mktemp("models") / "nli")


def test_nli(nli):
    answers = entailment(nli, [TextPair("Ann Lee was born in Aden.", "The birth place of Ann Lee is Aden.")])
    assert answers.sum() == pytest.approx(1)


def test_marks(data, base, nli, tmp_path):
    model = run_recipe("marks.sh", data, base, tmp_path / "marks", NLI=nli)
    (marks,) = mark_sentences(model, [("rooms: 12", "It has 12 rooms.")])
    assert marks.spans


def test_qa(data, base, tmp_path):
    model = run_recipe("qa.sh", data, base, tmp_path / "qa")
    question = QuestionInText("Where was Ann Lee born?", "Ann Lee was born in Aden.")
    (found,) = answer_questions(model, [question])
    assert 0 <= found.answerable <= 1


def test_qa_without_webnlg(data, base, tmp_path):
    out = tmp_path / "qa"
    run_recipe("qa.sh", data, base, out, ONLY="e2e")
    learnt, held_out = (out / "CARD.md").read_text().split("## Held-out questions")
    assert "e2e-part.jsonl" in learnt
    assert "webnlg" not in learnt
    assert "webnlg-dev.jsonl" in held_out


def test_qa_relations(data, base, tmp_path):
    model = run_recipe("qa_relations.sh", data, base, tmp_path / "relations")
    question = QuestionInText("Where was Ann Lee born?", "Ann Lee was born in Aden.")
    (found,) = answer_questions(model, [question])
    assert 0 <= found.answerable <= 1


def test_ranker(data, base, tmp_path):
    model = run_recipe("ranker.sh", data, base, tmp_path / "ranker")
    assert len(embed(model, ["Ann Lee was born in Aden."])) == 1


def test_ranker_on_some_tables(base, tmp_path):
    """Half of the tables of the training set: four, of which one is held out."""
    folder, out = tmp_path / "data" / "webnlg2017", tmp_path / "ranker"
    folder.mkdir(parents=True)
    write_webnlg(folder, {f"Ann {letter}": f"{letter}ton" for letter in "ABCDEFGH"})
    run_recipe("ranker.sh", folder.parent, base, out, EVERY="2")
    converted, used = (
        (tmp_path / "ranker.data" / name).read_text().splitlines()
        for name in ("webnlg-train.jsonl", "tables.jsonl")
    )
    assert used == converted[1::2]
    assert "6 texts to train on, 2 of other tables held out" in (out / "CARD.md").read_text()


def test_questeval(data, tmp_path):
    """The four steps, with a T5 of a few thousand numbers that learns two questions by heart."""
    texts = ["ask: answer: Where was Ann Lee born? When was 1901", *(text for row in E2E for text in row)]
    texts += [
        f"{person} was born in {town} in {year}." for (person, town) in PEOPLE.items() for year in YEARS
    ]
    base = make_t5_folder(tmp_path / "t5", ["entity [ ] , birthPlace birthYear", *texts], dropout=0.0)
    learning = ("--epochs", "150", "--rate", "1e-2", "--batch", "2")
    model = run_recipe("questeval.sh", data, base, tmp_path / "asks", *learning, BASE=str(base))
    (question,) = write_questions(model, [AnswerInText("Aden", "Ann Lee was born in Aden in 1901.")])
    assert question.endswith("born?")


def test_qwen_questions(tmp_path, capsys):
    """What is written does not depend on stops; questions stay that the embedded reader answers back."""
    main = runpy.run_path(str(RECIPES / "qwen_questions.py"))["main"]
    corpus, heard = tmp_path / "people.jsonl", []
    rows = [
        {
            "id": person,
            "data": [[person, "birthPlace", town]],
            "references": [f"{person} was born in {town}."],
        }
        for person, town in PEOPLE.items()
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def chat(messages, max_tokens):
        """Right, right, with its own answer, and without sense."""
        text, *numbered = messages[-1]["content"].removeprefix("Text: ").splitlines()
        heard.append(text)
        assert max_tokens >= 20 * len(numbered)
        person, town = text.removesuffix(".").split(" was born in ")
        questions = {
            person: f"Who was born in {town}?",
            town: {"Cork": "Is it Cork?", "Dole": "Who?"}.get(town, f"Where was {person} born?"),
        }
        return "\n".join(f"{line.split('. ')[0]}. {questions[line.split('. ')[1]]}" for line in numbered)

    out = tmp_path / "questions.jsonl"
    main(str(corpus), out, 3, chat)
    assert len(heard) == 2
    main(str(corpus), out, 99, chat)
    assert sorted(heard) == sorted(row["references"][0] for row in rows)
    asked = {(question.question, question.in_text.answer) for question in read_questions(str(out))}
    assert asked == {
        *((f"Who was born in {town}?", person) for person, town in PEOPLE.items()),
        *((f"Where was {person} born?", town) for person, town in [*PEOPLE.items()][:2]),
    }
    assert capsys.readouterr().out.splitlines()[-1].startswith("6 of 7 questions answered back")


def test_ranker_pairs(data, base, tmp_path):
    out = tmp_path / "pairs"
    run_recipe("ranker_pairs.sh", data, base, out, "--epochs", "1")
    assert all(len(embed(str(folder), ["Ann Lee"])) == 1 for folder in out.iterdir() if folder.is_dir())
