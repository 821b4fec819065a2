from __future__ import annotations

import pickle

import pytest

from saccade.errors import MissingExtra, NotFound, SaccadeError, UnknownName, need
from saccade.hints import FILL

ERRORS = (
    NotFound("nothing there", hint=FILL),
    UnknownName("ranker", "opar-1", ["opar1", "opar2"]),
    MissingExtra("lambdamart", ["lightgbm"], "rank"),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
def test_an_error_comes_home_from_a_worker_as_it_was(error: SaccadeError) -> None:
    """Its kind, and its sentence on every surface."""
    home = pickle.loads(pickle.dumps(error))
    assert type(home) is type(error)
    assert vars(home) == vars(error)
    for surface in ("python", "command", "http"):
        assert home.sentence(surface) == error.sentence(surface)


def test_all_packages_that_are_missing_are_named_at_once() -> None:
    """And none that is there."""
    with pytest.raises(ImportError) as caught:
        need("studies", "json", "no_trees", "email.no_charset", "no.curves", part="a study")
    assert str(caught.value) == (
        "a study needs no_trees, email.no_charset and no.curves, which are not installed "
        '(`pip install "saccade[studies]"` brings it)'
    )


def test_a_client_is_told_who_can_install_it() -> None:
    """Somebody who sends requests installs nothing."""
    (error,) = (error for error in ERRORS if isinstance(error, MissingExtra))
    assert error.sentence("http") == (
        "lambdamart needs lightgbm, which is not installed (whoever runs this server can help: "
        '`pip install "saccade[rank]"` brings it)'
    )
