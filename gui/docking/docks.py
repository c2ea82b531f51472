"""Docks around panels: their buttons, and the policy that they show.

A dock exists at once; its panel is built when it first becomes visible or is asked for.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolButton, QWidget

from slotscope.gui.docking.title_bar import PanelTitle, TitleBar
from slotscope.gui.intents import Select
from slotscope.gui.language.words import line_of, tr
from slotscope.gui.panel import LEAST, Panel
from slotscope.gui.sharing.picture_button import PictureButton
from slotscope.gui.theme import Fonts, Theme, current_fonts
from slotscope.gui.widgets.file_dialogs import ask_new_file
from slotscope.gui.widgets.icons import icon
from slotscope.model.draft import draft_of
from slotscope.model.errors import UserError
from slotscope.model.reporting.frame import Frame


class PanelPlace(QWidget):
    """Placeholder of a panel that is not built yet, with its minimum size and its place in the tab order."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setMinimumSize(*LEAST)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def give_to(self, panel: Panel, dock: QDockWidget) -> None:
        """Replace this placeholder with a panel, in the tab order as well."""
        focused = self.hasFocus()
        self.clearFocus()
        dock.setWidget(panel)
        _put_behind(self, panel)
        if focused:
            panel.setFocus(Qt.FocusReason.TabFocusReason)
        layout = dock.layout()
        assert layout is not None
        layout.activate()  # so that the panel has its size before it shows anything
        self.deleteLater()


def _put_behind(before: QWidget, panel: Panel) -> None:
    """Move a panel and the widgets in it, which are last in the tab order, to just after *before*.

    Qt moves a compound widget's children along only if its focus proxy is one of them, up to the last that takes Tab.
    """
    first, last = panel.nextInFocusChain(), panel.window().previousInFocusChain()
    assert first is not None and last is not None
    policy = last.focusPolicy()
    last.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    panel.setFocusProxy(first)
    QWidget.setTabOrder(before, panel)
    panel.setFocusProxy(None)  # type: ignore[arg-type]  # removes the proxy
    last.setFocusPolicy(policy)


AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}

#: Tooltips of the title bar's buttons.
_BUTTONS = {
    "copy": "Copy picture\nCopies this panel's picture; drag it from here into a slide.",
    "camera": "Save picture\nSaves this panel as PNG or SVG.",
    "csv": "Save data\nSaves this panel's series as CSV, a log also as JSON lines.",
    "out": "Float or dock\nPuts this panel into a window of its own, and back.",
    "cancel": "Hide\nHides this panel; the View menu brings it back.",
}

#: Buttons folded into a menu if the title is long; the one that pictures are dragged from is folded last.
_FOLDING = (("camera", "csv", "out"), ("camera", "copy", "csv", "out"))

#: Most characters of a policy's name on tabs, so that the panel's own name stays visible.
LONGEST_POLICY = 16

#: The window's dynamic property that names the kind of system of its panels.
SYSTEM = "system"


