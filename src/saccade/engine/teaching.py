"""What a person says about a page, as an event that carries its own lesson."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade.engine.events import Feedback, Lesson, Preferred, Reacted, Shown
from saccade.engine.searching.session import Session
from saccade.errors import InvalidInput, NotShown
from saccade.feedback.preferences import Judged, Pair, preferences, stated
from saccade.types import Hit, Phi


def reacted(
    shown: Shown, session: Session, liked: Sequence[str | Hit], disliked: Sequence[str | Hit]
) -> Reacted:
    """Pictures of a page called right or wrong, by id or as hits."""
    new = Judged(_ids(liked), _ids(disliked))
    _check_shown([*new.liked, *new.disliked], shown.images)
    both = set(new.liked) & set(new.disliked)
    if both:
        raise InvalidInput(f"image {min(both)!r} cannot be both liked and disliked")
    if not new.liked and not new.disliked:
        raise InvalidInput("empty feedback", hint="name images that are liked or disliked")
    pairs = preferences(shown.images, new, shown.judged)
    taught = lesson(pairs, shown, session, stated=stated(new, shown.judged))
    return Reacted(new.liked, new.disliked, taught)


def preferred(shown: Shown, session: Session, better: str | Hit, worse: str | Hit) -> Preferred:
    """One picture of a page before another."""
    (first, *_), (second, *_) = _ids([better]), _ids([worse])
    _check_shown([first, second], shown.images)
    if first == second:
        raise InvalidInput(f"image {first!r} cannot be better than itself")
    return Preferred(first, second, lesson([(first, second)], shown, session, stated=True))


def judged_after(earlier: Judged, said: Feedback) -> Judged:
    """What a session has said after one more round; the newer word on a picture counts."""
    new = {*said.liked, *said.disliked}
    return Judged(
        (*(image for image in earlier.liked if image not in new), *said.liked),
        (*(image for image in earlier.disliked if image not in new), *said.disliked),
    )


def lesson(pairs: Sequence[Pair], shown: Shown, session: Session, *, stated: bool) -> Lesson:
    """What pairs of a page's images teach, with their φ as the page had it."""
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
    """φ of some images as their page had it, and which of the page's schemes it covers.

    Images of earlier pages come from the session, which may lack schemes that left the recipe.
    """
    place = {image: i for i, image in enumerate(shown.images)}
    column = {name: i for i, name in enumerate(session.names)}
    covered = list(range(len(shown.schemes)))
    if not all(image in place for image in images):
        covered = [i for i in covered if shown.schemes[i] in column]
    out = np.zeros((len(images), len(covered)), np.float32)
    for i, image in enumerate(images):
        if image in place:
            out[i] = shown.phi[place[image], covered]
        else:
            row = np.array([session.collection.listing.row_of[image]])
            out[i] = session.phi_of(row)[0, [column[shown.schemes[c]] for c in covered]]
    return out, covered


def _ids(images: Sequence[str | Hit]) -> tuple[str, ...]:
    """Image ids in order, each once."""
    names = (image.image_id if isinstance(image, Hit) else image for image in images)
    return tuple(dict.fromkeys(names))


def _check_shown(images: Sequence[str], shown: Sequence[str]) -> None:
    for image in images:
        if image not in shown:
            raise NotShown(
                f"image {image!r} was not shown on this page", hint="judge images of page.hits"
            )
