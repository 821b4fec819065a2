"""The study of feedback: its peers learn, and its parts ask what they say."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.studies import load
from saccade.studies.feedback.systems import PEER_SCORES, Peer


def clouds(seed: int = 0) -> tuple[list[str], np.ndarray]:
    """Two clouds of twenty on a circle, the query in the first."""
    rng = np.random.default_rng(seed)
    angles = np.concatenate([rng.normal(0.0, 0.5, 20), rng.normal(1.6, 0.5, 20)])
    units = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    return [f"{i}" for i in range(40)], units


@pytest.mark.parametrize("name", PEER_SCORES)
def test_every_peer_learns_from_marks(name: str) -> None:
    """After five likes and five dislikes the unjudged of the first cloud rank above the others."""
    ids, units = clouds()
    peer = Peer(name, ids, units, query=0)
    start = list(peer.begin())
    assert len(start) == 39
    assert "0" not in start
    order = list(peer.judge(ids[1:6], ids[20:25]))
    assert set(order[:5]) == set(ids[1:6])
    assert set(order[-5:]) == set(ids[20:25])
    rest = [i for i in order if i not in (*ids[1:6], *ids[20:25])]
    assert np.mean([int(i) < 20 for i in rest[:10]]) >= 0.8


@pytest.mark.parametrize("name", PEER_SCORES)
def test_every_peer_takes_likes_alone(name: str) -> None:
    """Nothing called wrong is no error."""
    ids, units = clouds()
    peer = Peer(name, ids, units, query=0)
    peer.begin()
    assert len(peer.judge(ids[1:3], [])) == 39


def test_the_study_promises_what_it_measures() -> None:
    """Every claim rests on an experiment of the study, and quick parts are parts."""
    study = load("feedback")
    names = {experiment.name for experiment in study.experiments}
    assert {claim.source for claim in study.claims} <= names
    (sessions,) = [e for e in study.experiments if e.name == "sessions"]
    assert set(sessions.quick["parts"]) <= set(sessions.parts)
    assert {"no learning", "saccade", "linear svm", "label spreading"} <= set(sessions.systems)
