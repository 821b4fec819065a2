"""One ONNX model, opened in each process when it is first run there.

An open model holds threads and memory that survive neither a fork nor a pickle, so neither carries
it over: a process that finds none of its own opens one.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from saccade.errors import InvalidInput
from saccade.types import Array, Arrays

SILENT = 4
"""Severity from which onnxruntime prints: fatal alone. Everything else reaches us as an error."""


class NetworkSession:
    """A model file, run on `threads` threads; `owner` names the descriptor in errors."""

    def __init__(self, path: Path, *, owner: str, threads: int = 1) -> None:
        self.path, self.owner, self.threads = path, owner, threads
        self._opened: Any = None
        self._process = 0

    def run(self, inputs: Arrays, *outputs: str) -> list[Array]:
        """The values of some outputs.

        Raises:
            InvalidInput: the model fails on this input.
        """
        try:
            values: list[Array] = self.model.run(list(outputs), dict(inputs))
        # onnxruntime has no public root of its errors.
        except Exception as error:
            raise InvalidInput(
                f"descriptor {self.owner!r}: the model fails: {_first_line(error)}"
            ) from error
        return values

    @property
    def model(self) -> Any:
        """The open model of this process."""
        if self._opened is None or self._process != os.getpid():
            self._opened = self._open()
            self._process = os.getpid()
        return self._opened

    def metadata(self) -> dict[str, str]:
        """The notes inside the file: text by key."""
        return dict(self.model.get_modelmeta().custom_metadata_map)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None, "_process": 0}

    def _open(self) -> Any:
        import onnxruntime

        if not self.path.is_file():
            raise InvalidInput(
                f"descriptor {self.owner!r}: no model file {str(self.path)!r}; check the path"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = SILENT
        # Threads that spin while they wait would take a core from the other workers.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(
                str(self.path), options, providers=["CPUExecutionProvider"]
            )
        # As above: a damaged file, another format and an unknown operator all end here.
        except Exception as error:
            raise InvalidInput(
                f"descriptor {self.owner!r}: {str(self.path)!r} is not an ONNX model that can be "
                f"run: {_first_line(error)}"
            ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
