"""Re-ranking alone: for whoever has candidates, and no pictures.

with saccade.Reranker("shop.saccade") as reranker:
    page = reranker.rerank([{"id": "sku-1", "features": {"bm25": 7.1}}, …], text="red shoes")
    page = reranker.react(page, liked=["sku-1"])
"""

from __future__ import annotations

import os
from typing import Any

from saccade.engine.candidates.surface import Candidates
from saccade.engine.engine import Engine
from saccade.engine.request import GUEST
from saccade.types import CandidatePage, GuardReport, Spec, Undone


class Reranker(Candidates):
    """Candidates of another engine in the order that people teach. Thread-safe.

    It ranks and learns as `Engine.candidates` does: `rerank`, `react`, `take`, `texts`. Everything
    is kept in a store, as an engine's: `engine` is that engine, for whatever else it can do. One
    that was given stays open when this is closed.

    >>> import saccade
    >>> found = [{"id": "a", "features": {"bm25": 7.1}}, {"id": "b", "features": {"bm25": 3.0}}]
    >>> with saccade.Reranker(folder / "shop.saccade") as reranker:
    ...     page = reranker.rerank(found, text="red shoes", user="ana")
    ...     page = reranker.react(page, liked=["b"], disliked=["a"])
    ...     data, undone = reranker.export("ana"), reranker.undo("ana")
    ...     reranker.import_("bob", data), reranker.guard("bob").events, reranker.forget("ana")
    ...     reranker.replay() == reranker.engine.digest
    (1, 1, 1)
    True
    >>> reranker = saccade.Reranker(engine)  # in a store that is open
    >>> reranker.knows("p-1"), reranker.texts(user="ana"), reranker.take([]).taken
    (False, (), 0)
    >>> reranker.close()  # the engine stays open
    """

    engine: Engine
    """Where it is kept."""

    def __init__(self, store: str | os.PathLike[str] | Engine) -> None:
        """Open a store, made where it is missing; or use an engine that is open."""
        self._lent = isinstance(store, Engine)
        self.engine = store if isinstance(store, Engine) else Engine(store, warm=False)
        super().__init__(*self.engine.candidates.parts)

    def undo(self, user: str = GUEST, page: CandidatePage | str | None = None) -> Undone:
        """Take back a person's last feedback; of a page's session alone."""
        return self.engine.undo(user, page)

    def forget(self, user: str) -> int:
        """Remove a person and everything learned from them; returns how many events are gone."""
        return self.engine.forget(user)

    def export(self, user: str = GUEST) -> dict[str, Any]:
        """A person's feedback as plain JSON values: everything `import_` needs."""
        return self.engine.people.export(user)

    def import_(self, user: str, data: Spec) -> int:
        """Append exported feedback under a person's name, all of it or nothing."""
        return self.engine.people.import_(user, data)

    def replay(self) -> str:
        """Rebuild every model from the log; returns the digest of the models."""
        return self.engine.replay()

    def guard(self, user: str | None = GUEST) -> GuardReport:
        """Whether what a person taught pays, measured before each lesson; None for everybody."""
        return super().guard(user=user)

    def close(self) -> None:
        """Let go of the store, unless the engine was lent."""
        if not self._lent:
            self.engine.close()

    def __enter__(self) -> Reranker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
