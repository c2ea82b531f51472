"""The base of all panels: a widget that shows frames and emits intents.

A panel declares what it needs of a system and is offered for every system that has it.  It receives read-only
frames and knows neither the run nor other panels.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Callable, ClassVar, Iterable, Iterator, Protocol

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QLabel, QMenu, QStackedLayout, QWidget

from slotscope.gui.faults import Fault, caught, guard_classes
from slotscope.gui.intents import AskWhy, GoTo, OfferChoices, Select, WhatIf
from slotscope.gui.language.words import tr
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.boxes import keep_keys
from slotscope.gui.widgets.calm import Calm, Steady
from slotscope.gui.widgets.choice_menu import ChoiceMenu
from slotscope.gui.widgets.curtain import curtain_of
from slotscope.gui.widgets.fault_words import FaultPage
from slotscope.gui.widgets.focus_ring import FocusRing
from slotscope.gui.widgets.painted import image_of, svg_of, write_image
from slotscope.gui.widgets.spoken import Table, describe, heard, name_areas, plain, words_of
from slotscope.model.draft import write_text
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.reporting.inspection import JOB, SERVER, Thing
from slotscope.model.running.origin import NO_LINE

#: Minimum width and height of a panel in pixels.  Its contents impose no larger one, which
#: would shrink neighbouring docks and make the window larger than a small screen.
LEAST = (120, 60)

#: The context menu's question, by the kind of thing that is selected.
_WHY = {"": "Why the last decision?", SERVER: "Why this server, or why not?", JOB: "Why here?"}


class Styled(Protocol):
    """A part of a panel that has colours and fonts."""

    def restyle(self, theme: Theme, /) -> None:
        """Apply another theme or font size."""


#: In :attr:`Panel.tells`: the panel shows all that is known of a thing, so it could answer any question.
EVERYTHING = "everything"


class Panel(QWidget):
    """Base class of all panels.

    A subclass builds its widgets in :meth:`build` inside ``self.body``, prepares them for each run in
    :meth:`begin`, updates them in :meth:`show_frame` and lays them out in :meth:`arrange`.  If :meth:`why_not`
    returns a sentence, that is shown instead.  An exception in any of these is shown in the panel's place and
    stops nothing else.
    """

    name: ClassVar[str]  #: for scripts and saved layouts
    title: ClassVar[str]  #: the dock's title
    summary: ClassVar[str]  #: one sentence, for tooltips and menus
    needs: ClassVar[frozenset[str]] = frozenset()  #: what the system must offer
    tells: ClassVar[frozenset[str]] = frozenset()  #: what questions may ask for that it shows, see :meth:`veil`
    titled_in_lecture: ClassVar[bool] = True  #: whether an audience needs the title to know what the panel shows

    intent = Signal(object)
    framed = Signal(object)  #: emitted for each new frame; open menus wait for it

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        guard_classes()
        super().__init__(parent)
        self.theme = theme
        self.frame: Frame | None = None
        self.selection = Select()
        self.veiled = False  #: hidden because it would tell the answer to an open question
        self._seen = True
        self.fault: Fault | None = None  #: shown instead of the body until *try again*
        self._note = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._note.setContentsMargins(10, 4, 10, 4)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._note)
        self.setMinimumSize(*LEAST)
        self.setObjectName(f"panel-{self.name}")
        self.setAccessibleName(self.title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # in the tab order, for screen readers and the context menu
        self.ring = FocusRing(self)
        self._renew()

    def _renew(self) -> None:
        """Build the body anew, deleting the previous one."""
        for child in self.children():
            if child not in (self._stack, self._note, self.ring, vars(self).get("fault_page")):
                child.deleteLater()
        self.fault = None
        self.body = QWidget(self)
        self._stack.addWidget(self.body)
        self.calm = Calm(self)  #: limits how often numbers change during a run; a new run resets it
        self.calm.over.connect(self._show_latest)
        self._begun: RunInfo | None = None
        self._styled: list[Styled] = []
        self._grounds: list[QWidget] = []
        self.show_note(tr("Nothing has run yet."))
        with caught():
            self.build()
            self.arrange()
        name_areas(self, self.title)

    @cached_property
    def fault_page(self) -> FaultPage:
        """The page shown in place of the body after a fault; created at the first one, as most panels never need it."""
        page = FaultPage(self)
        page.again.connect(self.try_again)
        self._stack.addWidget(page)
        return page

    # For subclasses.

    def build(self) -> None:
        """Build the widgets in ``self.body``; called again only after a fault."""

    def build_ahead(self) -> Iterator[None]:
        """Build, one part per iteration, what takes long and would otherwise be built at the first frame."""
        yield from ()

    def follow_theme(self, *parts: Styled) -> None:
        """Register *parts* to be restyled with the panel."""
        self._styled += parts

    def ground(self, *widgets: QWidget) -> None:
        """Give *widgets* the panel's background colour, in every theme."""
        self._grounds += widgets
        self._paint_grounds()

    def _paint_grounds(self) -> None:
        for widget in self._grounds:
            palette = widget.palette()
            palette.setColor(QPalette.ColorRole.Window, QColor(self.theme.panel))
            widget.setPalette(palette)
            widget.setAutoFillBackground(True)

    def why_not(self, frame: Frame) -> str:
        """Why the panel has nothing to show for a frame; empty if it has."""
        missing = self.needs - frame.info.offers
        if not missing:
            return ""
        return tr("{panel} does not apply to {policy}: it has no {parts}.").format(
            panel=tr(self.title), policy=frame.info.policy_title, parts=", ".join(sorted(missing))
        )

    def begin(self, frame: Frame) -> None:
        """Prepare for another run from its first frame; :meth:`show_frame` follows."""

    def show_frame(self, frame: Frame) -> None:
        """Show a new frame (``self.frame`` is set already)."""

    @property
    def current(self) -> Frame | None:
        """The frame if the body shows its run, else None: a click may hit the picture of a run just replaced."""
        return self.frame if self.frame is not None and self.frame.info is self._begun else None

    def show_selection(self, selection: Select) -> None:
        """Highlight the selected thing."""

    def restyle(self, theme: Theme) -> None:
        """Apply another theme or font size."""
        self._paint_grounds()
        for part in self._styled:
            part.restyle(theme)

    def arrange(self) -> None:
        """Lay out the contents after the panel's size or font size has changed."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.fault is None:
            self.arrange()

    def series(self) -> Table | None:
        """Column names and rows for a CSV file; None if the panel has no series."""
        return None

    def read_out(self) -> Table | None:
        """The part of the series for screen readers: one page of it, or the row of the current moment."""
        return self.series()

    def json_lines(self) -> Iterable[str] | None:
        """One JSON text per row; None if the panel has no log."""
        return None

    def described(self) -> str:
        """A text description for screen readers, from the panel's labels and table."""
        seen = self._stack.currentWidget()
        if seen is self.body:
            return words_of(self.body, self.read_out(), 0 if self.frame is None else self.frame.event)
        return plain(self._note) if seen is self._note else words_of(self.fault_page, None, 0)

    def take_keys(self) -> None:
        """Focus a field if typing is all that can follow; called when the panel's shortcut brings it to the front."""

    def go_to(self, event: int) -> None:
        """Ask to go to the moment after an event."""
        self.intent.emit(GoTo(event))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """A context menu with *why* for the selected thing; a right click on a picture has selected it just before."""
        if self.frame is None:
            return
        thing = self.selection.inspected
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keep_keys(menu)
        menu.addAction(self._question_why(self.frame, thing.what if thing else ""), lambda: self._why(thing))
        menu.addMenu(self._decisions(menu, self.frame, thing))
        menu.popup(event.globalPos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:  # from the keyboard: Enter chooses the first entry
            menu.setActiveAction(menu.actions()[0])
        event.accept()

    def _question_why(self, frame: Frame, what: str) -> str:
        """The wording of *why* in the menu; it mentions waiting only in systems where jobs wait."""
        if what == JOB and frame.info.kind.jobs_wait:
            return tr("Why here, or why does it still wait?")
        return tr(_WHY[what]) if what in _WHY else tr("Why this {what}?").format(what=what)

    def _decisions(self, menu: QMenu, frame: Frame, thing: Thing | None) -> QMenu:
        """A submenu of the possible decisions of the next event, or of those about the selected thing."""
        server, job = (thing.number if thing is not None and thing.what == what else -1 for what in (SERVER, JOB))
        decisions = ChoiceMenu(menu, frame, server, job)
        decisions.decided.connect(lambda decision: self.intent.emit(WhatIf(decision)))
        self.framed.connect(decisions.take)
        self.intent.emit(OfferChoices())
        return decisions

    def _why(self, thing: Thing | None) -> None:
        self.intent.emit(AskWhy(thing))

    # For the main window.

    def set_frame(self, frame: Frame) -> None:
        """Show a frame, or a note why there is nothing to show for it."""
        self.frame = frame
        self.framed.emit(frame)
        if self.fault is not None:
            return
        with caught():
            hidden = tr("The answer stands here: it is shown once one is given.") if self.veiled else ""
            if note := self.why_not(frame) or hidden:
                self.show_note(note)
                return
            self._stack.setCurrentWidget(self.body)
            if frame.info is not self._begun:
                self._begun = frame.info
                self.calm.forget()
                self.begin(frame)
            self.show_frame(frame)
            self._describe()

    def numbers_due(self, frame: Frame) -> bool:
        """Whether numbers may change now; if not, the latest frame is shown again as soon as they may."""
        return self.calm.may_change("numbers", frame.running)

    def _show_latest(self) -> None:
        """Show the last frame again, numbers included: the next frame may be far off."""
        if self.frame is not None and self.isVisible():
            self.set_frame(self.frame)

    def catch_up(self) -> None:
        """Show the last frame in full, so that a saved picture has no older numbers than the table beside it."""
        for calm in self.findChildren(Calm):
            calm.forget()
        self._show_latest()

    @classmethod
    def would_tell(cls, what: str) -> bool:
        """Whether the panel shows *what*, the subject of a question; False if *what* is empty."""
        return bool(what) and not cls.tells.isdisjoint({what, EVERYTHING})

    def veil(self, what: str) -> None:
        """Hide the body while a question asks for *what*, if the panel would tell it; empty: no question is open."""
        was, self.veiled = self.veiled, self.would_tell(what)
        if self.veiled is not was and self.frame is not None:
            self.set_frame(self.frame)

    def set_selection(self, selection: Select) -> None:
        """Take the window's selection and highlight it."""
        self.selection = selection
        if self.fault is None:
            with caught():
                self.show_selection(selection)
                self._describe()

    def _describe(self) -> None:
        if heard() and not (self._seen and self.frame is not None and self.frame.running):
            describe(self, self.described() if self._seen else "")

    def tell(self, seen: bool) -> None:
        """Set the accessible description: of what is shown, or none for a panel that is not *seen* (behind a tab)."""
        self._seen = seen
        with caught():
            self._describe()

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.theme = theme
        if self.fault is None:
            with caught():
                self.restyle(theme)
                self.arrange()
        if self.frame is not None:
            self.set_frame(self.frame)

    def go_on_paper(self) -> None:
        """Print what the screen shows in tooltips only; to be called before the first frame."""

    def begin_search(self, once_left: Callable[[], object]) -> None:
        """Focus the panel's search field; most panels have none.

        *once_left* is called if, in lecture mode, the field loses the focus and asks nothing.
        """

    def turn_page(self) -> None:
        """Scroll down by one page, or from the end back to the top."""
        areas = [area for area in self.findChildren(QAbstractScrollArea) if area.isVisibleTo(self)]
        areas = [area for area in areas if area.verticalScrollBar().maximum() > 0]
        if areas:
            area = max(areas, key=QWidget.height)
            bar, curtain = area.verticalScrollBar(), curtain_of(area)
            page = bar.pageStep() if curtain is None else curtain.page
            bar.setValue(bar.value() + page if bar.value() < bar.maximum() else 0)

    def forget(self) -> None:
        """Another run begins: forget the last one; its picture stays until the first frame."""
        self.frame = self._begun = None
        if self.fault is not None:
            self._renew()
        self.set_selection(Select())

    def refit(self) -> None:
        """After a jump to another moment, let widgets that keep their width choose a new one."""
        for part in self.findChildren(QWidget):
            if isinstance(part, Steady):
                part.refit()

    @property
    def shows_note(self) -> bool:
        """Whether a note is shown because there is nothing else to show."""
        return self._stack.currentWidget() is self._note

    @property
    def empty(self) -> bool:
        """Whether the panel shows nothing but a sentence."""
        return self.shows_note

    def below(self) -> int:
        """Additional pixels of height that would make scroll bars unnecessary; item views (tables) do not count."""
        areas = [area for area in self.findChildren(QAbstractScrollArea) if area.isVisibleTo(self)]
        own = [area for area in areas if not isinstance(area, QAbstractItemView)]
        return max((area.verticalScrollBar().maximum() for area in own), default=0)

    def height_of_lines(self, count: int) -> int:
        """Height in pixels of *count* lines of text, in panels that show a sentence."""
        return 0

    def show_note(self, text: str) -> None:
        """Show a sentence instead of the body."""
        self._note.setText(text)
        self._stack.setCurrentWidget(self._note)
        self._describe()

    # Faults.

    def fail(self, fault: Fault) -> None:
        """Show a fault in the panel's place; only the first, as later ones follow from it."""
        if self.fault is None:
            self.fault = fault
            QTimer.singleShot(0, self, self._show_fault)  # deferred: Qt may be painting the widget that failed

    def _show_fault(self) -> None:
        if self.fault is not None:
            moment = "" if self.frame is None else self.frame.opening_line or NO_LINE
            self.fault_page.show_fault(self.title, self.fault, moment)
            self._stack.setCurrentWidget(self.fault_page)
            self._describe()

    def try_again(self) -> None:
        """Build the body anew and show the last frame."""
        self._renew()
        if self.frame is not None:
            self.set_frame(self.frame)
        self.set_selection(self.selection)

    def save_png(self, path: Path) -> None:
        """Save the panel as PNG at twice the screen's resolution."""
        self.catch_up()
        write_image(image_of(self), path)

    def save_svg(self, path: Path) -> None:
        """Save the panel as SVG."""
        self.catch_up()
        write_text(path, svg_of(self, self.title))
