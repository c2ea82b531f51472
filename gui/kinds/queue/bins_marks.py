"""Outlines: what the current step names, and what is pointed at anywhere in the window."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtGui import QPainter

from slotscope.gui.intents import Select
from slotscope.gui.kinds.queue.bins_scene import BinScene
from slotscope.gui.painting.brackets import paint_brackets
from slotscope.gui.painting.stack_text import Symbols
from slotscope.gui.pictures.marks import outline_server, outline_thing, paint_reason, passed_role
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Evict, Place, Record, Renew, Stall


class BinMark(NamedTuple):
    """A server, or a job, that the current step names."""

    role: str  #: the meaning's colour in the theme
    server: int | None = None
    job: int | None = None


def marks(frame: Frame) -> tuple[BinMark, ...]:
    """What the current step names: its last sub-step, or all that was done in the last slot."""
    if frame.running:
        return ()
    found: list[BinMark] = []
    for record in frame.records[-1:] or frame.last_records:
        found += _marks_of(record, whole=not frame.records)
    return tuple(dict.fromkeys(found))


def _marks_of(record: Record, whole: bool) -> list[BinMark]:
    match record:
        case Place():
            named = [BinMark("run", job=record.job)]
            return named if whole else [*named, BinMark("run", server=record.server)]
        case Renew():
            return [BinMark("migration", server=record.server)]
        case Stall():
            role = "rejection" if record.stalled else "run"
            return [BinMark(role, server=record.server)]
        case Evict():
            return [BinMark("rejection", server=record.server)]
    if whole:
        return []  # what was only looked at has no place in the picture of a whole slot
    server, job = record.values.get("server"), record.values.get("job")
    return [
        *([BinMark("run", server=int(server))] if isinstance(server, int) else []),
        *([BinMark("run", job=int(job))] if isinstance(job, int) else []),
    ]


def paint_marks(painter: QPainter, scene: BinScene, named: tuple[BinMark, ...]) -> None:
    """Outline what the step names."""
    for role in dict.fromkeys(mark.role for mark in named):
        mine = [mark for mark in named if mark.role == role]
        color = scene.theme.color(role)
        for server in {mark.server for mark in mine if mark.server is not None}:
            _outline_server(painter, scene, server, color)
        _outline_jobs(painter, scene, {mark.job for mark in mine if mark.job is not None}, color)


def paint_passed(painter: QPainter, scene: BinScene, text: Symbols) -> None:
    """Outline the servers that are passed over, with the reason in them."""
    for one in scene.frame.passed_over:
        if scene.place_of(one.server) is not None:
            color = scene.theme.color(passed_role(one))
            _outline_server(painter, scene, one.server, color)
            paint_reason(painter, scene.server_rect(one.server), one.reasons, text, scene.theme, color)


def paint_selection(painter: QPainter, scene: BinScene, selection: Select) -> None:
    """Outline the server and the job that are pointed at anywhere in the window."""
    if selection.server is not None and scene.place_of(selection.server) is not None:
        paint_brackets(painter, scene.server_rect(selection.server), scene.theme)
    if selection.job is not None:
        _outline_jobs(painter, scene, {selection.job}, scene.theme.run)


def _outline_server(painter: QPainter, scene: BinScene, server: int, color: str) -> None:
    if scene.place_of(server) is not None:
        outline_server(painter, scene.server_rect(server), color, scene.theme.panel, scene.layout.shows_jobs)


def _outline_jobs(painter: QPainter, scene: BinScene, jobs: set[int], color: str) -> None:
    for block in scene.blocks_with(jobs):
        for resource in range(scene.layout.wishes.resources):
            outline_thing(painter, scene.rect(scene.block_box(block, resource)), color, scene.theme.panel)
