"""What can be asked of servers with a queue; an event is a busy slot."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from model.kinds.queue import rows, sampling
from model.kinds.queue.state import IDLE
from model.questions.fields import Field, Happening, RowColumn, SampleColumns, StateValue, ThingFields, Vocabulary

HAPPENINGS = (
    Happening(
        "waits",
        rows.FLAG_WAITS,
        "Slots in which a job arrives and has to wait.",
        stop="job that waits",
        label="jobs that wait",
        place=3,
        meaning="rejection",
        shape="bars",
    ),
    Happening(
        "placed",
        rows.FLAG_PLACED,
        "Slots in which jobs are placed.",
        stop="placement",
        label="placements",
        place=1,
        meaning="normal",
        shape="arrow",
    ),
    Happening(
        "arrived",
        rows.FLAG_ARRIVED,
        "Slots in which jobs arrive.",
        stop="arrival",
        label="arrivals",
        place=0,
        meaning="muted",
        shape="plus",
    ),
    Happening(
        "departed",
        rows.FLAG_DEPARTED,
        "Slots that begin with jobs leaving.",
        stop="departure",
        label="departures",
        place=2,
        meaning="muted",
        shape="minus",
    ),
    Happening(
        "renewed",
        rows.FLAG_RENEWED,
        "Slots in which a server gets another active configuration.",
        stop="renewal",
        label="renewals",
        place=4,
        meaning="migration",
        shape="turn",
    ),
    Happening(
        "stalled",
        rows.FLAG_STALLED,
        "Slots in which a server is stalled.",
        stop="stall",
        label="stalls",
        place=5,
        meaning="rejection",
        shape="box",
    ),
    Happening("emptied", rows.FLAG_EMPTY, "Slots after which no job waits any more.", stop="empty queue"),
    Happening(
        "evicted",
        rows.FLAG_EVICTED,
        "Slots in which a job goes back to the queue.",
        stop="eviction",
        label="evictions",
        place=5,
        meaning="rejection",
        shape="cross",
    ),
)


def _unit(numbers: Any) -> float:
    return float(numbers.amount(1))


FIELDS = (
    Field("job", "the first job that was placed, else that arrived, else that left", RowColumn("job")),
    Field(
        "server", "where the first job was placed, else where the first one left", RowColumn("server", numbered=True)
    ),
    Field("waiting", "jobs that wait after the slot", RowColumn("waiting"), symbol="Q"),
    Field("arrivals", "jobs that arrived in the slot", RowColumn("arrived")),
    Field("departures", "jobs that left at its start", RowColumn("departed")),
    Field("placements", "jobs that were placed in it", RowColumn("placed")),
    Field("renewals", "servers that got another active configuration", RowColumn("renewed")),
    Field("stalls", "servers that were stalled in it", RowColumn("stalled")),
    Field("kept", "the first job that arrived in the slot and waits", RowColumn("kept")),
    Field("kept_size", "the room that the kept job needs", RowColumn("kept_size", scale=_unit), unit="of a resource"),
    Field("kept_queue", "the virtual queue of the kept job", RowColumn("kept_queue", numbered=True)),
    Field(
        "best_residual",
        "the most that is free on a server",
        RowColumn("best_residual", costly=True, scale=_unit),
        unit="of a resource",
    ),
    Field(
        "serving", "servers whose active configuration serves the kept job's queue", RowColumn("serving", costly=True)
    ),
    Field("queue", "jobs that wait in a virtual queue", SampleColumns(slice(sampling.SCALARS, None)), index="queue"),
    Field("in_service", "jobs on servers", SampleColumns(sampling.IN_SERVICE_COLUMN)),
    Field("used", "the share of all servers' capacity that is in use", SampleColumns(sampling.USED_COLUMN)),
    Field("servers_stalled", "servers that are stalled", SampleColumns(sampling.STALLED_COLUMN)),
    Field("arrived_so_far", "jobs that have arrived", SampleColumns(sampling.ARRIVED_COLUMN)),
    Field("departed_so_far", "jobs that have left", SampleColumns(sampling.DEPARTED_COLUMN)),
    Field("idle", "servers without a job", StateValue(lambda state: state.number[IDLE])),
    Field("memory", "what the policy remembers", StateValue(lambda state: state.memory), index="memory"),
)


SERVER_FIELDS = (
    Field("jobs", "jobs on the server", StateValue(lambda state: state.jobs_on)),
    Field(
        "used",
        "the share of a resource that is in use",
        StateValue(lambda state: state.used, lambda numbers: 1 / numbers.capacity),
        index="resource",
    ),
    Field("active", "the number of its active configuration", StateValue(lambda state: _known(state.active + 1))),
    Field("stalled", "1 if it is stalled, else 0", StateValue(lambda state: state.stalled)),
    Field(
        "last_departure",
        "the slot in which a job left it last",
        StateValue(lambda state: np.where(state.last_departure < 0, np.nan, state.last_departure)),
        unit="time",
    ),
)

JOB_FIELDS = (
    Field(
        "size",
        "the room that it needs",
        StateValue(lambda state: _live(state, state.job_room), _unit),
        index="resource",
    ),
    Field("queue", "its virtual queue", StateValue(lambda state: _live(state, state.job_queue) + 1)),
    Field("server", "its server", StateValue(lambda state: _known(_live(state, state.job_server) + 1))),
    Field(
        "arrival",
        "the slot in which it arrived",
        StateValue(lambda state: _live(state, state.job_arrival)),
        unit="time",
    ),
)


def _known(numbers: Any) -> Any:
    return np.where(numbers > 0, numbers, np.nan)


def _live(state: Any, column: Any) -> Any:
    return column[state.job_number >= 0]


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    MappingProxyType(
        {
            "server": ThingFields(lambda state: np.arange(len(state.jobs_on)) + 1, SERVER_FIELDS),
            "job": ThingFields(lambda state: _live(state, state.job_number), JOB_FIELDS),
        }
    ),
    lambda system: {"resource": system.numbers.resource_names, "queue": system.policy.layout.names},
)
