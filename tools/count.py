"""How large the source is, and how often it says nothing: the figures of docs/adr/0008.

    python tools/count.py [TREE …]      of checkouts; of this one unless given

    modules     files of src/saccade
    lines       all of them
    code        lines that are neither blank nor comment nor docstring
    colliding   names that two or more public classes have
    Any         lines that name `Any`, its import aside
    participles variables, arguments and functions called told, said, taught, known, kept or found

A tree of another commit: git archive COMMIT src | tar x -C FOLDER.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTICIPLES = {"told", "said", "taught", "known", "kept", "found"}
SILENT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENCODING, tokenize.ENDMARKER,
}  # fmt: skip


def count(tree: Path) -> Counter[str]:
    """The figures of a checkout."""
    out: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for file in sorted((tree / "src" / "saccade").rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        parsed = ast.parse(text)
        out["modules"] += 1
        out["lines"] += len(text.splitlines())
        out["code"] += len(_spoken(file) - set(_docstrings(parsed)))
        out["Any"] += sum(
            bool(re.search(r"\bAny\b", line)) and not line.startswith(("from ", "import "))
            for line in text.splitlines()
        )
        out["participles"] += sum(name.strip("_") in PARTICIPLES for name in _names(parsed))
        classes.update(
            node.name
            for node in parsed.body
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        )
    out["colliding"] = sum(times > 1 for times in classes.values())
    return out


def _spoken(file: Path) -> set[int]:
    """Lines with a token on them that does something."""
    with tokenize.open(file) as stream:
        tokens = [t for t in tokenize.generate_tokens(stream.readline) if t.type not in SILENT]
    return {line for t in tokens for line in range(t.start[0], t.end[0] + 1)}


def _docstrings(parsed: ast.Module) -> Iterator[int]:
    """Lines of texts that stand alone: of modules, classes, functions, and below a name."""
    for node in ast.walk(parsed):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _names(parsed: ast.Module) -> Iterator[str]:
    """Whatever is given a name."""
    for node in ast.walk(parsed):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name


def main() -> None:
    """A line for each tree."""
    columns = ("modules", "lines", "code", "colliding", "Any", "participles")
    print(*(f"{name:>11}" for name in columns), " tree")
    for tree in map(Path, sys.argv[1:] or [str(ROOT)]):
        figures = count(tree)
        print(*(f"{figures[name]:>11,}" for name in columns), f" {tree}")


if __name__ == "__main__":
    main()
