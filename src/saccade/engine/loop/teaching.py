"""What a person says about a page, as an event that carries its own lesson."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from saccade.engine.events import Lesson, Preferred, Reacted, Shown
from saccade.engine.loop.marks import Marks
from saccade.engine.loop.session import Session
from saccade.engine.opinions import JudgedOpinions, gathered, on_page
from saccade.errors import InvalidInput, NotShown
from saccade.feedback.preferences import Judged, Pair, preferences, stated
from saccade.hints import Hint


def reacted(
    shown: Shown,
    session: Session,
    marks: Marks,
    liked: Sequence[str],
    disliked: Sequence[str],
    cleared: Sequence[str],
) -> tuple[Reacted, Judged]:
    """Pictures of a page called right or wrong, and marks taken off.

    What was marked on another page of the session can be marked anew or cleared here, too. The
    marks that are new come beside the event.
    """
    new, gone = Judged(tuple(liked), tuple(disliked)), tuple(cleared)
    standing = marks.judged
    marked = {*standing.liked, *standing.disliked}
    _check_marks(new, gone, marked)
    _check_shown([*new.liked, *new.disliked], {*shown.images, *marked})
    touched = {*new.liked, *new.disliked, *gone}
    earlier = Judged(
        tuple(image for image in standing.liked if image not in touched),
        tuple(image for image in standing.disliked if image not in touched),
    )
    pairs = preferences(shown.images, new, earlier)
    lesson = lesson_of(pairs, shown, session, stated=stated(new, earlier))
    replaced = marks.replaced(touched)
    # A word said twice is one: it is charged by the event that stands.
    void = {image for image, event in marks.by.items() if event in replaced}
    fresh = Judged(
        tuple(image for image in new.liked if image in void or image not in standing.liked),
        tuple(image for image in new.disliked if image in void or image not in standing.disliked),
    )
    opinions = _opinions(shown, marks, fresh, earlier)
    event = Reacted(
        new.liked, new.disliked, lesson, gone, opinions, replaced, *_query(shown), word=shown.word
    )
    return event, new


def preferred(shown: Shown, session: Session, marks: Marks, better: str, worse: str) -> Preferred:
    """One picture of a page before another; the opposite, said before, no longer counts."""
    _check_shown([better, worse], shown.images)
    if better == worse:
        raise InvalidInput(f"image {better!r} cannot be better than itself")
    pair = (better, worse)
    lesson = lesson_of([pair], shown, session, stated=True)
    new = Judged((better,), (worse,))
    opinions = None if pair in marks.pairs else _opinions(shown, marks, new, Judged())
    replaced = marks.pairs.get(pair[::-1], ())
    return Preferred(better, worse, lesson, opinions, replaced, *_query(shown))


def lesson_of(pairs: Sequence[Pair], shown: Shown, session: Session, *, stated: bool) -> Lesson:
    """What pairs of a page's images teach, with their φ; of an image that is gone, nothing.

    The session may lack schemes that left the recipe since the page was shown.
    """
    row_of = session.collection.listing.row_of
    pairs = [pair for pair in pairs if pair[0] in row_of and pair[1] in row_of]
    images = tuple(dict.fromkeys(image for pair in pairs for image in pair))
    column = {name: i for i, name in enumerate(session.names)}
    covered = [i for i, scheme in enumerate(shown.schemes) if scheme in column]
    rows = np.array([row_of[image] for image in images], np.int64)
    length = max(len(shown.images), session.verify)
    phi = session.phi_of(rows, length=length)[:, [column[shown.schemes[i]] for i in covered]]
    if not np.isfinite(phi).all():
        raise InvalidInput("this page has a φ that is not a number", hint="search again")
    place = {image: i for i, image in enumerate(images)}
    return Lesson(
        images=images,
        schemes=tuple(shown.schemes[i] for i in covered),
        prior=tuple(shown.prior[i] for i in covered),
        phi=phi,
        pairs=np.array([(place[a], place[b]) for a, b in pairs], np.int32).reshape(-1, 2),
        stated=stated,
    )


def _query(shown: Shown) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pictures that a page was asked by, and those that were not meant; words have no id."""
    like, unlike = (
        tuple(dict.fromkeys(e.image_id for e in side if e.image_id))
        for side in (shown.like, shown.unlike)
    )
    return like, unlike


def _opinions(shown: Shown, marks: Marks, fresh: Judged, earlier: Judged) -> JudgedOpinions | None:
    """What the experts said of the pictures before they were marked."""
    if shown.opinions is None:
        return None
    before = {**on_page(shown.images, shown.opinions), **marks.before}
    return gathered(before, shown.opinions.stage, fresh, earlier)


def _check_marks(new: Judged, gone: Sequence[str], marked: Collection[str]) -> None:
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
