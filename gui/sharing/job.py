"""Runs an exporting command (film, page, handout) in a process of its own, and reports its progress."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any, Mapping, Sequence

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from slotscope.gui.language.words import line_of
from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase

#: Milliseconds to wait for a stopped process to clean up and end.
_PATIENCE = 3000


class ShareJob(QObject):
    """Runs one command at a time.

    Signals
    -------
    progressed(float), doing(str)
        The share done; or the present activity while no moment has been exported.
    ended(dict, str)
        The command's last line of JSON, or what went wrong; both are empty if it was stopped.
    """

    progressed = Signal(float)
    doing = Signal(str)
    ended = Signal(object, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        environment.remove("QT_QPA_PLATFORM")  # the command chooses a platform without a display itself
        self._process.setProcessEnvironment(environment)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finish)
        self._process.errorOccurred.connect(self._fail)
        self._said: dict[str, Any] = {}
        self._stopped = False

    @property
    def running(self) -> bool:
        """Whether the command is running."""
        return self._process.state() is not QProcess.ProcessState.NotRunning

    def start(self, words: Sequence[str]) -> None:
        """Run a command of slotscope with --json."""
        self._said, self._stopped = {}, False
        self._process.start(sys.executable, ["-m", "slotscope", *words, "--json"])

    def stop(self) -> None:
        """Ask the command to stop; it leaves no partial files."""
        if not self.running:
            return
        self._stopped = True
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.kill(self._process.processId(), signal.SIGINT)
        else:
            self._process.kill()

    def end(self) -> None:
        """Stop the command, and return when its process has ended."""
        self.stop()
        if self.running and not self._process.waitForFinished(_PATIENCE):
            self._process.kill()
            self._process.waitForFinished(_PATIENCE)

    def _read(self) -> None:
        while self._process.canReadLine():
            with suppress(ValueError):
                self._said = json.loads(bytes(self._process.readLine().data()))
            if "done" in self._said:
                self.progressed.emit(float(self._said["done"]))
            elif "doing" in self._said:
                self.doing.emit(_translated(self._said, "doing"))

    def _finish(self, code: int) -> None:
        self._read()
        lines = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace").strip().splitlines()
        if self._stopped:
            self.ended.emit({}, "")
        elif code and "fault" in self._said:
            self.ended.emit({}, _translated(self._said, "fault"))
        elif code:
            self.ended.emit({}, lines[-1].removeprefix("slotscope: ") if lines else f"it ended with the code {code}")
        else:
            self.ended.emit(self._said, "")

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self.ended.emit({}, f"{sys.executable} does not start")


def _translated(line: Mapping[str, Any], key: str) -> str:
    """The text of a JSON line under *key*, in the window's language if the line carries a phrase."""
    if "phrase" not in line:
        return str(line[key])
    return line_of(UserError(Phrase.unpacked(line["phrase"]), where=str(line.get("where", ""))))
