"""Outlines of what the last step or event names, and of what is selected in any panel."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.servers_content import pieces_of, record_of
from slotscope.gui.kinds.moldable.servers_scene import MoldableScene, ServerStrip
from slotscope.gui.painting.text import Symbols
from slotscope.gui.pictures.marks import WIDTH, paint_brackets, paint_reason, passed_role
from slotscope.model.kinds.moldable.rows import FLAG_ADMITTED, FLAG_BLOCKED, FLAG_DEPARTED
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Allocate, Event, Record, Reject
from slotscope.model.whys.passing import PassedOver

#: The outline of blocks smaller than this is outside.
SMALL = 12.0
#: Opacities of a flash, and of the ghost of a departed job.
FLASH, GHOST = 0.3, 0.6

#: The first server and the length of each piece.
Pieces = tuple[tuple[int, int], ...]


class MoldableMark(NamedTuple):
    """What the last step or event names: a job, a departed one, or one without servers."""

    kind: str  #: "job", "ghost", "blocked", or "pools", on which an arriving job may run
    job: int
    job_class: int = 0
    pieces: Pieces = ()  #: the pieces that a departed job had


def marks(frame: Frame, before: Frame | None = None, known: tuple[MoldableMark, ...] = ()) -> tuple[MoldableMark, ...]:
    """The marks of the last sub-step; between events, of the last event.

    *before* is the previously shown frame, and *known* are its marks; they may tell where a departed job was that had
    several pieces.
    """
    if frame.running:
        return ()
    event, mark = frame.event_in_the_making, None
    if frame.records and event is not None:
        mark = _mark_of(frame.records[-1], event)
    elif frame.event and len(frame.rows):
        mark = _mark_of_row(frame.rows[-1])
    if mark is None:
        return ()
    return (_placed(mark, frame, before, known) if mark.kind == "ghost" else mark,)


def _mark_of(record: Record, event: Event) -> MoldableMark:
    if isinstance(record, Allocate):
        return MoldableMark("job", event.job, event.type)
    if isinstance(record, Reject):
        return MoldableMark("blocked", event.job, event.type)
    if record.kind == "departure":
        where = (event.record, int(record.values["width"]))
        return MoldableMark("ghost", event.job, event.type, (where,))
    return MoldableMark("pools", event.job, event.type)


def _mark_of_row(row: Any) -> MoldableMark | None:
    flags, job, job_class = int(row["flags"]), int(row["job"]), int(row["type"])
    if flags & FLAG_ADMITTED:
        return MoldableMark("job", job, job_class)
    if flags & FLAG_BLOCKED:
        return MoldableMark("blocked", job, job_class)
    if flags & FLAG_DEPARTED:
        return MoldableMark("ghost", job, job_class, ((int(row["server"]), int(row["width"])),))
    return None


def _placed(mark: MoldableMark, frame: Frame, before: Frame | None, known: tuple[MoldableMark, ...]) -> MoldableMark:
    """The ghost of a job with all its former pieces; with none if they are unknown."""
    record = mark.pieces[0][0]
    if before is not None and before.state.job_number[record] == mark.job:
        return mark._replace(pieces=tuple(pieces_of(before.state, record)))
    for other in known:
        if (other.kind, other.job) == ("ghost", mark.job):
            return other
    alone = frame.state.piece_next[record] < 0  # which still holds the second piece
    return mark if alone else mark._replace(pieces=())


# Painting.


def paint_marks(painter: QPainter, scene: MoldableScene, named: tuple[MoldableMark, ...], flashing: bool) -> None:
    """Outline what the step or event names; while *flashing*, also fill the area of a blocked arrival."""
    for mark in named:
        if mark.kind == "job":
            _outline_job(painter, scene, mark.job, scene.theme.run)
        elif mark.kind == "ghost":
            _paint_ghost(painter, scene, mark)
        elif mark.kind == "pools":
            several = len(scene.sections) > 1
            _paint_pools(painter, _open_to(scene, mark.job_class) if several else [], scene.theme.run)
        else:
            _paint_blocked(painter, scene, mark, flashing)


def paint_passed(painter: QPainter, scene: MoldableScene, text: Symbols) -> None:
    """Outline the servers that are passed over, in runs of neighbours, with the reason inside."""
    for run in _runs(scene):
        color = scene.theme.color(passed_role(run[0]))
        strips = scene.strips(run[0].server, len(run))
        outline(painter, scene, [strips], color)
        widest = max((strip.rect for strip in strips), key=QRectF.width)
        paint_reason(painter, widest, run[0].reasons, text, scene.theme, color)


def _runs(scene: MoldableScene) -> list[list[PassedOver]]:
    """The servers that are passed over, in runs of neighbours in one section with the same reason."""
    runs: list[list[PassedOver]] = []
    kept: tuple[int, tuple[str, ...]] | None = None
    for one in scene.frame.passed_over:
        found = scene.find(one.server)
        place = None if found is None else (found[0], one.reasons)
        if place is None:
            continue
        if place == kept and one.server == runs[-1][-1].server + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
        kept = place
    return runs


def paint_selection(painter: QPainter, scene: MoldableScene, selection: Select, hovered: int | None) -> None:
    """Outline the selected job, else the selected server; and the job under the mouse."""
    if hovered is not None:
        outline(painter, scene, scene.job_strips(hovered), scene.theme.muted)
    job = None if selection.job is None else record_of(scene.state, selection.job)
    if job is not None:
        outline(painter, scene, scene.job_strips(job), scene.theme.focus)
    elif selection.server is not None:
        rect = scene.server_rect(selection.server)
        if rect is not None:
            paint_brackets(painter, rect, scene.theme)


def _outline_job(painter: QPainter, scene: MoldableScene, job: int, color: str) -> None:
    record = record_of(scene.state, job)
    if record is not None:
        outline(painter, scene, scene.job_strips(record), color)


def outline(painter: QPainter, scene: MoldableScene, pieces: list[list[ServerStrip]], color: str) -> None:
    """Outline each piece, open where it continues in another row, and connect the pieces by lines."""
    lines = [line for strips in pieces for strip in strips for line in _frame(strip)]
    for before, after in pairwise(pieces):
        lines.append(_joint(before[-1].rect, after[0].rect))
    for tone, width in ((scene.theme.panel, WIDTH + 2), (color, WIDTH)):
        painter.setPen(QPen(QColor(tone), width, c=Qt.PenCapStyle.SquareCap))
        painter.drawLines(lines)


def _frame(strip: ServerStrip) -> list[QLineF]:
    small = min(strip.rect.width(), strip.rect.height()) < SMALL
    room = 1.0 if small else -1.0
    rect = strip.rect.adjusted(-room * strip.begins, -room, room * strip.ends, room)
    lines = [QLineF(rect.topLeft(), rect.topRight()), QLineF(rect.bottomLeft(), rect.bottomRight())]
    if strip.begins:
        lines.append(QLineF(rect.topLeft(), rect.bottomLeft()))
    if strip.ends:
        lines.append(QLineF(rect.topRight(), rect.bottomRight()))
    return lines


def _joint(before: QRectF, after: QRectF) -> QLineF:
    """The line from one piece to the next: along the foot of their row, or from row to row, crossing few names."""
    begins, ends = before.center().x(), after.center().x()
    if before.right() <= after.left():
        begins, ends = before.right(), after.left()
    elif after.right() <= before.left():
        begins, ends = before.left(), after.right()
    foot, head = before.bottom(), after.bottom() if before.y() == after.y() else after.top()
    if after.y() < before.y():
        foot, head = before.top(), after.bottom()
    return QLineF(begins, foot, ends, head)


def _paint_ghost(painter: QPainter, scene: MoldableScene, mark: MoldableMark) -> None:
    color = QColor(scene.theme.muted)
    color.setAlphaF(GHOST)
    painter.setPen(QPen(color, WIDTH, Qt.PenStyle.DotLine, c=Qt.PenCapStyle.FlatCap))
    for piece in mark.pieces:
        for strip in scene.strips(*piece):
            painter.drawLines(_frame(strip))


def _paint_blocked(painter: QPainter, scene: MoldableScene, mark: MoldableMark, flashing: bool) -> None:
    """Outline in red the servers on which the job may run; the sentence tells why it does not."""
    areas = _open_to(scene, mark.job_class)
    tint = QColor(scene.theme.rejection)
    tint.setAlphaF(FLASH)
    for area in areas if flashing else ():
        painter.fillRect(area, tint)
    _paint_pools(painter, areas, scene.theme.rejection)


def _open_to(scene: MoldableScene, job_class: int) -> list[QRectF]:
    """The visible areas of the servers on which jobs of a class may run."""
    pools = scene.facts.open_pools(job_class)
    return [
        scene.section_rect(number).intersected(scene.stage)
        for number, section in enumerate(scene.sections)
        if section.pool in pools
    ]


def _paint_pools(painter: QPainter, areas: list[QRectF], color: str) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(color), WIDTH))
    for area in areas:
        painter.drawRect(area.adjusted(-1, -1, 1, 1))
