"""Complete windows for tests: opening, waiting and closing."""

from __future__ import annotations

import pickle
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Callable, ClassVar, Iterator, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from slotscope.gui.app import make_window
from slotscope.gui.language.words import speak
from slotscope.gui.main_window import MainWindow
from slotscope.gui.panels import SENTENCES
from slotscope.gui.running.bounds_service import BoundsService, Receiver
from slotscope.gui.theme import Theme, apply, load_theme
from slotscope.model.kinds.spec import kind_named
from slotscope.model.phrase import ENGLISH, LANGUAGES
from slotscope.model.scenario.load import Scenario

Shown = TypeVar("Shown", bound=QWidget)

#: Default width and height of a window.
SIZE = (1600, 900)

#: A mark: the tests of a module run once in each language.
IN_EACH_LANGUAGE = pytest.mark.parametrize("language", LANGUAGES, indirect=True, scope="module")


class SolvedOnce(BoundsService):
    """Solves each scenario's programs once per test run: a process per window would take as long as the window itself.

    The answers come from another thread, as usual.  The processes are tested in tests/gui/test_bounds_service.py.
    """

    _solved: ClassVar[dict[bytes, list[Any]]] = {}

    def request(self, scenario: Scenario, receiver: Receiver) -> None:
        self.stop()
        answers = self._answers(scenario)
        self._thread = Thread(target=lambda: [receiver(answer) for answer in answers], name="bounds")
        self._thread.start()

    def solve(self, scenario: Scenario) -> Any:
        return self._answers(scenario)[-1]

    def _answers(self, scenario: Scenario) -> list[Any]:
        text = pickle.dumps(scenario)
        if text not in self._solved:
            self._solved[text] = list(kind_named(scenario.system).all_bounds(scenario))
        return self._solved[text]


def on_screen(qtbot: QtBot, made: Shown, width: int, height: int) -> Shown:
    """Show a widget at this size, and wait until it is exposed."""
    qtbot.addWidget(made)
    made.resize(width, height)
    made.show()
    qtbot.waitExposed(made)
    return made


def panel_fixture(make: Callable[[Theme], QWidget], width: int, height: int) -> Any:
    """Make the fixture ``panel``: a widget of this size, shown in the light theme."""

    @pytest.fixture(name="panel")
    def panel(qtbot: QtBot) -> QWidget:
        return on_screen(qtbot, make(load_theme("light")), width, height)

    return panel


def choose_file(window: QWidget, path: Path | str, kind: str = "") -> None:
    """Choose *kind*, if given, in the open file dialog, type a path, and press Enter."""
    (dialog,) = [one for one in window.findChildren(QFileDialog) if one.isVisible()]
    if kind:
        dialog.selectNameFilter(kind)
        dialog.filterSelected.emit(kind)
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    name.setText(str(path))
    QTest.keyClick(name, Qt.Key.Key_Return)
    assert not dialog.isVisible()


@contextmanager
def complete_window(
    qtbot: QtBot, folder: Path, height: int = SIZE[1], *, built: bool = True, **settings: str
) -> Iterator[MainWindow]:
    """A window with all its panels; unless *built*, its panels are built when the first run is opened.

    Its settings are stored in *folder* and begin with *settings*.
    """
    store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
    for name, value in settings.items():
        store.setValue(name.replace("__", "/"), value)
    # Destroy the previous window first: with all its widgets, it would follow the new window's theme.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window = make_window(store, "light")
    window._bounds = SolvedOnce()
    qtbot.addWidget(window)
    try:
        window.resize(SIZE[0], height)
        window.show()
        if built:
            with qtbot.waitSignal(window.ready):
                window.panels.build()
        yield window
    finally:
        window.close()


@pytest.fixture(scope="module", params=["light", pytest.param("dark", marks=pytest.mark.slow)])
def theme(qapp: QApplication, request: pytest.FixtureRequest) -> Theme:
    """Each theme, applied to the application."""
    theme = load_theme(request.param)
    apply(qapp, theme)
    return theme


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """A complete window without a run."""
    with complete_window(qtbot, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_window(
    qapp: QApplication, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[MainWindow]:
    """A window shared by all tests of a module; each test finds it as the previous one has left it."""
    with complete_window(QtBot(request), tmp_path_factory.mktemp("settings")) as made:
        yield made


@pytest.fixture(scope="module")
def language(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[str]:
    """The language of a module's window: English, or each language if :data:`IN_EACH_LANGUAGE` is used."""
    chosen = getattr(request, "param", ENGLISH)
    speak(qapp, chosen)
    yield chosen
    speak(qapp, ENGLISH)


@pytest.fixture(scope="module")
def lent_window(
    language: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], MainWindow]]:
    """A function that returns the window of a module: a new one after a failed test, so that failures do not spread."""
    with ExitStack() as opened:
        lent: dict[int, MainWindow] = {}

        def lend() -> MainWindow:
            failures = request.session.testsfailed
            if failures not in lent:
                opened.close()
                folder = tmp_path_factory.mktemp("settings")
                made = complete_window(QtBot(request), folder, language=language)
                lent[failures] = opened.enter_context(made)
            return lent[failures]

        yield lend


@pytest.fixture
def tidy_window(qtbot: QtBot, lent_window: Callable[[], MainWindow]) -> MainWindow:
    """The window of a module, tidied up after the previous test, whose run is still open."""
    window = lent_window()
    tidy_up(qtbot, window)
    return window


def tidy_up(qtbot: QtBot, window: MainWindow) -> None:
    """Restore the initial state of a window that another test has used, except for its run, which is paused."""
    for dialog in window.findChildren(QDialog):
        dialog.close()
    for name in [name for name in window.docks if name.startswith("inspector-")]:
        window.docks[name].close()
    window.menu_bar.setActiveAction(None)
    window.control.pause()
    window.control.clear_breakpoints()
    window.lessons.end()
    if window.lecture.on:
        window.lecture.toggle()
    if window.area.layouts.text() != window.area.layouts.default:
        window.area.layouts.reset()
    if window.theme.dark:
        window.toggle_theme()
    window.resize(*SIZE)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.setFocus()


def open_anew(qtbot: QtBot, window: MainWindow, scenario: str, policy: str | None = None, **choices: Any) -> None:
    """Open a scenario in a window that another test has used, after tidying up.

    Returns once the first frame is shown.
    """
    tidy_up(qtbot, window)
    before = window.info
    window.control.open(scenario, policy, **choices)
    rest(qtbot, window, lambda: window.info is not before and window.frame.info.scenario_name == scenario)


def hall(window: MainWindow) -> set[str]:
    """The panels that lecture mode shows first, if one policy runs."""
    roles = window.area.roles
    return {roles.servers, SENTENCES, roles.beside}


def rest(qtbot: QtBot, window: MainWindow, condition: Callable[[], bool]) -> None:
    """Wait until a condition on the window's frame holds and the window shows it, not an earlier picture."""
    qtbot.waitUntil(lambda: window.frame is not None and window.updatesEnabled() and condition())


def at_rest(qtbot: QtBot, window: MainWindow, condition: Callable[[], bool]) -> None:
    """Wait until a condition on the window's frame holds and the run rests."""
    rest(qtbot, window, lambda: not window.frame.running and condition())


def press(
    qtbot: QtBot, window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Press a key on the window, as a real key event."""
    window.activateWindow()
    qtbot.keyClick(window, key, modifier)
