from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from encoders import (
    COLOURS,
    PLAIN,
    SIZE,
    TEXT_NOTES,
    VOCABULARY,
    encoder_pair,
    flat,
    image_model,
    save,
    text_model,
    value,
)
from saccade import descriptors
from saccade.checks.descriptors import check_descriptor
from saccade.errors import InvalidInput, UnknownName
from saccade.images.picture import ArrayPicture


def test_an_encoder_by_file_is_a_descriptor(tmp_path: Path) -> None:
    """A model file keeps every promise of a descriptor."""
    path = image_model(tmp_path / "colour.onnx")
    descriptor = descriptors.make(f"embedding@{path}")
    assert (descriptor.dimension, descriptor.kind) == (3, "embedding")
    check_descriptor(descriptor)


def test_the_mean_and_std_of_the_file_are_used(tmp_path: Path) -> None:
    """Notes in the file say how pixels are scaled."""
    path = image_model(
        tmp_path / "m.onnx", notes={"saccade.mean": "0.5,0,0", "saccade.std": "1,2,4"}
    )
    (vector,) = descriptors.make(f"embedding@{path}").describe([flat((255, 255, 255))])
    expected = np.array([0.5, 0.5, 0.25])
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


def test_options_in_the_name_win_over_the_file(tmp_path: Path) -> None:
    """What is asked for by name goes first, and is part of the name."""
    path = image_model(tmp_path / "m.onnx", notes={"saccade.mean": "9", "saccade.std": "1"})
    descriptor = descriptors.make(f"embedding@{path}?mean=0/0/1")
    (vector,) = descriptor.describe([flat((255, 0, 255))])
    np.testing.assert_allclose(vector, [1, 0, 0], atol=1e-6)
    assert descriptor.name == f"embedding@{path}?mean=0/0/1"
    assert descriptors.make(descriptor.name).version == descriptor.version


def test_the_version_follows_the_file_and_the_settings(tmp_path: Path) -> None:
    """Whatever changes the values changes the version."""
    path = image_model(tmp_path / "m.onnx")
    versions = {
        descriptors.make(f"embedding@{path}").version,
        descriptors.make(f"embedding@{path}?std=0.5").version,
        descriptors.make(f"embedding@{path}?fit=crop").version,
    }
    image_model(path, notes={"other": "bytes"})
    versions.add(descriptors.make(f"embedding@{path}").version)
    assert len(versions) == 4


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of a column means the same from every directory."""
    image_model(tmp_path / "m.onnx")
    monkeypatch.chdir(tmp_path)
    assert descriptors.make("embedding@m.onnx").name == f"embedding@{tmp_path / 'm.onnx'}"


def test_crop_looks_at_the_middle_and_squash_at_all(tmp_path: Path) -> None:
    """A red middle with a blue border is red when cropped and both when squashed."""
    path = image_model(tmp_path / "m.onnx", notes=PLAIN)
    rgb = np.full((10, 30, 3), (0, 0, 255), np.uint8)
    rgb[:, 10:20] = 255, 0, 0
    cropped = descriptors.make(f"embedding@{path}?fit=crop").describe([ArrayPicture(rgb)])[0]
    squashed = descriptors.make(f"embedding@{path}?fit=squash").describe([ArrayPicture(rgb)])[0]
    np.testing.assert_allclose(cropped, [1, 0, 0], atol=1e-6)
    assert squashed[2] > squashed[0] > 0.2


def test_a_free_input_size_is_taken_from_the_notes(tmp_path: Path) -> None:
    """A model of any size gets the one that was asked for, and 224 if none was."""
    path = image_model(tmp_path / "m.onnx", shape=("n", 3, "h", "w"))
    assert descriptors.make(f"embedding@{path}").settings.size == 224
    assert descriptors.make(f"embedding@{path}?size=32").settings.size == 32
    image_model(path, shape=("n", 3, "h", "w"), notes={"saccade.size": "48"})
    assert descriptors.make(f"embedding@{path}").settings.size == 48


def test_a_model_for_one_picture_describes_many(tmp_path: Path) -> None:
    """A fixed batch of one is no obstacle."""
    path = image_model(tmp_path / "m.onnx", shape=(1, 3, SIZE, SIZE), notes=PLAIN)
    vectors = descriptors.make(f"embedding@{path}").describe([flat(c) for c in COLOURS.values()])
    np.testing.assert_allclose(vectors, np.eye(3), atol=1e-6)


def test_another_output_can_be_named(tmp_path: Path) -> None:
    """A model with several outputs gives the one asked for."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["map"]),
        helper.make_node("Flatten", ["map"], ["vector"]),
    ]
    outputs = [value("map", ["n", 3, 1, 1]), value("vector", ["n", 3])]
    path = save(tmp_path / "m.onnx", nodes, [value("image", ["n", 3, SIZE, SIZE])], outputs)
    with pytest.raises(InvalidInput, match=r"output 'map' has shape \[1, 3, 1, 1\].*\?output=NAME"):
        descriptors.make(f"embedding@{path}")
    assert descriptors.make(f"embedding@{path}?output=vector").dimension == 3
    with pytest.raises(InvalidInput, match="no output 'x'; there are: map, vector"):
        descriptors.make(f"embedding@{path}?output=x")


