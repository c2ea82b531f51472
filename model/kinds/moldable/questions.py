"""The vocabulary of questions about systems of moldable jobs."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from slotscope.model.kinds.moldable import rows, sampling
from slotscope.model.kinds.moldable.running import RUNNING
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
from slotscope.model.systems.watching import Touched

HAPPENINGS = (
    EventKind("blocked", rows.FLAG_BLOCKED, "No server is free; the job is lost.", "blocking").marked(
        "blocked jobs", 0, "rejection", "cross"
    ),
    EventKind("partial", rows.FLAG_PARTIAL, "A job gets fewer servers than it asked for.", "partial allocation").marked(
        "partial allocations", 1, "migration", "bars"
    ),
    EventKind("admitted", rows.FLAG_ADMITTED, "A job gets servers.", "allocation").marked(
        "allocations", 0, "normal", "plus"
    ),
    EventKind("departed", rows.FLAG_DEPARTED, "A job is completed.", "departure").marked(
        "departures", 5, "muted", "minus"
    ),
    EventKind("arrived", rows.FLAG_ARRIVED, "A job arrives.", "arrival"),
    EventKind(
        "filled", rows.FLAG_FULL, "After the event no job of its class would find a free server.", "no free server"
    ),
    EventKind("freed", rows.FLAG_FREED, "There is a free server again.", "a server free again").marked(
        "free again", 4, "muted", "ring"
    ),
    EventKind(
        "two_below_i1", rows.FLAG_BELOW, "More than one job runs on fewer than i1 servers.", "two jobs below i1"
    ).marked("two jobs below i1", 3, "migration", "star"),
    EventKind("split", rows.FLAG_SPLIT, "No gap holds the job: it runs in several pieces.", "job in pieces").marked(
        "jobs in pieces", 2, "muted", "box"
    ),
)


def _of_classes(name: int) -> SampleColumns:
    return SampleColumns(lambda numbers: sampling.columns(name, numbers.classes))


def _running(state: Any) -> Any:
    """[n] the number of the job on each server; nan if it is free."""
    return np.where(state.running >= 0, state.running, np.nan)


FIELDS = (
    AskedField("job", "the number of the event's job", RowColumn("job")),
    AskedField("type", "its class", RowColumn("type", numbered=True), choices="class"),
    AskedField("server", "its first server", RowColumn("server", numbered=True)),
    AskedField("lasts", "its execution time", RowColumn("lasts"), unit="time"),
    AskedField("request", "the servers that it asked for, or got where its policy asks for none", RowColumn("request")),
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
        "X", "jobs that run on i servers", StateValue(lambda state: state.jobs[..., 1:].sum(axis=-2)), index="width"
    ),
    AskedField(
        "below_i1",
        "jobs of a class on fewer than i1 servers",
        StateValue(lambda state: state.below[..., 0, :]),
        index="class",
    ),
)

SERVER_FIELDS = (
    AskedField("job", "the job that it runs", StateValue(_running, derived=RUNNING)),
    AskedField("busy", "1 if it runs a job, else 0", StateValue(lambda state: state.running >= 0, derived=RUNNING)),
)

JOB_FIELDS = (
    AskedField("type", "its class", of_jobs("job_class", 1), choices="class"),
    AskedField("width", "the servers that it runs on", of_jobs("job_width")),
    AskedField(
        "request", "the servers that it asked for, or got where its policy asks for none", of_jobs("job_request")
    ),
    AskedField("since", "when it came", of_jobs("job_arrival"), unit="time"),
    AskedField("leaves", "when it will leave", of_jobs("job_departure"), unit="time"),
)


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    {
        "server": ThingFields(
            lambda state: np.arange(state.server_job.shape[-1]) + 1,
            SERVER_FIELDS,
            derived=RUNNING,
            fixed=attrgetter("servers"),
        ),
        "job": jobs_with(
            JOB_FIELDS,
            ("job_class", "job_width", "job_request", "job_arrival", "job_departure"),
            touched=Touched(("server",)),  # a job's record is that of its first server
        ),
    },
    lambda system: {
        "class": system.numbers.class_names,
        "width": tuple(f"width {i + 1}" for i in range(system.numbers.degree)),
    },
)
