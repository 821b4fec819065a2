from __future__ import annotations

from saccade.images.identity import image_id


def test_the_same_bytes_have_the_same_name() -> None:
    """An image's name depends on its bytes alone."""
    assert image_id(b"pixels") == image_id(bytearray(b"pixels"))


def test_other_bytes_have_another_name() -> None:
    """One changed bit changes the name."""
    assert image_id(b"pixels") != image_id(b"pixelr")


def test_a_name_is_32_hexadecimal_characters() -> None:
    """Names fit a URL and a file name."""
    name = image_id(b"\x00" * 1000)
    assert len(name) == 32
    assert set(name) <= set("0123456789abcdef")
