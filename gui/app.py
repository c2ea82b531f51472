"""Starts the window, or draws it without a display."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Callable

from PySide6.QtCore import QByteArray, QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from slotscope.gui import theme as themes
from slotscope.gui.faults import install
from slotscope.gui.language.words import chosen, speak
from slotscope.gui.window.application import application, collector_of, destroy
from slotscope.gui.window.splash import show_splash
from slotscope.model.cli.guard import note
from slotscope.model.errors import UserError
from slotscope.model.phrase import ENGLISH

if TYPE_CHECKING:
    from slotscope.gui.main_window import MainWindow
    from slotscope.model.running.origin import Moment

#: Python's thread switch interval in seconds: the run's thread should not wait
#: five milliseconds (Python's default) for the GUI thread, nor the other way round.
SWITCH_INTERVAL = 0.0005

#: Milliseconds within which the window must be built and drawn for a screenshot.
PATIENCE = 60_000

#: Pixels, across and down, that the window manager's frame may take.
_FRAME = (12, 40)


def make_window(settings: QSettings, theme: str | None = None) -> MainWindow:
    """A window whose worker has no run yet."""
    if theme is not None:
        settings.setValue("theme", theme)
    from slotscope.gui.language.menu import add_language_menu
    from slotscope.gui.main_window import MainWindow  # late: the splash screen is shown first
    from slotscope.gui.running.worker import RunWorker
    from slotscope.gui.window.history_menu import add_history_menu
    from slotscope.gui.window.opening_note import OpeningNote

    themes.apply(application(), themes.load_theme(str(settings.value("theme", "light"))))
    worker = RunWorker()
    window = MainWindow(worker, settings)
    OpeningNote(window)
    run_menu = window.menu_bar.findChild(QMenu, "Transport")
    assert run_menu is not None
    add_history_menu(run_menu, settings, window.say)
    add_language_menu(window.view_menu, settings, window.say)
    worker.start()
    return window


def main(
    scenario: str,
    policies: tuple[str, ...] = (),
    seed: int | None = None,
    event: Moment | None = None,
    trace: tuple[str, ...] = (),
    lesson: tuple[Path, int] | None = None,
    offer: bool = False,
    language: str | None = None,
) -> int:
    """Show the window with a scenario, *policies* side by side; returns the exit code once the window is closed.

    Without *event* the scenario runs at once; with it, the run stands at that event.  A *lesson* (a file and a
    step number counted from 0) is opened instead of the scenario.  With *offer* the tour is offered until the
    user answers; from then on the page of lessons is shown at each start, unless the user has turned it off.

    The window speaks *language*, or else the language of its settings or of the system.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = application()
    install()
    settings = QSettings()
    speak(app, chosen(settings, language))
    splash = show_splash(app, themes.load_theme(str(settings.value("theme", "light"))))
    window = make_window(settings)
    from PySide6.QtCore import Qt  # late: this import creates Qt's enums, see ``window/splash.py``

    collector = collector_of(app)
    collector.put_aside()
    window.ready.connect(collector.settle)
    # Only once the window is ready: at startup one garbage collection is enough for window and run together.
    window.ready.connect(lambda: window.worker.opened.connect(collector.settle), Qt.ConnectionType.SingleShotConnection)
    place(window, settings)
    window.panels.begin_with(_system_of(scenario))
    app.processEvents()  # deliver keys pressed meanwhile to the splash screen
    pressed = splash.pressed
    window.show()
    app.processEvents(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    destroy(splash)
    if offer:
        window.ready.connect(window.welcome, Qt.ConnectionType.SingleShotConnection)
    window.worker.window_grows = True
    QTimer.singleShot(0, window.panels.build)
    if lesson is not None:
        window.lessons.open(*lesson)
    else:
        open_in(window, scenario, policies, seed, event, trace)
    for keys in pressed:
        window.actions_by_name.press(keys)
    close_at_signals(window)
    beat = QTimer()  # wakes the interpreter so that it handles Ctrl+C
    beat.start(300)
    beat.timeout.connect(lambda: None)
    return app.exec()


def close_at_signals(window: QWidget) -> None:
    """Close the window at SIGINT or SIGTERM, from Qt's event loop: a paint under way would outlive the window."""
    for asked in (signal.SIGINT, signal.SIGTERM):
        signal.signal(asked, lambda *_: QTimer.singleShot(0, window, window.close))


def open_in(
    window: MainWindow,
    scenario: str,
    policies: tuple[str, ...],
    seed: int | None,
    event: Moment | None,
    trace: tuple[str, ...],
) -> None:
    """Open the session or scenario named on the command line."""
    if scenario.endswith(".slotscope"):
        window.open_path(Path(scenario))
        return
    first = policies[0] if policies else None
    window.traces.open(
        scenario,
        policy=first,
        seed=seed,
        moment=event,
        trace=trace,
        beside=policies[1:],
        running=event is None,
        told=lambda said: note(f"--event: {said}"),
    )


def _system_of(scenario: str) -> str:
    """The kind of system that will be shown; the usual one where only opening the file would tell."""
    from slotscope.gui.docking.panel_docks import USUAL
    from slotscope.model.scenario.load import load_scenario

    try:
        return USUAL if scenario.endswith(".slotscope") else load_scenario(scenario).system
    except UserError:  # opening it will report the error
        return USUAL


def place(window: QWidget, settings: QSettings) -> None:
    """Restore the window's saved geometry; at the first start it takes most of the screen."""
    geometry = settings.value("geometry")
    if isinstance(geometry, QByteArray) and window.restoreGeometry(geometry):
        return
    available = QApplication.primaryScreen().availableGeometry()
    across, down = _FRAME
    window.resize(min(1600, available.width() - across), min(1000, available.height() - down))


def screenshot(
    scenario: str,
    policies: tuple[str, ...] = (),
    seed: int | None = None,
    trace: tuple[str, ...] = (),
    at: float | None = None,
    event: Moment | None = None,
    out: Path = Path("slotscope.png"),
    size: tuple[int, int] = (1600, 1000),
    panel: str | None = None,
    theme: str = "light",
    language: str = ENGLISH,
) -> str | None:
    """Save the window, or one panel of it, as it looks at a time or event; returns what is to be said of that moment.

    Raises UserError if the scenario cannot be opened, the panel is unknown, or the file cannot be written.
    """
    from slotscope.gui.widgets.painted import write_image  # late: it needs Qt's enums, see ``window/splash.py``

    speak(application(offscreen=True), language)
    with _Photographed(size, theme) as window:
        window.panels.begin_with(_system_of(scenario))
        _wait(window.ready, window.panels.build)
        said = window.stand_at(scenario, policies, seed, trace, at, event)
        window.settle()
        target: QWidget = window
        if panel is not None:
            if panel not in window.docks:
                known = ", ".join(sorted(window.docks))
                raise UserError(f"found '{panel}', allowed: {known}", where="--panel")
            dock = window.docks[panel]
            dock.show()
            dock.raise_()  # a dock behind another tab has no size
            window.settle()
            target = dock.panel
        write_image(target.grab().toImage(), out)
    return said


class _Photographed:
    """A context manager: a window shown only for a screenshot, with temporary settings."""

    def __init__(self, size: tuple[int, int], theme: str) -> None:
        self._size, self._theme = size, theme

    def __enter__(self) -> MainWindow:
        import tempfile

        self._folder = tempfile.TemporaryDirectory()
        path = str(Path(self._folder.name) / "settings.ini")
        self._window = make_window(QSettings(path, QSettings.Format.IniFormat), self._theme)
        self._window.resize(*self._size)
        self._window.show()
        return self._window

    def __exit__(self, *_: object) -> None:
        self._window.close()
        self._window.deleteLater()
        self._folder.cleanup()


def _wait(signal_: object, start: Callable[[], object]) -> None:
    """Run the event loop until the signal is emitted, for at most :data:`PATIENCE` milliseconds."""
    loop = QEventLoop()
    signal_.connect(loop.quit)  # type: ignore[attr-defined]
    QTimer.singleShot(PATIENCE, loop.quit)
    QTimer.singleShot(0, start)
    loop.exec()
