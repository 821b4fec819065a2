from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.words import geometry
from saccade.words.geometry import Placed
from saccade.words.local_features import LocalFeatures, empty


def scene(n: int = 60, seed: int = 0, size: int = 400) -> Placed:
    """Features strewn over a picture, each with a descriptor and a word of its own."""
    rng = np.random.default_rng(seed)
    frames = np.column_stack(
        [rng.uniform(0, size, (n, 2)), rng.uniform(3, 9, n), rng.uniform(0, 360, n)]
    )
    descriptors = rng.integers(0, 90, (n, 128)).astype(np.uint8)
    features = LocalFeatures(descriptors, frames.astype(np.float32), size, size)
    return Placed(features, (1000 * seed + np.arange(n)).astype(np.int32))


def moved(
    image: Placed, *, matrix: NDArray[np.float64], shift: tuple[float, float], noise: float = 0.0
) -> Placed:
    """The same features seen elsewhere: x' = matrix · x + shift."""
    frames = image.features.frames.astype(np.float64)
    wobble = np.random.default_rng(1).normal(0, noise, (len(frames), 2)) if noise else 0.0
    places = frames[:, :2] @ matrix.T + np.array(shift) + wobble
    turn = np.rad2deg(np.arctan2(matrix[1, 0] - matrix[0, 1], matrix[0, 0] + matrix[1, 1]))
    scale = frames[:, 2] * np.sqrt(np.linalg.det(matrix))
    values = np.column_stack([places, scale, (frames[:, 3] + turn) % 360])
    size = image.features.width
    return Placed(
        LocalFeatures(image.features.descriptors, values.astype(np.float32), size, size),
        image.words,
    )


def rotation(degrees: float, scale: float) -> NDArray[np.float64]:
    angle = np.deg2rad(degrees)
    return scale * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def part(image: Placed, rows: NDArray[np.int64]) -> Placed:
    words = image.words
    assert words is not None
    f = image.features
    return Placed(
        LocalFeatures(f.descriptors[rows], f.frames[rows], f.width, f.height), words[rows]
    )


def joined(one: Placed, other: Placed) -> Placed:
    assert one.words is not None
    assert other.words is not None
    return Placed(
        LocalFeatures(
            np.concatenate([one.features.descriptors, other.features.descriptors]),
            np.concatenate([one.features.frames, other.features.frames]),
            one.features.width,
            one.features.height,
        ),
        np.concatenate([one.words, other.words]),
    )


def without_words(image: Placed) -> Placed:
    return Placed(image.features)


@pytest.mark.parametrize("model", geometry.MODELS)
@pytest.mark.parametrize(("degrees", "scale"), [(0, 1.0), (37, 0.6), (180, 1.7), (-95, 1.0)])
def test_a_turned_and_scaled_picture_keeps_every_place(model, degrees, scale):
    """All sixty places agree with one similarity, whichever model is fitted."""
    image = scene()
    other = moved(image, matrix=rotation(degrees, scale), shift=(20, -15), noise=0.5)
    assert geometry.verify(image, [other], model=model)[0] == 60


def test_a_slanted_picture_needs_the_affine_model():
    """Sheared by a third, most places leave any similarity and stay with an affine map."""
    image = scene()
    other = moved(image, matrix=np.array([[1.0, 0.33], [0.0, 0.8]]), shift=(5, 5))
    affine = geometry.verify(image, [other], model="affine")[0]
    assert affine == 60
    assert geometry.verify(image, [other], model="similarity")[0] < 40


def test_strangers_share_next_to_nothing():
    """The same words in another arrangement are not confirmed."""
    image = scene()
    shuffled = np.random.default_rng(3).permutation(60)
    words = image.words
    assert words is not None
    other = part(image, shuffled)
    stranger = Placed(
        LocalFeatures(other.features.descriptors, image.features.frames, 400, 400), words[shuffled]
    )
    assert geometry.verify(image, [stranger])[0] < geometry.LEAST


def test_half_a_picture_among_other_things_is_counted_by_what_is_there():
    """Thirty of sixty places, in a picture full of others, give thirty inliers."""
    image = scene()
    half = part(image, np.arange(30))
    crowded = joined(moved(half, matrix=rotation(20, 0.9), shift=(40, 10)), scene(200, seed=5))
    assert geometry.verify(image, [crowded])[0] == 30


def test_one_place_matched_many_times_counts_once():
    """Ten features on one spot are one place: repetition is no proof."""
    image = scene()
    spot = part(image, np.zeros(10, np.int64))
    spot = Placed(spot.features, np.arange(10, dtype=np.int32))
    assert geometry.verify(spot, [spot])[0] == 1


