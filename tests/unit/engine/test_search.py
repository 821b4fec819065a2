from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.errors import InvalidInput, NotAnImage, NotFound, UnknownName


def test_a_page_is_ranked_and_leaves_the_query_out(engine: Engine, first: str) -> None:
    """Scores fall from the first hit on, and a query never finds itself."""
    page = engine.search(first, k=20)
    scores = [hit.score for hit in page.hits]
    assert len(page.hits) == 20
    assert scores == sorted(scores, reverse=True)
    assert first not in {hit.image_id for hit in page.hits}


def test_shares_add_up_to_the_score(engine: Engine, first: str) -> None:
    """`why` explains the whole score, scheme by scheme."""
    for hit in engine.search(first, k=5).hits:
        named = {info.scheme for info in engine.library.schemes() if info.weight}
        assert set(hit.why) <= named
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-12)


def test_path_bytes_and_id_are_the_same_query(engine: Engine, first: str) -> None:
    """A picture of the collection is recognised however it is given."""
    path = engine.image(first).paths[0]
    by_id = engine.search(first, k=8)
    for query in (path, Path(path), Path(path).read_bytes()):
        page = engine.search(query, k=8)
        assert page.hits == by_id.hits
        assert page.like == (first,)


def test_an_array_from_outside_finds_the_picture_it_came_from(engine: Engine, first: str) -> None:
    """Pixels alone are enough to search with."""
    from saccade.images.decode import decode

    pixels = decode(engine.library.original(first)).picture.rgb
    assert engine.search(np.array(pixels), k=3).hits[0].image_id == first


def test_a_grey_array_is_a_picture(engine: Engine) -> None:
    """Two dimensions mean grey."""
    assert engine.search(np.full((40, 60), 90, np.uint8), k=3).hits


def test_examples_with_signs_join_in_one_query(engine: Engine) -> None:
    """A disliked example pushes its own kind down."""
    images = engine.images(0, 3)
    like, unlike = images[0].image_id, images[1].image_id
    plain = engine.search(like=[like], k=30)
    signed = engine.search(like=[like], unlike=[unlike], k=30)
    assert signed.unlike == (unlike,)
    assert unlike not in {hit.image_id for hit in signed.hits}
    assert [h.image_id for h in plain.hits] != [h.image_id for h in signed.hits]


def test_schemes_and_ranker_override_what_was_learned(engine: Engine, first: str) -> None:
    """One scheme alone ranks by that scheme alone."""
    page = engine.search(first, schemes=["lbp:l1"], expert="uniform", k=35)
    assert page.schemes == ("lbp:l1",)
    values = [hit.why["lbp:l1"] for hit in page]
    assert values == sorted(values, reverse=True)


def test_best_scheme_ranks_by_the_scheme_that_was_right_most_often(
    engine: Engine, first: str
) -> None:
    """After feedback that only one scheme explains, that scheme is the best."""
    page = engine.search(first, schemes=["lbp:chi2"], expert="uniform", k=20)
    engine.react(page, liked=[page.hits[0].image_id], disliked=[page.hits[-1].image_id])
    best = engine.search(first, expert="best-scheme", k=1).hits[0]
    assert [scheme for scheme, share in best.why.items() if share] == ["lbp:chi2"]


def test_k_beyond_the_collection_gives_all_of_it(engine: Engine, first: str) -> None:
    """A page is short, never padded."""
    assert len(engine.search(first, k=10_000).hits) == len(engine) - 1


@pytest.mark.parametrize("k", [0, -1, 1_000_000, 2.5, True])
def test_k_out_of_range_is_refused(engine: Engine, first: str, k: object) -> None:
    """The message names the limits."""
    with pytest.raises(InvalidInput, match="1 to 10000"):
        engine.search(first, k=k)  # type: ignore[arg-type]


def test_an_unknown_scheme_offers_the_nearest(engine: Engine, first: str) -> None:
    """Did you mean …"""
    with pytest.raises(UnknownName, match="did you mean 'lbp:chi2'"):
        engine.search(first, schemes=["lbp:chi"])


def test_an_unknown_ranker_offers_the_nearest(engine: Engine, first: str) -> None:
    """Did you mean …"""
    with pytest.raises(UnknownName, match="did you mean 'uniform'"):
        engine.search(first, expert="unifrom")


def test_an_unknown_id_is_not_found(engine: Engine) -> None:
    """An id that is not there is named."""
    with pytest.raises(NotFound, match="0123456789abcdef0123456789abcdef"):
        engine.search("0123456789abcdef0123456789abcdef")


def test_a_missing_file_is_not_found(engine: Engine, tmp_path: Path) -> None:
    """A path that is not there is named."""
    with pytest.raises(NotFound, match=r"nothing\.jpg"):
        engine.search(tmp_path / "nothing.jpg")


@pytest.mark.parametrize("junk", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_a_query_that_is_no_image_is_refused(engine: Engine, junk: bytes) -> None:
    """Bytes that are no picture get one sentence."""
    with pytest.raises(NotAnImage, match="the query"):
        engine.search(junk)


@pytest.mark.parametrize("thing", [3.5, np.zeros((4, 4, 4), np.uint8), np.zeros((4, 4, 3))])
def test_a_query_of_another_type_is_refused(engine: Engine, thing: object) -> None:
    """Numbers and arrays of other shapes are no pictures."""
    with pytest.raises(InvalidInput):
        engine.search(thing)


def test_nothing_to_search_with_is_refused(engine: Engine) -> None:
    """An empty query says what is missing."""
    with pytest.raises(InvalidInput, match="nothing to search with"):
        engine.search()


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    """Before any indexing a search names the next step."""
    with Engine(tmp_path / "empty.saccade", warm=False) as engine:
        assert len(engine) == 0
        with pytest.raises(NotFound, match=r"engine\.add"):
            engine.search(np.zeros((4, 4, 3), np.uint8))


@pytest.mark.parametrize("user", ["", "  ", "a\nb", "x" * 101])
def test_a_user_name_must_be_printable(engine: Engine, first: str, user: str) -> None:
    """Names are shown to people."""
    with pytest.raises(InvalidInput, match="user"):
        engine.search(first, user=user)


def test_only_the_descriptors_asked_for_are_computed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture from outside, searched by one scheme, costs one descriptor."""
    from saccade.engine.sources import dense

    computed = []
    plain = dense.describe

    def noted(descriptor, *rest, **options):  # type: ignore[no-untyped-def]
        computed.append(descriptor.name)
        return plain(descriptor, *rest, **options)

    monkeypatch.setattr(dense, "describe", noted)
    engine.search(np.full((40, 60, 3), 90, np.uint8), schemes=["lbp:l1"], k=3)
    assert computed == ["lbp"]
