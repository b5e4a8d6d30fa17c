"""Coroutines run from tests, whatever else runs in this thread."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_apart(coroutine):
    """The result of a coroutine, in a thread of its own: a browser of another test keeps a loop here."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
