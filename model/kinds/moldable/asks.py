"""The decision on moldable jobs that exercises can ask for: how many servers a job gets."""

from __future__ import annotations

from slotscope.model.exercises.deciding import At, RoomAsks, effort_of
from slotscope.model.exercises.posed import Posed, whole
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.records import ARRIVAL


def _servers(at: At) -> Posed | None:
    """Ask for the number of servers that an arriving job gets; 0: it is blocked."""
    subject = at.subject() if at.happened.event.kind == ARRIVAL else None
    if subject is None:
        return None
    table = at.tables(subject)[1]
    width = len(subject.on)
    allowed = Phrase("a number of servers from 0 (blocked) to {most}", most=table.count)
    if at.system.policy.may_fail:
        told = f"the policy's file decides so ({at.system.policy.name})"
    else:
        told = f"{'; '.join(one.numbers for one in table.conditions)} ({table.preference.place})"

    def fault(answer: str) -> str:
        if int(answer) == width:
            return ""
        candidate = int(answer) - 1
        place = int(table.failed[candidate]) if candidate >= 0 else len(table.conditions)
        if place < len(table.conditions):
            broken = table.conditions[place]
            return f"{counted(candidate + 1, 'server')} {broken.fails}: {broken.told(candidate)} ({broken.place})."
        return f"it gets {counted(width, 'server')}; {told}."

    return Posed(
        ask="servers",
        place=subject.place,
        decided=subject.place + 1,
        words=Phrase(
            "Job {number} arrives. How many servers does it get?", number=at.system.job_name(at.happened.event.job)
        ),
        allowed=allowed,
        read=whole(0, table.count, allowed),
        fault=fault,
        taken=str(width),
        reason=f"{subject.outcome}; {told}.",
        effort=effort_of(table, table.legal),
    )


ASKS = RoomAsks(
    {"servers": _servers},
    {
        "request": "i, the servers that the job asks for",
        "free": "j, the free servers",
        "servers": "min(i, j), the servers that it gets",
    },
)
