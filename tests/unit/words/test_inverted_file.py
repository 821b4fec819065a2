from __future__ import annotations

import threading
from itertools import product

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels.inverted import BLOCK
from saccade.types import State
from saccade.words.inverted import InvertedFile
from saccade.words.weighting import DISTANCES, NORMALISATIONS, SIMILARITIES, WEIGHTINGS, Comparison


def small_file() -> InvertedFile:
    """Rows 0, 1, 2 hold the words {1, 2}, {2, 3} and nothing."""
    file = InvertedFile(vocabulary=5)
    file.add([0, 1, 2], [0, 2, 4, 4], [1, 2, 2, 3], [1, 1, 1, 1])
    return file


def test_an_image_that_shares_no_word_is_not_found():
    """Searching for word 3 finds row 1 and no other."""
    rows, scores = small_file().search([3], [1], 10)
    assert rows.tolist() == [1]
    assert rows.dtype == np.int64
    assert scores.dtype == np.float32


def test_equal_scores_come_in_the_order_of_rows():
    """Two equal images added in reverse are found in the order of their rows."""
    file = InvertedFile(vocabulary=3)
    file.add([9, 4], [0, 1, 2], [1, 1], [2, 2])
    assert file.search([1], [1], 5)[0].tolist() == [4, 9]
    assert file.search([1], [1], 1)[0].tolist() == [4]


@pytest.mark.parametrize("name", sorted(SIMILARITIES))
def test_a_blank_image_scores_zero(name):
    """No words in the image, or none in the query: similarity 0 whatever the measure."""
    file = small_file()
    assert file.scores_all([1], [1], name)[2] == 0.0
    assert file.scores_all([], [], name).tolist() == [0.0, 0.0, 0.0]
    assert file.search([], [], 3)[0].tolist() == []


@pytest.mark.parametrize("name", sorted(SIMILARITIES))
def test_an_image_is_most_similar_to_itself(name):
    """The same bag has similarity 1, also where every image holds every word."""
    assert small_file().scores_all([1, 2], [1, 1], name)[0] == pytest.approx(1.0, abs=1e-6)
    alone = InvertedFile(vocabulary=2)
    alone.add([0], [0, 2], [0, 1], [3, 1])
    assert alone.scores_all([0, 1], [3, 1], name)[0] == pytest.approx(1.0, abs=1e-6)


def test_counts_above_fifteen_are_exact():
    """A posting has room for 15; larger counts are kept beside it, through a merge too."""
    file = InvertedFile(vocabulary=4)
    file.add([0], [0, 2], [1, 3], [16, 70_000])
    file.add([1, 2], [0, 2, 3], [1, 3, 3], [15, 400, 17])
    way = Comparison("none", "l1", "l1")
    expected = [1.0, 16 / 70_016 + 400 / 415, 70_000 / 70_016]
    assert file.scores_all([1, 3], [16, 70_000], way).tolist() == pytest.approx(expected)
    file.merge()
    assert file.scores_all([1, 3], [16, 70_000], way).tolist() == pytest.approx(expected)


def test_words_of_removed_images_become_rarer():
    """The idf follows a removal: it is that of the images left."""
    file = small_file()
    file.remove([0])
    assert file.view.frequency.tolist() == [0, 0, 1, 1, 0]
    assert file.view.occurrences.tolist() == [0, 0, 1, 1, 0]
    assert file.view.idf[2] == pytest.approx(np.log(3 / 1.5))
    assert file.search([2], [1], 5)[0].tolist() == [1]
    assert len(file) == 2


def test_a_removed_row_may_come_back():
    """After a removal the row is free for another bag."""
    file = small_file()
    file.remove([0])
    file.add([0], [0, 1], [4], [1])
    assert file.search([4], [1], 5)[0].tolist() == [0]
    assert file.search([1], [1], 5)[0].tolist() == []


def test_merging_leaves_one_segment_without_the_dead():
    """After a merge there is one segment, and its slots are the living images."""
    file = small_file()
    file.add([7], [0, 1], [2], [5])
    file.remove([1])
    file.merge()
    assert len(file.view.segments) == 1
    assert file.view.rows.tolist() == [0, 2, 7]
    assert file.search([2], [1], 5)[0].tolist() == [7, 0]


def test_a_view_taken_before_a_change_stays_as_it_was():
    """What a reader holds is not changed by adding, removing or merging."""
    file = small_file()
    before = file.view
    frequency = before.frequency.copy()
    file.add([5], [0, 1], [2], [1])
    file.remove([0])
    file.merge()
    assert before.rows.tolist() == [0, 1, 2]
    assert before.alive.all()
    np.testing.assert_array_equal(before.frequency, frequency)


