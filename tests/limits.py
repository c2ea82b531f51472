"""Time limits of tests hold to the end of each test, whatever it does with exceptions.

pytest-timeout raises once in the test, as a failure, and both it and pytest's own faulthandler
give up at a test's first failure.  So a test had no limit if Hypothesis took the failure for an
example to shrink, if one of Qt's calls swallowed it, and in the teardown after a failure.
"""

from __future__ import annotations

import faulthandler
import signal
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key, get_exit_on_timeout_config_value, get_timeout_config_value
from pytestqt.qtbot import QtBot

#: Milliseconds that a test waits for the window.
PATIENCE = 30_000

#: Seconds after which a test that still runs is interrupted again.
AGAIN = 15.0

_SETTINGS = pytest.StashKey[Any]()


def be_patient() -> None:
    """Set ``PATIENCE`` for all waits for the window: pytest-qt's five seconds are too few on a busy machine."""
    for waits in (QtBot.waitActive, QtBot.waitExposed, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitUntil):
        defaults = waits.__kwdefaults__
        assert defaults is not None
        defaults["timeout"] = PATIENCE


class OutOfTime(BaseException):
    """A test took too long; a BaseException, which handlers of test failures do not catch."""


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
    """Restart both limits, which a failure has just ended: the teardown may hang as well."""
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
