"""The application object, created on first use."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

#: Milliseconds between two checks of the garbage collector's counters.
INTERVAL = 200

#: The PySide module that inspects each imported module for features.
_SUPPORT = "shibokensupport.feature"


def collect_due() -> None:
    """Run the garbage collection that would have been triggered by now if automatic collection were on."""
    due = [
        generation
        for generation, (count, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True))
        if count > most > 0
    ]
    if due:
        gc.collect(due[-1])


class Collector(QObject):
    """Collects garbage only in the thread that created it: Qt objects must not be destroyed in other threads."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_due)
        self._timer.start(INTERVAL)

    def put_aside(self) -> None:
        """Exempt all present objects from collection until :meth:`settle`: startup leaves no garbage worth it."""
        gc.freeze()

    def settle(self) -> None:
        """Collect all garbage, then exempt the survivors until the next call.

        For moments in which no frame is expected: a complete window has 180 000 objects, and to traverse them takes
        the time of six frames; those created since, a tenth of it.  Survivors that become garbage later are found by
        the next call, after another run was opened.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def collector_of(application: QCoreApplication) -> Collector:
    """The application's single collector, which starts on the first call."""
    return application.findChild(Collector) or Collector(application)


def application(offscreen: bool = False) -> QApplication:
    """The application object, with garbage collected in this thread only."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else _made(offscreen)
    collector_of(app)
    return app


def _made(offscreen: bool) -> QApplication:
    leave_sources_unread()
    arguments = [sys.argv[0]] + (["-platform", "offscreen"] if offscreen else [])
    app = QApplication(arguments)
    app.setApplicationName("slotscope")
    app.setOrganizationName("slotscope")
    app.setApplicationDisplayName("slotscope")
    return app


def leave_sources_unread() -> None:
    """Stop PySide from reading the source of every imported module.

    From the import of the first Qt module on, PySide would read each imported module, several hundred, to see whether
    it contains the word PySide6 and so may switch features on (``from __feature__ import``), and Python would keep all
    the lines: a sixteenth of the startup time, and 30 MB.  No module here uses features.
    """
    support = sys.modules.get(_SUPPORT)
    if hasattr(support, "_mod_uses_pyside"):
        support._mod_uses_pyside = lambda _: True  # type: ignore[union-attr]


def destroy(widget: QWidget) -> None:
    """Close and delete a widget at once, for callers without an event loop, where ``deleteLater`` alone never acts.

    Widgets left over from recordings would be restyled, taking longer, with every further change of theme.
    """
    widget.close()
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
