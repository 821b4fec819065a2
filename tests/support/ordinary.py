"""Run a piece of a test as an ordinary user: permissions do not stop a superuser."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

NOBODY = 65534


def in_a_fork(function: Callable[[], str], *, user: int | None = None) -> str:
    """What `function` returns in a fork of this process; its failure is raised here as text."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(ours)
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            answer, code = function(), 0
        except BaseException:
            answer = traceback.format_exc()
        with open(theirs, "w") as line:
            line.write(answer)
        os._exit(code)
    os.close(theirs)
    with open(ours) as line:
        answer = line.read()
    if os.waitpid(child, 0)[1] != 0:
        raise AssertionError(answer)
    return answer


def as_ordinary_user(function: Callable[[], str]) -> str:
    """The same, as nobody where we are the superuser; modules must have been imported before."""
    return in_a_fork(function, user=NOBODY if os.geteuid() == 0 else None)
