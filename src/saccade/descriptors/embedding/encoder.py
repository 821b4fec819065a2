"""Pictures → vectors of length 1, by a network in an ONNX file.

    x = (resize(rgb) / 255 - mean) / std          [n, 3, size, size]
    embedding = f(x) / ‖f(x)‖                     a zero vector stays zero

On photographs the length of f(x) says more about contrast than about what is shown: with it, mAP by
l2 falls from .90 to .78 on a set of ten classes.

`embedding` and `embedding-float32` are one network and share one space. The first is the network in
8 bits that lies in the package: 2.3 times as fast, and made so that every x86 processor computes
the same whole numbers (`tools/encoder` says what it costs). The second needs the published weights.
Both give more than the mean: the map of 7 × 7 positions that it is the mean of (`look`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Descriptor, EncodedPictures, Picture
from saccade.descriptors.embedding import efficientnet
from saccade.descriptors.embedding.parts import DATA, SPACE
from saccade.descriptors.embedding.parts import DIGEST as PARTS_DIGEST
from saccade.descriptors.embedding.session import NetworkSession
from saccade.descriptors.embedding.settings import (
    OPTIONS,
    PREFIX,
    Settings,
    parse_name,
    read_settings,
)
from saccade.errors import InvalidInput, MissingExtra
from saccade.types import Array, Vectors

BATCH = 4
"""Pictures in one run: on one thread more were no faster (4.4 ms each) and took more memory."""

MODEL = DATA / "efficientnet-lite0-int8.onnx"
DIGEST = "92edd9ac"
"""The first of the model file's SHA-256: another model gives other vectors."""
BEFORE = f"1-{efficientnet.SHA256[:8]}-1"
"""The version of `embedding` when it was computed in float32 and kept no positions."""

_LEVEL = np.float32(6 / 255)


class Embedding:
    """EfficientNet-Lite0 (Tan & Le 2019; weights trained on ImageNet), 1280 values, all ≥ 0.

    The whole picture is squeezed to 224 × 224: what stands at the border counts as well, and a
    position of the map is always the same share of the picture. `threads` are those of one process.
    """

    name: str = "embedding"
    kind: str = "embedding"
    space: str = SPACE
    dimension: int = efficientnet.DIMENSION
    version: str = f"2-int8-{DIGEST}-{PARTS_DIGEST}"

    def __init__(self, *, threads: int = 1) -> None:
        self.session = NetworkSession(MODEL, owner=self.name, threads=threads)

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """One vector of length 1 a picture, [n, 1280]."""
        vectors = np.empty((len(pictures), self.dimension), np.float32)
        for start in range(0, len(pictures), BATCH):
            part = pictures[start : start + BATCH]
            (values,) = self.session.run({"image": _pixels(part)}, "embedding")
            vectors[start : start + len(part)] = unit_rows(values, self.name)
        return vectors

    def look(self, pictures: Sequence[Picture]) -> EncodedPictures:
        """The same vectors, and the positions they are the means of."""
        seen = []
        for start in range(0, len(pictures), BATCH):
            pixels = _pixels(pictures[start : start + BATCH])
            values, levels = self.session.run({"image": pixels}, "embedding", "map")
            seen.append(_seen(values, levels * _LEVEL, self.name))
        return _joined(seen)

    def standing_in(self, version: str) -> Descriptor | None:
        """What compares pictures with vectors of another version; None where nothing does.

        Vectors of the network in float32 are met by the same network where it can be made, and
        else by this one: their cosine is .995 on average, and no ranking of the four sets it was
        judged on lost .001 of its mAP.
        """
        if version != BEFORE:
            return None
        try:
            return Float32Embedding(threads=self.session.threads)
        except MissingExtra:
            return self


