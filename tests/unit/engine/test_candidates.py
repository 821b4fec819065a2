"""Candidates that another engine found: given order, what is taught, what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.engine.candidates.asking import MOST
from saccade.types import Candidate, CandidatePage

Shoe = dict[str, object]


@pytest.fixture
def reranker(tmp_path: Path) -> Iterator[saccade.Reranker]:
    """One without a picture."""
    with saccade.Reranker(tmp_path / "shop.saccade") as reranker:
        yield reranker


def shoes(seed: int, count: int = 24) -> list[Shoe]:
    """A list with two features; cheap ones are good, and the order given does not tell."""
    prices = np.random.default_rng(seed).uniform(1.0, 99.0, (count, 2))
    return [
        {"id": f"{seed}-{i}", "features": {"price": price, "weight": weight}}
        for i, (price, weight) in enumerate(prices.tolist())
    ]


def cheap(listed: list[Shoe], most: float = 30.0) -> set[str]:
    """The good ones."""
    return {str(one["id"]) for one in listed if one["features"]["price"] < most}  # type: ignore[index]


def ids(page: CandidatePage) -> list[str]:
    return [hit.id for hit in page]


def precision(page: CandidatePage, good: set[str]) -> float:
    """Share of good ones among as many first ones as there are."""
    return len(good & set(ids(page)[: len(good)])) / len(good)


def teach(
    reranker: saccade.Reranker, user: str, text: str | None, lessons: int = 8, first: int = 100
) -> None:
    """Mark the first ten of some lists by their price."""
    for seed in range(first, first + lessons):
        listed = shoes(seed)
        page, good = reranker.rerank(listed, text=text, user=user), cheap(listed)
        top = ids(page)[:10]
        liked, disliked = [i for i in top if i in good], [i for i in top if i not in good]
        reranker.react(page, liked=liked, disliked=disliked)


def test_until_something_is_taught_the_order_is_the_one_given(reranker: saccade.Reranker) -> None:
    """Whatever the features say; and the scores fall."""
    listed = shoes(1)
    page = reranker.rerank(listed, text="red shoes", user="ana")
    assert ids(page) == [one["id"] for one in listed]
    assert page.leading == "plain"
    scores = [hit.score for hit in page]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)


def test_marks_on_some_lists_teach_the_order_of_others(reranker: saccade.Reranker) -> None:
    """On ids that nobody has seen before, and not as pictures."""
    listed = shoes(1)
    before = reranker.rerank(listed, text="red shoes", user="ana")
    teach(reranker, "ana", "red shoes")
    after = reranker.rerank(listed, text="red shoes", user="ana")
    assert precision(before, cheap(listed)) < 0.6
    assert precision(after, cheap(listed)) >= 0.8
    assert reranker.guard("ana").pays
    assert len(reranker.engine) == 0


def test_a_text_keeps_what_it_was_taught_beside_another(reranker: saccade.Reranker) -> None:
    """The same person wants cheap ones for one text, and dear ones for the other."""
    for seed in range(100, 110):
        listed = shoes(seed)
        good = cheap(listed, 50.0)
        for text, liked in (("sandals", True), ("boots", False)):
            page = reranker.rerank(listed, text=text, user="ana")
            right = [i for i in ids(page)[:10] if (i in good) == liked]
            wrong = [i for i in ids(page)[:10] if (i in good) != liked]
            reranker.react(page, liked=right, disliked=wrong)
    listed = shoes(1)
    good = cheap(listed, 50.0)
    dear = {str(one["id"]) for one in listed} - good
    assert precision(reranker.rerank(listed, text=" Sandals", user="ana"), good) > 0.7
    assert precision(reranker.rerank(listed, text="boots", user="ana"), dear) > 0.7


def test_one_persons_word_is_theirs_and_two_peoples_is_everybodys(
    reranker: saccade.Reranker,
) -> None:
    """A stranger is served the order given until two others have taught."""
    listed = shoes(1)
    teach(reranker, "ana", "shoes")
    alone = reranker.rerank(listed, text="shoes", user="eve")
    assert ids(alone) == [one["id"] for one in listed]
    teach(reranker, "bob", "shoes", first=200)
    together = reranker.rerank(listed, text="shoes", user="eve")
    assert precision(together, cheap(listed)) > precision(alone, cheap(listed)) + 0.2


def test_what_was_called_right_stands_higher_the_next_time(reranker: saccade.Reranker) -> None:
    """By its id alone, for the same text; for another text it stands where it came."""
    listed = [{"id": f"sku-{i}"} for i in range(10)]
    page = reranker.rerank(listed, text="red shoes", user="ana")
    reranker.react(page, liked=["sku-7"], disliked=["sku-0"])
    again = ids(reranker.rerank(listed, text="red shoes", user="ana"))
    assert again.index("sku-7") < 3
    assert again.index("sku-0") > 5
    other = ids(reranker.rerank(listed, text="green hats", user="ana"))
    assert other.index("sku-7") > 3


def test_vectors_teach_a_direction_without_any_query(reranker: saccade.Reranker) -> None:
    """Named vectors alone: nothing was asked for, and nothing is compared with it."""
    chance = np.random.default_rng(5)
    wanted = chance.normal(size=16)

    def batch(start: int) -> tuple[list[Candidate], set[str]]:
        vectors = chance.normal(size=(30, 16))
        names = [f"{start}-{i}" for i in range(30)]
        good = {n for n, v in zip(names, vectors, strict=True) if v @ wanted > 0.0}
        listed = [Candidate(n, vectors={"clip": v}) for n, v in zip(names, vectors, strict=True)]
        return listed, good

    for start in range(20):
        listed, good = batch(start)
        page = reranker.rerank(listed, user="ana")
        top = ids(page)[:12]
        reranker.react(
            page, liked=[i for i in top if i in good], disliked=[i for i in top if i not in good]
        )
    scored = [batch(100 + i) for i in range(5)]
    found = [precision(reranker.rerank(listed, user="ana"), good) for listed, good in scored]
    assert float(np.mean(found)) > 0.75


def test_a_querys_vector_is_compared_with_those_of_its_name(reranker: saccade.Reranker) -> None:
    """Marks that agree with the likeness teach that it counts: for a query that is new."""
    chance = np.random.default_rng(6)
    for lesson in range(8):
        query, rows = chance.normal(size=8), chance.normal(size=(20, 8))
        listed = [{"id": f"{lesson}-{i}", "vectors": {"clip": row}} for i, row in enumerate(rows)]
        near = {f"{lesson}-{i}" for i in np.argsort(-(rows @ query))[:7].tolist()}
        page = reranker.rerank(listed, vectors={"clip": query}, user="ana", explain=True)
        right = [hit for hit in page if hit.id in near]
        reranker.react(page, liked=right, disliked=[h for h in page if h.id not in near][:7])
    query, rows = chance.normal(size=8), chance.normal(size=(20, 8))
    listed = [{"id": f"new-{i}", "vectors": {"clip": row}} for i, row in enumerate(rows)]
    near = {f"new-{i}" for i in np.argsort(-(rows @ query))[:7].tolist()}
    page = reranker.rerank(listed, vectors={"clip": query}, user="ana", explain=True)
    assert precision(page, near) > 0.7
    assert page.hits[0].why["clip (like the query)"] > 0.0


def test_reasons_add_up_to_the_score_and_come_only_on_request(reranker: saccade.Reranker) -> None:
    """Each column's part, with what was marked before."""
    teach(reranker, "ana", "shoes", lessons=3)
    listed = shoes(1)
    quiet = reranker.rerank(listed, text="shoes", user="ana")
    told = reranker.rerank(listed, text="shoes", user="ana", explain=True)
    assert ids(told) == ids(quiet)
    assert [hit.why for hit in quiet] == [{}] * len(listed)
    for hit in told:
        assert sum(hit.why.values()) == pytest.approx(hit.score, abs=1e-4)
        assert {"price", "(order given)"} <= hit.why.keys()


