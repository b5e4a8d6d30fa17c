"""Where a language model is served, and how it is asked: in the format of OpenAI or of Anthropic."""

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from factable.errors import UsageError

KEY_VARIABLE = "FACTABLE_JUDGE_KEY"
OPENAI, ANTHROPIC = APIS = ("openai", "anthropic")
ANTHROPIC_VERSION = "2023-06-01"
# The name that is sent where the user gives none; servers with one model do not look at it.
ANY_MODEL = "default"
_PATHS = {OPENAI: "/chat/completions", ANTHROPIC: "/messages"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SENDABLE = re.compile(r"[!-~]+")
# The name of the tool by which Anthropic's models give structured answers.
_TOOL = "report"
_HIDDEN = "[key]"


class Question(NamedTuple):
    """What a model is asked: instructions, the question, and the JSON Schema of the answer as JSON."""

    system: str
    user: str
    schema: str
    seed: int


class Sampling(NamedTuple):
    """How answers are written, the same for all questions; `structured` is how strictly JSON is asked for."""

    temperature: float
    max_tokens: int
    structured: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A served model: the address that questions are sent to, the format, and where the key is found."""

    url: str
    api: str
    model: str
    key_variable: str

    @classmethod
    def of(cls, url: str, *, api: str, model: str, key_variable: str) -> "Endpoint":
        """The endpoint behind a base address such as http://localhost:8080/v1, or behind the full one."""
        plain = url.rstrip("/")
        if api == "auto":
            host = urlsplit(plain).hostname or ""
            is_anthropic = plain.endswith(_PATHS[ANTHROPIC]) or f".{host}".endswith(".anthropic.com")
            api = ANTHROPIC if is_anthropic else OPENAI
        if not plain.endswith(_PATHS[api]):
            plain += ("" if urlsplit(plain).path else "/v1") + _PATHS[api]
        return cls(plain, api, model or ANY_MODEL, key_variable)

    @property
    def key(self) -> str:
        """The key, from the environment; empty for none."""
        key = os.environ.get(self.key_variable, "").strip()
        if key and not _SENDABLE.fullmatch(key):
            raise UsageError(f"the environment variable {self.key_variable} holds no key; copy it again")
        return key

    def hide_key(self, text: str) -> str:
        """What a server says, without the key, should it repeat it."""
        return text.replace(self.key, _HIDDEN) if self.key else text

    def headers(self) -> dict[str, str]:
        """The headers of a request, with the key."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.api == ANTHROPIC:
            headers["anthropic-version"] = ANTHROPIC_VERSION
        if self.key and self.api == ANTHROPIC:
            headers["x-api-key"] = self.key
        elif self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return headers

    def body(self, question: Question, sampling: Sampling, refused: Collection[str]) -> bytes:
        """A request, without the fields that the server has refused."""
        make = _anthropic_body if self.api == ANTHROPIC else _openai_body
        fields = make(question, sampling, refused)
        for name in ("temperature", "seed", "stream_options"):
            if name in refused:
                fields.pop(name, None)
        return orjson.dumps({"model": self.model, **fields})


def url_problem(url: str) -> str:
    """Why an address cannot be asked, without repeating it: it may hold a password; empty if it can."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "no address"
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return "no address that begins with http:// or https://"
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return "an address with a password, a query or a fragment"
    return ""


def is_variable(name: str) -> bool:
    """Whether a text can name an environment variable."""
    return bool(_VARIABLE.fullmatch(name))


def _openai_body(question: Question, sampling: Sampling, refused: Collection[str]) -> dict[str, Any]:
    limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
    body = {
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ],
        "temperature": sampling.temperature,
        "seed": question.seed,
        limit: sampling.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if sampling.structured in ("auto", "schema") and "json_schema" not in refused:
        schema = {"name": _TOOL, "strict": True, "schema": orjson.loads(question.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif sampling.structured in ("auto", "json") and "response_format" not in refused:
        body["response_format"] = {"type": "json_object"}
    return body


def _anthropic_body(question: Question, sampling: Sampling, refused: Collection[str]) -> dict[str, Any]:
    body = {
        "system": question.system,
        "messages": [{"role": "user", "content": question.user}],
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "stream": True,
    }
    if sampling.structured in ("auto", "schema") and "tools" not in refused:
        tool = {
            "name": _TOOL,
            "description": "Report the result.",
            "input_schema": orjson.loads(question.schema),
        }
        body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
    return body


# Fields that a server may refuse, by what its message says of them, in the order in which they are given up.
_OPTIONAL = (
    ("stream_options", re.compile(r"stream_options|include_usage")),
    ("max_tokens", re.compile(r"max_completion_tokens|max_tokens.{0,40}(?:not supported|unsupported)")),
    ("seed", re.compile(r"\bseed\b")),
    ("temperature", re.compile(r"\btemperature\b")),
    ("json_schema", re.compile(r"response_format|json_schema|schema|grammar|guided|structured")),
    ("response_format", re.compile(r"response_format|json_object")),
    ("tools", re.compile(r"\btool(?:s|_choice)?\b")),
)
# The rest of a message may repeat the question.
_MESSAGE_START = 400


def refused_field(message: str, body: bytes, refused: Collection[str]) -> str:
    """The field of a request that a server refuses, by its message; empty if none that can be spared."""
    start = message[:_MESSAGE_START].lower()
    sent = orjson.loads(body)
    for name, words in _OPTIONAL:
        if name in refused or not words.search(start):
            continue
        is_sent = "json_schema" in sent.get("response_format", ()) if name == "json_schema" else name in sent
        if is_sent:
            return name
    return ""
