"""Tokens: keys to a server around this store, each with a name and a role.

viewer     searches
teacher    and marks, as themselves
curator    and tags, names scales, adds pictures
owner      and everything else, as anybody
"""

from __future__ import annotations

import hashlib
import math
import secrets

from saccade.engine.names import VISITOR, check_user, visits
from saccade.engine.opened import OpenStore
from saccade.engine.request import GUEST
from saccade.errors import InvalidInput, NotFound, UnknownName
from saccade.hints import Hint
from saccade.types import ROLES, TokenInfo

SIGN = "saccade_"
"""How every key begins, so that whoever finds one in a file knows what it is."""
MOST_DAYS = 36_500.0

_LIST = Hint("engine.tokens.list() names them", command="`saccade token list` names them")


class AccessTokens:
    """The tokens of an open store.

    >>> key, token = engine.tokens.create("ana", "curator", days=30)
    >>> engine.tokens.find(key) == token, [one.user for one in engine.tokens.list()]
    (True, ['ana'])
    >>> engine.tokens.revoke(token.token_id)
    >>> engine.tokens.find(key) is None
    True
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened, self._tokens = opened, opened.store.tokens

    def create(
        self, user: str, role: str = "teacher", *, days: float | None = None
    ) -> tuple[str, TokenInfo]:
        """A new key and what is kept of it; the key itself is told here and never again.

        Args:
            user: who comes in by it; a person may have several.
            role: viewer, teacher, curator or owner.
            days: how long it opens; always unless given.
        """
        check_user(user)
        if "/" in user or user == GUEST or visits(user):
            raise InvalidInput(
                f"{user!r} is no name for a token: it is nobody's, or holds a slash",
                hint=f"give the person's own name; {VISITOR} begins those of visitors",
            )
        if role not in ROLES:
            raise UnknownName("role", str(role), ROLES)
        if days is not None and not (math.isfinite(days) and 0.0 < days <= MOST_DAYS):
            raise InvalidInput(f"a token cannot open for {days!r} days: more than 0")
        key, now = SIGN + secrets.token_urlsafe(24), self._opened.clock()
        digest = _digest(key)
        expires = None if days is None else now + 86_400.0 * days
        token = TokenInfo(digest[:10], user, role, now, expires)
        self._tokens.add(token, digest)
        return key, token

    def revoke(self, token_id: str) -> None:
        """Take a token back: the next request that brings it is refused."""
        if not self._tokens.drop(token_id):
            raise NotFound(f"no token {token_id!r} in this store", hint=_LIST)

    def find(self, key: str) -> TokenInfo | None:
        """Whose key this is; None for one that never was, was taken back or has expired."""
        token = self._tokens.find(_digest(key))
        if token is None or (token.expires is not None and token.expires <= self._opened.clock()):
            return None
        return token

    # The last one: below it, `list` would mean this.
    def list(self) -> tuple[TokenInfo, ...]:
        """Every token, the oldest first; those that have expired, too."""
        return self._tokens.all()


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
