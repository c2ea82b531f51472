"""What every panel is: a widget that shows frames and emits intents.

A panel declares what it needs of a system and is offered wherever a system has that.  It
gets read-only frames and knows neither the run nor other panels.
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

#: Width and height in pixels below which no panel goes.  What a panel shows asks for no more: it
#: would take its neighbours' room, and make the window larger than a small screen.
LEAST = (120, 60)

#: How the menu asks, by the kind of thing that is selected.
_WHY = {"": "Why the last decision?", SERVER: "Why this server, or why not?", JOB: "Why here?"}


class Styled(Protocol):
    """A part of a panel that has colours and type."""

    def restyle(self, theme: Theme, /) -> None:
        """Follow another theme or size of type."""


#: What a panel tells that shows all that is known of a thing, whatever it is.
EVERYTHING = "everything"


class Panel(QWidget):
    """Base of all panels.

    A subclass builds its picture in :meth:`build` into ``self.body``, readies it for each run in
    :meth:`begin`, updates it in :meth:`show_frame` and shares its room out in :meth:`arrange`.
    Where :meth:`why_not` says that there is nothing to show, that sentence is shown instead.
    An exception in any of it is shown in the panel's place, and stops nothing else.
    """

    name: ClassVar[str]  #: for scripts and saved layouts
    title: ClassVar[str]  #: on the dock
    summary: ClassVar[str]  #: one sentence, for tooltips and menus
    needs: ClassVar[frozenset[str]] = frozenset()  #: what the system must offer
    tells: ClassVar[frozenset[str]] = frozenset()  #: what it shows that may be asked for, see :meth:`veil`
    titled_in_lecture: ClassVar[bool] = True  #: whether a hall needs to read what it is

    intent = Signal(object)
    framed = Signal(object)  #: there is another frame, which menus that are open wait for

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        guard_classes()
        super().__init__(parent)
        self.theme = theme
        self.frame: Frame | None = None
        self.selection = Select()
        self.veiled = False  #: whether a question asks for what it tells
        self._seen = True
        self.fault: Fault | None = None  #: shown instead of the picture until tried again
        self._note = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._note.setContentsMargins(10, 4, 10, 4)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._note)
        self.setMinimumSize(*LEAST)
        self.setObjectName(f"panel-{self.name}")
        self.setAccessibleName(self.title)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # what is read out, and has a menu, is reached by keys
        self.ring = FocusRing(self)
        self._renew()

    def _renew(self) -> None:
        """Build the picture, in place of what there was of it."""
        for child in self.children():
            if child not in (self._stack, self._note, self.ring, vars(self).get("fault_page")):
                child.deleteLater()
        self.fault = None
        self.body = QWidget(self)
        self._stack.addWidget(self.body)
        self.calm = Calm(self)  #: when numbers may be written while a run goes on; at once where another run begins
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
        """What is shown in place of the picture, made for the first fault: no panel should ever need it."""
        page = FaultPage(self)
        page.again.connect(self.try_again)
        self._stack.addWidget(page)
        return page

    # For subclasses.

    def build(self) -> None:
        """Build the widgets in ``self.body``; called again only after a fault."""

    def build_ahead(self) -> Iterator[None]:
        """Build, a part with each step, what takes long and would otherwise be built for the first frame."""
        yield from ()

    def follow_theme(self, *parts: Styled) -> None:
        """Let *parts* follow themes and sizes of type with the panel."""
        self._styled += parts

    def ground(self, *widgets: QWidget) -> None:
        """Give *widgets* the ground that pictures stand on, in every theme."""
        self._grounds += widgets
        self._paint_grounds()

    def _paint_grounds(self) -> None:
        for widget in self._grounds:
            palette = widget.palette()
            palette.setColor(QPalette.ColorRole.Window, QColor(self.theme.panel))
            widget.setPalette(palette)
            widget.setAutoFillBackground(True)

    def why_not(self, frame: Frame) -> str:
        """Why there is no picture of a frame; empty where there is one."""
        missing = self.needs - frame.info.offers
        if not missing:
            return ""
        return tr("{panel} does not apply to {policy}: it has no {parts}.").format(
            panel=tr(self.title), policy=frame.info.policy_title, parts=", ".join(sorted(missing))
        )

    def begin(self, frame: Frame) -> None:
        """Take from the first frame of another run what stays the same in it; :meth:`show_frame` follows."""

    def show_frame(self, frame: Frame) -> None:
        """Show a new frame (``self.frame`` is set already)."""

    @property
    def current(self) -> Frame | None:
        """The frame, if the picture is of its run: what one clicks at may be of one that was just replaced."""
        return self.frame if self.frame is not None and self.frame.info is self._begun else None

    def show_selection(self, selection: Select) -> None:
        """Show what is pointed at."""

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._paint_grounds()
        for part in self._styled:
            part.restyle(theme)

    def arrange(self) -> None:
        """Share the room out: the panel has another size, or its type has."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.fault is None:
            self.arrange()

    def series(self) -> Table | None:
        """Column names and rows for a CSV file; None if the panel has no series."""
        return None

    def read_out(self) -> Table | None:
        """Of the series what is read to those who do not see the picture: a page of it, or the row of the moment."""
        return self.series()

    def json_lines(self) -> Iterable[str] | None:
        """One JSON text per row; None if the panel has no log."""
        return None

    def described(self) -> str:
        """What is seen, in words, for who does not see it: the panel's own labels and table."""
        seen = self._stack.currentWidget()
        if seen is self.body:
            return words_of(self.body, self.read_out(), 0 if self.frame is None else self.frame.event)
        return plain(self._note) if seen is self._note else words_of(self.fault_page, None, 0)

    def take_keys(self) -> None:
        """Its key has brought it to the front: where nothing but typing can come next, a field takes the keys."""

    def go_to(self, event: int) -> None:
        """Ask for the moment after an event."""
        self.intent.emit(GoTo(event))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask why of what is selected, which a right click on a picture has just done."""
        if self.frame is None:
            return
        thing = self.selection.inspected
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        keep_keys(menu)
        menu.addAction(self._question_why(self.frame, thing.what if thing else ""), lambda: self._why(thing))
        menu.addMenu(self._decisions(menu, self.frame, thing))
        menu.popup(event.globalPos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:  # then Enter takes what stands first
            menu.setActiveAction(menu.actions()[0])
        event.accept()

    def _question_why(self, frame: Frame, what: str) -> str:
        """How the menu asks why; whether a job still waits only where jobs do."""
        if what == JOB and frame.info.kind.jobs_wait:
            return tr("Why here, or why does it still wait?")
        return tr(_WHY[what]) if what in _WHY else tr("Why this {what}?").format(what=what)

    def _decisions(self, menu: QMenu, frame: Frame, thing: Thing | None) -> QMenu:
        """What could be decided of the next event, of what is selected where it is about that."""
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
        """Show a frame, or why there is no picture of it."""
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
        """Whether numbers may be written now; where not, the latest frame is shown again once they may."""
        return self.calm.may_change("numbers", frame.running)

    def _show_latest(self) -> None:
        """What stood still is shown as it is by now, though no frame has come: the next event may be far."""
        if self.frame is not None and self.isVisible():
            self.set_frame(self.frame)

    def catch_up(self) -> None:
        """Show all of the last frame: a picture keeps no number of a moment before it, beside the table of this one."""
        for calm in self.findChildren(Calm):
            calm.forget()
        self._show_latest()

    @classmethod
    def would_tell(cls, what: str) -> bool:
        """Whether it shows *what* a question asks for; nothing is asked where that is empty."""
        return bool(what) and not cls.tells.isdisjoint({what, EVERYTHING})

    def veil(self, what: str) -> None:
        """Show nothing while a question asks for *what* the panel tells; empty: none does."""
        was, self.veiled = self.veiled, self.would_tell(what)
        if self.veiled is not was and self.frame is not None:
            self.set_frame(self.frame)

    def set_selection(self, selection: Select) -> None:
        """Show what is pointed at anywhere in the window."""
        self.selection = selection
        if self.fault is None:
            with caught():
                self.show_selection(selection)
                self._describe()

    def _describe(self) -> None:
        if heard() and not (self._seen and self.frame is not None and self.frame.running):
            describe(self, self.described() if self._seen else "")

    def tell(self, seen: bool) -> None:
        """Be described by what is shown, or behind a tab, where that is not kept up, by nothing."""
        self._seen = seen
        with caught():
            self._describe()

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme."""
        self.theme = theme
        if self.fault is None:
            with caught():
                self.restyle(theme)
                self.arrange()
        if self.frame is not None:
            self.set_frame(self.frame)

    def go_on_paper(self) -> None:
        """Tell what a screen tells in tips; before the first frame."""

    def begin_search(self, once_left: Callable[[], object]) -> None:
        """What is typed goes to the field that this is searched by; most panels have none.

        *once_left* is what follows where a hall sees the field no more, and nothing is asked.
        """

    def turn_page(self) -> None:
        """Scroll on by a page, or from the end back to the top."""
        areas = [area for area in self.findChildren(QAbstractScrollArea) if area.isVisibleTo(self)]
        areas = [area for area in areas if area.verticalScrollBar().maximum() > 0]
        if areas:
            area = max(areas, key=QWidget.height)
            bar, curtain = area.verticalScrollBar(), curtain_of(area)
            page = bar.pageStep() if curtain is None else curtain.page
            bar.setValue(bar.value() + page if bar.value() < bar.maximum() else 0)

    def forget(self) -> None:
        """Another run begins: of the last one nothing is kept but the picture until the next."""
        self.frame = self._begun = None
        if self.fault is not None:
            self._renew()
        self.set_selection(Select())

    def refit(self) -> None:
        """Another moment comes, and not the next one: nothing in it is as wide as what was seen before."""
        for part in self.findChildren(QWidget):
            if isinstance(part, Steady):
                part.refit()

    @property
    def shows_note(self) -> bool:
        """Whether there is a sentence instead of a picture, because there is nothing to show."""
        return self._stack.currentWidget() is self._note

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see but a sentence."""
        return self.shows_note

    def below(self) -> int:
        """How many pixels higher the panel had to be for nothing to be scrolled; tables of many rows are left alone."""
        areas = [area for area in self.findChildren(QAbstractScrollArea) if area.isVisibleTo(self)]
        own = [area for area in areas if not isinstance(area, QAbstractItemView)]
        return max((area.verticalScrollBar().maximum() for area in own), default=0)

    def height_of_lines(self, count: int) -> int:
        """Height in pixels of a sentence of so many lines, in a panel that says one."""
        return 0

    def show_note(self, text: str) -> None:
        """Show a sentence instead of the picture."""
        self._note.setText(text)
        self._stack.setCurrentWidget(self._note)
        self._describe()

    # Faults.

    def fail(self, fault: Fault) -> None:
        """Show what went wrong in the panel's place; later faults follow from the first."""
        if self.fault is None:
            self.fault = fault
            QTimer.singleShot(0, self, self._show_fault)  # Qt may be painting what fails

    def _show_fault(self) -> None:
        if self.fault is not None:
            moment = "" if self.frame is None else self.frame.opening_line or NO_LINE
            self.fault_page.show_fault(self.title, self.fault, moment)
            self._stack.setCurrentWidget(self.fault_page)
            self._describe()

    def try_again(self) -> None:
        """Build the picture afresh and show the last frame."""
        self._renew()
        if self.frame is not None:
            self.set_frame(self.frame)
        self.set_selection(self.selection)

    def save_png(self, path: Path) -> None:
        """Save the picture as PNG, with twice as many pixels as on the screen in each direction."""
        self.catch_up()
        write_image(image_of(self), path)

    def save_svg(self, path: Path) -> None:
        """Save the picture as SVG."""
        self.catch_up()
        write_text(path, svg_of(self, self.title))
