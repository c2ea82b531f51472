"""One walk, in a process of its own: ``python -m tests.monkey.walk`` (see ``tests.monkey``)."""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic

from PySide6.QtCore import QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from slotscope.gui.app import SWITCH_INTERVAL, make_window
from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.application import application
from slotscope.model.scenario.load import load_scenario, scenario_titles
from tests.monkey.deeds import Deeds
from tests.monkey.finds import Finds

#: Seconds without a step after which the window counts as hanging.
PATIENCE = 90

#: Milliseconds between two steps.
_PAUSES = (0, 0, 5, 20, 20, 60, 150)


class Walk(QObject):
    """Goes on from timer to timer, so that it goes on in dialogs that wait for an answer."""

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
        """Walk while *more* says so of the number of steps."""
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
        """Close dialogs and menus, one after the other; then see whether the window answers."""
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
    """The scenarios of a kind of system; of all kinds for all."""
    return [name for name, _ in scenario_titles() if kind in ("all", load_scenario(name).system)]


def main() -> int:
    """Walk, and print what is done and what is found; 1 if something is."""
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
