from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
def test_the_service_keeps_its_own_description(address, mode):
    """Whatever is sent, the answer is one that /openapi.json announces, and never our fault."""
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    for found in schema.get_all_operations():
        operation = found.ok()
        if mode is GenerationMode.POSITIVE or takes_input(operation):
            fuzz(operation, mode)


def takes_input(operation):
    """Health and metrics take none, so nothing wrong can be sent to them."""
    return bool({"parameters", "requestBody"} & set(operation.definition.raw))


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
        case.call_and_validate(checks=CHECKS)

    check()


def test_every_operation_is_described(client):
    """Summary, description, tag, and every error in the one shape."""
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            assert operation["tags"], where
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Problem"}, f"{where} {status}"


def test_no_documentation_page_loads_scripts_from_elsewhere(client):
    """The framework's own pages are off."""
    assert client.get("/docs").status_code == 404
    assert client.get("/redoc").status_code == 404