def test_an_option_with_odd_signs_survives_in_the_name(tmp_path: Path) -> None:
    """The name that a descriptor bears makes the same descriptor again."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["map"]),
        helper.make_node("Flatten", ["map"], ["a b+c&d"]),
    ]
    outputs = [value("a b+c&d", ["n", 3])]
    path = save(tmp_path / "m.onnx", nodes, [value("image", ["n", 3, SIZE, SIZE])], outputs)
    first = descriptors.make(f"embedding@{path}?output=a%20b%2Bc%26d")
    again = descriptors.make(first.name)
    assert (again.name, again.version) == (first.name, first.version)


def test_a_zero_vector_stays_zero(tmp_path: Path) -> None:
    """Black under a model of means is nothing, not a division by zero."""
    path = image_model(tmp_path / "m.onnx", notes=PLAIN)
    assert (descriptors.make(f"embedding@{path}").describe([flat((0, 0, 0))]) == 0).all()


# --- models that cannot be used


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The error names the descriptor and the file."""
    with pytest.raises(InvalidInput, match=r"descriptor 'embedding@.*' ?: no model file"):
        descriptors.make(f"embedding@{tmp_path / 'none.onnx'}")


@pytest.mark.parametrize("data", [b"", b"this is no model", b"\x08\x08" * 50])
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, data: bytes) -> None:
    """The error names the descriptor and says that it is no model."""
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    with pytest.raises(
        InvalidInput, match=r"descriptor 'embedding@.*is not an ONNX model"
    ) as caught:
        descriptors.make(f"embedding@{path}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (("n", 3), r"must take one input \[n, 3, height, width\]"),
        (("n", SIZE, SIZE, 3), r"must take one input \[n, 3, height, width\]"),
        (("n", 3, SIZE, 2 * SIZE), "must be square; it is 8 × 16"),
        ((5, 3, SIZE, SIZE), "exactly 5 pictures at a time"),
    ],
)
def test_an_input_of_another_shape_is_refused(tmp_path: Path, shape: tuple, reason: str) -> None:
    """Rank, channels, aspect and batch are checked before any picture is described."""
    node = helper.make_node("Flatten", ["image"], ["vector"])
    path = save(
        tmp_path / "m.onnx", [node], [value("image", list(shape))], [value("vector", ["n", "d"])]
    )
    with pytest.raises(InvalidInput, match=reason):
        descriptors.make(f"embedding@{path}")


