"""Draws the import graph inside `engine/` into docs/layout.md: `python docs/layout.py` writes it.

`python docs/layout.py --check` exits with 1 when the page shows another graph than the code has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import grimp

PAGE = Path(__file__).parent / "layout.md"
BEGIN, END = "<!-- drawn by docs/layout.py -->", "<!-- end of drawing -->"
ENGINE = "saccade.engine"


def drawing() -> str:
    """Who imports whom among the rooms of the engine, as a Mermaid graph."""
    graph = grimp.build_graph("saccade", include_external_packages=False)
    rooms = sorted(graph.find_children(ENGINE))
    name = {room: room.rpartition(".")[2] for room in rooms}
    packages = {room for room in rooms if graph.find_children(room)}
    lines = ["```mermaid", "graph TD"]
    for room in rooms:
        if room in packages:
            inside = sorted(child.rpartition(".")[2] for child in graph.find_children(room))
            lines.append(f'  {name[room]}["{name[room]}/<br>{" ".join(inside)}"]')
    for one in rooms:
        mine = {one, *graph.find_descendants(one)}
        seen = {
            other for module in mine for other in graph.find_modules_directly_imported_by(module)
        }
        used = [two for two in rooms if seen & {two, *graph.find_descendants(two)} and two != one]
        lines += [f"  {name[one]} --> {name[two]}" for two in used]
    return "\n".join([*lines, "```"])


def drawn(text: str) -> str:
    """The page with the drawing of today."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{drawing()}\n{END}{tail}"


def main() -> None:
    """Write the drawing, or check it."""
    text = PAGE.read_text(encoding="utf-8")
    if "--check" not in sys.argv:
        PAGE.write_text(drawn(text), encoding="utf-8")
    elif text != drawn(text):
        sys.exit(
            f"{PAGE} shows another graph than the code has: run `python {Path(__file__).name}`"
        )


if __name__ == "__main__":
    main()