class Float32Embedding:
    """The same network in float32, as it was published; a recipe's choice.

    Its model is built from the package of weights into the user's cache when it is first used.
    """

    name: str = "embedding-float32"
    kind: str = "embedding"
    space: str = SPACE
    dimension: int = efficientnet.DIMENSION
    # Trained on pixels brought to -1..1 by (value - 127) / 128.
    settings: Settings = Settings(efficientnet.SIZE, (127 / 255,) * 3, (128 / 255,) * 3, "squash")
    version: str = f"2-float32-{efficientnet.SHA256[:8]}-{PARTS_DIGEST}"

    def __init__(self, *, threads: int = 1) -> None:
        efficientnet.check_available()
        self.threads = threads
        self._session: NetworkSession | None = None

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """One vector of length 1 a picture, [n, 1280]."""
        return _describe(self, self.session, "image", "embedding", pictures)

    def look(self, pictures: Sequence[Picture]) -> EncodedPictures:
        """The same vectors, and the positions they are the means of."""
        seen = []
        for start in range(0, len(pictures), BATCH):
            part = pictures[start : start + BATCH]
            pixels = np.stack([prepare(picture, self.settings) for picture in part])
            values, maps = self.session.run({"image": pixels}, "embedding", "map")
            seen.append(_seen(values, maps.transpose(0, 2, 3, 1), self.name))
        return _joined(seen)

    @property
    def session(self) -> NetworkSession:
        """The model, built where the cache has none; one that was damaged there is built again."""
        if self._session is None:
            session = NetworkSession(
                efficientnet.model_file(), owner=self.name, threads=self.threads
            )
            try:
                session.model  # noqa: B018  opening it shows whether it is whole
            except InvalidInput:
                session.path.unlink(missing_ok=True)
                efficientnet.model_file()
            self._session = session
        return self._session


class FileEmbedding:
    """Any image encoder in an ONNX file: float32 [n, 3, size, size] → [n, d].

    `name` carries the absolute path, so that it means the same from every directory; `version` is
    a digest of the file and of the settings.
    """

    kind: str = "embedding"

    def __init__(self, name: str, *, threads: int = 1) -> None:
        path, options = parse_name(name)
        query = urlencode(options, quote_via=quote, safe="/,")
        self.name = f"{PREFIX}{path}" + (f"?{query}" if query else "")
        self.session = NetworkSession(path, owner=self.name, threads=threads)
        notes = self.session.metadata()
        options = {
            **{key: notes[f"saccade.{key}"] for key in OPTIONS if f"saccade.{key}" in notes},
            **options,
        }
        self.input, side, self.single = _input(self.session)
        self.output = _output(self.session, options.get("output"))
        self.settings = read_settings(self.name, options, side)
        self.version = _digest(path, self.settings, self.output)
        self.dimension = self._dry_run()

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """One vector of length 1 a picture."""
        batch = 1 if self.single else BATCH
        return _describe(self, self.session, self.input, self.output, pictures, batch=batch)

    def _dry_run(self) -> int:
        """The number of values for one picture, found by asking for a black one."""
        size = self.settings.size
        (values,) = self.session.run(
            {self.input: np.zeros((1, 3, size, size), np.float32)}, self.output
        )
        if values.ndim != 2 or len(values) != 1 or not values.shape[1]:
            raise InvalidInput(
                f"descriptor {self.name!r}: output {self.output!r} has shape "
                f"{list(values.shape)} for one picture; it must be [1, d]",
                hint="name another output with ?output=NAME, or end the model in a pooling layer",
            )
        return int(values.shape[1])


def _describe(
    owner: Float32Embedding | FileEmbedding,
    session: NetworkSession,
    input: str,
    output: str,
    pictures: Sequence[Picture],
    *,
    batch: int = BATCH,
) -> Vectors:
    vectors = np.empty((len(pictures), owner.dimension), np.float32)
    for start in range(0, len(pictures), batch):
        part = pictures[start : start + batch]
        pixels = np.stack([prepare(picture, owner.settings) for picture in part])
        (values,) = session.run({input: pixels}, output)
        if values.shape != (len(part), owner.dimension):
            raise InvalidInput(
                f"descriptor {owner.name!r}: the model gave {list(values.shape)} for "
                f"{len(part)} pictures, not {[len(part), owner.dimension]}"
            )
        vectors[start : start + len(part)] = unit_rows(values, owner.name)
    return vectors


def prepare(picture: Picture, settings: Settings) -> NDArray[np.float32]:
    """The input of a model for one picture, [3, size, size]."""
    if settings.fit == "squash":
        rgb = picture.square(settings.size).rgb
    else:
        rgb = _middle(picture, settings.size)
    scaled = rgb.astype(np.float32)
    scaled *= np.float32(1 / 255)
    scaled -= np.array(settings.mean, np.float32)
    scaled /= np.array(settings.std, np.float32)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1))


