"""Users: what they taught, what it is worth, and how it travels between stores."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from saccade.engine.collection import Collection
from saccade.engine.learning import Learning
from saccade.engine.models import Own
from saccade.engine.recipe import Recipe
from saccade.engine.session import Session
from saccade.errors import InvalidInput
from saccade.feedback.preferences import Judged
from saccade.store import arrays as bundles
from saccade.store.events import FEEDBACK, Appender, Event, Log
from saccade.types import Phi, Profile, ProfileEvent, Scheme, SchemeInfo

FORMAT = 1


def check_user(user: str) -> str:
    """A name that can be stored and shown."""
    if not isinstance(user, str) or not user.strip() or len(user) > 100 or not user.isprintable():
        raise InvalidInput(f"user {user!r}: a name has 1 to 100 printable characters")
    return user


def judged_after(earlier: Judged, new: Judged) -> Judged:
    """What a session has said after one more round; the newer word on a picture counts."""
    said = {*new.liked, *new.disliked}
    return Judged(
        (*(image for image in earlier.liked if image not in said), *new.liked),
        (*(image for image in earlier.disliked if image not in said), *new.disliked),
    )


def phi_of(images: Sequence[str], shown: Event, session: Session) -> tuple[Phi, list[int]]:
    """φ of some images as their page had it, and which of the page's schemes it covers.

    Images of earlier pages come from the session, which may lack schemes that left the recipe.
    """
    place = {image: i for i, image in enumerate(shown.body["images"])}
    column = {str(scheme): i for i, scheme in enumerate(session.schemes)}
    names: list[str] = shown.body["schemes"]
    covered = list(range(len(names)))
    if not all(image in place for image in images):
        covered = [i for i in covered if names[i] in column]
    out = np.zeros((len(images), len(covered)), np.float32)
    for i, image in enumerate(images):
        if image in place:
            out[i] = shown.arrays["phi"][place[image], covered]
        else:
            row = session.collection.listing.row_of[image]
            out[i] = session.phi[row, [column[names[c]] for c in covered]]
    return out, covered


def profile(log: Log, learning: Learning, user: str) -> Profile:
    """A user's profile; someone who never gave feedback has an empty one."""
    models = learning.catch_up()
    own = models.own.get(user, Own())
    shared = models.served(user, "shared").tolist()
    personal = (models.served(user) - models.served(user, "shared")).tolist()
    events = log.of_user(user)
    void = {e.body["event"] for e in events if e.kind == "undone"}
    history = tuple(
        ProfileEvent(
            event=e.event,
            at=e.at,
            kind=e.kind,
            session=e.session,
            liked=tuple(e.body["liked"]),
            disliked=tuple(e.body["disliked"]),
            pairs=len(e.arrays["pairs"]),
            undone=e.event in void,
        )
        for e in events
        if e.kind in FEEDBACK
    )
    return Profile(
        user=user,
        events=own.events,
        pairs=own.pairs,
        stated=own.stated,
        learned_right=own.learned_right,
        plain_right=own.plain_right,
        weights={scheme: (shared[i], personal[i]) for i, scheme in enumerate(models.schemes)},
        history=history,
    )


def scheme_infos(
    collection: Collection, recipe: Recipe, learning: Learning, user: str
) -> tuple[SchemeInfo, ...]:
    """Every scheme with kind, size and weight."""
    from saccade.engine.words import WORDS, bytes_per_image
    from saccade.engine.worker import source_of

    learned = learning.catch_up().weights("learned", user, collection.start)
    weights = dict(zip(collection.start, learned.tolist(), strict=True))
    out = []
    for scheme in recipe.schemes():
        descriptor = source_of(scheme.descriptor)
        size, room = descriptor.dimension, 4 * (descriptor.dimension + 2)
        if scheme.descriptor == WORDS and collection.words is not None:
            size, room = collection.words.vocabulary.size, bytes_per_image(collection.words)
        out.append(
            SchemeInfo(
                scheme=str(scheme),
                descriptor=scheme.descriptor,
                similarity=scheme.similarity,
                kind=descriptor.kind,
                dimension=size,
                bytes_per_image=room,
                weight=weights.get(str(scheme), 0.0),
            )
        )
    return tuple(out)


# -- between stores --------------------------------------------------------------------------------


def export(log: Log, learning: Learning, user: str) -> dict[str, Any]:
    """A user's live feedback as plain JSON values."""
    lines = [
        {
            "at": e.at,
            "kind": e.kind,
            "body": dict(e.body),
            "arrays": base64.b64encode(bundles.to_bytes(e.arrays)).decode("ascii"),
        }
        for e in learning.live_feedback(log.of_user(user))
    ]
    return {"saccade-profile": FORMAT, "user": user, "events": lines}


def parse_export(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Check an exported profile as a whole, so that a bad one changes nothing."""
    if not isinstance(data, Mapping) or data.get("saccade-profile") != FORMAT:
        raise InvalidInput(
            "this is no exported profile", hint="`saccade profile export USER` writes one"
        )
    events = data.get("events")
    if not isinstance(events, list):
        raise InvalidInput("exported profile: it has no list of events")
    lines = []
    for number, line in enumerate(events, 1):
        try:
            arrays = bundles.from_bytes(base64.b64decode(line["arrays"], validate=True))
            _check_line(line, arrays)
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(f"exported profile: event {number} is damaged: {error}") from error
        lines.append({**line, "arrays": arrays})
    return lines


def _check_line(line: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    phi, pairs, body = arrays["phi"], arrays["pairs"], line["body"]
    schemes = [str(scheme) for scheme in body["schemes"]]
    if not isinstance(body["stated"], bool):
        raise ValueError("not said whether it was stated or implied")
    if len(body["start"]) != len(schemes) or not all(0 <= s <= 1000 for s in body["start"]):
        raise ValueError("starting weights do not fit the schemes")
    if line["kind"] not in FEEDBACK:
        raise ValueError("neither a reaction nor a preference")
    if not isinstance(line["at"], int | float) or not math.isfinite(line["at"]):
        raise ValueError("its time is not a number")
    if len(set(map(Scheme.parse, schemes))) != len(schemes):
        raise ValueError("a scheme is named twice")
    if phi.dtype != np.float32 or phi.shape != (len(body["images"]), len(schemes)):
        raise ValueError("φ does not fit its images and schemes")
    if pairs.dtype != np.int32 or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError("pairs are not pairs")
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < len(phi)):
        raise ValueError("a pair names an image that is not there")
    if not np.isfinite(phi).all() or np.abs(phi, dtype=np.float64).max(initial=0.0) > 2.0:
        raise ValueError("φ is not a similarity")
    for side in ("liked", "disliked"):
        if not all(isinstance(image, str) for image in body[side]):
            raise ValueError(f"{side} must be image ids")


def writer(user: str, line: Mapping[str, Any]) -> Callable[[Appender], Event]:
    """How one imported event is appended."""

    def write(appender: Appender) -> Event:
        return appender.append(
            line["kind"],
            at=float(line["at"]),
            user=user,
            body=line["body"],
            arrays=line["arrays"],
        )

    return write
