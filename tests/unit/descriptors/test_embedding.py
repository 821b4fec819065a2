from __future__ import annotations

import hashlib
import multiprocessing
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saccade.descriptors.embedding import Embedding, Float32Embedding, efficientnet, encoder, parts
from saccade.descriptors.embedding.cache import cached_file
from saccade.descriptors.embedding.weights import read_tensors
from saccade.errors import InvalidInput, MissingExtra, StoreError
from saccade.images.picture import ArrayPicture
from saccade.testbed.worlds import CLASSES, World

MAGIC = 0x1950A86A20F9469CFC6C


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SACCADE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One built model for all tests that only read it."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def embedding() -> Embedding:
    return Embedding()


@pytest.fixture
def full(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Float32Embedding:
    monkeypatch.setenv("SACCADE_CACHE", str(shared_cache))
    return Float32Embedding()


def drawn(count: int) -> list[ArrayPicture]:
    """Scenes, of every class in turn."""
    world = World(seed=11)
    scenes = (world.draw(CLASSES[i % len(CLASSES)], i).pixels for i in range(count))
    return [ArrayPicture(np.asarray(pixels)) for pixels in scenes]


def pictures(count: int) -> list[ArrayPicture]:
    rng = np.random.default_rng(5)
    return [ArrayPicture(rng.integers(0, 256, (40, 60, 3), np.uint8)) for _ in range(count)]


# --- a weights file, written by hand


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def number(value: int) -> bytes:
    return b"J" + struct.pack("<i", value)


def numbers(values: tuple[int, ...]) -> bytes:
    return b"(" + b"".join(number(value) for value in values) + b"t"


def tensor(
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    *,
    count: int,
    key: str = "7",
    offset: int = 0,
    kind: str = "FloatStorage",
) -> bytes:
    storage = b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" + text(key) + text("cpu")
    storage += number(count) + b"NtQ"
    body = b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset)
    return body + numbers(shape) + numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR"


