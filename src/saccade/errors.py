"""Everything Saccade raises on purpose.

A message names the thing, the place and the next step, in one sentence: the command line prints it
as it stands and the service sends it as JSON, so neither needs a table of its own.

    code        short, stable name for programs
    exit_code   of the command line
    status      of HTTP

>>> issubclass(StoreFull, StoreError), issubclass(StoreError, SaccadeError)
(True, True)
"""

from __future__ import annotations

import difflib
import importlib.util
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from saccade.hints import Surface, hint_for, install


class SaccadeError(Exception):
    """Root of the tree: catch this to catch everything that is not a bug.

    >>> error = SaccadeError("no page 'p-1'", hint="pages come from a search")
    >>> str(error), error.sentence("http") == str(error), error.status
    ("no page 'p-1' (pages come from a search)", True, 500)
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    status: ClassVar[int] = 500

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.sentence("python")

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker sends it home as it is: what a subclass is made from is not what it holds.
        return _sent, (type(self), self.message), self.__dict__

    def sentence(self, surface: Surface) -> str:
        """The whole sentence in a surface's words."""
        hint = hint_for(self.hint, surface)
        return f"{self.message} ({hint})" if hint else self.message


def _sent(kind: type[SaccadeError], message: str) -> SaccadeError:
    return kind.__new__(kind, message)


class InvalidInput(SaccadeError, ValueError):
    """An argument, file or field that cannot be used as it is.

    >>> import saccade
    >>> saccade.Box(0.5, 0.1, 0.2, 0.9)
    Traceback (most recent call last):
    saccade.errors.InvalidInput: rectangle (0.5, 0.1, 0.2, 0.9): expected top < bottom and left < \
right in 0..1, each side at least 1%
    """

    code = "invalid-input"
    exit_code = 2
    status = 422


class UnknownName(InvalidInput):
    """A name that no table has; the message offers the nearest one that exists.

    >>> engine.search(engine.images()[0].image_id, schemes=["embeding:cosine"])
    Traceback (most recent call last):
    saccade.errors.UnknownName: no scheme 'embeding:cosine'; did you mean 'embedding:cosine'? \
(engine.library.schemes() lists them)
    """

    code = "unknown-name"

    def __init__(self, kind: str, name: str, known: Iterable[str], *, hint: str = "") -> None:
        known = sorted(known)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        message = f"no {kind} {name!r}"
        if near:
            message += f"; did you mean {near[0]!r}?"
        elif known:
            shown = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
            message += f"; there are: {shown}"
        super().__init__(message, hint=hint)
        self.name, self.known = name, known


class NoMap(InvalidInput):
    """A store, a search or a concept that says nothing of places in a picture.

    >>> import saccade
    >>> with saccade.open(folder / "colours.saccade", warm=False) as colours:
    ...     report = colours.add(pictures / "harbour", recipe="color-histogram", workers=1)
    ...     page = colours.search(colours.images()[0].image_id)
    ...     try:
    ...         colours.maps.search(page, page.hits[0])
    ...     except NoMap as error:
    ...         error.message
    'this store has no embedding, and so no map of its pictures'
    """

    code = "no-map"


class NotAnImage(InvalidInput):
    """Bytes that are no picture: empty, truncated, corrupt, too large, of another format.

    >>> engine.search(b"no picture")
    Traceback (most recent call last):
    saccade.errors.NotAnImage: the query: not a JPEG, PNG, WebP, TIFF, BMP or GIF image
    """

    code = "not-an-image"


class NotFound(SaccadeError, LookupError):
    """An image, page, user or event that is not there.

    >>> engine.show("p-1", k=5)
    Traceback (most recent call last):
    saccade.errors.NotFound: no page 'p-1' in the log, which keeps pages that nobody marked for \
30 days at most (search again)
    """

    code = "not-found"
    exit_code = 3
    status = 404


class MissingExtra(SaccadeError, ImportError):
    """A part that needs packages which a plain `pip install saccade` does not bring.

    >>> print(MissingExtra("lambdamart", ["lightgbm"], "rank"))
    lambdamart needs lightgbm, which is not installed (`pip install "saccade[rank]"` brings it)
    """

    code = "missing-extra"
    exit_code = 3
    status = 501

    def __init__(self, part: str, packages: Sequence[str], extra: str) -> None:
        verb = "is" if len(packages) == 1 else "are"
        message = f"{part} needs {_listed(packages)}, which {verb} not installed"
        super().__init__(message, hint=install(extra))
        self.packages, self.extra = tuple(packages), extra


