"""Reads what a client sends, one document or a stream of lines, bounded in size and in time."""

import asyncio
from collections.abc import AsyncIterator
from tempfile import SpooledTemporaryFile

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from factable.errors import FactableError

# A request to check one text, and one line of a stream.
MAX_DOCUMENT_BYTES = 1 << 20
# All lines of a stream; what is not yet scored waits in a temporary file.
MAX_STREAM_BYTES = 1 << 28
MAX_IN_MEMORY = 1 << 20
# How long a client may send nothing before it has sent everything.
MAX_PAUSE = 60.0
READ_BYTES = 1 << 16


class TooLargeError(FactableError):
    """A client sends more than is allowed."""


class TooLateError(FactableError):
    """A client stopped sending."""


async def chunks(receive: Receive) -> AsyncIterator[bytes]:
    """The body of a request as it comes."""
    more = True
    while more:
        try:
            message = await asyncio.wait_for(receive(), MAX_PAUSE)
        except asyncio.TimeoutError:
            raise TooLateError(f"nothing was sent for {MAX_PAUSE:g} s; send the whole request") from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        more = message.get("more_body", False)
        yield message.get("body", b"")


async def read_document(receive: Receive) -> bytes:
    """The whole body of a request."""
    body = bytearray()
    async for chunk in chunks(receive):
        body += chunk
        if len(body) > MAX_DOCUMENT_BYTES:
            raise TooLargeError(f"more than {MAX_DOCUMENT_BYTES:,} bytes; give less data or a shorter text")
    return bytes(body)


class LineStream:
    """The lines of a body, which is always read to its end.

    A client may send all it has before it reads the first answer. If the server waited with reading until
    its answers are read, the two would wait for each other.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._file = SpooledTemporaryFile(MAX_IN_MEMORY)  # noqa: SIM115 - closed by __aexit__
        self._written = self._read = 0
        self._news = asyncio.Event()
        self._end: Exception | None = None
        self._reader: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "LineStream":
        self._reader = asyncio.create_task(self._keep_reading())
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        self._file.close()

    async def _keep_reading(self) -> None:
        try:
            async for chunk in chunks(self._receive):
                if self._written + len(chunk) > MAX_STREAM_BYTES:
                    raise TooLargeError(
                        f"more than {MAX_STREAM_BYTES:,} bytes; send the rest in another request"
                    )
                self._file.seek(self._written)
                self._file.write(chunk)
                self._written += len(chunk)
                self._news.set()
            self._end = StopAsyncIteration()
        except Exception as error:
            self._end = error
        self._news.set()

    async def blocks(self, max_lines: int) -> AsyncIterator[bytes]:
        """Whole lines, as many as there are at the time and at most so many at once."""
        rest = b""
        while True:
            chunk = await self._next_chunk()
            lines = (rest + chunk).split(b"\n")
            rest = lines.pop() if chunk else b""
            if max(map(len, [rest, *lines])) > MAX_DOCUMENT_BYTES:
                raise TooLargeError(f"a line of more than {MAX_DOCUMENT_BYTES:,} bytes; shorten it")
            for start in range(0, len(lines), max_lines):
                yield b"\n".join(lines[start : start + max_lines])
            if not chunk:
                return

    async def _next_chunk(self) -> bytes:
        """More of the body; nothing at its end, and then the error that ended it, if one did."""
        while self._read == self._written:
            if isinstance(self._end, StopAsyncIteration):
                return b""
            if self._end is not None:
                raise self._end
            self._news.clear()
            await self._news.wait()
        self._file.seek(self._read)
        chunk = self._file.read(READ_BYTES)
        self._read += len(chunk)
        return chunk
