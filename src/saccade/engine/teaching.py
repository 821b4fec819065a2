"""What a person says about a page, as an event that carries its own lesson."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from saccade.engine.choice import rewarded
from saccade.engine.events import Lesson, Preferred, Reacted, Shown
from saccade.engine.evidence import Evidence, gathered, on_page
from saccade.engine.opened import Resumed
from saccade.engine.searching.session import Session
from saccade.errors import InvalidInput, NotShown
from saccade.feedback.preferences import Judged, Pair, preferences, stated
from saccade.hints import Hint
from saccade.types import Hit, Phi


def reacted(
    on: Resumed,
    liked: Sequence[str | Hit],
    disliked: Sequence[str | Hit],
    cleared: Sequence[str | Hit],
) -> Reacted:
    """Pictures of a page called right or wrong, and marks taken off, by id or as hits.

    What was marked on another page of the session can be marked anew or cleared here, too.
    """
    new, gone, standing = Judged(_ids(liked), _ids(disliked)), _ids(cleared), on.marks.judged
    marked = {*standing.liked, *standing.disliked}
    _check_said(new, gone, marked)
    _check_shown([*new.liked, *new.disliked], {*on.shown.images, *marked})
    said = {*new.liked, *new.disliked, *gone}
    earlier = Judged(
        tuple(image for image in standing.liked if image not in said),
        tuple(image for image in standing.disliked if image not in said),
    )
    pairs = preferences(on.shown.images, new, earlier)
    taught = lesson(pairs, on.shown, on.session, stated=stated(new, earlier))
    replaced = on.marks.replaced(said)
    # A word said twice is one: it is charged by the event that stands.
    void = {image for image, event in on.marks.by.items() if event in replaced}
    fresh = Judged(
        tuple(image for image in new.liked if image in void or image not in standing.liked),
        tuple(image for image in new.disliked if image in void or image not in standing.disliked),
    )
    proof = _evidence(on, fresh, earlier)
    page = on.shown
    reward = rewarded(page.choice, page.places, page.images, new, page.propensity)
    return Reacted(new.liked, new.disliked, taught, gone, proof, replaced, reward)


def _evidence(on: Resumed, fresh: Judged, earlier: Judged) -> Evidence | None:
    """What the experts said of the pictures before they were marked."""
    opinions = on.shown.opinions
    if opinions is None:
        return None
    known = {**on_page(on.shown.images, opinions), **on.marks.known}
    return gathered(known, opinions.stage, fresh, earlier)


def preferred(on: Resumed, better: str | Hit, worse: str | Hit) -> Preferred:
    """One picture of a page before another; the opposite, said before, no longer counts."""
    (first, *_), (second, *_) = _ids([better]), _ids([worse])
    _check_shown([first, second], on.shown.images)
    if first == second:
        raise InvalidInput(f"image {first!r} cannot be better than itself")
    pair = (first, second)
    taught = lesson([pair], on.shown, on.session, stated=True)
    said = pair in on.marks.pairs
    proof = None if said else _evidence(on, Judged((first,), (second,)), Judged())
    return Preferred(first, second, taught, proof, on.marks.pairs.get(pair[::-1], ()))


def lesson(pairs: Sequence[Pair], shown: Shown, session: Session, *, stated: bool) -> Lesson:
    """What pairs of a page's images teach, with their φ; of an image that is gone, nothing."""
    if shown.phi is None or not {image for pair in pairs for image in pair} <= {*shown.images}:
        there = session.collection.listing.row_of
        pairs = [pair for pair in pairs if pair[0] in there and pair[1] in there]
    images = tuple(dict.fromkeys(image for pair in pairs for image in pair))
    phi, covered = _phi_of(images, shown, session)
    if not np.isfinite(phi).all():
        raise InvalidInput("this page has a φ that is not a number", hint="search again")
    place = {image: i for i, image in enumerate(images)}
    order = [(place[a], place[b]) for a, b in pairs]
    return Lesson(
        images=images,
        schemes=tuple(shown.schemes[i] for i in covered),
        prior=tuple(shown.prior[i] for i in covered),
        phi=phi,
        pairs=np.array(order, np.int32).reshape(-1, 2),
        stated=stated,
    )


def _phi_of(images: Sequence[str], shown: Shown, session: Session) -> tuple[Phi, list[int]]:
    """φ of some images, and which of the page's schemes it covers.

    A page of the first version has kept its own. For any other it comes from the session, which may
    lack schemes that left the recipe since.
    """
    place = {image: i for i, image in enumerate(shown.images)}
    if shown.phi is not None and all(image in place for image in images):
        return shown.phi[[place[image] for image in images]], list(range(len(shown.schemes)))
    column = {name: i for i, name in enumerate(session.names)}
    covered = [i for i, scheme in enumerate(shown.schemes) if scheme in column]
    row_of = session.collection.listing.row_of
    rows = np.array([row_of[image] for image in images], np.int64)
    return session.phi_of(rows)[:, [column[shown.schemes[i]] for i in covered]], covered


def _ids(images: Sequence[str | Hit]) -> tuple[str, ...]:
    """Image ids in order, each once."""
    names = (image.image_id if isinstance(image, Hit) else image for image in images)
    return tuple(dict.fromkeys(names))


def _check_said(new: Judged, gone: Sequence[str], marked: Collection[str]) -> None:
    both = set(new.liked) & set(new.disliked)
    if both:
        raise InvalidInput(f"image {min(both)!r} cannot be both liked and disliked")
    both = {*new.liked, *new.disliked} & set(gone)
    if both:
        raise InvalidInput(f"image {min(both)!r} cannot be marked and cleared at once")
    if not (new.liked or new.disliked or gone):
        raise InvalidInput("empty feedback", hint="name images that are liked or disliked")
    for image in gone:
        if image not in marked:
            raise InvalidInput(f"image {image!r} has no mark in this session to take off")


def _check_shown(images: Sequence[str], shown: Collection[str]) -> None:
    for image in images:
        if image not in shown:
            raise NotShown(
                f"image {image!r} was not shown on this page",
                hint=Hint(
                    "judge images of page.hits",
                    command="judge pictures that the page shows",
                    http="judge images of the page's hits",
                ),
            )
