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
    """Lines that leave it to httpx how long an answer may take, five seconds; or set a number.

    What may take time takes `servers.PATIENCE`, which knows how slow a loaded machine can be.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            limits = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
            asks = (
                isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func.value) == "httpx"
                and node.func.attr in ASKING
            )
            number = any(isinstance(one, ast.Constant) and one.value is not None for one in limits)
            if number or (asks and not limits):
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


def test_nothing_has_the_limit_of_a_quiet_machine() -> None:
    """Scripts aside, which are run by hand: they count what did not come in time."""
    by_hand = ("endurance/", "e2e/browser.py")
    assert [place for place in everywhere(impatient) if not place.startswith(by_hand)] == []


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


def test_a_limit_of_a_quiet_machine_is_seen() -> None:
    """That of httpx, or a number; what is as patient as all the others is left alone."""
    lines = ["httpx.get(url)", "httpx.post(url, timeout=PATIENCE)", "client.get(url)"]
    lines += ["httpx.Client(timeout=5)", "wait(timeout=30)", "call(timeout=None)"]
    assert list(impatient(ast.parse("\n".join(lines)))) == [1, 4, 5]
