"""The quantities that questions on servers with a queue may use; an event is a busy slot."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from slotscope.model.kinds.queue import rows, sampling
from slotscope.model.kinds.queue.moving import MOVING
from slotscope.model.kinds.queue.state import IDLE
from slotscope.model.questions.fields import (
    AskedField,
    EventKind,
    RowColumn,
    SampleColumns,
    StateValue,
    ThingFields,
    Vocabulary,
    in_system,
    jobs_with,
    of_jobs,
)

HAPPENINGS = (
    EventKind("waits", rows.FLAG_WAITS, "Slots in which a job arrives and has to wait.", "job that waits").marked(
        "jobs that wait", 3, "rejection", "bars"
    ),
    EventKind("placed", rows.FLAG_PLACED, "Slots in which jobs are placed.", "placement").marked(
        "placements", 1, "normal", "arrow"
    ),
    EventKind("arrived", rows.FLAG_ARRIVED, "Slots in which jobs arrive.", "arrival").marked(
        "arrivals", 0, "muted", "plus"
    ),
    EventKind("departed", rows.FLAG_DEPARTED, "Slots that begin with jobs leaving.", "departure").marked(
        "departures", 2, "muted", "minus"
    ),
    EventKind(
        "renewed", rows.FLAG_RENEWED, "Slots in which a server gets another active configuration.", "renewal"
    ).marked("renewals", 4, "migration", "turn"),
    EventKind("stalled", rows.FLAG_STALLED, "Slots in which a server is stalled.", "stall").marked(
        "stalls", 5, "rejection", "box"
    ),
    EventKind("emptied", rows.FLAG_EMPTY, "Slots after which no job waits any more.", "empty queue"),
    EventKind("evicted", rows.FLAG_EVICTED, "Slots in which a job goes back to the queue.", "eviction").marked(
        "evictions", 5, "rejection", "cross"
    ),
)


def _unit(numbers: Any) -> float:
    return float(numbers.amount(1))


FIELDS = (
    AskedField("job", "the first job that was placed, else that arrived, else that left", RowColumn("job")),
    AskedField(
        "server", "where the first job was placed, else where the first one left", RowColumn("server", numbered=True)
    ),
    AskedField("waiting", "jobs that wait after the slot", RowColumn("waiting"), symbol="Q"),
    AskedField("arrivals", "jobs that arrived in the slot", RowColumn("arrived")),
    AskedField("departures", "jobs that left at its start", RowColumn("departed")),
    AskedField("placements", "jobs that were placed in it", RowColumn("placed")),
    AskedField("renewals", "servers that got another active configuration", RowColumn("renewed")),
    AskedField("stalls", "servers that were stalled in it", RowColumn("stalled")),
    AskedField("kept", "the first job that arrived in the slot and waits", RowColumn("kept")),
    AskedField(
        "kept_size",
        "the room that the kept job needs",
        RowColumn("kept_size", scale=_unit),
        unit="units of the resource",
    ),
    AskedField("kept_queue", "the virtual queue of the kept job", RowColumn("kept_queue", numbered=True)),
    AskedField(
        "best_residual",
        "the most that is free on a server",
        RowColumn("best_residual", costly=True, scale=_unit),
        unit="units of the resource",
    ),
    AskedField(
        "serving", "servers whose active configuration serves the kept job's queue", RowColumn("serving", costly=True)
    ),
    AskedField(
        "queue", "jobs that wait in a virtual queue", SampleColumns(slice(sampling.SCALARS, None)), index="queue"
    ),
    AskedField("in_service", "jobs on servers", SampleColumns(sampling.IN_SERVICE_COLUMN)),
    AskedField("used", "the share of all servers' capacity that is in use", SampleColumns(sampling.USED_COLUMN)),
    AskedField("servers_stalled", "servers that are stalled", SampleColumns(sampling.STALLED_COLUMN)),
    AskedField("arrived_so_far", "jobs that have arrived", SampleColumns(sampling.ARRIVED_COLUMN)),
    AskedField("departed_so_far", "jobs that have left", SampleColumns(sampling.DEPARTED_COLUMN)),
    AskedField("idle", "servers without a job", StateValue(lambda state: state.number[..., IDLE])),
)


SERVER_FIELDS = (
    AskedField("jobs", "jobs on the server", StateValue(lambda state: state.jobs_on)),
    AskedField(
        "used",
        "the share of a resource that is in use",
        StateValue(lambda state: state.used, lambda numbers: 1 / numbers.capacity),
        index="resource",
    ),
    AskedField("active", "the number of its active configuration", StateValue(lambda state: _known(state.active + 1))),
    AskedField("stalled", "1 if it is stalled, else 0", StateValue(lambda state: state.stalled)),
    AskedField(
        "last_departure",
        "the slot in which a job left it last",
        StateValue(lambda state: np.where(state.last_departure < 0, np.nan, state.last_departure)),
        unit="time",
    ),
)

JOB_FIELDS = (
    AskedField("size", "the room that it needs", of_jobs("job_room", scale=_unit), index="resource"),
    AskedField("queue", "its virtual queue", of_jobs("job_queue", 1)),
    AskedField("server", "its server", StateValue(lambda state: _known(state.job_server[in_system(state)] + 1))),
    AskedField("arrival", "the slot in which it arrived", of_jobs("job_arrival"), unit="time"),
)


def _known(numbers: Any) -> Any:
    return np.where(numbers > 0, numbers, np.nan)


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    {
        "server": ThingFields(
            lambda state: np.arange(len(state.jobs_on)) + 1, SERVER_FIELDS, fixed=attrgetter("servers")
        ),
        "job": jobs_with(JOB_FIELDS, ("job_room", "job_arrival"), derived=MOVING),
    },
    lambda system: {"resource": system.numbers.resource_names, "queue": system.policy.layout.names},
)
