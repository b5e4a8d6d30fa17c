"""Runs that go on: whatever was kept is not scored again, and the result is that of an undisturbed run."""

import subprocess
import sys
from array import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factable
from factable.core.metric import Metric, metric, param
from factable.core.registry import parse
from factable.core.results import Analysis, Scores
from factable.engine.checkpoint import ResumeFile
from factable.engine.checkpoint_format import CheckpointEntry, pack, unpack
from factable.engine.plan import Scored
from factable.engine.score import score_files
from factable.errors import DataError, FactableError, Fault, UsageError
from factable.types import Example, Finding, Record, Table
from helpers.paths import SOURCE

SLOW_UNIT = 32


@metric
class Logged(Metric):
    """Writes down what it was asked to score; the value is the length of the text."""

    name = "logged"
    bounds = (0.0, 100.0)
    parts = ("words",)
    needs = frozenset()
    slow = True

    log: str = param("", "the file to write to")
    whole: bool = param(False, "whether it must know all examples")

    @property
    def corpus(self):
        return self.whole

    def collect(self, examples):
        return len(examples)

    def merge(self, collected, more):
        return collected + more

    def fit(self, collected, parallel_map=map):
        return collected

    def analyse(self, examples, state=None):
        with open(self.log, "a") as stream:
            stream.writelines(f"{each.item}\n" for each in examples)
        values = array("d", [float(len(each.text)) for each in examples])
        reasons = {index: "no text" for index, each in enumerate(examples) if not each.text}
        for index in reasons:
            values[index] = float("nan")
        words = array("d", [float(len(each.text.split())) for each in examples])
        return Analysis(
            values,
            {"words": words},
            reasons,
            find=lambda: [(Finding("supported", 0, (0, len(each.text)), 0.5, "é"),) for each in examples],
        )


@pytest.fixture
def logged(tmp_path):
    """The metric, and a function that tells what was scored since the last time."""
    log = tmp_path / "log"
    log.touch()

    def scored():
        items = log.read_text().split()
        log.write_text("")
        return items

    return Logged(log=str(log)), scored


def example(number, text="a b"):
    return Example(str(number), f"s{number % 3}", text, Table((Record("a", "b", "c"),)), ("a c",))


EXAMPLES = [example(number, "a " * (number % 7)) for number in range(100)]


def rows(examples, pieces):
    return [f"{each.item} {pieces[0].values[index]}\n".encode() for index, each in enumerate(examples)]


def run(source, metric, resume, **options):
    """All that a listener hears, and the result."""
    heard = []
    result = score_files(
        [source], [metric], resume=resume, render=rows, explain=True, listener=heard.append, **options
    )
    return b"".join(row for unit in heard for row in unit.rows), repr(result.scores), result.skipped


def write_jsonl(path, examples):
    lines = [
        f'{{"id": "{e.item}", "system": "{e.system}", "text": "{e.text}", "data": {{"b": "c"}}}}\n'
        for e in examples
    ]
    path.write_text("".join(lines))
    return path


def entry_ends(path):
    """Where the header and each entry end."""
    with ResumeFile(str(path)) as file:
        file.read_header()
        ends = [file._file.tell()]
        for _ in file.read_entries():
            ends.append(file._file.tell())
    return ends


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_was_kept_is_not_scored_again(tmp_path, logged, jobs):
    metric, scored = logged
    undisturbed = run(EXAMPLES, metric, None)
    assert scored() == [each.item for each in EXAMPLES]
    kept = tmp_path / "kept"
    assert run(EXAMPLES, metric, kept, jobs=jobs) == undisturbed
    assert sorted(scored(), key=int) == [each.item for each in EXAMPLES]
    whole = kept.read_bytes()
    ends = entry_ends(kept)
    assert len(ends) == 5
    for index, end in enumerate(ends):
        for torn in (0, 1, 20, 300):
            kept.write_bytes(whole[: end + torn])
            assert run(EXAMPLES, metric, kept, jobs=3 - jobs) == undisturbed
            again = sorted(scored(), key=int)
            assert again == [each.item for each in EXAMPLES[index * SLOW_UNIT :]]
            assert kept.read_bytes() == whole


