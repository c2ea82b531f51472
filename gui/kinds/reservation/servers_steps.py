"""What the current step names and moves, derived from its records; without pixels."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QObject, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.kinds.reservation.servers_legend import swatch
from slotscope.gui.painting.text import Symbols
from slotscope.gui.painting.textures import RasterPalette
from slotscope.gui.panels.wording import sentence
from slotscope.gui.pictures.marks import passed_role
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Admit, Classify, Migrate, Preempt, Reassign, Record, Reject


class StepMark(NamedTuple):
    """A server, or a column of GPA (i from 1), that the current step names."""

    role: str  #: the role of its colour in the theme
    server: int | None = None
    position: int | None = None
    reason: tuple[str, ...] = ()  #: texts to write into the server; the first that fits is used


class Movement(NamedTuple):
    """Something that moves to *server*: an arriving job, a migrating job, or the server itself when reassigned."""

    kind: str  #: admit, migrate, reassign
    server: int
    job_type: int = -1
    source: int = -1


def current_records(frame: Frame) -> tuple[Record, ...]:
    """The records that the picture marks: the last sub-step's, or between events those of the whole last event."""
    if frame.running:
        return ()
    return frame.records[-1:] if frame.records else frame.last_records


def marks(frame: Frame) -> tuple[StepMark, ...]:
    """The marks of the current step."""
    whole_event = not frame.records
    result: list[StepMark] = []
    for record in current_records(frame):
        result += _marks_of(record, whole_event)
    result += [StepMark(passed_role(one), one.server, reason=one.reasons) for one in frame.passed_over]
    return tuple(dict.fromkeys(result))


def _marks_of(record: Record, whole_event: bool) -> list[StepMark]:
    match record:
        case Admit():
            return [StepMark("run", record.server)]
        case Migrate():
            return [StepMark("migration", record.source), StepMark("migration", record.target)]
        case Reassign():
            return [StepMark("migration", record.server)]
        case Preempt():
            return [StepMark("rejection", record.server)]
        case Classify():
            return [] if whole_event else [StepMark("run", position=record.i_star)]
    if record.kind == "departure":
        return [StepMark("run", int(record.values["server"]))]
    if "i" in record.values and not whole_event:
        return [StepMark("run", position=int(record.values["i"]))]
    return []


def arriving(frame: Frame) -> tuple[int, int] | None:
    """Type and number of the job that arrives in the event in progress, or that arrived in the last event."""
    if frame.running:
        return None
    for record in frame.records or frame.last_records:
        if record.kind == "arrival":
            return int(record.values["type"]), int(record.values["job"])
    return None


def rejected_type(frame: Frame) -> int | None:
    """The type of the job that the current step rejects; None if it rejects none."""
    job = arriving(frame)
    rejects = any(isinstance(record, Reject) for record in current_records(frame))
    return job[0] if rejects and job is not None else None


def fresh_records(old: Frame | None, new: Frame) -> Sequence[Record]:
    """The records by which *new* is exactly one step ahead of *old*; otherwise none."""
    if old is None or old.running or new.running or old.info is not new.info:
        return ()
    seen = len(old.records)
    if new.event == old.event and new.records[:seen] == old.records:
        return new.records[seen:] if len(new.records) == seen + 1 else ()
    if new.event == old.event + 1 and not new.records:
        return new.last_records[seen:]
    return ()


def movements(old: Frame | None, new: Frame) -> tuple[tuple[Movement, ...], ...]:
    """The movements of this step, grouped into successive phases in the order of the records."""
    phases: list[tuple[Movement, ...]] = []
    reassigned: list[Movement] = []
    for record in fresh_records(old, new):
        if isinstance(record, Admit):
            job = arriving(new)
            if job is not None:
                phases.append((Movement("admit", record.server, job[0]),))
        elif isinstance(record, Migrate):
            found = np.flatnonzero(new.state.job_number == record.job)
            if len(found):
                job_type = int(new.state.job_type[found[0]])
                phases.append((Movement("migrate", record.target, job_type, record.source),))
        elif isinstance(record, Reassign):
            reassigned.append(Movement("reassign", record.server))
    return (*phases, tuple(reassigned)) if reassigned else tuple(phases)


#: Duration of the pulse that marks a rejection, in milliseconds.
PULSE = 400


class EventLine(QObject):
    """The sentence of the current step; empty while the run plays, so that it does not flicker."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.words = ""
        self.rejects = False
        self._job: tuple[int, int] | None = None
        self._pulse = QVariantAnimation(self, duration=PULSE, startValue=1.0, endValue=0.0)
        self._pulse.valueChanged.connect(lambda _: self.changed.emit())

    def show_frame(self, frame: Frame) -> None:
        """Show a moment; a new rejection pulses once."""
        words = sentence(frame)
        fresh, self.words = words != self.words, words
        self._job = arriving(frame)
        self.rejects = rejected_type(frame) is not None
        if self.rejects and fresh:
            self._pulse.start()
        elif not self.rejects:
            self._pulse.stop()

    def marker(self, area: QRectF, text: Symbols) -> QRectF:
        """The rectangle of the arriving job's mark."""
        side = text.height * 1.1
        return QRectF(area.x() + 3, area.y() + (area.height() - side) / 2, 1.3 * side, side)

    def paint(self, painter: QPainter, area: QRectF, theme: Theme, palette: RasterPalette, text: Symbols) -> None:
        """Paint the mark and the sentence; in lecture mode the sentence is shown below the picture instead."""
        if area.isEmpty():
            return
        x = area.x()
        if self._job is not None:
            marker = self.marker(area, text)
            if self.rejects:
                self._warn(painter, marker, theme)
            swatch(painter, marker, self._job[0], theme, palette, text)
            x = marker.right() + 10
        if current_fonts().lecture:
            return
        color = theme.ink(theme.rejection) if self.rejects else theme.normal
        words = QRectF(x, area.y(), area.right() - x, area.height())
        text.draw_in(painter, words, self.words, color)

    def _warn(self, painter: QPainter, marker: QRectF, theme: Theme) -> None:
        if self._pulse.state() == QVariantAnimation.State.Running:
            strength = float(self._pulse.currentValue())
            glow = QColor(theme.rejection)
            glow.setAlphaF(0.6 * strength)
            grown = 3 + 5 * strength
            painter.fillRect(marker.adjusted(-grown, -grown, grown, grown), glow)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.rejection), 2))
        painter.drawRect(marker.adjusted(-3, -3, 3, 3))
