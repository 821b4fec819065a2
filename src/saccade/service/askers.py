"""Who asks: a name and a role, found at the gate and known wherever a name is read.

    owner      may name anybody, and is nobody in particular unless a token says who
    others     are themselves: to name somebody else is refused, to name nobody means themselves

Every field, parameter and path that holds a person's name is read by `acting_as`, and every page
that is spoken of is looked up by `check_own`; so no route can forget to ask.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from saccade.engine import GUEST, Engine, operations
from saccade.errors import SaccadeError
from saccade.hints import Hint
from saccade.types import ROLES


class Forbidden(SaccadeError):
    """Something that whoever asks may not do."""

    code, status, exit_code = "forbidden", 403, 2


class RoleTooSmall(Forbidden):
    """It takes another role."""

    code = "role-too-small"

    def __init__(self, has: str, needs: str) -> None:
        super().__init__(
            f"this takes the role {needs}, and the token has the role {has}",
            hint=Hint(
                f"engine.tokens.create(USER, {needs!r}) makes one that may",
                command=f"`saccade token create --user NAME --role {needs}` makes one that may",
            ),
        )


class NotYours(Forbidden):
    """It is somebody else's."""

    code = "not-yours"


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever sent a request."""

    role: str
    user: str = ""
    """Their name; empty for the owner of a server who did not say which they are."""
    token_id: str = ""
    secret: str = ""
    """What a visitor's browser keeps, where it has to be told so."""

    @property
    def owns(self) -> bool:
        """Whether they may act as anybody."""
        return self.role == ROLES[-1]

    def may(self, role: str) -> bool:
        """Whether their role is as large as that."""
        return ROLES.index(self.role) >= ROLES.index(role)


OWNER = Asker(ROLES[-1])
"""Whoever sits at the machine, or has the server's own token."""

_ASKING: ContextVar[Asker] = ContextVar("saccade-asker", default=OWNER)


def asking() -> Asker:
    """Who sent the request at hand."""
    return _ASKING.get()


def set_asker(asker: Asker) -> None:
    """From here on, in this request, it is they who ask."""
    _ASKING.set(asker)


def acting_as(name: str) -> str:
    """The person that a name means in this request: nobody's name means whoever asks.

    Raises:
        NotYours: it is another's, and whoever asks does not own the server.
    """
    asker = asking()
    if name == GUEST and asker.user:
        return asker.user
    if asker.owns or name == asker.user:
        return name
    raise NotYours(
        f"{asker.user!r} cannot act as {name!r}, nor see what is theirs",
        hint="leave the name out, or ask with a token of theirs",
    )


def check_own(engine: Engine, page_id: str | None) -> None:
    """Raise NotYours for a page of somebody else; one that is not there is found out later."""
    asker = asking()
    if page_id is None or asker.owns:
        return
    whose = operations(engine).whose(page_id)
    if whose is not None and whose != asker.user:
        raise NotYours("this page is somebody else's", hint="search for it yourself")
