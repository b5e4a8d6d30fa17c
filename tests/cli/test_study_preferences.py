"""`factable study preferences` as users run it."""

import csv
import io
import json
from functools import partial

import numpy as np
import pytest
from running import document, write

import factable

SYSTEMS = ("alpha", "beta", "gamma")
WORDS = ["the", "old", "cat", "sat", "on", "a", "red", "mat", "by", "an", "open", "door"]
METRICS = ("-m", "parent", "-m", "ter")


def make_examples(items=10):
    generator = np.random.default_rng(0)
    lines = []
    for item in range(items):
        reference = list(map(str, generator.permutation(WORDS)))
        for quality, system in enumerate(SYSTEMS, 1):
            kept = reference[: 3 * quality + int(generator.integers(0, 3))]
            lines.append(
                {
                    "id": f"i{item}",
                    "system": system,
                    "data": {"animal": "cat", "place": "mat"},
                    "text": " ".join(kept),
                    "references": [" ".join(reference)],
                }
            )
    return lines


def make_pairs(items=10):
    generator = np.random.default_rng(1)
    rows = []
    for item in range(items):
        for first, second in ((0, 1), (2, 1), (0, 2)):
            for annotator in "xyz":
                apart = first - second + generator.normal()
                winner = "tie" if abs(apart) < 0.3 else SYSTEMS[first if apart > 0 else second]
                rows.append(
                    {
                        "id": f"i{item}",
                        "system_a": SYSTEMS[first],
                        "system_b": SYSTEMS[second],
                        "winner": winner,
                        "annotator": annotator,
                    }
                )
    return rows


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    return write(tmp_path_factory.mktemp("examples") / "examples.jsonl", make_examples())


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return write(tmp_path_factory.mktemp("pairs") / "pairs.jsonl", make_pairs())


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "study", "preferences")


def test_json(run, examples, pairs):
    found = document(run(examples, "--pairs", pairs, *METRICS, "--format", "json"))
    assert (found["items"], found["preferences"], found["pairs"]) == (10, 90, 30)
    scores = {one["system"]: one["score"] for one in found["systems"]}
    assert scores["alpha"]["value"] < scores["beta"]["value"] < scores["gamma"]["value"]
    assert sum(score["value"] for score in scores.values()) == pytest.approx(0, abs=1e-9)
    assert scores["gamma"]["low"] <= scores["gamma"]["mean"] <= scores["gamma"]["high"]
    votes = {}
    for row in make_pairs():
        key = row["id"], *sorted((row["system_a"], row["system_b"]))
        votes.setdefault(key, []).append(row["winner"])
    for metric in found["metrics"]:
        assert metric["signature"].startswith(metric["spec"] + "|")
        sign = -1 if metric["spec"] == "ter" else 1
        scored = factable.score(examples, [metric["spec"]])[metric["spec"]].values
        values = {
            (line["id"], line["system"]): sign * value
            for line, value in zip(make_examples(), scored, strict=True)
        }
        right = []
        for (item, first, second), given in votes.items():
            counts = {name: given.count(name) for name in (first, second, "tie")}
            most = [name for name, count in counts.items() if count == max(counts.values())]
            if len(most) == 1 and most != ["tie"]:
                other = first if most[0] == second else second
                apart = values[item, most[0]] - values[item, other]
                right.append((np.sign(apart) + 1) / 2)
        assert metric["accuracy"]["value"] == pytest.approx(np.mean(right))
        assert metric["pairs"] == len(right) == found["pairs"] - found["undecided"]
        assert metric["pearson"]["value"] > 0.8
    (comparison,) = found["comparisons"]
    assert {comparison["better"], comparison["worse"]} == {"parent", "ter"}
    assert 0 < comparison["p_mcnemar"] <= comparison["p_holm"] <= 1