def test_threads_searching_at_once_get_what_one_gets():
    """Each thread has its own totals: eight at once, while images come in, agree with one alone."""
    rng = np.random.default_rng(3)
    words = np.sort(rng.permuted(np.tile(np.arange(60), (200, 1)), axis=1)[:, :12], axis=1)
    file = InvertedFile(vocabulary=64)
    file.add(np.arange(200), np.arange(201) * 12, words.ravel(), np.ones(2400, int))
    way = Comparison("none", "l1", "l1")  # does not change when images are added
    queries = [(row, np.ones(12, int)) for row in words]
    expected = [file.search(*query, 5, way) for query in queries]
    wrong: list[int] = []

    def work() -> None:
        for number, query in enumerate(queries):
            rows, scores = file.search(*query, 5, way)
            same = np.array_equal(rows, expected[number][0])
            if not same or not np.array_equal(scores, expected[number][1]):
                wrong.append(number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for row in range(300, 310):
        file.add([row], [0, 1], [63], [1])
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("crowd", [60, 4000], ids=["crowded", "sparse"])
@pytest.mark.parametrize("way", [*product(WEIGHTINGS, NORMALISATIONS, DISTANCES)], ids=",".join)
def test_turning_images_away_early_loses_none(way, crowd):
    """Among 400 images of very different sizes the best are those of the full list of scores."""
    rng = np.random.default_rng(8)
    sizes = rng.integers(0, 30, 400)
    words = [np.sort(rng.choice(crowd, size, replace=False)) for size in sizes]
    counts = rng.geometric(0.3, sizes.sum())
    offsets = np.cumsum([0, *sizes])
    file = InvertedFile(crowd)
    for start in (0, 150, 300):
        part = slice(start, min(start + 150, 400))
        edges = offsets[start : part.stop + 1]
        numbers = counts[edges[0] : edges[-1]]
        file.add(
            np.arange(start, part.stop), edges - edges[0], np.concatenate(words[part]), numbers
        )
    file.remove(np.arange(0, 400, 9))
    for row in (3, 160, 333):
        query = words[row], counts[offsets[row] : offsets[row + 1]]
        scores = file.scores_all(*query, Comparison(*way), size=400)
        sharing = [r for r in range(400) if r % 9 and np.isin(words[r], query[0]).any()]
        expected = sorted(sharing, key=lambda r: (-scores[r], r))[:5]
        assert file.search(*query, 5, Comparison(*way))[0].tolist() == expected


@pytest.mark.parametrize(
    "model",
    [Comparison(), Comparison("none", "l2", "l2"), Comparison("tf-idf", "l1", "chi2")],
    ids=str,
)
@pytest.mark.parametrize("spread", [40, 40_000], ids=["crowded", "sparse"])
def test_images_beyond_one_block_are_found_alike(spread, model):
    """Among more images than are scored at a time, in two segments, none is missed or met twice."""
    images = 2 * BLOCK + 1000
    rng = np.random.default_rng(1)
    words = np.sort(rng.integers(0, spread, (images, 2)), axis=1)
    words[:, 1] += spread  # two different words each, ascending
    counts = rng.integers(1, 20, (images, 2))
    file = InvertedFile(2 * spread)
    for first, last in ((0, 1500), (1500, images)):
        part = slice(first, last)
        offsets = 2 * np.arange(last - first + 1)
        file.add(np.arange(first, last), offsets, words[part].ravel(), counts[part].ravel())
    file.remove(np.arange(0, images, 7))
    query = np.array([3, 11, spread + 2, spread + 5]), np.array([2, 1, 9, 1])
    scores = file.scores_all(*query, model)
    sharing = np.isin(words, query[0]).any(axis=1) & (np.arange(images) % 7 > 0)
    expected = np.flatnonzero(sharing)
    expected = expected[np.lexsort((expected, -scores[expected]))]
    rows, found = file.search(*query, 50, model)
    np.testing.assert_array_equal(rows, expected[:50])
    np.testing.assert_array_equal(found, scores[expected[:50]])
    assert len(file.search(*query, images, model)[0]) == len(expected)


class Interrupted:
    """A model whose scores cannot be finished."""

    def plan(self, view, words, counts):
        return Comparison().plan(view, words, counts)._replace(scale=None)


def test_a_search_that_was_cut_short_leaves_nothing_behind():
    """What it had added up is not in the next answer."""
    file = small_file()
    before = file.search([1, 2], [1, 1], 5)
    with pytest.raises(AttributeError):
        file.search([1, 2], [1, 1], 5, Interrupted())
    after = file.search([1, 2], [1, 1], 5)
    np.testing.assert_array_equal(before[1], after[1])


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("words.0", np.array([1, 2, 9], np.int32)),
        ("words.0", np.array([2, 1, 3], np.int32)),
        ("offsets.0", np.array([0, 1, 3, 9])),
        ("packed.0", np.array([1, 1, 17, 4097], np.uint32)),
        ("packed.0", np.array([1, 1, 17, 16], np.uint32)),
        ("rows", np.array([0, 1])),
        ("alive", None),
    ],
)
def test_damaged_arrays_are_refused(name, array):
    """Nothing that would lead a kernel astray is loaded."""
    state = small_file().dump()
    arrays = dict(state.arrays) | {name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(InvalidInput, match="build it again"):
        InvertedFile.load(State(state.kind, state.spec, arrays))


def test_adding_nothing_changes_nothing():
    """An empty batch makes no segment."""
    file = small_file()
    file.add([], [0], [], [])
    assert len(file.view.segments) == 1


def test_the_scores_of_all_rows_have_the_size_asked_for():
    """Rows beyond the last image score 0; fewer than there are is refused."""
    file = small_file()
    assert file.scores_all([2], [1], size=6).shape == (6,)
    with pytest.raises(InvalidInput, match="row 2 is in it"):
        file.scores_all([2], [1], size=2)


@pytest.mark.parametrize(
    ("bags", "message"),
    [
        (([3], [0, 2], [2, 1], [1, 1]), "do not ascend"),
        (([3], [0, 2], [1, 1], [1, 1]), "do not ascend"),
        (([3], [0, 1], [5], [1]), "another vocabulary"),
        (([3], [0, 1], [-1], [1]), "another vocabulary"),
        (([3], [0, 1], [2**40], [1]), "another vocabulary"),
        (([3], [0, 1], [1], [0]), "count is below 1"),
        (([3], [0, 1], [1.5], [1]), "whole"),
        (([3], [0, 2], [1], [1]), "do not agree"),
        (([3], [0], [], []), "growing offsets"),
        (([3, 3], [0, 0, 0], [], []), "twice"),
        (([1], [0, 0], [], []), "row 1 is in it already"),
        (([-1], [0, 0], [], []), "negative"),
    ],
)
def test_bags_that_make_no_sense_are_refused(bags, message):
    """The error says what is wrong, and the file stays as it was."""
    file = small_file()
    with pytest.raises(InvalidInput, match=message):
        file.add(*bags)
    assert len(file) == 3


def test_wrong_questions_are_refused():
    """Queries, k, names and rows that cannot be are named in the error."""
    file = small_file()
    with pytest.raises(InvalidInput, match="another vocabulary"):
        file.search([9], [1], 3)
    with pytest.raises(InvalidInput, match="2 words and 1 counts"):
        file.search([1, 2], [1], 3)
    with pytest.raises(InvalidInput, match="k is 0"):
        file.search([1], [1], 0)
    with pytest.raises(UnknownName, match="did you mean 'cosine'"):
        file.scores_all([1], [1], "cosin")
    with pytest.raises(InvalidInput, match="row 8 is not in it"):
        file.remove([0, 8])
    with pytest.raises(InvalidInput, match="no inverted file"):
        InvertedFile.load(State("other", {}, {}))
    with pytest.raises(InvalidInput, match="holds nothing"):
        InvertedFile(0)


def test_rarity_can_come_from_elsewhere():
    """A piece of a collection scores as the whole does once it knows how rare words are there."""
    offsets, words, counts = [0, 2, 4, 5, 6], [1, 3, 3, 7, 3, 1], [1, 2, 1, 1, 4, 1]
    whole = InvertedFile(10)
    whole.add([0, 1, 2, 3], offsets, words, counts)
    alone, told = InvertedFile(10), InvertedFile(10, idf=whole.view.idf)
    for file in (alone, told):
        file.add([0], [0, 2], words[:2], counts[:2])
        file.add([1], [0, 2], words[2:4], counts[2:4])
        file.merge()
    for similarity in SIMILARITIES:
        scores = whole.scores_all([1, 3], [1, 1], similarity)[:2]
        assert told.scores_all([1, 3], [1, 1], similarity).tolist() == scores.tolist()
        assert alone.scores_all([1, 3], [1, 1], similarity).tolist() != scores.tolist()
    with pytest.raises(InvalidInput, match="3 rarities of 10 words"):
        InvertedFile(10, idf=np.ones(3))
