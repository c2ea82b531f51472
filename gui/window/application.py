"""The one application object, made where something first needs it."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

#: Milliseconds between two looks at how much was allocated.
INTERVAL = 200

#: Where PySide looks at what was imported.
_SUPPORT = "shibokensupport.feature"


def collect_due() -> None:
    """Collect what Python would have collected by now, had it been allowed to."""
    due = [
        generation
        for generation, (count, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True))
        if count > most > 0
    ]
    if due:
        gc.collect(due[-1])


class Collector(QObject):
    """Collects in the thread in which it was made, and keeps other threads from it."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_due)
        self._timer.start(INTERVAL)

    def put_aside(self) -> None:
        """Look no more, until all settles, at what there is: what a start imports and builds is no garbage."""
        gc.freeze()

    def settle(self) -> None:
        """Collect everything, and look no more at what is left until the next call.

        For moments in which no frame is expected: a complete window has 180 000 objects, and to
        look through them takes the time of six frames; through those made since, a tenth of it.
        What nobody needs of them is found by the next call, once another run was opened.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def collector_of(application: QCoreApplication) -> Collector:
    """The application's one collector, which works from the first call on."""
    return application.findChild(Collector) or Collector(application)


def application(offscreen: bool = False) -> QApplication:
    """The application object, styled, with garbage collected in this thread alone."""
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
    """Let PySide take it that no module switches its features (``from __feature__ import``) on, as none here does.

    From the first of Qt's modules on it would read each module that is imported, several hundred, to see whether the
    word PySide6 is in it, and Python would keep all the lines: a sixteenth of the time of a start, and 30 MB.
    """
    support = sys.modules.get(_SUPPORT)
    if hasattr(support, "_mod_uses_pyside"):
        support._mod_uses_pyside = lambda _: True  # type: ignore[union-attr]


def destroy(widget: QWidget) -> None:
    """Close a widget and destroy it at once: where no event loop follows, nothing else would.

    What is left of each recording would be styled anew, and take longer, with every further theme.
    """
    widget.close()
    widget.deleteLater()
    QCoreApplication.sendPostedEvents(widget, QEvent.Type.DeferredDelete)