class PanelDock(QDockWidget):
    """A dock for one panel, which is built when it first becomes visible or is asked for; until then a placeholder."""

    said = Signal(str)
    closed = Signal()
    asked = Signal(object)  #: (intent): the panel emitted an intent
    built = Signal()  #: the panel has been built

    def __init__(self, shows: type[Panel], theme: Theme, parent: QMainWindow, lane: int = 0, name: str = "") -> None:
        super().__init__(tr(shows.title), parent)
        self.shows = shows  #: the panel's class
        self._panel: Panel | None = None
        self._selected: tuple[Select, ...] = ()  # the last selection; first the thing, if a line was selected after it
        self._veil = ""
        self.name = name or lane_name(shows.name, lane)  #: for scripts and saved layouts
        self.lane = lane  #: the lane that the panel shows
        self.system = str(parent.property(SYSTEM))  #: the kind of system whose frames it accepts
        self.seen = True  #: whether it is neither closed nor behind another tab
        self.setObjectName(f"dock-{self.name}")
        self._place = PanelPlace(tr(shows.title))
        self.setWidget(self._place)
        self._title = PanelTitle(tr(shows.title))
        self._title.setToolTip(f"{tr(shows.title)}\n{tr(shows.summary)}")
        self._buttons = self._made_buttons()
        folding = [[self._buttons[name] for name in names] for names in _FOLDING]
        self._bar = TitleBar(self._title, list(self._buttons.values()), folding)
        self.setTitleBarWidget(self._bar)
        self.topLevelChanged.connect(self._frame)
        self._looks: tuple[Theme, Fonts] | None = None  # theme and fonts applied last
        self.set_theme(theme)

    @property
    def panel(self) -> Panel:
        """The panel; built on first access."""
        if self._panel is None:
            self._panel = self._build()
            self._place.give_to(self._panel, self)
            self._panel.tell(self.seen)
            self.built.emit()
        return self._panel

    def _build(self) -> Panel:
        assert self._looks is not None
        theme, _ = self._looks
        panel = self.shows(theme)
        panel.setAccessibleName(self._place.accessibleName())
        panel.intent.connect(self.asked)
        if current_fonts().lecture:
            panel.set_theme(theme)  # panels are built for the usual, smaller font size
        panel.veil(self._veil)
        for selection in self._selected:
            panel.set_selection(selection)
        return panel

    @property
    def is_built(self) -> bool:
        return self._panel is not None

    # What the panel is told, or will be once it is built.

    def select(self, selection: Select) -> None:
        """Set the selection."""
        before = self._selected[:1] if selection.line is not None else ()
        self._selected = *before, selection
        if self._panel is not None:
            self._panel.set_selection(selection)

    def veil(self, what: str) -> None:
        """Hide the panel while a question asks for *what*, if the panel shows it; empty: no question is open."""
        self._veil = what
        if self._panel is not None:
            self._panel.veil(what)

    @property
    def veiled(self) -> bool:
        """Whether an open question asks for what the panel shows."""
        return self.shows.would_tell(self._veil)

    def forget(self) -> None:
        """Clear the selection and the panel for another run."""
        self._selected = ()
        if self._panel is not None:
            self._panel.forget()

    def is_up_to(self, frame: Frame | None) -> bool:
        """Whether the panel is built and shows this frame (or, with None, any)."""
        return self._panel is not None and (frame is None or frame is self._panel.frame)

    def _made_buttons(self) -> dict[str, QToolButton]:
        made: dict[str, QToolButton] = {}
        for name, call in (
            ("camera", self._ask_picture),
            ("copy", self._copy_picture),
            ("csv", self._ask_series),
            ("out", self._toggle_floating),
            ("cancel", self.close),
        ):
            text = tr(_BUTTONS[name])
            button = PictureButton(lambda: self.panel) if name == "copy" else QToolButton()
            button.setObjectName(f"{self.shows.name}-{name}")
            button.setAutoRaise(True)
            button.setToolTip(text)
            button.setAccessibleName(text.split("\n")[0])
            button.clicked.connect(lambda _=False, do=call: do())
            made[name] = button
        return made

    def follow(self, theme: Theme) -> None:
        """Apply the theme and the current font size, unless they are applied already."""
        if self._looks != (theme, current_fonts()):
            self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        fonts = current_fonts()
        self._looks = theme, fonts
        self._title.setFont(fonts.body if fonts.lecture else fonts.heading)
        self._title.setHidden(fonts.lecture and not self.shows.titled_in_lecture)
        for name, button in self._buttons.items():
            button.setIcon(icon(name, theme, theme.muted))
        self._bar.offer_buttons(not fonts.lecture)  # lecture mode shows titles only
        if self._panel is not None:
            self._panel.set_theme(theme)

    def height_for(self, width: int, lines: int) -> int:
        """Height in pixels of title bar and sentence at a width: the panel's own sentence, or one of *lines* lines."""
        title = self.titleBarWidget().sizeHint().height()
        return title + max(self.panel.heightForWidth(width), self.panel.height_of_lines(lines))

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self.closed.emit()

    def part(self, frame: Frame) -> Frame | None:
        """The part of a frame for this dock's lane; None if the frame is of another kind of system.

        Docks of both kinds may exist while a run of another kind begins.
        """
        lanes = frame.lanes
        mine = frame.info.system == self.system and self.lane < len(lanes)
        return lanes[self.lane] if mine else None

    def part_of(self, selection: Select, lane: int) -> Select:
        """The part of another lane's selection that holds here, only the job; the whole of its own lane's."""
        if self.lane == lane:
            return selection
        return replace(selection, server=None, line=None, thing=None)

    def name_policy(self, label: str) -> None:
        """Show the policy's label in title and tab; empty if only one policy runs."""
        own = tr(self.shows.title)
        title = f"{label}: {own}" if label else own
        half = LONGEST_POLICY // 2
        brief = label if len(label) <= LONGEST_POLICY else f"{label[: half - 1].rstrip()}…{label[-half:].lstrip()}"
        self.setWindowTitle(f"{brief}: {own}" if label else own)
        self._bar.name_policy(label)
        self._title.setToolTip(f"{title}\n{tr(self.shows.summary)}")
        (self._panel or self._place).setAccessibleName(title)

    def _frame(self, floating: bool) -> None:
        """Give a floating dock the frame of a window, which Qt omits for docks with a custom title bar."""
        if floating:
            kind = Qt.WindowType
            buttons = kind.WindowMinMaxButtonsHint | kind.WindowCloseButtonHint
            self.setWindowFlags(kind.Window | kind.CustomizeWindowHint | kind.WindowTitleHint | buttons)
            self.show()

    def _toggle_floating(self) -> None:
        self.setFloating(not self.isFloating())

    def _copy_picture(self) -> None:
        button = self._buttons["copy"]
        assert isinstance(button, PictureButton)
        button.copy()
        self.said.emit(tr("{panel} copied as a picture").format(panel=tr(self.shows.title)))

    def _ask_picture(self) -> None:
        ask_new_file(self, tr("Save picture"), self.save_picture, "PNG (*.png);;SVG (*.svg)", f"{self.shows.name}.png")

    def save_picture(self, path: Path) -> None:
        """Save the panel's picture; the file name's ending decides the format."""
        self._save(path, self.panel.save_svg if path.suffix.lower() == ".svg" else self.panel.save_png)

    def _save(self, path: Path, write: Callable[[Path], None]) -> None:
        try:
            write(path)
        except UserError as error:
            self.said.emit(line_of(error))
        else:
            self.said.emit(tr("{panel} saved as {path}").format(panel=tr(self.shows.title), path=path))

    def _ask_series(self) -> None:
        if self.panel.veiled or self.panel.series() is None:
            self.said.emit(tr("{panel} has no series to save").format(panel=tr(self.shows.title)))
            return
        kinds = "CSV (*.csv)"
        if self.panel.json_lines() is not None:
            kinds += ";;JSON lines (*.jsonl)"
        ask_new_file(self, tr("Save data"), self.save_series, kinds, f"{self.shows.name}.csv")

    def _write_series(self, path: Path) -> None:
        lines, series = self.panel.json_lines(), self.panel.series()
        with draft_of(path) as draft, draft.open("w", newline="", encoding="utf-8") as file:
            if path.suffix.lower() == ".jsonl" and lines is not None:
                file.writelines(f"{line}\n" for line in lines)
            elif series is not None:
                names, rows = series
                writer = csv.writer(file)
                writer.writerow(names)
                writer.writerows(rows)

    def save_series(self, path: Path) -> None:
        """Save the panel's series as CSV, or its log as JSON lines; the file name's ending decides."""
        self._save(path, self._write_series)


def lane_name(name: str, lane: int) -> str:
    """The name of a panel's dock in a lane."""
    return name if lane == 0 else f"{name}-{lane + 1}"
