"""A swallowed error is counted, and logged with its traceback once a cause."""

import logging
import subprocess
import sys

import pytest

from saccade import trace

log = logging.getLogger("saccade.somewhere")


def fail(kind: type[Exception] = ValueError) -> None:
    raise kind("no good")


def swallow(doing: str, kind: type[Exception] = ValueError, **facts: object) -> None:
    try:
        fail(kind)
    except Exception as error:
        trace.swallowed(log, error, doing=doing, **facts)


def test_the_first_of_a_cause_has_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """The traceback comes once; later times are counted in lines for those who look closely."""
    caplog.set_level(logging.DEBUG, "saccade")
    swallow("testing the first", expert="prior")
    swallow("testing the first", expert="fresh")
    first, second = caplog.records
    assert (first.levelno, second.levelno) == (logging.WARNING, logging.DEBUG)
    assert first.exc_info is not None
    assert second.exc_info is None
    assert "in fail" in caplog.text
    assert first.getMessage().startswith("swallowed doing='testing the first' error=ValueError")
    assert second.getMessage().endswith("times=2 expert='fresh'")


@pytest.mark.parametrize(
    ("doing", "kind"),
    [("testing another errand", ValueError), ("testing one errand", KeyError)],
)
def test_another_errand_or_error_is_another_cause(
    doing: str, kind: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    """What differs in what was done, or in the kind of error, is told apart."""
    swallow("testing one errand")
    caplog.clear()
    swallow(doing, kind)
    (record,) = caplog.records
    assert record.exc_info is not None


def test_causes_are_counted() -> None:
    """Every time counts, whether or not it was logged."""
    for _ in range(3):
        swallow("testing the count")
    ((cause, times),) = (
        (c, n) for c, n in trace.counts().items() if c.doing == "testing the count"
    )
    assert (cause.error, times) == ("ValueError", 3)
    assert cause.place.startswith("test_trace.py:")


def test_a_block_is_left_at_the_errors_it_names() -> None:
    """`dropping` lets through what it does not name."""
    with trace.dropping(log, ValueError, doing="testing a block"):
        fail()
    with pytest.raises(KeyError), trace.dropping(log, ValueError, doing="testing a block"):
        fail(KeyError)
    assert [n for c, n in trace.counts().items() if c.doing == "testing a block"] == [1]


def test_the_package_is_quiet_by_itself() -> None:
    """A warning of the package reaches no stream until somebody sets up logging."""
    code = "import logging, saccade; logging.getLogger('saccade.engine').warning('hear me')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_log_is_shown_for_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines go to standard error inside the block; afterwards all is as it was before."""
    package = logging.getLogger("saccade")
    before = package.level, list(package.handlers)
    with trace.showing(logging.INFO):
        log.info("inside done=%d", 1)
        with trace.showing_as_asked(otherwise=logging.ERROR):
            log.info("further inside")
    log.info("outside")
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("saccade.")[2] for line in lines] == [
        "somewhere: inside done=1",
        "somewhere: further inside",
    ]
    assert (package.level, package.handlers) == before


def test_a_process_is_asked_to_show_as_much() -> None:
    """Only while something is shown here."""
    with trace.showing(logging.DEBUG):
        assert trace.environment() == {"SACCADE_LOG": "DEBUG"}
    assert trace.environment() == {}
