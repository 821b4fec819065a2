"""Jobs: asked for now, done behind, one at a time, through whatever ends a process."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

import study_stand_in
from saccade.engine import Engine, operations
from saccade.engine.rooms import work
from saccade.errors import InvalidInput, NotFound, Stopping, UnknownName

RECIPE = "color-histogram,edge-directions,lbp"


@pytest.fixture
def empty(tmp_path: Path) -> Engine:
    """A store with nothing in it."""
    with Engine(tmp_path / "new.saccade", warm=False) as engine:
        yield engine


def test_a_folder_is_indexed_by_a_job(empty: Engine, pictures: Path) -> None:
    """It waits until somebody works, says what came of it, and how far it was."""
    asked = empty.jobs.post("index", folder=str(pictures), recipe=RECIPE)
    assert (asked.state, asked.began, len(empty)) == ("waiting", None, 0)
    assert empty.jobs.waiting()
    (done,) = empty.jobs.run()
    assert (done.job_id, done.state, done.result["added"]) == (asked.job_id, "done", 36)
    assert done.total > 0
    assert len(empty) == 36
    assert not empty.jobs.waiting()


def test_what_waits_is_not_asked_for_twice(empty: Engine, pictures: Path) -> None:
    """The same words are the same job, until it has ended."""
    first = empty.jobs.post("index", folder=str(pictures), recipe=RECIPE)
    assert empty.jobs.post("index", folder=str(pictures), recipe=RECIPE) == first
    empty.jobs.run()
    assert empty.jobs.post("index", folder=str(pictures), recipe=RECIPE).job_id != first.job_id


def test_jobs_are_done_in_the_order_they_were_asked_for(engine: Engine, tmp_path: Path) -> None:
    """The newest is listed first; one that fails says why and keeps none from being done."""
    place = tmp_path / "copy"
    backup = engine.jobs.post("backup", place=str(place))
    place.mkdir()
    again = engine.jobs.post("reindex")
    assert [job.job_id for job in engine.jobs.list()] == [again.job_id, backup.job_id]
    failed, done = engine.jobs.run()
    assert (failed.kind, failed.state) == ("backup", "failed")
    assert "exists already" in failed.message
    assert (done.kind, done.state) == ("reindex", "done")


def test_a_job_that_waits_is_cancelled_at_once(engine: Engine) -> None:
    """And is not done."""
    job = engine.jobs.cancel(engine.jobs.post("reindex").job_id)
    assert (job.state, job.cancelled) == ("cancelled", True)
    assert engine.jobs.run() == ()
    assert engine.jobs.cancel(job.job_id) == job


def test_a_job_under_way_is_cancelled_at_its_next_step(empty: Engine, pictures: Path) -> None:
    """What it has made by then is kept."""
    job = empty.jobs.post("index", folder=str(pictures), recipe=RECIPE)
    (ended,) = empty.jobs.run(lambda step: empty.jobs.cancel(job.job_id))
    assert ended.state == "cancelled"
    (again,) = [empty.jobs.post("index", folder=str(pictures))]
    assert [one.state for one in empty.jobs.run()] == ["done"]
    assert again.job_id != job.job_id
    assert len(empty) == 36


def test_a_job_whose_process_ended_goes_on(open_copy, pictures: Path) -> None:
    """In the next one, and says how often; three times at most."""
    engine = open_copy()
    job = engine.jobs.post("index", folder=str(pictures))
    for times in range(4):
        with pytest.raises(Stopping):
            engine.jobs.run(lambda step, one=engine: operations(one).interrupt())
        assert (engine.jobs.show(job.job_id).state, engine.jobs.show(job.job_id).resumed) == (
            "running",
            times,
        )
        engine.close()
        engine = open_copy()
        assert engine.jobs.waiting()
    assert engine.jobs.run() == ()
    ended = engine.jobs.show(job.job_id)
    assert (ended.state, ended.message) == (
        "interrupted",
        "its process ended 4 times before it was done",
    )


def test_one_process_works_at_a_time(open_copy) -> None:
    """Another one finds nothing to do meanwhile."""
    engine, other = open_copy(), open_copy()
    engine.jobs.post("reindex")
    seen = []

    def look(step: object) -> None:
        seen.append((other.jobs.waiting(), other.jobs.run()))

    engine.jobs.run(look)
    assert set(seen) == {(False, ())}


def test_a_job_is_followed_until_it_ends(engine: Engine) -> None:
    """Every change of it once."""
    job = engine.jobs.post("reindex")
    states = []
    for one in engine.jobs.follow(job.job_id, pause=0.0):
        states.append(one.state)
        engine.jobs.run()
    assert states == ["waiting", "done"]


def test_folders_are_remembered_brought_up_to_date_and_removed(
    empty: Engine, pictures: Path, tmp_path: Path
) -> None:
    """One within another is that one; removed, its pictures leave and come back as they were."""
    first, second, *_ = sorted(one for one in pictures.iterdir() if one.is_dir())
    empty.add(first, recipe="color-histogram")
    empty.add(second)
    assert empty.library.folders() == (str(first), str(second))
    before = len(empty)
    shutil.copy(next(second.glob("*.jpg")), first / "copy.jpg")
    assert {report.duplicates for report in empty.library.refresh().values()} == {0, 1}
    empty.jobs.post("remove", folder=str(second))
    (done,) = empty.jobs.run()
    assert len(empty) == before - done.result["left"] < before
    assert empty.library.folders() == (str(first),)
    empty.add(pictures)
    assert empty.library.folders() == (str(pictures),)
    with pytest.raises(UnknownName, match="no folder of this collection"):
        empty.library.remove(tmp_path / "nowhere")


def test_another_recipe_is_computed_by_a_job(empty: Engine, pictures: Path) -> None:
    """Without a folder: from the pictures where they are."""
    empty.add(pictures, recipe="color-histogram")
    empty.jobs.post("recipe", recipe="+lbp")
    (done,) = empty.jobs.run()
    assert done.result == {"descriptors": ["color-histogram", "lbp"]}
    assert empty.library.report().incomplete == ()


@pytest.mark.parametrize(
    ("kind", "words", "error", "said"),
    [
        ("dance", {}, UnknownName, "kind of job"),
        ("index", {}, InvalidInput, "folder is missing"),
        ("index", {"folder": 3}, InvalidInput, "no text"),
        ("index", {"folder": "/"}, InvalidInput, "the whole disk"),
        ("index", {"folder": "/nowhere"}, InvalidInput, "no folder '/nowhere'"),
        ("index", {"folder": "/", "colour": "red"}, UnknownName, "colour"),
        ("reindex", {"prune": 1}, InvalidInput, "no true or false"),
        ("recipe", {"recipe": "+telepathy"}, InvalidInput, "telepathy"),
        ("backup", {"place": "/"}, InvalidInput, "exists already"),
    ],
)
def test_what_cannot_be_done_is_refused_before_it_is_taken(
    engine: Engine, kind: str, words: dict[str, object], error: type[Exception], said: str
) -> None:
    """By a sentence; nothing waits."""
    with pytest.raises(error, match=said):
        engine.jobs.post(kind, **words)
    assert engine.jobs.list() == ()


def test_an_unknown_job_is_not_found(engine: Engine) -> None:
    """To look at it, or to cancel it."""
    for call in (engine.jobs.show, engine.jobs.cancel):
        with pytest.raises(NotFound, match="no job 'x'"):
            call("x")


def test_a_copy_has_none_of_the_jobs(engine: Engine, tmp_path: Path) -> None:
    """They were the other store's, the copying itself among them."""
    engine.jobs.post("backup", place=str(tmp_path / "kept.saccade"))
    (done,) = engine.jobs.run()
    assert done.state == "done"
    with Engine(done.result["place"], warm=False) as copy:
        assert copy.jobs.list() == ()


