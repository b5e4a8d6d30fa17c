"""The OpenAPI document of the HTTP API, made from the schema of results and the parameters of the ledger."""

from functools import cache
from typing import Any

import orjson

from factable._version import __version__
from factable.core.params import Param
from factable.core.schema import SCHEMA_FILE
from factable.metrics.ledger.metric import Ledger
from factable.models.runtime.manifest import read_shipped
from factable.serve.metrics import is_open

# Of the documents that the schema has, those that the API sends.
RESULTS = ("check", "score-line", "example", "counts", "fact", "claim", "span")
Schema = dict[str, Any]


@cache
def document() -> Schema:
    """The OpenAPI 3.1 document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "factable",
            "version": __version__,
            "description": "Tells whether a text written from data says all, and only, what the data says.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "security": [{}, {"token": []}],
        "paths": {
            "/v1/check": {"post": _check()},
            "/v1/score": {"post": _score()},
            "/v1/metrics": {"get": _metrics()},
            "/v1/openapi.json": {"get": _get("openapi", "This document.", {"type": "object"})},
            "/healthz": {"get": _health()},
            "/metrics": {"get": _counters()},
        },
        "components": {
            "schemas": {
                **_results(),
                "check-request": _check_request(),
                "error": ERROR,
                "error-line": ERROR_LINE,
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


ERROR: Schema = {
    "description": "What is wrong and what to do about it, in one line.",
    "type": "object",
    "properties": {"error": {"type": "string"}},
    "required": ["error"],
    "additionalProperties": False,
}
ERROR_LINE: Schema = {
    "description": "Stands in for the scores of a line that cannot be scored.",
    "type": "object",
    "properties": {"line": {"type": "integer", "minimum": 1}, "error": {"type": "string"}},
    "required": ["line", "error"],
    "additionalProperties": False,
}
RETRY = {
    "Retry-After": {
        "description": "Seconds to wait.",
        "required": True,
        "schema": {"type": "integer", "minimum": 1},
    }
}
PROBLEMS = {
    "400": "The request is no JSON.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from a page of another site.",
    "408": "The client stopped sending.",
    "413": "The request is too large.",
    "415": "The content type is another one.",
    "421": "The server does not go by that host name.",
    "422": "The request cannot be done as it is.",
    "429": "Too many requests, or too many texts are waiting.",
    "500": "An error of the server.",
    "504": "The text took too long.",
}


def _problems(*statuses: str) -> Schema:
    reference = {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}}
    return {
        status: {
            "description": PROBLEMS[status],
            "content": reference,
            **({"headers": RETRY} if status == "429" else {}),
        }
        for status in statuses
    }


def _get(name: str, about: str, schema: Schema, **others: Schema) -> Schema:
    answer = {"description": about, "content": {"application/json": {"schema": schema}}}
    problems = _problems("401", "403", "421", "429")
    return {"operationId": name, "summary": about, "responses": {"200": answer, **others, **problems}}


def _health() -> Schema:
    schema: Schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    starting = {
        "description": "Models are being loaded.",
        "content": {"application/json": {"schema": schema}},
    }
    return _get("health", "Whether texts can be scored.", schema, **{"503": starting})


def _counters() -> Schema:
    answer = {"description": "Text of Prometheus.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    responses = {"200": answer, **_problems("401", "403", "421", "429")}
    return {"operationId": "counters", "summary": "Counters for Prometheus.", "responses": responses}


def _check() -> Schema:
    return {
        "operationId": "check",
        "summary": "The verdict on one text.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/check-request"}}},
        },
        "responses": {
            "200": {
                "description": "Every fact of the data and every claim of the text.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/check"}}},
            },
            **_problems(*PROBLEMS),
        },
    }


def _check_request() -> Schema:
    texts: Schema = {
        "data": {
            "description": "An object, a list of rows or triples, 's | p | o' strings, or an E2E string.",
            "type": ["object", "array", "string"],
        },
        "text": {"description": "The text to check.", "type": "string"},
        "subject": {"description": "What the data is about, for data without subjects.", "type": "string"},
        "title": {"description": "The title of the data.", "type": "string"},
    }
    metric = Ledger()
    options = {each.name: _parameter(each) for each in metric.params if is_open(metric, each)}
    return {
        "type": "object",
        "properties": {**texts, **options},
        "required": ["data", "text"],
        "additionalProperties": False,
    }


def _parameter(each: Param) -> Schema:
    about = {"description": each.doc, "default": each.default}
    if each.choices:
        return {**about, "enum": list(each.choices)}
    if each.range:
        whole = isinstance(each.default, int)
        low, high = each.range
        return {**about, "type": "integer" if whole else "number", "minimum": low, "maximum": high}
    return {**about, "type": "boolean" if isinstance(each.default, bool) else "string"}


def _score() -> Schema:
    metric = {
        "name": "metric",
        "in": "query",
        "description": "A metric such as ledger or parent(mix=0.5); repeatable.",
        "schema": {"type": "array", "items": {"type": "string"}, "default": ["ledger"]},
        "explode": True,
    }
    explain = {
        "name": "explain",
        "in": "query",
        "description": "Whether to list facts and claims.",
        "schema": {"type": "boolean", "default": False},
    }
    line = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("score-line", "error-line")]}
    lines = "One JSON object per line: data and text, and id, system, references if there are any."
    return {
        "operationId": "score",
        "summary": "A line of scores for every line, streamed both ways in the same order.",
        "parameters": [metric, explain],
        "requestBody": {
            "required": True,
            "description": lines,
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
        },
        "responses": {
            "200": {
                "description": "One JSON object per line, by the schema in x-line-schema.",
                "content": {"application/x-ndjson": {"schema": {"type": "string"}, "x-line-schema": line}},
            },
            **_problems(*PROBLEMS),
        },
    }


def _metrics() -> Schema:
    parameter = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "default": {},
            "about": {"type": "string"},
            "choices": {"type": "array"},
            "range": {"type": ["array", "null"], "items": {"type": "number"}},
            "open": {"description": "Whether a request may choose its value.", "type": "boolean"},
        },
    }
    metric = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "about": {"type": "string"},
            "needs": {"type": "array", "items": {"type": "string"}},
            "bounds": {"type": "array", "items": {"type": ["number", "null"]}},
            "higher_is_better": {"type": "boolean"},
            "slow": {"type": "boolean"},
            "corpus": {"description": "Whether it needs all texts at once.", "type": "boolean"},
            "parts": {"type": "array", "items": {"type": "string"}},
            "parameters": {"type": "array", "items": parameter},
        },
    }
    schema = {"type": "object", "properties": {"metrics": {"type": "array", "items": metric}}}
    return _get("metrics", "The metrics and their parameters.", schema)


def _results() -> Schema:
    """The definitions of the schema of results, under the names that this document gives them."""
    text = read_shipped(SCHEMA_FILE).replace(b"#/$defs/", b"#/components/schemas/")
    definitions = orjson.loads(text)["$defs"]
    return {name: definitions[name] for name in RESULTS}
