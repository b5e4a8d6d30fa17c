"""The Java process behind METEOR: what goes through it, how it dies and how it comes back."""

import gzip
import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import threading

import pytest

from factable.core.results import VALUE
from factable.errors import FactableError, MissingExtraError, MissingProgramError, UsageError
from factable.metrics.meteor import program as programs
from factable.metrics.meteor.metric import TUNINGS, Meteor, without_whole_chunk
from factable.metrics.meteor.program import WIDTH, MeteorOptions, command, load_meteor
from factable.types import Example, Table
from helpers.paths import SOURCE


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

# Starts at once: the paraphrase table takes seconds to read.
QUICK = MeteorOptions(paraphrases="none")
METRIC = Meteor(paraphrases="none")


def example(text, *references):
    return Example("1", "", text, Table(()), references)


def value(text, *references, metric=METRIC):
    return metric.score([example(text, *references)]).values[0]


def java_of(options):
    return load_meteor(options)._java._process


def test_one_process_answers_again_and_again():
    rows = load_meteor(QUICK).measure([(["a cat sat"], "a cat sat")] * 100)
    first = java_of(QUICK).pid
    assert rows == [rows[0]] * 100
    assert len(rows[0]) == WIDTH
    load_meteor(QUICK).measure([(["a"], "b")])
    assert java_of(QUICK).pid == first


def test_nothing_to_ask_starts_nothing(monkeypatch):
    monkeypatch.setattr(programs, "_Java", None)
    assert programs.MeteorProgram(QUICK).measure([]) == []


def test_long_lines_and_many_lines_do_not_block():
    pairs = [(["word " + "x" * size], "other " + "y" * size) for size in [5_000] * 70 + [100_000]]
    assert [row[0] for row in load_meteor(QUICK).measure(pairs)] == [2.0] * 71


def test_separators_and_line_breaks_stay_inside_their_text():
    assert value("a\nb\r\nc\u2028d\x85e\vf", "a b c d e f") == 1
    assert value("a ||| b", "a | | | b") == value("a|||||b", "a | | | | | b") == 1
    assert value("a ||| b", "a b", "a") < 1
    assert value("|||", "||| |||") > 0
    assert value("ends with ||", "|| begins") > 0
    odd = [example("\n|||\n", "a"), example("a", "|||\n\n|||", "a\r"), example("SCORE ||| x", "EVAL ||| y")]
    assert list(METRIC.score([*odd, example("a b", "a b")]).values)[-1] == 1


def test_unicode_goes_through():
    for text in ("Šuárez–Žižek 東京 was born", "👩\u200d👧 ok", "ὈΔΥΣΣΕΎΣ IŞIK", "x\ud800y"):
        assert value(text, text) == 1
    # Java lower-cases in English wherever it runs.
    assert value("TITLE", "title") == 1
    assert value("São", "Sao") == 0


def test_empty_text_and_empty_references():
    for text in ("", " ", "\n", "\t \u2028"):
        assert value(text, "a b") == 0
    scores = METRIC.score([example("a b", "", "a b", " \n"), example("a", ""), example("a")])
    assert scores.values[0] == 1
    assert [math.isnan(value) for value in scores.values] == [False, True, True]
    assert [found[0].note for found in scores.findings[1:]] == ["no references"] * 2
    assert scores.corpus == 1
    assert len(scores.stats) == 3 * WIDTH


def test_words_of_the_aligner():
    assert value("a large dog", "a big dog") > value("a large dog", "a green dog")
    assert value("the dogs", "the dog") > value("the cats", "the dog") > 0
    # A quirk of the program: stems next to no other match are left out.
    assert value("dogs walking", "dog walk") == 0
    assert value("b a", "a b") < 1
    assert value("Ada", "ada", metric=Meteor(paraphrases="none", normalize=False)) == 0
    assert value("Ada", "ada") == 1


