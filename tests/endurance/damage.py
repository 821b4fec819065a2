"""Every file of a store × every kind of damage: it opens or says why not, names it, mends it.

    python tests/endurance/damage.py [--each 1] [--seed 0] [--json] [--save results]

`--each` files of every kind a store has (a kind of column's array, vocabularies, thumbnails, the
witness, the lock, the catalog and its journal) get each kind of damage. Then, by the commands that
people type: the store is searched, the doctor looks and repairs, and the store is searched again,
with the results it had. The catalog is the truth and cannot be computed again: there it is enough
that one sentence says so, and that a backup brings it back.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import figures
from saccade.engine import Engine
from saccade.errors import SaccadeError
from saccade.store.backup import back_up
from saccade.store.store import Store
from saccade.testbed import worlds

RECIPE = "color-histogram,lbp,words"
CATALOG = "catalog.sqlite"


def flip(file: Path, chance: Random) -> None:
    """One bit."""
    data = bytearray(file.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def scramble(file: Path, chance: Random) -> None:
    """A hundred bytes in the middle."""
    data = bytearray(file.read_bytes())
    at = chance.randrange(max(1, len(data) - 100))
    data[at : at + 100] = chance.randbytes(len(data[at : at + 100]))
    file.write_bytes(data)


def halve(file: Path, chance: Random) -> None:
    """Cut in the middle."""
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def lengthen(file: Path, chance: Random) -> None:
    """Something behind its end."""
    file.write_bytes(file.read_bytes() + chance.randbytes(64))


def zeros(file: Path, chance: Random) -> None:
    """As long as before, and nothing in it."""
    file.write_bytes(bytes(file.stat().st_size))


def replaced(file: Path, chance: Random) -> None:
    """Another file's content."""
    file.write_bytes(b"Dear mother,\n" * 40)


def folder(file: Path, chance: Random) -> None:
    """A folder in its place."""
    file.unlink()
    file.mkdir()


def loop(file: Path, chance: Random) -> None:
    """A link to itself."""
    file.unlink()
    file.symlink_to(file)


DAMAGES: dict[str, Callable[[Path, Random], object]] = {
    "a bit flipped": flip,
    "bytes scrambled": scramble,
    "cut short": halve,
    "lengthened": lengthen,
    "zeros": zeros,
    "emptied": lambda file, chance: file.write_bytes(b""),
    "missing": lambda file, chance: file.unlink(),
    "another file": replaced,
    "a folder": folder,
    "a loop of links": loop,
}


def kinds(store: Path, each: int, chance: Random) -> list[Path]:
    """Some files of every kind, relative to the store."""
    found: dict[tuple[str, ...], list[Path]] = {}
    for file in sorted(path for path in store.rglob("*") if path.is_file()):
        place = file.relative_to(store)
        column = place.parts[1] if place.parts[0] == "columns" else ""
        found.setdefault((place.parts[0], column, place.name.split(".", 1)[-1]), []).append(place)
    return [
        place
        for group in found.values()
        for place in chance.sample(group, min(each, len(group)))
    ]  # fmt: skip


def results(engine: Engine) -> list[str]:
    """What a search finds."""
    image = engine.images(2, 1)[0].image_id
    return [hit.image_id for hit in engine.search(image, user="plain", k=8).hits]


def judged(store: Path, place: Path, expected: list[str]) -> tuple[str, str]:
    """What became of a damaged store, in a word, and what is wrong with that."""
    try:
        with Engine(store, warm=False) as engine:
            try:
                results(engine)
            except SaccadeError as error:
                if place.name != CATALOG:
                    return "", f"a search fails: {error}"
            named = engine.library.doctor()
            engine.library.doctor(repair=True)
            left = [finding for finding in engine.library.doctor() if finding.rebuildable]
            if left:
                return "", f"not mended: {left[0].place}: {left[0].problem}"
            if results(engine) != expected:
                return "", "after the repair a search finds something else"
            return ("mended" if named else "harmless"), ""
    except SaccadeError as error:
        told = str(error)
        refused = place.name.startswith(CATALOG) and "\n" not in told
        return ("refused", "") if refused else ("", f"does not open: {told}")
    except Exception as error:
        return "", f"{type(error).__name__}: {error}"


def run(place: Path, each: int, seed: int) -> dict[str, Any]:
    """Damage, look, mend, count."""
    chance = Random(seed)
    worlds.write(place / "pictures", images=12, seed=2, size=(96, 72))
    sound = place / "sound.saccade"
    with Engine(sound, warm=False) as engine:
        engine.add(place / "pictures", recipe=RECIPE)
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=6)
        engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
        expected = results(engine)
    (sound / "index.lock").touch()
    opened = Store(sound)
    backup = back_up(opened, place / "backup.saccade").place
    opened.close()
    wrong, outcomes = [], Counter[str]()
    chosen = kinds(sound, each, chance)
    for number, file in enumerate(chosen, 1):
        for name, damage in DAMAGES.items():
            copy = shutil.copytree(sound, place / "c.saccade")
            if (copy / file).stat().st_size or name in ("missing", "another file", "a folder"):
                damage(copy / file, chance)
                outcome, problem = judged(copy, file, expected)
                outcomes[outcome or "wrong"] += 1
                if problem:
                    wrong.append(f"{file}, {name}: {problem[:200]}")
                if outcome == "refused" and not comes_back(backup, place / "back", expected):
                    wrong.append(f"{file}, {name}: the backup does not bring it back")
            shutil.rmtree(copy)
        print(f"{number} of {len(chosen)} files", file=sys.stderr)
    return {
        "files": len(chosen),
        "damages": len(DAMAGES),
        "trials": outcomes.total(),
        "outcomes": dict(sorted(outcomes.items())),
        "wrong": wrong,
    }


def comes_back(backup: Path, into: Path, expected: list[str]) -> bool:
    """Whether a backup gives the store that was."""
    source = Store(backup, create=False, to_read=True)
    try:
        back_up(source, into)
    finally:
        source.close()
    try:
        with Engine(into, warm=False) as engine:
            return results(engine) == expected
    finally:
        shutil.rmtree(into)


def main() -> None:
    """Damage every kind of file in every way."""
    parser = figures.parser(__doc__)
    parser.add_argument("--each", type=int, default=1, help="files of every kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        result = run(Path(os.path.realpath(scratch)), options.each, options.seed)
    outcomes = ", ".join(f"{number} {name}" for name, number in result["outcomes"].items())
    told = (
        f"**{result['files']} files × {result['damages']} kinds of damage**, "
        f"{result['trials']} trials: {outcomes}; refused means the catalog, in one sentence, and "
        "that a backup brought it back."
    )
    figures.finish(options, "damage", result, told)


if __name__ == "__main__":
    main()
