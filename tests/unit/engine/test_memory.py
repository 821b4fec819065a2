"""What a person liked together before: their own later searches, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from inside import models_of
from saccade.engine import Engine
from saccade.engine.learning import memory
from saccade.engine.searching.experts import round as rounds
from saccade.feedback.preferences import Judged
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def test_what_was_liked_together_leads_later_searches(engine: Engine, first: str) -> None:
    """A search from one of them gains by the others; a stranger's page stays as it was."""
    page = engine.search(first, user="ana", k=35)
    before, stranger = (engine.search(ids(page)[0], user=u, k=35) for u in ("ana", "bob"))
    together = [ids(page)[0], *[i for i in ids(before)[4:8] if i != first]]
    engine.react(page, liked=together)
    after = engine.search(together[0], user="ana", k=35)
    part = {hit.image_id: hit.why["like what you liked before"] for hit in after.hits}
    assert min(part[i] for i in together[1:]) > 0.0
    place = [ids(p).index(together[1]) for p in (before, after)]
    assert place[1] < place[0]
    assert ids(engine.search(together[0], user="bob", k=35)) == ids(stranger)


def test_memory_is_a_fold_of_the_log(open_copy: Callable[[], Engine], first: str) -> None:
    """Cleared, undone, forgotten, restarted: as if it had not been said, bit for bit."""
    engine = open_copy()
    start = engine.digest
    page = engine.search(first, user="ana", k=10)
    one, two = ids(page)[:2]
    said = engine.react(page, liked=[one, two])
    digest = engine.digest
    assert models_of(engine).memory.of("ana") == {page.session: (one, two)}
    engine.react(said, cleared=[two])
    assert models_of(engine).memory.of("ana") == {page.session: (one,)}
    engine.undo("ana")
    assert engine.digest == digest == engine.replay()
    engine.close()
    again = open_copy()
    assert again.digest == digest
    again.react(said.page_id, disliked=[one, two])
    assert models_of(again).memory.of("ana") == {}
    again.forget("ana")
    assert again.digest == start == again.replay()


def recalled_strength(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What every recall from now on spreads in all."""
    seen: list[float] = []
    whole = rounds._all

    def spy(sources: Any) -> Any:
        found = whole(sources)
        seen.append(float(found.amounts.sum()))
        return found

    monkeypatch.setattr(rounds, "_all", spy)
    return seen


def test_a_set_reached_half_as_well_is_recalled_an_eighth_as_strongly(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How well is measured against what counts as close."""
    page = engine.search(first, user="ana", k=35)
    engine.react(page, liked=ids(page)[:3])
    seen = recalled_strength(monkeypatch)
    monkeypatch.setattr(rounds, "LEAST", 0.0)
    for close in (1.0, 2.0):
        monkeypatch.setattr(rounds, "CLOSE", close)  # more than anything here is reached with
        engine.search(ids(page)[0], user="ana", k=5)
    assert 0.0 < seen[0] < rounds.RECALLED
    assert seen[0] == pytest.approx(8.0 * seen[1])


def test_a_set_that_is_about_something_else_is_not_recalled(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reached less than `LEAST` as well as the nearest, it says nothing at all."""
    page = engine.search(first, user="ana", k=35)
    engine.react(page, liked=ids(page)[:3])
    seen = recalled_strength(monkeypatch)

    def asking() -> int:
        seen.clear()
        for query in ids(page)[3:]:
            engine.search(query, user="ana", k=5)
        return len(seen)

    usual = asking()
    monkeypatch.setattr(rounds, "LEAST", 0.0)
    assert usual < asking()
    monkeypatch.setattr(rounds, "LEAST", 1.01)
    assert asking() == 0


def test_what_is_recalled_is_measured_beyond_chance() -> None:
    """By hand: chance is what any picture is reached by, and the nearest three are the measure."""
    asked = np.array([9.0, 0.5, 0.4, 0.3, *[0.1] * 6])  # the query itself is left out
    kept = {"then": ("b", "c"), "elsewhere": ("e",), "now": ("a",)}
    sources: list[Any] = []
    graph = SimpleNamespace(spread=lambda found: sources.append(found) or asked)
    session = SimpleNamespace(
        memo={}, user="ana", session_id="now", excluded=np.array([0]),
        collection=SimpleNamespace(find=lambda image: " abcdefgh".index(image)),
    )  # fmt: skip
    models = SimpleNamespace(memory=SimpleNamespace(of=lambda user: kept))

    def recalled() -> Any:
        round = rounds.Round(session, models, Judged())  # type: ignore[arg-type]
        round.__dict__.update(graph=graph, reached=SimpleNamespace(asked=asked))
        return round.recalled

    assert recalled() is asked
    # Chance is 0.2, the nearest three 0.4 on average: "then" is reached by 0.15 of 0.2 beyond it.
    assert sources[-1].rows.tolist() == [2, 3, 5]
    half = rounds.RECALLED * 0.75**3 / 2
    assert sources[-1].amounts.tolist() == pytest.approx([half, half, 0.0])
    # What another session says meanwhile is heard in the same one.
    kept["elsewhere"] = ("a",)
    assert recalled() is asked
    assert sources[-1].rows.tolist() == [1, 2, 3]
    assert sources[-1].amounts[0] > sources[-1].amounts[1:].sum()


def test_a_session_does_not_recall_itself(engine: Engine, first: str) -> None:
    """What is liked now counts as that, and not a second time as liked before."""
    page = engine.search(first, user="ana", k=35)
    page = engine.react(page, liked=ids(page)[:4])
    assert not any("like what you liked before" in hit.why for hit in page.hits)


def test_only_the_latest_sessions_are_kept(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is spoken of again counts as new."""
    monkeypatch.setattr(memory, "SESSIONS", 2)
    pages = [engine.search(first, user="ana", k=10) for _ in range(3)]
    engine.react(pages[0], liked=ids(pages[0])[:1])
    engine.react(pages[1], liked=ids(pages[1])[:1])
    engine.react(pages[0], liked=ids(pages[0])[1:2])
    engine.react(pages[2], liked=ids(pages[2])[:1])
    assert list(models_of(engine).memory.of("ana")) == [pages[0].session, pages[2].session]
    assert engine.digest == engine.replay()
