"""Outlines of what the last step or event names, and of what is selected in any panel."""

from __future__ import annotations

from typing import Any, Iterable, Iterator, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from slotscope.gui.intents import Select
from slotscope.gui.kinds.phases.servers_scene import PhaseScene
from slotscope.gui.kinds.phases.servers_sections import ServerPlace, place_of
from slotscope.gui.painting.text import Symbols
from slotscope.gui.pictures.marks import (
    outline,
    outline_server,
    outline_thing,
    paint_brackets,
    paint_reason,
    passed_role,
)
from slotscope.model.kinds.phases import rows
from slotscope.model.kinds.phases.state import FIRST_BACKUP, NEXT_VIRTUAL, PhaseState
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Match, Overflow, Record, Request, SetTimer, VirtualArrival
from slotscope.model.reporting.records import Place as Placement


class PhaseMark(NamedTuple):
    """A server, its tokens, or a job that the last step or event names."""

    role: str  #: the colour's role in the theme
    place: ServerPlace | None = None
    tokens: bool = False  #: whether the server's tokens are meant, and not the server
    job: int | None = None
    virtual: bool = False  #: whether the job is a virtual one


def marks(frame: Frame) -> tuple[PhaseMark, ...]:
    """The marks of the last sub-step; between events, of all that was done in the last event."""
    return () if frame.running else tuple(dict.fromkeys(_marks_at(frame)))


def _marks_at(frame: Frame) -> Iterator[PhaseMark]:
    if records := frame.records[-1:] or frame.last_records:
        for record in records:
            if frame.records or _done(record):
                yield from _marks_of(frame, record)
        made = sum(isinstance(record, VirtualArrival) for record in records)
        last = int(frame.state.number[NEXT_VIRTUAL])
        yield from (_virtual(number) for number in range(last - made, last))
    elif frame.event and len(frame.rows):
        yield from _marks_of_row(frame.rows[-1])


def _done(record: Record) -> bool:
    """Whether a record changed something; others are marked only during their own sub-step."""
    return type(record) is not Record or record.kind in {"departure", "move", "missed_request"}


def _marks_of(frame: Frame, record: Record) -> Iterable[PhaseMark]:
    match record:
        case Match():
            return [PhaseMark("run", _normal(record.values.get("server"))), _real(record.job)]
        case Placement():
            return [PhaseMark("run", ServerPlace(record.server)), _real(record.job)]
        case Overflow():
            return [_real(record.job, "rejection")]
        case Request():
            place = ServerPlace(record.server)
            return [PhaseMark("run", place), PhaseMark("run", place, tokens=True)]
        case VirtualArrival():
            return [PhaseMark("migration", _normal(record.values.get("server")))]
        case SetTimer():
            return [PhaseMark("run", ServerPlace(record.server), tokens=True)]
    return _marks_of_values(frame, record)


def _marks_of_values(frame: Frame, record: Record) -> Iterator[PhaseMark]:
    values = record.values
    server, pool = values.get("server"), values.get("pool", -1)
    role = "rejection" if record.kind == "missed_request" else "run"
    if isinstance(server, int):
        yield PhaseMark(role, ServerPlace(server, pool if server <= FIRST_BACKUP else -1))
    if isinstance(values.get("job"), int):
        yield PhaseMark("run", job=values["job"], virtual=bool(values.get("virtual")))
    if record.kind in {"limit", "tokens_of_type"}:
        yield from _holders(frame.state, int(pool), int(values["type"]))


def _holders(state: PhaseState, pool: int, job_type: int) -> list[PhaseMark]:
    """The marks of all tokens of a type, one of which is about to be taken."""
    if not 0 <= pool < len(state.token_count):  # a user's policy may mean something else by it
        return []
    count = int(state.token_count[pool, job_type])
    servers = state.token_server[pool, job_type, :count].tolist()
    return [PhaseMark("migration", ServerPlace(server), tokens=True) for server in dict.fromkeys(servers)]


