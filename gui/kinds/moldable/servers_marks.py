"""Outlines: what the last step or event names, and what is pointed at anywhere in the window."""

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

#: Around smaller blocks the outline is outside.
SMALL = 12.0
#: How much of its colour a flash and the ghost of a job that has left have.
FLASH, GHOST = 0.3, 0.6

#: The first server of each piece, and how many they are.
Pieces = tuple[tuple[int, int], ...]


class MoldableMark(NamedTuple):
    """What the last step or event names: a job, one that has left, or one that has no servers."""

    kind: str  #: "job", "ghost", "blocked", or "pools" that an arriving job may run on
    job: int
    job_class: int = 0
    pieces: Pieces = ()  #: where a job that has left was


def marks(frame: Frame, before: Frame | None = None, known: tuple[MoldableMark, ...] = ()) -> tuple[MoldableMark, ...]:
    """What the last sub-step names; between events what was done in the last one.

    *before* is the frame that was shown before this one, and *known* are its marks: they may know
    where a job that has left in several pieces was.
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
    """The ghost of a job with all pieces that it had; with none where they are not known."""
    record = mark.pieces[0][0]
    if before is not None and before.state.job_number[record] == mark.job:
        return mark._replace(pieces=tuple(pieces_of(before.state, record)))
    for other in known:
        if (other.kind, other.job) == ("ghost", mark.job):
            return other
    alone = frame.state.piece_next[record] < 0  # it keeps the number of the second piece
    return mark if alone else mark._replace(pieces=())


# Painting.


def paint_marks(painter: QPainter, scene: MoldableScene, named: tuple[MoldableMark, ...], flashing: bool) -> None:
    """Outline what the step or event names; while *flashing* a blocked arrival is filled too."""
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
    """Outline the servers that are passed over, neighbours together, with the reason in them."""
    for run in _runs(scene):
        color = scene.theme.color(passed_role(run[0]))
        strips = scene.strips(run[0].server, len(run))
        outline(painter, scene, [strips], color)
        widest = max((strip.rect for strip in strips), key=QRectF.width)
        paint_reason(painter, widest, run[0].reasons, text, scene.theme, color)


def _runs(scene: MoldableScene) -> list[list[PassedOver]]:
    """Those that are passed over, in runs of neighbours of one section with one reason."""
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
    """Outline the job that is pointed at anywhere in the window, else the server; and the job
    under the mouse."""
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
    """A frame around each piece, open where it goes on in another row, and lines between them."""
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
    """From one piece to the next: along the foot of their row, or from row to row, so that few names are crossed."""
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
    """A red frame around the servers that the job may run on; the sentence says why it does not."""
    areas = _open_to(scene, mark.job_class)
    tint = QColor(scene.theme.rejection)
    tint.setAlphaF(FLASH)
    for area in areas if flashing else ():
        painter.fillRect(area, tint)
    _paint_pools(painter, areas, scene.theme.rejection)


def _open_to(scene: MoldableScene, job_class: int) -> list[QRectF]:
    """Where the servers are that jobs of a class may run on, as far as they can be seen."""
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
