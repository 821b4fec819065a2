"""Figures of studies: panels of bars or of curves, written as PNG and as SVG.

The same values give the same bytes: no date and no version goes into a file. `about` (machine,
commit, seed) is kept in the files' description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from saccade.errors import need

Bars = Mapping[str, tuple[float, Sequence[float]]]  # name -> value, values of its parts
Lines = Mapping[str, tuple[Sequence[float], Sequence[float]]]  # name -> positions, values
Areas = tuple[Sequence[float], Mapping[str, Sequence[float]], Sequence[float]]
"""Positions, what is stacked there by name, and a line below."""

# Told apart by colour and by dash, for those who see colours differently.
COLOURS = ("#2b6f77", "#c2571a", "#6a51a3", "#4d7c0f", "#b5179e", "#1d4ed8", "#7c5a10", "#555555")
ACROSS = 3  # panels in a row
DASHES = ("-", "--", "-.", ":")


def bars(path: Path, panels: Mapping[str, Bars], *, title: str, about: str = "") -> list[Path]:
    """A panel a measure, a bar a name with its value; dots are its parts (folds, seeds)."""
    names = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    height = 0.9 + 0.3 * len(names)
    figure, grid = _figure(len(panels), (4.6 if len(panels) > 1 else 7.5, height), share="y")
    places = {name: len(names) - 1 - place for place, name in enumerate(names)}
    for axes, (measure, panel) in zip(grid, panels.items(), strict=True):
        for name, (value, parts) in panel.items():
            axes.barh(places[name], value, 0.7, color=COLOURS[0])
            end = max([value, *parts])
            axes.text(end, places[name], f"  {value:.3f}", va="center", fontsize=7)
            if len(parts) > 1:
                axes.plot(parts, [places[name]] * len(parts), ".", color="#a9d6c9", mec="#12343b",
                          mew=0.5, ms=5)  # fmt: skip
        axes.set_yticks(list(places.values()), list(places), fontsize=8)
        axes.margins(x=0.16)
        axes.set_xlabel(measure)
    return _saved(figure, path, title, about)


def curves(
    path: Path,
    panels: Mapping[str, Lines],
    *,
    title: str,
    axis: str,
    log: bool | str = False,
    limits: Mapping[str, tuple[float, float]] | None = None,
    about: str = "",
) -> list[Path]:
    """A panel a measure, a line a name; `limits` cut a measure's axis; `log` may be `x` alone."""
    figure, grid = _figure(len(panels), (6.4 if len(panels) > 1 else 8.0, 4.6), share="x")
    for axes, (measure, panel) in zip(grid, panels.items(), strict=True):
        for place, (name, (positions, values)) in enumerate(panel.items()):
            few = len(positions) <= 12
            axes.plot(positions, values, color=COLOURS[place % len(COLOURS)],
                      linestyle=DASHES[(place // len(COLOURS)) % len(DASHES)],
                      marker="." if few else "", label=name, lw=1.4)  # fmt: skip
        if log == "x":
            axes.set_xscale("symlog", linthresh=1000)  # nought has a place on it
        elif log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        if limits and measure in limits:
            axes.set_ylim(*limits[measure])
        axes.set_xlabel(axis)
        axes.set_ylabel(measure)
    grid[-1].legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _saved(figure, path, title, about)


def areas(path: Path, panels: Mapping[str, Areas], *, title: str, axis: str) -> list[Path]:
    """Shares as stacked areas, and below them what finding them out has cost (regret)."""
    figure, grid = _figure(2 * len(panels), (6.4, 4.6), share="x")
    from matplotlib import colormaps

    shade = colormaps["tab20"]
    for place, (name, (positions, shares, line)) in enumerate(panels.items()):
        stack, below = grid[2 * place], grid[2 * place + 1]
        colours = [shade(i % shade.N) for i in range(len(shares))]
        stack.stackplot(positions, *shares.values(), labels=list(shares), colors=colours)
        stack.set(ylim=(0.0, 1.0), xlabel=axis, ylabel=f"weights: {name}")
        stack.margins(x=0.0)
        below.plot(positions, line, color=COLOURS[0], lw=1.4)
        below.set(xlabel=axis, ylabel="regret against the best single one")
    named = grid[0].get_legend_handles_labels()
    grid[-1].legend(*(one[::-1] for one in named), frameon=False, fontsize=7, loc="center left",
                    bbox_to_anchor=(1.0, 0.5))  # fmt: skip
    return _saved(figure, path, title, "")


def _figure(panels: int, size: tuple[float, float], *, share: str) -> tuple[Figure, list[Axes]]:
    """Panels in rows of three; four make a square."""
    need("studies", "matplotlib", part="a figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    across = 2 if panels == 4 else min(panels, ACROSS)
    down = -(-panels // across)
    width, height = size[0] * across, size[1] * down
    figure = Figure(figsize=(width, height), facecolor="#ffffff", layout="constrained")
    FigureCanvasAgg(figure)
    grid = list(figure.subplots(down, across, squeeze=False, sharey=share == "y").flat)
    for axes in grid:
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[panels:]:
        axes.set_visible(False)
    return figure, grid[:panels]


def _saved(figure: Figure, path: Path, title: str, about: str) -> list[Path]:
    """Both forms beside each other; the title stands above all panels."""
    from matplotlib import rc_context

    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture, drawing = path.with_suffix(".png"), path.with_suffix(".svg")
    figure.savefig(picture, dpi=110, metadata={"Software": None, "Description": about})
    with rc_context({"svg.hashsalt": title, "svg.fonttype": "none"}):
        figure.savefig(drawing, metadata={"Date": None, "Creator": None, "Description": about})
    return [picture, drawing]
