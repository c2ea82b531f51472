"""The picture that a window keeps showing while its docks are rearranged."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QLayout, QMainWindow, QWidget
from shiboken6 import Shiboken


class KeptPicture(QObject):
    """Keeps the window's last picture until all docks are in their final places.

    Arranging docks, laying them out, adapting contents to their sizes, and painting are separate turns of the event
    loop, so that the window stays responsive: a single turn would take a tenth of a second.
    """

    laid_out = Signal()  #: bars and docks have sizes, so that shares can be applied

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.unsettled = False  #: whether docks must still be laid out
        self._steps: dict[QObject, Callable[[], object]] = {}  # by owner; each in its own turn, then all is painted
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._go_on)

    def keep(self) -> None:
        """Disable painting until :meth:`release`; outstanding steps are run now."""
        self._turn.stop()
        self.finish()
        self._window.setUpdatesEnabled(False)

    def release(self) -> None:
        """Enable painting after the outstanding steps."""
        self._turn.start()

    @contextmanager
    def behind(self) -> Iterator[None]:
        """A context for rearranging docks: they are laid out once and painted afterwards, even after an exception."""
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
        """Whether steps are outstanding before the next paint."""
        return bool(self._steps)

    def then(self, owner: QObject, step: Callable[[], object]) -> None:
        """Add a step at the end, dropped if *owner* no longer exists then; it replaces the owner's previous step."""
        self._steps.pop(owner, None)
        self._steps[owner] = step

    def before(self, owner: QObject, step: Callable[[], object]) -> None:
        """Add a step at the front if docks must still be laid out, else run it now; one step per owner."""
        if self not in self._steps:
            step()
            return
        self._steps = {owner: step} | {other: later for other, later in self._steps.items() if other is not owner}

    def finish(self) -> None:
        """Run all outstanding steps now."""
        while self._steps:
            self._take_step()

    def let_go(self) -> None:
        """Enable painting again.

        An UpdateRequest that Qt had posted before painting was disabled is lost, but Qt takes it to be still pending,
        so one is posted here.
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
        self._turn.start()  # scheduled first: if this step fails, the others follow
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
        self._layout.activate()  # with the shares that receivers have just applied

    @property
    def _layout(self) -> QLayout:
        layout = self._window.layout()
        assert layout is not None
        return layout


def once_laid_out(widget: QWidget, step: Callable[[], object]) -> None:
    """Run a step that depends on a widget's size: now, or, while docks are rearranged, after the layout.

    During a rearrangement sizes change several times.  The window's ``updatesEnabled`` is asked, not the widget's: Qt
    also disables updates of stacked pages while one replaces another, and no step follows that.
    """
    window = widget.window()
    picture = None if window.updatesEnabled() else window.findChild(KeptPicture)
    if picture is None:
        step()
    else:
        picture.then(widget, step)
