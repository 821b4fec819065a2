"""What can answer a session: the product, its experts alone, and the peers people would try first.

    saccade, EXPERT     the engine on a copy of the store; `saccade` is what it serves
    no learning         the engine's start, whatever is said
    rocchio embedding   query and likes minus dislikes, centred unit vectors (Rocchio 1971)
    linear svm          a support vector machine on the judged, the query among the likes
    rocchio + svm       the sum of the two, standardised
    nearest liked       likeness to the nearest like minus likeness to the nearest dislike
    label spreading     scikit-learn's, on the nearest 15 (Zhou et al. 2004)

The peers see the centred embedding, the query as a like that cannot be taken back, and start from
its cosine.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saccade.features.rocchio import centred
from saccade.testbed.sessions import Ranked
from saccade.types import Page

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.studies.collection import Images

PRODUCT = "saccade"
NONE = "no learning"
EXPERTS = ("learned", "spread", "contrast", "rocchio", "margin", "company")
PEERS = (
    "rocchio embedding", "linear svm", "rocchio + svm", "nearest liked", "label spreading",
)  # fmt: skip

Scores = NDArray[np.float64]


@dataclass(slots=True)
class Product:
    """The engine, in one session of one new person."""

    engine: Engine
    query: str
    size: int
    ranker: str | None = None
    user: str = field(default_factory=lambda: uuid.uuid4().hex)
    page: Page | None = None

    def begin(self) -> Sequence[str]:
        """The first page, as long as the collection."""
        search = partial(self.engine.search, self.query, user=self.user, k=self.size)
        return self._shown(search() if self.ranker is None else search(expert=self.ranker))

    def judge(self, liked: Sequence[str], disliked: Sequence[str]) -> Sequence[str]:
        """The page after a reaction."""
        assert self.page is not None  # a session begins with `begin`
        page = self.engine.react(self.page, liked=liked, disliked=disliked, k=self.size)
        return self._shown(page)

    def _shown(self, page: Page) -> Sequence[str]:
        self.page = page
        return [hit.image_id for hit in page.hits]


@dataclass(slots=True)
class Fixed:
    """The engine's start, whatever is said."""

    product: Product
    order: Sequence[str] = ()

    def begin(self) -> Sequence[str]:
        """The first page."""
        self.order = self.product.begin()
        return self.order

    def judge(self, liked: Sequence[str], disliked: Sequence[str]) -> Sequence[str]:
        """The first page."""
        return self.order


@dataclass(slots=True)
class Peer:
    """A learner on the centred embedding."""

    name: str
    ids: Sequence[str]
    units: NDArray[np.float32]  # [n, d] unit vectors seen from the collection's centre
    query: int
    liked: list[int] = field(default_factory=list)
    disliked: list[int] = field(default_factory=list)

    def begin(self) -> Sequence[str]:
        """By cosine to the query."""
        return self._ordered((self.units @ self.units[self.query]).astype(np.float64))

    def judge(self, liked: Sequence[str], disliked: Sequence[str]) -> Sequence[str]:
        """Learned anew from all that was said."""
        place = {image: i for i, image in enumerate(self.ids)}
        self.liked += [place[image] for image in liked]
        self.disliked += [place[image] for image in disliked]
        scores = PEER_SCORES[self.name](self)
        # What was judged is not guessed, as in the product.
        scores[self.liked], scores[self.disliked] = np.inf, -np.inf
        return self._ordered(scores)

    @property
    def meant(self) -> list[int]:
        """The query and the likes."""
        return [self.query, *self.liked]

    def _ordered(self, scores: Scores) -> Sequence[str]:
        order = np.argsort(-scores, kind="stable")
        return [self.ids[i] for i in order if i != self.query]


def _rocchio(peer: Peer) -> Scores:
    away = peer.units[peer.disliked].mean(0) if peer.disliked else 0.0
    direction = peer.units[peer.meant].mean(0) - 0.5 * away
    return np.asarray(peer.units @ direction, np.float64)


def _svm(peer: Peer) -> Scores:
    from sklearn.svm import LinearSVC

    if not peer.disliked:
        return _rocchio(peer)
    rows = [*peer.meant, *peer.disliked]
    truth = [1] * len(peer.meant) + [-1] * len(peer.disliked)
    model = LinearSVC(C=1.0, class_weight="balanced", random_state=0).fit(peer.units[rows], truth)
    return np.asarray(model.decision_function(peer.units), np.float64)


