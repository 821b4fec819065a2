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


def live(folder: Path, pictures: Path) -> None:
    """Add, react, undo, say, forget, prune, train, close and open again."""
    import saccade
    from promises import counted

    marks = os.open(folder.parent / MARKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def mark(act: str) -> None:
        said = {"act": act, "images": len(engine), "said": counted(engine)}
        os.write(marks, (json.dumps(said) + "\n").encode())

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

    def say(*users: str) -> None:
        """Teach an attribute and a concept, tag, save."""
        first, second, third = (image.image_id for image in engine.images(0, 3))
        if "natural" not in [one.name for one in engine.attributes.list()]:
            engine.attributes.create("natural")
            mark("made an attribute")
        for user in users:
            engine.attributes.label("natural", first, 1, user=user)
            mark(f"{user} labelled")
            engine.attributes.compare("natural", second, third, user=user)
            mark(f"{user} compared")
            engine.tags.add("mine", [first, second, third], user=user)
            mark(f"{user} tagged")
            engine.concepts.grade("tag:mine", first, "good", user=user)
            mark(f"{user} graded")
            engine.concepts.prefer("tag:mine", second, third, user=user)
            mark(f"{user} preferred")
            page = engine.search(first, user=user, k=4)
            engine.sessions.save(page, "kept")
            mark(f"{user} saved")
            page = engine.search(text=mine.name, user=user, k=4)
            engine.react(page, liked=[page.hits[1].image_id], disliked=[page.hits[0].image_id])
            mark(f"{user} taught a word")

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
    say("ana", "bob")
    engine.forget("bob")
    mark("forgot bob")
    (mine / files[0].name).unlink()
    engine.add(mine, prune=True)
    mark("pruned")
    teach("ana", 3)
    engine.library.words().train(size=24)
    mark("trained")
    engine.people.import_("eva", engine.people.export("ana"))
    mark("imported")
    engine.attributes.delete("natural", user="ana")
    mark("ana put an attribute away")
    engine.attributes.restore("natural", user="ana")
    mark("ana brought it back")
    engine.close()


if __name__ == "__main__":
    announce_to(int(sys.argv[3]))
    live(Path(sys.argv[1]), Path(sys.argv[2]))
