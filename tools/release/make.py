"""`make release`: build wheel and source archive, try the wheel outside the tree, write its notes.

    python tools/release/make.py [--python PYTHON …] [--date 2026-12-01]

A version is unreleased until a day is given: then the changelog and CITATION.cff are dated first,
and what is built is what is committed and tagged. Without one it is a rehearsal. Nothing is
uploaded. dist/ then holds what would be: the archives, and notes.md, whose words are the
changelog's. Each Python named (this one where none is) gets an environment of its own, made of the
wheel alone, in which the page is opened and a folder is indexed, searched, marked and replayed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
LARGEST = 850
"""MiB of an environment with nothing but Saccade and what it needs."""
TRIED = """
import sys, threading, urllib.request
import saccade
from saccade.service.server import prepare

with saccade.open(sys.argv[1]) as engine:
    page = engine.search(engine.images()[0].image_id, user="ana", k=5)
    assert len(page) == 5, page
    engine.react(page, liked=[page.hits[0]], disliked=[page.hits[4]])
    assert engine.replay() == engine.digest
    assert len(engine.search(text="harbour", k=5)) == 5
    server = prepare(engine, port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with urllib.request.urlopen(server.url, timeout=60) as answer:
            assert b"Saccade" in answer.read()
    finally:
        server.should_exit = True
        thread.join()
print(f"{sys.version.split()[0]}: indexed, searched, marked, replayed, served")
"""


def main() -> None:
    """Build, look at what was built, try it, tell."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--python", action="append", help="try the wheel with this one, too")
    options.add_argument("--date", type=date.fromisoformat, help="the day of the release")
    given = options.parse_args()
    pythons = given.python or [sys.executable]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    if given.date is not None:
        dated(version, given.date)
    notes = written(version)
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", DIST, ROOT)
    archives = sorted(DIST.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *archives)
    (wheel,) = DIST.glob(f"saccade-{version}-*.whl")
    sizes = [f"{one.name}: {one.stat().st_size / 2**20:.1f} MiB" for one in archives]
    sizes += [tried(wheel, python) for python in pythons]
    (DIST / "notes.md").write_text(notes + "\n## Sizes\n\n- " + "\n- ".join(sizes) + "\n")
    print((DIST / "notes.md").read_text())


def dated(version: str, day: date, *, root: Path = ROOT) -> None:
    """Give a version its day, in the changelog and in CITATION.cff; the same day again is fine."""
    log, citation = root / "CHANGELOG.md", root / "CITATION.cff"
    heading = re.compile(rf"^## {re.escape(version)} — .+$", re.MULTILINE)
    text, headings = heading.subn(f"## {version} — {day}", log.read_text(encoding="utf-8"))
    if headings != 1:
        raise SystemExit(f"CHANGELOG.md has {headings} sections '## {version} — …': write one")
    cited = re.sub(r"^date-released: .*\n", "", citation.read_text(encoding="utf-8"), flags=re.M)
    named = f"version: {version}\n"
    if named not in cited:
        raise SystemExit(f"CITATION.cff is of another version than {version}")
    log.write_text(text, encoding="utf-8")
    citation.write_text(cited.replace(named, f"{named}date-released: {day}\n"), encoding="utf-8")


def written(version: str) -> str:
    """What the changelog says of a version; an error where it says nothing."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}\b.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no section '## {version}': write it first")
    return found[0].replace(f"## {version}", f"# Saccade {version}", 1)


def tried(wheel: Path, python: str) -> str:
    """Install the wheel by itself and use it; how large that is."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        run(python, "-m", "venv", place / "v")
        command = place / "v" / "bin"
        run(command / "python", "-m", "pip", "install", "--quiet", wheel)
        size = sum(f.stat().st_size for f in (place / "v").rglob("*") if f.is_file()) >> 20
        if size > LARGEST:
            raise SystemExit(f"installed it takes {size} MiB: at most {LARGEST} are promised")
        told = run(command / "saccade", "--version", place=place)
        if "commit" not in told:
            raise SystemExit(f"the wheel does not know its commit: {told}")
        run(command / "saccade", "demo", "--no-serve", "--count", "18", "--into", "d", place=place)
        run(command / "python", "-c", TRIED, place / "d" / "world.saccade", place=place)
        number = run(command / "python", "--version", place=place).strip()
        return f"{number}: {size} MiB installed, {told.strip()}"


def run(*command: object, place: Path = ROOT) -> str:
    """One command, told before it runs; its output, or an error where it fails."""
    words = [str(word) for word in command]
    shown = [Path(words[0]).name, *(word.split("\n")[0][:60] for word in words[1:6])]
    print("…", " ".join(shown))
    done = subprocess.run(words, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\nfailed: {' '.join(words)}")
    return done.stdout


if __name__ == "__main__":
    main()
