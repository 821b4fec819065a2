"""A profile from outside is a border: looked at before it is unpacked."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.errors import InvalidInput


def profile(arrays: dict[str, Any], schemes: list[str], times: int = 1) -> dict[str, Any]:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    line = {
        "at": 1.0,
        "kind": "reacted",
        "body": {"schemes": schemes},
        "arrays": base64.b64encode(out.getvalue()).decode(),
    }
    return {"saccade-profile": 1, "user": "ana", "events": [line] * times}


BOMB = {"phi": np.zeros((3000, 3000), np.float32)}
CROWD = {f"a{i}": np.zeros(1) for i in range(65)}
SMALL = {"phi": np.zeros((1, 1), np.float32)}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (profile(BOMB, []), "unpack to 36000"),
        (profile(CROWD, []), "65 arrays"),
        (profile(SMALL, ["lbp:cosine\x1b[2J"]), "cannot be shown"),
        (profile(SMALL, ["x"] * 1001), "too many"),
        (profile(SMALL, [], times=100_001), "more than 100000"),
    ],
)
def test_a_profile_that_is_too_much_is_refused(
    tmp_path: Path, data: dict[str, Any], words: str
) -> None:
    """By what it says of itself; nothing of it is learned."""
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match=words):
            engine.import_profile("eva", data)
        assert engine.users() == ()
