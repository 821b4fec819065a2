"""Choosers over time, to a file: weights as stacked areas, regret below its bound."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.types import ChoosersReport


def plot(report: ChoosersReport, path: Path) -> list[Path]:
    """Draw every chooser that has learned something, all where none has."""
    from saccade.testbed.figures import areas

    drawn = [one for one in report.choosers if one.rounds] or list(report.choosers)
    panels = {
        f"{one.serves} ({one.chooser})": (
            one.history.rounds,
            {
                line.name: [weights[place] for weights in one.history.weights]
                for place, line in enumerate(one.configurations)
            },
            one.history.regret,
        )
        for one in drawn
    }
    return areas(path, panels, title="Choosers over time", axis="reactions")