def test_replay_undo_and_forget_are_exact(reranker: saccade.Reranker) -> None:
    """The digest follows from the log: the same after a replay, and as before after an undo."""
    engine = reranker.engine
    nothing = engine.digest
    teach(reranker, "ana", "shoes", lessons=3)
    before = engine.digest
    page = reranker.rerank(shoes(1), text="shoes", user="ana")
    reranker.react(page, liked=["1-3"], disliked=["1-0"])
    assert engine.digest not in (before, nothing)
    assert reranker.replay() == engine.digest
    undone = reranker.undo("ana", page)
    assert (undone.liked, undone.disliked) == (("1-3",), ("1-0",))
    assert engine.digest == before == reranker.replay()
    assert reranker.forget("ana") == 4
    assert engine.digest == nothing == reranker.replay()
    assert ids(reranker.rerank(shoes(1), text="shoes", user="ana")) == [
        one["id"] for one in shoes(1)
    ]


def test_what_was_learned_is_there_after_opening_again(tmp_path: Path) -> None:
    """From a snapshot, and from the log alone."""
    with saccade.Reranker(tmp_path / "shop.saccade") as reranker:
        teach(reranker, "ana", "shoes", lessons=3)
        teach(reranker, "bob", "hats", lessons=2)
        digest = reranker.engine.digest
        order = ids(reranker.rerank(shoes(1), text="shoes", user="ana"))
    with saccade.Reranker(tmp_path / "shop.saccade") as again:
        assert again.engine.digest == digest
        assert ids(again.rerank(shoes(1), text="shoes", user="ana")) == order
        assert again.replay() == digest
        teach(again, "ana", "shoes", lessons=1, first=300)
        assert again.engine.digest == again.replay()


