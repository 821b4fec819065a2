"""Tokens: who may come in by which key. The key itself is not kept, only its digest.

A key is 24 bytes of chance, so that a plain digest is as hard to turn back as a slow one.
"""

from __future__ import annotations

import sqlalchemy as sql

from saccade.store.database import Database
from saccade.store.prepared import Prepared
from saccade.store.tables import tokens
from saccade.types import TokenInfo

_FIELDS = (tokens.c.token, tokens.c.user, tokens.c.role, tokens.c.created, tokens.c.expires)
_FIND = Prepared(sql.select(*_FIELDS).where(tokens.c.digest == sql.bindparam("digest")))


class Tokens:
    """The tokens of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(self, digest: str) -> TokenInfo | None:
        """The token whose key has this digest; asked anew each time, so that none outlives its end.

        Every request asks it.
        """
        rows = self._database.ask(_FIND, digest=digest)
        return TokenInfo(*rows[0]) if rows else None

    def all(self) -> tuple[TokenInfo, ...]:
        """Every token, the oldest first."""
        query = sql.select(*_FIELDS).order_by(tokens.c.created, tokens.c.token)
        with self._database.read() as connection:
            return tuple(TokenInfo(*row) for row in connection.execute(query))

    def add(self, token: TokenInfo, digest: str) -> None:
        """Keep one more."""
        with self._database.write() as connection:
            connection.execute(
                sql.insert(tokens),
                {
                    "token": token.token_id,
                    "digest": digest,
                    "user": token.user,
                    "role": token.role,
                    "created": token.created,
                    "expires": token.expires,
                },
            )

    def drop(self, token_id: str) -> bool:
        """Take one back; returns whether it was there."""
        with self._database.write() as connection:
            gone = connection.execute(sql.delete(tokens).where(tokens.c.token == token_id))
        return bool(gone.rowcount)
