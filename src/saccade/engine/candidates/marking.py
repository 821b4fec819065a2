"""Marks on a page of candidates, as an event that carries its own lesson."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from saccade.engine.candidates.records import CandidatesMarked, CandidatesShown
from saccade.engine.loop.marks import Marks
from saccade.engine.opinions import gathered, on_page
from saccade.errors import InvalidInput, NotShown
from saccade.feedback.preferences import Judged, preferences


def marked(
    shown: CandidatesShown,
    marks: Marks,
    liked: tuple[str, ...],
    disliked: tuple[str, ...],
    cleared: tuple[str, ...],
) -> CandidatesMarked:
    """What is said about a page, as an event that carries its own lesson."""
    new, standing = Judged(liked, disliked), marks.judged
    judged = {*standing.liked, *standing.disliked}
    _check(new, cleared, shown.listed.ids, judged)
    touched = {*liked, *disliked, *cleared}
    earlier = Judged(
        tuple(name for name in standing.liked if name not in touched),
        tuple(name for name in standing.disliked if name not in touched),
    )
    pairs = preferences(shown.served, new, earlier)
    place = {name: row for row, name in enumerate(shown.listed.ids)}
    names = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    at = {name: i for i, name in enumerate(names)}
    replaced = marks.replaced(touched)
    # A word said twice is one: it is charged by the event that stands.
    void = {name for name, event in marks.by.items() if event in replaced}
    fresh = Judged(
        tuple(name for name in liked if name in void or name not in standing.liked),
        tuple(name for name in disliked if name in void or name not in standing.disliked),
    )
    before = {**on_page(shown.listed.ids, shown.opinions), **marks.before}
    return CandidatesMarked(
        liked=liked,
        disliked=disliked,
        cleared=cleared,
        text=shown.text,
        columns=shown.listed.columns,
        rows=shown.listed.rows[[place[name] for name in names]],
        pairs=np.array([(at[a], at[b]) for a, b in pairs], np.int32).reshape(-1, 2),
        opinions=gathered(before, shown.opinions.stage, fresh, earlier),
        replaces=replaced,
    )


def _check(
    new: Judged, cleared: Sequence[str], ids: Collection[str], marked: Collection[str]
) -> None:
    both = set(new.liked) & set(new.disliked)
    if both:
        raise InvalidInput(f"candidate {min(both)!r} cannot be both liked and disliked")
    both = {*new.liked, *new.disliked} & set(cleared)
    if both:
        raise InvalidInput(f"candidate {min(both)!r} cannot be marked and cleared at once")
    if not (new.liked or new.disliked or cleared):
        raise InvalidInput("empty feedback", hint="name candidates that are liked or disliked")
    names = set(ids)
    for name in (*new.liked, *new.disliked):
        if name not in names:
            raise NotShown(
                f"candidate {name!r} was not on this page", hint="judge candidates of the page"
            )
    for name in cleared:
        if name not in marked:
            raise InvalidInput(f"candidate {name!r} has no mark in this session to take off")
