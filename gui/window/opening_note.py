"""A note over the servers on what is being opened: the boxes above already name the new run, not the one shown.

In lecture mode, which has no status bar, the note reports every long task.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QLabel

from slotscope.gui.docking.layouts import soon
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.theme import current_fonts

#: Milliseconds after which lecture mode reports a long task of the current run: shorter ones are over by then.
AFTER = 400


class OpeningNote(QLabel):
    """Lies over the middle of the servers until the new run is shown or refused, or the long task is over."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("opening")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._window, self._picture = window, window.area.layouts.picture
        self._moved = soon(self, self._place)  # after the docks have been laid out
        self._late = QTimer(self, singleShot=True, interval=AFTER)
        self._late.timeout.connect(self._tell)
        self._progress = GoalProgress()
        window.worker.progressed.connect(self._follow)
        window.lecture.switched.connect(lambda _: self._follow(self._progress))
        self._picture.laid_out.connect(lambda: self._picture.then(self, self._place))
        window.installEventFilter(self)

    def _follow(self, progress: GoalProgress) -> None:
        """Show the progress; hide when the task is over, or when it is not one to be reported here."""
        self._progress = progress
        self.setText(progress.text)
        if not (progress.opening or (progress.text and self._window.lecture.on)):
            self._late.stop()
            self.hide()
        elif progress.opening or self.isVisible():
            self._tell()
        elif not self._late.isActive():
            self._late.start()

    def _tell(self) -> None:
        self.show()
        self._place()

    def _place(self) -> None:
        """Centre over the servers, or over the window if they are hidden; before any run above the servers' note."""
        self.setFont(current_fonts().heading)
        self.adjustSize()
        area = self._window.area
        servers = area.docks.get(area.roles.servers)
        room = self._window.rect() if servers is None or not servers.seen else servers.geometry()
        above = 0 if self._window.info is not None else 2 * self.height()
        place = QRect(QPoint(), self.size())
        place.moveCenter(room.center() - QPoint(0, above))
        place.moveLeft(max(0, min(place.left(), self._window.width() - place.width())))  # a lane may be narrower
        self.setGeometry(place)
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Centre again when the window is resized."""
        if event.type() == QEvent.Type.Resize:
            self._moved.start()
        return False
