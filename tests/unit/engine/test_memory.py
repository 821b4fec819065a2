"""What a person liked together before: their own later searches, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable

from inside import models_of
from saccade.engine import Engine
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
