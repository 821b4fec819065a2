"""Several descriptors as one vector, so that the graph links by all that tells pictures apart.

    v = Σ_d √share_d · (u_d − c_d) / |u_d − c_d|,   side by side      u_d the unit vector of d

so that the product of two is the mean, by share, of their cosines around each descriptor's centre
c_d. Descriptors made by hand count by their signed roots, which keeps a few strong bins from
deciding alone; learned embeddings as they are. The centre is the mean of the collection's unit
vectors, taken once and kept: pictures that come later are compared as the earlier ones were. It is
drawn a little to zero, as by ten blank pictures, so that even two pictures have one and are not
opposites by construction.

A descriptor with nothing to say about a picture (a zero vector) takes no part in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.types import Array, Arrays, Rows, Spec, Vectors

Take = Callable[[Rows], Vectors]
"""Vectors of some rows, as they are stored: a column's `take`, or an array's `__getitem__`."""

_SHARE = 4096
_FEW = 512  # rows a thread takes at a time
_SHY = 10
_FAINT = 1e-6  # of a unit vector: what is left of one that is the centre is rounding


@dataclass(frozen=True, slots=True)
class BlendPart:
    """One descriptor's place in a blend."""

    name: str
    share: float
    rooted: bool  # by its signed root
    centre: NDArray[np.float32]  # [d]

    def seen(self, vectors: Vectors) -> Vectors:
        """Unit vectors around the centre, [n, d]; zero where there is nothing to say."""
        from saccade.kernels.graph import centre_rows

        unit = _rooted(vectors, self.rooted)
        centre_rows(unit, self.centre, _FAINT)
        return unit

    def along(
        self,
        blocks: Sequence[Vectors],
        rows: Rows,
        directions: Vectors,
        pool: Executor | None = None,
    ) -> Vectors:
        """`seen(vectors) @ directions.T` of ascending rows, [n, k], read where they are stored.

        Blocks hold consecutive rows of the collection; threads share the rows. Equal within
        rounding.

        >>> part = BlendPart("gist", 1.0, False, np.zeros(2, np.float32))
        >>> vectors = np.array([[3, 4], [0, 0]], np.float32)
        >>> part.along([vectors], np.arange(2), np.eye(2, dtype=np.float32)).round(2).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
        """
        from saccade.kernels.centred import along

        out = np.zeros((len(rows), len(directions)), np.float32)
        aim = np.ascontiguousarray(directions, np.float32), self.centre, self.rooted
        jobs, start = [], 0
        for block in blocks:
            first, last = np.searchsorted(rows, [start, start + len(block)]).tolist()
            jobs += [
                (block, start, slice(i, min(i + _FEW, last))) for i in range(first, last, _FEW)
            ]
            start += len(block)

        def run(job: tuple[Vectors, int, slice]) -> None:
            block, start, part = job
            along(block, rows[part], start, *aim, np.float32(_FAINT), out[part])

        list(map(run, jobs) if pool is None or len(jobs) < 2 else pool.map(run, jobs))
        return out


@dataclass(frozen=True, slots=True)
class Blend:
    """The parts in order, and how many images their centres were taken from."""

    parts: tuple[BlendPart, ...]
    around: int

    @classmethod
    def fit(
        cls,
        takes: Mapping[str, Take],
        shares: Mapping[str, float],
        rooted: Sequence[str],
        rows: Rows,
    ) -> Blend:
        """The blend of these descriptors by share, around the centres of these rows.

        >>> vectors = np.array([[9, 1], [8, 1], [1, 9], [1, 8]], np.float32)
        >>> blend = Blend.fit({"gist": vectors.__getitem__}, {"gist": 1.0}, (), np.arange(4))
        >>> blend.vectors({"gist": vectors}).shape
        (4, 2)
        """
        if not shares or min(shares.values()) <= 0.0:
            raise InvalidInput(f"blend: shares must be positive, not {dict(shares)}")
        parts = []
        for name, share in shares.items():
            bare = BlendPart(name, float(share), name in rooted, np.zeros(1, np.float32))
            parts.append(BlendPart(name, bare.share, bare.rooted, _mean(takes[name], bare, rows)))
        return cls(tuple(parts), len(rows))

    def vectors(self, stored: Mapping[str, Vectors]) -> Vectors:
        """The blended unit vectors of pictures, given what each descriptor says, [n, width]."""
        from saccade.kernels.graph import unit_rows

        total = sum(part.share for part in self.parts)
        seen = [
            part.seen(stored[part.name]) * np.float32((part.share / total) ** 0.5)
            for part in self.parts
        ]
        joined = np.ascontiguousarray(np.concatenate(seen, axis=1))
        unit_rows(joined)
        return joined

    def taking(self, takes: Mapping[str, Take]) -> Take:
        """Blended vectors by row, from each descriptor's own."""
        return lambda rows: self.vectors({p.name: takes[p.name](rows) for p in self.parts})

    def arrays(self) -> dict[str, Array]:
        """The centres by descriptor."""
        return {f"centre/{part.name}": part.centre for part in self.parts}

    def spec(self) -> dict[str, object]:
        """The rest, as plain values."""
        parts = [{"name": p.name, "share": p.share, "rooted": p.rooted} for p in self.parts]
        return {"parts": parts, "around": self.around}

    @classmethod
    def load(cls, spec: Spec, arrays: Arrays) -> Blend:
        """What `spec` and `arrays` gave; raises InvalidInput where that cannot be a blend."""
        try:
            parts = tuple(
                BlendPart(
                    str(one["name"]),
                    float(one["share"]),
                    bool(one["rooted"]),
                    np.ascontiguousarray(arrays[f"centre/{one['name']}"], np.float32),
                )
                for one in spec["parts"]
            )
            blend = cls(parts, int(spec["around"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(f"blend: {error} is missing or of another form") from error
        for part in blend.parts:
            if not (part.share > 0.0 and part.centre.ndim == 1 and np.isfinite(part.centre).all()):
                raise InvalidInput(f"blend: the part of {part.name!r} is damaged")
        return blend


def _rooted(vectors: Vectors, rooted: bool) -> Vectors:
    copied = np.array(vectors, np.float32, order="C")
    if rooted:
        roots = np.abs(copied)
        np.copysign(np.sqrt(roots, out=roots), copied, out=copied)
    return copied


def _mean(take: Take, part: BlendPart, rows: Rows) -> NDArray[np.float32]:
    from saccade.kernels.graph import unit_rows

    total, count = np.zeros(take(rows[:1]).shape[1]), 0
    for i in range(0, len(rows), _SHARE):
        vectors = _rooted(take(rows[i : i + _SHARE]), part.rooted)
        unit_rows(vectors)
        total += vectors.sum(0, dtype=np.float64)
        count += int(np.count_nonzero(vectors.any(1)))
    return np.asarray(total / (count + _SHY), np.float32)
