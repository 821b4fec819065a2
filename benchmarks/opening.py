"""What it costs that every file of a store is verified when it is first mapped.

    python benchmarks/opening.py STORE [--json] [--save DIR]

    open      seconds to open the store, every column verified
    unsaid    the same with the checksums taken for granted
    hashing   their difference, for each gigabyte of columns, and against reading the bytes once

STORE is copied before it is opened, and every file of the copy gets a checksum: those of an old
store have none. Best of five, from the page cache.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from machine import best, machine
from saccade.engine import Engine
from saccade.store.columns import Columns
from saccade.store.store import Store
from saccade.testbed.tables import markdown, write_json, write_text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        figures = measure(Path(shutil.copytree(options.store, Path(place) / "copy.saccade")))
    result = {"machine": machine(), **figures}
    text = told(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "opening.json", result)
        write_text(options.save / "opening.md", text)


def measure(store: Path) -> dict[str, Any]:
    """Open it with and without looking at checksums."""
    renew(store)
    columns = [file for file in store.rglob("columns/*/*") if file.is_file()]
    size = sum(file.stat().st_size for file in columns)

    def opened() -> None:
        Engine(store, warm=False).close()

    def read() -> None:
        for file in columns:
            file.read_bytes()

    verified = best(opened, repeats=5)
    with patch.object(Columns, "digests", lambda *_: {}):
        unsaid = best(opened, repeats=5)
    return {
        "images": len_of(store),
        "megabytes": size / 2**20,
        "open": verified,
        "unsaid": unsaid,
        "read": best(read, repeats=5),
    }


def renew(place: Path) -> None:
    """Write every segment anew, with checksums."""
    store = Store(place)
    for segment in store.columns.segments():
        arrays = store.columns.load(segment)
        draft = store.columns.draft(segment.name, segment.version, segment.first, arrays)
        store.commit(drop=[segment], drafts=[draft])
    store.columns.sweep()
    store.close()


def len_of(store: Path) -> int:
    """How many pictures it has."""
    with Engine(store, warm=False) as engine:
        return len(engine)


def told(result: dict[str, Any]) -> str:
    """The figures as a page."""
    cost = result["open"] - result["unsaid"]
    times = cost / result["read"]
    rows = [
        {"what": "open, every column verified", "seconds": result["open"]},
        {"what": "open, checksums taken for granted", "seconds": result["unsaid"]},
        {"what": "reading the same bytes once", "seconds": result["read"]},
    ]
    where = result["machine"]
    return f"""# Opening a store

`benchmarks/opening.py`, {where["cores"]} cores, commit {where["commit"]}: {result["images"]}
pictures, {result["megabytes"]:.0f} MB of columns, best of five.

{markdown(rows, digits=3)}

Verifying costs {1024 * cost / result["megabytes"]:.2f} s a gigabyte, once a process: {times:.1f}
times reading the bytes. The machine is shared: read the ratio.
"""


if __name__ == "__main__":
    main()
