"""Menus, dialogs and sheets of the window; none of them blocks the run."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QTextBrowser,
    QWidget,
)

from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.language.words import tr
from slotscope.gui.widgets.boxes import MenuBar
from slotscope.gui.widgets.fault_words import FaultLine
from slotscope.gui.widgets.file_dialogs import ask_file, ask_new_file
from slotscope.gui.widgets.rows import in_column
from slotscope.gui.window import manual
from slotscope.gui.window.actions import BRING, COMMANDS, Actions, key_words
from slotscope.model.reporting.explain import full_time, grouped
from slotscope.model.reporting.frame import Frame

#: Dynamic property of docks that hold a floating inspector.
INSPECTOR = "inspector"

#: Menu titles, each with the group of its commands.
MENUS = (("&File", "File"), ("&Run", "Transport"), ("&View", "View"), ("&Lessons", "Lessons"), ("&Help", "Help"))


def stack_header(header: QWidget, actions: Actions, view: QMenu, *rows: QWidget) -> QMenuBar:
    """Stack a menu bar, filled from the table of commands, above *rows*; *view* becomes one of its menus."""
    layout = in_column(header, spacing=0)
    bar = MenuBar()
    for title, group in MENUS:
        menu = view if group == "View" else QMenu(bar)
        menu.setTitle(tr(title))
        menu.setObjectName(group)
        menu.addActions(actions.in_group(group))
        bar.take(menu)
    for row in (bar, *rows):
        layout.addWidget(row)
    return bar


def fill_view_menu(menu: QMenu, docks: Iterable[PanelDock]) -> None:
    """Add the toggles of all docks, in order, to the View menu."""
    shown = [dock.toggleViewAction() for dock in docks]
    for action in shown:
        menu.removeAction(action)
    if not menu.actions()[-1].isSeparator():
        menu.addSeparator()
    menu.addActions(shown)


def ask_until(
    window: QWidget, kinds: Sequence[str], run_until: Callable[..., object], present: Callable[[], Frame | None]
) -> None:
    """Ask for a time, event number or one of these *kinds* of event, after the *present* frame, and run until then."""
    dialog = QDialog(window)
    dialog.setObjectName("until")
    dialog.setWindowTitle(tr("Run until"))
    field = QLineEdit()
    field.setAccessibleName(tr("Time, event or kind of event"))
    field.setPlaceholderText(tr("t = 20, or 1000, or {kind}").format(kind=kinds[0]))
    fault = FaultLine()
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
    in_column(
        dialog,
        QLabel(
            tr("Run until a time (t = 20), an event's number (1000), or a kind of event ({kinds}, ...)").format(
                kinds=", ".join(kinds[:2])
            )
        ),
        field,
        fault,
        buttons,
        margins=None,
    )

    def accept() -> None:
        try:
            goal = parse_until(field.text(), kinds)
        except ValueError as error:
            fault.say(str(error))
            return
        if past := _past(goal, present()):
            fault.say(past)
            return
        run_until(**goal)
        dialog.accept()

    buttons.accepted.connect(accept)
    buttons.rejected.connect(dialog.reject)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    field.setFocus()


def _past(goal: Mapping[str, int | float | str], frame: Frame | None) -> str:
    """The message for a goal that the run has already passed; empty if it is ahead."""
    if frame is not None and "event" in goal and int(goal["event"]) <= frame.event:
        return tr("The run is at event {event} already; the line of history goes back").format(
            event=grouped(frame.event)
        )
    if frame is not None and "time" in goal and float(goal["time"]) <= frame.time:
        return tr("The run is at t = {time} already; the line of history goes back").format(time=full_time(frame.time))
    return ""


def parse_until(text: str, kinds: Iterable[str]) -> dict[str, int | float | str]:
    """Parse the text typed after "run until" into arguments of ``RunControl.run_until``.

    *kinds* are the kinds of event that there are.
    Raises ValueError if it is neither a time, nor an event's number, nor a kind of event.
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


