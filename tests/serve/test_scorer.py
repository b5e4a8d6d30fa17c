"""The queue and the worker processes behind it, when things go wrong."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from factable.serve.observe import Counters
from factable.serve.scorer import BusyError, CrashedError, Scorer, TooSlowError
from factable.serve.settings import Settings
from factable.serve.work import Check, Lines
from helpers.loops import run_apart
from helpers.worker_tasks import obey

pytestmark = pytest.mark.process


@asynccontextmanager
async def scorer_with(**settings):
    counters = Counters()
    async with Scorer(Settings(**settings), counters, work=obey) as scorer:
        while not scorer.ready:
            await asyncio.sleep(0.01)
        yield scorer, counters


def lines(*given):
    return Lines(1, "\n".join(given).encode(), len(given), ("parent",))


async def start(scorer, *texts):
    """Ask for texts in this order; the tasks that await their answers."""
    asked = []
    for text in texts:
        asked.append(asyncio.create_task(scorer.ask(Check({}, text))))
        await asyncio.sleep(0)
    return asked


async def while_busy(scorer, path):
    """A task that keeps the worker busy until the file is there."""
    [busy] = await start(scorer, f"wait {path}")
    while scorer.waiting:
        await asyncio.sleep(0.01)
    return busy


def test_what_waits_becomes_one_batch(tmp_path):
    async def run():
        async with scorer_with() as (scorer, counters):
            busy = await while_busy(scorer, tmp_path / "go")
            asked = await start(scorer, *map(str, range(20)))
            while scorer.waiting < 20:
                await asyncio.sleep(0.01)
            (tmp_path / "go").touch()
            assert await asyncio.gather(*asked) == [str(number).encode() for number in range(20)]
            await busy
            return counters.render()

    assert "factable_batch_texts_count 2" in run_apart(run())


def test_people_come_before_files_and_files_get_their_turn(tmp_path):
    async def run():
        done = []
        async with scorer_with() as (scorer, _):
            busy = await while_busy(scorer, tmp_path / "go")

            async def ask(task, cost=1):
                await scorer.ask(task, cost=cost, patient=True)
                done.append(task)

            files = [asyncio.create_task(ask(lines(f"file {number}"), 32)) for number in range(2)]
            await asyncio.sleep(0)
            people = [asyncio.create_task(ask(Check({}, f"person {number}"))) for number in range(3)]
            while scorer.waiting < 67:
                await asyncio.sleep(0.01)
            (tmp_path / "go").touch()
            await asyncio.gather(busy, *files, *people)
        return [getattr(task, "text", "file") for task in done]

    order = run_apart(run())
    assert order[0] == "person 0"
    assert order.index("file") < 5
    assert order[-1] == "file"


def test_a_full_queue_refuses_and_the_patient_wait(tmp_path):
    async def run():
        async with scorer_with(max_waiting=2) as (scorer, _):
            busy = await while_busy(scorer, tmp_path / "go")
            asked = await start(scorer, "one", "two")
            while scorer.waiting < 2:
                await asyncio.sleep(0.01)
            with pytest.raises(BusyError) as refused:
                await scorer.ask(Check({}, "three"))
            assert refused.value.wait >= 1
            patient = asyncio.create_task(scorer.ask(lines("four"), patient=True))
            await asyncio.sleep(0.05)
            assert not patient.done()
            (tmp_path / "go").touch()
            return await asyncio.gather(busy, *asked, patient)

    assert run_apart(run())[1:] == [b"one", b"two", b"four\n"]


def test_a_request_that_is_given_up_is_not_worked_on(tmp_path):
    async def run():
        async with scorer_with() as (scorer, counters):
            busy = await while_busy(scorer, tmp_path / "go")
            first, second = await start(scorer, "die", "two")
            while scorer.waiting < 2:
                await asyncio.sleep(0.01)
            first.cancel()
            await asyncio.sleep(0)
            (tmp_path / "go").touch()
            assert await second == b"two"
            await busy
            return counters.render()

    assert "failed_batches_total{" not in run_apart(run())


@pytest.mark.parametrize(
    ("order", "error"), [("die", CrashedError), ("fail", CrashedError), ("hang", TooSlowError)]
)
def test_a_text_that_ends_its_worker_harms_nobody_else(order, error):
    bad = "wait forever" if order == "hang" else order

    async def run():
        async with scorer_with(timeout=0.5) as (scorer, _):
            asked = await start(scorer, "one", bad, "two")
            with pytest.raises(error) as raised:
                await asked[1]
            assert "secret" not in str(raised.value)
            assert await asked[0] == b"one"
            assert await asked[2] == b"two"
            return await scorer.ask(lines("three", bad, "four"))

    rows = run_apart(run()).splitlines()
    assert rows[0] == b"three"
    assert rows[1].startswith(b'{"line":2,"error":')
    assert rows[2] == b"four"


def test_errors_are_logged_without_what_they_say(caplog):
    async def run():
        async with scorer_with() as (scorer, _):
            with pytest.raises(CrashedError):
                await scorer.ask(Check({}, "fail"))

    run_apart(run())
    assert "ValueError at " in caplog.text
    assert "secret" not in caplog.text


def test_stopping_does_not_wait_for_a_text_that_takes_long():
    async def run():
        async with scorer_with() as (scorer, _):
            [asked] = await start(scorer, "wait forever")
            while scorer.waiting:
                await asyncio.sleep(0.01)
        asked.cancel()

    run_apart(run())
