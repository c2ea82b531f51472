"""The button that searches for a violation of the monotone greedy property, and the search's result."""

from __future__ import annotations

import json
import pickle
import subprocess
import threading
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QWidget

from slotscope.gui.panels.wording import exact, significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.widgets.boxes import push_button
from slotscope.gui.widgets.rows import in_column, in_row
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.monotone import THOROUGH, MonotoneSearch, Witness
from slotscope.model.lifeline import ending_of, start_beside
from slotscope.model.reporting.letters import type_letter

#: Up to this many job types, workloads are written in full.
_MOST_WRITTEN = 6
#: Milliseconds between two reads of the process's output.
_LOOK = 60

_START = "Search for a violation"
_WHY = (
    "Definition 8 says that a larger workload never lowers the greedy reward. Theorem 2 needs it "
    "for the guarantee 1 − 1/e; without it 1/2 remains."
)


class SearchRow(QWidget):
    """A button, a progress bar and one sentence; during a search the button stops it."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: ReservationNumbers | None = None
        self._budget = THOROUGH
        self._running = _Running()
        self._timer = QTimer(self, interval=_LOOK)
        self._timer.timeout.connect(self._look)
        self.button = push_button(_START)
        self.button.setToolTip(_WHY)
        self.button.clicked.connect(self._press)
        self.bar = QProgressBar(format="%v of %m workloads")
        self.answer = QLabel(wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse)
        self.answer.setAccessibleName("what the search found")
        name = QLabel("Monotone greedy property (Definition\u00a08)", wordWrap=True)
        name.setToolTip(_WHY)
        line = in_row(None, (name, 1), (self.bar, 1), self.button)
        in_column(self, line, self.answer, margins=(10, 4, 10, 4))
        self.destroyed.connect(partial(_Running.end, self._running))
        self._show_idle()

    def begin(self, numbers: ReservationNumbers, budget: int = THOROUGH) -> None:
        """Begin with another scenario: end a running search, and clear the result."""
        self._running.end()
        self._numbers, self._budget = numbers, budget
        self.answer.clear()
        self._show_idle()

    @property
    def busy(self) -> bool:
        """Whether a search is running."""
        return self._timer.isActive()

    # The search.

    def _press(self) -> None:
        if self.busy:
            self._running.end()
            self._show_idle()
            self.answer.setText("The search was stopped; it says nothing.")
        elif self._numbers is not None:
            self._start(self._numbers)

    def _start(self, numbers: ReservationNumbers) -> None:
        task = (numbers.space, numbers.rewards, numbers.workload, self._budget)
        self._running.start(pickle.dumps(task))
        self.button.setText("Stop")
        self.bar.setRange(0, self._budget)
        self.bar.setValue(0)
        self.bar.show()
        self.answer.clear()
        self._timer.start()

    def _look(self) -> None:
        for line in self._running.lines():
            if "evaluations" in line:
                self.bar.setValue(line["evaluations"])
                continue
            self._show_idle()
            if "result" in line and self._numbers is not None:
                found = MonotoneSearch.from_data(line["result"])
                self.answer.setText(sentence(found, self._numbers))
            else:
                self.answer.setText(f"The search failed: {line['problem']}")

    def _show_idle(self) -> None:
        self._timer.stop()
        self.bar.hide()
        self.button.setText(_START)


class _Running:
    """The process that searches, and its unread lines of output."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: SimpleQueue[dict[str, Any]] = SimpleQueue()

    def start(self, task: bytes) -> None:
        """Start a search; *task* is a pickled tuple: space, rewards, workload, budget."""
        self.end()
        self._process = start_beside("slotscope.model.kinds.reservation.programs.monotone")
        self._lines = SimpleQueue()
        threading.Thread(target=_listen, args=(self._process, task, self._lines), daemon=True).start()

    def end(self, *_: object) -> None:
        """End a running search, and discard its output."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
        self._lines = SimpleQueue()

    def lines(self) -> list[dict[str, Any]]:
        """The lines of output since the last call, as parsed JSON."""
        found = []
        while True:
            try:
                found.append(self._lines.get_nowait())
            except Empty:
                return found


def _listen(process: subprocess.Popen[bytes], task: bytes, lines: SimpleQueue[dict[str, Any]]) -> None:
    """Send *task* to the process and queue its lines of output; if it fails, queue the problem."""
    try:
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(task)
            process.stdin.flush()
            for line in process.stdout:
                lines.put(json.loads(line))
    except (OSError, ValueError) as error:
        lines.put({"problem": str(error)})
    if process.returncode:
        lines.put({"problem": ending_of(process.returncode)})


def sentence(found: MonotoneSearch, numbers: ReservationNumbers) -> str:
    """The result of a search, in words and numbers."""
    if found.witness is not None:
        return _violation(found.witness, numbers)
    much = f"No violation was found in {format_number(found.evaluations)} evaluations"
    if numbers.types <= 2:
        return f"{much}; with one or two job types there is none (Section 3.1)."
    return f"{much}. That proves nothing: there may be one elsewhere."


def _violation(witness: Witness, numbers: ReservationNumbers) -> str:
    """Both workloads with their rewards; with many types, only the types whose workloads differ."""
    less, more = (_amount(value) for value in (witness.greedy_upper, witness.greedy_lower))
    end = "So Theorem 2 does not apply; the guarantee is 1/2."
    if numbers.types <= _MOST_WRITTEN or witness.upper != numbers.workload:
        lower, upper = (f"({', '.join(map(str, one))})" for one in (witness.lower, witness.upper))
        return (
            f"Violated: at workload {lower} the greedy reward is {more}, at the larger "
            f"workload {upper} it is {less}. {end}"
        )
    changes = ", ".join(
        f"{type_letter(j)} from {high} to {low}"
        for j, (low, high) in enumerate(zip(witness.lower, witness.upper, strict=True))
        if low != high
    )
    return (
        f"Violated: with less workload (type {changes}; all else as it is) the greedy reward "
        f"rises from {less} to {more}. {end}"
    )


def _amount(value: Any) -> str:
    exactly = exact(value)
    return f"{exactly} = {significant(float(value))}" if exactly else significant(float(value))
