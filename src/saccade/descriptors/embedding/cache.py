"""Files that can be built again, kept in the user's cache directory.

`SACCADE_CACHE` names another directory. A file appears there whole or not at all: it is written
under a name of its own and renamed, so two processes that build it at once do no harm.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from saccade.errors import StoreError


def cache_folder() -> Path:
    """Where built files are kept; read anew at each call."""
    chosen = os.environ.get("SACCADE_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("saccade", appauthor=False)


def cached_file(name: str, build: Callable[[], bytes]) -> Path:
    """The file with this name in the cache, built first where it is missing.

    Raises:
        StoreError: the cache directory cannot be written.
    """
    path = cache_folder() / name
    if not path.is_file():
        _write(path, build())
    return path


def _write(path: Path, data: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise StoreError(
            f"the cache {str(path.parent)!r} cannot be written: {error.strerror}",
            hint="set SACCADE_CACHE to a directory that can",
        ) from error
