from __future__ import annotations

from collections.abc import Callable

import pytest

import ordinary


@pytest.fixture
def in_a_fork() -> Callable[[Callable[[], str]], str]:
    """Runs a function in a fork and returns its text."""
    return ordinary.in_a_fork


@pytest.fixture
def as_ordinary_user() -> Callable[[Callable[[], str]], str]:
    """The same, as a user whom permissions stop."""
    return ordinary.as_ordinary_user