def test_a_store_from_before_gets_the_table(open_copy) -> None:
    """And lost nothing."""
    engine = open_copy()
    engine.close()
    with sqlite3.connect(engine.path / "catalog.sqlite") as raw:
        raw.execute("DROP TABLE jobs")
    again = open_copy()
    assert again.library.doctor() == ()
    assert again.jobs.list() == ()


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process in the place of the one that performs studies."""
    monkeypatch.setattr(work, "STUDY_PROCESS", study_stand_in.__name__)
    monkeypatch.setenv("PYTHONPATH", str(Path(study_stand_in.__file__).parent))


@pytest.mark.usefixtures("stand_in")
def test_a_study_is_a_job(empty: Engine, tmp_path: Path) -> None:
    """A process that knows studies performs it; how far it is, and what it wrote, come back."""
    steps: list[tuple[int, int]] = []
    asked = empty.jobs.post("study", study="toy", place=str(tmp_path / "out"), quick=True)
    (done,) = empty.jobs.run(lambda step: steps.append((step.done, step.total)))
    assert (done.job_id, done.state) == (asked.job_id, "done")
    assert done.result == {"written": {"toy": [str(tmp_path / "out")]}}
    assert (1, 2) in steps


@pytest.mark.usefixtures("stand_in")
def test_a_study_that_is_cancelled_ends_its_process(empty: Engine, tmp_path: Path) -> None:
    """At any point; what was asked for again goes on from what it kept."""
    job = empty.jobs.post("study", study="endless", place=str(tmp_path / "out"))
    (ended,) = empty.jobs.run(lambda step: step.done and empty.jobs.cancel(job.job_id))
    assert ended.state == "cancelled"
    pid = int((tmp_path / "out").read_text())
    assert not Path(f"/proc/{pid}").exists()


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", ["unknown", "dies"])
def test_a_study_that_cannot_be_performed_says_why(
    empty: Engine, tmp_path: Path, name: str
) -> None:
    """By its own words, or that its process is gone."""
    empty.jobs.post("study", study=name, place=str(tmp_path / "out"))
    (failed,) = empty.jobs.run()
    assert failed.state == "failed"
    assert {"unknown": "no study", "dies": "ended by itself"}[name] in failed.message


@pytest.mark.parametrize(
    "words",
    [{"data": ["corel"]}, {"data": ["corel=/no/such/folder"]}, {"data": [3]}, {"data": "a=b"}],
)
def test_a_study_of_nothing_is_refused_at_once(
    empty: Engine, tmp_path: Path, words: dict[str, object]
) -> None:
    """A set is a name and a folder that is there."""
    with pytest.raises(InvalidInput):
        empty.jobs.post("study", study="wan2015", place=str(tmp_path), **words)
    assert empty.jobs.list() == ()


def test_the_real_process_of_studies_refuses_what_is_none(empty: Engine, tmp_path: Path) -> None:
    """The whole way: another process, which knows the names."""
    empty.jobs.post("study", study="nosuch", place=str(tmp_path / "out"))
    (failed,) = empty.jobs.run()
    assert failed.state == "failed"
    assert "no study 'nosuch'; there are: aly2011" in failed.message
