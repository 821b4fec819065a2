"""A store opened for looking: the collection as it is now, its images, its people.

`Engine` adds the verbs of the loop to this.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Self

from saccade.engine import collection as collections
from saccade.engine import profiles
from saccade.engine.collection import Collection
from saccade.engine.learning import Learning
from saccade.engine.recipe import Recipe
from saccade.engine.session import Sessions
from saccade.errors import NotFound, StoreError
from saccade.scale.local import cores
from saccade.store.store import Store
from saccade.types import CollectionReport, ImageRecord, Profile, SchemeInfo, Skipped


class Reader:
    """What can be known about a store without changing it."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        warm: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = Store(path, create=create)
        self._clock = clock
        self._pool = ThreadPoolExecutor(cores(), thread_name_prefix="saccade-scan")
        self._sessions = Sessions()
        self._reloading = Lock()
        self.recipe = self._read_recipe()
        self._learning = Learning(self._store.log, self.recipe)
        self._collection = collections.load(self._store, self.recipe)
        if warm:
            self.warm()

    def profile(self, user: str) -> Profile:
        """What a user taught and what it is worth."""
        return profiles.profile(self._store.log, self._learning, profiles.check_user(user))

    def users(self) -> tuple[str, ...]:
        """Everyone who gave feedback."""
        return self._store.log.users()

    def export_profile(self, user: str) -> dict[str, Any]:
        """A user's feedback as plain JSON values: everything `import_profile` needs."""
        return profiles.export(self._store.log, self._learning, profiles.check_user(user))

    def image(self, image_id: str) -> ImageRecord:
        """One image with all its paths."""
        return self._store.catalog.image(image_id)

    def images(self, offset: int = 0, limit: int = 50) -> tuple[ImageRecord, ...]:
        """A slice of the collection, in the order it was indexed."""
        return self._store.catalog.page(offset, limit)

    def thumbnail(self, image_id: str) -> bytes:
        """A small JPEG; made again where it was lost."""
        from saccade.images.decode import decode
        from saccade.images.thumbnails import thumbnail

        kept = self._store.read_thumbnail(self.image(image_id).image_id)
        if kept is None:
            kept = thumbnail(decode(self.original(image_id)).picture)
            with suppress(StoreError):  # a full disk is no reason not to show it
                self._store.write_thumbnail(image_id, kept)
        return kept

    def original(self, image_id: str) -> bytes:
        """The bytes of an image's file, from whichever path still holds them."""
        from saccade.images.identity import image_id as identity

        record = self.image(image_id)
        for path in record.paths:
            try:
                data = Path(path).read_bytes()
            except OSError:
                continue
            if identity(data) == image_id:
                return data
        where = record.paths[0] if record.paths else "nowhere"
        raise NotFound(
            f"the file of image {image_id!r} has vanished or changed: {where}",
            hint="`saccade index` finds moved files; `--prune` drops lost ones",
        )

    def schemes(self, user: str = "guest") -> tuple[SchemeInfo, ...]:
        """Every scheme of the collection, with its cost and its weight for a user."""
        return profiles.scheme_infos(self._refresh(), self.recipe, self._learning, user)

    def skipped(self, offset: int = 0, limit: int | None = None) -> tuple[Skipped, ...]:
        """Files that were left out, with reasons."""
        return self._store.catalog.skipped(offset, limit)

    def costs(self) -> dict[str, float]:
        """Milliseconds an image took when it was indexed, by stage and descriptor."""
        return dict(self._store.catalog.setting("costs") or {})

    def report(self) -> CollectionReport:
        """What the store holds."""
        collection = self._refresh()
        return CollectionReport(
            images=len(collection),
            descriptors=self.recipe.descriptors,
            incomplete=collection.incomplete,
            skipped=len(self._store.catalog.skipped()),
            events=self._store.log.counts(),
            users=self.users(),
        )

    def __len__(self) -> int:
        return len(self._refresh())

    @property
    def path(self) -> Path:
        """Where the store lies."""
        return self._store.root

    # -- life ----------------------------------------------------------------------------------

    def warm(self) -> None:
        """Load kernels, columns and descriptors now, so that the first search is as fast as any."""
        from saccade.engine.warm import warm

        warm(self._collection, self.recipe, self._pool)

    def close(self) -> None:
        """Keep a snapshot of the models and let go of the store."""
        with suppress(StoreError):  # a snapshot is only a shortcut; the log has everything
            self._learning.save()
        self._pool.shutdown()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside --------------------------------------------------------------------------------

    def _refresh(self) -> Collection:
        """The collection as it is now; another process may have indexed."""
        if self._store.catalog.generation() == self._collection.generation:
            return self._collection
        with self._reloading:
            if self._store.catalog.generation() != self._collection.generation:
                self._reload()
            return self._collection

    def _reload(self) -> None:
        self.recipe = self._read_recipe()
        self._collection = collections.load(self._store, self.recipe, self._collection)

    def _read_recipe(self) -> Recipe:
        kept = self._store.catalog.setting("recipe")
        if kept is not None:
            return Recipe.from_json(kept)
        recipe = Recipe.default()
        self._store.catalog.set("recipe", recipe.as_json())
        return recipe
