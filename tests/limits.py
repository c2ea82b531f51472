"""The limits of time on a test hold to its end, whatever the test does with exceptions.

pytest-timeout raises once in the test, as a failure, and both it and pytest's own faulthandler
give up at a test's first failure.  So a test was without any limit where Hypothesis took the
failure for an example to make smaller, where one of Qt's calls swallowed it, and in what a test
that has failed leaves to clear up.
"""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key, get_exit_on_timeout_config_value, get_timeout_config_value
from pytestqt.qtbot import QtBot

#: Milliseconds after which a test that waits for the window gives up.
PATIENCE = 30_000

#: Seconds after which a test that goes on all the same is told again.
AGAIN = 15.0

_SETTINGS = pytest.StashKey[Any]()


def be_patient() -> None:
    """Let what waits for the window wait that long: pytest-qt's own five seconds are too few on a busy machine."""
    for waits in (QtBot.waitActive, QtBot.waitExposed, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitUntil):
        defaults = waits.__kwdefaults__
        assert defaults is not None
        defaults["timeout"] = PATIENCE


class OutOfTime(BaseException):
    """A test took too long; nothing that looks for failures of a test holds it."""


@pytest.hookimpl(wrapper=True)
def pytest_timeout_set_timer(item: pytest.Item, settings: Any) -> Generator[None, object, object]:
    """Raise :class:`OutOfTime` at the limit, and again until the test is over."""
    done = yield
    item.stash[_SETTINGS] = settings
    raises_failure = signal.getsignal(signal.SIGALRM)
    if settings.method == "signal" and callable(raises_failure):
        told = raises_failure

        def stop(number: int, frame: Any) -> None:
            try:
                told(number, frame)
            except pytest.fail.Exception as failure:
                raise OutOfTime(str(failure)) from None

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, settings.timeout, AGAIN)
    return done


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Begin both limits anew, which a failure has just ended: clearing up may hang as well."""
    if not isinstance(node, pytest.Item) or node.config.getoption("usepdb"):
        return
    if settings := node.stash.get(_SETTINGS, None):
        node.ihook.pytest_timeout_set_timer(item=node, settings=settings)
    if seconds := get_timeout_config_value(node.config):
        faulthandler.dump_traceback_later(
            seconds,
            file=node.config.stash[fault_handler_stderr_fd_key],
            exit=get_exit_on_timeout_config_value(node.config),
        )