def test_csv_list_stdin_and_jobs_give_the_same(run, examples, pairs, tmp_path):
    arguments = ("--bootstrap", "20", "--format", "json")
    whole = document(run(examples, "--pairs", pairs, *arguments))
    rows = make_pairs()
    with (tmp_path / "pairs.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["ID", "System_A", "system_b", "winner", "annotator", "remark"])
        writer.writeheader()
        for row in rows:
            winner = "" if row["winner"] == "tie" else row["winner"]
            names = {"ID": row["id"], "System_A": row["system_a"], "system_b": row["system_b"]}
            writer.writerow({**names, "winner": winner, "annotator": row["annotator"]})
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    assert document(run(examples, "--pairs", tmp_path / "pairs.csv", *arguments)) == whole
    assert document(run(examples, "--pairs", tmp_path / "pairs.json", *arguments)) == whole
    assert document(run(examples, "--pairs", "-", *arguments, stdin=pairs.read_bytes())) == whole
    assert document(run(examples, "--pairs", pairs, *arguments, "--jobs", "2")) == whole
    assert document(run(examples, "--pairs", pairs, *arguments, "--seed", "1")) != whole


def test_tables_and_csv(run, examples, pairs, tmp_path):
    table = run(examples, "--pairs", pairs, *METRICS).stdout.decode()
    assert "Thurstone score" in table
    assert "preferences|bootstrap:500|seed:0|systems:3|items:10|preferences:90|pairs:30|undecided:" in table
    assert "\x1b" not in table
    assert "| **" in run(examples, "--pairs", pairs, "--format", "markdown").stdout.decode()
    assert r"\textbf{" in run(examples, "--pairs", pairs, "--format", "latex").stdout.decode()
    run(examples, "--pairs", pairs, *METRICS, "--out", tmp_path / "found.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "found.csv").read_text())))
    assert [(row["kind"], row["statistic"]) for row in rows] == [
        *[("system", "thurstone")] * 3,
        *[("metric", "accuracy"), ("metric", "pearson")] * 2,
    ]


def test_significant_differences_are_shown(run, tmp_path):
    # People prefer what chrF prefers, and TER prefers the other.
    texts = {"brief": "the cat sat", "noisy": "qq qq qq qq qq qq the cat sat on the old red"}
    reference = "the cat sat on the old red mat by the door"
    names = [(f"i{item}", system) for item in range(30) for system in texts]
    lines = [
        {"id": item, "system": s, "data": {"a": "cat"}, "text": texts[s], "references": [reference]}
        for item, s in names
    ]
    chosen = [{"id": f"i{n}", "system_a": "brief", "system_b": "noisy", "winner": "noisy"} for n in range(30)]
    path, pairs = write(tmp_path / "e.jsonl", lines), write(tmp_path / "p.jsonl", chosen)
    table = run(path, "--pairs", pairs, "-m", "ter", "-m", "chrf", "--bootstrap", "0").stdout.decode()
    assert "differences of accuracy with p < 0.05" in table
    found = document(run(path, "--pairs", pairs, "-m", "ter", "-m", "chrf", "--format", "json"))
    assert found["comparisons"][0]["better"] == "chrf"
    assert found["metrics"][0]["pearson"]["value"] is None
    assert found["metrics"][0]["pearson"]["reason"].startswith("fewer than 3 systems")


GOOD = {"id": "i0", "system_a": "alpha", "system_b": "beta", "winner": "beta"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"winner": "betta"}, "\"winner\" is 'betta'; did you mean 'beta'? give 'alpha', 'beta' or 'tie'"),
        ({"winner": True}, "\"winner\" is a boolean; give 'alpha', 'beta' or 'tie'"),
        ({"winner": "gamma"}, "\"winner\" is 'gamma'; give 'alpha', 'beta' or 'tie'"),
        ({"system_b": "alpha"}, "system 'alpha' is compared with itself; name two systems"),
        ({"system_a": None}, '"system_a" is empty; give a string or a whole number'),
        ({"system_a": ["alpha"]}, '"system_a" is a list; give a string or a whole number'),
        ({"id": "i99"}, "no example has id 'i99'; give both files the same ids"),
        (
            {"system_a": "gama"},
            "no example of system 'gama' has id 'i0'; did you mean 'gamma'? add the example or drop the",
        ),
        ({"annotator": 1.5}, '"annotator" is a number; give a string or a whole number'),
    ],
)
def test_bad_values(run, examples, tmp_path, changes, message):
    path = write(tmp_path / "pairs.jsonl", [GOOD, {**GOOD, **changes}])
    result = run(examples, "--pairs", path)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {path}:2: {message}")
    assert result.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.jsonl", '{"id": 1, "system_a": "a"}', ':1: no "system_b" field; add it'),
        ("p.jsonl", '{"id": 1, "system_a": "a", "system_b": "b"}', ':1: no "winner" field; add it'),
        ("p.jsonl", "{", ":1: broken JSON"),
        ("p.jsonl", "7", ':1: a number instead of an object; write {"id": …, "system_a": …'),
        ("p.json", '[{"id": 1}]', ': element 1: no "system_a" field; add it'),
        ("p.jsonl", "", ": holds no preferences; give at least one"),
        ("p.csv", "id,system_a,sytem_b,winner\n", ':1: no column "system_b" among id, system_a'),
        ("p.csv", "id,system_a,system_b,winner\n1,a,b\n", ":2: 3 cells under 4 column names"),
        ("p.csv", "id,system_a,system_b,winner\n1,a,,a\n", ':2: "system_b" is empty'),
    ],
)
def test_bad_files(run, examples, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content)
    result = run(examples, "--pairs", path)
    assert result.returncode == 2
    assert result.stderr.decode().startswith(f"factable: {path}{message}")
    assert result.stderr.count(b"\n") == 1