def _marks_of_row(row: Any) -> Iterator[PhaseMark]:
    flags, server, pool = int(row["flags"]), int(row["server"]), int(row["pool"])
    role = "rejection" if flags & (rows.FLAG_MISSED | rows.FLAG_OVERFLOW) else "run"
    if server != -1:
        place = ServerPlace(server, pool if server <= FIRST_BACKUP else -1)
        yield PhaseMark(role, place)
        if flags & rows.FLAG_REQUESTED:
            yield PhaseMark("run", place, tokens=True)
    if row["job"] >= 0 and not flags & rows.FLAG_DEPARTED:
        yield PhaseMark(role, job=int(row["job"]), virtual=bool(flags & rows.FLAG_OF_VIRTUAL))
    if flags & rows.FLAG_VIRTUAL:
        first = int(row["first_virtual"])
        yield from (_virtual(number) for number in range(first, first + int(row["virtual"])))


def _normal(server: Any) -> ServerPlace | None:
    return ServerPlace(int(server)) if isinstance(server, int) else None


def _real(job: int, role: str = "run") -> PhaseMark:
    return PhaseMark(role, job=job)


def _virtual(number: int) -> PhaseMark:
    return PhaseMark("migration", job=number, virtual=True)


def paint_marks(painter: QPainter, scene: PhaseScene, named: tuple[PhaseMark, ...]) -> None:
    """Outline the servers, tokens and jobs of the marks."""
    for mark in named:
        color = scene.theme.color(mark.role)
        if mark.place is not None:
            _outline_place(painter, scene, mark.place, color, mark.tokens)
        if mark.job is not None:
            _outline_job(painter, scene, mark.job, mark.virtual, color)


def paint_passed(painter: QPainter, scene: PhaseScene, text: Symbols) -> None:
    """Outline the servers that are passed over, with the reason inside."""
    for one in scene.frame.passed_over:
        found, color = scene.find(ServerPlace(one.server)), scene.theme.color(passed_role(one))
        if found is not None:
            rect = _outline_server(painter, scene, found, color)
            paint_reason(painter, rect, one.reasons, text, scene.theme, color)


def paint_selection(painter: QPainter, scene: PhaseScene, selection: Select) -> None:
    """Outline the selected server and the selected job."""
    record = None if selection.job is None else _record(scene.state, selection.job, False)
    if selection.server is not None:
        place: ServerPlace | None = ServerPlace(selection.server)
        if selection.server <= FIRST_BACKUP:
            place = _backup(scene, selection.server, record)
        found = None if place is None else scene.find(place)
        if found is not None:
            paint_brackets(painter, scene.rect(scene.layout.box(*found)), scene.theme)
    if record is not None and selection.job is not None:
        _outline_job(painter, scene, selection.job, False, scene.theme.run)


def _backup(scene: PhaseScene, server: int, record: int | None) -> ServerPlace | None:
    """A backup server; with several pools, only its job tells the pool."""
    if record is not None:
        return place_of(scene.state, record)
    return ServerPlace(server, 0) if scene.facts.pools == 1 else None


def _outline_place(painter: QPainter, scene: PhaseScene, place: ServerPlace, color: str, tokens: bool) -> None:
    found = scene.find(place)
    if found is None:
        return
    if not tokens:
        _outline_server(painter, scene, found, color)
        return
    count = max(1, int(scene.state.tokens_on[place.server]))
    boxes = [scene.rect(box) for box in scene.token_boxes(*found, count)]
    if boxes[0].width() > 0:
        around = boxes[0].united(boxes[-1]).adjusted(-2, -2, 2, 2)
        outline(painter, around, color, scene.theme.panel)


def _outline_server(painter: QPainter, scene: PhaseScene, found: tuple[int, int], color: str) -> QRectF:
    """Outline the bins of a server of a section, and return their rectangle."""
    rect = scene.rect(scene.layout.box(*found))
    outline_server(painter, rect, color, scene.theme.panel, scene.layout.grids[found[0]].cell.shows_jobs)
    return rect


def _record(state: PhaseState, job: int, virtual: bool) -> int | None:
    found = np.flatnonzero((state.job_number == job) & (state.job_virtual == int(virtual)))
    return int(found[0]) if len(found) else None


def _outline_job(painter: QPainter, scene: PhaseScene, job: int, virtual: bool, color: str) -> None:
    record = _record(scene.state, job, virtual)
    place = None if record is None else place_of(scene.state, record)
    if record is None or place is None:
        return
    rects = scene.job_rects(record)
    for rect in rects:
        outline_thing(painter, rect, color, scene.theme.panel)
    if not rects or place.is_backup:  # the job is too small, or the only one
        _outline_place(painter, scene, place, color, tokens=False)