def test_a_profile_takes_what_it_taught_to_another_store(
    reranker: saccade.Reranker, tmp_path: Path
) -> None:
    """The order there is the order here."""
    teach(reranker, "ana", "shoes")
    listed = shoes(1)
    here = reranker.rerank(listed, text="shoes", user="ana")
    with saccade.Reranker(tmp_path / "other.saccade") as other:
        assert other.import_("ana", reranker.export("ana")) == 8
        there = other.rerank(listed, text="shoes", user="ana")
        assert ids(there) == ids(here)
        assert [hit.score for hit in there] == [hit.score for hit in here]


def test_a_damaged_profile_changes_nothing(reranker: saccade.Reranker) -> None:
    """Numbers that do not fit their columns are refused, and named."""
    teach(reranker, "ana", "shoes", lessons=2)
    data, digest = reranker.export("ana"), reranker.engine.digest
    data["events"][1]["body"]["columns"].append(["feature", "more", 1])
    with pytest.raises(saccade.InvalidInput, match="event 2 is damaged: its numbers do not fit"):
        reranker.import_("bob", data)
    assert reranker.engine.digest == digest


def test_marks_can_be_changed_and_taken_off(reranker: saccade.Reranker) -> None:
    """The newest word counts, and one said twice is one."""
    page = reranker.rerank(shoes(1), text="shoes", user="ana")
    after = reranker.react(page, liked=["1-3"], disliked=["1-0"])
    assert (set(after.liked), set(after.disliked), after.round) == ({"1-3"}, {"1-0"}, 1)
    turned = reranker.react(after, liked=["1-0"], disliked=["1-3"])
    assert (set(turned.liked), set(turned.disliked)) == ({"1-0"}, {"1-3"})
    cleared = reranker.react(turned.page_id, cleared=["1-0", "1-3"])
    assert not cleared.liked | cleared.disliked
    assert ids(cleared) == [one["id"] for one in shoes(1)]


def test_an_engine_reacts_to_a_page_of_candidates(reranker: saccade.Reranker) -> None:
    """As to one of pictures; the weights by which pictures are compared stay as they are."""
    engine = reranker.engine
    page = engine.candidates.rerank(shoes(1), user="ana")
    after = engine.react(page.page_id, liked=["1-3"], disliked=["1-0"])
    assert isinstance(after, CandidatePage)
    assert after.liked == {"1-3"}
    profile = engine.people.show("ana")
    assert (profile.events, profile.weights) == (0, {})
    assert [(one.kind, one.liked, one.pairs) for one in profile.history] == [
        ("candidates-marked", ("1-3",), 1)
    ]


