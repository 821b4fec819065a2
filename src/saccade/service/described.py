"""What /openapi.json says beyond the routes: names that stay, who may ask, and examples that run.

A client is generated from the names of operations, so they are a promise: they are written here and
not made from the names of functions. What is not here is named after its address.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI

from saccade.service.asked import SearchBody, named_schemas
from saccade.service.doorkeeper import COOKIE
from saccade.service.roles import ANYBODY, role_of
from saccade.service.schemas import PictureByPath, RerankRequest

_API = "/api/v1"

OPERATIONS: Mapping[str, str] = {
    f"POST {_API}/search": "search",
    f"POST {_API}/search/upload": "searchByUpload",
    f"POST {_API}/show": "showPage",
    f"POST {_API}/rerank": "rerank",
    f"POST {_API}/feedback": "markPage",
    f"POST {_API}/preferences": "preferOnPage",
    f"POST {_API}/events": "sendEvents",
    f"GET {_API}/uploads": "listUploads",
    f"POST {_API}/uploads": "keepUpload",
    f"DELETE {_API}/uploads/{{image_id}}": "dropUpload",
    f"POST {_API}/originals.zip": "zipOriginals",
    f"GET {_API}/suggest": "suggest",
    f"GET {_API}/me": "whoAmI",
    f"GET {_API}/images": "listImages",
    f"GET {_API}/images/sample": "sampleImages",
    f"GET {_API}/images/{{image_id}}": "getImage",
    f"PUT {_API}/images/{{image_id}}": "putImage",
    f"DELETE {_API}/images/{{image_id}}": "removeImage",
    f"POST {_API}/images": "putImages",
    f"GET {_API}/images/{{image_id}}/neighbours": "getNeighbours",
    f"GET {_API}/images/{{image_id}}/around": "getAround",
    f"GET {_API}/images/{{image_id}}/together": "getTogether",
    f"GET {_API}/images/{{image_id}}/words": "getImageWords",
    f"GET {_API}/images/{{image_id}}/tags": "getImageTags",
    f"GET {_API}/images/{{image_id}}/thumb": "getThumbnail",
    f"GET {_API}/images/{{image_id}}/file": "getFile",
    f"GET {_API}/images/{{image_id}}/map": "getMap",
    f"GET {_API}/images/{{image_id}}/map.png": "getMapPicture",
    f"GET {_API}/collection/duplicates": "listDuplicates",
    f"GET {_API}/collection/gone": "listGone",
    f"GET {_API}/collection/size": "getSize",
    f"GET {_API}/profiles": "listProfiles",
    f"GET {_API}/profiles/{{user}}": "getProfile",
    f"DELETE {_API}/profiles/{{user}}": "forgetPerson",
    f"GET {_API}/profiles/{{user}}/events": "listFeedback",
    f"GET {_API}/profiles/{{user}}/worth": "listWorth",
    f"GET {_API}/profiles/{{user}}/taught": "listTaught",
    f"DELETE {_API}/profiles/{{user}}/taught/{{session}}": "dropTaught",
    f"GET {_API}/profiles/{{user}}/words": "listTaughtWords",
    f"POST {_API}/profiles/{{user}}/undo": "undo",
    f"GET {_API}/profiles/{{user}}/export": "exportProfile",
    f"POST {_API}/profiles/{{user}}/import": "importProfile",
    f"GET {_API}/profiles/{{user}}/saved": "listSaved",
    f"POST {_API}/profiles/{{user}}/saved": "saveSearch",
    f"POST {_API}/profiles/{{user}}/saved/{{name}}/open": "openSaved",
    f"DELETE {_API}/profiles/{{user}}/saved/{{name}}": "deleteSaved",
    f"GET {_API}/choosers": "getChoosers",
    f"GET {_API}/attributes": "listAttributes",
    f"POST {_API}/attributes": "createAttribute",
    f"POST {_API}/attributes/classify": "classify",
    f"GET {_API}/attributes/{{name}}": "getAttribute",
    f"DELETE {_API}/attributes/{{name}}": "putAttributeAway",
    f"POST {_API}/attributes/{{name}}/restore": "restoreAttribute",
    f"POST {_API}/attributes/{{name}}/labels": "labelAttribute",
    f"POST {_API}/attributes/{{name}}/comparisons": "compareAttribute",
    f"POST {_API}/attributes/{{name}}/undo": "undoAttribute",
    f"GET {_API}/attributes/{{name}}/order": "orderByAttribute",
    f"GET {_API}/attributes/{{name}}/question": "askAttribute",
    f"GET {_API}/concepts": "listConcepts",
    f"GET {_API}/concepts/{{name}}": "rankConcept",
    f"POST {_API}/concepts/{{name}}/preferences": "preferInConcept",
    f"POST {_API}/concepts/{{name}}/grades": "gradeInConcept",
    f"GET {_API}/concepts/{{name}}/question": "askConcept",
    f"GET {_API}/tags": "listTags",
    f"POST {_API}/tags/{{tag}}": "tagImages",
    f"DELETE {_API}/tags/{{tag}}": "untagImages",
    f"GET {_API}/facets": "getFacets",
    f"PUT {_API}/images/{{name}}/fields": "setFields",
    f"GET {_API}/external/{{name}}": "getImageByExternalId",
    f"POST {_API}/jobs": "postJob",
    f"GET {_API}/jobs": "listJobs",
    f"GET {_API}/jobs/{{job_id}}": "getJob",
    f"DELETE {_API}/jobs/{{job_id}}": "cancelJob",
    f"GET {_API}/jobs/{{job_id}}/stream": "streamJob",
    f"GET {_API}/collection": "getCollection",
    f"GET {_API}/schemes": "listSchemes",
    "GET /healthz": "getHealth",
    "GET /readyz": "getReadiness",
    "GET /metrics": "getMetrics",
}

_CANDIDATES = [
    {"id": "sku-1", "features": {"bm25": 7.1, "price": 12}},
    {"id": "sku-2", "features": {"bm25": 6.8, "price": 40}},
]
EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "rerank": {"user": "ana", "query": {"text": "red shoes"}, "candidates": _CANDIDATES},
}
"""A body for some operations that answers as it stands, on any store."""

_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the store (`saccade token create`), or the server's own.",
    },
    "cookie": {
        "type": "apiKey",
        "in": "cookie",
        "name": COOKIE,
        "description": "The same, as a browser keeps it.",
    },
}


def operation_id(method: str, path: str) -> str:
    """The name of an operation.

    >>> operation_id("POST", "/api/v1/feedback"), operation_id("GET", "/api/v1/things/{thing_id}")
    ('markPage', 'getThingsThingId')
    """
    named = OPERATIONS.get(f"{method} {path}")
    if named is not None:
        return named
    words = re.findall(r"[A-Za-z0-9]+", path.removeprefix(_API))
    return method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def describe(app: FastAPI) -> None:
    """Let an application describe itself with all of that."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain()
            document["components"]["securitySchemes"] = _SCHEMES
            read = named_schemas(SearchBody, RerankRequest, PictureByPath)
            document["components"]["schemas"] = {**read, **document["components"]["schemas"]}
            for path, methods in document["paths"].items():
                for method, operation in methods.items():
                    _complete(operation, method.upper(), path)
        assert app.openapi_schema is not None
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _complete(operation: dict[str, Any], method: str, path: str) -> None:
    operation["operationId"] = operation_id(method, path)
    role = role_of(method, path)
    # A server on its own machine asks for nothing: {} says so.
    operation["security"] = [] if role == ANYBODY else [{}, {"bearer": []}, {"cookie": []}]
    operation["x-role"] = role or "anybody"
    example = EXAMPLES.get(operation["operationId"])
    if example is not None:
        operation["requestBody"]["content"]["application/json"]["example"] = example
