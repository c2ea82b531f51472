"""What the current step names and what it moves, taken from records; no pixels in here."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np

from slotscope.gui.pictures.marks import passed_role
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Admit, Classify, Migrate, Preempt, Reassign, Record, Reject


class StepMark(NamedTuple):
    """A server, or a column of GPA (i from 1), that the current step names."""

    role: str  #: the meaning's colour in the theme
    server: int | None = None
    position: int | None = None
    reason: tuple[str, ...] = ()  #: to be written into the server: the first that fits


class Movement(NamedTuple):
    """Something that goes to *server*: an arriving job, a migrating job, or the server itself."""

    kind: str  #: admit, migrate, reassign
    server: int
    job_type: int = -1
    source: int = -1


def current_records(frame: Frame) -> tuple[Record, ...]:
    """The records that the picture points at: the last sub-step, or the whole last event."""
    if frame.running:
        return ()
    return frame.records[-1:] if frame.records else frame.last_records


def marks(frame: Frame) -> tuple[StepMark, ...]:
    """What the current step names."""
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
    """Job type and number of the job whose arrival is being stepped through, or just was."""
    if frame.running:
        return None
    for record in frame.records or frame.last_records:
        if record.kind == "arrival":
            return int(record.values["type"]), int(record.values["job"])
    return None


def rejected_type(frame: Frame) -> int | None:
    """The type of the job that the current step rejects."""
    job = arriving(frame)
    rejects = any(isinstance(record, Reject) for record in current_records(frame))
    return job[0] if rejects and job is not None else None


def fresh_records(old: Frame | None, new: Frame) -> Sequence[Record]:
    """The records by which *new* is one step ahead of *old*; none if it is anything else."""
    if old is None or old.running or new.running or old.info is not new.info:
        return ()
    seen = len(old.records)
    if new.event == old.event and new.records[:seen] == old.records:
        return new.records[seen:] if len(new.records) == seen + 1 else ()
    if new.event == old.event + 1 and not new.records:
        return new.last_records[seen:]
    return ()


def movements(old: Frame | None, new: Frame) -> tuple[tuple[Movement, ...], ...]:
    """What moves in this step, in phases one after the other, as the records have it."""
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
