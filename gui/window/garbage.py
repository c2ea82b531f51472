"""Circles of Python objects are broken up in the window's thread only.

Python's collector works in whatever thread happens to allocate.  In the thread of a run it would
destroy the widgets of a circle that nobody needs any more, while the window's thread may be
walking over all widgets: a crash, once in some hundred windows.  So the collector does not work
by itself; a timer makes it do the same work where widgets live.

pyqtgraph has such a timer (``pyqtgraph.util.garbage_collector``), but the window is painted
before pyqtgraph, which takes a second to import, is there.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QObject, QTimer

#: Milliseconds between two looks at how much was allocated.
INTERVAL = 200


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

    def settle(self) -> None:
        """Collect everything, and look no more at what is left until the next call.

        For moments in which no frame is expected: a complete window has 180 000 objects, and to
        look through them takes the time of six frames; through those made since, a tenth of it.
        What nobody needs of them is found by the next call: the workload of a run, say, which
        is a circle with all jobs in it, once another run was opened.
        """
        gc.unfreeze()
        gc.collect()
        gc.freeze()


def collector_of(application: QCoreApplication) -> Collector:
    """The application's one collector, which works from the first call on."""
    return application.findChild(Collector) or Collector(application)
