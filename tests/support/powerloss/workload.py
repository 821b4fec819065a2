"""A life in a store, run under the recorder: every acknowledged act leaves a mark.

    python workload.py FOLDER PICTURES LINE

A mark is one line of JSON: what the store must hold from then on.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from powerloss.recorder import MARKS, announce_to

RECIPE = "color-histogram,lbp,words"
STORE = "life.saccade"


def state(engine: object, act: str) -> str:
    """What the store holds, as anyone can ask."""
    users = {user: engine.profile(user).events for user in engine.users()}  # type: ignore[attr-defined]
    return json.dumps({"act": act, "images": len(engine), "users": users})  # type: ignore[arg-type]


def live(folder: Path, pictures: Path) -> None:
    """Add, react, undo, forget, prune, train, close and open again."""
    import saccade

    marks = os.open(folder.parent / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def mark(act: str) -> None:
        os.write(marks, (state(engine, act) + "\n").encode())

    files = sorted(path for path in pictures.rglob("*") if path.is_file())
    mine = folder.parent / "mine"
    mine.mkdir()

    def bring(some: list[Path]) -> None:
        for path in some:
            shutil.copy(path, mine / path.name)

    def teach(user: str, place: int) -> None:
        page = engine.search(engine.images(place, 1)[0].image_id, user=user, k=6)
        engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
        mark(f"{user} reacted")

    bring(files[:8])
    engine = saccade.open(folder / STORE, warm=False)
    mark("opened")
    engine.add(mine, recipe=RECIPE)
    mark("added")
    for place in range(3):
        teach("ana", place)
    teach("bob", 1)
    engine.undo("ana")
    mark("undone")
    engine.close()
    engine = saccade.open(folder / STORE, warm=False)
    mark("opened again")
    teach("bob", 2)
    bring(files[8:12])
    engine.add(mine)
    mark("added more")
    engine.forget("bob")
    mark("forgot bob")
    (mine / files[0].name).unlink()
    engine.add(mine, prune=True)
    mark("pruned")
    teach("ana", 3)
    engine.words().train(size=24)
    mark("trained")
    engine.import_profile("eva", engine.export_profile("ana"))
    mark("imported")
    engine.close()


if __name__ == "__main__":
    announce_to(int(sys.argv[3]))
    live(Path(sys.argv[1]), Path(sys.argv[2]))
