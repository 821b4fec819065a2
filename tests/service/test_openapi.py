from __future__ import annotations

import json

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from saccade.service.described import EXAMPLES, OPERATIONS, operation_id
from saccade.service.roles import role_of


def says_what_to_do(ctx, response, case):
    """Whatever is refused has a code, a sentence and a next step."""
    refused = response.json() if response.status_code >= 400 else {}
    assert [name for name, text in refused.items() if not text] == [], refused
    assert set(refused) in (set(), {"code", "message", "hint"}), refused


CHECKS = [
    says_what_to_do,
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def lines(context, value):
    """Whatever is made up for a body of lines, as text."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_service_keeps_its_own_description(address, mode):
    """Whatever is sent, the answer is one that /openapi.json announces, and never our fault."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json", timeout=None)
    for found in schema.get_all_operations():
        operation = found.ok()
        # Whatever names a folder or a place for a copy would be done, on the disk of whoever tests.
        if mode is GenerationMode.POSITIVE and operation.label == "POST /api/v1/jobs":
            continue
        if mode is GenerationMode.POSITIVE or takes_input(operation):
            fuzz(operation, mode)


def takes_input(operation):
    """Health and metrics take none, so nothing wrong can be sent to them; bytes alone are bytes."""
    raw = operation.definition.raw
    bodies = raw.get("requestBody", {}).get("content", {}).values()
    described = [one for one in bodies if one["schema"].get("format") != "binary"]
    return bool(raw.get("parameters") or described)


def fuzz(operation, mode):
    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=6,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    def check(case):
        # Without a limit of its own it would give each answer ten seconds.
        case.call_and_validate(checks=CHECKS, timeout=None)

    try:
        check()
    except Unsatisfiable:
        # Nothing wrong can be made up where a body is bytes: any are.
        content = operation.definition.raw["requestBody"]["content"]
        assert mode is GenerationMode.NEGATIVE
        assert "binary" in str(content), operation.label


def test_every_operation_is_described(client):
    """Summary, description, tag, and every error in the one shape."""
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            assert operation["tags"], where
            errors = [answer for code, answer in operation["responses"].items() if code >= "400"]
            for answer in errors:
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Problem"}, f"{where} {answer}"


def test_the_reference_asks_nobody_else(client):
    """/docs names every operation, runs no script and loads only from here; other pages are off."""
    answer = client.get("/docs")
    document = client.get("/openapi.json").json()
    assert answer.headers["content-type"].startswith("text/html")
    for methods in document["paths"].values():
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in answer.text
    assert "<script" not in answer.text
    assert "http://" not in answer.text
    assert "https://" not in answer.text
    assert client.get("/redoc").status_code == 404


def test_operations_have_names_that_stay(client):
    """Those of the table, and of what is not in it, its address; no two are the same."""
    document = client.get("/openapi.json").json()
    found = {
        (method.upper(), path): operation["operationId"]
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    assert found == {place: operation_id(*place) for place in found}
    assert set(OPERATIONS) <= {" ".join(place) for place in found}
    assert found["POST", "/api/v1/feedback"] == "markPage"
    assert len(set(found.values())) == len(found)


def test_every_operation_says_who_may_ask(client):
    """By schemes that the document has, and the role of the table."""
    document = client.get("/openapi.json").json()
    schemes = set(document["components"]["securitySchemes"])
    assert schemes == {"bearer", "cookie"}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            needed = role_of(method.upper(), path)
            assert operation["x-role"] == (needed or "anybody")
            named = {name for way in operation["security"] for name in way}
            assert named == (schemes if needed else set())


def test_examples_are_answered(client):
    """As they stand, by the operation they are of."""
    document = client.get("/openapi.json").json()
    sent = 0
    for path, methods in document["paths"].items():
        for operation in methods.values():
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                for body in [content["example"]] if "example" in content else []:
                    data = body if isinstance(body, str) else json.dumps(body)
                    answer = client.post(path, content=data, headers={"Content-Type": kind})
                    assert answer.status_code == 200, f"{path}: {answer.text}"
                    sent += 1
    assert sent == 1 + len(EXAMPLES)  # and the one of `/events`
