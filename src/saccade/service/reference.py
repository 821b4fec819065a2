"""The reference at /docs: what /openapi.json says, as a page without a script.

The framework's own pages load theirs from elsewhere; this one asks nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_HEAD = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Saccade: reference</title>
  <link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/css/base.css">
  <link rel="stylesheet" href="/assets/css/reference.css">
</head>
<body>
<main class="reference">
"""


def reference(document: Mapping[str, Any]) -> str:
    """The whole page."""
    return _HEAD + "\n".join(_lines(document)) + "\n</main>\n</body>\n</html>\n"


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    info = document["info"]
    yield f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>"
    for paragraph in info["description"].split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>"
    yield '<p><a href="/openapi.json">/openapi.json</a> is the same for programs.</p>'
    by_tag: dict[str, list[tuple[str, str, Mapping[str, Any]]]] = {}
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append((method, path, operation))
    yield "<nav><ul>"
    for tag in by_tag:
        yield f'<li><a href="#{_anchor(tag)}">{escape(tag)}</a></li>'
    yield "</ul></nav>"
    about = {one["name"]: one["description"] for one in document.get("tags", ())}
    for tag, operations in by_tag.items():
        yield f'<section id="{_anchor(tag)}"><h2>{escape(tag)}</h2>'
        yield f"<p>{escape(about.get(tag, ''))}</p>"
        for method, path, operation in operations:
            yield from _operation(method, path, operation, document)
        yield "</section>"


def _operation(
    method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]
) -> Iterator[str]:
    name = operation["operationId"]
    yield f'<article id="{escape(name)}">'
    yield f"<h3><code>{method.upper()} {escape(path)}</code></h3>"
    yield f"<p><strong>{escape(operation['summary'])}</strong>. "
    yield f"<code>{escape(name)}</code>, for whoever is {escape(operation['x-role'])}.</p>"
    for paragraph in operation["description"].split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>"
    fields = [
        (one["name"], one["in"], one.get("required", False), one["schema"], one.get("description"))
        for one in operation.get("parameters", ())
    ]
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        schema = _resolved(content.get("schema", {}), document)
        needed = schema.get("required", ())
        for field, inner in schema.get("properties", {}).items():
            fields.append((field, kind, field in needed, inner, inner.get("description")))
    if fields:
        yield "<table><thead><tr><th>field</th><th>in</th><th>type</th><th></th></tr></thead>"
        yield "<tbody>"
        for field, where, required, schema, text in fields:
            about = escape(text or _resolved(schema, document).get("description", "") or "")
            yield (
                f"<tr><td><code>{escape(field)}</code>{' *' if required else ''}</td>"
                f"<td>{escape(where)}</td><td>{escape(_kind(schema, document))}</td>"
                f"<td>{about}</td></tr>"
            )
        yield "</tbody></table>"
    yield "<ul>"
    for status, answer in operation["responses"].items():
        yield f"<li><code>{escape(status)}</code> {escape(answer['description'])}</li>"
    yield "</ul></article>"


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved: Mapping[str, Any] = document["components"]["schemas"].get(name, schema)
    return resolved


def _kind(schema: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    """A type in a word or two."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one, document) for one in schema["anyOf"]))
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of {_kind(schema.get('items', {}), document)}"
    return "nothing" if kind == "null" else kind


def _anchor(tag: str) -> str:
    return escape(tag.replace(" ", "-"))
