"""Workers that die: nothing is lost or counted twice, and what cannot be done is said in one line."""

import os
import signal

import pytest
from odd_metrics import Deadly, Worker

import factable
from factable.engine.score import score_files
from factable.errors import FactableError
from factable.types import Example, Table

pytestmark = pytest.mark.ray


def examples(number=400, deadly=200):
    names = ["deadly" if index == deadly else str(index) for index in range(number)]
    return [Example(name, "s", "a" * index, Table(())) for index, name in enumerate(names)]


@pytest.fixture(params=["local", "ray"])
def engine(request):
    if request.param == "ray":
        request.getfixturevalue("ray_cluster")
    return request.param


def test_a_unit_that_ends_its_process_once(engine, tmp_path):
    scores = factable.score(
        examples(), [Deadly(folder=str(tmp_path), times=1), Worker()], jobs=2, engine=engine
    )
    lengths, workers = scores.values()
    assert list(lengths.values) == [float(number) for number in range(400)]
    (dead,) = tmp_path.iterdir()
    assert workers.values[200] != float(dead.name)


def test_a_unit_that_ends_every_process(engine, tmp_path):
    with pytest.raises(FactableError) as caught:
        factable.score(examples(), [Deadly(folder=str(tmp_path), times=100)], jobs=2, engine=engine)
    times = {"local": 2, "ray": 3}[engine]
    found = f"a worker process died {times} times at the examples from here on (out of memory?)"
    assert str(caught.value) == f"list: element 193: {found}; try fewer jobs"
    assert len(list(tmp_path.iterdir())) == times


def test_workers_that_are_killed_from_outside(engine):
    killed, sizes = [], []

    def kill_once(unit):
        (pid,) = set(unit.pieces[0].values)
        sizes.append(len(unit.items))
        # The one that scored the first unit is at another one, or waits for one.
        if not killed:
            killed.append(int(pid))
            os.kill(int(pid), signal.SIGKILL)

    (scores,) = score_files([examples()], [Worker()], jobs=2, engine=engine, listener=kill_once).scores
    # Every example once: what the dead one was at is scored by another.
    assert sum(sizes) == len(scores.values) == 400
    workers = list(map(int, scores.values))
    assert workers.count(killed[0]) < 400 - max(sizes)
    assert len(set(workers)) > 1
