"""The rooms that lend the engine what is not the loop, by name."""

from __future__ import annotations

from saccade.engine.attributes import Attributes
from saccade.engine.choosers import Choosers
from saccade.engine.concepts import Concepts
from saccade.engine.keeping import Keeping
from saccade.engine.library import Library
from saccade.engine.neighbourhood import Neighbourhood
from saccade.engine.people import People
from saccade.engine.saving import SavedSessions

__all__ = [
    "Attributes", "Choosers", "Concepts", "Keeping", "Library", "Neighbourhood", "People",
    "SavedSessions",
]  # fmt: skip
