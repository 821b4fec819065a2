"""Objects that behave as people expect of objects."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.errors import UnknownName


def test_a_page_is_a_sequence_of_hits(engine: Engine, first: str) -> None:
    """`len`, iteration, and a line that says what it is."""
    page = engine.search(first, k=7)
    assert len(page) == 7
    assert list(page) == list(page.hits)
    assert len(repr(page)) < 120
    assert "7 of 36" in repr(page)


def test_hits_are_as_good_as_ids(engine: Engine, first: str) -> None:
    """What a person points at on a page is a hit."""
    page = engine.search(first, k=7)
    one = engine.react(page, liked=[page.hits[3]], disliked=[page.hits[0].image_id])
    assert page.hits[3].image_id in one.liked
    assert page.hits[0].image_id in one.disliked
    two = engine.prefer(page, better=page.hits[4], worse=page.hits[1])
    assert two.round == 1


def test_images_iterates_them_all(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order they were indexed, some at a time; slices and single ones too."""
    monkeypatch.setattr("saccade.engine.rooms.listing.A_TIME", 7)
    every = engine.images()
    assert len(every) == len(list(every)) == 36
    assert [image.row for image in every] == list(range(36))
    assert every[-1].row == 35
    assert [image.row for image in every[3:6]] == [3, 4, 5]
    assert [image.row for image in every[::12]] == [0, 12, 24]
    assert engine.images(3, 2) == every[3:5]
    assert engine.images(30, None) == every[30:]
    with pytest.raises(IndexError):
        every[36]


def test_an_engine_knows_its_images(engine: Engine, first: str) -> None:
    """`in` takes an id."""
    assert first in engine
    assert "0" * 32 not in engine
    assert 7 not in engine


def test_search_many_gives_a_page_a_query(engine: Engine) -> None:
    """The same pages as one search after the other."""
    ids = [image.image_id for image in engine.images(0, 3)]
    pages = list(engine.search_many(ids, k=5, user="ana"))
    for image_id, page in zip(ids, pages, strict=True):
        assert page.user == "ana"
        assert [h.image_id for h in page] == [h.image_id for h in engine.search(image_id, k=5)]


def test_an_unknown_ranker_is_an_error(engine: Engine, first: str) -> None:
    """And not the uniform one."""
    with pytest.raises(UnknownName, match="did you mean 'uniform'"):
        engine.search(first, expert="uniforms")


def test_phi_is_public(engine: Engine, first: str) -> None:
    """Of every row or of some, of every scheme or of some, measured against anchors or raw."""
    whole = engine.library.phi(first)
    names = [info.scheme for info in engine.library.schemes()]
    assert whole.shape == (36, len(names))
    rows = np.array([5, 2])
    assert np.allclose(engine.library.phi(first, rows), whole[rows], atol=1e-6)
    one = engine.library.phi(first, schemes=["lbp:chi2"])
    assert np.allclose(one[:, 0], whole[:, names.index("lbp:chi2")], atol=1e-6)
    raw = engine.library.phi(first, rows=np.array([0]), raw=True)
    similar = [not name.endswith(":spread") for name in names]
    assert np.allclose(raw[0, similar], 1.0, atol=1e-4)  # an image is like itself
    # φ grows with the raw similarity, scheme by scheme.
    everything = engine.library.phi(first, raw=True)
    for column in range(len(names)):
        order = np.argsort(everything[1:, column])
        assert (np.diff(whole[1:, column][order]) >= -1e-6).all()
