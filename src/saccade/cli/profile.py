"""`saccade profile`: what a user taught, and taking it back."""

from __future__ import annotations

import difflib
import json as jsonlib
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, opened, print_json, printable
from saccade.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import GuardReport, Profile

profile = typer.Typer(no_args_is_help=True)

_User = typer.Argument(..., help="The user's name.")


@profile.command()
def show(user: str = _User, store: Path = Store, json: bool = Json) -> None:
    """What a user taught, and whether learning pays."""
    with opened(store, warm=False) as engine:
        _check_known(engine, user)
        summary, words = engine.people.show(user), engine.text.taught(user=user)
    if json:
        print_json({**asdict(summary), "words": words})
        return
    counts = f"{summary.pairs} preferences, {summary.stated} of them stated"
    print(f"{user}: {summary.events} rounds of feedback, {counts}")
    print_guard(summary.guard)
    print_taught(summary)
    ordered = sorted(summary.weights.items(), key=lambda item: -sum(item[1]))
    if ordered:
        print(f"{'scheme':<28} {'shared':>9} {'own':>9}")
    for scheme, (shared, own) in ordered:
        print(f"{scheme:<28} {shared:9.4f} {own:+9.4f}")
    if words:
        print(f"{'word':<28} {'right':>9} {'wrong':>9} {'searches':>9}")
    for one in words:
        counts = f"{len(one.liked):9d} {len(one.disliked):9d} {one.sessions:9d}"
        print(f"{printable(one.word):<28} {counts}")


def print_guard(guard: GuardReport) -> None:
    """Whether learning pays, and how each expert has fared."""
    if not guard.events:
        print("nothing marked right was compared with something marked wrong yet")
        return
    print(f"in the wrong order before learning from them: {guard.served:.1%} of the comparisons")
    print(f"the same without any learning: {guard.plain:.1%}")
    verdict = "learning pays" if guard.pays else "not beyond doubt"
    gained = f"{100 * guard.margin:+.1f} ± {100 * guard.deviation:.1f} points"
    print(f"margin {gained} over {guard.events} events: {verdict}")
    if not guard.trusted:
        print("what is learned has lost too much and is not served for now")
    print(f"{'expert':<14} {'wrong':>7} {'margin':>16} {'weight':>7}")
    for one in guard.experts:
        margin = f"{100 * one.margin:+.1f} ± {100 * one.deviation:.1f}"
        print(f"{one.expert:<14} {one.loss:7.1%} {margin:>16} {one.weight:7.1%}")


def print_taught(profile: Profile) -> None:
    """What the links are worth that a person taught."""
    if not profile.taught:
        return
    searches = "1 search is" if profile.taught == 1 else f"{profile.taught} searches are"
    worth = next((e for e in profile.guard.experts if e.expert == "remembered"), None)
    if worth is None:
        print(f"{searches} remembered; no later one came near them yet")
        return
    gained = f"{100 * worth.margin:+.1f} ± {100 * worth.deviation:.1f} points"
    near = f"over {worth.events} event{'s' * (worth.events != 1)} near them"
    print(f"{searches} remembered: along their links {gained} {near}")


@profile.command()
def taught(user: str = _User, store: Path = Store, json: bool = Json) -> None:
    """List the searches of a user whose marks are remembered, the newest first."""
    with opened(store, warm=False) as engine:
        _check_known(engine, user)
        searches = engine.people.taught(user)
    if json:
        print_json(list(searches))
        return
    for one in searches:
        day = datetime.fromtimestamp(one.at).strftime("%Y-%m-%d %H:%M")
        name = ", saved" if one.saved else ""
        print(f"{one.session}  {day}  {len(one.liked)} right, {len(one.disliked)} wrong{name}")
    if not searches:
        print("nothing is remembered")


@profile.command()
def drop(
    user: str = _User,
    session: str = typer.Argument(..., help="The search, as `taught` names it."),
    store: Path = Store,
) -> None:
    """Take back all that one search of a user has taught."""
    with opened(store, warm=False) as engine:
        events = engine.people.drop(user, session)
    print(f"took back {events} round{'' if events == 1 else 's'} of feedback")


@profile.command()
def guests(
    store: Path = Store,
    remember: bool = typer.Option(
        None, "--remember/--forget", help="Whether their marks are remembered from now on."
    ),
) -> None:
    """Say whether what guests mark together is remembered, or change it.

    Guests are many people under one name, so it is not unless the store says so.
    """
    with opened(store, warm=False) as engine:
        remembered = engine.people.guests(remember)
    print("guests are remembered" if remembered else "guests are not remembered")


@profile.command()
def undo(user: str = _User, store: Path = Store, json: bool = Json) -> None:
    """Take back the last feedback."""
    with opened(store, warm=False) as engine:
        done = engine.undo(user)
    if json:
        print_json({"event": done.event, "liked": done.liked, "disliked": done.disliked})
    elif done.kind == "preferred":
        print("took back: one picture before another")
    else:
        print(f"took back: {len(done.liked)} liked, {len(done.disliked)} disliked")


@profile.command()
def forget(
    user: str = _User,
    store: Path = Store,
    yes: bool = typer.Option(False, "--yes", help="Do not ask."),
) -> None:
    """Remove a user and everything learned from them."""
    if not yes and not typer.confirm(f"Forget {user!r} for good?"):
        raise typer.Exit(1)
    with opened(store, warm=False) as engine:
        print(f"{user} is forgotten: {engine.forget(user)} rounds of feedback removed")


@profile.command()
def export(
    user: str = _User,
    store: Path = Store,
    out: Path = typer.Option(None, "--out", help="File to write; standard output by default."),
) -> None:
    """Write a user's feedback as JSON."""
    with opened(store, warm=False) as engine:
        text = jsonlib.dumps(engine.people.export(user), ensure_ascii=False)
    if out is None:
        print(text)
        return
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{out} cannot be written: {error.strerror or error}") from error


@profile.command("import")
def import_(
    user: str = _User,
    file: Path = typer.Argument(..., help="What `export` wrote; - for standard input."),
    store: Path = Store,
) -> None:
    """Take in exported feedback under a user's name."""
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
        data = jsonlib.loads(text)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{file} cannot be read as JSON: {error}") from error
    with opened(store, warm=False) as engine:
        print(f"{user}: {engine.people.import_(user, data)} rounds of feedback taken in")


def _check_known(engine: Engine, user: str) -> None:
    """Refuse a name that was never heard: on a command line it is a mistyped one."""
    users = engine.people.list()
    if user not in users:
        engine.people.show(user)  # a name that cannot be one says so
        near = difflib.get_close_matches(user, users, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "nobody of that name gave feedback"
        raise NotFound(f"no user {user!r} in this store", hint=hint)
