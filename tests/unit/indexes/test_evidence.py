"""Evidence on links: what sessions say of two pictures, held to slow obvious code."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput
from saccade.indexes.evidence import (
    ADDED,
    AGREED,
    APART,
    CUT,
    DOUBT,
    LIKES,
    QUIET,
    RISE,
    SPREE,
    Bent,
    Evidence,
    SessionRows,
    Sessions,
)
from saccade.indexes.graph import Graph
from saccade.indexes.spread import ALPHA, Sources, spread

SIZE = 60


def rows(*given: int) -> np.ndarray:
    return np.array(given, np.int64)


def said(asked=(), liked=(), disliked=(), better=(), worse=(), person=0, passed=0) -> SessionRows:
    sides = (asked, liked, disliked, better, worse)
    return SessionRows(*(np.array(side, np.int64) for side in sides), person, passed=passed)


def world(count: int = SIZE, seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((4, 12))
    vectors = centers[np.arange(count) % 4] + 0.8 * rng.standard_normal((count, 12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors.astype(np.float32)
    return Graph.build(vectors.__getitem__, np.ones(count, bool), k=5)


@st.composite
def one_session(draw, people: int = 1) -> SessionRows:
    """A session of pictures that are each one thing in it; some have left (-1)."""
    members = draw(st.lists(st.integers(0, SIZE - 1), min_size=2, max_size=12, unique=True))
    gone = draw(st.integers(0, 2))
    members += [-1] * gone
    parts = np.split(np.array(members), np.sort(draw(st.lists(
        st.integers(0, len(members)), min_size=4, max_size=4))))  # fmt: skip
    return SessionRows(*parts, draw(st.integers(0, people - 1)))


def words(one: SessionRows) -> dict[tuple[int, int], float]:
    """What one session says of each two of its pictures, by the words of the docstring."""
    amounts = {"liked": 1.0, "disliked": -1.0, "better": 0.5, "worse": -0.5}
    likes = sum(row >= 0 for row in one.liked.tolist())
    among = LIKES * min(1.0, SPREE / max(1, likes))
    members = [(row, "asked", 1.0) for row in one.asked.tolist()]
    for side, amount in amounts.items():
        members += [(row, side, amount) for row in getattr(one, side).tolist()]
    out = {}
    for i, (a, side, first) in enumerate(members):
        for b, other, second in members[i + 1 :]:
            if min(a, b) < 0 or max(first, second) < 0.0:
                continue
            known = (side == "asked") + (other == "asked")
            out[min(a, b), max(a, b)] = first * second * (1.0 if known else among)
    return out


def total(sessions: list[SessionRows], own: int) -> dict[tuple[int, int], float]:
    """E of every pair: a person's own in full; of the others each once, without the loudest."""
    spoken: dict[tuple[int, int], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for one in sessions:
        for pair, word in words(one).items():
            spoken[pair][one.person] += word
    out = {}
    for pair, people in spoken.items():
        others = [max(-1.0, min(1.0, word)) for who, word in people.items() if who != own]
        loudest = max(map(abs, others), default=0.0)
        rest = max(0.0, min(AGREED, abs(sum(others)) - loudest))
        out[pair] = people.get(own, 0.0) + np.copysign(rest, sum(others))
    return out


@settings(deadline=None, max_examples=60)
@given(st.lists(one_session(people=4), max_size=12), st.integers(-1, 3))
def test_evidence_is_the_sum_of_what_sessions_say(sessions, own):
    """Every pair of every session, signed and weighed, for the person who asks."""
    found = Evidence.of(Sessions.of(sessions), np.arange(len(sessions)), own)
    expected = total(sessions, own)
    pairs = list(zip(found.first.tolist(), found.second.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert {*pairs} == {*expected}
    # Units are thousandths, and a share of them is rounded down.
    allowed = 0.002 * (1 + len(sessions))
    said_of = found.plus - found.minus + found.others
    for pair, word in zip(pairs, said_of.tolist(), strict=True):
        assert word == pytest.approx(expected[pair], abs=allowed)


@settings(deadline=None, max_examples=30)
@given(st.lists(one_session(people=3), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_sessions_changes_no_sum(sessions, chance):
    """Sums are of integers: any order gives the same, to the bit."""
    shuffled = chance.sample(sessions, len(sessions))
    found = [
        {(a, b): net for a, b, net in zip(e.first, e.second, e.net, strict=True)}
        for e in (
            Evidence.of(Sessions.of(some), np.arange(len(some)), 0) for some in (sessions, shuffled)
        )
    ]
    assert found[0] == found[1]


@settings(deadline=None, max_examples=30)
@given(st.lists(one_session(), min_size=1, max_size=8))
def test_a_session_that_is_not_chosen_leaves_no_trace(sessions):
    """Choosing all but the last is as if it had never been said."""
    some = np.arange(len(sessions) - 1)
    with_it = Evidence.of(Sessions.of(sessions), some)
    without = Evidence.of(Sessions.of(sessions[:-1]), some)
    assert with_it.net.tobytes() == without.net.tobytes()
    assert with_it.first.tobytes() == without.first.tobytes()


def dense(graph: Graph) -> np.ndarray:
    links = np.zeros((len(graph), len(graph)))
    for row in range(len(graph)):
        part = slice(graph.offsets[row], graph.offsets[row + 1])
        links[row, graph.neighbours[part]] = graph.weights[part]
    return links


def solved(links: np.ndarray, source: int) -> np.ndarray:
    degree = links.sum(1)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros(len(links)), where=degree > 0)
    given = np.zeros(len(links))
    given[source] = 1.0 - ALPHA
    return np.linalg.solve(np.eye(len(links)) - ALPHA * scale[:, None] * links * scale, given)


@settings(deadline=None, max_examples=30)
@given(st.lists(one_session(people=2), min_size=1, max_size=8), st.integers(0, SIZE - 1))
def test_a_spread_over_evidence_solves_its_equation(sessions, source):
    """The bent links are A₀ exp(−γ(−E)₊) + β t (1 − exp(−δ(E − τ)₊)), then normalised as ever."""
    graph = world()
    evidence = Evidence.of(Sessions.of(sessions), np.arange(len(sessions)))
    links = dense(graph)
    typical = links[links > 0.0].mean()
    said_of = np.zeros_like(links)
    said_of[evidence.first, evidence.second] = evidence.net
    said_of += said_of.T
    links *= np.exp(-CUT * np.maximum(0.0, -said_of))
    links += ADDED * typical * (1.0 - np.exp(-RISE * np.maximum(0.0, said_of - QUIET)))
    over = Bent.of(graph, evidence)
    found = spread(graph, Sources.of([source]), least=1e-12, budget=10**9, over=over)
    np.testing.assert_allclose(found.dense(), solved(links, source), atol=1e-6)


def test_a_session_speaks_of_two_pictures_once():
    """A spree of likes says as much of query and like as a single like does, and less of likes."""
    few, spree = said([0], [1, 2]), said([0], range(1, 41))
    one, many = (Evidence.of(Sessions.of([s]), rows(0)) for s in (few, spree))
    word = {(a, b): n for a, b, n in zip(many.first, many.second, many.plus, strict=True)}
    assert word[0, 1] == one.plus[0] == 1.0
    assert word[1, 2] == pytest.approx(LIKES * SPREE / 40)
    assert one.sessions.tolist() == [1, 1, 1]


def test_contradictions_cancel():
    """Together in one session and apart in another: nothing is bent."""
    both = [said([0], [1]), said([0], [], [1])]
    found = Evidence.of(Sessions.of(both), rows(0, 1))
    assert (found.plus.tolist(), found.minus.tolist(), found.sessions.tolist()) == ([1], [1], [2])
    assert Bent.of(world(), found) is None


def test_what_contradicts_itself_fades_in_all_that_is_near():
    """A pair that was never denied counts for less where others were; one who is sure, in full."""
    sure = [said([0], [1, 2], [3])] * 6
    torn = [*sure, *([said([0], [], [1, 2])] * 4)]
    firm, weak = (Evidence.of(Sessions.of(s), np.arange(len(s))) for s in (sure, torn))
    assert firm.contradiction < DOUBT < 0.3 < weak.contradiction
    apart = [(e.first == 0) & (e.second == 3) for e in (firm, weak)]
    assert firm.minus[apart[0]] == weak.minus[apart[1]] == 6.0
    assert firm.net[apart[0]] < -5.5 < -4.0 < weak.net[apart[1]] < 0.0


def test_sessions_are_joined_as_if_said_in_one_go():
    """Laid beside each other they say what they say together."""
    some = [said([0], [1, 2], [3]), said([1], [4], person=1), said([2], [3, 5])]
    joined, whole = Sessions.of(some[:1]) + Sessions.of(some[1:]), Sessions.of(some)
    for name in ("offsets", "rows", "roles", "people"):
        assert getattr(joined, name).tolist() == getattr(whole, name).tolist()


def test_one_person_moves_nobody_else():
    """However often one person says it, for another it is not said; a second voice is heard."""
    alone = [said([0], [1, 2], [3], person=1)] * 20
    found = Evidence.of(Sessions.of(alone), np.arange(20), own=0)
    assert not found.net.any()
    assert Bent.of(world(), found) is None
    two = [*alone, said([0], [1], person=2)]
    found = Evidence.of(Sessions.of(two), np.arange(21), own=0)
    heard = found.net != 0.0
    pairs = zip(found.first[heard].tolist(), found.second[heard].tolist(), strict=True)
    assert {*pairs} == {(0, 1)}
    assert found.people[heard].tolist() == [2]


def test_a_crowd_counts_no_more_than_its_bound():
    """Fifty who say the same count as much as a few, and two camps of equal size count nothing."""
    crowd = [said([0], [1], person=p) for p in range(1, 51)]
    assert Evidence.of(Sessions.of(crowd), np.arange(50)).net.tolist() == [AGREED]
    camps = [*crowd, *(said([0], [], [1], person=p) for p in range(51, 101))]
    assert Evidence.of(Sessions.of(camps), np.arange(100)).net.tolist() == [0.0]


def test_sessions_come_by_how_far_the_query_reaches_them():
    """Nearest first, those that nothing reaches not at all, within a budget of pairs."""
    graph = world()
    reach = spread(graph, Sources.of([0])).dense()
    near = graph.nearest(0)[0]
    far = int(np.argmin(reach))
    sessions = Sessions.of([said([far], [-1]), said([0], near[:2]), said([near[0]], near[3:5])])
    close = sessions.closeness(reach, chance=float(reach.mean()))
    assert sessions.nearest(close).tolist() == [1, 2]
    assert sessions.nearest(close, pairs=3).tolist() == [1]
    assert sessions.nearest(close, pairs=2).tolist() == []


@pytest.mark.parametrize("pairs", [3, 300, 4000, 10**9])
def test_of_very_many_sessions_the_nearest_are_those_of_a_whole_sort(pairs: int):
    """Whatever the budget: of equals the later first, some sessions without a pair among them."""
    rng = np.random.default_rng(3)
    members = [rng.choice(SIZE, rng.integers(1, 5), replace=False) for _ in range(3000)]
    sessions = Sessions.of([said(one[:1], one[1:]) for one in members])
    sessions = replace(sessions, at=rng.integers(0, 9, 3000).astype(np.float64))
    close = rng.integers(-1, 40, 3000) / 40.0
    everything = np.lexsort((-sessions.at, -close))
    everything = everything[close[everything] > 0.0]
    expected = everything[np.cumsum(sessions.sizes[everything]) <= pairs]
    assert sessions.nearest(close, pairs).tolist() == expected.tolist()


def test_pictures_that_have_left_say_nothing():
    """A session of pictures that are gone has no pair; one that lost some speaks of the rest."""
    sessions = Sessions.of([said([-1], [-1, -1]), said([-1], [4, 5], [-1])])
    found = Evidence.of(sessions, rows(0, 1))
    assert (found.first.tolist(), found.second.tolist()) == ([4], [5])
    assert sessions.closeness(np.ones(SIZE)).tolist() == [0.0, 1.0]


def test_no_session_is_no_evidence():
    """Nothing said, nothing bent."""
    nothing = Evidence.of(Sessions.of([]), rows())
    assert len(nothing) == 0
    assert Bent.of(world(), nothing) is None


def test_rows_that_are_not_there_are_refused():
    """Evidence of another collection is an error and not a crash."""
    sessions = Sessions.of([said([0], [SIZE], passed=1)])
    with pytest.raises(InvalidInput, match="beyond"):
        sessions.closeness(np.ones(SIZE))
    with pytest.raises(InvalidInput, match="beyond"):
        Bent.of(world(), Evidence.of(sessions, rows(0)))


def test_a_new_picture_joins_through_its_own_links():
    """One added after the teaching is nearer to what was linked to its neighbours than before."""
    rng = np.random.default_rng(3)
    ends = rng.standard_normal((2, 12))
    vectors = np.repeat(ends, 15, axis=0) + 0.3 * rng.standard_normal((30, 12))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    graph = Graph.build(vectors.__getitem__, np.ones(30, bool), k=4)
    pages = ([0], [20, 21, 22]), ([1], [20, 23, 24]), ([2], [25, 21, 22])
    taught = [said(*page, passed=3) for page in pages]
    over = Bent.of(graph, Evidence.of(Sessions.of(taught), np.arange(3)))
    new = 14  # nobody spoke of it
    before = spread(graph, Sources.of([new])).dense()[15:]
    after = spread(graph, Sources.of([new]), over=over).dense()[15:]
    assert after.mean() > 2 * before.mean()


def test_who_tells_nothing_apart_says_nothing():
    """Likes alone, of all that was shown, bend no link; with one ✕ about they do."""
    likes = [said([0], [1, 2, 3]), said([4], [1, 2, 5])]
    found = Evidence.of(Sessions.of(likes), np.arange(2))
    assert found.plus.max() > 1.0
    assert (found.told.max(), Bent.of(world(), found)) == (0.0, None)
    told = Evidence.of(Sessions.of([*likes, said([6], [7], [8])]), np.arange(3))
    assert 0.0 < told.told[0] < told.plus[0]
    assert told.net[0] > 0.0


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6))
def test_a_session_is_believed_by_what_it_set_apart(counts):
    """(d + d̄) / (2 d̄ + APART), and not more than once; d of ✕ and of what was passed over."""
    sessions = [
        said([10 * n], [10 * n + 1], range(10 * n + 2, 10 * n + 2 + wrong), passed=passed)
        for n, (wrong, passed) in enumerate(counts)
    ]
    found = Evidence.of(Sessions.of(sessions), np.arange(len(sessions)))
    apart = np.array([wrong + passed for wrong, passed in counts])
    expected = np.minimum(1.0, (apart + apart.mean()) / (2 * apart.mean() + APART))
    first = {row: place for place, row in enumerate(found.first.tolist()) if found.plus[place]}
    shares = [found.told[first[10 * n]] / found.plus[first[10 * n]] for n in range(len(counts))]
    np.testing.assert_allclose(shares, expected, atol=0.002)
