"""What is being opened, over the picture of what is left: the boxes above name the new run already."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtWidgets import QLabel

from slotscope.gui.docking.layouts import soon
from slotscope.gui.main_window import MainWindow
from slotscope.gui.running.goals import GoalProgress
from slotscope.gui.theme import current_fonts


class OpeningNote(QLabel):
    """Lies over the middle of the servers, also in lecture mode, until the new run is there or is refused."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setObjectName("opening")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._window = window
        self._moved = soon(self, self._place)  # once the docks have their new places
        window.worker.progressed.connect(self._follow)
        window.installEventFilter(self)

    def _follow(self, progress: GoalProgress) -> None:
        """Tell how far it is with opening; go once something else is told, or nothing more."""
        self.setVisible(progress.opening)
        if progress.opening:
            self.setText(progress.text)
            self._place()

    def _place(self) -> None:
        """To the middle of the servers; where they are not seen, of the window; at first above their note."""
        self.setFont(current_fonts().heading)
        self.adjustSize()
        area = self._window.area
        servers = area.docks.get(area.roles.servers)
        room = self._window.rect() if servers is None or not servers.seen else servers.geometry()
        above = 0 if self._window.info is not None else 2 * self.height()
        self.move(room.center() - self.rect().center() - QPoint(0, above))
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The middle is elsewhere where the window has another size."""
        if event.type() == QEvent.Type.Resize:
            self._moved.start()
        return super().eventFilter(watched, event)
