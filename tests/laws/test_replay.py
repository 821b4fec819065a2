"""The log is the truth: whatever happened, folding it again gives the models that are live."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inside import kill, models_of
from saccade.engine import Engine
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.learning import log
from saccade.engine.learning.fold import Models
from saccade.engine.loop.capability import tables
from saccade.errors import NotFound, NothingToUndo
from saccade.types import Page

USERS = ("ana", "bob", "eva")
SCHEMES = ("lbp:l1", "color-histogram:chi2", "edge-directions:cosine", "lbp:cosine")

users = st.sampled_from(USERS)
places = st.lists(st.integers(0, 7), min_size=0, max_size=3)
step = st.one_of(
    st.tuples(
        st.just("search"),
        users,
        st.integers(0, 35),
        st.one_of(st.none(), st.lists(st.sampled_from(SCHEMES), min_size=1, unique=True)),
    ),
    st.tuples(st.just("react"), st.integers(0, 3), places, places),
    st.tuples(st.just("react"), st.integers(0, 3), places, places),
    st.tuples(st.just("prefer"), st.integers(0, 3), st.integers(0, 7), st.integers(0, 7)),
    st.tuples(st.just("undo"), users),
    st.tuples(st.just("undo"), users),
    st.tuples(st.just("forget"), users),
    st.tuples(st.just("import"), users, users),
    st.tuples(st.just("restart")),
    st.tuples(st.just("kill")),
    st.tuples(st.just("rival"), users, st.integers(0, 35)),
)


class Life:
    """An engine, a rival on the same store, and the pages that were shown."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self.engine = Engine(store, warm=False)
        self.rival = Engine(store, warm=False)
        self.ids = [image.image_id for image in self.engine.images(0, 99)]
        self.pages: list[Page] = []

    def do(self, action: tuple[Any, ...]) -> None:
        getattr(self, action[0])(*action[1:])

    def search(self, user: str, number: int, schemes: list[str] | None) -> None:
        self.pages.append(self.engine.search(self.ids[number], user=user, k=8, schemes=schemes))

    def rival_(self, user: str, number: int) -> None:
        page = self.rival.search(self.ids[number], user=user, k=6)
        self.rival.react(page, liked=[page.hits[-1].image_id])

    def react(self, which: int, liked: list[int], disliked: list[int]) -> None:
        if not self.pages:
            return
        page = self.pages[-1 - which % len(self.pages)]
        shown = [hit.image_id for hit in page.hits]
        good = [shown[i % len(shown)] for i in liked]
        bad = [image for image in (shown[i % len(shown)] for i in disliked) if image not in good]
        if good or bad:
            try:
                self.pages.append(self.engine.react(page, liked=good, disliked=bad))
            except NotFound:  # its user was forgotten, and the page with them
                self.pages.remove(page)

    def prefer(self, which: int, better: int, worse: int) -> None:
        if not self.pages or better == worse:
            return
        page = self.pages[-1 - which % len(self.pages)]
        if max(better, worse) < len(page.hits):
            try:
                self.pages.append(
                    self.engine.prefer(
                        page,
                        better=page.hits[better].image_id,
                        worse=page.hits[worse].image_id,
                    )
                )
            except NotFound:
                self.pages.remove(page)

    def undo(self, user: str) -> None:
        try:
            self.engine.undo(user)
        except NothingToUndo:
            history = self.engine.people.show(user).history
            assert all(event.undone for event in history)

    def forget(self, user: str) -> None:
        try:
            self.engine.forget(user)
        except NotFound:
            assert user not in self.engine.people.list()
        assert self.engine.people.show(user).history == ()

    def import_(self, source: str, target: str) -> None:
        data = self.engine.people.export(source)
        assert self.engine.people.import_(target, data) == len(data["events"])

    def restart(self) -> None:
        self.engine.close()
        self.engine = Engine(self.store, warm=False)

    def kill(self) -> None:
        """Without a last snapshot."""
        kill(self.engine)
        self.engine = Engine(self.store, warm=False)

    def close(self) -> None:
        self.engine.close()
        self.rival.close()


NAMES = {"import": "import_", "rival": "rival_"}


@given(st.lists(step, min_size=3, max_size=22), st.sampled_from([(1, 1), (2, 3), (64, 256)]))
@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_replay_gives_the_live_models_bit_for_bit(
    indexed: Path,
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[Any, ...]],
    often: tuple[int, int],
) -> None:
    """After any sequence by several users and two engines, however often states are kept."""
    store = tmp_path_factory.mktemp("replay") / "copy.saccade"
    shutil.copytree(indexed, store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "EVENTS_A_CHECKPOINT", often[0])
        patch.setattr(log, "CHECKPOINTS", 2)
        patch.setattr(log, "EVENTS_A_SNAPSHOT", often[1])
        life = Life(store)
        try:
            for action in steps:
                life.do((NAMES.get(action[0], action[0]), *action[1:]))
            live = life.engine.digest
            assert live == life.rival.digest
            assert live == life.engine.replay()
            assert live == life.engine.digest
            with Engine(store, warm=False) as fresh:
                assert live == fresh.digest == fresh.replay()
            _check_round_trip(life.engine)
            assert life.engine.library.doctor() == ()
        finally:
            life.close()
    shutil.rmtree(store)


def _check_round_trip(engine: Engine) -> None:
    """Models at rest are the models."""
    models = models_of(engine)
    again = Models.load(engine.recipe, *models.dump(), tables(CAPABILITIES).folds)
    assert again.digest() == models.digest()
    assert again.event_id == models.event_id
    assert again.copy().digest() == models.digest()
    assert np.array_equal(again.weights.shared, models.weights.shared)
    for user in (*models.weights.own, "stranger"):
        assert np.array_equal(again.weights.served(user), models.weights.served(user))