def test_two_threads():
    texts = [f"the number {number} is written" for number in range(300)]
    found = {}

    def work(name):
        pairs = [([text], f"{name} {text}") for text in texts]
        found[name] = [load_meteor(QUICK).measure(pairs[start : start + 50]) for start in range(0, 300, 50)]

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "one two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {row[0] for rows in found["one"] for row in rows} == {6.0}
    assert {row[0] for rows in found["one two"] for row in rows} == {7.0}


def test_a_killed_process_is_started_again():
    before = value("a b c", "a c b")
    killed = java_of(QUICK)
    os.kill(killed.pid, signal.SIGKILL)
    assert value("a b c", "a c b") == before
    assert java_of(QUICK).pid != killed.pid
    # Waited for, so that no zombie stays.
    assert killed.returncode == -signal.SIGKILL


def stand_in(monkeypatch, script):
    """A program that is not METEOR in the place of Java."""
    monkeypatch.setattr(programs, "command", lambda _: ["/bin/sh", "-c", script])
    return programs.MeteorProgram(QUICK)


def test_a_process_that_dies_twice(monkeypatch):
    script = "echo 'java.lang.OutOfMemoryError: heap' >&2; printf '\\tat Meteor.main\\n' >&2; exit 3"
    with pytest.raises(FactableError, match=r"ended, twice \(java.lang.OutOfMemoryError: heap\)$"):
        stand_in(monkeypatch, script).measure([(["a"], "a")])
    with pytest.raises(FactableError, match="exit code 4"):
        stand_in(monkeypatch, "exit 4").measure([(["a"], "a")])


def test_a_process_that_answers_nonsense(monkeypatch):
    program = stand_in(monkeypatch, "read line; echo 'Error: no such thing'; read line")
    with pytest.raises(FactableError, match="answered 'Error: no such thing', not 23 numbers"):
        program.measure([(["a"], "a")])
    assert program._java is None


def test_an_interrupt_leaves_no_answer_behind(monkeypatch):
    program = programs.MeteorProgram(QUICK)
    try:
        program.measure([(["a"], "a")])
        first = program._java._process
        with monkeypatch.context() as patch:
            patch.setattr(programs, "_parse", interrupt)
            with pytest.raises(KeyboardInterrupt):
                program.measure([(["a b"], "a")])
        assert first.returncode is not None
        assert program.measure([(["a b c"], "a")])[0][1] == 3
    finally:
        program.close()


def interrupt(_line):
    raise KeyboardInterrupt


def score_in_child(connection):
    connection.send((value("a b", "a c"), java_of(QUICK).pid))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_a_forked_child_starts_its_own():
    here = value("a b", "a c"), java_of(QUICK).pid
    context = multiprocessing.get_context("fork")
    for _ in range(2):
        ours, theirs = context.Pipe()
        child = context.Process(target=score_in_child, args=(theirs,))
        child.start()
        there = ours.recv()
        child.join()
        assert there[0] == here[0]
        assert there[1] != here[1]
        # The child has ended its own and left ours alone.
        with pytest.raises(ProcessLookupError):
            os.kill(there[1], 0)
        assert (value("a b", "a c"), java_of(QUICK).pid) == here


def test_java_ends_with_python():
    script = (
        "from factable.metrics.meteor.program import MeteorOptions, load_meteor\n"
        "program = load_meteor(MeteorOptions(paraphrases='none'))\nprogram.measure([(['a'], 'a')])\n"
        "print(program._java._process.pid)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True
    )
    assert run.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(run.stdout), 0)