def test_an_input_of_another_type_is_refused(tmp_path: Path) -> None:
    """Only float32 goes in."""
    node = helper.make_node("Flatten", ["image"], ["vector"])
    kind = TensorProto.DOUBLE
    inputs = [value("image", ["n", 3, SIZE, SIZE], kind)]
    path = save(tmp_path / "m.onnx", [node], inputs, [value("vector", ["n", "d"], kind)])
    with pytest.raises(InvalidInput, match=r"must be float32; it is tensor\(double\)"):
        descriptors.make(f"embedding@{path}")


def test_a_model_that_gives_nan_is_an_error_that_names_it(tmp_path: Path) -> None:
    """Values that are not finite never reach a column, and the count says how many inputs fail."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["flat"]),
        helper.make_node("Log", ["flat"], ["vector"]),
    ]
    inputs, outputs = [value("image", ["n", 3, SIZE, SIZE])], [value("vector", ["n", 3])]
    path = save(tmp_path / "m.onnx", nodes, inputs, outputs, notes={**PLAIN, "saccade.mean": "0.5"})
    descriptor = descriptors.make(f"embedding@{path}")
    assert np.isfinite(descriptor.describe([flat((255, 255, 255))])).all()
    with pytest.raises(InvalidInput, match=r"'embedding@.*not finite for 1 of 2 inputs"):
        descriptor.describe([flat((255, 255, 255)), flat((0, 0, 0))])


def test_a_model_that_fails_on_a_picture_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A failure inside the runtime is told in one line."""
    constants = {"shape": np.array([1, -1], np.int64)}
    node = helper.make_node("Reshape", ["image", "shape"], ["vector"])
    inputs, outputs = [value("image", ["n", 3, SIZE, SIZE])], [value("vector", ["n", "d"])]
    path = save(tmp_path / "m.onnx", [node], inputs, outputs, constants)
    descriptor = descriptors.make(f"embedding@{path}")
    with pytest.raises(InvalidInput, match=r"gave \[1, 384\] for 2 pictures, not \[2, 192\]"):
        descriptor.describe([flat((0, 0, 0))] * 2)


@pytest.mark.parametrize(
    ("options", "error", "reason"),
    [
        ("size=9", InvalidInput, "size=9, but the model takes 8 × 8 pixels"),
        ("size=big", InvalidInput, "size=big is no number from 1 to 4096"),
        ("mean=1/2", InvalidInput, "mean=1/2 is neither a number nor three"),
        ("mean=inf", InvalidInput, "mean=inf is out of range"),
        ("std=0", InvalidInput, "std=0 must be above zero"),
        ("fit=crob", UnknownName, "'crob'; did you mean 'crop'"),
        ("sise=8", UnknownName, "'sise'; did you mean 'size'"),
        ("size", InvalidInput, "options are written name=value"),
    ],
)
def test_wrong_options_are_refused(
    tmp_path: Path, options: str, error: type[Exception], reason: str
) -> None:
    """Each option says what it expects."""
    path = image_model(tmp_path / "m.onnx")
    with pytest.raises(error, match=reason):
        descriptors.make(f"embedding@{path}?{options}")


def test_a_name_without_file_is_refused() -> None:
    """The error shows how it is written."""
    with pytest.raises(InvalidInput, match=r"no file is named; write embedding@PATH\.onnx"):
        descriptors.make("embedding@")


# --- words


@pytest.fixture
def pair(tmp_path: Path) -> str:
    return encoder_pair(tmp_path)


def test_words_find_their_pictures(pair: str) -> None:
    """Text and pictures meet in one space: each word is nearest to its colour."""
    vectors = descriptors.make(pair).describe([flat(colour) for colour in COLOURS.values()])
    words = descriptors.text_encoder(pair).encode([f"something {word}!" for word in COLOURS])
    assert words.dtype == np.float32
    assert (words @ vectors.T).argmax(axis=1).tolist() == [0, 1, 2]


