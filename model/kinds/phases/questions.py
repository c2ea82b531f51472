"""The vocabulary of questions about systems whose jobs have phases."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.phases import rows, sampling
from slotscope.model.kinds.phases.moving import MOVING
from slotscope.model.kinds.phases.state import FIRST_BACKUP, MATCHED, OVERFLOWED, REQUESTED, VIRTUAL_ARRIVED
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
    EventKind("overflowed", rows.FLAG_OVERFLOW, "A job finds no token and goes to a backup server.", "overflow").marked(
        "overflows", 1, "rejection", "cross"
    ),
    EventKind(
        "virtual_arrived", rows.FLAG_VIRTUAL, "There are more tokens than the limit allows.", "virtual arrival"
    ).marked("virtual arrivals", 3, "migration", "star"),
    EventKind("requested", rows.FLAG_REQUESTED, "A server asks for jobs.", "request").marked(
        "requests", 2, "normal", "ring"
    ),
    EventKind("missed", rows.FLAG_MISSED, "A paused server would have asked for jobs.", "missed request").marked(
        "missed requests", 2, "rejection", "ring"
    ),
    EventKind("matched", rows.FLAG_MATCHED, "A job takes a token and joins its server.", "match").marked(
        "matches", 1, "normal", "arrow"
    ),
    EventKind("placed", rows.FLAG_PLACED, "A job is placed.", "placement").marked("placements", 1, "normal", "arrow"),
    EventKind("overran", rows.FLAG_OVERRUN, "After the event its server needs more than it has.", "overrun").marked(
        "overruns", 6, "rejection", "box"
    ),
    EventKind("arrived", rows.FLAG_ARRIVED, "A job arrives.", "arrival").marked("arrivals", 0, "muted", "plus"),
    EventKind("changed_phase", rows.FLAG_MOVED, "A job goes into another phase.", "change of phase").marked(
        "changes of phase", 4, "muted", "turn"
    ),
    EventKind("departed", rows.FLAG_DEPARTED, "A job, real or virtual, is completed.", "departure").marked(
        "departures", 5, "muted", "minus"
    ),
    EventKind("ticked", rows.FLAG_TICKED, "The timer of a server rings.", "tick").marked("ticks", 4, "normal", "bars"),
    EventKind("resumed", rows.FLAG_RESUMED, "A server's pause ends.", "end of a pause"),
    EventKind("idled", rows.FLAG_IDLE, "A server has no real job any more.", "idle server"),
    EventKind("of_virtual", rows.FLAG_OF_VIRTUAL, "The job that moved or departed is a virtual one."),
)


def _of_phases(block: int) -> SampleColumns:
    return SampleColumns(lambda numbers: np.arange(numbers.phases) + sampling.SCALARS + block * numbers.phases)


def _so_far(tally: int) -> SampleColumns:
    return _of_phases(1 + sampling.COUNTED.index(tally))


def _cost(numbers: Any) -> float:
    return float(numbers.cost_unit)


FIELDS = (
    AskedField("job", "the job that arrived, moved or departed", RowColumn("job")),
    AskedField(
        "type",
        "the type of the job that arrived, or the phase that it was in",
        RowColumn("type", numbered=True),
        choices="phase",
    ),
    AskedField(
        "phase",
        "the phase that the job is in now; one more than there are: it departed",
        RowColumn("phase", numbered=True),
        choices="phase",
        beyond=1,
    ),
    AskedField("server", "the normal server of the event's job or timer", RowColumn("server", numbered=True)),
    AskedField(
        "backup_server",
        "the backup server of the event's job",
        RowColumn("server", down_from=FIRST_BACKUP, numbered=True),
    ),
    AskedField("pool", "its pool", RowColumn("pool", numbered=True)),
    AskedField("token", "the token that the job took", RowColumn("token")),
    AskedField("token_age", "for how long that token had waited", RowColumn("token_age"), unit="time"),
    AskedField("tokens_made", "tokens made in the event", RowColumn("made")),
    AskedField("virtual_arrivals", "virtual jobs that arrived in it", RowColumn("virtual")),
    AskedField("tokens_found", "tokens of its type in its pool when the job arrived", RowColumn("tokens")),
    AskedField("active", "servers with a real job", RowColumn("active"), symbol="N"),
    AskedField("cost", "the cost of all servers", RowColumn("cost", scale=_cost), symbol="h"),
    AskedField("fitting", "servers that had room for the job (policies without tokens)", RowColumn("fitting")),
    AskedField("tokens", "tokens of a type", _of_phases(0), index="phase"),
    AskedField("requested_so_far", "tokens of a type made", _so_far(REQUESTED), index="phase"),
    AskedField("matched_so_far", "jobs of a type that took a token", _so_far(MATCHED), index="phase"),
    AskedField("virtual_so_far", "virtual arrivals of a type", _so_far(VIRTUAL_ARRIVED), index="phase"),
    AskedField("overflowed_so_far", "jobs of a type that went to backup servers", _so_far(OVERFLOWED), index="phase"),
    AskedField("all_tokens", "tokens of all types", SampleColumns(sampling.TOKENS_COLUMN)),
    AskedField("virtual_jobs", "virtual jobs in the system", SampleColumns(sampling.VIRTUAL_COLUMN)),
    AskedField("backup_jobs", "jobs on backup servers", SampleColumns(sampling.BACKUP_COLUMN)),
    AskedField("real_jobs", "real jobs in the system", SampleColumns(sampling.REAL_COLUMN)),
    AskedField("paused", "servers that hold a token", SampleColumns(sampling.PAUSED_COLUMN)),
)

SERVER_FIELDS = (
    AskedField(
        "jobs", "real jobs in a phase on the server", StateValue(lambda state: state.real), index="phase", symbol="K"
    ),
    AskedField(
        "virtual",
        "virtual jobs in a phase on it",
        StateValue(lambda state: state.virtual),
        index="phase",
        symbol="zeta",
    ),
    AskedField(
        "tokens",
        "tokens of a type that it has out",
        StateValue(lambda state: state.tokens),
        index="phase",
        symbol="eta",
    ),
    AskedField("all_jobs", "real jobs on it", StateValue(lambda state: state.jobs_on)),
    AskedField(
        "all_tokens",
        "tokens that it has out; it is paused while there are any",
        StateValue(lambda state: state.tokens_on),
    ),
)


def _there(state: Any) -> Any:
    return (state.job_number >= 0) & (state.job_virtual == 0)


JOB_FIELDS = (
    AskedField("type", "the phase in which it arrived", of_jobs("job_type", 1, there=_there), choices="phase"),
    AskedField("phase", "the phase in which it is", of_jobs("job_phase", 1, there=_there), choices="phase"),
    AskedField("server", "its server", StateValue(lambda state: _server(state, 1))),
    AskedField("backup_server", "its backup server", StateValue(lambda state: _server(state, -1))),
    AskedField("arrival", "when it came", of_jobs("job_arrival", there=_there), unit="time"),
    AskedField("moves", "moves that it has made", of_jobs("job_moves", there=_there)),
)


def _server(state: Any, side: int) -> Any:
    """The servers of jobs, from 1, nan for none: normal servers if *side* > 0, else backup servers."""
    found = state.job_server[_there(state)]
    numbered = found + 1 if side > 0 else FIRST_BACKUP - found + 1
    return np.where(numbered > 0, numbered, np.nan)


VOCABULARY = Vocabulary(
    HAPPENINGS,
    FIELDS,
    {
        "server": ThingFields(lambda state: np.arange(len(state.jobs_on)) + 1, SERVER_FIELDS),
        "job": jobs_with(JOB_FIELDS, ("job_type", "job_arrival"), _there, derived=MOVING),
    },
    lambda system: {"phase": system.numbers.model.phases},
)
