"""`factable compare` as users run it."""

import csv
import io
import json
import re
from functools import partial

import numpy as np
import pytest
from running import document, write

import factable

WORDS = ["the", "cat", "sat", "on", "a", "mat", "by", "an", "old", "red", "door"]
QUALITY = {"good": 8, "fair": 5, "poor": 3}


def make_lines(quality, items=30, seed=0, **more):
    """Lines of one system that says so many words of each reference."""
    references = [
        " ".join(words) for words in (np.random.default_rng(n).permutation(WORDS) for n in range(items))
    ]
    generator = np.random.default_rng([seed, quality])
    return [
        {
            "id": f"i{item}",
            "data": {"animal": "cat", "place": "mat"},
            "text": " ".join(reference.split()[: quality + int(generator.integers(0, 3))]),
            "references": [reference],
            **more,
        }
        for item, reference in enumerate(references)
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file for each system, without the names of systems in them."""
    folder = tmp_path_factory.mktemp("systems")
    return [write(folder / f"{name}.jsonl", make_lines(quality)) for name, quality in QUALITY.items()]


@pytest.fixture(scope="module")
def run(run_factable):
    return partial(run_factable, "compare")


METRICS = ("-m", "bleu", "-m", "ter")


def test_json(run, files):
    found = document(run(*files, *METRICS, "--format", "json"))
    assert found["systems"] == list(QUALITY)
    assert (found["bootstrap"], found["seed"], found["alpha"], found["baseline"]) == (1000, 0, 0.05, None)
    assert (found["items"], found["missing"]) == (30, 0)
    assert "note" not in found
    for metric in found["metrics"]:
        assert metric["signature"].startswith(metric["spec"] + "|")
        assert (metric["items"], metric["unscored"]) == (30, 0)
        assert [one["system"] for one in metric["systems"]] == list(QUALITY)
        assert [one["rank"] for one in metric["systems"]] == [1, 2, 3]
        for one in metric["systems"]:
            expected = factable.score(files[list(QUALITY).index(one["system"])], [metric["spec"]])
            assert one["value"] == expected[metric["spec"]].corpus
            assert one["parts"] == expected[metric["spec"]].corpus_parts
            assert one["low"] < one["value"] < one["high"]
        pairs = [(one["system"], one["other"]) for one in metric["differences"]]
        assert pairs == [("good", "fair"), ("good", "poor"), ("fair", "poor")]
        for one in metric["differences"]:
            assert set(one) == {
                "system",
                "other",
                "difference",
                "low",
                "high",
                "p_bootstrap",
                "p_randomization",
                "p_holm",
            }
            assert one["p_randomization"] <= one["p_holm"] < 0.05


def test_systems_of_one_file_or_many_are_the_same(run, files, tmp_path):
    arguments = (*METRICS, "--format", "json", "--bootstrap", "50")
    expected = run(*files, *arguments).stdout
    named = [line for name, quality in QUALITY.items() for line in make_lines(quality, system=name)]
    whole = write(tmp_path / "all.jsonl", named)
    assert run(whole, *arguments).stdout == expected
    assert run("-", *arguments, stdin=whole.read_bytes()).stdout == expected
    assert run(*files, *arguments, "--jobs", "2").stdout == expected
    assert run(*files, *arguments, "--seed", "1").stdout != expected


def test_lists_and_tables_get_the_names_of_their_files_too(run, files, tmp_path):
    lines = make_lines(QUALITY["fair"])
    (tmp_path / "fair.json").write_text(json.dumps(lines))
    with (tmp_path / "poor.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "animal", "place", "text", "reference"])
        for line in make_lines(QUALITY["poor"]):
            writer.writerow([line["id"], "cat", "mat", line["text"], line["references"][0]])
    arguments = (*METRICS, "--bootstrap", "50", "--format", "json")
    found = run(files[0], tmp_path / "fair.json", tmp_path / "poor.csv", *arguments)
    assert found.stdout == run(*files, *arguments).stdout
    # A metric over all examples at once reads them in another way.
    for spec in ("cider", 'bleu(compat="webnlg2020")'):
        assert document(run(*files, "-m", spec, "--format", "json"))["systems"] == list(QUALITY)


def test_files_of_one_name_are_told_apart_by_their_folders(run, tmp_path):
    write(tmp_path / "first/out.jsonl", make_lines(8))
    write(tmp_path / "second/out.jsonl", make_lines(5))
    found = document(run("first/out.jsonl", "second/out.jsonl", "--format", "json", cwd=tmp_path))
    assert found["systems"] == ["first/out.jsonl", "second/out.jsonl"]
    refused = run("first/out.jsonl", "first/out.jsonl", cwd=tmp_path)
    assert refused.returncode == 2
    assert b"first/out.jsonl:1: repeats id 'i0' of system 'first/out.jsonl'" in refused.stderr


def test_what_not_all_systems_have_is_left_out_and_counted(run, files, tmp_path):
    lines = make_lines(5)
    lines[3]["references"] = []
    path = write(tmp_path / "fair.jsonl", lines[1:])
    found = document(run(files[0], path, "-m", "bleu", "--format", "json"))
    assert (found["items"], found["missing"]) == (29, 1)
    assert (found["metrics"][0]["items"], found["metrics"][0]["unscored"]) == (28, 1)
    table = run(files[0], path, "-m", "bleu").stdout.decode()
    assert "|systems:2|missing:1|unscored:1|" in table


def test_table_markdown_latex_and_csv(run, files, tmp_path):
    table = run(*files, *METRICS).stdout.decode()
    assert " all metrics\n" in table
    assert " bleu: differences\n" in table
    assert "compare|bootstrap:1000|seed:0|alpha:0.05|systems:3|missing:0|unscored:0|factable:" in table
    assert "\x1b" not in table
    markdown = run(*files, *METRICS, "--format", "markdown").stdout.decode()
    assert markdown.count("| good | 1 | **") == 2
    assert markdown.count("| good | **") == 1
    assert "| fair | 2 | **" not in markdown
    assert r"\textbf{" in run(*files, *METRICS, "--format", "latex").stdout.decode()
    run(*files, *METRICS, "--out", tmp_path / "systems.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "systems.csv").read_text())))
    assert {row["name"] for row in rows} >= {"value", "precision_1", "edits"}
    (value,) = (
        row for row in rows if (row["metric"], row["system"], row["name"]) == ("ter", "good", "value")
    )
    assert float(value["low"]) < float(value["value"]) < float(value["high"])
    assert (value["rank"], value["items"]) == ("1", "30")


def test_many_pairs_list_those_that_differ(run, tmp_path):
    qualities = {"a": 8, "b": 8, "c": 5, "d": 5, "e": 3}
    paths = [
        write(tmp_path / f"{name}.jsonl", make_lines(quality, seed=ord(name)))
        for name, quality in qualities.items()
    ]
    six = write(tmp_path / "f.jsonl", make_lines(3, seed=9))
    assert " bleu: differences\n" in run(*paths, "-m", "bleu").stdout.decode()
    table = run(*paths, six, "-m", "bleu").stdout.decode()
    assert " bleu: differences with p Holm < 0.05\n" in table
    assert "|pairs:15|" in table


def test_baseline(run, files):
    found = document(run(*files, "-m", "bleu", "--baseline", "fair", "--format", "json"))
    (metric,) = found["metrics"]
    assert found["baseline"] == "fair"
    assert [one["rank"] for one in metric["systems"]] == [None] * 3
    assert [(one["system"], one["other"]) for one in metric["differences"]] == [
        ("good", "fair"),
        ("poor", "fair"),
    ]
    table = run(*files, "-m", "bleu", "--baseline", "fair").stdout.decode()
    assert "compare|baseline:fair|" in table
    assert "rank" not in table


def test_no_draws(run, files):
    found = document(run(*files, "-m", "bleu", "--bootstrap", "0", "--format", "json"))
    (metric,) = found["metrics"]
    assert metric["systems"][0]["low"] is metric["systems"][0]["rank"] is None
    assert metric["differences"][0]["p_holm"] is None
    table = run(*files, "-m", "bleu", "--bootstrap", "0").stdout.decode()
    assert "difference" not in table


def test_too_few_draws_are_noted(run, files):
    result = run(*files, "-m", "bleu", "--bootstrap", "20", "--format", "json")
    note = (
        "20 randomisations cannot tell 3 pairs apart at 0.05; draw 60 or more, or compare with one baseline"
    )
    assert result.stderr.decode() == f"factable: {note}\n"
    assert json.loads(result.stdout)["note"] == note


def test_names_cannot_steer_the_terminal(run, files, tmp_path):
    path = write(tmp_path / "odd.jsonl", make_lines(5, system="\x1b[31mred"))
    printed = run(files[0], path, "-m", "bleu").stdout
    assert b"\\x1b[31mred" in printed
    assert b"\x1b" not in printed
    refused = run(path, "-m", "bleu").stderr
    assert b"1 system (\\x1b[31mred)" in refused
    assert b"\x1b" not in refused


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--baseline", "god"), "no system 'god'; did you mean 'good'? systems in the data are good, fair"),
        (("--system", "good"), "1 system (good), but a comparison needs 2 or more; add systems"),
        (("--exclude-system", "god"), "no system 'god'; did you mean 'good'?"),
        (("--alpha", "1"), "Invalid value for '--alpha'"),
        (("--out", "x.jsonl"), "no format ends in '.jsonl'; end --out in .json, .csv, .md, .tex or .txt"),
    ],
)
def test_misuse_is_one_line(run, files, arguments, message):
    result = run(*files, "-m", "bleu", *arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    assert result.stderr.decode().startswith(f"factable: {message}")
    assert result.stderr.count(b"\n") == 1


def test_other_ids_cannot_be_paired(run, files, tmp_path):
    lines = [{**line, "id": "x" + line["id"]} for line in make_lines(5)]
    result = run(files[0], write(tmp_path / "other.jsonl", lines), "-m", "bleu")
    assert result.returncode == 2
    assert result.stderr.startswith(b"factable: no item has texts of all 2 systems; use the same ids")


def test_tables_for_papers(run, files):
    options = ("--digits", "1", "--name", "bleu=BLEU", "--name", "good=Ours (2026)", "--format")
    latex = run(*files, *METRICS, *options, "latex").stdout.decode()
    note = r"* Significantly worse than the best system (p \textless{} 0.05, ".replace("*", "{*}")
    assert rf"\caption{{All metrics. Best in bold. {note}" in latex
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == latex.count(r"\caption{")
    assert r"\caption{BLEU: differences. Significant differences in bold.}" in latex
    best, *others = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert re.fullmatch(r"Ours \(2026\) & \\textbf\{\d+\.\d\} & \\textbf\{\d+\.\d\} \\\\", best)
    assert all(line.count("{*}") == 2 for line in others)
    markdown = run(*files, *METRICS, *options, "markdown").stdout.decode()
    assert "| system | BLEU (0–100) |" in markdown
    assert "\\* Significantly worse than the best system" in markdown
    document = json.loads(run(*files, *METRICS, *options, "json").stdout)
    assert document["metrics"][0]["spec"] == "bleu"


def test_names_must_have_two_sides(run, files):
    result = run(*files, "--name", "bleu")
    assert (result.returncode, b"write OLD=NEW" in result.stderr) == (2, True)