def test_pieces_are_the_longest_that_fit(pair: str) -> None:
    """A word is cut into the longest pieces of the vocabulary; what no piece covers is unknown."""
    ids, mask = descriptors.text_encoder(pair).tokenizer(["Reddish! purple", "red"])
    assert [VOCABULARY[id] for id in ids[0]] == [
        "[start]", "red", "##dish", "!", "[unknown]", "[end]",
    ]  # fmt: skip
    assert [VOCABULARY[id] for id in ids[1]] == ["[start]", "red", "[end]"] + 3 * ["[pad]"]
    assert mask.tolist() == [[1] * 6, [1, 1, 1, 0, 0, 0]]


def test_a_long_text_is_cut_before_its_end(pair: str) -> None:
    """The end stays where the model expects it."""
    ids, _ = descriptors.text_encoder(pair).tokenizer(["red " * 50])
    assert [VOCABULARY[id] for id in ids[0]] == ["[start]", "red", "red", "red", "red", "[end]"]


def test_an_empty_text_is_start_and_end(pair: str) -> None:
    """No words is no error."""
    encoder = descriptors.text_encoder(pair)
    assert encoder.tokenizer([""])[1].sum() == 2
    assert encoder.encode([]).shape == (0, 3)


def test_a_note_in_the_image_model_names_its_text_model(tmp_path: Path) -> None:
    """The pair may be called anything, and the text model may ask for a mask."""
    text_model(tmp_path / "words.onnx", masked=True)
    image = image_model(tmp_path / "m.onnx", notes={**PLAIN, "saccade.text": "words.onnx"})
    (vector,) = descriptors.text_encoder(f"embedding@{image}").encode(["green"])
    np.testing.assert_allclose(vector, [0, 1, 0], atol=1e-6)


def test_an_image_encoder_alone_has_no_text_encoder(tmp_path: Path) -> None:
    """The error says where a text encoder would be looked for."""
    path = image_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match=r"no text encoder is installed.*m\.text\.onnx"):
        descriptors.text_encoder(f"embedding@{path}")


def test_a_text_encoder_of_another_space_is_refused(tmp_path: Path) -> None:
    """Two encoders of different dimension are no pair."""
    text_model(tmp_path / "m.text.onnx", width=5)
    path = image_model(tmp_path / "m.onnx")
    with pytest.raises(
        InvalidInput, match=r"has 3 values, its text encoder .* 5; they are no pair"
    ):
        descriptors.text_encoder(f"embedding@{path}")


@pytest.mark.parametrize(
    ("key", "note", "reason"),
    [
        ("vocabulary", None, r"no note 'saccade\.text\.vocabulary'"),
        ("vocabulary", "{", "vocabulary is not JSON"),
        ("vocabulary", "[1]", "no JSON object piece → id"),
        ("vocabulary", '{"a": -1}', "no JSON object piece → id"),
        ("length", "two", r"saccade\.text\.length=two"),
        ("unknown", None, r"no note 'saccade\.text\.unknown'"),
        ("start", "[begin]", r"the start piece '\[begin\]' is not in its vocabulary"),
    ],
)
def test_notes_that_are_wrong_are_refused(
    tmp_path: Path, key: str, note: str | None, reason: str
) -> None:
    """Each note of a text encoder is checked when it is opened."""
    notes = {name: text for name, text in TEXT_NOTES.items() if name != f"saccade.text.{key}"}
    if note is not None:
        notes[f"saccade.text.{key}"] = note
    text_model(tmp_path / "m.text.onnx", notes=notes)
    path = image_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match=reason):
        descriptors.text_encoder(f"embedding@{path}")


def test_a_text_encoder_with_other_inputs_is_refused(tmp_path: Path) -> None:
    """Ids are int64 in two dimensions."""
    node = helper.make_node("Identity", ["ids"], ["vector"])
    inputs, outputs = [value("ids", ["n", 6])], [value("vector", ["n", 6])]
    save(tmp_path / "m.text.onnx", [node], inputs, outputs, notes=TEXT_NOTES)
    path = image_model(tmp_path / "m.onnx")
    with pytest.raises(InvalidInput, match=r"must take int64 \[n, length\]"):
        descriptors.text_encoder(f"embedding@{path}")