def ask_open(window: QWidget, take: Callable[[Path], object]) -> None:
    """Ask for a scenario file or a saved session to open."""
    ask_file(window, tr("Open"), take, tr("Scenarios and sessions (*.toml *.json *.slotscope);;All files (*)"))


def ask_save(window: QWidget, take: Callable[[Path], object]) -> None:
    """Ask where to save the session."""
    ask_new_file(window, tr("Save session"), take, tr("Sessions (*.slotscope)"), "session.slotscope")


def ask_save_scenario(window: QWidget, take: Callable[[Path], object]) -> None:
    """Ask where to save the scenario."""
    ask_new_file(window, tr("Save scenario"), take, tr("Scenarios (*.toml)"), "scenario.toml")


def ask_export(window: QWidget, take: Callable[[Path], object]) -> None:
    """Ask where to export the events."""
    ask_new_file(window, tr("Export events"), take, "CSV (*.csv);;Parquet (*.parquet)", "events.csv")


def show_shortcuts(window: QWidget) -> QDialog:
    """Show a sheet with all shortcuts."""
    rows = "".join(
        f"<tr><td><b>{tr(' or ').join(map(key_words, item.all_keys)).replace('<', '&lt;')}</b>&nbsp;&nbsp;</td>"
        f"<td>{tr(item.title)}&nbsp;&nbsp;</td><td>{tr(item.sentence)}</td></tr>"
        for item in (*COMMANDS, BRING)
        if item.all_keys
    )
    return show_sheet(window, "Shortcuts", f"<table cellspacing='4'>{rows}</table>", html=True)


def show_help(window: QWidget, page: str, carry_out: Callable[[Namespace], object]) -> QDialog:
    """Show a page of the manual below its contents; links open other pages, or carry out a command."""
    text, commands = manual.text_of(page)
    dialog = show_sheet(window, "Help", text)

    def follow(link: str) -> None:
        page = link.removesuffix(".md")
        if page in manual.PAGES:
            dialog.close()
            show_help(window, page, carry_out)
        elif link.startswith(manual.OPENS):
            carry_out(commands[int(link.removeprefix(manual.OPENS))])

    browser = dialog.findChild(QTextBrowser)
    assert isinstance(browser, QTextBrowser)
    browser.anchorClicked.connect(lambda url: follow(url.toString()))
    return dialog


def show_sheet(window: QWidget, title: str, text: str, html: bool = False) -> QDialog:
    """Show a text, Markdown or HTML, in a separate window."""
    dialog = QDialog(window)
    dialog.setObjectName(title.lower())
    dialog.setWindowTitle(tr(title))
    dialog.resize(860, 640)
    browser = _Page(text, html)
    browser.setAccessibleName(tr(title))
    in_column(dialog, browser, margins=None)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()
    return dialog


class _Page(QTextBrowser):
    """A text browser that follows the theme: Qt colours links once, when it parses the text."""

    def __init__(self, text: str, html: bool) -> None:
        super().__init__()
        self._text, self._html = text, html
        self.setSearchPaths([str(manual.HELP)])
        self.setOpenLinks(False)
        self._read()

    def _read(self) -> None:
        if self._html:
            self.setHtml(self._text)
        else:
            self.setMarkdown(self._text)

    def changeEvent(self, event: QEvent) -> None:
        """Parse the text again when the palette changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            place = self.verticalScrollBar().value()
            self._read()
            self.verticalScrollBar().setValue(place)


def in_front(window: QWidget) -> QWidget | None:
    """The sheet, dialog or inspector in front of the window; None if there is none.

    An inspector counts only while it is the active window.
    """
    active = QApplication.activeWindow()
    if isinstance(active, PanelDock) and active.property(INSPECTOR):
        return active
    sheets = [sheet for sheet in window.findChildren(QDialog) if sheet.isVisible()]
    return active if active in sheets else next(reversed(sheets), None)
