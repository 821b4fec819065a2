"""Tensors from a PyTorch weights file, without PyTorch and without running anything in it.

Such a file (the format before PyTorch 1.6) is, one after the other: three pickles with a magic
number, a version and the byte order; a pickle of names → tensors; a pickle with the keys of the
storages; then for each key, in that order, the number of values as int64 and the values.

A pickle is a program for a small stack machine, and unpickling a stranger's file runs it. Here the
opcodes are read by hand: those that put together numbers, texts, tuples and dictionaries are
followed, a call is answered only if it rebuilds a tensor or an ordered dictionary, and anything
else ends the reading with an error.
"""

from __future__ import annotations

import io
import math
import pickletools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from saccade.errors import InvalidInput
from saccade.types import Array

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001
_STORAGES: dict[str, np.dtype[Any]] = {
    "torch FloatStorage": np.dtype("<f4"),
    "torch DoubleStorage": np.dtype("<f8"),
    "torch HalfStorage": np.dtype("<f2"),
    "torch LongStorage": np.dtype("<i8"),
    "torch IntStorage": np.dtype("<i4"),
}
_REBUILD = "torch._utils _rebuild_tensor_v2"
_ORDERED = "collections OrderedDict"
_LITERALS = frozenset(
    ["BININT", "BININT1", "BININT2", "LONG1", "BINUNICODE", "SHORT_BINUNICODE", "BINFLOAT"]
)


class _RefusedError(Exception):
    """Something in the file that is not a table of tensors."""


@dataclass(frozen=True, slots=True)
class _Global:
    """A name that the file would import; here it stays a name."""

    name: str


@dataclass(frozen=True, slots=True)
class _Storage:
    dtype: np.dtype[Any]
    key: str
    count: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Mark:
    """The place on the stack where a tuple or a list of items begins."""


def read_tensors(path: Path) -> dict[str, Array]:
    """Every tensor of the file by its name.

    Raises:
        InvalidInput: the file is missing, damaged, or holds anything but tensors.
    """
    try:
        return _read(io.BytesIO(path.read_bytes()))
    except OSError as error:
        raise InvalidInput(f"weights {str(path)!r} cannot be read: {error.strerror}") from error
    # What a damaged file makes the reader stumble over: all of it means the same.
    except (
        _RefusedError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
    ) as error:
        raise InvalidInput(
            f"weights {str(path)!r} are no plain table of tensors: {error}"
        ) from error


def _read(file: BinaryIO) -> dict[str, Array]:
    if _value(file) != _MAGIC or _value(file) != _VERSION:
        raise _RefusedError("another format")
    about = _value(file)
    if not isinstance(about, dict) or about.get("little_endian") is not True:
        raise _RefusedError("another byte order")
    table, keys = _value(file), _value(file)
    if not isinstance(table, dict) or not isinstance(keys, list):
        raise _RefusedError("no table of names")
    tensors = {name: item for name, item in table.items() if isinstance(item, _Tensor)}
    if len(tensors) != len(table) or not all(isinstance(name, str) for name in table):
        raise _RefusedError("it names something that is no tensor")
    storages = {item.storage.key: item.storage for item in tensors.values()}
    values = {key: _stored(file, storages[key]) for key in keys}
    return {name: _view(item, values[item.storage.key]) for name, item in tensors.items()}


def _stored(file: BinaryIO, storage: _Storage) -> Array:
    count = int.from_bytes(file.read(8), "little", signed=True)
    if count != storage.count:
        raise _RefusedError(f"storage {storage.key} has {count} values, not {storage.count}")
    data = file.read(count * storage.dtype.itemsize)
    return np.frombuffer(data, storage.dtype, count)


def _view(tensor: _Tensor, values: Array) -> Array:
    """The tensor's values where they lie; numpy refuses a view that reaches beyond them."""
    width = values.itemsize
    if math.prod(tensor.shape) > len(values):
        raise _RefusedError("a tensor is larger than its storage")
    strides = [width * step for step in tensor.strides]
    return np.ndarray(tensor.shape, values.dtype, values.data, tensor.offset * width, strides)


