"""Dense columns: one vector per image and descriptor, with the norms of its vectors beside it.

Each similarity of each descriptor is a scheme. The cosine of an embedding is taken around the
centre that the neighbour graph keeps, where there is one; raw similarities are as the papers have
them. φ is measured against a fixed sample of anchors, as `features.scaling` says; a picture that a
descriptor failed on has a zero row, similar to nothing.

The column of a descriptor whose vector is the mean over positions keeps those too, as `parts` reads
them: they come from the same look at the picture.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.contracts import Compatible, Descriptor, Picture, SpatialDescriptor
from saccade.descriptors.embedding import parts as codec
from saccade.engine.collection import Collection, Example, View, Wanted
from saccade.engine.sources.source import About, DescribedColumn, Shelf, Source
from saccade.errors import InvalidInput, StoreError
from saccade.features.phi import Block, Column, Scale, phi, phi_rows, weighted
from saccade.features.scaling import standard
from saccade.features.similarities import SIMILARITIES, norms
from saccade.hints import REPAIR
from saccade.store.columns import Segment
from saccade.types import Array, Arrays, Phi, Rows, Scheme, Scores, Skipped, Spec

log = logging.getLogger(__name__)

POSITIONS, LENGTHS = "positions", "lengths"
"""Arrays that a column has beside its vectors where its descriptor has positions."""


class Elsewhere(Protocol):
    """Whoever computes φ of a collection that is cut into pieces: `shards`."""

    def phi(
        self,
        query: Spec,
        schemes: Sequence[Scheme],
        rows: Rows | None,
        *,
        scale: Scale | None,
        centred: bool,
    ) -> Phi:
        """φ of every row, or of some."""

    def weigh(
        self,
        query: Spec,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float64],
        out: Scores,
        *,
        scale: Scale,
        centred: bool,
    ) -> None:
        """Add to the score of every row."""


@dataclass(frozen=True, slots=True)
class DenseView(View):
    """Columns of vectors, and the anchors' vectors at hand."""

    columns: Mapping[str, Column]
    versions: Mapping[str, str]
    anchor_rows: Rows
    anchors: Mapping[str, Column]
    plain: DenseView | None = None
    """The same without centres, for raw similarities."""
    shards: Elsewhere | None = None
    """Who computes φ; None where it is computed here."""

    def centred(self, centres: Mapping[str, NDArray[np.float32]]) -> DenseView:
        """The same with these descriptors' cosines taken around their centres."""

        def around(columns: Mapping[str, Column]) -> dict[str, Column]:
            return {n: c.around(centres[n]) if n in centres else c for n, c in columns.items()}

        return replace(self, columns=around(self.columns), anchors=around(self.anchors), plain=self)

    @property
    def names(self) -> tuple[str, ...]:
        """The descriptors with a vector for every image."""
        return tuple(self.columns)

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The descriptor itself."""
        return (scheme.descriptor,) if self.serves(scheme) else ()

    def serves(self, scheme: Scheme) -> bool:
        """Every similarity of every column."""
        return scheme.descriptor in self.columns and scheme.similarity in SIMILARITIES

    def of_row(self, row: int) -> dict[str, object]:
        """Every vector of one image."""
        return {name: column.vector(row) for name, column in self.columns.items()}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, object]:
        """The vectors of a picture from outside."""
        vectors: dict[str, object] = {}
        for name, version in self.versions.items():
            if only is not None and name not in only:
                continue
            arrays, problems = describe(_standing_in(name, version), [picture], ["the query"])
            if problems:
                raise InvalidInput(f"the query: {problems[0].reason}")
            vectors[name] = arrays["vectors"][0]
        return vectors

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """Fill the columns of φ of every similarity of every vector."""
        mine = [s for s in schemes if self.serves(s) and s.descriptor in example.parts]
        if not mine:
            return
        if raw and self.plain is not None:
            self.plain.fill(out, example, schemes, rows=rows, raw=True, pool=pool)
            return
        scale = None if raw else self._scale(example, mine)
        place = [schemes.index(scheme) for scheme in mine]
        if self.shards is not None:
            centred = self.plain is not None
            out[:, place] = self.shards.phi(example.parts, mine, rows, scale=scale, centred=centred)
        elif rows is not None:
            out[:, place] = phi_rows(
                example.parts, self.columns, mine, rows, scale=scale, pool=pool
            )
        else:
            out[:, place] = phi(example.parts, self.columns, mine, scale=scale, pool=pool)

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        *,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """One pass over each column that has weight."""
        heard = [
            (scheme, weight)
            for scheme, weight in zip(schemes, weights.tolist(), strict=True)
            if weight != 0.0 and self.serves(scheme) and scheme.descriptor in example.parts
        ]
        if heard:
            mine = [scheme for scheme, _ in heard]
            weights_heard = np.array([weight for _, weight in heard])
            scale = self._scale(example, mine)
            if self.shards is not None:
                centred = self.plain is not None
                self.shards.weigh(
                    example.parts, mine, weights_heard, out, scale=scale, centred=centred
                )
                return
            weighted(
                example.parts, self.columns, mine, weights_heard, scale=scale, pool=pool, out=out
            )

    def _scale(self, example: Example, schemes: Sequence[Scheme]) -> Scale:
        """What the anchors say of each descriptor's similarities."""

        def measured(descriptor: str) -> NDArray[np.float32]:
            every = [Scheme(descriptor, similarity) for similarity in SIMILARITIES]
            similarities = phi(example.parts, {descriptor: self.anchors[descriptor]}, every)
            # The query among its own anchors would be an outlier that hides the others' spread.
            return standard(similarities[self.anchor_rows != example.row], every)[descriptor]

        names = {scheme.descriptor for scheme in schemes}
        return {n: example.once(f"scale/{n}", partial(measured, n)) for n in sorted(names)}

    def remember(self, example: Example, *, places: bool) -> dict[str, Array]:
        """The vectors of a picture from outside."""
        return {name: example.parts[name] for name in self.columns if name in example.parts}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, object]:
        """Vectors the log kept; a descriptor that joined the recipe since has nothing to say."""
        blank = {n: np.zeros(_width(column), np.float32) for n, column in self.columns.items()}
        return {name: arrays.get(name, nothing) for name, nothing in blank.items()}


