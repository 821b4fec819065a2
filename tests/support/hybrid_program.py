"""The hybrid program of Chen, Zhang & Li (2015) written out in the primal, slack by slack."""

from __future__ import annotations

import numpy as np
import piqp


def constraints(points, ordered, similar, rho):
    """Rows (direction, threshold signs, margin, kind): direction·w + signs·b ≥ margin − slack."""
    rows = []
    found = set() if points is None else {int(y) for y in points[1]}
    grades = [-1, 1] if found and found <= {-1, 1} else sorted(found)
    edges = max(0, len(grades) - 1)
    if points is not None:
        for x, y in zip(*points, strict=True):
            place = grades.index(y)
            for edge, sign in ((place - 1, 1.0), (place, -1.0)):
                if 0 <= edge < edges:
                    signs = np.zeros(edges)
                    signs[edge] = -sign
                    rows.append((sign * np.asarray(x, float), signs, 1.0, 0))
    for pairs, kind in ((ordered, 1), (similar, 2)):
        for a, b in zip(*(pairs or ((), ())), strict=True):
            rows.append(
                (np.asarray(a, float) - b, np.zeros(edges), rho if kind == 1 else 0.0, kind)
            )
    return rows, edges


def weights_of(points, ordered, similar, C, c1, c2):
    """Weight of a label of each kind: its constant times its share."""
    counts = np.array(
        [0 if given is None else len(given[0]) for given in (points, ordered, similar)]
    )
    return C * np.array([c1, c2, c2]) * counts / counts.sum()


def optimum(points=None, ordered=None, similar=None, *, C=1.0, c1=1.0, c2=1.0, rho=1.0, bias=None,
            start=None):  # fmt: skip
    """(w, b, value) of the program; `bias` None leaves b free, 0 holds it at zero.

    An alike pair has one slack above both w·z and −w·z.
    """
    rows, edges = constraints(points, ordered, similar, rho)
    weight = weights_of(points, ordered, similar, C, c1, c2)
    width, slacks = len(rows[0][0]), len(rows)
    size = width + edges + slacks
    origin = np.zeros(width) if start is None else np.asarray(start, float)
    P = np.zeros((size, size))
    P[:width, :width] = np.eye(width)
    if bias:
        P[width : width + edges, width : width + edges] = np.eye(edges) / bias**2
    cost = np.concatenate([-origin, np.zeros(edges), [weight[row[3]] for row in rows]])
    G, low = [], []
    for i, (z, signs, margin, kind) in enumerate(rows):
        slack = np.zeros(slacks)
        slack[i] = 1.0
        for turn in (1.0, -1.0) if kind == 2 else (1.0,):
            G.append(np.concatenate([turn * z, signs, slack]))
            low.append(margin)
    lower = np.full(size, -np.inf)
    upper = np.full(size, np.inf)
    lower[width + edges :] = 0.0
    if bias == 0:
        lower[width : width + edges] = upper[width : width + edges] = 0.0
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.max_iter = 1000
    count = len(low)
    solver.setup(
        np.asfortranarray(P), cost, None, None, np.asfortranarray(np.array(G)), np.array(low),
        np.full(count, np.inf), lower, upper,
    )  # fmt: skip
    assert solver.solve() == piqp.PIQP_SOLVED
    x = solver.result.x
    value = 0.5 * x @ P @ x + cost @ x + 0.5 * origin @ origin
    return x[:width], x[width : width + edges], value
