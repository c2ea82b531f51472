"""Menus, questions and sheets of the window; none of them blocks the run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QMenuBar,
    QPushButton,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gui import manual
from gui.actions import BRING, COMMANDS
from gui.boxes import keep_keys
from gui.docks import PanelDock

if TYPE_CHECKING:
    from gui.main_window import MainWindow

#: The property of a dock that a double click has opened.
INSPECTOR = "inspector"

#: Menus and the groups of commands in them.
MENUS = (("&File", "File"), ("&Run", "Transport"), ("&View", "View"), ("&Help", "Help"))


def stack_header(window: MainWindow, header: QWidget) -> tuple[QMenuBar, QMenu]:
    """Put a menu bar, filled from the table of commands, over the transport; it and View."""
    layout = QVBoxLayout(header)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    bar = QMenuBar()
    menus = {}
    for title, group in MENUS:
        menus[group] = bar.addMenu(title)
        keep_keys(menus[group])
        menus[group].addActions(window.actions_by_name.in_group(group))
    layout.addWidget(bar)
    layout.addWidget(window.transport)
    layout.addWidget(window.lecture.strip)
    return bar, menus["View"]


def fill_view_menu(window: MainWindow) -> None:
    """Let the View menu show and hide each panel, in their order."""
    menu = window.view_menu
    shown = [dock.toggleViewAction() for dock in window.docks.values()]
    for action in shown:
        menu.removeAction(action)
    if not menu.actions()[-1].isSeparator():
        menu.addSeparator()
    menu.addActions(shown)


def ask_until(window: MainWindow) -> None:
    """Ask for a time, an event or a kind of event, and run until then."""
    dialog = QDialog(window)
    dialog.setObjectName("until")
    dialog.setWindowTitle("Run until")
    field = QLineEdit()
    kinds = window.transport.event_kinds
    field.setPlaceholderText(f"t = 20, or 1000, or {kinds[0]}")
    fault = QLabel()
    fault.setWordWrap(True)
    fault.setStyleSheet(f"color: {window.theme.ink(window.theme.rejection)}")
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    layout = QVBoxLayout(dialog)
    layout.addWidget(
        QLabel(f"Run until a time (t = 20), an event's number (1000), or a kind of event ({', '.join(kinds[:2])}, ...)")
    )
    for widget in (field, fault, buttons):
        layout.addWidget(widget)

    def accept() -> None:
        try:
            goal = parse_until(field.text(), kinds)
        except ValueError as error:
            fault.setText(str(error))
            return
        window.control.run_until(**goal)  # type: ignore[arg-type]
        dialog.accept()

    buttons.accepted.connect(accept)
    buttons.rejected.connect(dialog.reject)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    field.setFocus()


def parse_until(text: str, kinds: Iterable[str]) -> dict[str, int | float | str]:
    """What was typed after "run until", as arguments of ``RunControl.run_until``.

    *kinds* are the kinds of event that there are.

    Raises
    ------
    ValueError
        If it is neither a time, nor an event's number, nor a kind of event.
    """
    words = text.strip()
    known = tuple(kinds)
    if words in known:
        return {"kind": words}
    name, _, value = words.rpartition("=")
    try:
        if name.strip().lower() == "t":
            return {"time": float(value)}
        if not name:
            return {"event": int(words.replace(",", "").replace(" ", ""))}
    except ValueError:
        pass
    raise ValueError(f"found '{words}', allowed: t = a time, an event's number, or {', '.join(known)}")


def show_breakpoints(window: MainWindow) -> None:
    """One place that lists and clears all breakpoints."""
    dialog = QDialog(window)
    dialog.setObjectName("breakpoints")
    dialog.setWindowTitle("Breakpoints")
    listed = QListWidget()
    points = sorted(window.frame.breakpoints) if window.frame is not None else []
    listed.addItems([f"before event {event}" for event in points] or ["none is set"])
    clear = QPushButton("Clear all")
    clear.clicked.connect(window.control.clear_breakpoints)
    clear.clicked.connect(dialog.accept)
    listed.itemActivated.connect(lambda item: window.control.go_to(points[listed.row(item)] - 1) if points else None)
    layout = QVBoxLayout(dialog)
    layout.addWidget(QLabel("A run stops just before these events; activate one to go there."))
    layout.addWidget(listed)
    layout.addWidget(clear)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def ask_open(window: MainWindow) -> None:
    """Choose a scenario file or a saved session."""
    path, _ = QFileDialog.getOpenFileName(
        window, "Open", "", "Scenarios and sessions (*.toml *.json *.slotscope);;All files (*)"
    )
    if path:
        window.open_path(Path(path))


def ask_save(window: MainWindow) -> None:
    """Choose where to save the session."""
    path, _ = QFileDialog.getSaveFileName(window, "Save session", "session.slotscope", "Sessions (*.slotscope)")
    if path:
        window.control.save(Path(path), window.layouts.text())


def ask_save_scenario(window: MainWindow) -> None:
    """Choose where to save the scenario."""
    path, _ = QFileDialog.getSaveFileName(window, "Save scenario", "scenario.toml", "Scenarios (*.toml)")
    if path:
        window.control.save_scenario(Path(path))


def show_shortcuts(window: MainWindow) -> QDialog:
    """All keys on one sheet."""
    rows = "".join(
        f"<tr><td><b>{' or '.join(item.all_keys).replace('<', '&lt;')}</b>&nbsp;&nbsp;</td>"
        f"<td>{item.title}&nbsp;&nbsp;</td><td>{item.sentence}</td></tr>"
        for item in (*COMMANDS, BRING)
        if item.keys
    )
    return show_sheet(window, "Shortcuts", f"<table cellspacing='4'>{rows}</table>", html=True)


def show_help(window: MainWindow, page: str) -> QDialog:
    """A page of the manual, with the contents on top."""
    text, commands = manual.text_of(page)
    return show_sheet(window, "Help", text, commands=commands)


def show_sheet(
    window: MainWindow, title: str, text: str, html: bool = False, commands: Sequence[Namespace] = ()
) -> QDialog:
    """A window of its own with a text, which is Markdown unless it is HTML.

    Its links open other pages of the manual, or one of *commands* in the window.
    """
    dialog = QDialog(window)
    dialog.setObjectName(title.lower())
    dialog.setWindowTitle(title)
    dialog.resize(860, 640)
    browser = QTextBrowser()
    browser.setSearchPaths([str(manual.HELP)])
    browser.setOpenLinks(False)
    browser.anchorClicked.connect(lambda url: _follow(window, dialog, url.toString(), commands))
    if html:
        browser.setHtml(text)
    else:
        browser.setMarkdown(text)
    layout = QVBoxLayout(dialog)
    layout.addWidget(browser)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog


def in_front(window: MainWindow) -> QWidget | None:
    """The sheet, dialog or inspector that stands in front of the window; None where none does.

    An inspector counts while it is the active one.
    """
    active = QApplication.activeWindow()
    if isinstance(active, PanelDock) and active.property(INSPECTOR):
        return active
    sheets = [sheet for sheet in window.findChildren(QDialog) if sheet.isVisible()]
    return active if active in sheets else next(reversed(sheets), None)


def _follow(window: MainWindow, dialog: QDialog, link: str, commands: Sequence[Namespace]) -> None:
    page = link.removesuffix(".md")
    if page in manual.PAGES:
        dialog.close()
        show_help(window, page)
    elif link.startswith(manual.OPENS):
        wanted = commands[int(link.removeprefix(manual.OPENS))]
        window.control.open(wanted.scenario, wanted.policy, wanted.seed, wanted.event, beside=wanted.policies[1:])
