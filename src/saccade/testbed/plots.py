"""Plots of results, drawn without a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from saccade.errors import need

GROUND = "#ffffff"
TAKEN, PRINTED = "#2b6f77", "#c9b458"


def bars(
    path: Path,
    values: Mapping[str, float],
    *,
    title: str,
    axis: str,
    spread: Mapping[str, Sequence[float]] | None = None,
    beside: Mapping[str, float] | None = None,
    labels: tuple[str, str] = ("measured", "printed"),
) -> None:
    """One bar a name, with its value; `spread` dots show folds, `beside` draws a second bar."""
    need("studies", "matplotlib", part="a plot")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = list(values)
    figure = Figure(figsize=(7.5, 0.5 + 0.38 * len(names)), facecolor=GROUND, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    places = [len(names) - 1 - i for i in range(len(names))]
    height = 0.38 if beside else 0.7
    up = 0.2 if beside else 0.0
    axes.barh([p + up for p in places], list(values.values()), height, color=TAKEN, label=labels[0])
    if beside:
        printed = [
            (place, beside[name])
            for place, name in zip(places, names, strict=True)
            if name in beside
        ]
        axes.barh(
            [p - 0.2 for p, _ in printed],
            [v for _, v in printed],
            height,
            color=PRINTED,
            label=labels[1],
        )
        axes.legend(loc="lower right", frameon=False)
    for place, name in zip(places, names, strict=True):
        end = max([values[name], *(spread[name] if spread else ())])
        axes.text(end, place + up, f"  {values[name]:.3f}", va="center", fontsize=8)
        if spread:
            axes.plot(
                spread[name],
                [place + up] * len(spread[name]),
                ".",
                color="#a9d6c9",
                mec="#12343b",
                mew=0.6,
                ms=6,
            )
    axes.set_yticks(places, names)
    axes.set_xlabel(axis)
    axes.set_title(title, loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    # No date and no version in the file: the same values give the same bytes.
    figure.savefig(path, dpi=110, metadata={"Software": None})