class NoSuchImage(NotFound):
    """An id that no picture of the collection has.

    >>> engine.image("00ff")
    Traceback (most recent call last):
    saccade.errors.NoSuchImage: no image '00ff' in this collection (ids come from search results)
    """

    def __init__(self, image_id: object, *, why: str = "") -> None:
        super().__init__(
            f"no image {image_id!r} in this collection{why}", hint="ids come from search results"
        )


class NotShown(InvalidInput):
    """Feedback on an image that its page did not show.

    >>> page = engine.search(text="harbour", k=1)
    >>> engine.react(page, liked=["00ff"])
    Traceback (most recent call last):
    saccade.errors.NotShown: image '00ff' was not shown on this page (judge images of page.hits)
    """

    code = "not-shown"


class KeyReused(SaccadeError):
    """A key that stands for one request was sent with another.

    >>> page = engine.search(text="harbour", k=5)
    >>> page = engine.react(page, liked=[page.hits[0]], key="k-1")
    >>> engine.react(page, liked=[page.hits[1]], key="k-1")
    Traceback (most recent call last):
    saccade.errors.KeyReused: this key was sent before, with something else under it (give every \
request a key of its own)
    """

    code = "key-reused"
    exit_code = 2
    status = 409


class IdTaken(SaccadeError):
    """A picture that the collection has under another id.

    >>> photograph = next((pictures / "harbour").glob("*.jpg"))
    >>> _ = engine.fields.set(engine.library.find(photograph).image_id, external_id="sku-1")
    >>> engine.pictures.put("sku-2", photograph)
    Traceback (most recent call last):
    saccade.errors.IdTaken: the picture of 'sku-2' is in the collection as 'sku-1' (use that id, \
or take 'sku-1' out first: a picture has one id)
    """

    code = "id-taken"
    exit_code = 2
    status = 409


class TooFewAnswers(SaccadeError):
    """An attribute that nobody has taught enough to order anything.

    >>> _ = engine.attributes.create("natural")
    >>> engine.attributes.order("natural")
    Traceback (most recent call last):
    saccade.errors.TooFewAnswers: attribute 'natural' orders nothing yet: it needs 20 more \
answers (say which of two has more: engine.attributes.suggest('natural'))
    """

    code = "too-few-answers"
    exit_code = 3
    status = 409


class NothingToUndo(SaccadeError):
    """The user has no live feedback left.

    >>> engine.undo("ana")
    Traceback (most recent call last):
    saccade.errors.NothingToUndo: user 'ana' has no feedback to undo
    """

    code = "nothing-to-undo"
    exit_code = 3
    status = 409


class Stopping(SaccadeError):
    """A long job was asked to end; what it has made is kept, and the next call goes on.

    >>> Stopping("asked to stop").status  # of HTTP: later, the same is done
    503
    """

    code = "stopping"
    exit_code = 4
    status = 503


class StoreError(SaccadeError):
    """The store cannot be opened, read or written.

    >>> StoreError("the store cannot be read").short
    'the log cannot be written'
    """

    code = "store"
    exit_code = 4
    status = 503
    short: ClassVar[str] = "the log cannot be written"
    """What it means to someone who searches."""


class StoreLocked(StoreError):
    """Another process has been writing for too long.

    >>> StoreLocked("the log is written by another process").short
    'the log is busy'
    """

    code = "store-locked"
    short = "the log is busy"


class StoreFull(StoreError):
    """There is no room left on the disk.

    >>> StoreFull("no room on the disk").short
    'the disk is full'
    """

    code = "store-full"
    short = "the disk is full"


class StoreReadOnly(StoreError):
    """The store can be read here, and not written.

    >>> StoreReadOnly("no right to write").short
    'the store is read-only'
    """

    code = "store-read-only"
    short = "the store is read-only"


class StoreBusy(StoreError):
    """Another process is indexing into this store.

    >>> StoreBusy("another process is indexing").status
    409
    """

    code = "store-busy"
    status = 409


class StoreFormat(StoreError):
    """The store was written by a newer Saccade, or is no store.

    >>> import saccade
    >>> try:
    ...     saccade.open(pictures)
    ... except StoreFormat as error:
    ...     error.hint
    'give the store a folder of its own, say photos.saccade'
    """

    code = "store-format"
    status = 500


def need(extra: str, *packages: str, part: str) -> None:
    """Refuse now, in one sentence, what an import of one of `packages` would refuse later.

    >>> need("rank", "json", part="listnet")
    >>> need("rank", "json", "a_tree", part="lambdamart")
    Traceback (most recent call last):
    saccade.errors.MissingExtra: lambdamart needs a_tree, which is not installed \
(`pip install "saccade[rank]"` brings it)
    """
    missing = [package for package in packages if not _installed(package)]
    if missing:
        raise MissingExtra(part, missing, extra)


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of the package that it would be in
        return False


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
