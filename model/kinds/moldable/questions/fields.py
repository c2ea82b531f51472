"""What can be asked of moldable jobs."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from slotscope.model.kinds.moldable import rows, sampling
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, DISTANCE
from slotscope.model.questions.fields import (
    AskedField,
    EventKind,
    RowColumn,
    SampleColumns,
    StateValue,
    ThingFields,
    Vocabulary,
    jobs_with,
    of_jobs,
)

HAPPENINGS = (
    EventKind(
        "blocked",
        rows.FLAG_BLOCKED,
        "No server is free; the job is lost.",
        stop="blocking",
        label="blocked jobs",
        place=0,
        meaning="rejection",
        shape="cross",
    ),
    EventKind(
        "partial",
        rows.FLAG_PARTIAL,
        "A job gets fewer servers than it asked for.",
        stop="partial allocation",
        label="partial allocations",
        place=1,
        meaning="migration",
        shape="bars",
    ),
    EventKind(
        "admitted",
        rows.FLAG_ADMITTED,
        "A job gets servers.",
        stop="allocation",
        label="allocations",
        place=0,
        meaning="normal",
        shape="plus",
    ),
    EventKind(
        "departed",
        rows.FLAG_DEPARTED,
        "A job is completed.",
        stop="departure",
        label="departures",
        place=5,
        meaning="muted",
        shape="minus",
    ),
    EventKind("arrived", rows.FLAG_ARRIVED, "A job arrives.", stop="arrival"),
    EventKind(
        "filled", rows.FLAG_FULL, "After the event no job of its class would find a free server.", stop="no free server"
    ),
    EventKind(
        "freed",
        rows.FLAG_FREED,
        "There is a free server again.",
        stop="a server free again",
        label="free again",
        place=4,
        meaning="muted",
        shape="ring",
    ),
    EventKind(
        "two_below_i1",
        rows.FLAG_BELOW,
        "More than one job runs on fewer than i1 servers.",
        stop="two jobs below i1",
        label="two jobs below i1",
        place=3,
        meaning="migration",
        shape="star",
    ),
    EventKind(
        "split",
        rows.FLAG_SPLIT,
        "No gap holds the job: it runs in several pieces.",
        stop="job in pieces",
        label="jobs in pieces",
        place=2,
        meaning="muted",
        shape="box",
    ),
)


def _of_classes(name: int) -> SampleColumns:
    return SampleColumns(lambda numbers: sampling.columns(name, numbers.classes))


def _job_of(state: Any) -> Any:
    return np.where(state.server_job >= 0, state.job_number[state.server_job], np.nan)


FIELDS = (
    AskedField("job", "the number of the event's job", RowColumn("job")),
    AskedField("type", "its class", RowColumn("type", numbered=True), choices="class"),
    AskedField("server", "its first server", RowColumn("server", numbered=True)),
    AskedField("lasts", "its execution time", RowColumn("lasts"), unit="time"),
    AskedField("request", "the servers that it asked for", RowColumn("request")),
    AskedField("width", "the servers that it got or had; 0: blocked", RowColumn("width")),
    AskedField("free", "free servers open to it before the event", RowColumn("free")),
    AskedField("running", "jobs of its class and width after the event", RowColumn("running")),
    AskedField("busy", "servers in use after the event", RowColumn("busy")),
    AskedField("jobs", "jobs in the system", SampleColumns(sampling.JOBS_COLUMN)),
    AskedField("distance", "the sum over i of |X_i - n y*_i|", _of_classes(sampling.LEVEL + DISTANCE), index="class"),
    AskedField(
        "arrived_so_far", "jobs of a class that have arrived", _of_classes(sampling.COUNTS + ARRIVED), index="class"
    ),
    AskedField(
        "admitted_so_far", "jobs of a class that got servers", _of_classes(sampling.COUNTS + ADMITTED), index="class"
    ),
    AskedField(
        "blocked_so_far", "jobs of a class that were blocked", _of_classes(sampling.COUNTS + BLOCKED), index="class"
    ),
    AskedField(
        "X", "jobs that run on i servers", StateValue(lambda state: state.jobs[:, 1:].sum(axis=0)), index="width"
    ),
    AskedField(
        "below_i1", "jobs of a class on fewer than i1 servers", StateValue(lambda state: state.below[0]), index="class"
    ),
)

SERVER_FIELDS = (
    AskedField("job", "the job that it runs", StateValue(_job_of, alone=False)),
    AskedField("busy", "1 if it runs a job, else 0", StateValue(lambda state: state.server_job >= 0)),
)

JOB_FIELDS = (
    AskedField("type", "its class", of_jobs("job_class", 1), choices="class"),
    AskedField("width", "the servers that it runs on", of_jobs("job_width")),
    AskedField("request", "the servers that it asked for", of_jobs("job_request")),
    AskedField("since", "when it came", of_jobs("job_arrival"), unit="time"),
    AskedField("leaves", "when it will leave", of_jobs("job_departure"), unit="time"),
)


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    MappingProxyType(
        {
            "server": ThingFields(lambda state: np.arange(len(state.server_job)) + 1, SERVER_FIELDS),
            "job": jobs_with(JOB_FIELDS, ("job_class", "job_width", "job_request", "job_arrival", "job_departure")),
        }
    ),
    lambda system: {
        "class": system.numbers.class_names,
        "width": tuple(f"width {i + 1}" for i in range(system.numbers.degree)),
    },
)
