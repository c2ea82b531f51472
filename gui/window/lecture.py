"""Lecture mode: the servers, a panel beside them, and one sentence, in type for a lecture hall.

Numbers and a few letters bring panels to the front, in lecture mode and out of it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Callable, Iterator, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QStyle

from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock, lane_name
from slotscope.gui.docking.layouts import soon
from slotscope.gui.faults import caught
from slotscope.gui.language.words import tr
from slotscope.gui.panels import SENTENCES
from slotscope.gui.window.actions import COMMANDS

#: Share of the width for the panel beside the servers, by the number of policies, and the largest share
#: that it may have if its text would otherwise be cut.
_MOST_BESIDE = 0.5
_BESIDE = {1: 0.48, 2: 0.40, 3: 0.36}
#: Largest share of the height for the log's one sentence, and its share when the whole log is brought up.
_SENTENCE, _LOG = 0.5, 0.5
#: Least number of lines for the sentence while an answer is awaited, by the number of policies; most answers fit.
_TOLD = {1: 2, 2: 3, 3: 5}
#: Shares of the width by which the panel beside the servers may be too wide, or too narrow (half a digit), unfitted.
_CALM, _CUT = 0.05, 0.01
#: Window height in lines of text below which the strip of panel names is hidden: the servers need the room.
_LOW = 22
_NO_BREAK = "\u00a0"
_BETWEEN = f"{_NO_BREAK} "
#: The panel that exists only in a comparison; its key is 0.
_COMPARISON = "comparison"

Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class LectureMode(QObject):
    """Shows an audience what it needs, and brings every other panel to the front on request.

    Signals
    -------
    switched(on)
        Widgets other than the panels are to be hidden, or shown again.
    led(on, low)
        A lesson decides which panels are shown in lecture mode, or no longer does; the window is low, or not.
    """

    switched = Signal(bool)
    led = Signal(bool, bool)

    def __init__(self, area: DockArea, lanes: CompareDocks) -> None:
        super().__init__(area)
        self._area, self._lanes, self._window = area, lanes, area.window
        self._picture = area.layouts.picture
        self._picture.laid_out.connect(self.fit)
        self.on = False
        self._wanted = False  # switch lecture mode on once all panels are built
        self._led = False  # whether a lesson decides which panels are shown
        self._asked = False  # whether a question is shown above the panels
        self.strip = QLabel(self._window, wordWrap=True)
        self.strip.setObjectName("panel-strip")
        self.strip.setContentsMargins(8, 2, 8, 4)
        self.strip.linkActivated.connect(self.bring)
        self.strip.hide()
        self._offered: dict[str, QAction] = {}
        self._again = soon(self, self.fit)
        self._look = soon(self, self._look_again)
        self._forget()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Fit again when the widgets above the panels change their height."""
        if event.type() == QEvent.Type.Resize:
            self._again.start()
        return False

    def _forget(self) -> None:
        """Reset the choices that were made for the previous panels."""
        self._beside: tuple[str, ...] | None = None  # panels beside the servers; None: the default one
        self._aside: tuple[str, ...] | None = None  # panels that the servers have replaced
        self._lane = 0  # the lane of these panels
        self._displaced: tuple[int, tuple[str, ...] | None] | None = None  # lane and panels that an answer has replaced
        self._log = False  # whether the whole log is shown
        self._searched = False  # whether only its search has brought it up
        self._sentence = 0  # height in pixels of the longest sentence so far
        self._right = 0.0  # width in pixels of the panels beside the servers
        self._share: float | None = None  # their share of the width; None: as they need
        self._staged = False  # whether the layout is fitted anew to the sentence of a moment about to be shown

    # What can be brought to the front.

    def offer(self) -> None:
        """Create one action per panel, each with its shortcut."""
        self._forget()
        for action in self._offered.values():
            self._window.removeAction(action)
            action.deleteLater()
        self._offered = {name: self._action(name, key) for name, key in self._keys()}

    def _keys(self) -> Iterator[tuple[str, str]]:
        """The names of all panels with their shortcuts: a number, the first letter of the title if free, or none."""
        docks = self._area.docks
        numbered = [name for name in self._area.roles.numbered if name in docks]
        yield from zip(numbered, "123456789", strict=False)
        taken = {key for command in COMMANDS for key in command.keys}
        for name, dock in docks.items():
            if name == dock.shows.name and name not in (*numbered, _COMPARISON):
                letter = dock.shows.title[0].upper()
                yield name, "" if letter in taken else letter
                taken.add(letter)
        if _COMPARISON in docks:
            yield _COMPARISON, "0"

    def _action(self, name: str, key: str) -> QAction:
        title = tr(self._area.docks[name].shows.title)
        action = QAction(f"{key} {title}".lstrip(), self._window)
        action.setObjectName(f"bring-{name}")
        action.setShortcut(key)
        action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        action.triggered.connect(lambda: self.bring(name))
        self._window.addAction(action)
        return action

    def bring(self, name: str) -> None:
        """Bring a panel to the front; called again, that of the next policy.

        In lecture mode it is placed beside the servers; called again after the last policy, it scrolls by a page.  The
        servers toggle the panels beside them, and the log toggles between one sentence and its full height.
        """
        lanes = self._lanes
        if name not in self._area.docks:  # its shortcut was pressed while panels were being replaced
            return
        if not self.on:
            front = [dock.lane for dock in self._docks_of(name) if dock.seen and dock.isVisible()]
            after = (front[0] + 1) % lanes.lanes_of(name) if len(front) == 1 else 0
            lanes.bring(name, after)
            lanes.dock_of(name, after).panel.take_keys()
            return
        if name == self._area.roles.servers:
            before, self._aside = self._aside, self._beside
            self._beside = before if self._beside == () else ()
        elif name == SENTENCES:
            self._log, self._searched = not self._log, False
        else:
            again = self._beside_now == (name,)
            lane = (self._lane + 1) % lanes.lanes_of(name) if again else 0
            if again and not lane:
                for dock in self._docks_of(name):
                    dock.panel.turn_page()
            if not again or lane != self._lane:
                self.put_beside(name, lane)
            lanes.dock_of(name, lane).panel.take_keys()
            return
        self._arrange()

    def begin_search(self) -> None:
        """Bring up the log, and focus its search field."""
        logs = [dock for dock in self._docks_of(SENTENCES) if dock.seen and dock.isVisible()]
        if not logs or (self.on and not self._log):
            self.bring(SENTENCES)
            self._searched = self.on
            logs = self._docks_of(SENTENCES)
        for dock in logs[:1]:
            dock.panel.begin_search(self._end_search)

    def _end_search(self) -> None:
        """In lecture mode, put the log away again if only its search had brought it up."""
        if self._searched:
            self.bring(SENTENCES)

    def put_beside(self, name: str, lane: int) -> None:
        """In lecture mode, show a policy's panel beside the servers."""
        self._put(lane, (name,))

    def put_answer(self, name: str, lane: int, over: bool) -> None:
        """Like :meth:`put_beside`, for a panel with an answer; when the answer is *over* the previous panels return."""
        if not over:
            if self._beside_now != (name,):
                self._displaced = self._lane, self._beside
            self._put(lane, (name,))
            return
        displaced, self._displaced = self._displaced, None
        if displaced is not None and self._beside == (name,):
            self._lane, self._beside = displaced
            self._arrange()

    def _put(self, lane: int, names: tuple[str, ...]) -> None:
        for name in names:
            self._lanes.dock_of(name, lane)  # builds the panel if it has not been needed so far
        self._lane, self._beside = lane, names
        self._arrange()

    def stage(self, panels: Sequence[str], share: float | None) -> None:
        """In lecture mode, stack *panels* beside the servers; the log comes up if it is among them.

        *share* is their share of the width; None gives them what they need.  If *panels* names none, the default one
        is shown.
        """
        beside = tuple(name for name in panels if name not in (self._area.roles.servers, SENTENCES))
        self._log, self._share, self._staged = SENTENCES in panels, share, True
        self._searched = False
        if beside:
            self._put(0, beside)
        else:
            self._lane, self._beside = 0, None
            self._arrange()

    @property
    def tells_briefly(self) -> bool:
        """Whether only the last sentences of the log are shown, as lecture mode does by default."""
        return self.on and not self._log

    def lead(self, by_lesson: bool) -> None:
        """Set whether a lesson decides which panels are shown: it hides the strip of names; shortcuts still work."""
        self._led = by_lesson
        self._show_strip()

    @property
    def _low(self) -> bool:
        """Whether the window is so low that controls and names are hidden, to leave the servers room."""
        return self._window.height() < _LOW * self.strip.fontMetrics().lineSpacing()

    def _show_strip(self) -> None:
        """Show the strip of panel names if there is room; their shortcuts work in any case."""
        self.strip.setVisible(self.on and not self._led and not self._low)
        self.led.emit(self.on and self._led, self._low)

    # On and off.

    @property
    def returns(self) -> bool:
        """Whether lecture mode is to be switched on once all panels are built."""
        return self._wanted

    def commands(self) -> dict[str, Callable[[], object]]:
        """The handlers of its commands."""
        return {"lecture": self.toggle, "find": self.begin_search}

    def toggle(self) -> None:
        """Switch lecture mode on or off: larger type, and only the panels that an audience needs."""
        if self.on:
            self.leave()
        elif self._area.complete:
            self.enter()
        else:
            self._wanted = not self._wanted

    def suspend(self) -> None:
        """Leave lecture mode for now, as other panels are to be built and laid out in the usual way first."""
        self._wanted |= self.on
        if self.on:
            with caught():
                self.leave()
            self._picture.keep()  # a still picture for the audience meanwhile

    def resume(self) -> None:
        """All panels are built: offer them, and enter lecture mode if it was on or is wanted."""
        wanted, self._wanted = self._wanted, False
        with caught():
            self.offer()
            if wanted:
                self.enter()
        self._picture.release()

    def enter(self) -> None:
        """Save the usual layout and arrange the panels for an audience."""
        layouts = self._area.layouts
        layouts.aside = layouts.text()
        layouts.finish()
        with self._picture.behind():
            self._place()
            self._switch(True)
            self.follow()

    def leave(self) -> None:
        """Restore the usual layout."""
        layouts = self._area.layouts
        usual, layouts.aside = layouts.aside, None
        with self._picture.behind():
            self._switch(False)
            self._forget()
            if usual:
                layouts.restore_soon(usual)

    def _switch(self, on: bool) -> None:
        self.on = on
        above = self._window.menuWidget()
        assert above is not None
        watch = above.installEventFilter if on else above.removeEventFilter
        watch(self)
        self._show_strip()
        self.switched.emit(on)

    # Arranging.

    @property
    def _beside_now(self) -> tuple[str, ...]:
        if self._beside is not None:
            return self._beside
        compared = _COMPARISON in self._area.docks
        return (_COMPARISON if compared else self._area.roles.beside,)

    def _docks_of(self, name: str) -> list[PanelDock]:
        """A panel's docks in all lanes that have it."""
        return [dock for key, dock in self._area.docks.items() if key == lane_name(name, dock.lane)]

    def _shown(self) -> tuple[list[PanelDock], list[PanelDock], list[PanelDock]]:
        """The docks of the servers, of the log with its sentences, and of the panels beside the servers."""
        docks = [dock for name in self._beside_now for dock in self._docks_of(name)]
        beside = [dock for dock in docks if dock.lane == self._lane]
        servers = self._docks_of(self._area.roles.servers)
        return servers, self._docks_of(SENTENCES), beside

    def _arrange(self) -> None:
        with self._picture.behind():
            self._place()
            self.follow()

    def _place(self) -> None:
        """Place the servers side by side, the log below them, and the other panels at the right, stacked."""
        window = self._window
        servers, said, beside = self._shown()
        shown = [*servers, *said, *beside]
        for dock in self._area.docks.values():
            if dock in shown:
                dock.setFloating(False)
            if not dock.isFloating():
                window.removeDockWidget(dock)
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, servers[0])
        for dock in beside[:1]:
            window.splitDockWidget(servers[0], dock, Horizontal)
        for upper, lower in pairwise(beside):
            window.splitDockWidget(upper, lower, Vertical)
        window.splitDockWidget(servers[0], said[0], Vertical)
        for row in (servers, said):
            for left, right in pairwise(row):
                window.splitDockWidget(left, right, Horizontal)
        for dock in shown:
            dock.show()

    def restyle(self) -> None:
        """Write the panel names into the strip; those that are shown stand out."""
        if not self.on:
            return
        theme = self._area.theme
        shown = {dock.shows.name for docks in self._shown() for dock in docks}
        styles = {True: f"color: {theme.normal}; background: {theme.selection}", False: f"color: {theme.muted}"}
        names = _BETWEEN.join(
            f"<a href='{name}' style='text-decoration: none; {styles[name in shown]}'>"
            f"{action.text().replace(' ', _NO_BREAK)}</a>"
            for name, action in self._offered.items()
        )
        self.strip.setText(names)

    def ask(self, asked: bool) -> None:
        """Set whether a question is shown above the panels; its answer is told there, too.

        Meanwhile the log keeps its height: another one would move the pictures that the question is about.
        """
        self._asked = asked

    def fit(self) -> None:
        """Give the sentences the height that they need, and the servers the rest."""
        if self.on:
            self.restyle()
            self._show_strip()
            if self._staged or not self._asked:
                self._sentence = 0
            self._share_out()

    def follow(self) -> None:
        """Make room for a longer sentence than before, and for a panel that has become much wider or narrower."""
        if self._picture.unsettled:
            self._picture.then(self, self.follow)
            return
        if self.on and self._needed() > self._sentence:
            self._share_out()
        if self.on or self._staged:
            self._look.start()  # look again once the panels have written the new text

    def _look_again(self) -> None:
        if self._picture.busy:  # the panels have not got the frame yet
            self._look.start()
            return
        # Size hints propagate upwards by one widget per posted LayoutRequest.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        frame = self._area.frame
        if self._staged and frame is not None and not frame.running:  # else the run is still on its way there
            self.fit()
            self._staged = False
        elif self.on:
            more = (self._widths()[1] - self._right) / self._window.width()
            if more > _CUT or more < -_CALM:
                self._share_out()

    def _share_out(self) -> None:
        servers, said, beside = self._shown()
        width, height = self._area.layouts.room
        each, right = self._widths()
        self._right = right
        self._sentence = max(self._sentence, self._needed())
        below = _LOG * height if self._log else min(_SENTENCE * height, self._sentence)
        shares = {dock.name: (right / width, 1.0 / len(beside)) for dock in beside}
        for docks, high in ((servers, height - below - self._separator), (said, below)):
            shares |= {dock.name: (each / width, high / height) for dock in docks}
        self._area.layouts.take(shares)

    @property
    def _separator(self) -> int:
        """Pixels between two docks."""
        extent = QStyle.PixelMetric.PM_DockWidgetSeparatorExtent
        return self._window.style().pixelMetric(extent, None, self._window)

    def _widths(self) -> tuple[float, float]:
        """Widths in pixels of each policy's servers, and of the panels beside the servers."""
        servers, _, beside = self._shown()
        room = self._area.layouts.room[0]
        room -= self._separator * (len(servers) + bool(beside) - 1)
        wanted = max((dock.panel.minimumSizeHint().width() for dock in beside), default=0)
        most = max(_BESIDE[len(servers)] * room, min(wanted, _MOST_BESIDE * room))
        if self._share is not None:
            most = self._share * room
        right = most if beside else 0.0
        return (room - right) / len(servers), right

    def _needed(self) -> int:
        """Height in pixels that the longest of the current sentences needs."""
        width = int(self._widths()[0])
        docks = self._docks_of(SENTENCES)
        return max(dock.height_for(width, _TOLD[len(docks)] if self._asked and not self._low else 1) for dock in docks)
