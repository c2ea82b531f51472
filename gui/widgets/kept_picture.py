"""The picture that a window keeps while its docks are arranged anew."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLayout, QMainWindow, QWidget
from shiboken6 import Shiboken


class KeptPicture(QObject):
    """Keeps what a window shows until all of it stands where it is to stand.

    To arrange docks, to lay them out, to do what their new sizes ask for, and to paint them are turns of the event
    loop, so that the window answers in between: one turn would take a tenth of a second.
    """

    laid_out = Signal()  #: bars and docks have sizes: shares of the room can be taken anew

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.unsettled = False  #: whether docks are still to be laid out
        self._steps: dict[QObject, Callable[[], object]] = {}  # each in a turn of its own, then all is painted
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)

    def keep(self) -> None:
        """Nothing is painted from here on, until it is released; what is to be done before that is done at once."""
        self._turn.stop()
        self.finish()
        self._window.setUpdatesEnabled(False)

    def release(self) -> None:
        """Paint all, once nothing is to be done before that."""
        self._turn.start()

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Docks are taken out, put in and shown meanwhile; they are laid out once, and painted, whatever fails."""
        self._turn.stop()
        self._window.setUpdatesEnabled(False)
        self._layout.setEnabled(False)
        self.unsettled = True
        self._steps = {self: self._lay_out, **self._steps}
        try:
            yield
        finally:
            self.release()

    @property
    def busy(self) -> bool:
        """Whether something is to be done before all is painted."""
        return bool(self._steps)

    def then(self, owner: QObject, step: Callable[[], object]) -> None:
        """Do this last before all is painted, if *owner* is there by then; one step of each."""
        self._steps.pop(owner, None)
        self._steps[owner] = step

    def before(self, owner: QObject, step: Callable[[], object]) -> None:
        """Do this next where docks are still to be laid out, if *owner* is there then; else now.  One step of each."""
        if self not in self._steps:
            step()
            return
        self._steps = {owner: step} | {other: later for other, later in self._steps.items() if other is not owner}

    def finish(self) -> None:
        """Do at once what is to be done before all is painted."""
        while self._steps:
            self._take_step()

    def let_go(self) -> None:
        """Paint all again.

        Had Qt been about to do so when the picture was kept, it would ask no more: it takes that to be still to come.
        """
        self._turn.stop()
        self.finish()
        if not self._window.updatesEnabled():
            self._window.setUpdatesEnabled(True)
            event = QEvent(QEvent.Type.UpdateRequest)
            QCoreApplication.postEvent(self._window, event, Qt.EventPriority.LowEventPriority.value)

    def _go_on(self) -> None:
        if not self._steps:
            self.let_go()
            return
        self._turn.start()  # whatever fails in this step, the others come
        self._take_step()

    def _take_step(self) -> None:
        owner = next(iter(self._steps))
        step = self._steps.pop(owner)
        if Shiboken.isValid(owner):
            step()

    def _lay_out(self) -> None:
        self._layout.setEnabled(True)
        self._layout.activate()
        self.unsettled = False
        self.laid_out.emit()
        self._layout.activate()  # by the shares that this has led to

    @property
    def _layout(self) -> QLayout:
        layout = self._window.layout()
        assert layout is not None
        return layout


def once_laid_out(widget: QWidget, step: Callable[[], object]) -> None:
    """Do what the size of a widget asks for: at once, or where the window keeps its picture, before that is let go.

    While docks are arranged anew sizes change several times.  The window is asked, and not the widget: Qt lets pages
    of a stack paint nothing either while one takes the place of another, and no turn follows that.
    """
    window = widget.window()
    picture = None if window.updatesEnabled() else window.findChild(KeptPicture)
    if picture is None:
        step()
    else:
        picture.then(widget, step)