def _value(file: BinaryIO) -> Any:
    """What the next pickle in the file stands for."""
    stack: list[Any] = []
    memo: dict[Any, Any] = {}
    for opcode, argument, _ in pickletools.genops(file):
        name = opcode.name
        if name == "STOP":
            return stack.pop()
        if name in _LITERALS:
            stack.append(argument)
        elif name in ("BINPUT", "LONG_BINPUT"):
            memo[argument] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo[argument])
        elif name == "GLOBAL":
            stack.append(_Global(_admitted(str(argument))))
        elif name != "PROTO":
            if name not in _STEPS:
                raise _RefusedError(f"it uses {name}")
            _STEPS[name](stack)
    raise _RefusedError("it ends early")


def _admitted(name: str) -> str:
    if name in _STORAGES or name in (_REBUILD, _ORDERED):
        return name
    raise _RefusedError(f"it asks for {name.replace(' ', '.')}")


def _since_mark(stack: list[Any]) -> list[Any]:
    items: list[Any] = []
    while not isinstance(item := stack.pop(), _Mark):
        items.append(item)
    return items[::-1]


def _set_items(stack: list[Any]) -> None:
    items = _since_mark(stack)
    stack[-1].update(zip(items[::2], items[1::2], strict=True))


def _set_item(stack: list[Any]) -> None:
    value, key = stack.pop(), stack.pop()
    stack[-1].update({key: value})


def _append(stack: list[Any]) -> None:
    item = stack.pop()
    stack[-1].append(item)


def _extend(stack: list[Any]) -> None:
    items = _since_mark(stack)
    stack[-1].extend(items)


def _last(count: int) -> Callable[[list[Any]], None]:
    def tuple_of_last(stack: list[Any]) -> None:
        items = [stack.pop() for _ in range(count)]
        stack.append(tuple(reversed(items)))

    return tuple_of_last


def _call(stack: list[Any]) -> None:
    arguments, called = stack.pop(), stack.pop()
    if called == _Global(_ORDERED) and arguments == ():
        stack.append({})
    elif called == _Global(_REBUILD):
        storage, offset, shape, strides = arguments[:4]
        numbers = (offset, *shape, *strides)
        if not isinstance(storage, _Storage) or not all(
            isinstance(number, int) and number >= 0 for number in numbers
        ):
            raise _RefusedError("a tensor is put together wrongly")
        stack.append(_Tensor(storage, offset, tuple(shape), tuple(strides)))
    else:
        raise _RefusedError("it calls something that is no tensor")


def _storage(stack: list[Any]) -> None:
    kind, storage, key, _, count = stack.pop()[:5]
    if kind != "storage" or not isinstance(storage, _Global) or not isinstance(count, int):
        raise _RefusedError("a storage is put together wrongly")
    stack.append(_Storage(_STORAGES[storage.name], str(key), count))


def _leave_attributes(stack: list[Any]) -> None:
    """The table's own attributes (versions of layers): read, and left out."""
    stack.pop()


_STEPS: dict[str, Callable[[list[Any]], None]] = {
    "MARK": lambda stack: stack.append(_Mark()),
    "NONE": lambda stack: stack.append(None),
    "NEWTRUE": lambda stack: stack.append(True),
    "NEWFALSE": lambda stack: stack.append(False),
    "EMPTY_DICT": lambda stack: stack.append({}),
    "EMPTY_LIST": lambda stack: stack.append([]),
    "EMPTY_TUPLE": lambda stack: stack.append(()),
    "TUPLE": lambda stack: stack.append(tuple(_since_mark(stack))),
    "TUPLE1": _last(1),
    "TUPLE2": _last(2),
    "TUPLE3": _last(3),
    "SETITEM": _set_item,
    "SETITEMS": _set_items,
    "APPEND": _append,
    "APPENDS": _extend,
    "REDUCE": _call,
    "BINPERSID": _storage,
    "BUILD": _leave_attributes,
}
