"""The decisions on jobs with phases that exercises can ask for: which server, which token."""

from __future__ import annotations

from slotscope.model.exercises.deciding import At, RoomAsks, from_candidates
from slotscope.model.exercises.posed import Posed
from slotscope.model.kinds.phases.inspection import TOKEN
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.inspection import SERVER
from slotscope.model.reporting.records import ARRIVAL

#: Kinds of sub-step that give away how many servers or tokens can be chosen.
_COUNTS = frozenset({"fitting", "tokens_of_type", "servers_compared", "tokens_found"})


def _server(at: At) -> Posed | None:
    """Ask for the server that an arriving job joins."""
    subject = at.subject() if at.happened.event.kind == ARRIVAL else None
    if subject is None:
        return None
    return from_candidates(
        at,
        "server",
        at.tables(subject)[0],
        subject,
        Phrase("{job} arrives. Which server may it join, or none?", job=_job(at))
        if at.system.normal_servers
        else Phrase("{job} arrives. Which server does it join, or none?", job=_job(at)),
        lambda server: str(server + 1),
        SERVER,
        Phrase("a backup server takes it") if at.system.normal_servers else None,
        at.before_counted(subject, _COUNTS),
    )


def _token(at: At) -> Posed | None:
    """Ask for the token that an arriving job takes; it is drawn, so each token that may be drawn is right."""
    subject = at.subject() if at.happened.event.kind == ARRIVAL and at.system.normal_servers else None
    if subject is None:
        return None
    table = at.tables(subject)[1]
    return from_candidates(
        at,
        "token",
        table,
        subject,
        Phrase("{job} arrives. Which token may it take, or none?", job=_job(at)),
        lambda one: str(int(table.number_of[one]) + 1),
        TOKEN,
        Phrase("it goes to a backup server"),
        at.before_counted(subject, _COUNTS),
    )


def _job(at: At) -> Phrase:
    event = at.happened.event
    phases = at.system.numbers.model.phases[event.type]
    return Phrase("Job {number} of type {phases}", number=at.system.job_name(event.job), phases=phases)


ASKS = RoomAsks(
    {"server": _server, "token": _token},
    {
        "count": "the number of tokens of the type",
        "observed": "k̂, the jobs of each type that the server observes",
        "fitting": "the number of busy servers with room",
    },
)
