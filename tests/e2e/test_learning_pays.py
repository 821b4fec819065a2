"""From a folder of pictures to a ranking that got better: the promise of the whole, kept.

A world is drawn and indexed. For every class, on a fresh copy of the store, a simulated person
searches with one picture and judges three pages; then pictures of all other classes are searched.
One such session says little: it matters which class is judged, and now and then one does harm. So
the claims are about all of them together.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.engine import Engine
from saccade.testbed.datasets import Dataset, load
from saccade.testbed.measures import of_ranking
from saccade.testbed.people import SimulatedPerson
from saccade.testbed.worlds import CLASSES, write

RECIPE = "color-histogram,color-moments,edge-directions,lbp,embedding"
IMAGES = 7 * len(CLASSES)
SEED = 4


@dataclass(frozen=True)
class Session:
    """Mean NDCG@20 on the other classes' queries, around three rounds on one query."""

    before: float
    after: float
    for_another: float  # for a user who judged nothing


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A drawn world with its truth; row r shows class r modulo the number of classes."""
    folder = tmp_path_factory.mktemp("learning") / "pictures"
    write(folder, images=IMAGES, seed=SEED, size=(256, 192))
    return load(folder)


@pytest.fixture(scope="module")
def store(pictures: Dataset) -> Path:
    """A store of that world, untaught; read only."""
    path = pictures.folder.parent / "world.saccade"
    with saccade.open(path) as engine:
        report = engine.add(pictures.folder, recipe=RECIPE)
    assert (report.added, report.skipped, report.problems) == (IMAGES, (), ())
    return path


@pytest.fixture(scope="module")
def sessions(store: Path, pictures: Dataset) -> list[Session]:
    """One session a class, each on an untaught copy of the store."""
    held = []
    for taught in range(len(CLASSES)):
        with copied(store, store.parent / f"taught-{taught}.saccade") as engine:
            before = quality(engine, pictures, taught)
            teach(engine, pictures, taught)
            after = quality(engine, pictures, taught)
            held.append(Session(before, after, quality(engine, pictures, taught, user="ben")))
    return held


def copied(store: Path, path: Path) -> Engine:
    """An engine on a copy of the store."""
    return saccade.open(shutil.copytree(store, path))


def other_queries(pictures: Dataset, taught: int) -> Iterator[int]:
    """Two pictures of every class but the one that is taught."""
    for row in range(IMAGES - 2 * len(CLASSES), IMAGES):
        if pictures.labels[row] != pictures.labels[taught]:
            yield row


def quality(engine: Engine, pictures: Dataset, taught: int, *, user: str = "ana") -> float:
    """Mean NDCG@20 over the other queries; every picture of the query's class is relevant."""
    truth, values = pictures.truth(), []
    for row in other_queries(pictures, taught):
        page = engine.search(pictures.files[row], user=user, k=IMAGES)
        assert len(page.hits) == IMAGES - 1
        grades = [int(truth[hit.path] == pictures.labels[row]) for hit in page.hits]
        values.append(of_ranking("ndcg@20", grades))
    return float(np.mean(values))


def teach(engine: Engine, pictures: Dataset, taught: int) -> None:
    """Three rounds of judgements on one query, as the user ana."""
    query, target = pictures.files[taught], pictures.labels[taught]
    person = SimulatedPerson(pictures.truth())
    assert len(person.teach(engine, query, target, rounds=3, user="ana", k=50)) > 1


def test_three_rounds_on_one_query_do_not_cost_the_others(sessions: list[Session]) -> None:
    """What lasts of one class's judgements helps the other classes on average, if by little."""
    gains = np.array([session.after - session.before for session in sessions])
    assert gains.mean() > 0
    assert gains.min() > -0.04


def test_what_one_person_taught_hardly_moves_another(sessions: list[Session]) -> None:
    """A stranger is served what several people agree on; one person's word moves little."""
    gains = np.array([session.for_another - session.before for session in sessions])
    assert gains.mean() > -0.001
    assert np.abs(gains).max() < 0.02


def test_what_was_learned_lasts_until_it_is_forgotten(
    store: Path, pictures: Dataset, tmp_path: Path
) -> None:
    """Opened again, the engine ranks as it had learned to; forgetting brings back the start."""
    path = tmp_path / "copy.saccade"
    with copied(store, path) as engine:
        untaught = quality(engine, pictures, 0)
        teach(engine, pictures, 0)
        live = quality(engine, pictures, 0)
    assert live != untaught
    with saccade.open(path) as engine:
        assert quality(engine, pictures, 0) == live
        engine.forget("ana")
        assert quality(engine, pictures, 0) == untaught