class Dense(Source):
    """Whatever a descriptor computes from pixels."""

    def covers(self, descriptor: str) -> bool:
        """Everything that no other source has."""
        return True

    def about(self, descriptor: str) -> About:
        """Version, kind and dimension."""
        made = descriptor_of(descriptor)
        return About(made.name, made.version, made.kind, made.dimension)

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> DescribedColumn:
        """Vectors and their norms; positions, of a descriptor that has some."""
        return describe(descriptor_of(descriptor), pictures, labels, positions=True)

    def blank(self, descriptor: str) -> dict[str, Array]:
        """A zero row."""
        made = descriptor_of(descriptor)
        return {
            "vectors": np.zeros((1, made.dimension), np.float32),
            "norms": np.zeros((1, 2), np.float32),
            **(_no_positions(1) if spatial(made) else {}),
        }

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> DenseView:
        """The columns that cover every row."""
        columns: dict[str, Column] = {}
        versions: dict[str, str] = {}
        order = sorted(
            shelf.segments.items(), key=lambda item: [s.segment_id for s in item[1]][-1:]
        )
        for (name, version), _ in order:
            # While a descriptor's new version is computed, the old one goes on serving.
            held = shelf.whole(name, version) if name in descriptors else None
            if held is not None and all("vectors" in segment.files for segment in held):
                with trace.dropping(log, StoreError, doing="loading a column", column=name):
                    columns[name] = Column(name, tuple(_block(shelf, s) for s in held))
                    versions[name] = version
        anchors = shelf.anchor_rows
        return DenseView(
            columns={name: columns[name] for name in descriptors if name in columns},
            versions=versions,
            anchor_rows=anchors,
            anchors={n: Column(n, (Block.of(c.take(anchors)),)) for n, c in columns.items()},
        )

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """Dimension and bytes per image: the vector and its two norms, and positions."""
        made = descriptor_of(descriptor)
        more = sum(one.nbytes for one in _no_positions(1).values()) if spatial(made) else 0
        return made.dimension, 4 * (made.dimension + 2) + more

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Vectors have norms: those are their checksums."""
        if "vectors" not in arrays or "norms" not in arrays:
            return "lacks its vectors or their norms"
        vectors, sizes = arrays["vectors"], arrays["norms"]
        if len(vectors) != rows or len(sizes) != rows:
            return "has another number of rows"
        if not np.isfinite(vectors).all():
            return "has values that are not numbers"
        if not np.allclose(norms(vectors), sizes, rtol=1e-3, atol=1e-5):
            return "does not match its checksums"
        return _damaged_positions(arrays, rows)


def of(collection: Collection) -> DenseView:
    """The dense columns of a collection."""
    view = collection.views.get("dense")
    return view if isinstance(view, DenseView) else DenseView({}, {}, np.zeros(0, np.int64), {})


@lru_cache(maxsize=64)
def descriptor_of(name: str) -> Descriptor:
    """The descriptor with this name, made once per process."""
    import cv2

    from saccade.descriptors import make

    # OpenCV would start a thread for every core in every worker and every request.
    cv2.setNumThreads(1)
    return make(name)


def describe(
    descriptor: Descriptor,
    pictures: Sequence[Picture],
    labels: Sequence[str],
    *,
    positions: bool = False,
) -> DescribedColumn:
    """One descriptor of some pictures; one bad picture never spoils the others.

    `positions` too, where the descriptor has some: they come from the same look.
    """
    problems: list[Skipped] = []
    try:
        arrays = _checked(descriptor, pictures, positions)
    except Exception:
        # Someone else's code may raise anything. Find the picture it chokes on; keep the others.
        arrays = _nothing(descriptor, len(pictures), positions)
        for i, picture in enumerate(pictures):
            try:
                for name, values in _checked(descriptor, [picture], positions).items():
                    arrays[name][i] = values[0]
            except Exception as error:
                trace.swallowed(log, error, doing="describing a picture", by=descriptor.name)
                reason = f"descriptor {descriptor.name!r} failed: {type(error).__name__}: {error}"
                problems.append(Skipped(labels[i], reason))
    return {**arrays, "norms": norms(arrays["vectors"])}, problems


def _checked(
    descriptor: Descriptor, pictures: Sequence[Picture], positions: bool
) -> dict[str, Array]:
    if not pictures:
        return _nothing(descriptor, 0, positions)
    if positions and isinstance(descriptor, SpatialDescriptor) and spatial(descriptor):
        seen = descriptor.look(pictures)
        vectors = seen.vectors
        more: dict[str, Array] = {
            POSITIONS: codec.encode(seen.positions),
            LENGTHS: seen.lengths,
        }
    else:
        vectors, more = np.asarray(descriptor.describe(pictures), np.float32), {}
    if vectors.shape != (len(pictures), descriptor.dimension):
        raise ValueError(f"gave shape {vectors.shape} for {len(pictures)} pictures")
    if not np.isfinite(vectors).all():
        raise ValueError("gave a value that is not finite")
    return {"vectors": vectors, **more}


def _nothing(descriptor: Descriptor, count: int, positions: bool) -> dict[str, Array]:
    more = _no_positions(count) if positions and spatial(descriptor) else {}
    return {"vectors": np.zeros((count, descriptor.dimension), np.float32), **more}


def _no_positions(count: int) -> dict[str, Array]:
    return {
        POSITIONS: np.zeros((count, codec.BYTES, codec.POSITIONS), np.uint8),
        LENGTHS: np.zeros(count, np.float32),
    }


def _damaged_positions(arrays: Arrays, rows: int) -> str:
    if POSITIONS not in arrays and LENGTHS not in arrays:
        return ""
    codes, lengths = arrays.get(POSITIONS), arrays.get(LENGTHS)
    if codes is None or lengths is None:
        return "lacks its positions or their lengths"
    if codes.shape != (rows, codec.BYTES, codec.POSITIONS) or lengths.shape != (rows,):
        return "has positions of another number of rows"
    if codes.dtype != np.uint8 or not np.isfinite(lengths).all():
        return "has positions that cannot be"
    return ""


def spatial(descriptor: Descriptor) -> bool:
    """Whether a store keeps the positions that a descriptor's vectors are the means of."""
    return getattr(descriptor, "space", "") == codec.SPACE


def _standing_in(name: str, version: str) -> Descriptor:
    """What describes a picture so that it can be compared with a column of this version."""
    made = descriptor_of(name)
    if made.version == version:
        return made
    other = made.standing_in(version) if isinstance(made, Compatible) else None
    if other is None:
        raise StoreError(f"column {name!r} was computed by another version of Saccade", hint=REPAIR)
    return other


def _block(shelf: Shelf, segment: Segment) -> Block:
    arrays = shelf.store.columns.load(segment)
    use = min(segment.rows, shelf.total - segment.first)
    vectors, sizes = arrays.get("vectors"), arrays.get("norms")
    if vectors is None or sizes is None:
        raise StoreError(f"column {segment.name!r}: a segment has no vectors or no norms")
    if len(vectors) != segment.rows or len(sizes) != segment.rows:
        raise StoreError(f"column {segment.name!r}: a segment has another number of rows")
    return Block.of(vectors[:use], sizes[:use])


def _width(column: Column) -> int:
    return int(column.blocks[0].vectors.shape[1])
