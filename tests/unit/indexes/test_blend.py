from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.indexes.blend import Blend


def columns(count: int = 50, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "embedding": rng.random((count, 21), dtype=np.float32) + 1,
        "gist": rng.standard_normal((count, 9)).astype(np.float32),
    }


SHARES = {"embedding": 3.0, "gist": 1.0}


def fitted(stored: dict[str, np.ndarray], rooted: tuple[str, ...] = ("gist",)) -> Blend:
    takes = {name: vectors.__getitem__ for name, vectors in stored.items()}
    return Blend.fit(takes, SHARES, rooted, np.arange(len(stored["gist"])))


def seen(vectors: np.ndarray, count: int, rooted: bool) -> np.ndarray:
    """The formula in plain numpy."""
    vectors = np.sign(vectors) * np.sqrt(np.abs(vectors)) if rooted else vectors.astype(np.float64)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    moved = vectors - vectors[:count].sum(0) / (count + 10)
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


def test_products_are_the_mean_of_centred_cosines_by_share():
    """The product of two blended vectors is the shares' mean of the cosines around each centre."""
    stored = columns()
    vectors = fitted(stored).vectors(stored)
    one, other = (seen(stored[name], 50, name == "gist") for name in ("embedding", "gist"))
    np.testing.assert_allclose(
        vectors @ vectors.T, 0.75 * one @ one.T + 0.25 * other @ other.T, atol=1e-5
    )


def test_the_centre_stays_for_pictures_that_come_later():
    """A picture's vector does not depend on its company, to the bit."""
    stored = columns()
    blend = fitted({name: vectors[:30] for name, vectors in stored.items()})
    whole = blend.vectors(stored)
    alone = blend.vectors({name: vectors[40:41] for name, vectors in stored.items()})
    assert whole[40].tobytes() == alone[0].tobytes()
    taken = blend.taking({name: v.__getitem__ for name, v in stored.items()})(np.array([40, 2]))
    assert taken.tobytes() == whole[[40, 2]].tobytes()
    assert blend.around == 30


def test_a_blank_descriptor_leaves_the_word_to_the_others():
    """Without gist a picture is its embedding alone; without both it is zero."""
    stored = columns()
    blend = fitted(stored)
    stored["gist"][3] = 0.0
    stored["gist"][4] = stored["embedding"][4] = 0.0
    vectors = blend.vectors(stored)
    assert not vectors[3, 21:].any()
    np.testing.assert_allclose(np.linalg.norm(vectors[3]), 1.0, rtol=1e-5)
    assert not vectors[4].any()


def test_a_blend_comes_back_from_its_state():
    """Spec and arrays carry everything."""
    stored = columns()
    blend = fitted(stored)
    again = Blend.load(blend.spec(), blend.arrays())
    assert again.vectors(stored).tobytes() == blend.vectors(stored).tobytes()
    assert again.spec() == blend.spec()


def test_what_is_no_blend_is_refused():
    """Missing centres, damaged ones and shares that cannot be raise InvalidInput."""
    stored = columns()
    blend = fitted(stored)
    with pytest.raises(InvalidInput, match="gist"):
        Blend.load(blend.spec(), {"centre/embedding": blend.parts[0].centre})
    damaged = {**blend.arrays(), "centre/gist": np.full(9, np.nan, np.float32)}
    with pytest.raises(InvalidInput, match="'gist' is damaged"):
        Blend.load(blend.spec(), damaged)
    with pytest.raises(InvalidInput, match="other form"):
        Blend.load({"parts": 3}, blend.arrays())
    with pytest.raises(InvalidInput, match="positive"):
        Blend.fit({}, {}, (), np.arange(3))