def _both(peer: Peer) -> Scores:
    parts = [_rocchio(peer), _svm(peer)]
    return np.asarray(sum((p - p.mean()) / max(p.std(), 1e-12) for p in parts), np.float64)


def _nearest(peer: Peer) -> Scores:
    near = (peer.units @ peer.units[peer.meant].T).max(1)
    far = (peer.units @ peer.units[peer.disliked].T).max(1) if peer.disliked else 0.0
    return np.asarray(near - far, np.float64)


def _label_spreading(peer: Peer) -> Scores:
    from sklearn.semi_supervised import LabelSpreading

    if not peer.disliked:
        return _nearest(peer)
    truth = np.full(len(peer.units), -1)
    truth[peer.meant], truth[peer.disliked] = 1, 0
    model = LabelSpreading(kernel="knn", n_neighbors=15, alpha=0.9, max_iter=100)
    model.fit(peer.units, truth)
    return np.asarray(model.label_distributions_[:, 1], np.float64)


PEER_SCORES = {
    "rocchio embedding": _rocchio,
    "linear svm": _svm,
    "rocchio + svm": _both,
    "nearest liked": _nearest,
    "label spreading": _label_spreading,
}


def system_of(name: str, images: Images, engine: Engine, query: int) -> Ranked:
    """A system by name, for one query."""
    if name in PEER_SCORES:
        return Peer(name, images.ids, units_of(images), query)
    ranker = name if name in EXPERTS else None
    product = Product(engine, images.ids[query], len(images.ids), ranker)
    return Fixed(product) if name == NONE else product


def units_of(images: Images) -> NDArray[np.float32]:
    """The embedding as the peers see it, from its own centre."""
    vectors = np.ascontiguousarray(images.vectors_of("embedding"), np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    centre = (vectors / np.maximum(lengths, 1e-12)).mean(0)
    return centred(vectors, centre)


LOG_SVM = "log-based svm"


@dataclass(slots=True)
class FeedbackLog:
    """Log-based relevance feedback: a soft-label SVM over past sessions (Hoi & Lyu 2004).

        r_i      what each session said of picture i: 1 right, −1 wrong, 0 nothing
        c_i      Σ_s r_i r_q, over the largest of them: how the log relates i to the query

    The machine learns from the query, as a sure like, and from pictures that the log relates to it,
    each by |c_i|; its decision and the cosine, both standardised, rank. Where the log says nothing
    of the query, it is what the log says of its nearest picture that has been spoken of.
    """

    units: NDArray[np.float32]  # [n, d]
    sessions: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def add(self, query: int, liked: Sequence[int], disliked: Sequence[int]) -> None:
        """One more session; its query was right."""
        self.sessions.append(([query, *liked], [*disliked]))

    def order(self, query: int) -> list[int]:
        """Every picture but the query, best first."""
        cosine = (self.units @ self.units[query]).astype(np.float64)
        related = self._related(query, cosine)
        scores = _standard(cosine)
        if (related < 0.0).any():
            scores = scores + _standard(self._decision(query, related))
        return [int(i) for i in np.argsort(-scores, kind="stable") if i != query]

    def _related(self, query: int, cosine: Scores) -> Scores:
        spoken = np.zeros(len(self.units), np.bool_)
        for side in (side for session in self.sessions for side in session):
            spoken[side] = True
        if not spoken.any():
            return np.zeros(len(self.units))
        near = query if spoken[query] else int(np.argmax(np.where(spoken, cosine, -np.inf)))
        out = np.zeros(len(self.units))
        for right, wrong in self.sessions:
            sign = (near in right) - (near in wrong)
            out[right] += sign
            out[wrong] -= sign
        return np.asarray(out / max(1.0, float(np.abs(out).max())))

    def _decision(self, query: int, related: Scores) -> Scores:
        from sklearn.svm import LinearSVC

        rows = np.flatnonzero(related)
        truth = np.sign(related[rows])
        model = LinearSVC(C=1.0, class_weight="balanced", random_state=0)
        model.fit(
            self.units[[query, *rows]], [1, *truth], sample_weight=[1.0, *np.abs(related[rows])]
        )
        return np.asarray(model.decision_function(self.units), np.float64)


def _standard(scores: Scores) -> Scores:
    return np.asarray((scores - scores.mean()) / max(scores.std(), 1e-12))
