"""Runs docs/notebook.ipynb and keeps what its cells answer; the site shows it as a page.

    python docs/notebook.py

Cells are run one after another in one namespace, as a notebook does; what they print and the
figure that the last line names are their answers. No Jupyter is needed, here or in the tests.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).with_suffix(".ipynb")


def run(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the answers that its cells give now."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = [*answers("".join(cell["source"]), namespace, number)]
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def answers(code: str, namespace: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """What one cell prints, and the figure on its last line."""
    tree = ast.parse(code, filename=f"cell {number}")
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        if last is not None:
            expression = ast.Expression(last.value)
            value = eval(compile(expression, f"cell {number}", "eval"), namespace)
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        yield {"name": "stdout", "output_type": "stream", "text": text}
    if hasattr(value, "savefig"):
        drawn = io.BytesIO()
        value.savefig(drawn, format="png", dpi=110, metadata={"Software": None})
        yield {
            "data": {"image/png": base64.b64encode(drawn.getvalue()).decode()},
            "execution_count": number,
            "metadata": {},
            "output_type": "execute_result",
        }


def printed(notebook: dict[str, Any]) -> list[str]:
    """What the cells printed, line by line."""
    outputs = [one for cell in notebook["cells"] for one in cell.get("outputs", ())]
    return [line for one in outputs for line in one.get("text", ())]


def markdown(notebook: dict[str, Any]) -> str:
    """The notebook as a page, its figures inside."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
        for one in cell.get("outputs", ()):
            if "text" in one:
                parts.append("```text\n" + "".join(one["text"]).rstrip("\n") + "\n```")
            else:
                parts.append(f'<img alt="" src="data:image/png;base64,{one["data"]["image/png"]}">')
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Run it and write it."""
    done = run(json.loads(NOTEBOOK.read_text("utf-8")))
    NOTEBOOK.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(*printed(done), sep="", end="")


if __name__ == "__main__":
    main()
