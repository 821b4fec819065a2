"""`saccade events import`: a history, taken once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import saccade
from saccade.cli import events
from saccade.cli.app import build
from saccade.errors import InvalidInput, NotFound


def run(*arguments: object) -> str:
    """What a command prints; an error it means is raised."""
    done = CliRunner().invoke(build(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def history(pages: int) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    for number in range(pages):
        page, found = f"p-{number}", [{"id": f"s-{i}", "features": {"x": i}} for i in range(5)]
        lines += [
            {"event": "shown", "page": page, "candidates": found, "at": number},
            {"event": "clicked", "page": page, "id": "s-3", "at": number},
            {"event": "clicked", "page": page, "id": "s-3", "at": number},
        ]
    return lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text("\n".join(map(json.dumps, history(6))) + "\n")
    return path


def test_a_history_is_taken_once_and_goes_on_where_it_was(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted between two batches, the same command takes the rest; again, it takes nothing."""
    monkeypatch.setattr(events, "BATCH", 4)
    store, take, calls = tmp_path / "shop.saccade", saccade.engine.Engine, []
    candidates = saccade.engine.candidates.surface.Candidates
    whole = candidates.take

    def dies(self, lines, *, user):
        calls.append(len(lines))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return whole(self, lines, user=user)

    with monkeypatch.context() as broken:
        broken.setattr(candidates, "take", dies)
        done = CliRunner().invoke(build(), ["events", "import", str(file), "--store", str(store)])
        assert done.exit_code != 0
    told = json.loads(run("events", "import", file, "--store", store, "--json"))
    assert told == {"taken": 10, "repeated": 8, "waiting": 0, "outdated": 0}
    assert "0 events taken, 18 known before" in run("events", "import", file, "--store", store)
    with take(store, warm=False) as engine:
        assert engine.library.report().events["candidates-clicked"] == 12


def test_a_file_that_is_none_is_refused_with_its_line(file: Path, tmp_path: Path) -> None:
    """What stands before the batch at fault is kept."""
    store = tmp_path / "shop.saccade"
    with pytest.raises(NotFound, match="no file"):
        run("events", "import", tmp_path / "nothing", "--store", store)
    file.write_text(file.read_text() + "{\n")
    with pytest.raises(InvalidInput, match="line 19 is not JSON"):
        run("events", "import", file, "--store", store)
    file.write_text('{"event": "clicked", "page": "p", "id": ""}')
    with pytest.raises(InvalidInput, match=r"from line 1 on: event 1: id ''"):
        run("events", "import", file, "--store", store)