def test_words_that_agree_by_accident_do_not_match():
    """One word for descriptors far apart is no match."""
    image = scene()
    far = LocalFeatures(255 - image.features.descriptors, image.features.frames, 400, 400)
    assert len(geometry.match(image, Placed(far, image.words))[0]) == 0


def test_of_several_with_one_word_the_nearest_is_taken():
    """Where all features share one word, the descriptors decide."""
    image = scene()
    one_word = np.zeros(60, np.int32)
    same = Placed(image.features, one_word)
    left, right = geometry.match(same, same)
    assert np.array_equal(left, right)
    assert len(left) == 60


def test_without_words_descriptors_are_matched():
    """The ratio test finds every feature's own copy."""
    image = scene()
    other = moved(image, matrix=rotation(10, 1.2), shift=(3, 4))
    assert geometry.verify(without_words(image), [without_words(other)])[0] == 60


def test_a_blank_picture_shares_no_place():
    """No features, no inliers, no error; with and without words."""
    blank = Placed(empty(400, 400), np.zeros(0, np.int32))
    assert geometry.verify(blank, [scene(), blank]).tolist() == [0, 0]
    assert geometry.verify(scene(), [blank]).tolist() == [0]
    assert geometry.verify(without_words(scene()), [without_words(blank)]).tolist() == [0]


def test_no_candidates_give_no_counts():
    """Verifying nothing is allowed."""
    assert geometry.verify(scene(), []).shape == (0,)


def test_many_candidates_equal_one_at_a_time():
    """A candidate's count does not depend on the others."""
    image = scene()
    others = [
        moved(image, matrix=rotation(d, 1.0), shift=(d, 0), noise=d / 10) for d in range(0, 90, 15)
    ]
    together = geometry.verify(image, others)
    assert together.tolist() == [int(geometry.verify(image, [one])[0]) for one in others]


def test_an_unknown_model_is_named():
    """The message lists what there is."""
    with pytest.raises(UnknownName, match="afine"):
        geometry.verify(scene(), [scene()], model="afine")


def test_words_for_other_features_are_refused():
    """There is one word a feature."""
    with pytest.raises(InvalidInput, match="59 words for 60 features"):
        geometry.verify(Placed(scene().features, np.zeros(59, np.int32)), [scene()])


def test_confirmed_rows_come_first_and_the_rest_keeps_its_order():
    """Most inliers first; ties and the unconfirmed stay as they were."""
    rows = np.array([5, 6, 7, 8, 9])
    inliers = np.array([3, 12, 0, 40, 12], np.int32)
    assert geometry.reorder(rows, inliers).tolist() == [8, 6, 9, 5, 7]


def test_mapped_files_and_plain_arrays_meet_one_compiled_kernel(tmp_path):
    """A picture from outside against a stored one compiles nothing that warming did not."""
    from saccade.kernels import geometry as kernel

    image = scene()
    geometry.verify(image, [image])
    known = len(kernel.agree.signatures), len(kernel.match_words.signatures)
    np.save(tmp_path / "frames.npy", image.features.frames)
    np.save(tmp_path / "descriptors.npy", image.features.descriptors)
    stored = Placed(
        LocalFeatures(
            np.load(tmp_path / "descriptors.npy", mmap_mode="r"),
            np.load(tmp_path / "frames.npy", mmap_mode="r"),
            400,
            400,
        ),
        image.words,
    )
    assert geometry.verify(image, [stored])[0] == 60
    assert (len(kernel.agree.signatures), len(kernel.match_words.signatures)) == known


def test_a_feature_with_two_likely_partners_has_none():
    """Without words, the nearest counts only where the second nearest is clearly further."""
    image = without_words(scene())
    twice = without_words(joined(scene(), scene(seed=3)))
    assert len(geometry.match(image, twice)[0]) == 60
    doubled = image.features.descriptors.copy()
    doubled[:, 0] += 1  # every feature again, one grey level away
    both = LocalFeatures(
        np.concatenate([image.features.descriptors, doubled]),
        np.concatenate([image.features.frames, image.features.frames]),
        400,
        400,
    )
    wobbled = image.features.descriptors.copy()
    wobbled[:, 1] += 4
    asked = Placed(LocalFeatures(wobbled, image.features.frames, 400, 400))
    assert len(geometry.match(asked, Placed(both))[0]) == 0


@pytest.mark.parametrize(("factor", "expected"), [(1.8, 60), (2.5, 30), (0.35, 30)])
def test_a_match_of_another_size_does_not_agree(factor, expected):
    """At the right place, but more than twice too large or too small: another thing."""
    image = scene()
    other = moved(image, matrix=rotation(20, 1.0), shift=(5, 5))
    frames = other.features.frames.copy()
    frames[::2, 2] *= factor
    wrong = Placed(LocalFeatures(other.features.descriptors, frames, 400, 400), other.words)
    assert geometry.verify(image, [wrong])[0] == expected
