from __future__ import annotations

import numpy as np
import pytest

from saccade import indexes
from saccade.errors import InvalidInput, UnknownName
from saccade.indexes.lsh import SignHash


def test_bits_agree_as_the_angle_says():
    """The share of equal bits is 1 − angle / π, within four standard deviations."""
    bits, angle = 4096, 1.0
    index = SignHash(2, bits=bits)
    index.add([0], [[np.cos(angle), np.sin(angle)]])
    share = index.search([1.0, 0.0], 1)[1][0]
    expected = 1 - angle / np.pi
    assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / bits)


def test_length_does_not_matter():
    """A vector and three times it have the same code."""
    index = SignHash(3, bits=70)
    vector = np.array([[0.2, -1.0, 0.4]])
    np.testing.assert_array_equal(index.codes(vector), index.codes(3 * vector))


def test_a_code_has_room_for_its_bits_and_no_stray_ones():
    """70 bits take two numbers; the 58 left over are zero."""
    codes = SignHash(3, bits=70).codes(np.ones((50, 3)) * np.arange(-25, 25)[:, None])
    assert codes.shape == (50, 2)
    assert np.bitwise_count(codes).sum(1).max() <= 70


def test_the_opposite_vector_shares_no_bit():
    """Similarity runs from 1 for the same direction to 0 for the opposite."""
    index = SignHash(4, bits=128)
    vector = np.array([1.0, 2.0, -0.5, 0.3])
    index.add([0, 1], [vector, -vector])
    assert index.search(vector, 2)[1].tolist() == [1.0, 0.0]


def test_the_seed_decides_the_planes():
    """The same seed gives the same code, another seed another one."""
    vectors = np.random.default_rng(0).standard_normal((5, 8))
    first = SignHash(8, seed=1).codes(vectors)
    np.testing.assert_array_equal(first, SignHash(8, seed=1).codes(vectors))
    assert not np.array_equal(first, SignHash(8, seed=2).codes(vectors))


def test_a_centre_tells_histograms_apart():
    """Nearly equal positive vectors share most bits about 0 and few about their mean."""
    vectors = np.array([[10.0, 10.0, 11.0], [10.0, 11.0, 10.0]])
    plain, centred = SignHash(3), SignHash(3, center=vectors.mean(0))
    for index in (plain, centred):
        index.add([0, 1], vectors)
    assert plain.search(vectors[0], 2)[1][1] > 0.9
    assert centred.search(vectors[0], 2)[1][1] < 0.1


def test_wrong_settings_are_refused():
    """Names, sizes and centres that cannot be are named."""
    with pytest.raises(UnknownName, match="no index 'hnsw'"):
        indexes.make("hnsw", 3)
    with pytest.raises(InvalidInput, match="0 bits"):
        SignHash(3, bits=0)
    with pytest.raises(InvalidInput, match=r"shape \(3,\)"):
        SignHash(3, center=np.zeros(2))
    with pytest.raises(InvalidInput, match="cannot be compared"):
        indexes.make("flat", 0)
