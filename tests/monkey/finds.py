"""What a walk notices: exceptions, messages, warnings, panels that show what is not theirs."""

from __future__ import annotations

import re
import sys
import threading
import traceback
import warnings
from types import TracebackType
from typing import Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

from slotscope.gui import faults
from slotscope.gui.main_window import MainWindow

#: Said by platforms of what they cannot do, and by X of windows that are gone already.
_IGNORED = re.compile(r"This plugin does not support|qt\.qpa\.xcb|QXcbConnection")
_QUIET = {QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg}


class Finds:
    """What was noticed so far; each thing is told once."""

    def __init__(self) -> None:
        self.known: set[str] = set()

    def add(self, what: str, details: str = "", sign: str = "") -> None:
        """Tell something, unless its *sign* (the text itself if there is none) is known."""
        if (sign or what) not in self.known:
            self.known.add(sign or what)
            print(f"FOUND {what}\n{details}".rstrip(), flush=True)

    def listen(self) -> None:
        """Hear from here on what nobody catches; the window shows it as ever."""
        sys.excepthook = self._raised
        threading.excepthook = lambda given: self._raised(
            given.exc_type, given.exc_value or given.exc_type(), given.exc_traceback
        )
        qInstallMessageHandler(self._said)
        warnings.simplefilter("always")
        warnings.showwarning = self._warned

    def _raised(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        place = [f"{one.filename}:{one.lineno}" for one in traceback.extract_tb(trace)][-1:]
        details = "".join(traceback.format_exception(kind, error, trace))
        self.add(f"{kind.__name__}: {error}", details, f"{kind.__name__} {place}")
        faults.show(kind, error, trace)

    def _said(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if kind not in _QUIET and not _IGNORED.search(f"{context.category}: {text}"):
            here = "".join(traceback.format_stack()[-6:-1])
            self.add(f"Qt says: {text}", here, re.sub(r"\d+|0x[0-9a-f]+", "#", text))

    def _warned(self, message: Any, kind: Any, filename: str, line: int, *_: object) -> None:
        here = "".join(traceback.format_stack()[-8:-1])
        self.add(f"{kind.__name__}: {message}", here, f"{filename}:{line}")

    def look(self, window: MainWindow) -> None:
        """See whether every panel shows the run, and nothing but the run, that there is."""
        for name, dock in window.docks.items():
            frame = dock.panel.frame
            if dock.system != window.area.system:
                self.add(f"{name} is a dock of {dock.system} among those of {window.area.system}")
            if frame is None:
                continue
            if frame.info.system != dock.system:
                self.add(f"{name} of {dock.system} shows a frame of {frame.info.system}")
            if dock.lane == 0 and frame.info is not window.info:
                self.add(f"{name} shows a run that was replaced")
