"""One walk, in a process of its own: ``python -m tests.monkey.walk`` (see ``tests.monkey``)."""

from __future__ import annotations

import argparse
import faulthandler
import os
import re
import sys
import tempfile
import threading
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QObject,
    QPoint,
    QSettings,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from slotscope.gui import faults
from slotscope.gui.app import SWITCH_INTERVAL, make_window
from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.application import application
from slotscope.model.scenario.load import load_scenario, scenario_titles
from tests.gui.painted import on_glass, pixels
from tests.monkey.deeds import Deeds

#: Messages of platforms about missing features, and of X about windows that are already destroyed.
_IGNORED = re.compile(r"This plugin does not support|qt\.qpa\.xcb|QXcbConnection")
_QUIET = {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg}

#: Checks of panels per check of the screen; seconds after which outdated pixels on the screen count as a fault.
_LOOKS, _LONG = 8, 2.0
#: Difference of a colour, of 255, that counts as visible; number of such pixels that counts as a fault.
_SEEN, _MANY = 64, 60


class Finds:
    """The findings so far; each is reported once."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self._looks = 0
        self._left = np.zeros((0, 0), bool)  # [H, W] pixels that have been outdated since _since
        self._since = 0.0

    def add(self, what: str, details: str = "", sign: str = "") -> None:
        """Report a finding, unless its *sign* (its text if there is no sign) is known."""
        if (sign or what) not in self.known:
            self.known.add(sign or what)
            print(f"FOUND {what}\n{details}".rstrip(), flush=True)

    def listen(self) -> None:
        """Report uncaught exceptions, Qt's messages and warnings from now on; the window still shows exceptions."""
        sys.excepthook = self._raised
        threading.excepthook = lambda given: self._raised(
            given.exc_type, given.exc_value or given.exc_type(), given.exc_traceback
        )
        qInstallMessageHandler(self._said)
        warnings.simplefilter("always")
        warnings.showwarning = self._warned

    def _raised(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        place = [f"{one.filename}:{one.lineno}" for one in traceback.extract_tb(trace)][-1:]
        details = "".join(traceback.format_exception(kind, error, trace))
        self.add(f"{kind.__name__}: {error}", details, f"{kind.__name__} {place}")
        faults.show(kind, error, trace)

    def _said(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind not in _QUIET and not _IGNORED.search(f"{context.category}: {text}"):
            here = "".join(traceback.format_stack()[-6:-1])
            self.add(f"Qt says: {text}", here, re.sub(r"\d+|0x[0-9a-f]+", "#", text))

    def _warned(self, message: Any, kind: Any, filename: str, line: int, *_: object) -> None:
        here = "".join(traceback.format_stack()[-8:-1])
        self.add(f"{kind.__name__}: {message}", here, f"{filename}:{line}")

    def look(self, window: MainWindow) -> None:
        """Check that each panel belongs to the present kind and run, and that the screen shows what panels paint."""
        self._look_at_panels(window)
        self._looks += 1
        alone = [one for one in QApplication.topLevelWidgets() if one.isVisible()] == [window]
        if alone and window.updatesEnabled() and (self._left.any() or self._looks % _LOOKS == 0):
            self._look_at_screen(window)

    def _look_at_screen(self, window: MainWindow) -> None:
        left = left_on_screen(window)
        if self._left.any() and left.shape == self._left.shape:
            left &= self._left
        else:
            self._since = monotonic()
        self._left = left if np.count_nonzero(left) >= _MANY else np.zeros((0, 0), bool)
        if self._left.any() and monotonic() > self._since + _LONG:
            self._tell_of_left(window)
            self._left = np.zeros((0, 0), bool)

    def _tell_of_left(self, window: MainWindow) -> None:
        y, x = np.argwhere(self._left)[0].tolist()
        inner, names = window.childAt(QPoint(x, y)), []
        while inner is not None:
            names.append(inner.objectName() or type(inner).__name__)
            inner = inner.parentWidget()
        count = np.count_nonzero(self._left)
        self.add(f"{count} pixels from ({x}, {y}) on are on the screen that are not there any more", " < ".join(names))

    def _look_at_panels(self, window: MainWindow) -> None:
        for name, dock in window.docks.items():
            frame = dock.panel.frame if dock.is_built else None
            if dock.system != window.area.system:
                self.add(f"{name} is a dock of {dock.system} among those of {window.area.system}")
            if frame is None:
                continue
            if frame.info.system != dock.system:
                self.add(f"{name} of {dock.system} shows a frame of {frame.info.system}")
            if dock.lane == 0 and frame.info is not window.info:
                self.add(f"{name} shows a run that was replaced")


def left_on_screen(window: QWidget) -> np.ndarray:
    """[H, W] where the screen differs visibly from what the window would paint now."""
    for kind in (QEvent.Type.LayoutRequest, QEvent.Type.UpdateRequest) * 2:
        QApplication.sendPostedEvents(None, kind)
    shown, anew = on_glass(window), pixels(window)
    if shown.shape != anew.shape:
        return np.zeros((0, 0), bool)
    channels = (picture.astype(np.uint32)[..., None].view(np.uint8).astype(np.int16) for picture in (shown, anew))
    one, other = channels
    return np.abs(one - other).max(axis=2) > _SEEN


#: Seconds without a step after which the window counts as hung.
PATIENCE = 90

#: Milliseconds between two steps.
_PAUSES = (0, 0, 5, 20, 20, 60, 150)


class Walk(QObject):
    """Walks on by a timer, so that it also continues in dialogs that wait for an answer."""

    def __init__(self, window: MainWindow, seed: int, kind: str, folder: Path) -> None:
        super().__init__()
        self._window, self._seed = window, seed
        self.finds = Finds()
        self.scenarios = scenarios_of(kind)
        self._deeds = Deeds(window, self.scenarios, folder, self._tell)
        self._step = 0
        self._more: Callable[[int], bool] = lambda step: False
        self._done = False

    def start(self, more: Callable[[int], bool]) -> None:
        """Walk while *more* returns true for the number of steps."""
        self.finds.listen()
        self._more = more
        self._window.control.open(self.scenarios[0])
        QTimer.singleShot(0, self._next)

    def _tell(self, text: str) -> None:
        print(f"{self._step} {text}", flush=True)

    def _next(self) -> None:
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        self.finds.look(self._window)
        self._step += 1
        if not self._more(self._step):
            self._leave()
            return
        dice = Random(f"{self._seed}/{self._step}")
        QTimer.singleShot(dice.choice(_PAUSES), self, self._next)
        self._deeds.do(dice)

    def _leave(self) -> None:
        """Close dialogs and menus one by one, then check that the window still responds."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if front is not None:
            front.reject() if isinstance(front, QDialog) else front.close()
            QTimer.singleShot(0, self, self._leave)
        elif not self._done:
            self._done = True
            self._tell(f"open {self.scenarios[-1]} at last")
            self._window.control.pause()
            self._window.control.open(self.scenarios[-1])
            self._wait(monotonic() + PATIENCE / 2)

    def _wait(self, until: float) -> None:
        info = self._window.frame.info if self._window.frame is not None else None
        there = info is not None and info.scenario_name == self.scenarios[-1]
        if (there and self._window.area.complete) or monotonic() > until:
            if not there:
                self.finds.add("the window does not answer any more")
            self.finds.look(self._window)
            self._window.close()
            QApplication.quit()
        else:
            QTimer.singleShot(20, self, lambda: self._wait(until))


def scenarios_of(kind: str) -> list[str]:
    """The scenarios of a kind of system, or of all kinds for "all"."""
    return [name for name, _ in scenario_titles() if kind in ("all", load_scenario(name).system)]


def main() -> int:
    """Walk, and print the actions and the findings; return 1 if there was a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=10**9)
    given = parser.parse_args()
    faulthandler.enable()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.setswitchinterval(SWITCH_INTERVAL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        app = application()
        app.setQuitOnLastWindowClosed(False)
        store = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        window = make_window(store)
        window.resize(1600, 1000)
        window.actions_by_name["quit"].setEnabled(False)
        window.show()
        QTimer.singleShot(0, window.panels.build)
        walk = Walk(window, given.seed, given.kind, Path(folder))
        end = monotonic() + given.seconds
        walk.start(lambda step: step <= given.steps and monotonic() < end)
        app.exec()
    return 1 if walk.finds.known else 0


if __name__ == "__main__":
    sys.exit(main())
