"""The API keeps what its OpenAPI document says, whatever it is asked."""

import pytest

from helpers.peers import Peer

pytestmark = [pytest.mark.packages, pytest.mark.slow]
schemathesis = Peer("schemathesis")
checks = Peer("schemathesis.checks")
hypothesis = Peer("hypothesis")

OPERATIONS = (
    ("/v1/check", "POST"),
    ("/v1/score", "POST"),
    ("/v1/metrics", "GET"),
    ("/v1/openapi.json", "GET"),
    ("/healthz", "GET"),
    ("/metrics", "GET"),
)
EXAMPLES = 40


CASES = [(path, method, "POSITIVE") for path, method in OPERATIONS]
# What takes nothing can be given nothing wrong.
CASES += [(path, method, "NEGATIVE") for path, method in OPERATIONS if method == "POST"]


@pytest.mark.parametrize(("path", "method", "mode"), CASES)
def test_every_answer_is_one_of_those_described(server, path, method, mode):
    schemathesis.serializer("application/x-ndjson")(lambda _, value: str(value).encode())
    schema = schemathesis.openapi.from_url(f"{server.url}/v1/openapi.json")
    operation = schema[path][method]
    # Not all data that has the right form has facts, so that positive data may be refused, too.
    kept = ("not_a_server_error", "status_code_conformance", "content_type_conformance")
    kept += ("response_schema_conformance", "response_headers_conformance")
    chosen = [checks.CHECKS.get_one(name) for name in kept]
    asked = []

    @hypothesis.settings(
        max_examples=EXAMPLES, deadline=None, suppress_health_check=list(hypothesis.HealthCheck)
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=getattr(schemathesis.GenerationMode, mode)))
    def ask(case):
        asked.append(case.call_and_validate(checks=chosen, timeout=120).status_code)

    ask()
    assert asked


def test_methods_that_are_not_described_are_refused(client):
    for path, method in OPERATIONS:
        for other in {"GET", "POST", "PUT", "DELETE", "PATCH", "TRACE"} - {method}:
            answer = client.request(other, path)
            assert answer.status_code == 405, (path, other)
            assert method in answer.headers["allow"]