def test_wherever_the_file_breaks_off(tmp_path):
    """Every length, for a file of a few short entries: what is read is what was whole."""
    path = tmp_path / "kept"
    contents = [b"header", b"one", b"", b"three" * 9]
    with ResumeFile(str(path)) as file:
        assert file.read_header() is None
        file.begin(contents[0])
        for content in contents[1:]:
            file.append(content)
    whole = path.read_bytes()
    ends = entry_ends(path)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        with ResumeFile(str(path)) as file:
            header = file.read_header()
            assert (header is None) == (length < ends[0])
            if header is None:
                file.begin(contents[0])
            else:
                assert list(file.read_entries()) == contents[1 : 1 + sum(length >= end for end in ends[1:])]
            file.append(b"more")
        with ResumeFile(str(path)) as file:
            assert file.read_header() == contents[0]
            assert list(file.read_entries())[-1] == b"more"


@given(st.integers(0, 10_000), st.integers(1, 255))
@settings(max_examples=200)
def test_a_changed_byte_is_never_read(tmp_path_factory, index, change):
    path = tmp_path_factory.mktemp("kept") / "kept"
    contents = [b"one", b"two" * 30, b"three"]
    with ResumeFile(str(path)) as file:
        file.begin(b"header")
        for content in contents:
            file.append(content)
    damaged = bytearray(path.read_bytes())
    damaged[index % len(damaged)] ^= change
    path.write_bytes(damaged)
    try:
        with ResumeFile(str(path)) as file:
            if file.read_header() is not None:
                found = list(file.read_entries())
                assert found == contents[: len(found)]
    except DataError:
        return


texts = st.text(st.characters(), max_size=5)
numbers = st.floats(width=64)
optional_int = st.none() | st.integers(0, 2**40)
findings = st.builds(
    Finding,
    st.sampled_from(["supported", "unscored"]),
    optional_int,
    st.none() | st.tuples(st.integers(0, 9), st.integers(0, 9)),
    st.none() | numbers,
    texts,
)
faults = st.builds(Fault, texts, optional_int, texts, texts)


@st.composite
def entries(draw):
    count = draw(st.integers(0, 4))

    def column(kind, elements, size=count):
        return array(kind, draw(st.lists(elements, min_size=size, max_size=size)))

    def rows(element):
        size = draw(st.sampled_from([0, count]))
        return draw(st.lists(element, min_size=size, max_size=size))

    def piece():
        found = draw(
            st.lists(st.lists(findings, max_size=2).map(tuple), min_size=count, max_size=count).map(tuple)
        )
        parts = {name: column("d", numbers) for name in draw(st.lists(texts, unique=True, max_size=2))}
        together = draw(st.dictionaries(texts, numbers, max_size=2))
        stats = column("d", numbers, count * draw(st.integers(0, 3)))
        values = column("d", numbers)
        return Scores(draw(texts), draw(texts), draw(numbers), values, parts, found, together, stats)

    scored = Scored(
        source=draw(texts),
        row_kind=draw(st.sampled_from(["line", "row", "element"])),
        items=draw(st.lists(texts, min_size=count, max_size=count)),
        systems=tuple(draw(st.lists(texts, min_size=1, max_size=3))),
        system_of=array("I", [0] * count),
        lines=column("Q", st.integers(0, 2**64 - 1)),
        keys=draw(st.binary(min_size=8 * count, max_size=8 * count)),
        references=column("I", st.integers(0, 9)),
        pieces=[piece() for _ in range(draw(st.integers(0, 2)))],
        rows=rows(st.binary(max_size=9)),
        listed=rows(st.binary(max_size=9)),
        faults=draw(st.lists(faults, max_size=2)),
        size=draw(st.integers(0, 2**40)),
    )
    return CheckpointEntry(draw(st.binary(min_size=32, max_size=32)), scored)