def file_with(
    table: bytes, values: np.ndarray | bytes, *, keys: tuple[str, ...] = ("7",), count: int = -1
) -> bytes:
    head = b"\x80\x02\x8a\x0a" + MAGIC.to_bytes(10, "little") + b"."
    head += b"\x80\x02" + number(1001) + b"."
    head += b"\x80\x02}" + text("little_endian") + b"\x88s."
    body = b"\x80\x02ccollections\nOrderedDict\n)R(" + table + b"u."
    body += b"\x80\x02]" + b"".join(text(key) + b"a" for key in keys) + b"."
    data = values if isinstance(values, bytes) else values.tobytes()
    return head + body + struct.pack("<q", len(data) // 4 if count < 0 else count) + data


def read(tmp_path: Path, data: bytes) -> dict[str, np.ndarray]:
    path = tmp_path / "weights.pth"
    path.write_bytes(data)
    return read_tensors(path)


def test_tensors_are_read_with_shape_strides_and_offset(tmp_path: Path) -> None:
    """Two views of one storage, one of them transposed, come out as they were stored."""
    values = np.arange(10, dtype=np.float32)
    table = text("plain") + tensor((2, 3), (3, 1), count=10)
    table += text("turned") + tensor((3, 2), (1, 3), count=10, offset=4)
    tensors = read(tmp_path, file_with(table, values))
    np.testing.assert_array_equal(tensors["plain"], [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(tensors["turned"], [[4, 7], [5, 8], [6, 9]])


def test_a_call_of_anything_else_is_refused_and_not_made(tmp_path: Path) -> None:
    """A file that would run a command runs nothing."""
    mark = tmp_path / "ran"
    call = text("evil") + b"cos\nsystem\n(" + text(f"touch {mark}") + b"tR"
    with pytest.raises(InvalidInput, match=r"no plain table of tensors: it asks for os\.system"):
        read(tmp_path, file_with(call, b""))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (text("x") + number(3), "something that is no tensor"),
        (text("x") + b"cbuiltins\neval\n", "it asks for builtins.eval"),
        (text("x") + b"ctorch\nFloatStorage\n)R", "calls something that is no tensor"),
        (text("x") + b"ccollections\nOrderedDict\n)\x81", "it uses NEWOBJ"),
        (text("x") + b"\x8c\x02os\x8c\x06system\x93", "it uses STACK_GLOBAL"),
        (text("x") + tensor((2, 30), (30, 1), count=4), "larger than its storage"),
        (text("x") + tensor((2, 2), (2, 1), count=4, offset=2), "no plain table"),
        (text("x") + tensor((2, 2), (2, -1), count=4), "put together wrongly"),
        (text("x") + tensor((4,), (1,), count=5), "has 4 values, not 5"),
        (text("x") + tensor((4,), (1,), count=4, kind="Strange"), "it asks for torch.Strange"),
        (text("x") + tensor((4,), (1,), count=4, key="8"), "no plain table"),
    ],
)
def test_what_is_no_table_of_tensors_is_refused(tmp_path: Path, table: bytes, reason: str) -> None:
    """The error names the file and what is wrong with it."""
    with pytest.raises(InvalidInput, match=reason.replace(".", r"\.")):
        read(tmp_path, file_with(table, np.zeros(4, np.float32)))


def test_hostile_bytes_never_crash_the_reader(tmp_path: Path) -> None:
    """Whatever bytes are changed, the answer is tensors or an error that names the file."""
    rng = np.random.default_rng(2)
    whole = file_with(text("x") + tensor((4,), (1,), count=4), np.zeros(4, np.float32))
    refused = 0
    for _ in range(400):
        bad = bytearray(whole)
        for at in rng.integers(0, len(bad), 3):
            bad[at] = rng.integers(0, 256)
        try:
            read(tmp_path, bytes(bad))
        except InvalidInput:
            refused += 1
    assert refused > 200


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Wherever the file is cut, the answer is an error that names it."""
    whole = file_with(text("x") + tensor((4,), (1,), count=4), np.zeros(4, np.float32))
    assert read(tmp_path, whole)["x"].shape == (4,)
    for length in range(len(whole)):
        with pytest.raises(InvalidInput, match=r"weights\.pth"):
            read(tmp_path, whole[:length])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error says which file is not there."""
    with pytest.raises(InvalidInput, match=r"nothing\.pth' cannot be read"):
        read_tensors(tmp_path / "nothing.pth")


# --- the cache


def test_a_cached_file_is_built_once(cache: Path) -> None:
    """The second call reads what the first one wrote, and nothing else is left behind."""
    calls = []

    def build() -> bytes:
        calls.append(1)
        return b"built"

    assert cached_file("x.onnx", build).read_bytes() == b"built"
    assert cached_file("x.onnx", build).read_bytes() == b"built"
    assert len(calls) == 1
    assert [path.name for path in cache.iterdir()] == ["x.onnx"]


def test_a_build_that_fails_leaves_nothing(cache: Path) -> None:
    """A file appears whole or not at all."""

    def build() -> bytes:
        raise InvalidInput("no weights")

    with pytest.raises(InvalidInput, match="no weights"):
        cached_file("x.onnx", build)
    assert not cache.exists() or list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says how to choose another place."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("SACCADE_CACHE", str(tmp_path / "file" / "below"))
    with pytest.raises(StoreError, match="SACCADE_CACHE"):
        cached_file("x.onnx", lambda: b"x")


# --- the network


def test_vectors_have_length_one(embedding: Embedding) -> None:
    """Every row is a direction, with no value below zero."""
    vectors = embedding.describe(pictures(3))
    assert vectors.shape == (3, 1280)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors.min() >= 0


def test_the_files_in_the_package_are_those_that_columns_name() -> None:
    """Another file gives other vectors, and must have another version."""
    for file, digest in ((encoder.MODEL, encoder.DIGEST), (parts.FILE, parts.DIGEST)):
        assert hashlib.sha256(file.read_bytes()).hexdigest().startswith(digest)
    assert Embedding.version.endswith(f"{encoder.DIGEST}-{parts.DIGEST}")


def test_eight_bits_see_what_float32_sees(embedding: Embedding, full: Float32Embedding) -> None:
    """Around their mean, vectors of the two have a cosine of .97 and more on average."""
    small, large = (one.describe(drawn(27)) for one in (embedding, full))
    small, large = small - large.mean(axis=0), large - large.mean(axis=0)
    lengths = np.linalg.norm(small, axis=1) * np.linalg.norm(large, axis=1)
    assert ((small * large).sum(axis=1) / lengths).mean() > 0.97


@pytest.mark.parametrize("kind", [Embedding, Float32Embedding])
def test_the_vector_is_the_mean_of_its_positions(
    kind: type[Embedding | Float32Embedding], full: Float32Embedding
) -> None:
    """What `describe` gives, from 49 positions."""
    made = kind()
    seen = made.look(pictures(5))
    np.testing.assert_allclose(seen.vectors, made.describe(pictures(5)), atol=1e-6)
    np.testing.assert_allclose(seen.positions.mean(axis=1), seen.vectors, atol=2e-6)
    assert seen.positions.shape == (5, 49, 1280)
    assert (seen.lengths > 0).all()


def test_a_picture_alone_gives_what_it_gives_in_a_batch(embedding: Embedding) -> None:
    """To the bit: whole numbers are summed."""
    together = embedding.describe(pictures(3))
    alone = np.concatenate([embedding.describe([one]) for one in pictures(3)])
    assert np.array_equal(together, alone)


def test_vectors_of_before_are_met_by_the_network_that_made_them(full: Float32Embedding) -> None:
    """Until a column is computed anew, a picture from outside is compared with it in float32."""
    other = Embedding().standing_in(encoder.BEFORE)
    assert isinstance(other, Float32Embedding)
    assert Embedding().standing_in("9-unknown") is None


def test_vectors_of_before_are_met_without_their_network_too(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain installation has the one in 8 bits, which is near enough."""
    monkeypatch.setattr(efficientnet, "PACKAGE", "no_such_weights")
    made = Embedding()
    assert made.standing_in(encoder.BEFORE) is made


def test_the_first_layer_is_the_formula(shared_cache: Path) -> None:
    """Stem: convolution, normalisation and ReLU6 as the weights say, by a plain numpy loop."""
    import onnx
    import onnxruntime

    weights = read_tensors(efficientnet.weights_file())
    model = onnx.load_from_string(efficientnet.build())
    clip = next(node for node in model.graph.node if node.op_type == "Clip").output[0]
    model.graph.output.append(onnx.helper.make_tensor_value_info(clip, 1, None))
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    pixels = np.random.default_rng(1).normal(size=(1, 3, 224, 224)).astype(np.float32)
    (got,) = session.run([clip], {"image": pixels})
    padded = np.pad(pixels[0].astype(float), ((0, 0), (0, 1), (0, 1)))
    kernel = weights["_conv_stem.weight"].astype(float)
    for y, x in [(0, 0), (5, 17), (111, 111), (111, 3)]:
        patch = padded[:, 2 * y : 2 * y + 3, 2 * x : 2 * x + 3]
        value = (kernel * patch).sum(axis=(1, 2, 3))
        value = (value - weights["_bn0.running_mean"]) / np.sqrt(weights["_bn0.running_var"] + 1e-3)
        value = value * weights["_bn0.weight"] + weights["_bn0.bias"]
        np.testing.assert_allclose(got[0, :, y, x], np.clip(value, 0, 6), atol=1e-4)


def test_a_shifted_picture_is_nearer_than_another_one(embedding: Embedding) -> None:
    """The same disk moved is more alike than noise."""
    y, x = np.mgrid[:120, :160]
    disks = []
    for centre in (60, 90):
        inside = ((x - centre) ** 2 + (y - 60) ** 2 < 900)[..., None]
        disks.append(np.where(inside, (220, 60, 40), (90, 140, 230)).astype(np.uint8))
    a, b, c = embedding.describe([ArrayPicture(disks[0]), ArrayPicture(disks[1]), *pictures(1)])
    assert a @ b > a @ c + 0.2


def test_a_damaged_model_in_the_cache_is_built_again(cache: Path) -> None:
    """A cache that went bad costs one more build, not an error."""
    cache.mkdir()
    path = cache / efficientnet.model_file().name
    path.write_bytes(b"damaged")
    assert Float32Embedding().describe(pictures(1)).shape == (1, 1280)
    assert path.stat().st_size > 10_000_000


def test_a_missing_weights_package_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install, before anything is computed."""
    monkeypatch.setattr(efficientnet, "PACKAGE", "no_such_weights")
    with pytest.raises(MissingExtra, match=r"no_such_weights.*saccade\[float32\]"):
        Float32Embedding()


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of other weights must not pass for those of these."""
    monkeypatch.setattr(efficientnet, "SHA256", "0" * 64)
    with pytest.raises(InvalidInput, match="damaged or holds other weights"):
        efficientnet.build()


def _describe_in_child(embedding: Embedding) -> np.ndarray:
    return embedding.describe(pictures(1))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_model_in_use_goes_to_other_processes(embedding: Embedding, method: str) -> None:
    """Neither fork nor spawn carries an open model over; the child opens its own."""
    expected = embedding.describe(pictures(1))
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert np.array_equal(pool.apply(_describe_in_child, (embedding,)), expected)


def test_nothing_is_printed(shared_cache: Path) -> None:
    """The runtime keeps its warnings to itself."""
    code = (
        "import numpy as np\n"
        "from saccade.descriptors import make\n"
        "from saccade.images.picture import ArrayPicture\n"
        "make('embedding').describe([ArrayPicture(np.zeros((4, 4, 3), np.uint8))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        env={"SACCADE_CACHE": str(shared_cache), "PATH": "/usr/bin:/bin"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
