"""The table of capabilities: beside `engine.py`, the only module that names every one of them.

A row is all that the rest of the engine knows of a capability (`loop.capability`). Deleting its
folder, its row here and its room in `engine.py` removes it; a new one is a folder, a row, a room.
"""

from __future__ import annotations

from saccade.engine.attributes.capability import AttributeCapability
from saccade.engine.candidates.capability import CandidateCapability
from saccade.engine.concepts.capability import ConceptCapability
from saccade.engine.configurations.capability import ConfigurationCapability
from saccade.engine.loop.capability import Capability
from saccade.engine.tags.capability import TagCapability
from saccade.engine.text.capability import TextCapability

CAPABILITIES: tuple[type[Capability], ...] = (
    AttributeCapability,
    CandidateCapability,
    ConceptCapability,
    ConfigurationCapability,
    TagCapability,
    TextCapability,
)
