"""Exercise questions on a queueing system: which job is placed next, on which server, in which configuration."""

from __future__ import annotations

import numpy as np

from slotscope.model.exercises.deciding import FEW, At, RoomAsks, from_candidates
from slotscope.model.exercises.posed import Posed, line_of, one_of
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.inspection import JOB, SERVER
from slotscope.model.reporting.records import Place, Record, Renew
from slotscope.model.whys.decision import Subject


def _next_placed(at: At) -> Subject | None:
    """The first placement that is still to come in the slot; if there is none, that a job waits."""
    for _, record in at.coming(Place):
        return at.subject(record.job)
    subject = at.subject()
    return None if subject is None or subject.on else subject


def _before_told(at: At, subject: Subject) -> int:
    """The sub-step before the first one that names the job; the state does not change from there to its placement."""
    place = subject.place
    while place > at.taken:
        last = at.happened.records[place - 1]
        if type(last) is not Record or last.values.get("job") != subject.job or last.kind == "arrival":
            return place
        place -= 1
    return place


def _server(at: At) -> Posed | None:
    """The question on which server a job is placed."""
    subject = _next_placed(at)
    if subject is None:
        return None
    return from_candidates(
        at,
        "server",
        at.tables(subject)[0],
        subject,
        Phrase("Which server takes job {number} next, or none?", number=at.system.job_name(subject.job)),
        lambda server: str(server + 1),
        SERVER,
        Phrase("it waits on"),
        _before_told(at, subject),
    )


def _job(at: At) -> Posed | None:
    """The question which waiting job a server takes."""
    subject = _next_placed(at)
    if subject is None or not subject.on:
        return None
    server, table = subject.on[0], at.tables(subject)[1]
    return from_candidates(
        at,
        "job",
        table,
        subject,
        Phrase("Which job is served next, on server {server}?", server=server + 1),
        lambda job: str(at.system.job_name(int(table.number_of[job]))),
        JOB,
        place=_before_told(at, subject),
    )


def _configuration(at: At) -> Posed | None:
    """The question which active configuration a server gets."""
    place, record = next(at.coming(Renew), (0, None))
    policy = at.system.policy
    if record is None or not (policy.may_fail or "lengths" in record.values):
        return None
    first, end = policy.pool_configurations[at.system.numbers.pool_of[record.server]]
    names = list(policy.configuration_names[first:end])
    chosen, line = record.configuration - first, line_of(policy, record.line)
    if policy.may_fail:  # a user's policy: its decision is the right answer, whatever the weights
        weights = (np.arange(end - first) == chosen).astype(np.int64)
    else:
        weights = policy.configurations[first:end].astype(np.int64) @ np.array(record.values["lengths"], np.int64)
    best, taken = int(weights.max()), names[chosen]
    told = f"{at.narrated(record)} ({line})."
    few = names if len(names) <= FEW else [*names[:3], "..."]
    allowed = Phrase("a configuration: {names}", names=", ".join(few))

    def fault(answer: str) -> str:
        weight = int(weights[names.index(answer)])
        if weight == best:
            return ""
        return told if policy.may_fail else f"its weight is {weight}, that of {taken} is {best} ({line})."

    return Posed(
        ask="configuration",
        place=place,
        decided=place + 1,
        words=Phrase("Server {server} gets an active configuration. Which one?", server=record.server + 1),
        allowed=allowed,
        read=one_of(names, allowed),
        fault=fault,
        taken=taken,
        reason=told if policy.may_fail else f"its weight, {best}, is the largest ({line}).",
        alike=int((weights == best).sum()) - 1,
        effort=max(1, int((weights > 0).sum())),
        options=tuple(names) if len(names) <= FEW else (),
    )


ASKS = RoomAsks(
    {"server": _server, "job": _job, "configuration": _configuration},
    {
        "weight": "the weight <k, Q> of the configuration",
        "lengths": "Q, the jobs that wait in each queue",
        "servers": "the number of servers with room for the job",
        "most_free": "the most room that is free on a server",
    },
)
