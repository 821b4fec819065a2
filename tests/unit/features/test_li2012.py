"""The 224 features on collections small enough to work by hand."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.features.li2012 import (
    FIELDS,
    GLOBAL,
    MEASURES,
    NAMES,
    LocalWords,
    Parameters,
    RankingFields,
    assemble,
    fields_of,
    nearest_scores,
)
from saccade.words.inverted import InvertedFile

# A point of each field, and whether it is salient.
PLACES = {
    "whole": (0.5, 0.5, True),
    "salient": (0.5, 0.5, True),
    "rest": (0.5, 0.5, False),
    **{f"row-{row}": (0.5, (row - 0.5) / 3, True) for row in (1, 2, 3)},
    **{f"column-{column}": ((column - 0.5) / 3, 0.5, True) for column in (1, 2, 3)},
    **{
        f"cell-{row}-{column}": ((column - 0.5) / 3, (row - 0.5) / 3, True)
        for row in (1, 2, 3)
        for column in (1, 2, 3)
    },
}


def local(bags, x=0.5, y=0.5, salient=True) -> LocalWords:
    """Images with these words, all at one place."""
    words = np.array([word for bag in bags for word in bag], np.int32)
    starts = np.cumsum([0] + [len(bag) for bag in bags])
    spread = np.ones(len(words), np.float32)
    return LocalWords(starts, words, x * spread, y * spread, np.full(len(words), salient))


# Three images and a query whose word 5 nobody has. Word 1 is in one image, word 2 in two: with
# N = 3 their idf are ln(4/1.5) and ln(4/2.5), that of an unseen word ln(4/0.5). Of 8 occurrences
# each of the two has 2, so p(w|C) = 1/4. The mean length is 8/3.
COLLECTION = [[1, 1, 2], [2], [0, 0, 0, 0]]
QUERY = [[1, 2, 2, 5]]
ONE, TWO, NONE = log(4 / 1.5), log(4 / 2.5), log(8)
LONG = 1.2 * (0.25 + 0.75 * 9 / 8)

FIRST_IMAGE = {
    "vsm": (2 * ONE**2 + 2 * TWO**2)
    / sqrt((ONE**2 + 4 * TWO**2 + NONE**2) * (4 * ONE**2 + TWO**2)),
    "bm25": ONE * 2 / (2 + LONG) + 2 * TWO / (1 + LONG),
    "lm-jm": log((0.3 * 2 / 3 + 0.175) / 0.25) + 2 * log((0.3 / 3 + 0.175) / 0.25),
    "lm-dirichlet": log(502 / 2003 / 0.25) + 2 * log(501 / 2003 / 0.25),
    "lm-absolute": log((1.3 / 3 + 0.7 / 6) / 0.25) + 2 * log((0.3 / 3 + 0.7 / 6) / 0.25),
    "common-words": 2,
    "sum-tf": 3,
    "sum-idf": ONE + TWO,
    "sum-tf-idf": 2 * ONE + TWO,
    "max-tf": 2,
    "max-idf": ONE,
    "words": 3,
}
# The last image shares nothing: only the language models and its length say anything.
LAST_IMAGE = dict.fromkeys(MEASURES, 0.0) | {
    "lm-jm": 3 * log(0.7),
    "lm-dirichlet": 3 * log(2000 / 2004),
    "lm-absolute": 3 * log(0.7 * 1 / 4),
    "words": 4,
}


@pytest.fixture(scope="module")
def measured():
    """Features of the collection, all words at one place, by the field of that place."""
    return {
        field: RankingFields(local(COLLECTION, *place)).measure(local(QUERY, *place))
        for field, place in PLACES.items()
    }


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("field", FIELDS)
def test_each_measure_on_each_field_by_hand(measured, field, measure):
    """With all words inside a field, its feature is the number worked out above."""
    column = NAMES.index(f"{field}:{measure}")
    assert measured[field][0, column] == pytest.approx(FIRST_IMAGE[measure], rel=1e-5)
    assert measured[field][2, column] == pytest.approx(LAST_IMAGE[measure], rel=1e-5)


@pytest.mark.parametrize("field", FIELDS)
def test_words_elsewhere_do_not_count(measured, field):
    """A field that holds no word of the query or the images is 0 throughout."""
    x, y, salient = PLACES[field]
    inside = {"whole", "salient" if salient else "rest"}
    inside |= {f"row-{int(3 * y) + 1}", f"column-{int(3 * x) + 1}"}
    inside |= {f"cell-{int(3 * y) + 1}-{int(3 * x) + 1}"}
    for number, other in enumerate(FIELDS):
        part = measured[field][:, 12 * number : 12 * number + 12]
        assert part.any() == (other in inside)


def test_the_order_is_the_papers():
    """12 on the whole, 24 on two halves, 180 on fifteen blocks, 6 global, 2 PageRanks."""
    assert len(NAMES) == len(set(NAMES)) == 224
    assert NAMES[:12] == tuple(f"whole:{measure}" for measure in MEASURES)
    assert NAMES[12] == "salient:vsm"
    assert NAMES[35] == "rest:words"
    assert NAMES[36] == "row-1:vsm"
    assert NAMES[36 + 36] == "column-1:vsm"
    assert NAMES[36 + 72] == "cell-1-1:vsm"
    assert NAMES[215] == "cell-3-3:words"
    assert NAMES[216:222] == tuple(f"{descriptor}:lsh" for descriptor in GLOBAL)
    assert NAMES[222:] == ("pagerank:embedding", "pagerank:words")


def test_a_query_meets_only_the_same_field():
    """A word high up in the query and low in the image is shared by whole, half and column."""
    fields = RankingFields(local([[3]], 0.1, 0.9))
    phi = fields.measure(local([[3]], 0.1, 0.1))
    shared = {name for name, value in zip(NAMES, phi[0], strict=False) if value == 1.0}
    common = {name for name in shared if name.endswith("common-words")}
    assert common == {f"{field}:common-words" for field in ("whole", "salient", "column-1")}


def test_places_on_the_edges_belong_to_the_outer_blocks():
    """A place at x = 1 is in the third column, a hair outside too."""
    edge = LocalWords(
        *map(np.array, ([0, 3], [1, 1, 1], [0.0, 1.0, 1.01], [1.0, 0.0, -0.01], [1, 0, 0]))
    )
    cells = [FIELDS[row[4]] for row in fields_of(edge)]
    assert cells == ["cell-3-1", "cell-1-3", "cell-1-3"]


def test_vsm_is_the_cosine_of_the_inverted_file():
    """On random images, with a blank one among them, the feature and the search agree."""
    rng = np.random.default_rng(6)
    bags = [rng.integers(0, 30, size).tolist() for size in (9, 0, 14, 3, 25, 8)]
    phi = RankingFields(local(bags)).measure(local([[1, 1, 7, 12, 29, 45]]))
    file = InvertedFile(50)
    for row, bag in enumerate(bags):
        words, counts = np.unique(np.array(bag, np.int32), return_counts=True)
        file.add([row], [0, len(words)], words, counts)
    expected = file.scores_all([1, 7, 12, 29, 45], [2, 1, 1, 1, 1], "cosine")
    np.testing.assert_allclose(phi[:, MEASURES.index("vsm")], expected, rtol=1e-5, atol=1e-6)


def test_parameters_reach_the_models():
    """With k1 = 0 every shared word of BM25 counts its idf."""
    fields = RankingFields(local(COLLECTION), Parameters(k1=0.0))
    assert fields.measure(local(QUERY))[0, 1] == pytest.approx(ONE + 2 * TWO)


def test_blank_images_and_queries_are_no_error():
    """Nothing in the query: only the lengths are left. Nothing in the collection: all zero."""
    phi = RankingFields(local(COLLECTION)).measure(local([[]]))
    assert phi[:, 11].tolist() == [3, 1, 4]
    assert not np.delete(phi[:, :12], 11, axis=1).any()
    assert not RankingFields(local([[], []])).measure(local(QUERY)).any()


@pytest.mark.parametrize("place", range(6), ids=GLOBAL)
def test_each_global_score_has_its_column(place):
    """The nearest get 1 falling to 0 in the column of their descriptor; PageRanks come last."""
    neighbours = [(np.empty(0, np.int64), np.empty(0, np.float32)) for _ in GLOBAL]
    neighbours[place] = (np.array([2, 0, 1]), np.array([1.0, 0.75, 0.5], np.float32))
    phi = assemble(np.zeros((4, 216), np.float32), neighbours, [[1, 2, 3, 4], [5, 6, 7, 8]])
    assert phi.dtype == np.float32
    assert phi[:, 216 + place].tolist() == [0.5, 0.0, 1.0, 0.0]
    assert phi[:, 222:].tolist() == [[1, 5], [2, 6], [3, 7], [4, 8]]
    assert np.count_nonzero(phi[:, :222]) == 2


def test_only_two_hundred_neighbours_count():
    """The two-hundredth gets 0, and so does everything beyond it."""
    rows, near = np.arange(300), np.linspace(1, 0.4, 300).astype(np.float32)
    phi = assemble(np.zeros((300, 216), np.float32), [(rows, near)] * 6, [np.zeros(300)] * 2)
    assert np.count_nonzero(phi[:, 216]) == 199
    assert phi[0, 216] == 1.0


def test_equally_near_images_all_get_one():
    """No order among them, none of them worse."""
    assert nearest_scores(np.array([1, 3]), np.array([0.5, 0.5]), 4).tolist() == [0, 1, 0, 1]
    assert nearest_scores(np.empty(0, int), np.empty(0), 2).tolist() == [0, 0]


def test_wrong_input_is_refused():
    """Lengths that disagree, a query of two images, missing parts."""
    with pytest.raises(InvalidInput, match="disagree"):
        LocalWords(np.array([0, 3]), *(np.zeros(2) for _ in range(4)))
    with pytest.raises(InvalidInput, match="one image, not 3"):
        RankingFields(local(COLLECTION)).measure(local(COLLECTION))
    with pytest.raises(InvalidInput, match="6 lists of neighbours"):
        assemble(np.zeros((1, 216), np.float32), [], [])
