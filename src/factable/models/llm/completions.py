"""What servers send back, whole or as a stream of events, read into one text and its number of tokens."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from factable.models.llm.endpoint import ANTHROPIC

STOP, LENGTH, REFUSAL = FINISHES = ("stop", "length", "refusal")
# What servers call the end of an answer that is no plain end.
_FINISHES = {"length": LENGTH, "max_tokens": LENGTH, "content_filter": REFUSAL, "refusal": REFUSAL}
# Where a server does not count tokens, they are taken to have so many characters.
CHARACTERS_PER_TOKEN = 4


class Completion(NamedTuple):
    """An answer, how many tokens were read and written for it, and why it ended."""

    text: str
    tokens_in: int
    tokens_out: int
    finish: str


class BadReplyError(Exception):
    """A reply that is no answer: cut off, no JSON, of another shape, or an error inside a stream."""


@dataclass(slots=True)
class _Reply:
    """A reply that is being read."""

    pieces: list[str] = field(default_factory=list)
    refusal: str = ""
    finish: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None

    def completion(self, characters: int) -> Completion:
        text = "".join(self.pieces)
        if self.refusal and not text:
            text, self.finish = self.refusal, REFUSAL
        if not self.finish:
            raise BadReplyError("the answer is cut off")
        return Completion(
            text,
            characters // CHARACTERS_PER_TOKEN if self.tokens_in is None else self.tokens_in,
            len(text) // CHARACTERS_PER_TOKEN if self.tokens_out is None else self.tokens_out,
            _FINISHES.get(self.finish, STOP),
        )


def read_completion(api: str, content_type: str, lines: Iterable[bytes], characters: int) -> Completion:
    """The answer in a reply; `characters` is the length of the question, for servers that count no tokens."""
    take = _take_anthropic if api == ANTHROPIC else _take_openai
    reply = _Reply()
    try:
        if "event-stream" in content_type.lower():
            for event in _events(lines):
                take(reply, event)
        else:
            take(reply, _loads(b"".join(lines)))
        return reply.completion(characters)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadReplyError(f"the reply has another shape ({type(error).__name__}: {error})") from None


def _loads(content: bytes) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        raise BadReplyError("the reply is no JSON") from None


def _events(lines: Iterable[bytes]) -> Iterator[Any]:
    """The events of a stream, each on a line that begins with `data:`."""
    for line in lines:
        name, _, content = line.strip().partition(b":")
        if name == b"data" and content.strip() not in (b"", b"[DONE]"):
            yield _loads(content.strip())


def _refuse_error(event: Mapping[str, Any]) -> None:
    error = event.get("error")
    if error:
        message = error.get("message", error) if isinstance(error, dict) else error
        raise BadReplyError(f"the server stopped: {message}")


def _take_openai(reply: _Reply, event: Mapping[str, Any]) -> None:
    _refuse_error(event)
    for choice in event["choices"][:1]:
        said = choice.get("delta") or choice.get("message") or {}
        reply.pieces.append(str(said.get("content") or ""))
        reply.refusal += str(said.get("refusal") or "")
        reply.finish = choice.get("finish_reason") or reply.finish
    usage = event.get("usage")
    if usage:
        reply.tokens_in, reply.tokens_out = int(usage["prompt_tokens"]), int(usage["completion_tokens"])


def _take_anthropic(reply: _Reply, event: Mapping[str, Any]) -> None:
    _refuse_error(event)
    kind = event["type"]
    if kind == "message":
        for block in event["content"]:
            tool = orjson.dumps(block["input"]).decode() if block["type"] == "tool_use" else ""
            reply.pieces.append(tool or str(block.get("text", "")))
    elif kind == "content_block_delta":
        delta = event["delta"]
        reply.pieces.append(str(delta.get("text", "") or delta.get("partial_json", "")))
    message = event.get("message", event)
    finish = event.get("delta", message).get("stop_reason")
    reply.finish = finish or reply.finish
    _count_anthropic(reply, event.get("usage") or message.get("usage") or {})


def _count_anthropic(reply: _Reply, usage: Mapping[str, Any]) -> None:
    read = [int(usage[name]) for name in _READ if usage.get(name) is not None]
    # The last events repeat no more than the tokens written.
    if read:
        reply.tokens_in = max(reply.tokens_in or 0, sum(read))
    if usage.get("output_tokens") is not None:
        reply.tokens_out = int(usage["output_tokens"])


_READ = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
