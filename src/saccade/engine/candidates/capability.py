"""What the rest of the engine knows of candidates: their events, folds, and whose page is whose."""

from __future__ import annotations

import numpy as np

from saccade.engine.candidates.fold import STEP, CandidateFold, CandidateGuardFold
from saccade.engine.candidates.records import (
    CandidatesAwaited,
    CandidatesClicked,
    CandidatesMarked,
    CandidatesShown,
)
from saccade.engine.events import Entry
from saccade.engine.loop.capability import Capability
from saccade.errors import NotFound
from saccade.rankers.second_order import AROW


class CandidateCapability(Capability):
    """Others' candidates at work in one open store."""

    name = "candidates"
    records = (CandidatesShown, CandidatesMarked, CandidatesClicked, CandidatesAwaited)
    folds = {"candidates": CandidateFold, "candidate-guard": CandidateGuardFold}  # noqa: RUF012

    def session_of(self, page_id: str) -> str | None:
        """The session of a page of candidates."""
        entry = self.opened.learning.entry(page_id, CandidatesShown.kind)
        return None if entry is None else entry.session_id

    def shown(self, page_id: str) -> tuple[Entry, CandidatesShown]:
        """What the log keeps of a page."""
        entry = self.opened.learning.entry(page_id, CandidatesShown.kind)
        if entry is None or not isinstance(entry.record, CandidatesShown):
            days = self.opened.recipe.retention["days"]
            raise NotFound(
                f"no page {page_id!r} of candidates in the log, which keeps pages that nobody "
                f"marked for {days:g} days at most",
                hint="rank the candidates again",
            )
        return entry, entry.record

    def warm(self) -> None:
        """Load what the first mark needs."""
        pair = np.zeros((1, 2), np.float32)
        AROW(r=STEP, width=2).learn(pair, pair)