@pytest.mark.parametrize(
    ("listed", "match"),
    [
        ([], "no candidates"),
        ([{"id": "a", "features": {"price": float("nan")}}], "feature 'price' is 'nan'"),
        ([{"id": "a", "features": {"price": float("inf")}}], "feature 'price' is 'inf'"),
        ([{"id": "a", "features": {"price": 10**400}}], "feature 'price'"),
        ([{"id": "a", "features": {"price": "12"}}], "feature 'price' is '12'"),
        ([{"id": "a", "features": [1.0]}], "features are no names"),
        ([{"id": "a"}, {"id": "a"}], "candidates 1 and 2 have the same id 'a'"),
        ([{"features": {"price": 1.0}}], "candidate 1 has no id"),
        ([{"id": "a", "price": 1.0}], "candidate 1 has 'price'"),
        ([{"id": "a\n"}], "cannot be shown"),
        (["a"], "no candidate"),
        ([{"id": "a", "vectors": {"clip": [1.0, float("nan")]}}], "holds what is no number"),
        ([{"id": "a", "vectors": {"clip": [[1.0]]}}], "no list of"),
        ([{"id": "a", "vectors": {"clip": "abc"}}], "no list of"),
        ([{"id": "a", "vectors": {"x": [1.0]}, "features": {"x": 1.0}}], "both called 'x'"),
        (
            [{"id": "a", "vectors": {"clip": [1.0, 0.0]}}, {"id": "b", "vectors": {"clip": [1.0]}}],
            "different length are called 'clip': candidate 'a' has 2 numbers, candidate 'b' 1",
        ),
        (
            [{"id": str(i), "features": {f"f{i % 500}": 1.0}} for i in range(MOST)],
            "5,000 candidates of 501 numbers each are too much",
        ),
        ([{"id": str(i)} for i in range(MOST + 1)], "5,001 candidates are more than 5,000"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_list_that_cannot_be_used_is_refused_and_leaves_nothing(
    reranker: saccade.Reranker, listed: list[object], match: str
) -> None:
    """One sentence that names the candidate and the thing; the log is as it was."""
    with pytest.raises(saccade.InvalidInput, match=match):
        reranker.rerank(listed)  # type: ignore[arg-type]
    assert not reranker.engine.library.report().events


def test_an_unknown_picture_is_refused(reranker: saccade.Reranker) -> None:
    """A candidate by our id has to be one of ours."""
    with pytest.raises(saccade.NoSuchImage):
        reranker.rerank([{"image_id": "0" * 32}])
    assert not reranker.engine.library.report().events


@pytest.mark.parametrize(
    ("marks", "error"),
    [
        ({"liked": ["strange"]}, saccade.NotShown),
        ({}, saccade.InvalidInput),
        ({"liked": ["1-0"], "disliked": ["1-0"]}, saccade.InvalidInput),
        ({"cleared": ["1-0"]}, saccade.InvalidInput),
        ({"liked": "1-0"}, saccade.InvalidInput),
    ],
)
def test_marks_that_cannot_be_meant_teach_nothing(
    reranker: saccade.Reranker, marks: dict[str, list[str]], error: type[Exception]
) -> None:
    """What was not on the page, what is both, and nothing at all."""
    page = reranker.rerank(shoes(1), user="ana")
    digest = reranker.engine.digest
    with pytest.raises(error):
        reranker.react(page, **marks)  # type: ignore[arg-type]
    assert reranker.engine.digest == digest


def test_values_of_any_size_give_scores_that_are_numbers(reranker: saccade.Reranker) -> None:
    """Huge, tiny, all alike, or missing."""
    features: list[dict[str, float]] = [
        {"huge": 1e100, "tiny": 1e-300, "alike": 3.0},
        {"huge": -1e100, "tiny": 2e-300, "alike": 3.0, "some": 1.0},
        {"huge": 0.0, "alike": 3.0},
    ]
    listed = [{"id": str(i), "features": one} for i, one in enumerate(features)]
    page = reranker.rerank(listed, user="ana")
    page = reranker.react(page, liked=["2"], disliked=["0"])
    assert all(np.isfinite(hit.score) for hit in page)
    assert ids(page)[0] == "2"


def test_the_how_tos_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What people copy works as it is printed, and what was liked comes first."""
    page = Path(__file__).parents[3] / "docs" / "howto" / "rerank-candidates.md"
    code, _ = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    told: list[object] = []
    exec(compile(code, str(page), "exec"), {"print": told.append})
    assert told == [["sku-2", "sku-1"]]


def test_pages_nobody_marked_make_room_and_marked_ones_stay(reranker: saccade.Reranker) -> None:
    """As with pictures: the log keeps what somebody spoke of."""
    silent = reranker.rerank(shoes(1), user="ana")
    spoken = reranker.rerank(shoes(2), user="ana")
    reranker.react(spoken, liked=["2-3"])
    reranker.engine.retention.change(megabytes=0.0)
    with pytest.raises(saccade.NotFound, match="no page"):
        reranker.react(silent, liked=["1-3"])
    assert "2-5" in reranker.react(spoken, liked=["2-5"]).liked


def test_marks_against_all_that_is_served_cost_no_more_than_the_guard_allows(
    reranker: saccade.Reranker,
) -> None:
    """The worst that somebody can say: each time, what stands first is wrong, what follows right.

    Without the guard each such page would be lost outright.
    """
    events = 30
    for seed in range(events):
        page = reranker.rerank(shoes(seed), text="shoes", user="ana")
        reranker.react(page, liked=ids(page)[5:10], disliked=ids(page)[:5])
    report = reranker.guard("ana")
    assert (report.events, report.pays) == (events, False)
    # Hedge's bound on sessions that begin: √T (√ln N / 2 + ln(1 / prior of plain) / (2 √ln N)).
    assert (report.served - report.plain) * events <= 1.4 * events**0.5


def test_a_vector_of_another_length_later_is_another_thing(reranker: saccade.Reranker) -> None:
    """Whoever changes their model goes on; what the old one taught is not mixed with it."""
    old = [{"id": str(i), "vectors": {"clip": [1.0, float(i)]}} for i in range(6)]
    new = [{"id": f"n{i}", "vectors": {"clip": [1.0, float(i), 0.5]}} for i in range(6)]
    reranker.react(reranker.rerank(old, user="ana"), liked=["5"], disliked=["0"])
    page = reranker.rerank(new, user="ana", explain=True)
    assert all("clip" not in hit.why for hit in page)
    reranker.react(page, liked=["n5"], disliked=["n0"])
    taught = reranker.rerank(old, user="ana", explain=True)
    assert all(hit.why["clip"] != 0.0 for hit in taught)
    assert reranker.engine.digest == reranker.replay()
