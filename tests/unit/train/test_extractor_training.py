"""The extractor learns a small world, and NumPy gives what torch gives."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from factable.metrics.extraction.extractors import load_extractor
from factable.metrics.extraction.pointer import START
from factable.train.extractor.network import Batches, Network, make_pairs, make_vocabulary, weights_of
from factable.train.extractor.training import Settings, measure, train_extractor
from factable.types import Example, Record, Table

pytestmark = pytest.mark.train

SETTINGS = Settings(epochs=12, batch=16, rate=1e-2, width=24, hidden=24, dropout=0.0, patience=12)


def world(first, last):
    """Towns and rivers with names of which each is told once."""
    examples = []
    for number in range(first, last):
        name, size = f"Town{number}", str(1000 + 7 * number)
        table = Table((Record(name, "people", size), Record(name, "river", f"Water{number}")))
        text = f"{name} lies on the river Water{number} and has {size} people."
        examples.append(Example(name, "", "", table, (text,)))
    return examples


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    out = tmp_path_factory.mktemp("extractor") / "small.safetensors"
    lines = []
    found = train_extractor(world(0, 120), world(200, 220), out, SETTINGS, log=lines.append)
    return out, found, lines


def test_names_that_were_never_seen_are_copied_in_the_order_of_the_text(trained):
    out, found, lines = trained
    assert found.f > 0.9
    assert lines[-1].startswith("held out: precision")
    (example,) = world(300, 301)
    (records,) = load_extractor(str(out)).extract([(example.references[0], example.table)])
    assert records == [
        (Record("Town300", "river", "Water300"), (26, 34)),
        (Record("Town300", "people", "3100"), (43, 47)),
    ]
    assert not out.with_name(f"{out.name}.state").exists()
    assert measure(world(300, 310), str(out)).known == 20


def stop_in_epoch_2(line):
    if line.startswith("epoch 2:"):
        raise KeyboardInterrupt


def test_a_stopped_training_goes_on_as_if_it_had_not_been(tmp_path):
    whole, stopped = tmp_path / "whole.safetensors", tmp_path / "stopped.safetensors"
    few = SETTINGS._replace(epochs=3)
    lines = []
    train_extractor(world(0, 40), world(200, 205), whole, few, log=lines.append)
    with pytest.raises(KeyboardInterrupt):
        train_extractor(world(0, 40), world(200, 205), stopped, few, log=stop_in_epoch_2)
    train_extractor(world(0, 40), world(200, 205), stopped, few, log=lines.append)
    assert "goes on after epoch 1" in lines
    assert stopped.read_bytes() == whole.read_bytes()


def test_probabilities_are_those_of_torch():
    pairs = make_pairs(world(0, 20))
    vocabulary = make_vocabulary(pairs)
    torch.manual_seed(0)
    network = Network(len(vocabulary), width=8, hidden=8, dropout=0.0).eval()
    # Weights are stored with 16 bits: compare what both make of those.
    stored = {name: value.astype(np.float32) for name, value in weights_of(network).items()}
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.half().float())
    (batch,) = Batches(pairs[:1], vocabulary, 1).draw(np.random.default_rng(0))
    with torch.no_grad():
        expected = float(network(batch))
    from factable.metrics.extraction.pointer import PointerExtractor, _Beam

    extractor = PointerExtractor(stored, vocabulary)
    numbers = batch.copied[0].tolist()
    text = extractor._encode(numbers, max(numbers) - len(vocabulary) + 1)
    beam = _Beam([[vocabulary.index(START)]], np.zeros(1, np.float32), text.hidden[None], text.cell[None])
    lost = []
    for wanted in batch.wanted[0].tolist():
        shares, hidden, cell = extractor._step(beam, text)
        assert shares.sum() == pytest.approx(1, abs=1e-4)
        lost.append(-np.log(shares[0, wanted]))
        beam = _Beam([[*beam.lines[0], wanted]], beam.scores, hidden, cell)
    assert np.mean(lost) == pytest.approx(expected, rel=2e-3)
