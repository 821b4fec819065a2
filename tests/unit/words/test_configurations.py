"""The family of configurations: names, sizes, banks, ranks."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.words import configurations
from saccade.words.configurations import FAMILY, Bank, Configuration, rank_of, train
from saccade.words.five_ways import FiveWays
from saccade.words.inverted import InvertedFile


def test_the_family_is_the_papers():
    """Twenty, in the paper's five ways by four vocabularies, each printing as it parses."""
    assert len(set(FAMILY)) == 20
    assert {str(one.way) for one in FAMILY} == {
        "tf-idf,l2,cos", "binary,l2,l2", "binary,l1,l1", "none,l1,l1", "none,l2,l2",
    }  # fmt: skip
    for one in FAMILY:
        assert Configuration.parse(str(one)) == one
    with pytest.raises(InvalidInput, match="expected 'vocabulary:"):
        Configuration.parse("akm-large")


def test_sizes_follow_the_collection_in_the_papers_proportions():
    """A hundredth, a tenth, and a word for four descriptors, which a million words end."""
    assert configurations.sizes_for(10**9) == {
        "akm-small": 10_000, "akm-medium": 100_000, "akm-large": 10**6, "hkm-large": 10**6,
    }  # fmt: skip
    assert configurations.sizes_for(40) == {
        "akm-small": 1, "akm-medium": 1, "akm-large": 10, "hkm-large": 10,
    }  # fmt: skip


@pytest.mark.parametrize("size", [1, 5, 90, 640, 69_000, 400_000, 999_999, 10**6])
def test_a_tree_has_about_as_many_leaves_as_asked_for(size):
    """Within a factor of two, and never above what a vocabulary may have."""
    branching, depth = configurations.tree_for(size)
    assert branching >= 2
    assert branching**depth <= 10**6
    assert 0.5 <= branching**depth / max(size, 2) <= 2


@pytest.fixture(scope="module")
def pictures():
    """Thirty pictures: each has its own spots and some that all share."""
    rng = np.random.default_rng(2)
    shared = rng.integers(0, 120, (10, 128))
    return [
        np.vstack([rng.integers(0, 120, (25, 128)), shared]).astype(np.uint8) for _ in range(30)
    ]


@pytest.fixture(scope="module")
def bank(pictures):
    every = np.concatenate(pictures)
    filled = Bank({name: train(name, every) for name in configurations.VOCABULARIES})
    filled.add(np.arange(30), pictures)
    return filled


def seen_again(picture, rng):
    """The same spots a little changed, some missing."""
    kept = picture[rng.random(len(picture)) < 0.7].astype(int)
    return np.clip(kept + rng.integers(-6, 7, kept.shape), 0, 255).astype(np.uint8)


def test_every_configuration_finds_the_picture_that_was_seen_again(bank, pictures):
    """With fine words all ways put it first; the small vocabulary does better than chance."""
    rng = np.random.default_rng(3)
    ranks = np.array(
        [bank.ranks(bank.bags(seen_again(one, rng)), row) for row, one in enumerate(pictures)]
    )
    assert ranks.shape == (30, 20)
    assert (ranks[:, 10:] == 1).mean() > 0.95
    assert ranks[:, 5:10].mean() < 8


def test_ranks_are_places_in_the_lists(bank, pictures):
    """The rank of a row is where the search of that configuration shows it."""
    bags = bank.bags(pictures[4][:20])
    lists = bank.search(bags, 30)
    assert len(lists) == len(bank.configurations) == 20
    for row in (4, 11):
        ranks = bank.ranks(bags, row)
        for (rows, scores), rank in zip(lists, ranks, strict=True):
            assert (np.diff(scores) <= 0).all()
            # Place `rank` of the list holds it, or the list ends before.
            assert np.flatnonzero(rows == row).tolist() == [rank - 1] * int(rank <= len(rows))


def test_all_together_are_each_alone(bank, pictures):
    """Each list of the twenty is, bit by bit, that configuration's scores in falling order.

    The search of that comparison alone, whose sums are rounded otherwise, names the same rows
    wherever two scores are further apart than rounding.
    """
    for picture in (pictures[4], pictures[9][:12], pictures[20][30:]):
        bags = bank.bags(picture)
        together, every = bank.search(bags, 12), bank.scores(bags)
        for one, (rows, scores), values in zip(bank.configurations, together, every, strict=True):
            order = np.argsort(-values, kind="stable")[:12]
            order = order[np.isfinite(values[order])]
            assert rows.tolist() == order.tolist()
            assert scores.tobytes() == values[order].tobytes()
            file = bank.files[one.vocabulary]
            alone, similarities = file.search(*bags[one.vocabulary], 12, one.way)
            np.testing.assert_allclose(scores, similarities, atol=2e-6)
            clear = np.abs(np.diff(similarities, append=-1)) > 1e-5
            clear &= np.abs(np.diff(similarities, prepend=2)) > 1e-5
            assert (rows[clear] == alone[clear]).all()


def test_counts_are_kept_as_they_were_found(bank, pictures):
    """A bank's files hold raw counts: each picture's add up to its features."""
    for file in bank.files.values():
        assert (file.view.lengths == [len(one) for one in pictures]).all()


def test_what_shares_no_word_comes_last():
    """A query from nowhere finds nothing; a row that shares no word ranks after all others."""
    file = InvertedFile(9)
    file.add([0, 1, 2], [0, 1, 2, 3], [1, 2, 3], [1, 1, 1])
    ways = FiveWays(file)
    assert [len(rows) for rows, _ in ways.search([8], [1], 5)] == [0] * 5
    assert [len(rows) for rows, _ in ways.search([], [], 5)] == [0] * 5
    assert rank_of(ways.scores([2], [1]), 2).tolist() == [4] * 5
    assert rank_of(ways.scores([8], [1]), 0).tolist() == [4] * 5
    assert rank_of(ways.scores([2], [1]), 1).tolist() == [1] * 5


def test_a_second_search_meets_no_remains_of_the_first(bank, pictures):
    """Asking twice, with another question in between, gives the same bits."""
    first, other = bank.bags(pictures[0]), bank.bags(pictures[1])
    before = bank.scores(first)
    bank.scores(other)
    assert bank.scores(first).tobytes() == before.tobytes()


def test_pictures_added_later_are_found_too(pictures):
    """Two adds are one: files in pieces give the scores of a file made at once."""
    every = np.concatenate(pictures)
    vocabularies = {"akm-medium": train("akm-medium", every)}
    whole, pieces = Bank(vocabularies), Bank(vocabularies)
    whole.add(np.arange(30), pictures)
    pieces.add(np.arange(12), pictures[:12])
    pieces.add(np.arange(12, 30), pictures[12:])
    bags = whole.bags(pictures[20])
    np.testing.assert_allclose(whole.scores(bags), pieces.scores(bags), rtol=1e-6)
    assert len(whole) == len(pieces) == 30


def test_what_cannot_be_is_refused(bank, pictures):
    """Unknown vocabularies, empty banks, rows and pictures that do not agree."""
    with pytest.raises(UnknownName, match="akm-large"):
        train("akm-larg", pictures[0])
    with pytest.raises(InvalidInput, match="at least one vocabulary"):
        Bank({})
    with pytest.raises(InvalidInput, match="do not agree"):
        bank.add([99], pictures[:2])
    ways = FiveWays(bank.files["akm-small"])
    with pytest.raises(InvalidInput, match="at least one image"):
        ways.search([0], [1], 0)
    with pytest.raises(InvalidInput, match="row 29 is in the file"):
        ways.scores([0], [1], size=3)
