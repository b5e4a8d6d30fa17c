"""The extractor learns a small world, and NumPy gives what torch gives."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from factable.errors import DataError, UsageError
from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.extraction.pointer import START, PointerExtractor, _Beam
from factable.train.extractor import (
    BatchEncoder,
    make_lines,
    make_vocabulary,
    measure_extractor,
    read_vectors,
    train_extractor,
)
from factable.train.networks import PointerNetwork
from factable.train.options import ExtractorOptions
from factable.types import Example, Record, Table

OPTIONS = ExtractorOptions(
    epochs=12, batch_size=16, learning_rate=1e-2, width=24, hidden=24, dropout=0.0, patience=12
)


def world(first, last):
    """Towns and rivers with names of which each is told once."""
    examples = []
    for number in range(first, last):
        name, size = f"Town{number}", str(1000 + 7 * number)
        table = Table((Record(name, "people", size), Record(name, "river", f"Water{number}")))
        text = f"{name} lies on the river Water{number} and has {size} people."
        examples.append(Example(name, "", "", table, (text,)))
    return examples


@pytest.mark.train
def test_names_that_were_never_seen_are_copied_in_the_order_of_the_text(tmp_path):
    out, lines = tmp_path / "small.safetensors", []
    overlap = train_extractor(world(0, 120), world(200, 220), out, OPTIONS, log=lines.append)
    assert overlap.f > 0.9
    assert lines[-1].startswith("held out: precision")
    (example,) = world(300, 301)
    (records,) = load_extractor(str(out)).extract([(example.references[0], example.table)])
    assert records == [
        (Record("Town300", "river", "Water300"), (26, 34)),
        (Record("Town300", "people", "3100"), (43, 47)),
    ]
    assert measure_extractor(world(300, 310), str(out)).known == 20


def test_two_steps_give_a_file_that_extracts(tmp_path):
    out, lines = tmp_path / "small.safetensors", []
    options = OPTIONS._replace(epochs=1)
    train_extractor(world(0, 32), world(200, 204), out, options, log=lines.append)
    assert lines[0] == "32 texts, 4 held out, 16 tokens"
    assert lines[1] == "2 steps, from step 0"
    losses = [float(line.split("loss ")[1]) for line in lines if "held-out loss" in line]
    assert losses[1] < losses[0]
    (records,) = load_extractor(str(out)).extract([("Town1 lies on the river Water1.", Table(()))])
    assert isinstance(records, list)
    # Called again, it resumes at the end and writes the same file.
    content = out.read_bytes()
    train_extractor(world(0, 32), world(200, 204), out, options, log=lines.append)
    assert "2 steps, from step 2" in lines
    assert out.read_bytes() == content
    with pytest.raises(UsageError, match="another training"):
        train_extractor(world(0, 33), world(200, 204), out, options._replace(seed=1), log=lines.append)


def test_the_whole_table_from_given_vectors_as_in_the_paper(tmp_path):
    vectors, out, lines = tmp_path / "vectors.txt", tmp_path / "paper.safetensors", []
    vectors.write_text("river 0.5 -0.5 0.25\nlies 1 2 3\nzebra 0 0 0\n")
    options = OPTIONS._replace(epochs=1, target="table", embeddings=str(vectors))
    overlap = train_extractor(world(0, 32), world(200, 204), out, options, log=lines.append)
    assert f"2 tokens start from {vectors}" in lines
    # All pairs of the true tables count.
    assert overlap.known == 8
    (extractor,) = [load_extractor(str(out))]
    assert not extractor._length_penalty
    assert extractor._weights["embedding"].shape[1] == 3


def test_a_whole_table_is_the_line_to_write_whatever_the_text_states():
    (example,) = world(1, 2)
    silent = Example("1", "", "Town1 is nice.", example.table)
    assert make_lines([silent]) == [(["town1", "is", "nice", "."], [])]
    ((_, line),) = make_lines([silent], "table")
    assert line.count("⟨row⟩") == 2


def test_vectors_that_are_none(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("river 0.5 -0.5 0.25\nlies 1 2\n")
    with pytest.raises(DataError, match=r"vectors.txt:2: not a word and 3 numbers"):
        read_vectors(str(path), ["river"])


def test_texts_that_state_nothing_are_refused(tmp_path):
    silent = [Example("1", "", "", Table((Record("a", "b", "c"),)), ("Nothing.",))]
    with pytest.raises(UsageError, match="no text states a record of its data"):
        train_extractor([], silent, tmp_path / "x.safetensors", OPTIONS, log=print)


def test_probabilities_are_those_of_torch():
    pairs = make_lines(world(0, 20))
    vocabulary = make_vocabulary(pairs)
    torch.manual_seed(0)
    network = PointerNetwork(len(vocabulary), width=8, hidden=8, dropout=0.0).eval()
    # Weights are stored with 16 bits: compare what both make of those.
    stored = {name: value.astype(np.float32) for name, value in network.weights().items()}
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.half().float())
    batch = BatchEncoder(vocabulary).encode(pairs[:1])
    with torch.no_grad():
        expected = float(network(batch))
    extractor = PointerExtractor(stored, vocabulary)
    numbers = batch.source[0].tolist()
    text = extractor._encode(numbers, max(numbers) - len(vocabulary) + 1)
    beam = _Beam([[vocabulary.index(START)]], np.zeros(1, np.float32), text.hidden[None], text.cell[None])
    losses = []
    for target in batch.target[0].tolist():
        shares, hidden, cell = extractor._step(beam, text)
        assert shares.sum() == pytest.approx(1, abs=1e-4)
        losses.append(-np.log(shares[0, target]))
        beam = _Beam([[*beam.lines[0], target]], beam.scores, hidden, cell)
    assert np.mean(losses) == pytest.approx(expected, rel=2e-3)
