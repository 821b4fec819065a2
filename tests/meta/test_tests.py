"""The tests hold themselves to what makes them red for a reason, and only then."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
ASKING = {"get", "post", "put", "delete", "request", "stream", "Client"}


def under_an_if(node: ast.AST, inside: bool = False) -> Iterator[int]:
    """Lines of what may never be asserted, since an `if` around it may never be taken."""
    for child in ast.iter_child_nodes(node):
        if inside and (isinstance(child, ast.Assert) or _raises(child)):
            yield child.lineno
        inner = isinstance(child, ast.If) or (inside and not isinstance(child, ast.FunctionDef))
        yield from under_an_if(child, inner)


def _raises(node: ast.AST) -> bool:
    return isinstance(node, ast.With) and any(
        ast.unparse(item.context_expr).startswith("pytest.raises") for item in node.items
    )


def impatient(tree: ast.AST) -> Iterator[int]:
    """Lines that ask over a socket and leave it to httpx how long that may take: five seconds."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "httpx"
            and node.func.attr in ASKING
            and "timeout" not in {keyword.arg for keyword in node.keywords}
        ):
            yield node.lineno


def everywhere(rule: Callable[[ast.AST], Iterator[int]]) -> list[str]:
    """Where a rule is broken: file and line."""
    return [
        f"{file.relative_to(TESTS)}:{line}"
        for file in sorted(TESTS.rglob("*.py"))
        for line in rule(ast.parse(file.read_text()))
    ]


def test_every_assertion_is_made() -> None:
    """None stands under an `if`."""
    assert everywhere(under_an_if) == []


def test_every_request_is_patient() -> None:
    """None has the limit of a quiet machine."""
    assert everywhere(impatient) == []


def test_an_assertion_under_an_if_is_seen() -> None:
    """Also in the other branch, in a loop, and where an error is expected."""
    text = """
def test():
    assert here
    if some:
        def inner():
            assert here
        for one in some:
            assert one
    else:
        with pytest.raises(ValueError):
            float("x")
"""
    assert list(under_an_if(ast.parse(text))) == [8, 10]


def test_a_request_without_a_limit_of_its_own_is_seen() -> None:
    """What has one is left alone."""
    text = "httpx.get(url)\nhttpx.post(url, timeout=9)\nhttpx.Client()\nclient.get(url)"
    assert list(impatient(ast.parse(text))) == [1, 3]
