"""`factable study divergence` and the pictures of commands, as users run them."""

import csv
import io
import json
import sys

import pytest
from running import write

TEXTS = {
    "low": "late it was",
    "middle": "the cat was late",
    "high": "the cat is on the mat",
    "best": "the cat is on the old mat",
}
REFERENCES = ("it was rather late in the evening", "the cat is on the old mat")


def make_lines(labels=True):
    lines = []
    for item in range(8):
        for rating, (system, text) in enumerate(TEXTS.items()):
            human = {"semantics": rating + item % 3, "fluency": rating * rating}
            if labels:
                human["entailed"] = item % 2
            lines.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": {"animal": "cat", "place": "old mat"},
                    "text": text,
                    "references": [REFERENCES[item % 2]],
                    "human": human,
                }
            )
    return lines


@pytest.fixture(scope="module")
def labelled(tmp_path_factory):
    return write(tmp_path_factory.mktemp("labelled") / "labelled.jsonl", make_lines())


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return write(tmp_path_factory.mktemp("bare") / "bare.jsonl", make_lines(labels=False))


@pytest.fixture(scope="module")
def run(run_factable):
    return run_factable


def test_json(run, labelled):
    arguments = (
        "study",
        "divergence",
        labelled,
        "-m",
        "bleu",
        "--steps",
        "4",
        "--draws",
        "20",
        "--format",
        "json",
    )
    result = run(*arguments)
    assert result.stderr == b""
    found = json.loads(result.stdout)
    coverage, divergence = found["coverage"], found["divergence"]
    assert coverage["items"] == 8
    # Half of the references have nothing of the data, and half have all.
    assert coverage["mean"] == pytest.approx(0.5)
    assert coverage["histogram"] == [4, *[0] * 18, 4]
    assert coverage["signature"].startswith("parent|")
    assert (divergence["entailed"], divergence["divergent"], divergence["sample"]) == (4, 4, 4)
    (metric,) = divergence["metrics"]
    assert metric["spec"] == "bleu"
    assert list(metric["curves"]) == ["semantics", "fluency"]
    points = metric["curves"]["semantics"]
    assert [point["share"] for point in points] == [0, 0.25, 0.5, 0.75, 1]
    assert points[0]["mean"] < points[-1]["mean"]
    assert run(*arguments, "--jobs", "2").stdout == result.stdout


def test_table_and_csv(run, labelled, tmp_path):
    study = ("study", "divergence", labelled, "-m", "parent", "-m", "bleu")
    table = run(*study, "--human", "semantics", "--steps", "2").stdout.decode()
    assert "semantics: Pearson r (-1 to 1) by the share of items whose references are entailed" in table
    assert "divergence|human:semantics|label:entailed|level:system|draws:500|seed:0|systems:4|" in table
    out = tmp_path / "curves.csv"
    assert run(*study, "--level", "example", "--out", out).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert len(rows) == 2 * 2 * 11
    assert {row["level"] for row in rows} == {"example"}


def test_without_labels_there_is_the_coverage(run, bare, tmp_path):
    picture = tmp_path / "coverage.svg"
    result = run("study", "divergence", bare, "--histogram", picture, "--format", "json")
    note = "factable: no rating 'entailed' says whose references the data entails, so there are no curves\n"
    assert result.stderr.decode() == note
    assert json.loads(result.stdout)["divergence"] is None
    assert b"share of 8 items" in picture.read_bytes()


def test_ratings_are_not_needed_for_coverage(run, tmp_path):
    lines = [{**line, "human": {}} for line in make_lines()]
    result = run("study", "divergence", write(tmp_path / "unrated.jsonl", lines))
    assert result.returncode == 0
    assert "0.500" in result.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--plot", "x.svg"),
            "no rating 'entailed' says whose references the data entails, which --plot needs; add",
        ),
        (("--human", "semantics"), "no rating 'entailed' says whose references the data entails"),
        (("--label", "semantic"), "no rating 'semantic'; did you mean 'semantics'?"),
        (("--histogram", "x.gif"), "picture 'x.gif' ends in '.gif'; end it in .png, .svg, .pdf or .pgf"),
        (("--draws", "0"), "Invalid value for '--draws'"),
    ],
)
def test_misuse_is_one_line_and_leaves_nothing(run, bare, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("study", "divergence", bare, *arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1
    assert list(tmp_path.iterdir()) == []


DRAWING = [
    (("study", "divergence"), "--plot"),
    (("study", "divergence"), "--histogram"),
    (("study",), "--plot"),
    (("study", "ratings"), "--scatter"),
    (("compare",), "--plot"),
]


@pytest.mark.parametrize(("name", "option"), DRAWING)
def test_pictures_of_commands(run, labelled, tmp_path, name, option):
    printed = run(*name, labelled, "--format", "json")
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]
    for file in files:
        result = run(*name, labelled, "--format", "json", option, file)
        assert (result.returncode, result.stderr) == (0, b"")
        assert result.stdout == printed.stdout
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_bytes().startswith(b"<?xml")


@pytest.mark.parametrize(("name", "option"), DRAWING)
def test_pictures_that_cannot_be_written(run, labelled, tmp_path, name, option):
    nowhere = tmp_path / "nowhere" / "x.png"
    result = run(*name, labelled, option, nowhere)
    assert result.returncode == 2
    message = f"factable: {nowhere}: cannot write: No such file or directory; check the path\n"
    assert result.stderr.decode() == message
    other = run(*name, labelled, option, tmp_path / "x.bmp", "--out", tmp_path / "out.json")
    assert other.returncode == 2
    assert b"ends in '.bmp'; end it in .png, .svg, .pdf or .pgf" in other.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "option"), DRAWING)
def test_a_picture_does_not_replace_an_input(run, tmp_path, name, option):
    path = write(tmp_path / "data.svg", make_lines())
    before = path.read_bytes()
    result = run(*name, path, option, path)
    assert result.returncode == 2
    assert f"{option} {path} is an input too" in result.stderr.decode()
    assert path.read_bytes() == before


def test_tuning_draws_nothing(run, labelled):
    result = run("study", labelled, "--tune", "parent(mix=*)", "--plot", "x.svg")
    assert result.returncode == 2
    assert result.stderr == (
        b"factable: --plot, --scatter and --distribution draw the study of -m; drop them or --tune\n"
    )


def test_without_matplotlib(run, labelled, monkeypatch, tmp_path):
    # None in sys.modules is how Python marks what cannot be imported.
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("study", labelled, "--plot", tmp_path / "x.png")
    assert result.returncode == 2
    expected = "drawing needs the extra 'plot'; install it with: pip install 'factable[plot]'"
    assert result.stderr.decode() == f"factable: {expected}\n"
    assert list(tmp_path.iterdir()) == []
    assert run("study", labelled).returncode == 0