def _pixels(pictures: Sequence[Picture]) -> NDArray[np.uint8]:
    """Pictures as the 8-bit model takes them, [n, 224, 224, 3]."""
    return np.stack([picture.square(efficientnet.SIZE).rgb for picture in pictures])


def _seen(values: Array, maps: NDArray[np.float32], owner: str) -> EncodedPictures:
    """Vectors, their lengths before, and positions [n, 49, 1280] on the vectors' scale."""
    vectors = unit_rows(values, owner)
    lengths = np.linalg.norm(values.astype(np.float64), axis=1).astype(np.float32)
    scale = np.where(lengths > 0, lengths, 1)[:, None, None]
    positions = np.asarray(maps, np.float32).reshape(len(maps), -1, maps.shape[-1])
    positions /= scale  # in place: these are a quarter of a megabyte a picture
    return EncodedPictures(vectors, lengths, positions)


def _joined(some: Sequence[EncodedPictures]) -> EncodedPictures:
    if not some:
        cells, width = efficientnet.SIDE**2, efficientnet.DIMENSION
        empty = np.zeros((0, width), np.float32)
        return EncodedPictures(
            empty, np.zeros(0, np.float32), np.zeros((0, cells, width), np.float32)
        )
    return EncodedPictures(
        np.concatenate([one.vectors for one in some]),
        np.concatenate([one.lengths for one in some]),
        np.concatenate([one.positions for one in some]),
    )


def unit_rows(values: Array, owner: str) -> Vectors:
    """Each row divided by its length; a row of zeros stays as it is.

    Raises:
        InvalidInput: a value is not finite.
    """
    exact = values.astype(np.float64)
    bad = int((~np.isfinite(exact)).any(axis=1).sum())
    if bad:
        raise InvalidInput(
            f"descriptor {owner!r}: the model gave values that are not finite "
            f"for {bad} of {len(values)} inputs; check its mean and std"
        )
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    return (exact / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _middle(picture: Picture, size: int) -> NDArray[np.uint8]:
    """The largest square in the middle of the picture, resized."""
    from saccade.images.picture import ArrayPicture

    height, width = picture.rgb.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return ArrayPicture(picture.rgb[top : top + side, left : left + side]).square(size).rgb


def _input(session: NetworkSession) -> tuple[str, int | None, bool]:
    """Name of the input, its side if fixed, and whether it takes one picture at a time only."""
    inputs = session.model.get_inputs()
    shape = list(inputs[0].shape) if len(inputs) == 1 else []
    if len(shape) != 4 or (shape[1] not in (3, None) and not isinstance(shape[1], str)):
        described = ", ".join(f"{one.name} {one.shape}" for one in inputs) or "none"
        raise InvalidInput(
            f"descriptor {session.owner!r}: the model must take one input [n, 3, height, width]; "
            f"it takes {described}"
        )
    if inputs[0].type != "tensor(float)":
        raise InvalidInput(
            f"descriptor {session.owner!r}: the input must be float32; it is {inputs[0].type}"
        )
    batch, _, height, width = shape
    sides = {side for side in (height, width) if isinstance(side, int)}
    if len(sides) > 1:
        raise InvalidInput(
            f"descriptor {session.owner!r}: the input must be square; it is {height} × {width}"
        )
    if isinstance(batch, int) and batch != 1:
        raise InvalidInput(
            f"descriptor {session.owner!r}: the model takes exactly {batch} pictures at a time; "
            f"export it with a free first dimension"
        )
    return inputs[0].name, sides.pop() if sides else None, batch == 1


def _output(session: NetworkSession, wanted: str | None) -> str:
    names = [output.name for output in session.model.get_outputs()]
    if wanted is None:
        return str(names[0])
    if wanted not in names:
        raise InvalidInput(
            f"descriptor {session.owner!r}: no output {wanted!r}; there are: {', '.join(names)}"
        )
    return wanted


def _digest(path: Path, settings: Settings, output: str) -> str:
    digest = hashlib.blake2b(path.read_bytes(), digest_size=8)
    digest.update(repr((settings, output)).encode())
    return f"1-{digest.hexdigest()}"