@given(entries())
@settings(max_examples=200)
def test_entries_come_back_as_they_were(entry):
    # As text, because NaN equals nothing.
    assert repr(unpack(pack(entry))) == repr(entry)


@given(entries(), st.data())
@settings(max_examples=300)
def test_anything_else_is_no_entry(entry, data):
    packed = bytearray(pack(entry))
    change = data.draw(st.integers(1, 255))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= change
    try:
        unpack(bytes(packed[: data.draw(st.integers(0, len(packed)))]))
    except ValueError:
        return


def test_numbers_are_kept_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(0)
    examples = [example(number, " ".join(rng.choice(["a", "b", "c", "x"], 9))) for number in range(3000)]
    metrics = [parse("parent"), parse("bleu"), parse("parent(mix=0.5)")]
    plain = score_files([examples], metrics)
    score_files([examples], metrics, resume=tmp_path / "kept")
    again = score_files([examples], metrics, resume=tmp_path / "kept")
    assert again == plain
    for before, after in zip(plain.scores, again.scores, strict=True):
        assert before.values.tobytes() == after.values.tobytes()
        assert before.stats.tobytes() == after.stats.tobytes()


def test_corpus_metrics_keep_their_finished_units(tmp_path, logged):
    metric, scored = logged
    whole = Logged(log=metric.log, whole=True)
    first = run(EXAMPLES, whole, tmp_path / "kept")
    assert len(scored()) == len(EXAMPLES)
    assert len(entry_ends(tmp_path / "kept")) > 2
    assert run(EXAMPLES, whole, tmp_path / "kept") == first
    assert scored() == []


def test_bad_lines_can_be_skipped_afterwards(tmp_path, logged):
    metric, scored = logged
    path = write_jsonl(tmp_path / "x.jsonl", [example(number, "a " * 2000) for number in range(40)])
    path.write_text(path.read_text() + "{broken\n")
    with pytest.raises(DataError, match=r"x\.jsonl:41: broken JSON"):
        run(path, metric, tmp_path / "kept")
    assert len(scored()) == 40
    *_, skipped = run(path, metric, tmp_path / "kept", skip_bad=True)
    assert skipped.total == 1
    assert scored() == []


def refuse(source, metric, path, *, match, kind=UsageError, **options):
    with pytest.raises(kind, match=match) as refused:
        run(source, metric, path, **options)
    assert "\n" not in str(refused.value)
    assert "another file to begin anew" in str(refused.value)


def test_other_data_is_refused(tmp_path, logged):
    metric, _ = logged
    kept = tmp_path / "kept"
    path = write_jsonl(tmp_path / "x.jsonl", EXAMPLES)
    run(path, metric, kept)
    before = kept.read_bytes()
    other = write_jsonl(tmp_path / "y.jsonl", EXAMPLES)
    refuse(other, metric, kept, match=r"holds results of \S*x\.jsonl, not of \S*y\.jsonl")
    write_jsonl(path, [*EXAMPLES[:-1], example(99, "other")])
    size = path.stat().st_size
    refuse(path, metric, kept, match=rf"x\.jsonl with \d+ bytes \(sha256 \w+…\); now it has {size} bytes")
    assert kept.read_bytes() == before


@pytest.mark.parametrize(
    "changed", [EXAMPLES[:50], [*EXAMPLES[:40], example(40, "b"), *EXAMPLES[41:]], EXAMPLES[::-1]]
)
def test_other_examples_in_memory_are_refused(tmp_path, logged, changed):
    metric, _ = logged
    run(EXAMPLES, metric, tmp_path / "kept")
    refuse(changed, metric, tmp_path / "kept", match="holds results of other data than list")