def test_up_to_ten_faults_and_repeats(run, examples, tmp_path):
    rows = [{**GOOD, "annotator": "x"}, {**GOOD, "system_a": "beta", "system_b": "alpha", "annotator": "x"}]
    path = write(tmp_path / "pairs.jsonl", rows)
    message = "repeats annotator 'x' on a pair (first at line 1); keep one of them"
    assert run(examples, "--pairs", path).stderr.decode() == f"factable: {path}:2: {message}\n"
    write(path, [{**GOOD, "id": f"x{number}"} for number in range(15)])
    assert run(examples, "--pairs", path).stderr.count(b"\n") == 10


def test_bad_lines_can_be_skipped(run, examples, tmp_path):
    path = write(tmp_path / "pairs.jsonl", [GOOD, {**GOOD, "winner": "zeta"}, {**GOOD, "id": "i99"}])
    result = run(examples, "--pairs", path, "--skip-bad", "--format", "json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["preferences"] == 1
    first, second, last = result.stderr.decode().splitlines()
    assert first.startswith(f"skipped {path}:2: ")
    assert second.startswith(f"skipped {path}:3: no example has id")
    assert last == "factable: 2 bad lines skipped"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Missing option '--pairs'"),
        (("--pairs", "{pairs}", "--system", "alpha"), "no preference is between the systems that are left"),
        (("--pairs", "{pairs}", "--out", "{pairs}"), "--out"),
        (("-", "--pairs", "-"), "--pairs and FILES are both stdin"),
    ],
)
def test_misuse_is_one_line(run, examples, pairs, arguments, message):
    given = [argument.format(pairs=pairs) for argument in arguments]
    # Its ending would be refused before.
    given += ["--format", "json"] if "--out" in given else []
    result = run(examples, *given)
    assert result.returncode == 2
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1


def test_names_cannot_steer_the_terminal(run, tmp_path):
    lines = [{**line, "system": "\x1b[31m" + line["system"]} for line in make_examples()]
    rows = [
        {**row, **{key: "\x1b[31m" + row[key] for key in ("system_a", "system_b")}, "winner": None}
        for row in make_pairs()
    ]
    path, pairs = write(tmp_path / "e.jsonl", lines), write(tmp_path / "p.jsonl", rows)
    printed = run(path, "--pairs", pairs).stdout
    assert b"\\x1b[31malpha" in printed
    assert b"\x1b" not in printed
