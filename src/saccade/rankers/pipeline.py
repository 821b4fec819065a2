"""Scale, select, rank: the whole way from raw features to a score, kept as one model.

    score(phi) = ranker(selection(scaling(phi)))

A model file is a zip of named arrays (`.npz`) whose entry `head` is one line of JSON. Nothing in it
is executable, and a file appears whole or not at all.
"""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from saccade import rankers
from saccade.contracts import Ranker, Training
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.rankers import selection
from saccade.rankers.scaling import Scaling
from saccade.types import Array, Phi, Scores, State

FORMAT = 1
_HEAD = "head"
_SAVE = Hint("its save method writes one", command="`saccade rank --save MODEL` writes one")


class Pipeline:
    """A ranker with the preparation of its features; `width` is the number of raw features."""

    name = "pipeline"

    def __init__(
        self, ranker: Ranker, *, scale: str = "standard", select: str | None = None
    ) -> None:
        self.ranker = ranker
        self.scaling = Scaling(kind=scale)
        self.selector = None if select is None else selection.make(select)
        self.width: int | None = None

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Fit scaling, selection and ranker on the training rows, in that order."""
        self.scaling.fit(phi)
        rows = self.scaling.transform(phi, groups)
        self.width = rows.shape[1]
        if self.selector is not None:
            self.selector.fit(rows, grades, groups)
            rows = self.selector.transform(rows)
        if validation is not None:
            validation = (self._prepared(validation[0], validation[2]), *validation[1:])
        self.ranker.fit(rows, grades, groups, validation=validation)
        return self

    def score(self, phi: Phi, groups: ArrayLike) -> Scores:
        """Score of each row; `groups` matters where features are scaled within queries."""
        return self.ranker.score(self._prepared(phi, groups))

    def _prepared(self, phi: Phi, groups: ArrayLike) -> Phi:
        rows = self.scaling.transform(phi, groups)
        return rows if self.selector is None else self.selector.transform(rows)

    def dump(self) -> State:
        """The states of the parts under one head."""
        parts = {"scaling": self.scaling.dump(), "ranker": self.ranker.dump()}
        if self.selector is not None:
            parts["selection"] = self.selector.dump()
        spec = {part: {"kind": state.kind, "spec": state.spec} for part, state in parts.items()}
        arrays = {
            f"{part}.{key}": value
            for part, state in parts.items()
            for key, value in state.arrays.items()
        }
        return State(self.name, spec | {"width": self.width}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The pipeline that was dumped."""
        parts = {
            part: State(
                state.spec[part]["kind"],
                state.spec[part]["spec"],
                {
                    key.removeprefix(f"{part}."): value
                    for key, value in state.arrays.items()
                    if key.startswith(f"{part}.")
                },
            )
            for part in ("scaling", "ranker", "selection")
            if part in state.spec
        }
        model = cls(rankers.as_ranker(rankers.load(parts["ranker"])))
        model.scaling = Scaling.load(parts["scaling"])
        if "selection" in parts:
            model.selector = selection.load(parts["selection"])
        model.width = state.spec["width"]
        return model


def save(path: str | Path, model: Pipeline) -> None:
    """Write a model; the name is used as it stands."""
    path, state = Path(path), model.dump()
    head = json.dumps({"saccade": FORMAT, "kind": state.kind, "spec": state.spec}, sort_keys=True)
    arrays: dict[str, Array] = dict(state.arrays)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as file:
            np.savez(file, **{_HEAD: np.frombuffer(head.encode(), np.uint8)}, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except FileNotFoundError:
        raise NotFound(f"{path.parent}: no such folder to save a model in") from None
    finally:
        partial.unlink(missing_ok=True)


def open_model(path: str | Path) -> Pipeline:
    """Read a model that `save` wrote; anything else is refused by name."""
    path = Path(path)
    refused = InvalidInput(f"{path} is no model that Saccade wrote", hint=_SAVE)
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile) or _HEAD not in file.files:
                raise refused
            head = json.loads(file[_HEAD].tobytes())
            arrays = {key: file[key] for key in file.files if key != _HEAD}
    except FileNotFoundError:
        raise NotFound(f"{path}: no such model") from None
    except (OSError, EOFError, ValueError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        if isinstance(error, InvalidInput):
            raise
        raise refused from error
    if not isinstance(head, dict) or "saccade" not in head:
        raise refused
    if head["saccade"] != FORMAT:
        raise InvalidInput(
            f"{path} has model format {head['saccade']}, this Saccade reads {FORMAT}",
            hint="train it again with this version",
        )
    try:
        return Pipeline.load(State(head["kind"], head["spec"], arrays))
    except (KeyError, TypeError) as error:
        raise refused from error
