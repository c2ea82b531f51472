"""The vocabulary of questions about loss systems with slots."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from slotscope.model.kinds.reservation import rows, sampling
from slotscope.model.kinds.reservation.moving import MOVING
from slotscope.model.kinds.reservation.ranking import NAMED, RANKS
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH, ReservationState
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

#: The attribute of policies whose servers have ranks, and an Accept and a Reject Group.
GROUPS = "has_groups"

HAPPENINGS = (
    EventKind("rejected", rows.FLAG_REJECTED, "A job was turned away.", "rejection").marked(
        "rejections", 0, "rejection", "cross"
    ),
    EventKind("admitted", rows.FLAG_ADMITTED, "A job was admitted to a server.", "admission").marked(
        "admissions", 0, "muted", "plus"
    ),
    EventKind("departed", rows.FLAG_DEPARTED, "A job left at the end of its service.", "departure").marked(
        "departures", 0, "muted", "minus"
    ),
    EventKind("migrated", rows.FLAG_MIGRATED, "A job moved to another server.", "migration").marked(
        "migrations", 1, "migration", "arrow"
    ),
    EventKind("reassigned", rows.FLAG_REASSIGNED, "An empty server got another configuration.", "reassignment").marked(
        "reassignments", 2, "migration", "box"
    ),
    EventKind("i_star_changed", rows.FLAG_I_STAR, "I*, and with it the Reject Group, changed.", "change of I*").marked(
        "I* changes", 3, "normal", "star"
    ),
    EventKind("gpa_changed", rows.FLAG_GREEDY, "GPA's configurations or counts changed.", "change of GPA"),
    EventKind("preempted", rows.FLAG_PREEMPTED, "A job was preempted.", "preemption"),
)


def _of_types(name: str, less: str = "") -> SampleColumns:
    taken_off = partial(_columns, less) if less else None
    return SampleColumns(partial(_columns, name), taken_off)


def _columns(name: str, numbers: Any) -> slice:
    return sampling.columns(name, numbers.types)


def _greedy(state: Any) -> Any:
    count = state.greedy_count.astype(float)
    count[np.arange(count.shape[-1]) >= np.asarray(state.number[..., GREEDY_LENGTH])[..., None]] = np.nan
    return count


def _of_all_types(counts: Any) -> Any:
    """[...] the sum of [..., J] over the types; for so few it takes a quarter of the time of ``sum``."""
    return np.einsum("...j->...", counts)


def _numbers_of_servers(state: ReservationState) -> Any:
    return np.arange(state.stamp.shape[-1]) + 1


FIELDS = (
    AskedField("job", "the number of the event's job", RowColumn("job")),
    AskedField("type", "the type of the event's job", RowColumn("type", numbered=True), choices="type"),
    AskedField("server", "the server of the event's job", RowColumn("server", numbered=True)),
    AskedField("moved", "the job that migrated, or the first that was preempted", RowColumn("moved")),
    AskedField("source", "the server that the moved job came from", RowColumn("source", numbered=True)),
    AskedField("servers_reassigned", "servers that got another configuration", RowColumn("reassigned")),
    AskedField("jobs_preempted", "jobs that were preempted", RowColumn("preempted")),
    AskedField(
        "reject_group_slots",
        "empty slots of the rejected job's type, all on Reject Group servers",
        RowColumn("empty_slots"),
        needs=GROUPS,
    ),
    AskedField(
        "servers_with_room",
        "servers whose free resources would hold the rejected job",
        RowColumn("servers_with_room", costly=True),
    ),
    AskedField("i_star", "I* after the event", RowColumn("i_star"), symbol="I*", needs=GROUPS),
    AskedField("jobs", "jobs of a type in service", _of_types("jobs"), index="type", symbol="Y"),
    AskedField("arrived_so_far", "jobs of a type that have arrived", _of_types("arrived"), index="type"),
    AskedField("admitted_so_far", "jobs of a type that were admitted", _of_types("admitted"), index="type"),
    AskedField("rejected_so_far", "jobs of a type that were rejected", _of_types("rejected"), index="type"),
    AskedField("slots", "slots of a type on all servers", _of_types("slots"), index="type"),
    AskedField("empty_slots", "empty slots of a type on all servers", _of_types("slots", less="jobs"), index="type"),
    AskedField(
        "greedy_servers",
        "servers that GPA wants of its i-th configuration",
        StateValue(_greedy),
        index="rank",
        needs=GROUPS,
    ),
    AskedField(
        "reject_group", "servers in the Reject Group", SampleColumns(sampling.REJECT_GROUP_COLUMN), needs=GROUPS
    ),
)


SERVER_FIELDS = (
    AskedField("jobs", "jobs of a type on the server", StateValue(lambda state: state.placement), index="type"),
    AskedField("slots", "slots of a type on the server", StateValue(lambda state: state.configuration), index="type"),
    AskedField("filled", "jobs on the server", StateValue(lambda state: _of_all_types(state.placement))),
    AskedField(
        "empty",
        "empty slots on the server",
        StateValue(lambda state: _of_all_types(state.configuration - state.placement)),
    ),
    AskedField("rank", "the server's rank", StateValue(attrgetter("rank"), derived=RANKS), needs=GROUPS),
    AskedField(
        "index",
        "its index among the servers of its configuration",
        StateValue(attrgetter("index"), derived=RANKS),
        symbol="c",
    ),
    AskedField(
        "in_reject_group",
        "1 in the Reject Group, 0 in the Accept Group",
        StateValue(attrgetter("in_reject_group"), derived=RANKS),
        needs=GROUPS,
    ),
)

JOB_FIELDS = (
    AskedField("type", "the job's type", of_jobs("job_type", 1), choices="type"),
    AskedField("server", "its server", of_jobs("job_server", 1)),
    AskedField("since", "when it was admitted", of_jobs("job_arrival"), unit="time"),
    AskedField("leaves", "when it will leave", of_jobs("job_departure"), unit="time"),
)


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    {
        "server": ThingFields(
            _numbers_of_servers, SERVER_FIELDS, touched=NAMED, derived=RANKS, fixed=attrgetter("servers")
        ),
        "job": jobs_with(JOB_FIELDS, ("job_type", "job_arrival", "job_departure"), derived=MOVING),
    },
    lambda system: {
        "type": system.numbers.type_names,
        "rank": tuple(f"k[{i + 1}]" for i in range(system.numbers.ranks)),
    },
)
