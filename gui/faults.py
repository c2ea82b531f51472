"""Exceptions in the window: caught where Qt calls Python, and shown in the panel where they happened.

An exception that leaves a method called by Qt, such as ``paintEvent``, is lost, is raised again in unrelated
Python code that waits for Qt, or ends the process, because the active painter is still on its device.  So
every override of a Qt method in a class of the window is wrapped once (:func:`guard_classes`); what it raises
goes to ``sys.excepthook``, as do exceptions in slots and timers.  The hook (:func:`install`) finds the panel,
or else the window, in which the exception happened, and lets it show a :class:`Fault`.
"""

from __future__ import annotations

import sys
import threading
import traceback
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from inspect import isfunction
from types import TracebackType
from typing import Any, Callable, Iterator, Protocol, runtime_checkable

import PySide6
from PySide6.QtCore import QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QGraphicsItem
from shiboken6 import Shiboken

#: Depth of nested calls from Qt into Python above which they are taken for an endless recursion.
DEEPEST = 120

#: Characters of an exception's message that are shown.
_LONGEST = 200

_seen_modules: set[str] = set()


@dataclass(frozen=True)
class Fault:
    """An error inside the program, as one sentence and in full."""

    sentence: str
    details: str  #: traceback and versions, for the maintainers

    @classmethod
    def of(cls, error: BaseException) -> Fault:
        """Describe an exception."""
        import platform  # late: needed only after an error

        words = " ".join(str(error).split())
        said = f": {words[:_LONGEST]}" if words else ""
        versions = f"Python {platform.python_version()}, PySide {PySide6.__version__}"
        trace = "".join(traceback.format_exception(error))
        return cls(type(error).__name__ + said, f"{versions}, {platform.platform()}\n{trace}")


class _Nesting:
    """How many guarded methods are on the call stack, and whether all of them are to return at once."""

    depth = 0
    ending = False


@runtime_checkable
class Showing(Protocol):
    """A widget that shows the faults of everything inside it."""

    def fail(self, fault: Fault) -> None:
        """Show the fault and what can be done about it; the rest of the program goes on."""


# Catching.


def tell(error: BaseException) -> None:
    """Pass an exception to ``sys.excepthook`` as if uncaught, and go on."""
    sys.excepthook(type(error), error, error.__traceback__)
    _let_go(error)


@contextmanager
def caught() -> Iterator[None]:
    """A context in which any exception is reported by :func:`tell` and suppressed."""
    try:
        yield
    except Exception as error:
        tell(error)


def guard_classes() -> None:
    """Guard the overrides of Qt's methods in all window classes of modules imported since the last call."""
    new = sys.modules.keys() - _seen_modules
    _seen_modules.update(new)
    for name in new:
        if name.startswith("slotscope.gui."):
            for value in [*vars(sys.modules[name]).values()]:
                if isinstance(value, type) and value.__module__ == name:
                    guard_class(value)


def guard_class(cls: type) -> None:
    """Guard a class's overrides of Qt's methods."""
    for name in overrides(cls):
        setattr(cls, name, _guarded(cls, name, vars(cls)[name]))


def overrides(cls: type) -> list[str]:
    """The names of a class's methods that override a method of a Qt class."""
    if not issubclass(cls, Shiboken.Object):
        return []
    above = [base for base in cls.__mro__[1:] if base.__module__.startswith("PySide6.")]
    return [
        name
        for name, value in vars(cls).items()
        if isfunction(value) and not name.startswith("__") and any(name in vars(base) for base in above)
    ]


def _guarded(cls: type, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap *method* so that it never raises; if it fails, the base class's method supplies the return value, if any."""
    returns = method.__annotations__.get("return") != "None"

    @wraps(method)
    def guarded(self: Any, *given: Any, **named: Any) -> Any:
        if _Nesting.ending:
            return None
        _Nesting.depth += 1
        try:
            if _Nesting.depth > DEEPEST:
                _Nesting.ending = True
                raise RecursionError(f"{cls.__name__}.{name} is called inside itself without end")
            return method(self, *given, **named)
        except Exception as error:
            tell(error)
        finally:
            _Nesting.depth -= 1
            _Nesting.ending &= _Nesting.depth > 0
        if returns and not _Nesting.ending:
            with caught():
                return getattr(super(cls, self), name)(*given, **named)
        return None

    return guarded


def _let_go(error: BaseException) -> None:
    """Clear the locals of an exception's frames: Qt crashes if a QPainter among them lives too long."""
    traceback.clear_frames(error.__traceback__)


# Showing.


def install() -> None:
    """Show uncaught exceptions in the window, unless another exception hook is installed already."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
        threading.excepthook = show_of_thread


def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show an exception in the panel in which it happened, or else in the window; stands in for ``sys.excepthook``."""
    application = QApplication.instance()
    if not isinstance(error, Exception) or not isinstance(application, QApplication):
        sys.__excepthook__(kind, error, trace)
        return
    fault = Fault.of(error)
    if QThread.currentThread() is application.thread():
        _show(fault, _place_in(trace))
        _let_go(error)
    else:
        QTimer.singleShot(0, application, lambda: _show(fault, None))


def show_of_thread(given: threading.ExceptHookArgs) -> None:
    """Show an exception that ended another thread; a replacement for ``threading.excepthook``."""
    if given.exc_value is not None:
        show(given.exc_type, given.exc_value, given.exc_traceback)


def _show(fault: Fault, place: Showing | None) -> None:
    for widget in (place, *QApplication.topLevelWidgets()):
        if isinstance(widget, Showing):
            with suppress(Exception):  # a widget that is not built yet cannot: try the next one
                widget.fail(fault)
                return
    print(fault.details, file=sys.stderr)  # there is no window (any more)


def _place_in(trace: TracebackType | None) -> Showing | None:
    """The innermost panel or window among the local variables of the traceback's frames."""
    for frame, _ in reversed([*traceback.walk_tb(trace)]):
        for value in [*frame.f_locals.values()]:
            place = _place_of(value)
            if place is not None:
                return place
    return None


def _place_of(value: Any) -> Showing | None:
    """The nearest widget that shows faults, at or above a Qt object."""
    if isinstance(value, QGraphicsItem) and Shiboken.isValid(value):
        scene = value.scene()
        views = scene.views() if scene is not None else []
        value = views[0] if views else None
    while isinstance(value, QObject) and Shiboken.isValid(value):
        if isinstance(value, Showing):
            return value
        value = value.parent()
    return None