@pytest.mark.parametrize("language", TUNINGS)
@pytest.mark.parametrize("normalize", [True, False])
def test_scores_of_every_language_are_those_of_the_program(language, normalize, tmp_path):
    table = tmp_path / "paraphrases.gz"
    table.write_bytes(gzip.compress(b"0.9\ngrand chien\ngros toutou\n0.5\nder Hund\nein Tier\n"))
    metric = Meteor(language=language, normalize=normalize, paraphrases=str(table))
    texts = [
        "Le grand chien court.",
        "le gros toutou courait",
        "der Hund und die Katze",
        "ein Tier",
        "",
        "perro",
    ]
    examples = [example(text, *texts[: 1 + index]) for index, text in enumerate(texts[1:] + texts[:1])]
    options = MeteorOptions(language, normalize, str(table))
    scores = metric.score(examples)
    rows = load_meteor(options).measure([(one.references, one.text) for one in examples])
    load_meteor(options).close()
    line = " ||| ".join(["EVAL", *(" ".join(map(str, row)) for row in rows if len(row) == WIDTH)])
    run = subprocess.run(command(options), input=f"{line}\n", capture_output=True, text=True, check=True)
    *values, corpus = map(float, run.stdout.split())
    assert list(scores.values) == pytest.approx(values, abs=1e-12)
    assert scores.corpus == pytest.approx(corpus, abs=1e-12)
    # With fewer modules the program itself leaves out the last weight.
    assert any(row[-3 - 4 * (4 - len(TUNINGS[language].weights)) - 4] for row in rows)


def test_a_whole_match_has_no_chunk():
    whole = [3.0, 3.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, *[0.0] * 12, 1.0, 3.0, 3.0]
    assert without_whole_chunk(whole)[20] == 0
    assert METRIC.finish(without_whole_chunk(whole))[VALUE] == 1
    for longer in (0, 1):
        partial = [*whole]
        partial[longer] += 1
        assert without_whole_chunk(partial) == partial


def test_nothing_at_all_is_zero():
    assert METRIC.finish([0.0] * WIDTH) == dict.fromkeys((VALUE, *METRIC.parts), 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"language": "ru"}, "one of en, cz, de, es, fr"),
        ({"language": "de"}, 'it must be "none" or a file such as paraphrase-de.gz'),
        ({"normalize": 1}, "True or False"),
        ({"paraphrases": ""}, "a file name"),
    ],
)
def test_parameters(arguments, message):
    with pytest.raises(UsageError, match=message):
        Meteor(**arguments)


def test_paraphrase_tables_are_checked_and_signed(tmp_path):
    table = tmp_path / "own.gz"
    for content in (b"no gzip", gzip.compress(b"0.9\na\nb\n")[:-4]):
        table.write_bytes(content)
        with pytest.raises(UsageError, match=r"own\.gz"):
            Meteor(paraphrases=str(table)).score([example("a", "b")])
    with pytest.raises(UsageError, match="No such file"):
        Meteor(paraphrases=str(tmp_path / "missing.gz")).checksums()
    table.write_bytes(gzip.compress(b"0.9\nwuff\nbau\n"))
    scores = Meteor(paraphrases=str(table)).score([example("wuff", "bau")])
    assert scores.values[0] > 0
    pieces = dict(piece.split(":") for piece in scores.signature.split("|")[1:])
    assert pieces["paraphrases"].startswith("own.gz@")
    assert len(pieces["jar"]) == 12
    load_meteor(MeteorOptions(paraphrases=str(table))).close()


def test_java_home_comes_first(tmp_path, monkeypatch):
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert programs.find_java() == str(java)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    assert programs.find_java() != str(java)


@pytest.fixture
def one_example(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "1", "data": {"a": "b"}, "text": "a b", "references": ["a b"]}))
    return path


def run_command_line(script, path, **environment):
    where = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
    where.pop("JAVA_HOME", None)
    words = [sys.executable, "-W", "error", "-c", script, "score", str(path), "-m", "meteor"]
    return subprocess.run(words, capture_output=True, text=True, env=where, check=False)


def test_missing_java_on_the_command_line(one_example, tmp_path):
    run = run_command_line("from factable.cli.main import main; main()", one_example, PATH=str(tmp_path))
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "apt-get install default-jre-headless" in run.stderr
    assert "JAVA_HOME" in run.stderr


def test_missing_package_on_the_command_line(one_example):
    script = (
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'pycocoevalcap' else find(name)\n"
        "from factable.cli.main import main; main()"
    )
    run = run_command_line(script, one_example)
    assert run.returncode == 2
    assert run.stdout == ""
    assert len(run.stderr.splitlines()) == 1
    assert "pip install 'factable[meteor]'" in run.stderr
