"""What people made and where they are: houses, sailing boats, walkers."""

from __future__ import annotations

from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, lighter, mix


def house(
    canvas: Canvas,
    foot: Point,
    width: float,
    height: float,
    wall: Colour,
    roof: Colour,
    *,
    window: Colour,
    floors: int = 2,
    columns: int = 2,
    gable: bool = True,
) -> None:
    """A house seen from the front; `foot` is the middle of its lower edge."""
    x, y = foot
    left, right, top = x - width / 2, x + width / 2, y - height
    canvas.fill(box(left, top, right, y), lighter(wall, 0.12), darker(wall, 0.12), towards=40)
    if gable:
        canvas.fill(
            [(left - width * 0.06, top), (x, top - width * 0.5), (right + width * 0.06, top)],
            lighter(roof, 0.1),
            darker(roof, 0.15),
            towards=20,
        )
    else:
        canvas.fill(
            [
                (left - width * 0.05, top),
                (left + width * 0.12, top - width * 0.28),
                (right - width * 0.12, top - width * 0.28),
                (right + width * 0.05, top),
            ],
            lighter(roof, 0.1),
            darker(roof, 0.2),
        )
    cell_x, cell_y = width / columns, height / (floors + 0.35)
    for floor in range(floors):
        for column in range(columns):
            middle = left + cell_x * (column + 0.5)
            up = top + cell_y * (floor + 0.28)
            if floor == floors - 1 and column == columns // 2:
                door = box(middle - cell_x * 0.2, up, middle + cell_x * 0.2, y)
                canvas.fill(door, darker(roof, 0.3))
                continue
            pane = box(middle - cell_x * 0.22, up, middle + cell_x * 0.22, up + cell_y * 0.55)
            canvas.fill(pane, window, darker(window, 0.2))
            canvas.stroke(pane, lighter(wall, 0.6), width * 0.018, closed=True)
            canvas.stroke(
                [(middle, up), (middle, up + cell_y * 0.55)], lighter(wall, 0.6), width * 0.014
            )


def sailboat(
    canvas: Canvas, waterline: Point, size: float, hull: Colour, sail: Colour, stripe: Colour
) -> None:
    """A sailing boat with a mainsail and a jib."""
    x, y = waterline
    lean = canvas.rng.uniform(-0.05, 0.05) * size
    mast = (x + lean, y - size * 1.25)
    canvas.stroke([(x, y - size * 0.1), mast], darker(hull, 0.5), size * 0.03)
    canvas.fill(
        [
            (x + size * 0.04 + lean, y - size * 1.2),
            (x + size * 0.55, y - size * 0.26),
            (x + size * 0.04, y - size * 0.24),
        ],
        lighter(sail, 0.2),
        darker(sail, 0.12),
        towards=0,
    )
    canvas.fill(
        [
            (x - size * 0.05 + lean, y - size * 1.1),
            (x - size * 0.45, y - size * 0.24),
            (x - size * 0.05, y - size * 0.24),
        ],
        stripe,
        darker(stripe, 0.12),
        towards=0,
    )
    canvas.fill(
        [
            (x - size * 0.55, y - size * 0.18),
            (x + size * 0.62, y - size * 0.2),
            (x + size * 0.42, y + size * 0.05),
            (x - size * 0.4, y + size * 0.05),
        ],
        lighter(hull, 0.15),
        darker(hull, 0.25),
    )


def walker(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
    """A small figure with a coat."""
    rng, (x, y) = canvas.rng, foot
    coat = mood.accent(rng)
    for leg in (-0.07, 0.07):
        canvas.stroke(
            [(x, y - size * 0.4), (x + leg * size * 1.4, y)], darker(mood.near, 0.4), size * 0.07
        )
    canvas.fill(
        [
            (x - size * 0.09, y - size * 0.8),
            (x + size * 0.09, y - size * 0.8),
            (x + size * 0.17, y - size * 0.32),
            (x - size * 0.17, y - size * 0.32),
        ],
        coat,
    )
    canvas.fill(
        ellipse((x, y - size * 0.9), size * 0.085, size * 0.1), mix(mood.sand, mood.trunk, 0.3)
    )
