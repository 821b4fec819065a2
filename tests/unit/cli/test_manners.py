"""What the command line does when nobody, or another program, is at the other end."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.cli import common
from saccade.engine import Engine, Progress

SACCADE = [sys.executable, "-c", "from saccade.cli import main; main()"]


def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SACCADE, *map(str, arguments)], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture
def folder(world: Path) -> Path:
    return next(child for child in sorted(world.iterdir()) if child.is_dir())


def test_progress_is_plain_lines_where_there_is_no_terminal(folder: Path, tmp_path: Path) -> None:
    """Numbers a log can keep: no bars, no colours, nothing overwritten."""
    done = run("index", folder, "--into", tmp_path / "s", "--recipe", "lbp")
    assert done.returncode == 0
    assert "describing pictures: 0 of 2\n" in done.stderr
    assert "describing pictures: 2 of 2\n" in done.stderr
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr


def test_lines_come_at_the_start_the_end_and_now_and_then(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A long run is a few lines, not thousands."""
    now = 0.0
    with common.progress(clock=lambda: now) as watch:
        for done in range(1001):
            now = done * 0.02
            watch(Progress("describe", done, 1000))
            watch(Progress("describe", done, 1000))
        watch(Progress("saliency", 3, 0))
    assert capsys.readouterr().err.splitlines() == [
        "describing pictures: 0 of 1000",
        "describing pictures: 250 of 1000",
        "describing pictures: 500 of 1000",
        "describing pictures: 750 of 1000",
        "describing pictures: 1000 of 1000",
        "finding what stands out: 3",
    ]


def test_bars_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal the lines make way for bars."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with common.progress() as watch:
        watch(Progress("describe", 2, 4))
    assert "2/4" in screen.getvalue()


@pytest.mark.parametrize("arguments", [("schemes", "--json"), ("--help",)])
def test_a_reader_that_leaves_is_no_failure(arguments: tuple[str, ...]) -> None:
    """`saccade … | head -1` ends well and says nothing."""
    process = subprocess.Popen(
        [*SACCADE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 0


def test_a_reader_that_leaves_does_not_change_the_answer(open_copy: object, tmp_path: Path) -> None:
    """A finding is a finding, whoever reads it."""
    engine = open_copy()  # type: ignore[operator]
    lost = next((engine.path / "columns" / "lbp").glob("*.vectors.npy"))
    lost.unlink()
    engine.close()
    process = subprocess.Popen(
        [*SACCADE, "doctor", "--store", str(tmp_path / "copy.saccade")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait() == 1


def test_a_failed_index_leaves_no_new_store(folder: Path, tmp_path: Path) -> None:
    """Nor the folders that were made for it; what was there before stays."""
    empty = tmp_path / "empty"
    empty.mkdir()
    for arguments in ((folder, "--recipe", "no-such"), (empty,), (tmp_path / "nowhere",)):
        done = run("index", *arguments, "--into", tmp_path / "a" / "b" / "s.saccade")
        assert done.returncode == 2, done.stderr
        assert sorted(child.name for child in tmp_path.iterdir()) == ["empty"]
    kept = tmp_path / "kept.saccade"
    Engine(kept, warm=False).close()
    assert run("index", folder, "--recipe", "no-such", "--into", kept).returncode == 2
    assert (kept / "catalog.sqlite").exists()


def test_an_index_that_fails_halfway_keeps_what_it_has(folder: Path, tmp_path: Path) -> None:
    """The next run goes on from there."""

    def interrupted(place: Path, pictures: Path | None) -> None:
        with common.filling(place) as engine:
            if pictures is not None:
                engine.add(pictures, recipe="lbp")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "s.saccade", folder)
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        assert len(engine) == 2
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "t.saccade", None)
    assert not (tmp_path / "t.saccade").exists()


def test_a_user_nobody_heard_of_is_not_found(engine: Engine) -> None:
    """Exit code 3, with the nearest name."""
    page = engine.search(engine.images(0, 1)[0].image_id, user="anastasia")
    engine.react(page, liked=[page.hits[0].image_id])
    done = run("profile", "show", "nobody", "--store", engine.path)
    assert done.returncode == 3
    assert done.stderr.startswith("saccade: no user 'nobody' in this store")
    done = run("profile", "show", "anastsia", "--store", engine.path)
    assert "did you mean 'anastasia'?" in done.stderr
    assert run("profile", "show", "anastasia", "--store", engine.path).returncode == 0


def test_names_cannot_write_on_the_terminal(tmp_path: Path) -> None:
    """A file's name is shown, not obeyed; one that is no text is shown too."""
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "a\x1b[2J\n.png").write_bytes(b"no picture")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.png")).write_bytes(b"x")
    (folder / "b.ppm").write_bytes(b"x")
    store = os.fsdecode(os.fsencode(tmp_path) + b"/st\xf6re")
    done = run("index", folder, "--into", store, "--recipe", "lbp", errors="surrogateescape")
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