def test_other_metrics_and_options_are_refused(tmp_path, logged, monkeypatch):
    metric, _ = logged
    kept = tmp_path / "kept"
    run(EXAMPLES, metric, kept)
    refuse(
        EXAMPLES, parse("parent"), kept, match=r"of the metrics logged\(.*\), not of parent; give the same"
    )
    refuse(EXAMPLES, Logged(log=metric.log, whole=True), kept, match="of the metrics logged")
    refuse(EXAMPLES, metric, kept, match="was made without --report, and this run is with;", listing=rows)
    refuse(EXAMPLES, metric, kept, match="of systems none, not s", systems=["s"])
    with pytest.raises(UsageError, match="was made with --explain, and this run is without;"):
        factable.score(EXAMPLES, [metric], resume=kept)
    with pytest.raises(UsageError, match="was made for output as rows, not as a summary;"):
        factable.score(EXAMPLES, [metric], resume=kept, explain=True)
    monkeypatch.setattr(Logged, "version", 2)
    refuse(EXAMPLES, metric, kept, match=r"of logged\(.*\) with v:1; now it has v:2")


def test_other_files_are_left_alone(tmp_path, logged):
    metric, _ = logged
    path = tmp_path / "precious"
    for content in (b"precious", b"factable resume 0\n", b"factable resumes\n"):
        path.write_bytes(content)
        refuse(EXAMPLES, metric, path, match="precious: (holds something else|was made by)", kind=DataError)
        assert path.read_bytes() == content
    with pytest.raises(DataError, match="Is a directory"):
        run(EXAMPLES, metric, tmp_path)
    with pytest.raises(DataError, match="No such file"):
        run(EXAMPLES, metric, tmp_path / "nowhere" / "kept")
    with pytest.raises(DataError, match="is no plain file"):
        run(EXAMPLES, metric, "/dev/null")


def test_a_file_that_says_nonsense(tmp_path, logged):
    """Whole frames with checksums that fit, and nothing in them that was ever written here."""
    metric, _ = logged
    path = tmp_path / "kept"
    for header in (b"[]", b"{}", b"nothing", b"[" * 100_000, b'{"data": 3}'):
        with ResumeFile(str(path)) as file:
            file.begin(header)
        refuse(EXAMPLES, metric, path, match="kept: is damaged; delete it", kind=DataError)
        path.unlink()
    run(EXAMPLES, metric, path)
    with ResumeFile(str(path)) as file:
        file.read_header()
        list(file.read_entries())
        file.append(b"nonsense")
    refuse(EXAMPLES, metric, path, match="kept: is damaged; delete it", kind=DataError)


def test_what_cannot_be_read_twice_is_refused(tmp_path, logged):
    metric, _ = logged
    with pytest.raises(UsageError, match="stdin: cannot be read a second time"):
        run("-", metric, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_one_run_at_a_time(tmp_path, logged):
    metric, _ = logged
    path = tmp_path / "kept"
    run(EXAMPLES, metric, path)
    script = "import sys\nfrom factable.engine.checkpoint import ResumeFile\nResumeFile(sys.argv[1])"
    with ResumeFile(str(path)):
        refuse(EXAMPLES, metric, path, match="kept: another run is using it")
        # Having been refused, the process must not have lost its lock.
        other = subprocess.run(
            [sys.executable, "-c", script, str(path)],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(SOURCE)},
        )
        assert "UsageError: " + str(path) + ": another run is using it" in other.stderr
    run(EXAMPLES, metric, path)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_fails_leaves_the_file_to_the_next(tmp_path, logged, jobs):
    metric, scored = logged
    path = tmp_path / "kept"

    def stop(_unit):
        raise FactableError("stopped")

    with pytest.raises(FactableError, match="stopped"):
        score_files([EXAMPLES], [metric], resume=path, listener=stop, jobs=jobs)
    scored()
    assert len(entry_ends(path)) == 2
    score_files([EXAMPLES], [metric], resume=path, jobs=jobs)
    assert sorted(scored(), key=int) == [each.item for each in EXAMPLES[SLOW_UNIT:]]
