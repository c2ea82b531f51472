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

#: Seconds after which Python offers its lock to the other thread: the run should not wait
#: five milliseconds (Python's default) for the window, nor the window for the run.
SWITCH_INTERVAL = 0.0005

#: Milliseconds after which a window that is only photographed must have been drawn.
PATIENCE = 60_000

#: Pixels that the frame of a window may take.
_FRAME = (12, 40)


def make_window(settings: QSettings, theme: str | None = None) -> MainWindow:
    """A window with a worker that runs nothing yet."""
    if theme is not None:
        settings.setValue("theme", theme)
    from slotscope.gui.language.menu import add_language_menu
    from slotscope.gui.main_window import MainWindow  # late: the splash is seen before
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
    """Show the window on a scenario, *policies* side by side; returns when it is closed.

    Without *event* it runs at once; at an event it stands still.  With a *lesson*, a file and the number of a step
    from 0, that begins instead.  With *offer* the tour is offered until somebody answers; from then on the page of
    lessons is shown, unless the user wants it no more.
    The window speaks *language*, or the one of its settings or of the system.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    app = application()
    install()
    settings = QSettings()
    speak(app, chosen(settings, language))
    splash = show_splash(app, themes.load_theme(str(settings.value("theme", "light"))))
    window = make_window(settings)
    from PySide6.QtCore import Qt  # late: its enums are made here, see ``window/splash.py``

    collector = collector_of(app)
    collector.put_aside()
    window.ready.connect(collector.settle)
    # Later than that: one look is enough for the run of a start and the window.
    window.ready.connect(lambda: window.worker.opened.connect(collector.settle), Qt.ConnectionType.SingleShotConnection)
    place(window, settings)
    window.panels.begin_with(_system_of(scenario))
    app.processEvents()  # what was pressed meanwhile reaches the splash
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
    beat = QTimer()  # lets Python see Ctrl+C
    beat.start(300)
    beat.timeout.connect(lambda: None)
    return app.exec()


def close_at_signals(window: QWidget) -> None:
    """Ctrl+C and the like close a window once Qt has no work under way: a painter would go on in one that is gone."""
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
    """Open what the command line names."""
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
    """The kind of system that will be shown, where that is known without opening it."""
    from slotscope.gui.docking.panel_docks import USUAL
    from slotscope.model.scenario.load import load_scenario

    try:
        return USUAL if scenario.endswith(".slotscope") else load_scenario(scenario).system
    except UserError:  # the run will say so
        return USUAL


def place(window: QWidget, settings: QSettings) -> None:
    """Put a window where it was when it was closed; at first it has most of the screen."""
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
    """Save the window, or one panel of it, as it looks at a time or event; what is to be said of that moment.

    Raises UserError if the scenario cannot be opened, the panel is unknown, or the file not written.
    """
    from slotscope.gui.widgets.painted import write_image  # late: it uses Qt's enums, see ``window/splash.py``

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
            dock.raise_()  # behind another tab it has no size
            window.settle()
            target = dock.panel
        write_image(target.grab().toImage(), out)
    return said


class _Photographed:
    """A window that is shown only to be drawn, with settings of its own."""

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
    """Run the event loop until a signal comes."""
    loop = QEventLoop()
    signal_.connect(loop.quit)  # type: ignore[attr-defined]
    QTimer.singleShot(PATIENCE, loop.quit)
    QTimer.singleShot(0, start)
    loop.exec()
