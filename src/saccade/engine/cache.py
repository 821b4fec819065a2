"""What was made last and may be needed again, within bounds.

Every room that keeps something in memory keeps it in one of these, and an open store knows all of
them: they are emptied when someone is forgotten, and those `of_collection` when that changes. What
is lost can be made again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, Self, TypeVar, overload

Key = TypeVar("Key", bound=Hashable)
Owner = TypeVar("Owner")
Value = TypeVar("Value")


class once(Generic[Owner, Value]):  # noqa: N801  (it is written as a decorator)
    """A property that is found out when it is first asked for, and stays with its object.

    `functools.cached_property` does the same, but in Python 3.11 it holds one lock for all objects
    of a class while it computes: people who search at the same time would wait for each other.
    """

    def __init__(self, find: Callable[[Owner], Value]) -> None:
        self.find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type[Owner], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Owner]) -> Self: ...
    @overload
    def __get__(self, instance: Owner, owner: type[Owner]) -> Value: ...
    def __get__(self, instance: Owner | None, owner: type[Owner]) -> Self | Value:
        if instance is None:
            return self
        value = self.find(instance)
        instance.__dict__[self._name] = value  # from now on it is found there first
        return value


def _one(value: object) -> int:
    return 1


class Cache(Generic[Key, Value]):
    """The values used last, as long as their sizes add up to `most`. Safe to use from many threads.

    A value is measured whenever it is put; by default each counts 1. The newest always stays.
    """

    def __init__(self, most: int, size: Callable[[Value], int] = _one) -> None:
        self._most, self._measure = most, size
        self._held: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._total = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._held)

    @property
    def size(self) -> int:
        """What all of them take."""
        return self._total

    def get(self, key: Key) -> Value | None:
        """The value of a key, where it is still at hand."""
        with self._lock:
            held = self._held.get(key)
            if held is None:
                return None
            self._held.move_to_end(key)
            return held[0]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value; the ones not used for longest go."""
        size = self._measure(value)
        with self._lock:
            _, before = self._held.pop(key, (value, 0))
            self._held[key] = value, size
            self._total += size - before
            while self._total > self._most and len(self._held) > 1:
                _, (_, dropped) = self._held.popitem(last=False)
                self._total -= dropped

    def made(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key; made where it is not at hand.

        Two who ask at once may both make it: one value is as good as the other.
        """
        value = self.get(key)
        if value is None:
            value = make()
            self.put(key, value)
        return value

    def clear(self) -> None:
        """Keep nothing; whoever works with a value goes on with it."""
        with self._lock:
            self._held.clear()
            self._total = 0
