"""Several processes begin at once, into a place where nothing is yet: nobody takes from another."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from inside import store_of
from saccade.cli import common
from saccade.engine import Engine
from saccade.errors import StoreBusy, StoreError
from saccade.store.store import Store
from saccade.testbed import worlds
from servers import PATIENCE

SACCADE = (sys.executable, "-c", "from saccade.cli import main; main()")


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    worlds.write(folder, images=10, seed=3, size=(64, 48))
    return folder


def test_two_who_index_at_once_leave_one_whole_store(pictures: Path, tmp_path: Path) -> None:
    """Whoever comes second is refused or finds everything done; the store is there and healthy."""
    place = tmp_path / "deep" / "new.saccade"
    command = [*SACCADE, "index", str(pictures), "--into", str(place), "--recipe", "lbp"]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    told = [(one.communicate(timeout=2 * PATIENCE)[1], one.returncode) for one in both]
    codes = sorted(code for _, code in told)
    assert codes[0] == 0, told
    assert set(codes) <= {0, 4}, told
    assert not any("Traceback" in err for err, _ in told), told
    with Engine(place, create=False, warm=False) as engine:
        assert len(engine) == 10
        assert engine.library.doctor() == ()


def refused(place: Path, pictures: Path) -> None:
    """Make a store, and find that another fills it already."""
    with (
        common.filling(place) as engine,
        Engine(place, warm=False) as winner,
        store_of(winner).indexing(),
    ):
        engine.add(pictures)


def interrupted(place: Path, meanwhile: Callable[[], object]) -> None:
    """Make a store and fail before anything is in it; something happens meanwhile."""
    with common.filling(place):
        meanwhile()
        raise KeyboardInterrupt


def test_who_is_refused_takes_nothing_away(pictures: Path, tmp_path: Path) -> None:
    """The store was made by the one who is refused, and another fills it: it stays."""
    with pytest.raises(StoreBusy):
        refused(tmp_path / "new.saccade", pictures)
    assert (tmp_path / "new.saccade" / "catalog.sqlite").exists()


def test_who_fails_beside_a_filled_store_takes_nothing_away(pictures: Path, tmp_path: Path) -> None:
    """Pictures that another put there since are no reason to delete them."""
    place = tmp_path / "new.saccade"

    def fill() -> None:
        with Engine(place, warm=False) as other:
            other.add(pictures, recipe="lbp")

    with pytest.raises(KeyboardInterrupt):
        interrupted(place, fill)
    with Engine(place, create=False, warm=False) as engine:
        assert len(engine) == 10


def test_what_was_learned_is_not_taken_away(tmp_path: Path) -> None:
    """A store without a picture may know what people taught: that counts too."""
    place = tmp_path / "new.saccade"

    def teach() -> None:
        with Engine(place, warm=False) as other, store_of(other).log.appending() as log:
            log.append("saved", at=1.0, user="ana", body={"name": "mine"}, arrays={})

    with pytest.raises(KeyboardInterrupt):
        interrupted(place, teach)
    with Engine(place, create=False, warm=False) as engine:
        assert engine.library.report().events == {"saved": 1}


def test_other_files_and_folders_stay(tmp_path: Path) -> None:
    """A folder that was there is not deleted, nor what somebody put beside the new store."""
    (tmp_path / "mine").mkdir()
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "mine", lambda: None)
    assert list((tmp_path / "mine").iterdir()) == []
    letter = tmp_path / "new" / "s.saccade" / "letter.txt"
    with pytest.raises(KeyboardInterrupt):
        interrupted(letter.parent, lambda: letter.write_text("dear"))
    left = [path.name for path in (tmp_path / "new").rglob("*")]
    assert sorted(left) == ["letter.txt", "s.saccade"]


def test_a_store_that_was_taken_away_is_not_filled(tmp_path: Path) -> None:
    """Who had it open is told so, and not that its pictures were kept."""
    late, maker = Store(tmp_path / "s.saccade"), Store(tmp_path / "s.saccade")
    assert maker.take_away()
    with pytest.raises(StoreError, match="was taken away"), late.indexing():
        pass
    with pytest.raises(StoreError, match="or was taken away"):
        late.catalog.total()
    assert sorted(path.name for path in (tmp_path / "s.saccade").iterdir()) == []
    late.close()
