"""`saccade token`: keys to a server, each with a name and a role."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import typer

from saccade.cli.common import Json, Store, opened, print_json, printable

token = typer.Typer(no_args_is_help=True)

_User = typer.Option(..., "--user", help="Who comes in by it.")
_Role = typer.Option(
    "teacher",
    "--role",
    help="viewer searches, teacher marks, curator tags and adds pictures, owner does the rest.",
)
_Days = typer.Option(None, "--days", help="How long it opens; always unless given.")
_Named = typer.Argument(..., help="The token's short name, as `list` shows it.")


@token.command()
def create(
    user: str = _User,
    role: str = _Role,
    days: float = _Days,
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Make a token and print it, this once: the store keeps only its digest.

    A server asks for it with `saccade serve --tokens`.
    """
    with opened(store, warm=False) as engine:
        key, record = engine.tokens.create(user, role, days=days)
    if json:
        print_json({"token": key, "token_id": record.token_id, "user": user, "role": role,
                    "created": record.created, "expires": record.expires})  # fmt: skip
        return
    until = "" if record.expires is None else f" until {_day(record.expires)}"
    print(key)
    print(f"{record.token_id}: {printable(user)} comes in as {role}{until}; it is not shown again")


@token.command("list")
def list_(store: Path = Store, json: bool = Json) -> None:
    """Every token: its short name, whose it is, its role, and how long it opens."""
    with opened(store, warm=False) as engine:
        tokens = engine.tokens.list()
    if json:
        print_json(tokens)
        return
    if not tokens:
        print("no tokens; `saccade token create --user NAME` makes one")
        return
    now = time.time()
    print(f"{'token':<12} {'user':<20} {'role':<8} {'made':<10} until")
    for one in tokens:
        ended = one.expires is not None and one.expires <= now
        until = "always" if one.expires is None else _day(one.expires) + " (over)" * ended
        print(
            f"{one.token_id:<12} {printable(one.user):<20} {one.role:<8} "
            f"{_day(one.created):<10} {until}"
        )


@token.command()
def revoke(token_id: str = _Named, store: Path = Store) -> None:
    """Take a token back: the next request that brings it is refused."""
    with opened(store, warm=False) as engine:
        engine.tokens.revoke(token_id)
    print(f"{printable(token_id)} opens nothing any more")


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
