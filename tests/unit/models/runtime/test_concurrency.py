"""Models in a service: in threads, in asyncio, in forked processes, and freed when asked."""

import asyncio
import gc
import importlib
import inspect
import multiprocessing
import pkgutil
import threading
import tracemalloc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

import factable
from factable.models import nli
from factable.models.nli import TextPair, entailment, load_nli
from factable.models.runtime import cache, progress
from factable.text import memo
from factable.text.values import parts_of
from helpers.loops import run_apart
from helpers.nli_models import make_onnx_folder

PAIRS = [TextPair(f"Ada has {number} cats.", f"Ada has {number % 7} cats.") for number in range(40)]
DATA, TEXT = [["Blue Spice", "eatType", "pub"]], "Blue Spice is a coffee shop."


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    monkeypatch.setattr(cache, "_memory", {})
    return str(make_onnx_folder(tmp_path / "model"))


def answers(model, pairs):
    return entailment(model, pairs).tolist()


def test_threads_share_a_model_and_get_the_same_answers(model, monkeypatch):
    expected = answers(model, PAIRS)
    factable.close()
    loads = []

    def load(folder):
        loads.append(folder)
        return nli.OnnxNli(folder)

    monkeypatch.setattr(nli._MODELS, "_onnx", {"nli": load})
    # So small that threads clear each other's answers all the time.
    monkeypatch.setattr(cache, "MAX_IN_MEMORY", 3)
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda start: answers(model, PAIRS[start:]), range(20)))
    assert results == [expected[start:] for start in range(20)]
    assert len(loads) == 1


def test_checks_in_asyncio():
    expected = str(factable.check(DATA, TEXT))

    async def run():
        return await asyncio.gather(*(asyncio.to_thread(factable.check, DATA, TEXT) for _ in range(8)))

    assert [str(verdict) for verdict in run_apart(run())] == [expected] * 8


def test_listeners_of_threads_leave_by_themselves():
    first, second = [], []
    one = progress.progress_listener(lambda *step: first.append(step))
    two = progress.progress_listener(lambda *step: second.append(step))
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    progress.count_steps("texts", 1)(1)
    two.__exit__(None, None, None)
    assert (len(first), len(second)) == (0, 1)


def send(connection, model, pairs):
    connection.send(answers(model, pairs))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_process_is_not_locked_out(model):
    """Even if another thread was loading a model in the moment of the fork."""
    expected = answers(model, PAIRS)
    held, done = threading.Event(), threading.Event()

    def hold():
        with nli._MODELS._lock:
            held.set()
            done.wait()

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    cache.forget_answers()
    process = context.Process(target=send, args=(theirs, model, PAIRS))
    process.start()
    try:
        assert ours.poll(60)
        assert ours.recv() == expected
    finally:
        done.set()
        holder.join()
        process.kill()
        process.join()


def test_close_frees_models_and_they_come_back(model):
    expected = answers(model, PAIRS)
    freed = weakref.ref(load_nli(model))
    assert freed() is not None
    factable.close()
    gc.collect()
    assert freed() is None
    assert cache._memory == {}
    assert answers(model, PAIRS) == expected


def test_a_model_that_changes_replaces_the_one_before(model, tmp_path):
    from helpers.nli_models import write_manifest

    before = weakref.ref(load_nli(model))
    write_manifest(tmp_path / "model", temperature=0.5)
    load_nli(model)
    gc.collect()
    assert before() is None


def test_long_values_are_not_kept():
    parts_of("x" * 10)
    kept = weakref.WeakSet()

    class Text(str):
        __slots__ = ("__weakref__",)

    for size in range(memo.MAX_CHARACTERS, memo.MAX_CHARACTERS + 20):
        text = Text("y" * (size + 1))
        kept.add(text)
        parts_of(text)
    del text
    gc.collect()
    assert len(kept) == 0


def test_a_service_does_not_grow(model, monkeypatch):
    monkeypatch.setattr(cache, "MAX_IN_MEMORY", 100)
    monkeypatch.setattr(nli, "ANSWERS_REMEMBERED", 20)

    def serve(first):
        for number in range(first, first + 60):
            text = f"{'Ada wrote a long letter. ' * 40}{number}"
            example = {"data": {"name": "Ada", "note": text}, "text": text, "references": [text]}
            factable.score([example], ["parent", "rouge"])
            entailment(model, [TextPair(text, str(number))])

    serve(0)
    gc.collect()
    tracemalloc.start()
    try:
        serve(100)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        serve(200)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # One text has a kilobyte; sixty of them are not there any more.
    assert grown < 30_000


def test_what_is_kept_of_files_is_bounded():
    """A service whose files change often must not keep every version of them."""
    unbounded = []
    for module in pkgutil.walk_packages(factable.__path__, "factable."):
        if module.name.split(".")[1] in ("metrics", "models") and ".kernels" not in module.name:
            for name, value in vars(importlib.import_module(module.name)).items():
                if hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] is None:
                    parameters = inspect.signature(value).parameters
                    unbounded += [f"{module.name}.{name}"] * bool({"content", "files"} & {*parameters})
    assert unbounded == []


RECORD = {"name": "Ada", "city": "London", "cats": 3, "rooms": [{"floor": 1, "size": "20 m²"}]}
TRIPLES = [["Ada", "city", "London"], ["Ada", "cats", "3"]]
STATEMENT = "Ada, a painter, lives in Paris with 3 cats."


def ledgers():
    """The ledger asks a model about triples, and that and a second one about objects."""
    return [str(factable.check(data, STATEMENT)) for data in (RECORD, TRIPLES)]


def score_ledger():
    examples = [{"data": data, "text": STATEMENT} for data in (RECORD, TRIPLES)]
    return factable.score(examples, ["ledger"])["ledger"].values.tobytes()


def send_ledgers(connection):
    connection.send((ledgers(), score_ledger()))


@pytest.fixture
def no_cache(monkeypatch):
    monkeypatch.setenv("FACTABLE_CACHE", "off")
    monkeypatch.setattr(cache, "_memory", {})


@pytest.mark.usefixtures("no_cache")
def test_ledgers_of_threads_and_tasks_are_those_of_one():
    expected = ledgers(), score_ledger()
    factable.close()
    with ThreadPoolExecutor(4) as pool:
        told = [pool.submit(ledgers) for _ in range(4)]
        scored = [pool.submit(score_ledger) for _ in range(2)]
        assert [each.result() for each in told] == [expected[0]] * 4
        assert [each.result() for each in scored] == [expected[1]] * 2

    async def run():
        return await asyncio.gather(*(asyncio.to_thread(ledgers) for _ in range(3)))

    assert run_apart(run()) == [expected[0]] * 3


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.usefixtures("no_cache")
def test_ledgers_after_a_fork():
    """The models of the first process were used in threads, none of which the second one has."""
    expected = ledgers(), score_ledger()
    cache.forget_answers()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=send_ledgers, args=(theirs,))
    process.start()
    try:
        assert ours.poll(120)
        assert ours.recv() == expected
    finally:
        process.kill()
        process.join()


@pytest.mark.usefixtures("no_cache")
def test_close_frees_the_models_of_the_ledger():
    from factable.models.marks import load_marks

    expected = ledgers()
    freed = [weakref.ref(load_nli("nli")), weakref.ref(load_marks("marks"))]
    factable.close()
    gc.collect()
    assert [each() for each in freed] == [None, None]
    assert ledgers() == expected
